// Friction against closed forms: slopes at all azimuths, rolling, sliding that turns into rolling, spinning down.

#include "tests/engine/worlds.h"

using namespace talus;
using namespace talus::test;

namespace {

constexpr double g = 9.81;

/// A slope through the origin that falls by `angle` towards `azimuth`, and something on it.
struct Slope {
    quat rotation;
    vec3 normal, down;

    Slope(double angle, double azimuth) {
        // +x falls, before the rotation by the azimuth
        rotation = multiply(turn({0, 1, 0}, azimuth), turn({0, 0, 1}, -angle));
        normal = rotate(rotation, {0, 1, 0});
        down = rotate(rotation, {1, 0, 0});
    }

    BodyDef plane(float friction) const {
        BodyDef def = fixed_body(box({200.0f, 1.0f, 20.0f}), -normal);
        def.rotation = rotation;
        def.material.friction = friction;
        return def;
    }

    /// A body that is rotated like the slope, with its lowest point `height` below its origin.
    BodyDef on(const Shape& shape, float height, float friction) const {
        BodyDef def = body(shape, height * normal);
        def.rotation = rotation;
        def.material.friction = friction;
        return def;
    }
};

/// The distance from rest with acceleration a in time t, with sub-steps of h.
double travel(double a, double t) { return 0.5 * a * t * t + 0.5 * a * t / 240.0; }

}  // namespace

TEST_CASE("a box on a slope below the friction angle stays, at every azimuth") {
    for (const float friction : {0.2f, 0.5f, 0.9f}) {
        for (const double part : {0.5, 0.9, 0.97}) {
            for (int k = 0; k < 8; ++k) {
                const double azimuth = 0.1 + k * pi / 4.0;
                CAPTURE(friction);
                CAPTURE(part);
                CAPTURE(azimuth);
                const Slope slope(std::atan(part * static_cast<double>(friction)), azimuth);
                World world(sleepless());
                add(world, slope.plane(friction));
                const BodyId id = add(world, slope.on(box({0.5f, 0.1f, 0.5f}), 0.1f, friction));
                run(world, 60);
                const dvec3 settled = world.position(id);
                run(world, 300);
                CHECK(glm::distance(world.position(id), settled) < 1e-3);
                CHECK(glm::distance(settled, dvec3(0.1f * slope.normal)) < 5e-3);
            }
        }
    }
}

TEST_CASE("a box on a slope of 30 degrees slides by less than 1 mm in ten minutes") {
    const Slope slope(pi / 6.0, 0.3);
    World world(sleepless());
    add(world, slope.plane(0.6f));
    const BodyId id = add(world, slope.on(box(vec3(0.5f)), 0.5f, 0.6f));
    run(world, 60);
    const dvec3 settled = world.position(id);
    run(world, 36000);
    const double slid = glm::dot(world.position(id) - settled, dvec3(slope.down));
    MESSAGE("slid by ", 1e3 * slid, " mm");
    CHECK(std::abs(slid) < 1e-3);
}

// Friction at the post and twist about it both rotate the beam. Solved from the same velocities, they oscillated
// against each other from sub-step to sub-step, without end.
TEST_CASE("a beam kept level that turns on a post under one end comes to rest and stays there") {
    for (const float off : {0.1f, 0.2f, 0.3f, 0.4f}) {
        CAPTURE(off);
        World world(sleepless());
        add(world, fixed_body(box({0.05f, 0.5f, 0.05f}), {off, -0.5f, 0.0f}));
        BodyDef beam = body(box({0.5f, 0.05f, 0.05f}), {0.0f, 0.05f, 0.0f});
        beam.locks = lock_turn_x | lock_turn_z;
        beam.angular_velocity = {0.0f, 0.05f, 0.0f};
        const BodyId id = add(world, beam);
        run(world, 60);
        const dvec3 settled = world.position(id);
        CHECK(glm::distance(settled, {0.0, 0.05, 0.0}) < 1e-3);
        CHECK(glm::length(world.angular_velocity(id)) < 1e-4f);
        run(world, 600);
        CHECK(glm::length(world.angular_velocity(id)) < 1e-6f);
        CHECK(glm::distance(world.position(id), settled) < 1e-4);
    }
}

