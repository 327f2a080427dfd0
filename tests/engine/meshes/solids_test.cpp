/// Solids that are not convex as bodies: MeshDef::solid.

#include "tests/engine/meshes/solids.h"
#include "narrowphase/nonconvex/surfaces_cross.h"
#include "samples/scenes/scene.h"
#include "tests/engine/worlds.h"
#include "tests/support/threads.h"

#include <talus/narrowphase/triangles/height_field.h>
#include <talus/narrowphase/triangles/mesh.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>

using namespace talus;
using namespace talus::test;

namespace {

/// Two pyramids on one hexagon, with their points along x.
samples::MeshFile spindle(float half_length, float radius) {
    constexpr std::uint32_t sides = 6;
    samples::MeshFile file;
    file.vertices = {{-half_length, 0.0f, 0.0f}, {half_length, 0.0f, 0.0f}};
    for (std::uint32_t i = 0; i < sides; ++i) {
        const float angle = 2.0f * static_cast<float>(pi) * static_cast<float>(i) / sides;
        file.vertices.emplace_back(0.0f, radius * std::cos(angle), radius * std::sin(angle));
        const std::uint32_t p = 2 + i, q = 2 + (i + 1) % sides;
        file.triangles.insert(file.triangles.end(), {1, p, q, 0, q, p});
    }
    return file;
}

/// A tetrahedron with a long spike on each side; about 0.6 m across.
samples::MeshFile caltrop() {
    samples::MeshFile file;
    const std::array<vec3, 4> corners = {vec3(1, 1, 1), vec3(1, -1, -1), vec3(-1, 1, -1), vec3(-1, -1, 1)};
    for (const vec3& c : corners) file.vertices.push_back(0.06f * c);
    for (const vec3& c : corners) file.vertices.push_back(-0.29f * c);
    constexpr std::uint32_t sides[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    for (std::uint32_t k = 0; k < 4; ++k) {
        for (int i = 0; i < 3; ++i)
            file.triangles.insert(file.triangles.end(), {sides[k][i], sides[k][(i + 1) % 3], 4 + k});
    }
    return file;
}

}  // namespace

TEST_CASE("a solid has the mass of its volume, and a mesh that is none is refused") {
    const auto frame_of = solid_of(samples::square_frame());
    World world{WorldDef{}};
    const BodyId id = add(world, solid_body(frame_of, dvec3(0.0)));
    const auto expected =
        mesh_mass_properties(samples::square_frame().vertices, samples::square_frame().triangles, 1000.0f);
    REQUIRE(bool(expected));
    CHECK(world.mass(id) == doctest::Approx(expected->mass).epsilon(1e-5));
    const samples::MeshFile box_mesh = samples::box_solid(vec3(0.5f));
    const std::span<const std::uint32_t> without_two = std::span(box_mesh.triangles).first(30);
    const auto open = make_mesh({.vertices = box_mesh.vertices, .indices = without_two});
    REQUIRE(bool(open));
    CHECK(!(*open)->is_solid());
    CHECK(world.add_body(solid_body(*open, dvec3(0.0))).is_null());
    CHECK(!make_mesh({.vertices = box_mesh.vertices, .indices = without_two, .solid = true}));
    CHECK(!make_mesh({.vertices = box_mesh.vertices, .indices = box_mesh.triangles, .two_sided = true, .solid = true}));
}

TEST_CASE("a cube that is a solid lies, slides and sleeps as a box does") {
    const auto cube = solid_of(samples::box_solid(vec3(0.5f)));
    double slid[2];
    for (const bool as_box : {true, false}) {
        World world{WorldDef{}};
        add(world, ground());
        BodyDef def = as_box ? body(box(vec3(0.5f))) : solid_body(cube, dvec3(0.0));
        def.position = {0.0, 0.5, 0.0};
        def.linear_velocity = {3.0f, 0.0f, 0.0f};
        const BodyId id = add(world, def);
        run(world, 240);
        CHECK(std::abs(world.transform(id).position.y - 0.5) < 2e-3);
        CHECK(!world.is_awake(id));
        slid[as_box ? 0 : 1] = world.transform(id).position.x;
    }
    CHECK(slid[1] == doctest::Approx(slid[0]).epsilon(0.02));
}

TEST_CASE("a tower of ten cubes that are solids stands") {
    const auto cube = solid_of(samples::box_solid(vec3(0.5f)));
    World world{sleepless()};
    add(world, ground());
    std::vector<BodyId> tower;
    for (int k = 0; k < 10; ++k) tower.push_back(add(world, solid_body(cube, {0.0, 0.5 + k, 0.0})));
    run(world, 600);
    for (int k = 0; k < 10; ++k) {
        const dvec3 at = world.transform(tower[static_cast<std::size_t>(k)]).position;
        CHECK(std::abs(at.y - 0.5 - k) < 0.02);
        CHECK(std::abs(at.x) + std::abs(at.z) < 0.02);
    }
}

TEST_CASE("rings hold each other in a chain" * doctest::test_suite("slow")) {
    const auto link = solid_of(samples::ring(0.5f, 0.12f, 32, 16));
    constexpr double pitch = 0.76;
    World world{sleepless()};
    std::vector<BodyId> chain;
    for (int k = 0; k < 10; ++k) {
        BodyDef def = solid_body(link, {0.0, -0.758 * k, 0.0},
                                 k % 2 == 0 ? turn({0, 0, 1}, 0.5 * pi) : turn({1, 0, 0}, 0.5 * pi));
        if (k == 0) def.type = BodyType::fixed;
        if (k == 9) def.linear_velocity = {1.5f, 0.0f, 0.5f};
        chain.push_back(add(world, def));
    }
    const double before = energy(world);
    double farthest = 0.0, most = before;
    for (int step = 0; step < 1200; ++step) {
        run(world, 1);
        most = std::max(most, energy(world));
        for (std::size_t k = 1; k < chain.size(); ++k) {
            farthest = std::max(
                farthest, glm::length(world.transform(chain[k]).position - world.transform(chain[k - 1]).position));
        }
    }
    CHECK(farthest < 1.02 * pitch);
    // What it could gain by its length: that of a taut chain is 2 mm a link more.
    CHECK(most < before + 0.01 * std::abs(before));
}

TEST_CASE("solids that are not convex fall into a heap and come to rest") {
    const std::array kinds = {solid_of(samples::l_prism(), 0.4f),        solid_of(samples::u_prism(), 0.4f),
                              solid_of(samples::star_prism(5), 0.4f),    solid_of(samples::square_frame(), 0.4f),
                              solid_of(samples::gear(6), 0.4f),          solid_of(samples::hourglass(8), 0.4f),
                              solid_of(samples::ring(0.3f, 0.1f, 16, 8))};
    Random random(71);
    World world{WorldDef{}};
    add(world, ground());
    for (const float side : {-1.0f, 1.0f}) {
        add(world, fixed_body(box({0.5f, 4.0f, 3.0f}), {side * 2.0, 4.0, 0.0}));
        add(world, fixed_body(box({3.0f, 4.0f, 0.5f}), {0.0, 4.0, side * 2.0}));
    }
    for (int k = 0; k < 42; ++k) {
        BodyDef def = solid_body(kinds[static_cast<std::size_t>(k) % kinds.size()],
                                 {0.95 * (k % 3 - 1), 0.8 + 1.0 * (k / 9), 0.95 * (k / 3 % 3 - 1)}, random.rotation());
        add(world, def);
    }
    int step = 0;
    for (; step < 900 && world.awake_body_count() != 0; ++step) run(world, 1);
    std::string complaint;
    CHECK_MESSAGE(is_sound(world, &complaint), complaint);
    CHECK(world.awake_body_count() == 0);
    for (const BodyId id : world.bodies()) {
        if (world.type(id) != BodyType::dynamic) continue;
        const dvec3 at = world.transform(id).position;
        CHECK(at.y > 0.0);
        CHECK(std::max(std::abs(at.x), std::abs(at.z)) < 1.6);
    }
}

TEST_CASE("every kind of shape lies on a solid that moves as on one that is fixed") {
    const auto frame_of = solid_of(samples::square_frame());
    std::vector<vec3> points;
    Random random(73);  // of 30 seeds, 4 hulls come to rest on another face on the solid that moves
    for (int k = 0; k < 16; ++k) points.push_back(0.3f * random.in_box(vec3(1.0f)));
    const auto made = make_hull(points);
    REQUIRE(bool(made));
    const std::array shapes = {sphere(0.2f),           capsule(0.2f, 0.1f), box({0.2f, 0.15f, 0.1f}),
                               cylinder(0.15f, 0.15f), cone(0.2f, 0.2f),    hull(*made)};
    for (const Shape& shape : shapes) {
        CAPTURE(name_of(shape.type));
        double height[2];
        for (const bool fixed : {true, false}) {
            World world{WorldDef{}};
            add(world, ground());
            const double half = double{half_extents(frame_of->bounds()).z};
            BodyDef base = solid_body(frame_of, {0.0, half, 0.0}, turn({1, 0, 0}, 0.5 * pi));
            if (fixed) base.type = BodyType::fixed;
            add(world, base);
            const double side = 0.5 * (double{frame_of->bounds().upper.x} + 0.5);  // on one bar of the frame
            BodyDef def = body(shape, {side, 2.0 * half + 0.5, 0.0});
            const BodyId id = add(world, def);
            run(world, 300);
            height[fixed ? 0 : 1] = world.transform(id).position.y;
        }
        CHECK(height[1] == doctest::Approx(height[0]).epsilon(0.02));
    }
}

TEST_CASE("a fast solid does not pass through a wall" * doctest::test_suite("slow")) {
    const std::array kinds = {solid_of(samples::l_prism(), 0.4f), solid_of(samples::ring(0.5f, 0.12f, 24, 12))};
    Random random(73);
    int through = 0;
    for (int round = 0; round < 60; ++round) {
        World world{weightless()};
        add(world, fixed_body(box({0.05f, 8.0f, 8.0f})));
        BodyDef def =
            solid_body(kinds[static_cast<std::size_t>(round) % 2], {-3.0 + 0.01 * round, 0.0, 0.0}, random.rotation());
        def.linear_velocity = {5.0f + static_cast<float>(round), 0.0f, 0.0f};
        def.angular_velocity = random.in_box(vec3(20.0f));
        const BodyId id = add(world, def);
        run(world, 120);
        through += world.transform(id).position.x > 0.0 ? 1 : 0;
    }
    CHECK(through == 0);
}

TEST_CASE("long thin solids do not pass through a wall, however fast" * doctest::test_suite("slow")) {
    const std::array kinds = {solid_of(spindle(0.5f, 0.02f)), solid_of(samples::box_solid({0.5f, 0.01f, 0.01f})),
                              solid_of(samples::box_solid({0.3f, 0.5f, 0.005f})), solid_of(caltrop())};
    Random random(79);
    for (const float speed : {20.0f, 64.0f, 150.0f}) {
        int through = 0;
        std::uint64_t renewed = 0;
        for (int round = 0; round < 40; ++round) {
            World world{weightless()};
            add(world, fixed_body(box({0.05f, 8.0f, 8.0f})));
            BodyDef def = solid_body(kinds[static_cast<std::size_t>(round) % kinds.size()],
                                     {random.between(-3.0f, -2.0f), 0.0, 0.0}, random.rotation());
            def.linear_velocity = {speed, 0.0f, 0.0f};
            def.angular_velocity = random.in_box(vec3(20.0f));
            const BodyId id = add(world, def);
            bool passes = false;
            for (int step = 0; step < 120; ++step) {
                run(world, 1);
                renewed += world.profile().renewed_contacts;
                const dvec3 at = world.center_of_mass(id);  // some slide along the wall, and leave it at its edge
                passes = passes || (at.x > 0.05 && std::abs(at.y) < 8.0 && std::abs(at.z) < 8.0);
            }
            through += passes ? 1 : 0;
        }
        CAPTURE(speed);
        CHECK(through == 0);
        CHECK(renewed > 0);
    }
}

TEST_CASE("the thin point of a fast solid hits a thin rod") {
    // The points of a star are thinner than half of the star's thickness, and much thinner than what it moves in a step.
    const auto star = solid_of(samples::star_prism(5), 0.2f);
    Random random(75);
    int passed = 0;
    for (int round = 0; round < 100; ++round) {
        World world{weightless()};
        add(world, fixed_body(box({0.001f, 0.001f, 1.0f}), {0.0, 0.2 * random.between(0.85f, 0.99f), 0.0}));
        BodyDef def = solid_body(star, {random.between(-4.0f, -3.0f), 0.0, 0.0}, turn({0, 0, 1}, 0.1 * pi));  // one up
        def.linear_velocity = {random.between(20.0f, 50.0f), 0.0f, 0.0f};
        const BodyId id = add(world, def);
        run(world, 30);
        passed += world.angular_velocity(id) == vec3(0.0f) && world.linear_velocity(id) == def.linear_velocity ? 1 : 0;
    }
    CHECK(passed == 0);
}

TEST_CASE("solids that overlap deeply are pushed apart") {
    const auto angle = solid_of(samples::l_prism(), 0.5f);
    Random random(74);
    for (int round = 0; round < 20; ++round) {
        CAPTURE(round);
        World world{weightless()};
        const BodyId a = add(world, solid_body(angle, dvec3(0.0), random.rotation()));
        const BodyId b = add(world, solid_body(angle, dvec3(random.in_box(vec3(0.3f))), random.rotation()));
        run(world, 300);
        CHECK(is_sound(world));
        CHECK(world.profile().max_penetration < 0.02f);
        CHECK(glm::length(world.linear_velocity(a)) + glm::length(world.linear_velocity(b)) < 8.0f);
    }
}

TEST_CASE("solids are the same on several threads, in copies and after loading") {
    const std::array kinds = {solid_of(samples::l_prism(), 0.4f), solid_of(samples::u_prism(), 0.4f),
                              solid_of(samples::ring(0.35f, 0.1f, 16, 8))};
    const auto make = [&] {
        Random random(75);
        World world{WorldDef{}};
        add(world, ground());
        for (int k = 0; k < 24; ++k) {
            BodyDef def = solid_body(kinds[static_cast<std::size_t>(k) % kinds.size()],
                                     {0.8 * (k % 2), 0.8 + 0.8 * (k / 4), 0.8 * (k / 2 % 2)}, random.rotation());
            if (k % 5 == 4) def = body(k % 2 == 0 ? sphere(0.3f) : capsule(0.2f, 0.15f), def.position);
            add(world, def);
        }
        return world;
    };
    World world = make(), other = make();
    TestPool pool(3);
    for (int step = 0; step < 240; ++step) {
        run(world, 1);
        REQUIRE(other.step(frame, pool.jobs()));
        REQUIRE(world.hash() == other.hash());
        if (step % 60 != 30) continue;
        const auto bytes = world.save();
        REQUIRE(bool(bytes));
        auto loaded = World::load(*bytes);
        REQUIRE_MESSAGE(bool(loaded), loaded.error().message);
        World copy = world;
        for (int k = 0; k < 40; ++k) {
            run(*loaded, 1);
            run(copy, 1);
            REQUIRE(loaded->hash() == copy.hash());
        }
    }
}

TEST_CASE("two solids that touch in many places have one contact for the user") {
    const auto cup = solid_of(samples::u_prism());
    World world{WorldDef{}};
    add(world, ground());
    const double half = double{half_extents(cup->bounds()).z};
    add(world, solid_body(cup, {0.0, half, 0.0}, turn({1, 0, 0}, 0.5 * pi)));
    add(world, solid_body(cup, {0.0, 3.0 * half + 0.05, 0.0}, turn({1, 0, 0}, 0.5 * pi)));
    int begun = 0, ended = 0;
    for (int step = 0; step < 120; ++step) {
        run(world, 1);
        begun += static_cast<int>(world.contacts_begun().size());
        ended += static_cast<int>(world.contacts_ended().size());
    }
    CHECK(begun - ended == 2);
    CHECK(begun <= 4);  // it may lift off once as it lands
}

TEST_CASE("solids that begin overlapping give the same bits on several threads") {
    const auto cube = solid_of(samples::box_solid(vec3(0.5f)));
    for (int round = 0; round < 20; ++round) {
        const auto make = [&] {
            Random random(76 + static_cast<std::uint64_t>(round));
            World world{weightless()};
            for (int k = 0; k < 20; ++k) {
                for (int i = 0; i < 2; ++i)
                    add(world, solid_body(cube, dvec3(3.0 * k, 0.3 * i, 0.1 * i), random.rotation()));
            }
            return world;
        };
        World world = make(), other = make();
        TestPool pool(3);
        for (int step = 0; step < 10; ++step) {
            run(world, 1);
            REQUIRE(other.step(frame, pool.jobs()));
            REQUIRE(world.hash() == other.hash());
        }
    }
}

TEST_CASE("a fast kinematic body hits a sleeping solid") {
    const auto cube = solid_of(samples::box_solid(vec3(0.5f)));
    World world{WorldDef{}};
    add(world, ground());
    const BodyId asleep = add(world, solid_body(cube, {0.0, 0.5, 0.0}));
    run(world, 120);
    REQUIRE(!world.is_awake(asleep));
    add(world, kinematic_body(box(vec3(0.4f)), {-3.0, 0.5, 0.0}, {8.0f, 0.0f, 0.0f}));
    run(world, 60);
    CHECK(world.transform(asleep).position.x > 0.5);
}

TEST_CASE("a fast kinematic plate takes solids along") {
    const std::array kinds = {solid_of(samples::l_prism(), 0.4f), solid_of(samples::ring(0.5f, 0.12f, 24, 12))};
    Random random(78);
    for (int round = 0; round < 40; ++round) {
        CAPTURE(round);
        World world{weightless()};
        const float speed = random.between(3.0f, 20.0f);
        const BodyId plate =
            add(world, kinematic_body(box({0.05f, 2.0f, 2.0f}), {-1.5, 0.0, 0.0}, {speed, 0.0f, 0.0f}));
        const BodyId id =
            add(world, solid_body(kinds[static_cast<std::size_t>(round) % 2], {0.0, 0.0, 0.0}, random.rotation()));
        run(world, 60);
        CHECK(world.center_of_mass(id).x > world.center_of_mass(plate).x);
    }
}

TEST_CASE("a small solid that falls fast stays on a thick floor" * doctest::test_suite("slow")) {
    const auto unit = samples::box_solid(vec3(0.5f));
    Random random(77);
    for (const float edge : {0.01f, 0.1f, 1.0f}) {
        const auto cube = solid_of(unit, edge);
        for (const float edges_a_step : {0.25f, 1.0f, 2.0f}) {
            for (int round = 0; round < 8; ++round) {
                CAPTURE(edge);
                CAPTURE(edges_a_step);
                CAPTURE(round);
                World world{WorldDef{}};
                add(world, ground());
                BodyDef def = solid_body(cube, {0.0, 2.0 * double{edge}, 0.0}, random.rotation());
                def.linear_velocity = {0.0f, -60.0f * edge * edges_a_step, 0.0f};
                const BodyId id = add(world, def);
                run(world, 120);
                CHECK(world.transform(id).position.y > 0.0);
            }
        }
    }
}

TEST_CASE("small thin solids neither fall through the floor nor gain energy") {
    // In one step, a bar of 1 cm and 0.2 mm can fall by 13 times its thickness, and soft contacts yield by a third of its
    // thickness under its weight. A caltrop of 6 mm that stood on three points lost all three at once by rounding.
    const std::array kinds = {solid_of(spindle(0.5f, 0.02f), 0.01f),
                              solid_of(samples::box_solid({0.5f, 0.01f, 0.01f}), 0.01f),
                              solid_of(samples::box_solid({0.3f, 0.5f, 0.005f}), 0.01f), solid_of(caltrop(), 0.01f)};
    Random random(80);
    // A mesh has no inside, but the engine tracks the side of a solid until it is farther behind than its size.
    const std::vector<vec3> corners = {{-9, 0, -9}, {-9, 0, 9}, {9, 0, 9}, {9, 0, -9}};
    const std::vector<std::uint32_t> triangles = {0, 1, 2, 0, 2, 3};
    const auto made = make_mesh({.vertices = corners, .indices = triangles});
    REQUIRE(made);
    for (const bool on_mesh : {false, true}) {
        int fallen = 0;
        for (int round = 0; round < 120; ++round) {
            const float height = round % 2 == 0 || on_mesh ? 0.05f : 1.0f;
            CAPTURE(on_mesh);
            CAPTURE(round);
            World world{WorldDef{}};
            BodyDef floor = ground();
            if (on_mesh) floor = {.type = BodyType::fixed, .mesh = *made};
            add(world, floor);
            BodyDef def = solid_body(kinds[static_cast<std::size_t>(round / 2) % kinds.size()],
                                     {0.0, double{height}, 0.0}, random.rotation());
            def.angular_velocity = random.in_box(vec3(5.0f));
            const BodyId id = add(world, def);
            const double start = energy(world);
            for (int step = 0; step < 240; ++step) {
                run(world, 1);
                // A body whose step was shortened gained the energy of the whole fall.
                CHECK(energy(world) < 1.01 * start);
            }
            fallen += world.center_of_mass(id).y > -1e-3 ? 0 : 1;
        }
        // As many of 120 convex hulls fall through a mesh.
        CHECK(fallen <= (on_mesh ? 2 : 0));
    }
}

TEST_CASE("a solid that is wholly inside of another one comes out") {
    const std::array kinds = {solid_of(samples::l_prism(), 0.05f), solid_of(samples::ring(0.1f, 0.03f, 16, 8)),
                              solid_of(caltrop(), 0.2f)};
    const std::array outer = {solid_of(samples::box_solid(vec3(1.0f))), solid_of(samples::l_prism())};
    Random random(81);
    for (int round = 0; round < 24; ++round) {
        CAPTURE(round);
        World world{weightless()};
        const auto index = static_cast<std::size_t>(round);
        const TriangleSet& around = *outer[index % outer.size()];
        BodyDef fixed = solid_body(outer[index % outer.size()], dvec3(0.0));
        fixed.type = BodyType::fixed;
        add(world, round % 4 == 0 ? fixed_body(box(vec3(1.0f))) : fixed);
        const BodyId id =
            add(world, solid_body(kinds[index % kinds.size()],
                                  dvec3(-0.6, -0.6, 0.0) + dvec3(random.in_box(vec3(0.2f))), random.rotation()));
        run(world, 600);
        CHECK(is_sound(world));
        CHECK(!detail::is_inside(around, vec3(world.center_of_mass(id))));
        CHECK(glm::length(world.linear_velocity(id)) < 2.0f);
    }
}

TEST_CASE("a solid that goes through another one from side to side comes out") {
    const auto needle = solid_of(spindle(0.5f, 0.02f));
    Random random(82);
    for (int round = 0; round < 20; ++round) {
        CAPTURE(round);
        World world{weightless()};
        add(world, fixed_body(box({0.05f, 2.0f, 2.0f})));
        const double place = random.between(-0.4f, 0.4f);
        const BodyId id =
            add(world, solid_body(needle, {place, 0.3, 0.0}, turn({0, 0, 1}, double{random.between(-0.3f, 0.3f)})));
        run(world, 600);
        CHECK(is_sound(world));
        CHECK(std::abs(world.center_of_mass(id).x) > 0.05);
        CHECK((world.center_of_mass(id).x > 0.0) == (place > 0.0));
        CHECK(glm::length(world.linear_velocity(id)) < 2.0f);
    }
}

TEST_CASE("thin plates that are solids lie on each other as boxes do") {
    const auto plate = solid_of(samples::box_solid({0.5f, 0.005f, 0.5f}));
    World world{WorldDef{}};
    add(world, ground());
    std::vector<BodyId> pile;
    for (int k = 0; k < 10; ++k) pile.push_back(add(world, solid_body(plate, {0.0, 0.005 + 0.0101 * k, 0.0})));
    run(world, 300);
    for (std::size_t k = 1; k < pile.size(); ++k) {
        const double apart = world.transform(pile[k]).position.y - world.transform(pile[k - 1]).position.y;
        CHECK(apart > 0.0095);
        CHECK(apart < 0.0105);
    }
    CHECK(world.awake_body_count() == 0);
}

TEST_CASE("a tower of solids that touch exactly is not thrown up") {
    const auto cube = solid_of(samples::box_solid(vec3(0.5f)));
    World world{sleepless()};
    add(world, ground());
    for (int k = 0; k < 10; ++k) add(world, solid_body(cube, {0.0, 0.5 + k, 0.0}));
    for (int step = 0; step < 60; ++step) {
        run(world, 1);
        for (const BodyId id : world.bodies()) CHECK(glm::length(world.linear_velocity(id)) < 0.01f);
    }
}

namespace {

/// What a bar did that fell onto rough ground.
struct Fall {
    int held = 0;          ///< the most steps in a row in which it hardly moved, at speed
    float fastest = 0.0f;  ///< m/s; a free fall from there: 5.9
    bool through = false;
};

/// Lets a bar fall onto a height field with slopes of up to 15 cm, and follows it for some seconds.
Fall fall_on_rough_ground(const std::shared_ptr<const TriangleSet>& bar, float spin, Random& random) {
    std::vector<float> heights(33 * 33);
    for (float& h : heights) h = random.between(0.0f, 0.15f);
    World world{WorldDef{}};
    BodyDef field;
    field.type = BodyType::fixed;
    field.mesh =
        *make_height_field({.columns = 33, .rows = 33, .heights = heights, .spacing_x = 0.5f, .spacing_z = 0.5f});
    field.position = {-8.0, 0.0, -8.0};
    add(world, field);
    BodyDef def = solid_body(bar, {random.between(-0.5f, 0.5f), 1.8, random.between(-0.5f, 0.5f)}, random.rotation());
    def.angular_velocity = spin * random.direction();
    const BodyId id = add(world, def);
    Fall fall;
    int held = 0;
    for (int step = 0; step < 300; ++step) {
        const dvec3 before = world.center_of_mass(id);
        run(world, 1);
        const double moved = glm::length(world.center_of_mass(id) - before);
        const float speed = glm::length(world.linear_velocity(id));
        held = speed > 0.5f && moved < 0.1 * double{speed} / 60.0 ? held + 1 : 0;
        fall.held = std::max(fall.held, held);
        fall.fastest = std::max(fall.fastest, speed);
    }
    fall.through = world.center_of_mass(id).y < -0.1;
    return fall;
}

}  // namespace

TEST_CASE("thin bars that are solids neither fall through rough ground nor hang above it while their velocity grows" *
          doctest::test_suite("slow")) {
    Random random(104);
    int longest = 0, often = 0, through = 0;
    float fastest = 0.0f;
    for (const vec3& half : {vec3(0.2f, 0.005f, 0.005f), vec3(0.8f, 0.005f, 0.005f), vec3(0.2f, 0.01f, 0.01f)}) {
        const auto bar = solid_of(samples::box_solid(half));
        for (int round = 0; round < 100; ++round) {
            const Fall fall = fall_on_rough_ground(bar, round % 2 == 0 ? 3.0f : 20.0f, random);
            longest = std::max(longest, fall.held);
            often += fall.held > 5 ? 1 : 0;
            fastest = std::max(fastest, fall.fastest);
            through += fall.through ? 1 : 0;
        }
    }
    MESSAGE(often << " of 300 held for more than 5 steps, at most " << longest << "; at most " << fastest << " m/s");
    CHECK(through == 0);
    CHECK(longest < 40);  // it was 256, with 11 m/s
    CHECK(often < 15);
    CHECK(fastest < 9.0f);
}

TEST_CASE("solids lie on both sides of a two-sided mesh or height field, and fast ones do not pass") {
    constexpr std::uint32_t cells = 24;
    constexpr float spacing = 0.25f;
    const auto height = [](std::uint32_t i, std::uint32_t k) {
        return 0.08f * std::sin(0.9f * static_cast<float>(i)) * std::cos(0.7f * static_cast<float>(k));
    };
    std::vector<float> heights;
    std::vector<vec3> vertices;
    std::vector<std::uint32_t> indices;
    for (std::uint32_t k = 0; k <= cells; ++k) {
        for (std::uint32_t i = 0; i <= cells; ++i) {
            heights.push_back(height(i, k));
            vertices.emplace_back(spacing * static_cast<float>(i) - 3.0f, height(i, k),
                                  spacing * static_cast<float>(k) - 3.0f);
            if (i == cells || k == cells) continue;
            const std::uint32_t p = k * (cells + 1) + i, q = p + cells + 1;
            indices.insert(indices.end(), {p, q, q + 1, p, q + 1, p + 1});
        }
    }
    const auto field = make_height_field({.columns = cells + 1,
                                          .rows = cells + 1,
                                          .heights = heights,
                                          .spacing_x = spacing,
                                          .spacing_z = spacing,
                                          .two_sided = true});
    const auto mesh = make_mesh({.vertices = vertices, .indices = indices, .two_sided = true});
    REQUIRE(bool(field));
    REQUIRE(bool(mesh));
    const std::array kinds = {solid_of(samples::l_prism(), 0.3f), solid_of(samples::ring(0.25f, 0.08f, 16, 8)),
                              solid_of(samples::box_solid(vec3(0.2f)))};
    Random random(111);
    int through = 0;
    for (int round = 0; round < 48; ++round) {
        CAPTURE(round);
        const float side = round % 2 == 0 ? 1.0f : -1.0f;  // -1: they come from behind
        const float speed = round / 24 == 0 ? 1.0f : 30.0f;
        WorldDef world_def;
        world_def.gravity = {0.0f, -10.0f * side, 0.0f};
        World world{world_def};
        BodyDef ground;
        ground.type = BodyType::fixed;
        ground.mesh = round / 2 % 2 == 0 ? *mesh : *field;
        if (round / 2 % 2 != 0) ground.position = {-3.0, 0.0, -3.0};
        add(world, ground);
        const auto& kind = kinds[static_cast<std::size_t>(round) / 4 % 3];
        BodyDef def =
            solid_body(kind, {random.between(-1.0, 1.0), 1.5 * side, random.between(-1.0, 1.0)}, random.rotation());
        def.linear_velocity = {0.0f, -speed * side, 0.0f};
        def.angular_velocity = random.in_box(vec3(4.0f));
        const BodyId id = add(world, def);
        std::optional<World> loaded;
        // Fast ones jump off, and beyond the edges.
        double over = side;
        for (int step = 0; step < 400; ++step) {
            if (step == 30) {
                const auto bytes = world.save();
                REQUIRE(bool(bytes));
                auto made = World::load(*bytes);
                REQUIRE_MESSAGE(bool(made), made.error().message);
                loaded = std::move(*made);
            }
            run(world, 1);
            if (loaded) {
                run(*loaded, 1);
                REQUIRE(world.hash() == loaded->hash());
            }
            const dvec3& at = world.transform(id).position;
            if (std::max(std::abs(at.x), std::abs(at.z)) > 2.8) break;
            over = side * at.y;
            if (over < -0.1) break;
        }
        through += over < 0.0 ? 1 : 0;
        if (speed > 1.0f) continue;
        CHECK(over < 0.6);
        CHECK(glm::length(world.linear_velocity(id)) < 0.3f);
    }
    CHECK(through == 0);
}

TEST_CASE("solids stay in the corner between two sheets of a mesh, of which they see one from behind") {
    const std::vector<vec3> vertices{{-5, 0, -5}, {-5, 0, 5}, {5, 0, 5},  {5, 0, -5}, {0, -5, -5},
                                     {0, -5, 5},  {0, 5, 5},  {0, 5, -5}, {0, 0, -5}, {0, 0, 5}};
    // They cross, or meet in an edge, or one stands on the other.
    const std::array<std::vector<std::uint32_t>, 3> sheets{
        std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6},
        std::vector<std::uint32_t>{0, 1, 9, 0, 9, 8, 8, 6, 9, 8, 7, 6},
        std::vector<std::uint32_t>{0, 1, 9, 0, 9, 8, 8, 9, 2, 8, 2, 3, 8, 6, 9, 8, 7, 6}};
    const std::array kinds = {solid_of(samples::box_solid(vec3(0.3f))), solid_of(samples::l_prism(), 0.4f)};
    Random random(112);
    int gone = 0;
    for (const auto& indices : sheets) {
        const auto mesh = make_mesh({.vertices = vertices, .indices = indices, .two_sided = true});
        REQUIRE(bool(mesh));
        for (int round = 0; round < 48; ++round) {
            const double x = round % 2 == 0 ? 1.0 : -1.0, y = round / 2 % 2 == 0 ? 1.0 : -1.0;
            if (&indices != &sheets[0] && y < 0.0) continue;
            if (&indices == &sheets[1] && x > 0.0) continue;
            WorldDef world_def;
            world_def.gravity = {-6.0f * float(x), -8.0f * float(y), 0.0f};
            World world{world_def};
            BodyDef ground;
            ground.type = BodyType::fixed;
            ground.mesh = *mesh;
            add(world, ground);
            BodyDef def =
                solid_body(kinds[static_cast<std::size_t>(round) / 4 % 2], {2.0 * x, 2.0 * y, 0.0}, random.rotation());
            def.linear_velocity = random.in_box(vec3(1.0f));
            const BodyId id = add(world, def);
            run(world, 240);
            const dvec3& at = world.transform(id).position;
            gone += at.x * x < 0.0 || at.y * y < 0.0 || at.x * x > 1.0 || at.y * y > 1.0 ? 1 : 0;
        }
    }
    CHECK(gone == 0);
}

