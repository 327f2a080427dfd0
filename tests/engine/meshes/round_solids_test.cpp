/// Solids that are not convex with round shapes: spheres, capsules, cylinders, cones, rounded boxes, mappings.

#include "tests/engine/meshes/solids.h"
#include "tests/engine/worlds.h"

#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/triangles/mesh.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace talus;
using namespace talus::test;

namespace {

struct NamedSolid {
    std::string name;
    std::shared_ptr<const TriangleSet> mesh;
};

std::vector<NamedSolid> some_solids(float scale) {
    return {{"l prism", solid_of(samples::l_prism(), scale)},
            {"u prism", solid_of(samples::u_prism(), scale)},
            {"star", solid_of(samples::star_prism(7), scale)},
            {"gear", solid_of(samples::gear(12), scale)},
            {"ring", solid_of(samples::ring(1.0f, 0.3f, 24, 12), scale)},
            {"frame", solid_of(samples::square_frame(), scale)}};
}

quat any_rotation(Random& random) {
    const auto part = [&] { return random.between(-1.0f, 1.0f); };
    const vec3 axis(part(), part(), part() + 1e-3f);
    return turn(axis / glm::length(axis), random.between(0.0f, 3.1f));
}

float deepest_of(const World& world) {
    float deepest = 0.0f;
    for (const Contact& contact : world.contacts()) {
        for (int k = 0; k < contact.point_count; ++k) deepest = std::max(deepest, -contact.points[k].separation);
    }
    return deepest;
}

}  // namespace

TEST_CASE("solids come to rest on round shapes of 20 and 100 m") {
    for (const float radius : {20.0f, 100.0f}) {
        const quat lying = turn({1, 0, 0}, pi / 2);
        const struct {
            std::string name;
            Shape shape;
            quat rotation;
        } grounds[] = {{"ball", sphere(radius), quat(1, 0, 0, 0)},
                       {"cylinder", cylinder(radius, radius), lying},
                       {"cap", cylinder(radius, radius), quat(1, 0, 0, 0)},
                       {"capsule", capsule(radius, radius), lying},
                       {"rounded box", rounded(box(vec3(0.9f * radius)), 0.1f * radius), quat(1, 0, 0, 0)}};
        for (const auto& ground : grounds) {
            for (const NamedSolid& solid : some_solids(0.3f)) {
                CAPTURE(radius);
                CAPTURE(ground.name);
                CAPTURE(solid.name);
                Random random(8);
                World world;
                BodyDef below = fixed_body(ground.shape);
                below.rotation = ground.rotation;
                add(world, below);
                const dvec3 place(random.between(-0.5f, 0.5f), radius + 0.6f, random.between(-0.5f, 0.5f));
                const BodyId id = add(world, solid_body(solid.mesh, place, any_rotation(random)));
                for (int step = 0; step < 900; ++step) world.step(frame);
                CHECK(world.position(id).y > radius - 0.1);
                CHECK(glm::length(world.linear_velocity(id)) < 0.1f);
                CHECK(deepest_of(world) < 1e-3f);
            }
        }
    }
}

TEST_CASE("round bodies roll on a solid as on a box") {
    const struct {
        std::string name;
        Shape shape;
        bool lies;
    } all[] = {{"ball", sphere(0.2f), false},
               {"capsule", capsule(0.2f, 0.2f), true},
               {"cylinder", cylinder(0.2f, 0.2f), true},
               {"ellipsoid", *ellipsoid({0.2f, 0.2f, 0.3f}), false}};
    for (const auto& each : all) {
        CAPTURE(each.name);
        float speeds[2];
        for (const bool of_solid : {false, true}) {
            World world;
            add(world, ground());
            const vec3 half(10.0f, 0.1f, 1.0f);
            add(world, of_solid ? solid_body(solid_of(samples::box_solid(half)), {0.0, 0.1, 0.0})
                                : body(box(half), {0.0, 0.1, 0.0}));
            BodyDef roller = body(each.shape, {-8.0, 0.4, 0.0});
            if (each.lies) roller.rotation = turn({1, 0, 0}, pi / 2);
            roller.linear_velocity = {2.0f, 0.0f, 0.0f};
            roller.angular_velocity = {0.0f, 0.0f, -10.0f};
            const BodyId id = add(world, roller);
            for (int step = 0; step < 300; ++step) world.step(frame);
            speeds[of_solid ? 1 : 0] = world.linear_velocity(id).x;
        }
        MESSAGE(each.name << ": " << speeds[0] << " m/s on a box, " << speeds[1] << " on a solid");
        CHECK(speeds[1] == doctest::Approx(speeds[0]).epsilon(0.001));
        CHECK(speeds[1] == doctest::Approx(2.0).epsilon(0.001));
    }
}

