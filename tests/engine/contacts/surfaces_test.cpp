// Special surfaces: rolling resistance, grip that depends on the direction, belts.

#include "tests/engine/worlds.h"

using namespace talus;
using namespace talus::test;

namespace {

constexpr double g = 9.81;

BodyDef rolling_ball(float radius, float resistance, float speed) {
    BodyDef def = body(sphere(radius), {0.0f, radius, 0.0f});
    def.material.rolling_resistance = resistance;
    def.linear_velocity = {speed, 0.0f, 0.0f};
    def.angular_velocity = {0.0f, 0.0f, -speed / radius};
    return def;
}

}  // namespace

TEST_CASE("a rolling ball is slowed down by five sevenths of its rolling resistance times gravity") {
    // m a = -F and I dw/dt = F r - c N r, with a = r dw/dt: a = -(5/7) c g for a ball.
    for (const float resistance : {0.02f, 0.1f}) {
        World world(sleepless());
        add(world, ground());
        const float speed = 3.0f;
        const BodyId id = add(world, rolling_ball(0.25f, resistance, speed));
        const double a = 5.0 / 7.0 * double(resistance) * g, time = 0.5 * double(speed) / a;
        run(world, static_cast<int>(std::lround(time * 60.0)));
        CAPTURE(resistance);
        CHECK(world.linear_velocity(id).x == doctest::Approx(0.5 * double(speed)).epsilon(0.02));
        run(world, static_cast<int>(std::lround(1.3 * time * 60.0)));
        CHECK(std::abs(world.linear_velocity(id).x) < 1e-3f);  // and stays where it has stopped
        CHECK(std::abs(world.angular_velocity(id).z) < 4e-3f);
        CHECK(world.position(id).x == doctest::Approx(double(speed * speed) / (2.0 * a)).epsilon(0.02));
    }
}

TEST_CASE("rolling resistance holds a grain of sand and a mountain") {
    // Inverse inertias of 6e16 and of 6e-19, whose cubes exceed the range of floats.
    for (const float radius : {1e-4f, 1e3f}) {
        CAPTURE(radius);
        WorldDef settings = sleepless();
        settings.gravity = {0.0f, -radius, 0.0f};  // the same motion at any size
        World world(settings);
        add(world, fixed_body(box(vec3(100.0f * radius)), {0, -100.0f * radius, 0}));
        const BodyId id = add(world, rolling_ball(radius, 0.5f, 0.1f * radius));
        run(world, 60);
        CHECK(std::abs(world.linear_velocity(id).x) < 1e-3f * radius);
        CHECK(world.position(id).x < 0.1f * radius);  // v^2 / (2 * 5/7 * 0.5 * radius) = 0.014 radii
        CHECK(world.position(id).x > 0.0f);
        for (const Contact& contact : world.contacts()) CHECK(is_finite(contact.friction_impulse));
    }
}

TEST_CASE("a ball with rolling resistance rests on a slope up to its angle and rolls beyond it") {
    for (const float slope : {0.04f, 0.06f}) {
        World world(sleepless());
        BodyDef plane = fixed_body(box({20, 1, 20}));
        plane.rotation = turn({0, 0, 1}, -std::atan(double(slope)));
        plane.material.friction = 1.0f;
        add(world, plane);
        const vec3 up = rotate(plane.rotation, {0, 1, 0});
        BodyDef def = body(sphere(0.3f), 1.3f * up);
        def.material.rolling_resistance = 0.05f;
        const BodyId id = add(world, def);
        run(world, 240);
        CAPTURE(slope);
        const float speed = glm::length(world.linear_velocity(id));
        if (slope < 0.05f) {
            CHECK(speed < 1e-3f);
        } else {
            // a = (5/7) g (sin - c cos)
            const double angle = std::atan(double(slope));
            CHECK(double(speed) ==
                  doctest::Approx(5.0 / 7.0 * g * (std::sin(angle) - 0.05 * std::cos(angle)) * 4.0).epsilon(0.1));
        }
    }
}

TEST_CASE("rolling resistance never drives and does not touch what slides or stands") {
    World world(sleepless());
    add(world, ground());
    BodyDef crate_def = crate({0, 0.5f, 0});
    crate_def.material.rolling_resistance = 0.5f;  // a box does not roll
    crate_def.linear_velocity = {2, 0, 0};
    const BodyId box_id = add(world, crate_def);
    BodyDef still = rolling_ball(0.25f, 1.0f, 0.0f);
    still.position.z = 3.0f;
    const BodyId ball = add(world, still);
    run(world, 12);
    CHECK(world.linear_velocity(box_id).x == doctest::Approx(2.0 - 0.6 * g * 0.2).epsilon(0.02));
    run(world, 200);
    CHECK(glm::length(world.linear_velocity(ball)) < 1e-4f);
    CHECK(glm::length(world.angular_velocity(ball)) < 1e-3f);
}

