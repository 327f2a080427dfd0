// Restitution against closed forms.

#include "tests/engine/worlds.h"

using namespace talus;
using namespace talus::test;

namespace {

constexpr double g = 9.81;

/// Heights of the first `count` bounces of a body that falls from rest: those of its lowest point above y = 0.
std::vector<double> bounce_heights(World& world, BodyId id, double radius, std::size_t count) {
    std::vector<double> heights;
    bool was_falling = true;
    double best = -1.0;
    for (int i = 0; i < 6000 && heights.size() < count; ++i) {
        run(world, 1);
        const double v = world.linear_velocity(id).y, y = world.position(id).y - radius;
        const bool falling = v < 0.0;
        // The frame nearest to the top, corrected by its remaining kinetic energy, so that the frame rate makes no
        // error.
        if (!falling) best = y + v * v / (2.0 * g);
        if (falling && !was_falling) heights.push_back(best);
        was_falling = falling;
    }
    return heights;
}

}  // namespace

TEST_CASE("a ball bounces to e^(2n) of its height, within 2%") {
    for (const float e : {0.3f, 0.5f, 0.8f, 0.95f, 1.0f}) {
        for (const float height : {0.5f, 1.0f, 3.0f, 10.0f, 30.0f}) {
            CAPTURE(e);
            CAPTURE(height);
            World world(sleepless());
            add(world, ground());
            BodyDef ball = body(sphere(0.3f), {0, height + 0.3f, 0});
            ball.material.restitution = e;
            const BodyId id = add(world, ball);
            // As long as it lands at more than twice the speed below which nothing bounces.
            std::size_t count = 0;
            for (double speed = std::sqrt(2.0 * g * static_cast<double>(height)); speed > 1.0 && count < 5; ++count)
                speed *= static_cast<double>(e);
            REQUIRE(count > 0);
            const std::vector<double> heights = bounce_heights(world, id, 0.3, count);
            REQUIRE(heights.size() == count);
            for (std::size_t n = 1; n <= count; ++n) {
                CAPTURE(n);
                const double expected =
                    static_cast<double>(height) * std::pow(static_cast<double>(e), 2.0 * static_cast<double>(n));
                CHECK(heights[n - 1] == doctest::Approx(expected).epsilon(0.02));
            }
            CHECK(distance_xz(world.position(id), dvec3(0.0)) < 1e-3);
        }
    }
}

TEST_CASE("small and large balls bounce alike, at other step lengths too") {
    for (const float radius : {0.02f, 1.0f, 5.0f}) {
        for (const float dt : {1.0f / 30.0f, 1.0f / 120.0f}) {
            CAPTURE(radius);
            CAPTURE(dt);
            World world(sleepless());
            add(world, fixed_body(box({50, 10, 50}), {0, -10, 0}));
            BodyDef ball = body(sphere(radius), {0, 2.0f + radius, 0});
            ball.material.restitution = 0.8f;
            const BodyId id = add(world, ball);
            double best = 0.0;
            bool bounced = false;
            for (int i = 0; i < static_cast<int>(1.5f / dt); ++i) {
                run(world, 1, dt);
                const double v = world.linear_velocity(id).y;
                if (v > 0.0) bounced = true;
                if (bounced && v > 0.0) best = world.position(id).y - static_cast<double>(radius) + v * v / (2.0 * g);
                if (bounced && v < 0.0) break;
            }
            REQUIRE(bounced);
            CHECK(best == doctest::Approx(2.0 * 0.64).epsilon(0.02));
        }
    }
}

TEST_CASE("restitution 0 does not bounce") {
    World world(sleepless());
    add(world, ground());
    const BodyId ball = add(world, body(sphere(0.3f), {0, 5.3f, 0}));
    const BodyId box_id = add(world, body(box(vec3(0.5f)), {5, 5.5f, 0}));
    double highest = 0.0;
    bool landed = false;
    for (int i = 0; i < 240; ++i) {
        run(world, 1);
        landed = landed || world.position(ball).y < 0.31;
        if (landed) highest = std::max(highest, world.position(ball).y - 0.3);
    }
    CHECK(highest < 0.01);
    CHECK(world.position(box_id).y == doctest::Approx(0.5).epsilon(0.004));
}

TEST_CASE("the bouncier surface of two decides") {
    World world(sleepless());
    BodyDef floor = ground();
    floor.material.restitution = 0.8f;
    add(world, floor);
    BodyDef ball = body(sphere(0.3f), {0, 2.3f, 0});
    ball.material.restitution = 0.1f;
    const BodyId id = add(world, ball);
    const std::vector<double> heights = bounce_heights(world, id, 0.3, 1);
    REQUIRE(heights.size() == 1);
    CHECK(heights[0] == doctest::Approx(2.0 * 0.64).epsilon(0.02));
}

TEST_CASE("a ball with restitution 1 neither gains nor loses height in twenty bounces") {
    World world(sleepless());
    add(world, ground());
    BodyDef ball = body(sphere(0.3f), {0, 2.3f, 0});
    ball.material.restitution = 1.0f;
    const BodyId id = add(world, ball);
    const std::vector<double> heights = bounce_heights(world, id, 0.3, 20);
    REQUIRE(heights.size() == 20);
    for (const double h : heights) CHECK(h == doctest::Approx(2.0).epsilon(0.02));
}