TEST_CASE("round bodies that swing in a tube of 64 facets, a solid, lose their swing") {
    // A tube around z whose axes are locked; its inner side has 64 facets.
    constexpr int sides = 64;
    constexpr float inner = 0.3f, outer = 0.4f;
    std::vector<samples::OutlinePoint> inside, outside;
    for (int i = 0; i < sides; ++i) {
        const double angle = 2.0 * pi * i / sides;
        inside.push_back({inner * float(std::cos(angle)), inner * float(std::sin(angle))});
        outside.push_back({outer * float(std::cos(angle)), outer * float(std::sin(angle))});
    }
    const auto tube = solid_of(samples::ring_prism(outside, inside, 1.0f));
    for (const Shape& shape : {cylinder(0.1f, 0.06f), capsule(0.1f, 0.06f), sphere(0.06f)}) {
        CAPTURE(name_of(shape.type));
        World world;
        BodyDef around = solid_body(tube, {0.0, 1.0, 0.0});
        around.locks = 63;
        add(world, around);
        const double swing = inner - 0.06;
        BodyDef def = body(shape, {swing * std::sin(1.0), 1.0 - swing * std::cos(1.0), 0.0});
        def.rotation = turn({1, 0, 0}, pi / 2);
        const BodyId id = add(world, def);
        const double low = 1.0 - swing, start = world.position(id).y - low;
        double most = 0.0, last = 0.0;
        for (int step = 0; step < 3000 && world.is_awake(id); ++step) {
            world.step(frame);
            const vec3 v = world.linear_velocity(id), w = world.angular_velocity(id);
            const double moving = 0.5 * double{length_squared(v)} +
                                  0.5 * double{glm::dot(w, world.inertia(id) * w)} / double{world.mass(id)};
            last = (world.position(id).y - low + moving / 9.81) / start;
            most = std::max(most, last);
        }
        MESSAGE(name_of(shape.type) << ": " << most << " of its energy at most, " << last << " at the end");
        CHECK(most < 1.02);
        CHECK(last < 0.2);
    }
}

TEST_CASE("solids on spinning rollers are not drawn into them") {
    // Two rollers 24 cm apart. Solids of 40 cm and more stay above them, or pass if they are thin enough.
    float deepest = 0.0f;
    int worlds = 0, thrown = 0;
    for (const float spin : {2.0f, 10.0f, 30.0f}) {
        std::vector<NamedSolid> solids = some_solids(0.2f);
        solids.push_back({"box", solid_of(samples::box_solid(vec3(0.2f)))});
        for (const NamedSolid& solid : solids) {
            CAPTURE(spin);
            CAPTURE(solid.name);
            for (std::uint64_t seed = 1; seed <= 3; ++seed) {
                Random random(seed);
                World world;
                for (const double side : {-1.0, 1.0}) {
                    BodyDef roller = kinematic_body(cylinder(1.0f, 0.3f), {0.42 * side, 0.0, 0.0});
                    roller.rotation = turn({1, 0, 0}, pi / 2);
                    roller.angular_velocity = {0.0f, 0.0f, float(side) * -spin};
                    add(world, roller);
                }
                add(world, fixed_body(box({5.0f, 0.1f, 5.0f}), {0.0, -3.0, 0.0}));
                const dvec3 place(random.between(-0.2f, 0.2f), 0.7f, random.between(-0.3f, 0.3f));
                const BodyId id = add(world, solid_body(solid.mesh, place, any_rotation(random)));
                float fastest = 0.0f;
                for (int step = 0; step < 400; ++step) {
                    world.step(frame);
                    deepest = std::max(deepest, deepest_of(world));
                    fastest = std::max(fastest, glm::length(world.linear_velocity(id)));
                }
                ++worlds;
                if (fastest > 12.0f) ++thrown;
            }
        }
    }
    MESSAGE("deepest overlap " << 1e3f * deepest << " mm, " << thrown << " of " << worlds << " thrown");
    CHECK(deepest < 0.1f);
    CHECK(20 * thrown <= worlds);
}

TEST_CASE("a heap of solids and round bodies comes to rest") {
    const std::vector<NamedSolid> solids = some_solids(0.3f);
    Random random(2);
    World world;
    add(world, fixed_body(box({2.0f, 0.5f, 2.0f}), {0.0, -0.5, 0.0}));
    for (const double side : {-2.0, 2.0}) {
        add(world, fixed_body(box({0.5f, 4.0f, 2.5f}), {side + 0.25 * side, 4.0, 0.0}));
        add(world, fixed_body(box({2.5f, 4.0f, 0.5f}), {0.0, 4.0, side + 0.25 * side}));
    }
    std::vector<BodyId> bodies;
    const auto size = [&] { return random.between(0.1f, 0.2f); };
    for (int step = 0; step < 1800; ++step) {
        for (int k = 0; step % 35 == 0 && bodies.size() < 100 && k < 4; ++k) {
            const dvec3 place((k % 2) * 1.6 - 0.8, 5.0, (k / 2) * 1.6 - 0.8);
            const float a = size(), b = size();
            BodyDef def;
            switch (bodies.size() % 6) {
                case 0:
                    def = body(sphere(a), place);
                    break;
                case 1:
                    def = body(capsule(a, b), place);
                    break;
                case 2:
                    def = body(cylinder(a, b), place);
                    break;
                case 3:
                    def = body(rounded(box({a, b, size()}), 0.05f), place);
                    break;
                default:
                    def = solid_body(solids[static_cast<std::size_t>(random.below(int(solids.size())))].mesh, place);
            }
            def.rotation = any_rotation(random);
            bodies.push_back(add(world, def));
        }
        world.step(frame);
    }
    CHECK(world.awake_body_count() == 0);
    CHECK(deepest_of(world) < 0.01f);
    for (const BodyId id : bodies) CHECK(world.position(id).y > 0.0);
}
