// The fiber scheduler of samples/job_systems, and Talus on it: jobs that wait leave their threads to others.

#include "samples/job_systems/fiber_jobs.h"
#include "samples/scenes/kit/random.h"
#include "samples/scenes/scene.h"

#include <talus/broadphase/broadphase.h>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace talus;
using namespace talus::samples;

namespace {

using Counter = FiberScheduler::Counter;
using Priority = FiberScheduler::Priority;
using Function = std::function<void()>;

void start(FiberScheduler& scheduler, Counter& counter, Function function, Priority priority = Priority::normal) {
    scheduler.start({&function, 1}, counter, priority);
}

/// Runs a function as a job, and returns when it has returned.
void run_job(FiberScheduler& scheduler, Function function) {
    Counter counter;
    start(scheduler, counter, std::move(function));
    scheduler.wait_for(counter);
}

/// Leaves the thread to other jobs.
void pause_job(FiberScheduler& scheduler) {
    Counter counter;
    start(
        scheduler, counter, [] {}, Priority::low);
    scheduler.wait_for(counter);
}

void wait_until(const std::atomic<bool>& condition) {
    while (!condition) std::this_thread::yield();
}

/// In a job of a scheduler with two workers, one of them idle: continues on that one. The calling job, A, waits for job B,
/// which the idle worker runs. Meanwhile job C keeps A's worker busy until A goes on.
void change_worker(FiberScheduler& scheduler) {
    std::atomic<bool> b_began{false}, c_began{false}, changed{false};
    Counter b, c;
    start(scheduler, b, [&] {
        b_began = true;
        wait_until(c_began);
    });
    wait_until(b_began);
    start(scheduler, c, [&] {
        c_began = true;
        wait_until(changed);
    });
    scheduler.wait_for(b);
    changed = true;
    scheduler.wait_for(c);
}

/// A job that starts a job and waits for it, and so on.
void nest(FiberScheduler& scheduler, int depth, std::atomic<int>& deepest) {
    std::array<int, 100> own{};  // on the fiber's stack
    own.fill(depth);
    if (depth > 0) run_job(scheduler, [&] { nest(scheduler, depth - 1, deepest); });
    for (const int value : own) {
        if (value != depth) return;
    }
    ++deepest;
}

}  // namespace

TEST_CASE("fibers: a job that waits does not block its worker") {
    FiberScheduler scheduler(1);
    std::atomic<int> done{0};
    run_job(scheduler, [&] { nest(scheduler, 50, done); });
    CHECK(done == 51);  // the only worker would wait for ever in the first job
    CHECK(scheduler.parked() == 50);
    CHECK(scheduler.fibers() == 51);
    run_job(scheduler, [&] { nest(scheduler, 50, done); });
    CHECK(scheduler.fibers() == 51);  // they are used again
}

TEST_CASE("fibers: many jobs wait on few workers") {
    FiberScheduler scheduler(3);
    std::atomic<int> done{0};
    std::vector<Function> jobs;
    for (int i = 0; i < 40; ++i) jobs.emplace_back([&, i] { nest(scheduler, i % 7, done); });
    Counter counter;
    scheduler.start(jobs, counter);
    scheduler.wait_for(counter);
    int expected = 0;
    for (int i = 0; i < 40; ++i) expected += i % 7 + 1;
    CHECK(done == expected);
    CHECK(scheduler.fibers() <= static_cast<std::size_t>(expected));
}

TEST_CASE("fibers: a job that has waited may continue on another worker") {
    FiberScheduler scheduler(2);
    run_job(scheduler, [&] { change_worker(scheduler); });
    CHECK(scheduler.changed_thread() >= 1);
}

TEST_CASE("fibers: jobs of high priority come before those that were started earlier") {
    FiberScheduler scheduler(1);
    std::vector<int> order;
    run_job(scheduler, [&] {
        Counter counter;
        start(
            scheduler, counter, [&] { order.push_back(3); }, Priority::low);
        start(scheduler, counter, [&] { order.push_back(2); });
        start(
            scheduler, counter, [&] { order.push_back(1); }, Priority::high);
        scheduler.wait_for(counter);
    });
    CHECK(order == std::vector<int>{1, 2, 3});
}

TEST_CASE("fibers: exceptions within a job are caught on its own stack") {
    FiberScheduler scheduler(2);
    std::atomic<int> caught{0};
    std::vector<Function> jobs;
    for (int i = 0; i < 20; ++i) {
        jobs.emplace_back([&] {
            try {
                pause_job(scheduler);
                throw std::runtime_error("job");
            } catch (const std::runtime_error&) {
                ++caught;
            }
            pause_job(scheduler);
        });
    }
    Counter counter;
    scheduler.start(jobs, counter);
    scheduler.wait_for(counter);
    CHECK(caught == 20);
}

