// The number of threads that a step uses while other programs need the processors, too.

#include "tests/engine/worlds.h"
#include "tests/support/threads.h"

#include "engine/threads/step_jobs.h"
#include "engine/threads/team_size.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace talus;
using namespace talus::test;

namespace {

struct Outcome {
    int hitches = 0;
    double mean_size = 0.0;
};

/// Simulates steps of one unit of time on up to `most` threads. If a step uses more than `free` threads, every
/// `period`-th step is delayed by 5 units.
Outcome simulate(TeamSize& size, int steps, int most, int free, int period) {
    Outcome outcome;
    for (int step = 0; step < steps; ++step) {
        const int threads = size.threads(most);
        const bool hitch = threads > free && step % period == 0;
        outcome.hitches += hitch ? 1 : 0;
        outcome.mean_size += static_cast<double>(threads) / steps;
        size.note(most, 1.0, hitch ? 5.0 : 0.0);
    }
    return outcome;
}

}  // namespace

TEST_CASE("two threads in company become one, and the second is tried so seldom that no 99th percentile shows it") {
    for (const int period : {1, 3, 10}) {
        CAPTURE(period);
        TeamSize size;
        CHECK(simulate(size, 500, 2, 1, period).hitches <= 4);
        const Outcome later = simulate(size, 10000, 2, 1, period);
        CHECK(later.hitches <= 25);
        CHECK(later.mean_size < 1.05);
    }
}

TEST_CASE("an interruption now and then leaves all threads in use") {
    TeamSize size;
    CHECK(simulate(size, 20000, 2, 1, 510).mean_size == doctest::Approx(2.0));
    for (int step = 0; step < 1000; ++step) {  // short interruptions have no effect
        CHECK(size.threads(2) == 2);
        size.note(2, 1.0, 0.1);
    }
}

TEST_CASE("threads come back when the company has gone") {
    TeamSize size;
    simulate(size, 1000, 8, 1, 1);
    CHECK(size.threads(8) == 1);
    simulate(size, 1000, 8, 8, 1);
    CHECK(size.threads(8) == 8);
}

TEST_CASE("one busy processor of eight costs one thread, and seven cost seven after a few hitches") {
    TeamSize one, seven;
    CHECK(simulate(one, 5000, 8, 7, 1).mean_size > 6.9);
    CHECK(simulate(seven, 100, 8, 1, 1).hitches <= 6);
    CHECK(seven.threads(8) == 1);
}

TEST_CASE("a thread that is put aside at work is missed, and later steps go without it") {
    if (lacks_threads()) return;
    StepJobs step_jobs;
    ThreadPool pool(2);
    const std::thread::id caller = std::this_thread::get_id();
    int team_steps = 0;
    for (int step = 0; step < 100; ++step) {
        const Jobs jobs = step_jobs.begin(pool.jobs());
        std::atomic<int> done{0};
        std::atomic<bool> helped{false};
        jobs.for_each(8, [&](int) {
            if (std::this_thread::get_id() != caller) {
                helped = true;
                // like the system does to run another program
                std::this_thread::sleep_for(std::chrono::milliseconds(3));
            } else if (jobs.run != nullptr) {
                while (!helped) std::this_thread::yield();
            }
            ++done;
        });
        CHECK(done == 8);
        team_steps += helped ? 1 : 0;
        step_jobs.end();
    }
    CHECK(team_steps >= 1);
    CHECK(team_steps <= 4);
}

TEST_CASE("a host may ask for all threads in every step") {
    StepJobs step_jobs;
    TestPool pool(2);
    Jobs host = pool.jobs();
    host.all_threads = true;
    for (int step = 0; step < 20; ++step) {
        const Jobs jobs = step_jobs.begin(host);
        CHECK(jobs.threads == 2);
        jobs.for_each(2, [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
        step_jobs.end();
    }
}