TEST_CASE("a box on a slope above the friction angle slides by g (sin a - mu cos a), the same at every azimuth") {
    for (const float friction : {0.0f, 0.2f, 0.5f}) {
        for (const double tangent : {0.6, 1.0}) {
            double least = 1e9, most = -1e9;
            const double angle = std::atan(tangent);
            const double a = g * (std::sin(angle) - static_cast<double>(friction) * std::cos(angle));
            CAPTURE(friction);
            CAPTURE(tangent);
            for (int k = 0; k < 12; ++k) {
                const double azimuth = 0.05 + k * pi / 6.0;
                CAPTURE(azimuth);
                const Slope slope(angle, azimuth);
                World world(sleepless());
                add(world, slope.plane(friction));
                const BodyId id = add(world, slope.on(box({0.5f, 0.1f, 0.5f}), 0.1f, friction));
                run(world, 120);
                const vec3 moved(world.position(id) - dvec3(0.1f * slope.normal));
                const double along = glm::dot(moved, slope.down);
                CHECK(along == doctest::Approx(travel(a, 2.0)).epsilon(0.005));
                CHECK(glm::length(moved - static_cast<float>(along) * slope.down) < 0.01f);
                CHECK(glm::length(world.angular_velocity(id)) < 0.01f);
                least = std::min(least, along);
                most = std::max(most, along);
            }
            CHECK(most - least < 1e-3 * most);
        }
    }
}

TEST_CASE("which way a box is turned about the slope's normal makes no difference to its slide") {
    const Slope slope(std::atan(0.7), 0.3);
    const double angle = std::atan(0.7), a = g * (std::sin(angle) - 0.4 * std::cos(angle));
    for (int k = 0; k < 9; ++k) {
        CAPTURE(k);
        World world(sleepless());
        add(world, slope.plane(0.4f));
        BodyDef def = slope.on(box({0.5f, 0.1f, 0.3f}), 0.1f, 0.4f);
        def.rotation = multiply(slope.rotation, turn({0, 1, 0}, 0.17 * k));
        const BodyId id = add(world, def);
        run(world, 120);
        const vec3 moved(world.position(id) - dvec3(0.1f * slope.normal));
        CHECK(glm::dot(moved, slope.down) == doctest::Approx(travel(a, 2.0)).epsilon(0.005));
        CHECK(std::abs(glm::dot(moved, glm::cross(slope.down, slope.normal))) < 0.02f);
    }
}

TEST_CASE("two surfaces mix to the geometric mean of their frictions") {
    const double angle = std::atan(1.0);
    const Slope slope(angle, 0.0);
    World world(sleepless());
    add(world, slope.plane(0.9f));
    const BodyId id = add(world, slope.on(box({0.5f, 0.1f, 0.5f}), 0.1f, 0.4f));
    run(world, 120);
    const double a = g * (std::sin(angle) - 0.6 * std::cos(angle));
    CHECK(glm::dot(world.position(id), dvec3(slope.down)) == doctest::Approx(travel(a, 2.0)).epsilon(0.005));
}

TEST_CASE("a sphere rolls down a slope by (5/7) g sin a, at every azimuth") {
    for (const float radius : {0.05f, 0.5f, 2.0f}) {
        for (int k = 0; k < 6; ++k) {
            const double angle = 0.3, azimuth = 0.2 + k * pi / 3.0;
            CAPTURE(radius);
            CAPTURE(azimuth);
            const Slope slope(angle, azimuth);
            World world(sleepless());
            add(world, slope.plane(0.6f));
            const BodyId id = add(world, slope.on(sphere(radius), radius, 0.6f));
            run(world, 120);
            const vec3 moved(world.position(id) - dvec3(radius * slope.normal));
            const double expected = travel(5.0 / 7.0 * g * std::sin(angle), 2.0);
            CHECK(glm::dot(moved, slope.down) == doctest::Approx(expected).epsilon(0.005));
            // It rolls: the point that touches is at rest.
            const vec3 contact =
                world.linear_velocity(id) + glm::cross(world.angular_velocity(id), -radius * slope.normal);
            CHECK(glm::length(contact) < 0.01f * glm::length(world.linear_velocity(id)));
        }
    }
}