TEST_CASE("fibers: a step needs less than half of the usual stack") {
    FiberScheduler scheduler(2);
    for (const char* const name : {"top", "ragdolls", "pyramid40"}) {
        const Result<SceneData> scene = find_scene(name)->make({});
        REQUIRE(scene);
        World world = make_world(*scene);
        run_job(scheduler, [&] {
            Jobs jobs = jobs_of(scheduler);
            jobs.all_threads = true;
            for (int i = 0; i < 8; ++i) step_scene(world, *scene, i, jobs);
        });
        CHECK(world.profile().frame == 8);
    }
    MESSAGE("largest use of a stack: ", scheduler.largest_stack_use(), " bytes");
    CHECK(scheduler.largest_stack_use() > 1000);
    CHECK(scheduler.largest_stack_use() < FiberScheduler::usual_stack / 2);
}

// The memory of a query belonged to its thread, one part per depth of queries within queries. A visitor that waited left
// its part to the next query of the thread, when the queries ended in another order than they began.
TEST_CASE("fibers: visitors of queries may wait") {
    Broadphase broadphase;
    Random random(9);
    constexpr std::uint32_t count = 400;
    for (std::uint32_t i = 0; i < count; ++i) {
        const dvec3 at{random.between(-5.0f, 5.0f), random.between(-5.0f, 5.0f), random.between(-5.0f, 5.0f)};
        broadphase.add({.box = {at - 0.3, at + 0.3}, .user_data = i});
    }
    broadphase.update();
    std::vector<WorldAabb> boxes;
    for (int i = 0; i < 60; ++i) {
        const dvec3 at{random.between(-4.0f, 4.0f), random.between(-4.0f, 4.0f), random.between(-4.0f, 4.0f)};
        boxes.push_back({at - 1.0, at + 1.0});
    }
    constexpr std::size_t jobs_at_once = 8;  // each makes several queries, one after the other
    std::vector<std::vector<std::uint32_t>> expected(boxes.size());
    std::size_t largest = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        broadphase.query(boxes[i], [&](std::uint32_t user_data) { expected[i].push_back(user_data); });
        largest = std::max(largest, expected[i].size());
    }
    CHECK(largest > 5);

    for (const int workers : {1, 3}) {
        CAPTURE(workers);
        FiberScheduler scheduler(workers);
        std::vector<std::vector<std::uint32_t>> found(boxes.size());
        std::vector<Function> jobs;
        for (std::size_t i = 0; i < jobs_at_once; ++i) {
            jobs.emplace_back([&, i] {
                for (std::size_t k = i; k < boxes.size(); k += jobs_at_once) {
                    broadphase.query(boxes[k], [&](std::uint32_t user_data) {
                        found[k].push_back(user_data);
                        if ((user_data + k) % 3 == 0) pause_job(scheduler);
                    });
                }
            });
        }
        Counter counter;
        scheduler.start(jobs, counter);
        scheduler.wait_for(counter);
        CHECK(scheduler.parked() > boxes.size());
        CHECK(found == expected);
    }
}

TEST_CASE("fibers: the contact modifier may wait, and the step continues on another worker") {
    struct Modifier {
        FiberScheduler* scheduler = nullptr;
        int calls = 0;
    };
    const auto modify = [](ContactModification& contact, void* user) {
        Modifier& modifier = *static_cast<Modifier*>(user);
        contact.friction = 0.1f;
        ++modifier.calls;
        if (modifier.scheduler != nullptr && modifier.calls % 50 == 0) change_worker(*modifier.scheduler);
    };
    const Result<SceneData> made = find_scene("pyramid40")->make({});
    REQUIRE(made);
    SceneData scene = *made;
    for (BodyDef& body : scene.bodies) body.modify_contacts = true;

    FiberScheduler scheduler(2);
    Modifier none, waiting{&scheduler};
    WorldDef def;
    def.timing = Timing::pairs;  // reads counts of the stepping thread, which is another one in the end
    World alone = make_world(scene, nullptr, def), world = make_world(scene, nullptr, def);
    REQUIRE(alone.set_contact_modifier(modify, &none));
    REQUIRE(world.set_contact_modifier(modify, &waiting));
    for (int i = 0; i < 10; ++i) {
        step_scene(alone, scene, i);
        run_job(scheduler, [&] {
            Jobs jobs = jobs_of(scheduler);
            jobs.all_threads = true;
            step_scene(world, scene, i, jobs);
        });
        REQUIRE(world.hash() == alone.hash());
    }
    CHECK(none.calls > 100);
    CHECK(waiting.calls == none.calls);
    CHECK(scheduler.changed_thread() >= static_cast<std::size_t>(waiting.calls / 50));
}
