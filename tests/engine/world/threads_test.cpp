// A step on several threads gives the same bits as on one, whichever threads run the tasks.

#include "tests/support/threads.h"
#include "samples/scenes/scene.h"
#include "tests/engine/worlds.h"

#include <chrono>
#include <new>
#include <thread>

using namespace talus;
using namespace talus::test;

namespace {

/// A host that runs the tasks one after the other, the last one first.
void run_backwards(void*, int count, Jobs::Task task, void* data) {
    for (int i = count - 1; i >= 0; --i) task(data, i);
}

/// Returns jobs that use all threads of a pool in every step, even while other programs run.
Jobs all_threads(TestPool& pool) {
    Jobs jobs = pool.jobs();
    jobs.all_threads = true;
    return jobs;
}

/// `slabs`: whether the scene is large enough for threads to share the solve.
void check_threads(const char* name, int steps, bool slabs = true, float restitution = 0.0f) {
    Result<samples::SceneData> data = samples::find_scene(name)->make({});
    REQUIRE(data);
    for (BodyDef& body : data->bodies) {
        for (ShapeDef& shape : body.shapes) shape.material.restitution = restitution;
    }
    TestPool two(2), four(4);
    const Jobs jobs[] = {
        {}, all_threads(two), all_threads(four), {3, run_backwards, nullptr, true}, {.threads = 16, .simulate = true}};
    std::vector<World> worlds(std::size(jobs), samples::make_world(*data));  // copies mark their handles alike
    for (int step = 0; step < steps; ++step) {
        for (std::size_t k = 0; k < std::size(jobs); ++k) REQUIRE(samples::step_scene(worlds[k], *data, step, jobs[k]));
        if (step % 10 != 9) continue;
        CAPTURE(name);
        CAPTURE(step);
        const std::vector<std::byte> saved = *worlds[0].save();
        for (std::size_t k = 1; k < std::size(jobs); ++k) {
            REQUIRE(worlds[k].hash() == worlds[0].hash());
            REQUIRE(*worlds[k].save() == saved);  // zeros have the same signs, too
        }
    }
    for (const World& world : worlds) CHECK(world.profile().narrowphase.pairs == worlds[0].profile().narrowphase.pairs);
    for (const World& world : worlds) CHECK((world.profile().slabs > 1) == (slabs && &world != &worlds[0]));
}

}  // namespace

TEST_CASE("a pile of hulls gets the same bits on any number of threads") { check_threads("hullpile", 120); }
TEST_CASE("a pyramid gets the same bits on any number of threads") { check_threads("pyramid40", 60); }
TEST_CASE("bodies in free flight get the same bits on any number of threads") { check_threads("sparse10k", 20, false); }
TEST_CASE("a pile of mixed shapes gets the same bits on any number of threads") { check_threads("mixed", 120); }
TEST_CASE("bodies on a height field get the same bits on any number of threads") {
    check_threads("terrain", 20, false);
}
TEST_CASE("a tumbling pile gets the same bits on any number of threads") { check_threads("tumble", 120); }

TEST_CASE("a pile that bounces gets the same bits on any number of threads") {
    check_threads("hullpile", 120, true, 0.6f);
}
TEST_CASE("what turns with its belt gets the same bits on any number of threads") { check_threads("drum", 60); }

TEST_CASE("ragdolls on stairs get the same bits on any number of threads") { check_threads("ragdolls", 120, false); }
TEST_CASE("a bridge gets the same bits on any number of threads") { check_threads("bridge", 60, false); }