TEST_CASE("a cylinder rolls down a slope by (2/3) g sin a") {
    for (int k = 0; k < 4; ++k) {
        const double angle = 0.3, azimuth = 0.2 + k * pi / 2.0;
        CAPTURE(azimuth);
        const Slope slope(angle, azimuth);
        World world(sleepless());
        add(world, slope.plane(0.6f));
        BodyDef def = slope.on(cylinder(0.4f, 0.5f), 0.5f, 0.6f);
        def.rotation = multiply(slope.rotation, turn({1, 0, 0}, 0.5 * pi));  // axis along the contour line
        const BodyId id = add(world, def);
        run(world, 120);
        const vec3 moved(world.position(id) - dvec3(0.5f * slope.normal));
        CHECK(glm::dot(moved, slope.down) ==
              doctest::Approx(travel(2.0 / 3.0 * g * std::sin(angle), 2.0)).epsilon(0.01));
        CHECK(std::abs(glm::dot(moved, glm::cross(slope.down, slope.normal))) < 0.05f);
    }
}

TEST_CASE("a sphere too steep to roll slides: a = g (sin a - mu cos a), spin 5/2 mu g cos a / r") {
    const double angle = 1.0, mu = 0.2;  // rolls only up to tan a = 7/2 mu
    const Slope slope(angle, 0.7);
    World world(sleepless());
    add(world, slope.plane(0.2f));
    const BodyId id = add(world, slope.on(sphere(0.5f), 0.5f, 0.2f));
    run(world, 120);
    const double a = g * (std::sin(angle) - mu * std::cos(angle));
    CHECK(glm::dot(world.linear_velocity(id), slope.down) == doctest::Approx(2.0 * a).epsilon(0.005));
    CHECK(glm::length(world.angular_velocity(id)) ==
          doctest::Approx(2.0 * 2.5 * mu * g * std::cos(angle) / 0.5).epsilon(0.005));
}

TEST_CASE("a sphere that slides comes to roll at 5/7 of its speed after 2 v0 / (7 mu g)") {
    for (const float mu : {0.1f, 0.5f}) {
        for (const double azimuth : {0.0, 0.6, 2.5}) {
            CAPTURE(mu);
            CAPTURE(azimuth);
            const float v0 = 7.0f;
            World world(sleepless());
            BodyDef floor = ground();
            floor.material.friction = mu;
            add(world, floor);
            BodyDef ball = body(sphere(0.5f), {-20.0f, 0.5f, 0.0f});
            ball.material.friction = mu;
            const vec3 ahead = rotate(turn({0, 1, 0}, azimuth), {1, 0, 0});
            ball.position = -20.0f * ahead + vec3(0, 0.5f, 0);
            ball.linear_velocity = v0 * ahead;
            const BodyId id = add(world, ball);
            const double rolls_at = 2.0 * 7.0 / (7.0 * static_cast<double>(mu) * g);
            const int half = static_cast<int>(std::lround(30.0 * rolls_at));
            run(world, half);
            CHECK(glm::dot(world.linear_velocity(id), ahead) ==
                  doctest::Approx(7.0 - static_cast<double>(mu) * g * half / 60.0).epsilon(0.005));
            run(world, half);
            CHECK(glm::length(world.linear_velocity(id)) == doctest::Approx(5.0).epsilon(0.01));
            run(world, 120);
            CHECK(glm::dot(world.linear_velocity(id), ahead) == doctest::Approx(5.0).epsilon(0.005));
            CHECK(glm::length(world.angular_velocity(id)) == doctest::Approx(10.0).epsilon(0.005));
        }
    }
}

TEST_CASE("a box thrown along the floor stops after v^2 / (2 mu g), in any direction") {
    for (int k = 0; k < 8; ++k) {
        const double azimuth = 0.1 + k * pi / 4.0;
        CAPTURE(azimuth);
        World world(sleepless());
        add(world, ground());
        BodyDef def = body(box({0.5f, 0.1f, 0.5f}), {0, 0.1f, 0});
        const vec3 ahead = rotate(turn({0, 1, 0}, azimuth), {1, 0, 0});
        def.linear_velocity = 5.0f * ahead;
        const BodyId id = add(world, def);
        run(world, 120);
        const double expected = 25.0 / (2.0 * 0.6 * g);
        CHECK(glm::dot(world.position(id), dvec3(ahead)) == doctest::Approx(expected).epsilon(0.02));
        CHECK(distance_xz(world.position(id), expected * dvec3(ahead)) < 0.03 * 2.1);
        CHECK(glm::length(world.linear_velocity(id)) < 1e-3f);
    }
}

