/// Solids and hulls of fine facets that roll and rock.

#include "tests/engine/meshes/solids.h"
#include "tests/engine/worlds.h"

#include <talus/narrowphase/triangles/mesh.h>

#include <doctest/doctest.h>
#include <glm/vec2.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace talus;
using namespace talus::test;

namespace {

Shape hull_of(const samples::MeshFile& file) {
    const auto made = make_hull(file.vertices);
    REQUIRE_MESSAGE(bool(made), made.error().message);
    return hull(*made);
}

/// A body of revolution about y: circles of `around` corners with these radii at these heights, and a corner at each end.
samples::MeshFile revolved(const std::vector<glm::vec2>& circles, float low, float high, std::uint32_t around) {
    samples::MeshFile file;
    file.vertices = {{0.0f, low, 0.0f}, {0.0f, high, 0.0f}};
    for (const glm::vec2& circle : circles) {
        for (std::uint32_t i = 0; i < around; ++i) {
            const double angle = 2.0 * pi * i / around;
            file.vertices.emplace_back(circle.x * float(std::cos(angle)), circle.y, circle.x * float(std::sin(angle)));
        }
    }
    const auto rings = static_cast<std::uint32_t>(circles.size());
    const auto at = [&](std::uint32_t ring, std::uint32_t i) { return 2 + ring * around + i % around; };
    for (std::uint32_t i = 0; i < around; ++i) {
        file.triangles.insert(file.triangles.end(), {0, at(0, i), at(0, i + 1)});
        file.triangles.insert(file.triangles.end(), {1, at(rings - 1, i + 1), at(rings - 1, i)});
        for (std::uint32_t k = 0; k + 1 < rings; ++k) {
            file.triangles.insert(file.triangles.end(), {at(k, i), at(k + 1, i), at(k + 1, i + 1)});
            file.triangles.insert(file.triangles.end(), {at(k, i), at(k + 1, i + 1), at(k, i + 1)});
        }
    }
    return file;
}

samples::MeshFile ball(float radius, std::uint32_t around) {
    std::vector<glm::vec2> circles;
    for (std::uint32_t k = 1; k < around / 2; ++k) {
        const double angle = 2.0 * pi * k / around;
        circles.push_back({radius * float(std::sin(angle)), -radius * float(std::cos(angle))});
    }
    return revolved(circles, -radius, radius, around);
}

samples::MeshFile wheel(float radius, float half_width, std::uint32_t around) {
    return revolved({{radius, -half_width}, {radius, half_width}}, -half_width, half_width, around);
}

BodyDef rolling(float radius, float speed, const quat& rotation) {
    BodyDef def;
    def.position = {0.0, double{radius}, 0.0};
    def.rotation = rotation;
    def.linear_velocity = {speed, 0.0f, 0.0f};
    def.angular_velocity = {0.0f, 0.0f, -speed / radius};
    return def;
}

}  // namespace

TEST_CASE("solids and hulls of fine facets that roll do not gain speed") {
    constexpr float radius = 0.3f;
    const quat upright = turn({1, 0, 0}, pi / 2);
    struct Case {
        std::string name;
        BodyDef def;
        float speed;
    };
    std::vector<Case> cases;
    const auto add_case = [&](const std::string& name, const samples::MeshFile& file, bool solid, float speed,
                              const quat& q) {
        BodyDef def = rolling(radius, speed, q);
        if (solid)
            def.mesh = solid_of(file);
        else
            def.shape = hull_of(file);
        cases.push_back({name, def, speed});
    };
    for (const bool solid : {true, false}) {
        for (const std::uint32_t around : {32u, 64u, 96u}) {
            if (solid || around < 96)
                add_case((solid ? "solid ball of " : "hull ball of ") + std::to_string(around), ball(radius, around),
                         solid, 0.3f, turn({1, 2, 3}, 1.0));
        }
        for (const std::uint32_t around : {64u, 256u, 512u})
            add_case((solid ? "solid wheel of " : "hull wheel of ") + std::to_string(around),
                     wheel(radius, 0.1f, around), solid, 1.0f, upright);
    }
    for (const Case& each : cases) {
        CAPTURE(each.name);
        CAPTURE(each.speed);
        for (const int substeps : {4, 8}) {
            CAPTURE(substeps);
            WorldDef def;
            def.substeps = substeps;
            World world(def);
            add(world, fixed_body(box({500.0f, 1.0f, 500.0f}), {0.0, -1.0, 0.0}));
            const BodyId id = add(world, each.def);
            const double start = energy(world);
            double most = start;
            for (int step = 0; step < 600; ++step) {
                world.step(frame);
                most = std::max(most, energy(world));
            }
            // It may be lifted by some of the slop, and by a facet.
            CHECK(most - start < 0.05 * kinetic_energy(world, id) + 0.02 * double{world.mass(id)});
            CHECK(glm::length(world.linear_velocity(id)) < each.speed);
        }
    }
}

