// Stages on several threads: every item once, in order of stages; no waiting for tasks that have not begun.

#include "tests/engine/worlds.h"
#include "tests/support/threads.h"

#include "engine/threads/stage_team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

using namespace talus;
using namespace talus::test;

namespace {

/// A host that runs the tasks one after the other, the last one first.
void run_backwards(void*, int count, Jobs::Task task, void* data) {
    for (int i = count - 1; i >= 0; --i) task(data, i);
}

/// A host whose other threads begin their tasks when the caller has done the first.
void run_late(void*, int count, Jobs::Task task, void* data) {
    std::vector<std::thread> threads;
    std::atomic<bool> go{false};
    for (int i = 1; i < count; ++i) {
        threads.emplace_back([&, i] {
            while (!go.load()) std::this_thread::yield();
            task(data, i);
        });
    }
    task(data, 0);
    go = true;
    for (std::thread& thread : threads) thread.join();
}

/// A host whose caller only waits, and whose threads begin one after the other.
void run_elsewhere(void*, int count, Jobs::Task task, void* data) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([=] {
            std::this_thread::sleep_for(std::chrono::microseconds(100 * i));
            task(data, i);
        });
    }
    for (std::thread& thread : threads) thread.join();
}

/// Suspends the thread that works on a block at times, as the system does.
class Interruptions {
public:
    explicit Interruptions(int every) : every_(every) {}
    void in_block() {
        if (every_ != 0 && ++blocks_ % every_ == 0) std::this_thread::sleep_for(std::chrono::microseconds(500));
    }

private:
    const int every_;
    std::atomic<int> blocks_{0};
};

void check_stages(const Jobs& jobs, Random& random, int interrupted_every = 0) {
    StageTeam team;
    Interruptions interruptions(interrupted_every);
    for (int round = 0; round < (interrupted_every != 0 ? 4 : 50); ++round) {
        std::vector<Stage> stages(random.below(60));
        std::vector<std::vector<std::atomic<int>>> done;
        for (Stage& stage : stages) {
            stage = {random.below(4) == 0 ? 0 : random.below(300), 1 + random.below(20)};
            done.emplace_back(stage.items);
        }
        std::atomic<std::size_t> reached{0};
        std::atomic<int> early{0};
        team.run(jobs, stages, [&](std::size_t stage, std::uint32_t first, std::uint32_t last) {
            const std::size_t before = reached.load();
            if (before > stage) ++early;  // a later stage had already begun
            while (reached.load() < stage) reached.store(stage);
            interruptions.in_block();
            for (std::uint32_t i = first; i < last; ++i) ++done[stage][i];
        });
        CHECK(early == 0);
        for (const auto& items : done) {
            for (const auto& times : items) REQUIRE(times == 1);
        }
    }
}

/// Local stages between others: an item with work is done once, after those that share a place with it in the earlier
/// local stages, and before and after all items of a stage that is not local.
void check_local_stages(const Jobs& jobs, Random& random, int interrupted_every = 0) {
    StageTeam team;
    Interruptions interruptions(interrupted_every);
    for (int round = 0; round < (interrupted_every != 0 ? 4 : 50); ++round) {
        std::vector<Stage> stages(random.below(60));
        std::array<std::vector<std::uint32_t>, 3> costs;
        for (std::vector<std::uint32_t>& of_stage : costs) {
            std::uint32_t sum = 0;
            for (int i = 0; i < 8; ++i) of_stage.push_back(sum += random.below(3));
        }
        std::vector<std::vector<std::atomic<int>>> done;
        for (Stage& stage : stages) {
            stage = random.below(8) == 0 ? Stage{random.below(100), 1 + random.below(20)}
                                         : Stage{7 + random.below(2), 1, costs[random.below(3)].data(), true};
            done.emplace_back(stage.items);
        }
        const auto wanted = [&](std::size_t s, std::uint32_t i) {
            const std::uint32_t* of = stages[s].costs;
            return of == nullptr || of[i] != (i == 0 ? 0 : of[i - 1]) ? 1 : 0;
        };
        std::atomic<int> early{0};
        team.run(jobs, stages, [&](std::size_t s, std::uint32_t first, std::uint32_t last) {
            interruptions.in_block();
            for (std::uint32_t i = first; i < last; ++i) {
                for (std::size_t before = 0; before < s; ++before) {
                    const bool all = !stages[before].local || !std::all_of(stages.begin() + std::ptrdiff_t(before),
                                                                           stages.begin() + std::ptrdiff_t(s) + 1,
                                                                           [](const Stage& t) { return t.local; });
                    const std::uint32_t reach = i % 2 == 0 ? 1 : 2;
                    const std::uint32_t low = all ? 0 : i - std::min(i, reach);
                    const std::uint32_t high =
                        all ? stages[before].items : std::min(i + reach + 1, stages[before].items);
                    for (std::uint32_t k = low; k < high; ++k) early += done[before][k] >= wanted(before, k) ? 0 : 1;
                }
                ++done[s][i];
            }
        });
        CHECK(early == 0);
        for (std::size_t s = 0; s < stages.size(); ++s) {
            for (std::uint32_t i = 0; i < stages[s].items; ++i) REQUIRE(done[s][i] >= wanted(s, i));
            for (const auto& times : done[s]) REQUIRE(times <= 1);
        }
    }
}

}  // namespace