TEST_CASE("a chain of twenty rings hangs still, and carries twenty times the weight of a link" *
          doctest::test_suite("slow")) {
    constexpr float radius = 0.5f, tube = 0.12f, pitch = 2.0f * (radius - tube);
    constexpr int links = 20;
    const auto link = solid_of(samples::ring(radius, tube, 32, 16));
    const float h = std::sqrt(0.5f);
    for (const bool is_loaded : {false, true}) {
        CAPTURE(is_loaded);
        World world{sleepless()};
        std::vector<BodyId> chain;
        for (int k = 0; k < links; ++k) {
            BodyDef def = solid_body(link, {0.0, -double{pitch - 0.002f} * k, 0.0},
                                     k % 2 == 0 ? quat(h, 0.0f, 0.0f, h) : quat(h, h, 0.0f, 0.0f));
            if (k == 0) def.type = BodyType::fixed;
            if (is_loaded && k == links - 1) {
                def.density = 20000.0f;
                def.linear_velocity = {2.0f, 0.0f, 1.0f};
            }
            chain.push_back(add(world, def));
        }
        const auto height = [&] {
            double sum = 0.0;
            for (const BodyId id : chain) sum += world.center_of_mass(id).y;
            return sum;
        };
        run(world, 300);
        const double hanging = height();
        double longest = 0.0;
        for (int step = 0; step < 600; ++step) {
            run(world, 1);
            for (std::size_t k = 1; k < chain.size(); ++k) {
                const dvec3 between = world.center_of_mass(chain[k]) - world.center_of_mass(chain[k - 1]);
                longest = std::max(longest, glm::length(between) / double{pitch});
            }
        }
        MESSAGE("longest link, of a taut one: " << longest);
        CHECK(longest < (is_loaded ? 1.2 : 1.02));
        if (!is_loaded) CHECK(std::abs(height() - hanging) < 0.01 * double{pitch} * links * links);
    }
}