// Contacts with and without restitution may share a record of lanes. In such a record, the impulse of a blow without
// restitution was reduced to its load after the bound on the energy of the island; in others, before it. Which contacts
// share a record depends on the number of threads.
TEST_CASE("what bounces beside what does not gets the same bits on any number of threads") {
    TestPool two(2), four(4);
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        Random random(seed);
        WorldDef world_def;
        world_def.hash_stages = true;
        World world(world_def);
        add(world, ground());
        std::vector<BodyId> ids;
        for (int i = 0; i < 400; ++i) {
            const vec3 position{random.between(-2.0f, 2.0f), random.between(0.5f, 24.0f), random.between(-2.0f, 2.0f)};
            const float size = random.between(0.1f, 0.5f);
            BodyDef def = body(random_shape(random, size), position);
            def.rotation = random.rotation();
            const glm::dvec3 direction = random.direction();
            def.linear_velocity = random.between(0.0f, 30.0f) * vec3(direction);
            def.material.restitution = i % 4 == 0 ? random.between(0.0f, 1.0f) : 0.0f;
            ids.push_back(add(world, def));
            if (i == 0 || random.below(4) != 0) continue;
            const BodyId a = ids[ids.size() - 2], b = ids.back();
            const dvec3 between = midway(world.position(a), world.position(b));
            REQUIRE(!world.add_joint(BallDef{.frames = world.joint_frames(a, b, between)}).is_null());
        }
        World on_two = world, on_four = world;
        int shared = 0;  // steps in which threads shared the solve
        for (int step = 0; step < 100; ++step) {
            REQUIRE(world.step(frame));
            REQUIRE(on_two.step(frame, all_threads(two)));
            shared += on_two.profile().slabs > 1 ? 1 : 0;
            REQUIRE(on_four.step(frame, all_threads(four)));
            CAPTURE(seed);
            CAPTURE(step);
            REQUIRE(on_two.profile().hashes.publish == world.profile().hashes.publish);
            REQUIRE(on_four.profile().hashes.publish == world.profile().hashes.publish);
        }
        CHECK(shared > 0);
    }
}

TEST_CASE("threads may change from step to step") {
    const Result<samples::SceneData> data = samples::find_scene("hullpile")->make({});
    REQUIRE(data);
    World alone = samples::make_world(*data), changing = samples::make_world(*data);
    TestPool two(2), three(3);
    for (int step = 0; step < 90; ++step) {
        REQUIRE(samples::step_scene(alone, *data, step));
        REQUIRE(samples::step_scene(changing, *data, step,
                                    step % 3 == 0   ? Jobs{}
                                    : step % 3 == 1 ? all_threads(two)
                                                    : all_threads(three)));
        if (step == 45) changing = World(changing);
    }
    CHECK(alone.hash() == changing.hash());
}

TEST_CASE("threads that come late leave the bits as they are") {
    if (lacks_threads()) return;
    // Starts some tasks at once, some late, some when the caller has nothing left to do.
    const auto run_somehow = [](void*, int count, Jobs::Task task, void* data) {
        std::vector<std::thread> threads;
        for (int i = 1; i < count; ++i) {
            threads.emplace_back([=] {
                if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
                task(data, i);
            });
        }
        task(data, 0);
        for (std::thread& thread : threads) thread.join();
    };
    const Result<samples::SceneData> data = samples::find_scene("pyramid40")->make({});
    REQUIRE(data);
    World alone = samples::make_world(*data), all = samples::make_world(*data), some = samples::make_world(*data);
    for (int step = 0; step < 40; ++step) {
        REQUIRE(samples::step_scene(alone, *data, step));
        REQUIRE(samples::step_scene(all, *data, step, {4, run_somehow, nullptr, true}));
        REQUIRE(samples::step_scene(some, *data, step, {4, run_somehow, nullptr, false}));
    }
    CHECK(alone.hash() == all.hash());
    CHECK(alone.hash() == some.hash());
}

TEST_CASE("an exception in a task reaches the caller of a job, and the pool goes on") {
    TestPool pool(3);
    for (int round = 0; round < 200; ++round) {
        CHECK_THROWS_AS(pool.jobs().for_each(8,
                                             [&](int i) {
                                                 if (i == round % 8) throw std::bad_alloc();
                                             }),
                        std::bad_alloc);
    }
    std::atomic<int> done{0};
    pool.jobs().for_each(8, [&](int) { ++done; });
    CHECK(done == 8);
}

TEST_CASE("a step on simulated threads says how long its stages would take") {
    const Result<samples::SceneData> data = samples::find_scene("mixed")->make({});
    REQUIRE(data);
    World world = samples::make_world(*data);
    for (int step = 0; step < 5; ++step)
        REQUIRE(samples::step_scene(world, *data, step, {.threads = 8, .simulate = true}));
    const FrameProfile& profile = world.profile();
    const StageSpans& span = profile.span;
    CHECK(span.total == doctest::Approx(span.pairs + span.collide + span.graph + span.solve + span.continuous +
                                        span.finish + span.publish));
    CHECK(span.collide > 0.0);
    CHECK(span.solve > 0.0);
    CHECK(span.solve < profile.solve);
    CHECK(span.total < profile.total);
    REQUIRE(samples::step_scene(world, *data, 5));
    CHECK(world.profile().span.total == 0.0);
}
