// Whether bodies stay where they should. Whole scenes at default settings, without sleeping if a structure must stand
// by itself, with sleeping if bodies must come to rest.

#include "samples/scenes/scene.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

using namespace talus;
using namespace talus::samples;

namespace {

struct Run {
    SceneData data;
    std::vector<BodyId> ids;
    World world;
    int steps = 0;

    Run(const char* name, bool sleep, std::uint64_t seed = 1, float jitter = 0.01f) {
        const Scene* scene = find_scene(name);
        REQUIRE_MESSAGE(scene != nullptr, name);
        SceneOptions options;
        options.seed = seed;
        options.jitter = jitter;
        Result<SceneData> made = scene->make(options);
        REQUIRE_MESSAGE(static_cast<bool>(made), made.error().message);
        data = std::move(*made);
        WorldDef def;
        def.allow_sleep = sleep;
        world = make_world(data, &ids, def);
        REQUIRE_MESSAGE(world.body_count() == data.bodies.size(), world.last_error().message);
    }

    void advance(int count) {
        for (int i = 0; i < count; ++i) REQUIRE(step_scene(world, data, steps++));
    }

    bool is_dynamic(std::size_t i) const { return data.bodies[i].type == BodyType::dynamic; }

    /// The largest sideways displacement of a body, m.
    double furthest_sideways() const {
        double furthest = 0.0;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (!is_dynamic(i)) continue;
            const dvec3 d = world.position(ids[i]) - data.bodies[i].position;
            furthest = std::max(furthest, std::hypot(d.x, d.z));
        }
        return furthest;
    }

    double kinetic_energy() const { return world.profile().kinetic_energy; }
};

/// Checks that no body is outside the bin of this inner width or under the floor, and that all poses are finite.
void check_inside(const Run& run, float width) {
    for (std::size_t i = 0; i < run.ids.size(); ++i) {
        if (!run.is_dynamic(i)) continue;
        const dvec3 p = run.world.position(run.ids[i]);
        REQUIRE(is_finite(p));
        CHECK(p.y > 0.0);
        CHECK(std::abs(p.x) < 0.5f * width);
        CHECK(std::abs(p.z) < 0.5f * width);
    }
}

/// Steps the bin until it has settled, then measures overlaps for a second.
void check_bin(const char* name, float width, int settle) {
    CAPTURE(std::string(name));
    Run run(name, false);
    run.advance(settle);
    check_inside(run, width);
    float deepest = 0.0f, mean = 0.0f;
    for (int i = 0; i < 60; ++i) {
        run.advance(1);
        deepest = std::max(deepest, run.world.profile().max_penetration);
        mean = std::max(mean, run.world.profile().mean_penetration);
    }
    check_inside(run, width);
    MESSAGE(std::string(name), ": ", run.world.profile().contact_points, " points, overlap ", 1000.0f * mean,
            " mm in the mean, ", 1000.0f * deepest, " mm at most; kinetic energy ", run.kinetic_energy(), " J");
    CHECK(run.world.profile().contact_points > run.ids.size());
    CHECK(mean < 0.002f);
    CHECK(deepest < 0.02f);
}

/// Only stacks are jittered; for the others both runs would be the same.
bool jitters(std::string_view name) {
    return name == "stack20" || name == "pyramid10" || name == "pyramid40" || name == "wall";
}

void check_sleeps(const char* name) {
    for (const float jitter : {0.0f, 0.01f}) {
        CAPTURE(std::string(name));
        CAPTURE(jitter);
        Run run(name, true, 1, jitter);
        while (run.world.awake_body_count() > 0 && run.steps < 1200) run.advance(1);
        MESSAGE(std::string(name), ": ", run.world.awake_body_count(), " awake after ", run.steps, " steps");
        CHECK(run.world.awake_body_count() == 0);
        run.advance(1);
        CHECK(run.kinetic_energy() == 0.0);
        if (!jitters(name)) break;
    }
}

}  // namespace

TEST_CASE("a jittered tower of 20 stands for 1,200 steps" * doctest::test_suite("slow")) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        CAPTURE(seed);
        Run run("stack20", false, seed);
        run.advance(1200);
        const dvec3 top = run.world.position(run.ids.back()), place = run.data.bodies.back().position;
        MESSAGE("seed ", seed, ": the top is off by (", top.x - place.x, ", ", top.y - place.y, ", ", top.z - place.z,
                ") m");
        CHECK(glm::distance(top, place) < 0.05);
        CHECK(run.furthest_sideways() < 0.05);
    }
}

