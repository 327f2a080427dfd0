// Bodies that touch nothing, against closed forms.

#include "tests/engine/worlds.h"

#include <algorithm>

using namespace talus;
using namespace talus::test;

TEST_CASE("a body in free fall follows the parabola to rounding") {
    for (const float dt : {1.0f / 30.0f, 1.0f / 60.0f, 1.0f / 240.0f}) {
        for (const int substeps : {1, 4, 8}) {
            CAPTURE(dt);
            CAPTURE(substeps);
            WorldDef def = sleepless();
            def.substeps = substeps;
            World world(def);
            BodyDef stone = body(box({0.1f, 0.2f, 0.3f}), {1.0f, 20.0f, -3.0f});
            stone.linear_velocity = {2.0f, 5.0f, 0.5f};
            const BodyId id = add(world, stone);
            const int steps = static_cast<int>(std::lround(2.0 / static_cast<double>(dt)));
            run(world, steps, dt);
            // Semi-implicit Euler is late by g t h / 2, with h the sub-step, of which there are twice as many in 1/30
            // s.
            const double h = static_cast<double>(std::min(dt, frame)) / substeps;
            const double t = steps * static_cast<double>(dt), g = 9.81;
            const dvec3 p = world.position(id);
            const vec3 v = world.linear_velocity(id);
            CHECK(std::abs(p.y - (20.0 + 5.0 * t - 0.5 * g * t * t - 0.5 * g * t * h)) < 2e-4);
            CHECK(std::abs(p.x - (1.0 + 2.0 * t)) < 1e-4);
            CHECK(std::abs(p.z - (-3.0 + 0.5 * t)) < 1e-4);
            CHECK(std::abs(v.y - (5.0 - g * t)) < 4.8e-7 * t / h);  // half an ulp of 8 to 16 m/s a sub-step
            CHECK(v.x == 2.0f);
        }
    }
}

TEST_CASE("all shapes fall alike") {
    const std::vector<vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const auto tetrahedron = make_hull(corners);
    REQUIRE(tetrahedron);
    World world(sleepless());
    std::vector<BodyId> ids;
    const Shape shapes[] = {
        sphere(0.3f),       capsule(0.2f, 0.1f), box({0.1f, 0.4f, 0.2f}),      cylinder(0.3f, 0.2f), cone(0.5f, 0.4f),
        hull(*tetrahedron), sphere(0.001f),      segment({}, {1, 0, 0}, 0.1f), box(vec3(20.0f))};
    for (std::size_t i = 0; i < std::size(shapes); ++i)
        ids.push_back(add(world, body(shapes[i], {100.0f * static_cast<float>(i), 0.0f, 0.0f})));
    run(world, 60);
    for (const BodyId id : ids) {
        CHECK(world.linear_velocity(id) == world.linear_velocity(ids[0]));
        CHECK(world.center_of_mass(id).y - world.position(id).y ==
              doctest::Approx(world.center_of_mass(id).y - world.position(id).y));
        CHECK(world.angular_velocity(id) == vec3(0.0f));
        // Bodies of different shapes fall alike, up to the rounding of velocities.
        CHECK(std::abs(world.position(id).y - world.position(ids[0]).y) < 1e-5);
    }
}

TEST_CASE("gravity scale scales gravity") {
    World world(sleepless());
    BodyDef def = crate({0, 0, 0});
    std::vector<BodyId> ids;
    for (const float scale : {0.0f, 0.5f, 1.0f, -2.0f}) {
        def.position.x += 10.0;
        def.gravity_scale = scale;
        ids.push_back(add(world, def));
    }
    run(world, 60);
    CHECK(world.linear_velocity(ids[0]).y == 0.0f);
    CHECK(world.linear_velocity(ids[1]).y == doctest::Approx(-0.5 * 9.81).epsilon(1e-5));
    CHECK(world.linear_velocity(ids[2]).y == doctest::Approx(-9.81).epsilon(1e-5));
    CHECK(world.linear_velocity(ids[3]).y == doctest::Approx(2.0 * 9.81).epsilon(1e-5));
    REQUIRE(world.set_gravity_scale(ids[0], 1.0f));
    REQUIRE(world.set_gravity({0, 0, 3}));
    run(world, 60);
    CHECK(world.linear_velocity(ids[0]).z == doctest::Approx(3.0).epsilon(1e-5));
    CHECK(world.linear_velocity(ids[0]).y == 0.0f);
}

TEST_CASE("damping slows a body as 1 / (1 + c h) a sub-step") {
    World world(weightless());
    BodyDef def = crate({0, 0, 0});
    def.linear_velocity = {3, -4, 0};
    def.angular_velocity = {0, 2, 0};
    def.linear_damping = 0.5f;
    def.angular_damping = 1.5f;
    const BodyId id = add(world, def);
    run(world, 120);
    const double h = 1.0 / 240.0;
    CHECK(glm::length(world.linear_velocity(id)) == doctest::Approx(5.0 * std::pow(1.0 + 0.5 * h, -480)).epsilon(1e-4));
    CHECK(world.angular_velocity(id).y == doctest::Approx(2.0 * std::pow(1.0 + 1.5 * h, -480)).epsilon(1e-4));
    // exp(-c t) is what a user expects: 2 s at 0.5/s.
    CHECK(glm::length(world.linear_velocity(id)) == doctest::Approx(5.0 * std::exp(-1.0)).epsilon(0.002));
    REQUIRE(world.set_damping(id, 0.0f, 0.0f));
    const vec3 v = world.linear_velocity(id);
    run(world, 60);
    CHECK(world.linear_velocity(id) == v);
}