TEST_CASE("head-on spheres exchange momentum as restitution says, at any mass ratio") {
    for (const float e : {0.0f, 0.5f, 1.0f}) {
        for (const float density : {1000.0f, 100.0f, 1.0f}) {
            CAPTURE(e);
            CAPTURE(density);
            World world(weightless());
            BodyDef left = body(sphere(0.5f), {-2, 0, 0}), right = body(sphere(0.5f), {2, 0, 0});
            left.linear_velocity = {4, 0, 0};
            right.linear_velocity = {-2, 0, 0};
            right.density = density;
            left.material.restitution = right.material.restitution = e;
            const BodyId a = add(world, left), b = add(world, right);
            run(world, 60);
            const double ma = world.mass(a), mb = world.mass(b);
            const double center = (4.0 * ma - 2.0 * mb) / (ma + mb);
            CHECK(world.linear_velocity(a).x ==
                  doctest::Approx(center - static_cast<double>(e) * 6.0 * mb / (ma + mb)).epsilon(0.01).scale(6.0));
            CHECK(world.linear_velocity(b).x ==
                  doctest::Approx(center + static_cast<double>(e) * 6.0 * ma / (ma + mb)).epsilon(0.01).scale(6.0));
            CHECK(ma * world.linear_velocity(a).x + mb * world.linear_velocity(b).x ==
                  doctest::Approx(4.0 * ma - 2.0 * mb).epsilon(1e-5).scale(4.0 * ma));
        }
    }
}

TEST_CASE("a row of five equal balls hit by one passes its speed to the last") {
    World world(weightless());
    std::vector<BodyId> ids;
    for (int i = 0; i < 6; ++i) {
        BodyDef def = body(sphere(0.5f), {i == 0 ? -3.0f : 1.05f * static_cast<float>(i), 0, 0});
        def.material.restitution = 1.0f;
        if (i == 0) def.linear_velocity = {3, 0, 0};
        ids.push_back(add(world, def));
    }
    run(world, 300);
    CHECK(world.linear_velocity(ids[5]).x == doctest::Approx(3.0).epsilon(0.02));
    for (int i = 0; i < 5; ++i) CHECK(std::abs(world.linear_velocity(ids[static_cast<std::size_t>(i)]).x) < 0.06f);
}

TEST_CASE("a row of touching balls hit by one passes its speed to the last: the blow goes from ball to ball") {
    for (const float e : {0.9f, 1.0f}) {
        for (const float dt : {1.0f / 60.0f, 0.001f}) {
            CAPTURE(e);
            CAPTURE(dt);
            World world(weightless());
            std::vector<BodyId> ids;
            for (int i = 0; i < 6; ++i) {
                BodyDef def = body(sphere(0.5f), {i == 0 ? -0.6f : 1.0f * static_cast<float>(i), 0, 0});
                def.material.restitution = e;
                if (i == 0) def.linear_velocity = {3, 0, 0};
                ids.push_back(add(world, def));
            }
            for (float t = 0.0f; t < 1.0f; t += dt) REQUIRE(world.step(dt));
            const auto speed = [&](int i) {
                return static_cast<double>(world.linear_velocity(ids[static_cast<std::size_t>(i)]).x);
            };
            // Five impacts, one after the other. Each leaves (1 - e) / 2 of the speed behind, and a little more where e
            // < 1.
            const double passed = 0.5 * (1.0 + static_cast<double>(e));
            CHECK(speed(5) == doctest::Approx(3.0 * std::pow(passed, 5)).epsilon(e == 1.0f ? 0.02 : 0.1));
            double energy = 0.0;
            for (int i = 0; i < 6; ++i) energy += speed(i) * speed(i) / 9.0;
            CHECK(energy <= 1.0001);
            if (e == 1.0f) CHECK(energy > 0.98);
        }
    }
}

TEST_CASE("a stack with restitution that nothing hits stands like one without") {
    World bouncy(sleepless()), dead(sleepless());
    for (World* const world : {&bouncy, &dead}) {
        add(*world, ground());
        for (int i = 0; i < 10; ++i) {
            for (int k = 0; k < 10 - i; ++k) {
                BodyDef def = body(
                    box({0.5f, 0.5f, 0.5f}),
                    {1.05f * (static_cast<float>(k) + 0.5f * static_cast<float>(i)), 0.5f + static_cast<float>(i), 0});
                def.material.restitution = world == &bouncy ? 0.8f : 0.0f;
                add(*world, def);
            }
        }
    }
    run(bouncy, 300);
    run(dead, 300);
    for (std::size_t i = 0; i < bouncy.body_count(); ++i) {
        const dvec3 apart = bouncy.position(bouncy.bodies()[i]) - dead.position(dead.bodies()[i]);
        CHECK(glm::dot(apart, apart) < 1e-6);
    }
}