TEST_CASE("a jittered pyramid with a base of 40 stands for 2,000 steps" * doctest::test_suite("slow")) {
    Run run("pyramid40", false);
    double worst = 0.0;
    for (int i = 0; i < 20; ++i) {
        run.advance(100);
        worst = std::max(worst, run.furthest_sideways());
    }
    const dvec3 top = run.world.position(run.ids.back()), place = run.data.bodies.back().position;
    MESSAGE("furthest sideways ", worst, " m; top ", top.y - place.y, " m; kinetic energy ", run.kinetic_energy(),
            " J");
    CHECK(worst < 0.1);
    CHECK(std::abs(top.y - place.y) < 0.4);
}

TEST_CASE("ten brick walls stand" * doctest::test_suite("slow")) {
    Run run("wall", false);
    run.advance(300);
    int moved = 0;
    for (std::size_t i = 0; i < run.ids.size(); ++i) {
        if (run.is_dynamic(i) && glm::distance(run.world.position(run.ids[i]), run.data.bodies[i].position) > 0.05)
            ++moved;
    }
    // The last brick of each top course hangs over its support by more than half its length.
    CHECK(moved <= 10);
}

TEST_CASE("a bin of 1,000 hulls holds them, with little overlap once settled" * doctest::test_suite("slow")) {
    check_bin("hullpile", 13.0f, 700);
}

TEST_CASE("a bin of 2,000 mixed shapes holds them, with little overlap once settled" * doctest::test_suite("slow")) {
    check_bin("mixed", 16.0f, 600);
}

TEST_CASE("a bin of 200 hulls of 200 points holds them, with little overlap once settled") {
    check_bin("bighulls", 13.0f, 400);
}

TEST_CASE("hulls that tumble for ever neither escape nor sink into each other" * doctest::test_suite("slow")) {
    Run run("tumble", false);
    float deepest = 0.0f;
    for (int i = 0; i < 400; ++i) {
        run.advance(1);
        deepest = std::max(deepest, run.world.profile().max_penetration);
    }
    for (std::size_t i = 0; i < run.ids.size(); ++i) {
        if (!run.is_dynamic(i)) continue;
        const dvec3 p = run.world.position(run.ids[i]);
        CHECK(std::abs(p.x) < 4.5);
        CHECK(std::abs(p.y) < 5.5);
        CHECK(std::abs(p.z) < 4.5);
    }
    MESSAGE("deepest overlap ", 1000.0f * deepest, " mm");
    CHECK(deepest < 0.2f);
}

TEST_CASE("a drum of 400 hulls keeps them in and moving" * doctest::test_suite("slow")) {
    Run run("drum", true);
    run.advance(400);
    for (std::size_t i = 0; i < run.ids.size(); ++i) {
        if (!run.is_dynamic(i)) continue;
        const dvec3 p = run.world.position(run.ids[i]);
        CHECK(std::hypot(p.x, p.y) < 6.5);
        CHECK(std::abs(p.z) < 5.5);
    }
    CHECK(run.world.awake_body_count() > 300);
}

TEST_CASE("one push fells all dominoes") {
    Run run("dominoes", false);
    run.advance(1200);
    int fallen = 0;
    for (std::size_t i = 0; i < run.ids.size(); ++i) {
        if (!run.is_dynamic(i)) continue;
        const vec3 up = rotate(run.world.rotation(run.ids[i]), {0, 1, 0});
        fallen += up.y < 0.8f ? 1 : 0;
    }
    CHECK(fallen == 120);
}

TEST_CASE("towers and small things are asleep within 20 s") {
    for (const char* name : {"falling_box", "shapes", "stack20", "pyramid10", "dominoes"}) check_sleeps(name);
}

TEST_CASE("brick walls are asleep within 20 s" * doctest::test_suite("slow")) { check_sleeps("wall"); }

TEST_CASE("a pyramid of 820 boxes is asleep within 20 s" * doctest::test_suite("slow")) { check_sleeps("pyramid40"); }

TEST_CASE("a bin of 1,000 hulls is asleep within 20 s" * doctest::test_suite("slow")) { check_sleeps("hullpile"); }

TEST_CASE("a bin of 2,000 mixed shapes is asleep within 20 s" * doctest::test_suite("slow")) { check_sleeps("mixed"); }

TEST_CASE("bins of large hulls are asleep within 20 s" * doctest::test_suite("slow")) {
    check_sleeps("bighulls");
    check_sleeps("bighulls44");
}