TEST_CASE("items of local stages wait for those that work on their places") {
    Random random(25);
    check_local_stages({}, random);
    for (const int threads : {2, 3, 8}) {
        TestPool pool(threads);
        check_local_stages(pool.jobs(), random);
    }
    check_local_stages({4, run_backwards, nullptr}, random);
}

TEST_CASE("stages are done whole and one after the other on any number of threads") {
    Random random(23);
    check_stages({}, random);
    for (const int threads : {2, 3, 8}) {
        TestPool pool(threads);
        check_stages(pool.jobs(), random);
    }
}

TEST_CASE("a host that runs tasks one after the other does not hang the stages") {
    Random random(24);
    check_stages({4, run_backwards, nullptr}, random);
}

TEST_CASE("stages are done once and in order while threads come late or not at all") {
    if (lacks_threads()) return;
    Random random(26);
    for (const int threads : {2, 3, 8}) {
        for (const auto run : {run_late, run_elsewhere}) {
            check_stages({threads, run, nullptr}, random);
            check_local_stages({threads, run, nullptr}, random);
        }
    }
}

TEST_CASE("stages are done once and in order while threads are put aside in the middle of a block") {
    if (lacks_threads()) return;
    Random random(27);
    for (const int threads : {2, 3, 8}) {
        TestPool pool(threads);
        for (const Jobs& jobs : {pool.jobs(), Jobs{threads, run_elsewhere, nullptr}}) {
            for (const int every : {15, 60}) {
                check_stages(jobs, random, every);
                check_local_stages(jobs, random, every);
            }
        }
    }
}

TEST_CASE("an exception in a stage reaches the caller, and no thread waits for that block") {
    Random random(28);
    for (const int threads : {1, 2, 3, 8}) {
        TestPool pool(threads);
        for (const bool local : {false, true}) {
            for (int round = 0; round < 50; ++round) {
                StageTeam team;
                const std::vector<Stage> stages(20, Stage{8, 1, nullptr, local});
                const std::size_t bad_stage = random.below(20);
                const std::uint32_t bad_item = threads == 1 ? 0 : random.below(8);
                std::atomic<int> after{0};
                CHECK_THROWS_AS(team.run(pool.jobs(), stages,
                                         [&](std::size_t s, std::uint32_t first, std::uint32_t last) {
                                             if (s == bad_stage && first <= bad_item && bad_item < last)
                                                 throw std::runtime_error("a block");
                                             after += !local && s > bad_stage ? 1 : 0;
                                         }),
                                std::runtime_error);
                CHECK(after == 0);
            }
        }
    }
}

namespace {

std::uint64_t fake_now = 0;

/// Runs stages whose items take 10 ticks each, and returns how long simulated threads would have taken.
std::uint64_t simulated(int threads, std::span<const Stage> stages) {
    SimulatedThreads simulated_threads([] { return fake_now; });
    const Jobs jobs = simulated_threads.jobs(threads);
    StageTeam team;
    const std::uint64_t begin = simulated_threads.now(), real_begin = fake_now;
    std::uint64_t items = 0;
    team.run(jobs, stages, [&](std::size_t, std::uint32_t first, std::uint32_t last) {
        fake_now += 10u * (last - first);
        items += last - first;
    });
    CHECK(fake_now - real_begin == 10 * items);
    return simulated_threads.now() - begin;
}

}  // namespace

TEST_CASE("simulated threads take as long as the longest chain of work") {
    const std::uint32_t costs[] = {1, 2, 3};
    const Stage wide{8, 1}, single{1, 1}, local{3, 1, costs, true};
    CHECK(simulated(1, std::array{wide}) == 80);
    CHECK(simulated(4, std::array{wide}) == 20);
    CHECK(simulated(16, std::array{wide}) == 10);
    CHECK(simulated(4, std::array{wide, single, wide}) == 50);
    // Two threads: the first has the items 0 and 1, the other one 2, which in the second stage waits for 1 of the first.
    CHECK(simulated(2, std::array{local}) == 20);
    CHECK(simulated(2, std::array{local, local}) == 40);
    CHECK(simulated(2, std::array{local, local, wide}) == 80);
    // Three: each has one, and waits only for what its neighbours did in the stage before.
    CHECK(simulated(3, std::array{local, local}) == 20);

    // Jobs that are no stages: a thread that is free takes the next task.
    SimulatedThreads threads([] { return fake_now; });
    const std::uint64_t begin = threads.now();
    threads.jobs(2).for_each(3, [](int i) { fake_now += 10u * static_cast<std::uint64_t>(i + 1); });
    CHECK(threads.now() - begin == 40);
}
