// A step needs no two tasks of a host to run at the same time: on hosts that run them one after the other, late, in any
// order or on few threads, it ends, and with the same bits.

#include "samples/scenes/scene.h"
#include "tests/engine/worlds.h"
#include "tests/support/threads.h"

#include "engine/threads/step_jobs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

using namespace talus;
using namespace talus::test;

namespace {

using Run = decltype(Jobs::run);

void run_in_order(void*, int count, Jobs::Task task, void* data) {
    for (int i = 0; i < count; ++i) task(data, i);
}

void run_backwards(void*, int count, Jobs::Task task, void* data) {
    for (int i = count - 1; i >= 0; --i) task(data, i);
}

/// In another order at each call.
void run_shuffled(void* calls, int count, Jobs::Task task, void* data) {
    Random random(static_cast<std::uint64_t>(++*static_cast<std::atomic<int>*>(calls)));
    std::vector<int> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
    for (const int i : order) task(data, i);
}

/// One after the other, with pauses in which nobody works.
void run_with_pauses(void*, int count, Jobs::Task task, void* data) {
    for (int i = 0; i < count; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        task(data, i);
    }
}

/// All on one thread that is not the calling one.
void run_elsewhere(void*, int count, Jobs::Task task, void* data) {
    std::thread([=] { run_backwards(nullptr, count, task, data); }).join();
}

/// On so many threads, which claim tasks, while the calling thread sleeps.
template <int threads>
void run_on(void*, int count, Jobs::Task task, void* data) {
    std::atomic<int> next{0};
    std::vector<std::thread> workers;
    for (int k = 0; k < threads; ++k) {
        workers.emplace_back([&] {
            for (int i = next++; i < count; i = next++) task(data, i);
        });
    }
    for (std::thread& worker : workers) worker.join();
}

/// Each task on a thread of its own that begins when the task before it has run for a while: threads join a team whose
/// work is half done.
void run_staggered(void*, int count, Jobs::Task task, void* data) {
    std::vector<std::thread> workers;
    for (int i = 0; i < count; ++i) {
        workers.emplace_back([=] { task(data, i); });
        std::this_thread::sleep_for(std::chrono::microseconds(30));
    }
    for (std::thread& worker : workers) worker.join();
}

struct Kind {
    const char* name;
    Run run;
};
constexpr Kind kinds[] = {
    {"in order on the calling thread", run_in_order},
    {"backwards on the calling thread", run_backwards},
    {"in random order on the calling thread", run_shuffled},
    {"with pauses between tasks", run_with_pauses},
    {"all on one other thread", run_elsewhere},
    {"on two other threads", run_on<2>},
    {"staggered", run_staggered},
};
constexpr std::size_t kinds_on_the_caller = 4;  // the first ones, which need no threads

/// `shared`: whether the scene is large enough for threads to share its solve.
void check_hosts(const char* name, int first_step, int steps, bool shared) {
    const Result<samples::SceneData> scene = samples::find_scene(name)->make({});
    REQUIRE(scene);
    WorldDef def;
    def.timing = Timing::off;
    World alone = samples::make_world(*scene, nullptr, def);
    for (int step = 0; step < first_step; ++step) REQUIRE(samples::step_scene(alone, *scene, step));
    std::vector<World> worlds;
    std::vector<Jobs> jobs;
    std::atomic<int> calls{0};
    const auto used = std::span(kinds).first(has_threads ? std::size(kinds) : kinds_on_the_caller);
    for (const Kind& kind : used) {
        for (const bool all_threads : {true, false}) {
            jobs.push_back({all_threads ? 3 : 8, kind.run, &calls, all_threads});
            worlds.push_back(alone);
        }
    }
    int shared_steps = 0;
    for (int step = first_step; step < first_step + steps; ++step) {
        REQUIRE(samples::step_scene(alone, *scene, step));
        for (std::size_t k = 0; k < worlds.size(); ++k) {
            CAPTURE(name);
            CAPTURE(step);
            CAPTURE(kinds[k / 2].name);
            CAPTURE(jobs[k].threads);
            REQUIRE(samples::step_scene(worlds[k], *scene, step, jobs[k]));
            if (jobs[k].all_threads && worlds[k].profile().slabs > 1) ++shared_steps;
            if (step % 5 == 4) REQUIRE(worlds[k].hash() == alone.hash());
        }
    }
    // Otherwise no task had to wait for another one.
    CHECK(shared_steps == (shared ? steps * static_cast<int>(used.size()) : 0));
}

}  // namespace

TEST_CASE("hosts that run tasks late, in any order or on few threads give the same bits") {
    check_hosts("pyramid40", 0, 10, true);
}

TEST_CASE("hosts of all kinds give joints the same bits, on any number of threads") {
    check_hosts("ragdolls", 30, 10, false);
}

// A host with fibers may go on with a step on another thread. The two threads' processor times were compared: a thread
// with less of it seemed to have been preempted for all of the difference, and the next step used one thread less.
TEST_CASE("a step that ends on another thread than it began keeps all its threads") {
    if (lacks_threads()) return;
    const auto begun = std::chrono::steady_clock::now();
    std::uint64_t spins = 0;  // so that this thread has used more processor time than the others will have
    while (std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(50)) ++spins;
    CHECK(spins > 0);
    StepJobs step_jobs;
    for (int step = 0; step < 10; ++step) {
        const Jobs jobs = step_jobs.begin({4, run_in_order, nullptr});
        CHECK(jobs.threads == 4);
        int done = 0;
        jobs.for_each(4, [&](int) { ++done; });
        CHECK(done == 4);
        std::thread([&] { step_jobs.end(); }).join();
    }
}