TEST_CASE("a force lasts one step and accelerates by F / m") {
    World world(weightless());
    const BodyId id = add(world, body(box(vec3(0.5f))));  // 1000 kg
    CHECK(world.mass(id) == doctest::Approx(1000.0).epsilon(1e-6));
    REQUIRE(world.apply_force(id, {6000.0f, 0.0f, 0.0f}));
    REQUIRE(world.apply_force(id, {0.0f, 0.0f, -3000.0f}));
    CHECK(world.linear_velocity(id) == vec3(0.0f));  // not before the step
    run(world, 1);
    CHECK(world.linear_velocity(id).x == doctest::Approx(0.1).epsilon(1e-5));
    CHECK(world.linear_velocity(id).z == doctest::Approx(-0.05).epsilon(1e-5));
    run(world, 10);
    CHECK(world.linear_velocity(id).x == doctest::Approx(0.1).epsilon(1e-5));
}

TEST_CASE("a force off the centre turns the body as a torque does") {
    World world(weightless());
    const BodyId pushed = add(world, body(box({0.5f, 0.25f, 1.0f}), {3, 4, 5}));
    const BodyId twisted = add(world, body(box({0.5f, 0.25f, 1.0f}), {-30, 4, 5}));
    const vec3 force(0.0f, 700.0f, 0.0f), arm(0.5f, 0.0f, 0.0f);
    REQUIRE(world.apply_force_at(pushed, force, vec3(3, 4, 5) + arm));
    REQUIRE(world.apply_torque(twisted, glm::cross(arm, force)));
    run(world, 1);
    const float inertia_z = world.mass(pushed) / 3.0f * (0.25f + 0.0625f);
    CHECK(world.angular_velocity(pushed).z == doctest::Approx(0.5f * 700.0f / inertia_z / 60.0f).epsilon(1e-4));
    CHECK(world.angular_velocity(twisted).z == doctest::Approx(world.angular_velocity(pushed).z).epsilon(1e-5));
    CHECK(world.linear_velocity(pushed).y == doctest::Approx(700.0f / world.mass(pushed) / 60.0f).epsilon(1e-5));
    CHECK(world.linear_velocity(twisted) == vec3(0.0f));
}

TEST_CASE("an impulse acts at once, on the whole inertia of a turned body") {
    World world(weightless());
    BodyDef def = body(box({0.2f, 0.5f, 0.9f}), {1, 2, 3});
    def.rotation = normalized(quat(0.4f, 0.3f, -0.7f, 0.5f));
    const BodyId id = add(world, def);
    const vec3 impulse(50.0f, -20.0f, 30.0f);
    const dvec3 point(1.3, 2.1, 2.5);
    REQUIRE(world.apply_impulse_at(id, impulse, point));
    const vec3 v = world.linear_velocity(id), w = world.angular_velocity(id);
    CHECK(glm::distance(world.mass(id) * v, impulse) < 1e-3f);
    const vec3 arm(point - world.center_of_mass(id));
    CHECK(glm::distance(world.inertia(id) * w, glm::cross(arm, impulse)) < 1e-3f);
    REQUIRE(world.apply_angular_impulse(id, -(world.inertia(id) * w)));
    CHECK(glm::length(world.angular_velocity(id)) < 1e-5f);
    REQUIRE(world.apply_impulse(id, -impulse));
    CHECK(glm::length(world.linear_velocity(id)) < 1e-5f);
}

TEST_CASE("forces and impulses leave fixed and kinematic bodies alone") {
    World world(sleepless());
    const BodyId rock = add(world, fixed_body(sphere(1.0f)));
    const BodyId lift = add(world, kinematic_body(sphere(1.0f), {5, 0, 0}, {1, 0, 0}));
    for (const BodyId id : {rock, lift}) {
        world.apply_force(id, {1e6f, 0, 0});
        world.apply_force_at(id, {1e6f, 0, 0}, {0, 1, 0});
        world.apply_torque(id, {1e6f, 0, 0});
        world.apply_impulse(id, {1e6f, 0, 0});
        world.apply_impulse_at(id, {1e6f, 0, 0}, {0, 1, 0});
        world.apply_angular_impulse(id, {1e6f, 0, 0});
    }
    run(world, 60);
    CHECK(world.position(rock) == dvec3(0.0));
    CHECK(world.linear_velocity(rock) == vec3(0.0f));
    CHECK(world.linear_velocity(lift) == vec3(1, 0, 0));
    CHECK(world.angular_velocity(lift) == vec3(0.0f));
    CHECK(world.position(lift).x == doctest::Approx(6.0).epsilon(1e-5));
    CHECK(world.mass(rock) == 0.0f);
    CHECK(world.mass(lift) == 0.0f);
    CHECK(world.inertia(lift) == mat3(0.0f));
}

TEST_CASE("ten kilometres from the origin a body still falls as it should") {
    World world(sleepless());
    const BodyId id = add(world, crate({10000.0f, 30.0f, -10000.0f}));
    run(world, 120);
    CHECK(std::abs(world.position(id).y - (30.0 - 0.5 * 9.81 * 4.0 - 0.5 * 9.81 * 2.0 / 240.0)) < 1e-4);
    CHECK(world.position(id).x == 10000.0);
}
