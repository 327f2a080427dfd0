// The fixed-step helper, and the contents of a frame's profile.

#include "tests/engine/worlds.h"

#include <limits>

using namespace talus;
using namespace talus::test;

TEST_CASE("fixed steps add up to the time that passed, whatever the frame rate") {
    for (const double fps : {24.0, 59.94, 60.0, 75.0, 144.0, 1000.0}) {
        CAPTURE(fps);
        FixedStep clock(1.0f / 60.0f);
        long steps = 0;
        const int frames = static_cast<int>(100.0 * fps);
        for (int i = 0; i < frames; ++i) {
            steps += clock.advance(1.0 / fps);
            CHECK(clock.alpha() >= 0.0f);
            CHECK(clock.alpha() <= 1.0f);
        }
        const double passed = frames / fps;
        CHECK(std::abs(static_cast<double>(steps) + static_cast<double>(clock.alpha()) - passed * 60.0) < 0.02);
        CHECK(clock.dropped_seconds() == 0.0);
    }
}

TEST_CASE("alpha is the part of a step that has not been simulated") {
    FixedStep clock(0.125f);
    CHECK(clock.alpha() == 0.0f);
    CHECK(clock.advance(0.0625) == 0);
    CHECK(clock.alpha() == doctest::Approx(0.5));
    CHECK(clock.advance(0.09375) == 1);
    CHECK(clock.alpha() == doctest::Approx(0.25));
    CHECK(clock.advance(0.34375) == 3);
    CHECK(clock.alpha() == doctest::Approx(0.0).scale(1.0).epsilon(1e-4));
    CHECK(clock.dt() == 0.125f);
}

TEST_CASE("frames of exactly one step run exactly one step") {
    for (const float dt : {1.0f / 60.0f, 1.0f / 120.0f, 0.01f}) {
        FixedStep clock(dt);
        for (int i = 0; i < 10000; ++i) REQUIRE(clock.advance(static_cast<double>(dt)) == 1);
    }
    FixedStep clock(1.0f / 60.0f);
    int steps = 0;
    for (int i = 0; i < 6000; ++i) steps += clock.advance(1.0 / 60.0);  // a double that is not the float
    CHECK(std::abs(steps - 6000) <= 1);
}

TEST_CASE("a long frame is cut to max_steps and the rest is counted as dropped") {
    FixedStep clock(0.01f, 5);
    CHECK(clock.advance(1.0) == 5);
    CHECK(clock.dropped_seconds() == doctest::Approx(0.95).epsilon(0.01));
    CHECK(clock.advance(0.0) == 0);
    CHECK(clock.alpha() < 1.0f);
    CHECK(clock.advance(0.0101) == 1);
    CHECK(clock.advance(3600.0 * 24.0 * 365.0) == 5);
    CHECK(clock.advance(1e300) == 5);
    CHECK(clock.advance(0.0) == 0);
    CHECK(clock.advance(0.0101) == 1);
    CHECK(clock.alpha() >= 0.0f);
}

TEST_CASE("time that is no time counts as none") {
    FixedStep clock(0.01f);
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double bad : {-1.0, std::nan(""), infinity, -infinity, -1e300}) {
        CHECK(clock.advance(bad) == 0);
        CHECK(clock.alpha() == 0.0f);
    }
    CHECK(clock.dropped_seconds() == 0.0);
    CHECK(clock.advance(0.0251) == 2);
}

TEST_CASE("a fixed step of no length runs no steps and does not hang") {
    for (const float dt :
         {0.0f, -0.01f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        FixedStep clock(dt);
        const int steps = clock.advance(0.1);
        CHECK(steps >= 0);
        CHECK(steps <= 8);
        CHECK(clock.alpha() >= 0.0f);
        CHECK(clock.alpha() <= 1.0f);
    }
    for (const int max_steps : {0, -3}) {
        FixedStep clock(0.01f, max_steps);
        CHECK(clock.advance(1.0) >= 0);
    }
}

TEST_CASE("the profile of a frame tells what was there and what was done") {
    World world(sleepless());
    add(world, ground());
    for (int i = 0; i < 3; ++i) add(world, crate({0, 0.5f + static_cast<float>(i), 0}));
    add(world, body(sphere(0.5f), {10, 20, 0}));
    run(world, 60);
    const FrameProfile& p = world.profile();
    CHECK(p.frame == 60);
    CHECK(p.bodies == 5);
    CHECK(p.awake_bodies == 4);
    CHECK(p.broadphase_pairs >= 3);
    CHECK(p.convex_pairs >= 3);
    CHECK(p.convex_pairs <= p.broadphase_pairs);
    CHECK(p.touching_pairs == 3);
    CHECK(p.contact_points == 12);
    CHECK(p.islands == 2);
    CHECK(p.colors >= 2);
    CHECK(p.max_penetration >= 0.0f);
    CHECK(p.max_penetration < 2e-3f);
    CHECK(p.mean_penetration <= p.max_penetration);
    CHECK(p.total > 0.0);
    CHECK(p.pairs + p.collide + p.graph + p.solve + p.finish + p.publish <= p.total * 1.01 + 1.0);
    CHECK(p.pairs + p.collide + p.graph + p.solve + p.finish + p.publish > 0.5 * p.total);
    const double falling = 0.5 * world.mass(world.bodies()[4]) * 9.81 * 9.81;
    CHECK(p.kinetic_energy == doctest::Approx(falling).epsilon(0.01));
}
