// What is stepped through is what the frame did.

#include "samples/runner/outputs/pair_steps.h"
#include "samples/scenes/scene.h"

#include <doctest/doctest.h>

#include <limits>

using namespace talus;
using namespace talus::samples;

TEST_CASE("stepping through all pairs of a tumbling pile counts the iterations that its frames counted") {
    struct Watched {
        const char* scene;
        int first, last;  ///< steps that are looked at
    };
    int shortened = 0, warm = 0, deep = 0, saved = 0, exact = 0;
    // One that never rests, and one in which sooner or later nothing is found anew within a step.
    for (const Watched& watched : {Watched{"tumble", 120, 130}, Watched{"hullpile", 280, 300}}) {
        const Scene* scene = find_scene(watched.scene);
        REQUIRE(scene != nullptr);
        const auto data = scene->make({});
        REQUIRE(data);
        World world = make_world(*data);
        WarmStarts starts;
        for (int step = 0; step < watched.last; ++step) {
            const bool look = step >= watched.first;
            if (look) starts.record(world);
            REQUIRE(step_scene(world, *data, step));
            if (!look) continue;
            std::uint32_t iterations = 0, queries = 0, epa_iterations = 0, epa_queries = 0, different = 0;
            for (const PairInfo& pair : world.pairs()) {
                if (!pair.active) continue;
                const auto query = query_of(world, pair, starts.find(pair));
                REQUIRE(query);
                CHECK(query->frame == world.profile().frame);
                const bool ran =
                    pair.rung == Rung::warm_gjk || pair.rung == Rung::cold_gjk || pair.rung == Rung::cold_epa;
                if (!ran) {
                    if (saved++ % 50 == 0) CHECK(step_through(*query).replayed == Replayed::not_run);
                    continue;
                }
                const PairSteps steps = step_through(*query);
                different += std::uint32_t(steps.replayed != Replayed::same);
                iterations += steps.gjk.result.iterations;
                ++queries;
                warm += int(steps.gjk.result.warm);
                shortened += int(steps.gjk.result.status == GjkStatus::beyond_limit);
                const bool same_path = steps.epa.has_value() == (pair.rung == Rung::cold_epa);
                different += std::uint32_t(steps.replayed == Replayed::same && !same_path);
                if (steps.epa) {
                    epa_iterations += steps.epa->result.iterations;
                    ++epa_queries;
                    ++deep;
                }
            }
            const NarrowphaseProfile& profile = world.profile().narrowphase;
            // Of contacts that were found anew within the step, the caches are those of that later test.
            CHECK(different <= world.profile().renewed_contacts);
            if (world.profile().renewed_contacts != 0) continue;
            CHECK(different == 0);
            ++exact;
            CHECK(queries == profile.gjk_queries);
            CHECK(iterations == profile.gjk_iterations);
            CHECK(epa_queries == profile.epa_queries);
            CHECK(epa_iterations == profile.epa_iterations);
        }
    }
    MESSAGE(warm, " warm, ", shortened, " stopped at a bound, ", deep, " with EPA, ", saved, " without GJK");
    MESSAGE(exact, " frames without contacts found anew");
    CHECK(exact > 0);
    CHECK(warm > 500);
    CHECK(shortened > 5);
    CHECK(deep > 50);
    CHECK(saved > 500);
}

TEST_CASE("a test that cannot be what the frame did says so") {
    World world;
    world.set_gravity({0, 0, 0});
    const BodyId a = world.add_body({.shape = cylinder(0.5f, 0.5f)});
    world.add_body({.shape = cylinder(0.5f, 0.5f), .position = {0.9f, 0.3f, 0}});
    REQUIRE(world.step(1.0f / 60.0f));
    const auto pairs = world.pairs();
    REQUIRE(pairs.size() == 1);
    auto query = query_of(world, pairs[0], {});
    REQUIRE(query);
    CHECK(step_through(*query).replayed == Replayed::same);
    query->pair.b_in_a.rotation = quat(0.0f, 0.0f, 0.0f, 1.0f);  // not as it stood then
    query->pair.b_in_a.position = {-0.3f, 0.2f, 0.7f};
    CHECK(step_through(*query).replayed == Replayed::different);
    REQUIRE(world.remove_body(a));
    CHECK(!query_of(world, pairs[0], {}));
}

TEST_CASE("warm starts are those of before the step and only of pairs that were there") {
    const Scene* scene = find_scene("tumble");
    REQUIRE(scene != nullptr);
    const auto data = scene->make({});
    REQUIRE(data);
    World world = make_world(*data);
    for (int step = 0; step < 60; ++step) REQUIRE(step_scene(world, *data, step));
    WarmStarts starts;
    starts.record(world);
    int found = 0;
    for (const PairInfo& pair : world.pairs()) {
        const SimplexCache start = starts.find(pair);
        CHECK(start.count == pair.simplex.count);
        for (int i = 0; i < start.count; ++i)
            CHECK((start.a[i] == pair.simplex.a[i] && start.b[i] == pair.simplex.b[i]));
        found += int(start.count > 0);
        PairInfo other = pair;
        other.shape_b += 1;
        CHECK(starts.find(other).count == 0);
        std::swap(other.body_a, other.body_b);
        other.shape_b -= 1;
        CHECK(starts.find(other).count == 0);
    }
    CHECK(found > 100);
}