TEST_CASE("a skate glides along its blade and holds across it") {
    for (const double heading : {0.0, 0.5, 1.2}) {
        World world(sleepless());
        BodyDef ice = ground();
        ice.material.friction = 0.6f;
        add(world, ice);
        BodyDef skate = body(box({0.1f, 0.1f, 0.5f}), {0.0f, 0.1f, 0.0f});
        skate.rotation = turn({0, 1, 0}, heading);
        skate.material.grip_axis = {1, 0, 0};
        skate.material.grip_across = 0.05f;
        const vec3 along = rotate(skate.rotation, {0, 0, 1}), across = rotate(skate.rotation, {1, 0, 0});
        skate.linear_velocity = 2.0f * along;
        const BodyId glider = add(world, skate);
        skate.position = {0, 0.1f, 30};
        skate.linear_velocity = 2.0f * across;
        const BodyId scraper = add(world, skate);
        run(world, 15);
        CAPTURE(heading);
        CHECK(double(glm::dot(world.linear_velocity(glider), along)) ==
              doctest::Approx(2.0 - 0.6 * 0.05 * g * 0.25).epsilon(0.01));
        CHECK(double(glm::dot(world.linear_velocity(scraper), across)) ==
              doctest::Approx(2.0 - 0.6 * g * 0.25).epsilon(0.02));
        CHECK(std::abs(glm::dot(world.linear_velocity(glider), across)) < 0.01f);
    }
}

TEST_CASE("sliding on a surface with two grips dissipates most: the ellipse, not its axes") {
    // Coulomb with an elliptic limit curve: f = -N (m1^2 v1, m2^2 v2) / |(m1 v1, m2 v2)|.
    World world(sleepless());
    add(world, ground());
    BodyDef def = body(box({0.5f, 0.05f, 0.5f}), {0.0f, 0.05f, 0.0f});  // flat: it does not tip
    def.material.grip_axis = {1, 0, 0};
    def.material.grip_across = 0.5f;
    def.linear_velocity = {3.0f, 0.0f, 3.0f};
    const BodyId id = add(world, def);
    run(world, 3);
    const glm::dvec3 before(world.linear_velocity(id));
    run(world, 1);
    const glm::dvec3 change = glm::dvec3(world.linear_velocity(id)) - before;
    const double mu1 = 0.6, mu2 = 0.3, w1 = mu1 * before.x, w2 = mu2 * before.z, size = std::sqrt(w1 * w1 + w2 * w2);
    CHECK(change.x == doctest::Approx(-g * mu1 * w1 / size / 60.0).epsilon(0.03));
    CHECK(change.z == doctest::Approx(-g * mu2 * w2 / size / 60.0).epsilon(0.03));
}

TEST_CASE("a belt takes what lies on it up to its speed, whatever way it lies") {
    for (const double heading : {0.0, 1.0}) {
        World world(sleepless());
        BodyDef belt = ground();
        belt.rotation = turn({0, 1, 0}, heading);
        belt.material.surface_velocity = {1.5f, 0.0f, 0.0f};
        const BodyId belt_id = add(world, belt);
        const BodyId id = add(world, crate({0, 0.5f, 0}));
        BodyDef ball_def = body(sphere(0.3f), {0, 0.3f, 10});
        const BodyId ball = add(world, ball_def);
        const vec3 along = rotate(belt.rotation, {1, 0, 0});
        run(world, 6);
        CAPTURE(heading);
        CHECK(double(glm::dot(world.linear_velocity(id), along)) == doctest::Approx(0.6 * g * 0.1).epsilon(0.03));
        run(world, 120);
        CHECK(glm::length(world.linear_velocity(id) - 1.5f * along) < 2e-3f);
        CHECK(glm::length(world.angular_velocity(id)) < 1e-2f);
        // A ball on it: the contact point moves with the belt, v = w r backwards; from rest v = (2/7) of the belt's
        // speed.
        CHECK(double(glm::dot(world.linear_velocity(ball), along)) == doctest::Approx(2.0 / 7.0 * 1.5).epsilon(0.02));
        CHECK(glm::length(world.linear_velocity(belt_id)) == 0.0f);
    }
}

TEST_CASE("materials that make no sense are refused with a sentence") {
    World world;
    const auto refuses = [&](auto&& spoil) {
        BodyDef def = crate({0, 1, 0});
        spoil(def.material);
        CHECK(!world.add_body(def));
        CHECK(world.last_error().message.find("material") != std::string::npos);
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    refuses([&](Material& m) { m.rolling_resistance = -1.0f; });
    refuses([&](Material& m) { m.rolling_resistance = nan; });
    refuses([&](Material& m) { m.grip_across = 1.5f; });
    refuses([&](Material& m) { m.grip_across = -0.1f; });
    refuses([&](Material& m) { m.grip_axis = {nan, 0, 0}; });
    refuses([&](Material& m) { m.surface_velocity = {0, nan, 0}; });
    CHECK(world.body_count() == 0);
}