TEST_CASE("a chain of rings that swings gains no energy, and comes to rest" * doctest::test_suite("slow")) {
    const auto ring = solid_of(samples::ring(0.5f, 0.1f, 12, 6));
    World world{WorldDef{}};
    std::vector<BodyId> rings;
    for (int i = 0; i < 6; ++i) {
        BodyDef def = solid_body(ring, {0.0, -0.79 * i, 0.0},
                                 quat(glm::angleAxis(0.5 * pi * i, glm::dvec3(0, 1, 0))) *
                                     quat(glm::angleAxis(0.5 * pi, glm::dvec3(1, 0, 0))));
        if (i == 0) def.type = BodyType::fixed;
        if (i == 5) def.linear_velocity = {2.0f, 0.0f, 0.0f};
        rings.push_back(add(world, def));
    }
    const auto energy = [&] {
        double sum = 0.0;
        for (const BodyId id : rings) {
            if (id == rings.front()) continue;
            const vec3 v = world.linear_velocity(id), w = world.angular_velocity(id);
            sum += 0.5 * double{world.mass(id)} * double{glm::dot(v, v)} +
                   0.5 * double{glm::dot(w, world.inertia(id) * w)} +
                   double{world.mass(id)} * 9.81 * world.center_of_mass(id).y;
        }
        return sum;
    };
    double lowest = std::numeric_limits<double>::infinity(), gained = 0.0, swing = 0.0;
    for (int step = 0; step < 7200; ++step) {
        run(world, 1);
        lowest = std::min(lowest, energy());
        gained = std::max(gained, energy() - lowest);
        const dvec3& at = world.transform(rings.back()).position;
        swing = std::max(swing, std::hypot(at.x, at.z));
    }
    const double weight = double{world.mass(rings.back())} * 9.81;
    MESSAGE("swings by " << swing << " m; gained " << gained << " J at most; a ring weighs " << weight << " N");
    CHECK(swing < 1.0);             // it was 1.8
    CHECK(gained < 0.05 * weight);  // it was 1.1 in five minutes
    CHECK(world.awake_body_count() == 0);
    for (std::size_t i = 1; i < rings.size(); ++i)
        CHECK(glm::length(world.transform(rings[i]).position - world.transform(rings[i - 1]).position) < 1.0);
}