TEST_CASE("a cone of fine facets that rolls on its side does not gain speed") {
    constexpr float length = 0.5f, angle = 0.35f;
    const float radius = length * std::tan(angle);
    for (const std::uint32_t around : {48u, 128u, 256u}) {
        CAPTURE(around);
        const samples::MeshFile cone = revolved({{radius, 0.0f}}, 0.0f, length, around);
        for (const bool solid : {true, false}) {
            CAPTURE(solid);
            World world{WorldDef{}};
            add(world, ground());
            BodyDef def;
            if (solid)
                def.mesh = solid_of(cone);
            else
                def.shape = hull_of(cone);
            // The tip is at the origin; the axis is as far above the ground as the side is below it.
            const vec3 axis(std::cos(angle), std::sin(angle), 0.0f);
            def.rotation = turn({0, 0, 1}, pi / 2 + double{angle});
            def.position = dvec3(length * axis) + dvec3(0.0, 1e-3, 0.0);
            const BodyId id = add(world, def);
            // It rolls about the line on which it lies.
            constexpr float turning = 1.5f;
            const vec3 spin = vec3(-turning / std::tan(angle), 0.0f, 0.0f);
            world.set_angular_velocity(id, spin);
            world.set_linear_velocity(id, glm::cross(spin, vec3(world.center_of_mass(id))));
            const double start = kinetic_energy(world, id);
            double most = start;
            for (int step = 0; step < 600; ++step) {
                world.step(frame);
                most = std::max(most, kinetic_energy(world, id));
            }
            CHECK(most < 1.1 * start);
        }
    }
}

TEST_CASE("a board that is a solid rocks on a roller as a box does") {
    for (const bool is_narrow : {false, true}) {
        CAPTURE(is_narrow);
        double left[2] = {};
        for (const bool solid : {false, true}) {
            World world(sleepless());
            constexpr float radius = 0.4f, half = 0.05f, angle = 0.15f;
            BodyDef roller = fixed_body(cylinder(0.5f, radius), {0.0, -double{radius}, 0.0});
            roller.rotation = turn({1, 0, 0}, pi / 2);
            roller.material.friction = 3.0f;
            add(world, roller);
            const vec3 sides(1.0f, half, is_narrow ? 0.3f : 0.8f);
            BodyDef board;
            if (solid)
                board.mesh = solid_of(samples::box_solid(sides));
            else
                board.shape = box(sides);
            board.material.friction = 3.0f;
            const float s = std::sin(angle), c = std::cos(angle);
            board.position = {double{(radius + half) * s - radius * angle * c},
                              double{-radius + (radius + half) * c + radius * angle * s}, 0.0};
            board.rotation = turn({0, 0, 1}, -double{angle});
            const BodyId id = add(world, board);
            const double start = energy(world), rest = double{world.mass(id)} * 9.81 * double{half};
            double most = 0.0;
            for (int step = 0; step < 1800; ++step) {
                world.step(frame);
                if (step > 1680) most = std::max(most, energy(world) - rest);
            }
            left[solid ? 1 : 0] = most / (start - rest);
        }
        MESSAGE("energy after 30 s, of that at the start: " << left[0] << " of a box, " << left[1] << " of a solid");
        CHECK(left[0] == doctest::Approx(left[1]).epsilon(0.05));
        CHECK(left[1] < 1.0);
    }
}
