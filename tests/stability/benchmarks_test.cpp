// SimBenchmark's scenes, and a ball that bounces for a minute, against the best published figures.

#include "tests/stability/run.h"

#include <algorithm>
#include <cmath>

using namespace talus;
using namespace talus::test;

TEST_CASE("SimBenchmark rolling: the speeds are exact whatever the direction of the push") {
    for (const char* scene : {"sb_rolling", "sb_rolling_y"}) {
        const Run rolling = run(scene);
        MESSAGE(rolling.text);
        CHECK(rolling["mean squared velocity error"] <= 1e-6);
    }
}

TEST_CASE("SimBenchmark bouncing: 49 balls keep their energy for 20 s at 10 ms") {
    const Run bouncing = run("sb_bouncing");
    MESSAGE(bouncing.text);
    CHECK(std::abs(bouncing["energy error in the end"]) < 0.01);
}

TEST_CASE("SimBenchmark 666: 216 balls overlap no more than in the best engine") {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        const Run balls = run("sb_666", seed);
        MESSAGE(balls.text);
        CHECK(balls["mean sum of squared overlaps"] <= 1.4e-4);
    }
}

TEST_CASE("SimBenchmark elastic 666: 216 bouncing balls keep their energy") {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Run balls = run("sb_elastic", seed);
        MESSAGE(balls.text);
        CHECK(balls["mean squared energy error"] < 112.0);
        // Of 12 seeds eleven lose up to 3e-5; in one a ball is caught between the ground and another, which takes 3 J.
        CHECK(std::abs(balls["energy error in the end"]) < 2e-4);
    }
}

TEST_CASE("a ball with restitution 1 keeps its height within 1% for a minute") {
    for (const float height : {0.7f, 2.0f, 10.0f}) {
        CAPTURE(height);
        World world;
        world.set_allow_sleep(false);
        world.add_body({.type = BodyType::fixed, .shape = box({5, 1, 5}), .position = {0, -1, 0}});
        const BodyId ball = world.add_body(
            {.shape = sphere(0.3f), .position = {0, height + 0.3f, 0}, .material = {.restitution = 1.0f}});
        int bounces = 0;
        double before = 0.0, lowest = 1e9, highest = 0.0;
        for (int i = 0; i < 3600; ++i) {
            REQUIRE(world.step(1.0f / 60.0f));
            const double v = world.linear_velocity(ball).y, y = world.position(ball).y - 0.3f;
            if (v < 0.0 && before > 0.0) {  // the frame after the top, with what is in its speed
                const double top = y + v * v / (2.0 * 9.81);
                lowest = std::min(lowest, top);
                highest = std::max(highest, top);
                ++bounces;
            }
            before = v;
        }
        MESSAGE(height, " m: ", bounces, " bounces, tops between ", lowest, " and ", highest, " m");
        CHECK(bounces > 10);
        CHECK(lowest > 0.99 * static_cast<double>(height));
        CHECK(highest < 1.01 * static_cast<double>(height));
    }
}