// Joints that an impact opens are closed above the planes of the contacts. Those of a solid's triangles were looked up among
// the shapes, beyond their end: worlds crashed, or did not step like their copies.
TEST_CASE("a solid on a hinge that lands among balls steps like its copy") {
    const auto cube = solid_of(samples::box_solid(vec3(0.3f)));
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        World world{WorldDef{}};
        add(world, ground());
        BodyDef def = solid_body(cube, {0, 2, 0});
        def.linear_velocity = {0, -30, 0};
        def.angular_velocity = random.in_box(vec3(10.0f));
        const BodyId solid = add(world, def);
        BodyDef limb = body(capsule(0.3f, 0.15f), {0.9, 2, 0});
        limb.linear_velocity = {0, -30, 0};
        const BodyId other = add(world, limb);
        REQUIRE(world.add_joint(HingeDef{.frames = {solid, other, {{0.45f, 0, 0}}, {{-0.45f, 0, 0}}}}));
        for (int i = 0; i < 6; ++i) {
            BodyDef ball = body(sphere(0.2f), dvec3(random.in_box({0.5f, 0.0f, 0.5f})) + dvec3(0, 2.6 + 0.5 * i, 0));
            ball.linear_velocity = {0, -30, 0};
            add(world, ball);
        }
        run(world, 11);
        World copy = world;
        run(world, 109);
        run(copy, 109);
        CHECK(world.hash() == copy.hash());
        CHECK(is_sound(world));
    }
}
