#include "samples/scenes/scene.h"
#include "tests/support/threads.h"

#include <doctest/doctest.h>
#include <talus/talus.h>
#include "common/stopwatch.h"

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

using namespace talus;
using namespace talus::samples;
using talus::test::TestPool;

namespace {

World scene_world(const char* name, Timing timing, SceneData& data) {
    data = *find_scene(name)->make({});
    WorldDef def;
    def.allow_sleep = false;
    def.timing = timing;
    return make_world(data, nullptr, def);
}

double sum_of_stages(const FrameProfile& p) {
    return p.pairs + p.collide + p.graph + p.solve + p.continuous + p.finish + p.publish;
}

double sum_by_shapes(const FrameProfile& p) {
    double sum = 0.0;
    for (const auto& row : p.narrowphase.microseconds_by_shapes) sum = std::accumulate(row.begin(), row.end(), sum);
    return sum;
}

/// The time of the methods that test pairs one by one.
double sum_of_tests(const FrameProfile& p) {
    const auto& us = p.narrowphase.microseconds;
    return std::accumulate(us.begin() + 1, us.end(), 0.0);
}

std::uint32_t count_tested(const std::vector<PairInfo>& pairs) {
    return static_cast<std::uint32_t>(
        std::count_if(pairs.begin(), pairs.end(), [](const PairInfo& p) { return p.active && p.rung > Rung::reuse; }));
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

}  // namespace

TEST_CASE("stage times add up to the step within three percent" * doctest::test_suite("slow")) {
    for (const char* name : {"tumble", "hullpile", "ragdolls", "stack20", "bullets"}) {
        CAPTURE(name);
        SceneData data;
        World world = scene_world(name, Timing::stages, data);
        std::vector<double> ratios;
        for (int i = 0; i < 60; ++i) {
            REQUIRE(step_scene(world, data, i));
            const FrameProfile& p = world.profile();
            CHECK(sum_of_stages(p) <= p.total);
            CHECK(p.broadphase <= p.pairs + p.finish);
            ratios.push_back(sum_of_stages(p) / p.total);
        }
        // a median, because in a single frame the system may take the processor away between two stages
        CHECK(median(ratios) > 0.97);
    }
}

TEST_CASE("on one thread the rungs take no longer than the stage they are part of") {
    SceneData data;
    World world = scene_world("tumble", Timing::pairs, data);
    for (int i = 0; i < 60; ++i) {
        REQUIRE(step_scene(world, data, i));
        const FrameProfile& p = world.profile();
        CHECK(sum_of_tests(p) + p.narrowphase.microseconds[0] <= p.collide);
        CHECK(sum_by_shapes(p) <= sum_of_tests(p));
    }
}

TEST_CASE("with every pair timed the times by shapes are those of the rungs") {
    SceneData data;
    World world = scene_world("mixed", Timing::pairs, data);
    std::vector<double> ratios;
    for (int i = 0; i < 60; ++i) {
        REQUIRE(step_scene(world, data, i));
        if (sum_of_tests(world.profile()) > 50.0)
            ratios.push_back(sum_by_shapes(world.profile()) / sum_of_tests(world.profile()));
    }
    REQUIRE(ratios.size() > 20);
    CHECK(median(ratios) > 0.9);
}

TEST_CASE("the slowest pair of the profile is the one whose tests took longest") {
    for (const int threads : {1, 3}) {
        CAPTURE(threads);
        TestPool pool(threads);
        SceneData data;
        World world = scene_world("tumble", Timing::pairs, data);
        for (int i = 0; i < 40; ++i) {
            REQUIRE(step_scene(world, data, i, pool.jobs()));
            const std::vector<PairInfo> pairs = world.pairs();
            const SlowestPair& slowest = world.profile().slowest;
            double most = 0.0;
            for (const PairInfo& p : pairs) most = std::max(most, p.microseconds);
            CHECK((most > 0.0) == (count_tested(pairs) > 0));
            CHECK(slowest.microseconds == doctest::Approx(most).epsilon(0.01));
            if (most == 0.0) continue;
            const auto is_slowest = [&](const PairInfo& p) {
                const bool same = p.body_a == slowest.body_a && p.body_b == slowest.body_b &&
                                  p.shape_a == slowest.shape_a && p.shape_b == slowest.shape_b;
                const bool swapped = p.body_a == slowest.body_b && p.body_b == slowest.body_a &&
                                     p.shape_a == slowest.shape_b && p.shape_b == slowest.shape_a;
                return (same || swapped) && p.rung == slowest.rung &&
                       p.microseconds == doctest::Approx(slowest.microseconds).epsilon(0.01);
            };
            CHECK(std::count_if(pairs.begin(), pairs.end(), is_slowest) == 1);
        }
    }
}

TEST_CASE("timed pairs are those of the cold rungs or all that were tested") {
    for (const Timing timing : {Timing::stages, Timing::pairs}) {
        CAPTURE(static_cast<int>(timing));
        SceneData data;
        World world = scene_world("tumble", timing, data);
        std::size_t timed = 0;
        for (int i = 0; i < 40; ++i) {
            REQUIRE(step_scene(world, data, i));
            for (const PairInfo& p : world.pairs()) {
                const bool tested = p.active && p.rung > Rung::reuse;
                if (timing == Timing::pairs || !tested) CHECK((p.microseconds > 0.0) == tested);
                if (timing == Timing::stages && p.rung == Rung::cold_epa) CHECK(p.microseconds > 0.0);
                if (timing == Timing::stages && p.rung == Rung::axis_separated) CHECK(p.microseconds == 0.0);
                timed += p.microseconds > 0.0 ? 1 : 0;
            }
        }
        CHECK(timed > 100);
    }
}

TEST_CASE("without timing all times are zero and nothing else changes") {
    SceneData data;
    World off = scene_world("tumble", Timing::off, data), stages = scene_world("tumble", Timing::stages, data),
          pairs = scene_world("tumble", Timing::pairs, data);
    for (int i = 0; i < 60; ++i) {
        for (World* world : {&off, &stages, &pairs}) REQUIRE(step_scene(*world, data, i));
        const FrameProfile& p = off.profile();
        CHECK(p.total == 0.0);
        CHECK(sum_of_stages(p) == 0.0);
        CHECK(p.broadphase == 0.0);
        CHECK(p.timing == 0.0);
        CHECK(p.narrowphase.microseconds == std::array<double, rung_count>{});
        CHECK(p.narrowphase.clock_reads == 0);
        CHECK_FALSE(p.slowest.body_a);
        CHECK(p.narrowphase.pairs == pairs.profile().narrowphase.pairs);
        CHECK(p.narrowphase.gjk_histogram == stages.profile().narrowphase.gjk_histogram);
    }
    CHECK(off.hash() == stages.hash());
    CHECK(off.hash() == pairs.hash());
}

TEST_CASE("the profile counts joints and what their direct solve took") {
    SceneData data;
    World world = scene_world("ragdoll_bin", Timing::pairs, data);
    for (int i = 0; i < 30; ++i) REQUIRE(world.step(1.0f / 60.0f));
    const JointProfile joints = world.profile().joints;
    CHECK(joints.articulations == 100);
    CHECK(joints.joints == 1000);
    CHECK(joints.rows == 600 * 5 + 400 * 6);  // 3 of a point, a cone and a twist; 3 of a point, 2 of an axis, a limit
    // Each pass has a round that finds what is wrong. It factors a matrix only if something is.
    CHECK(joints.rounds >= 2 * joints.articulations * world.profile().substeps);
    CHECK(joints.factorizations > 0);
    CHECK(joints.factorizations <= joints.rounds);
    CHECK(joints.passes_alone < 2 * joints.articulations * world.profile().substeps);
    CHECK(joints.microseconds > 0.0);
    CHECK(joints.microseconds + joints.coupled_microseconds < world.profile().solve);
    REQUIRE(world.is_valid(joints.slowest_body));
    CHECK(!world.joints(joints.slowest_body).empty());
    CHECK(joints.slowest_microseconds > 0.0);
    CHECK(joints.slowest_microseconds < joints.microseconds);
}

TEST_CASE("the profile of a world without joints has none, and without single times it names no articulation") {
    SceneData data;
    World plain = scene_world("pyramid10", Timing::stages, data);
    REQUIRE(plain.step(1.0f / 60.0f));
    CHECK(plain.profile().joints.articulations == 0);
    CHECK(plain.profile().joints.microseconds == 0.0);
    World jointed = scene_world("bridge", Timing::stages, data);
    REQUIRE(jointed.step(1.0f / 60.0f));
    CHECK(jointed.profile().joints.articulations == 1);
    CHECK(jointed.profile().joints.joints == 41);
    CHECK(jointed.profile().joints.microseconds > 0.0);
    CHECK(jointed.profile().joints.slowest_body.is_null());
    World untimed = scene_world("bridge", Timing::off, data);
    REQUIRE(untimed.step(1.0f / 60.0f));
    CHECK(untimed.profile().joints.microseconds == 0.0);
    CHECK(untimed.profile().joints.rounds == jointed.profile().joints.rounds);
}

TEST_CASE("the profile says how often it read the clock and what that takes") {
    SceneData data;
    World world = scene_world("tumble", Timing::pairs, data);
    for (int i = 0; i < 30; ++i) {
        REQUIRE(step_scene(world, data, i));
        const FrameProfile& p = world.profile();
        // A pair may be tested by several methods, and each reads the clock. Each of the six lists has one more read,
        // and the stages about thirty.
        const std::uint32_t tested = count_tested(world.pairs());
        CHECK(p.narrowphase.clock_reads >= tested);
        CHECK(p.narrowphase.clock_reads <= 4 * tested + 64);
        CHECK(p.timing == doctest::Approx(static_cast<double>(p.narrowphase.clock_reads) * microseconds_per_read()));
    }
}

TEST_CASE("a tick is as long as the system's clock says") {
    using Clock = std::chrono::steady_clock;
    // Between two reads of one clock there is a read of the other. On a busy machine the shortest of several
    // measurements is right.
    double best = 1.0;
    for (int i = 0; i < 20; ++i) {
        Stopwatch watch;
        const auto begin = Clock::now();
        while (Clock::now() - begin < std::chrono::milliseconds(2)) {}
        const double ours = watch.lap();
        const double theirs = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
        best = std::min(best, std::abs(ours / theirs - 1.0));
    }
    CHECK(best < 0.005);
}

#if defined(__linux__)
TEST_CASE("a step that has to share its processor says so" * doctest::test_suite("slow")) {
    // This thread and a busy one share one processor, so the system must take the processor from this one at times.
    cpu_set_t all, one;
    REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    }
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    std::atomic<bool> done{false};
    std::thread other([&] {  // inherits the processor
        while (!done) {}
    });
    for (const Timing timing : {Timing::stages, Timing::pairs}) {
        CAPTURE(static_cast<int>(timing));
        SceneData data;
        World world = scene_world("tumble", timing, data);
        std::uint32_t interruptions = 0;
        for (int i = 0; i < 400; ++i) {
            REQUIRE(step_scene(world, data, i));
            interruptions += world.profile().interruptions;
        }
        CHECK((interruptions > 0) == (timing == Timing::pairs));
    }
    done = true;
    other.join();
    sched_setaffinity(0, sizeof all, &all);
}
#endif