TEST_CASE("a flat disc that spins on the floor comes to rest without wandering off") {
    World world(sleepless());
    add(world, ground());
    BodyDef def = body(cylinder(0.1f, 0.5f), {0, 0.1f, 0});
    def.angular_velocity = {0, 10, 0};
    const BodyId id = add(world, def);
    // The time is I w / torque with I = m r^2 / 2. Friction at the rim has the torque mu m g r; friction spread evenly
    // over the face has 2/3 of it.
    const double rim = 0.5 * 0.5 * 10.0 / (0.6 * g);
    int steps = 0;
    while (glm::length(world.angular_velocity(id)) > 0.01f && steps < 600) {
        run(world, 1);
        ++steps;
    }
    CHECK(steps / 60.0 > 0.9 * rim);
    CHECK(steps / 60.0 < 1.6 * rim);
    CHECK(distance_xz(world.position(id), dvec3(0.0)) < 0.01);
}

TEST_CASE("a push below mu m g does not move a box, one above accelerates it by F / m - mu g") {
    World world(sleepless());
    add(world, ground());
    const BodyId id = add(world, body(box({0.5f, 0.2f, 0.5f}), {0, 0.2f, 0}));
    run(world, 60);
    const float m = world.mass(id);
    const dvec3 start = world.position(id);
    for (int i = 0; i < 240; ++i) {
        world.apply_force(id, {0.95f * 0.6f * 9.81f * m, 0, 0});
        run(world, 1);
    }
    CHECK(glm::distance(world.position(id), start) < 1e-3);
    CHECK(friction_force(world, id).x == doctest::Approx(-0.95 * 0.6 * 9.81 * m).epsilon(0.01));
    for (int i = 0; i < 60; ++i) {
        world.apply_force(id, {1.5f * 0.6f * 9.81f * m, 0, 0});
        run(world, 1);
    }
    CHECK(world.linear_velocity(id).x == doctest::Approx(0.5 * 0.6 * 9.81).epsilon(0.01));
    CHECK(friction_force(world, id).x == doctest::Approx(-0.6 * 9.81 * m).epsilon(0.01));
}

TEST_CASE("a ball that spins on the spot comes to rest, and stays there") {
    World world;
    add(world, ground());
    BodyDef def = body(sphere(0.5f), {0, 0.5f, 0});
    def.angular_velocity = {0, 10, 0};
    const BodyId id = add(world, def);
    run(world, 60);
    CHECK(world.angular_velocity(id).y > 5.0f);  // a ball stops later than a brick
    run(world, 60 * 30);
    CHECK(!world.is_awake(id));
    CHECK(distance_xz(world.position(id), dvec3(0.0)) < 0.01);
}

TEST_CASE("bodies that can only move along their contact's normal have friction impulses that are numbers") {
    // With a jointed body between them, they were NaN in the first step: the response along the tangents was the rounding
    // of the normal.
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        std::vector<vec3> points;
        for (int i = 0; i < 20; ++i) points.push_back(random.in_box(vec3(0.4f)));
        World world;
        const BodyId floor = add(world, ground());
        BodyDef rock = body(hull(*make_hull(points)), {2.5f, 1.5f, 0});
        rock.gravity_scale = -1.75f;
        const BodyId hanging = add(world, rock);
        REQUIRE(world.add_joint(BallDef{.frames = world.joint_frames(floor, hanging, {1, 0, 0})}));
        run(world, 5);
        rock = world.describe(hanging);
        rock.position += vec3(0.02f, 0.1f, 0.03f);
        rock.linear_velocity = vec3(0.0f);
        rock.locks = lock_y | lock_z | lock_turn_x | lock_turn_y | lock_turn_z;
        add(world, rock);
        add(world, rock);
        for (int i = 0; i < 5; ++i) {
            REQUIRE(world.step(frame));
            for (const Contact& contact : world.contacts()) {
                REQUIRE(is_finite(contact.friction_impulse));
                REQUIRE(length(contact.friction_impulse) < 1e6f);
            }
        }
    }
}
