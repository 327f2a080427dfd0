// Stages on several threads: every item once, in order of stages; no waiting for tasks that were never begun.

#include "worlds.h"

#include <talus/engine/stage_team.h>
#include <talus/thread_pool.h>

#include <algorithm>
#include <atomic>

using namespace talus;
using namespace talus::test;

namespace {

/// A host that runs the tasks one after the other, the last one first.
void run_backwards(void*, int count, Jobs::Task task, void* data) {
    for (int i = count - 1; i >= 0; --i) task(data, i);
}

void check_stages(const Jobs& jobs, Random& random) {
    StageTeam team;
    for (int round = 0; round < 50; ++round) {
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
            if (before > stage) ++early;  // a later one had begun already
            while (reached.load() < stage) reached.store(stage);
            for (std::uint32_t i = first; i < last; ++i) ++done[stage][i];
        });
        CHECK(early == 0);
        for (const auto& items : done) {
            for (const auto& times : items) REQUIRE(times == 1);
        }
    }
}

/// Runs of local stages between others: an item comes once, after its neighbours in the local stage before and after
/// all of a stage that is not local.
void check_local_stages(const Jobs& jobs, Random& random) {
    StageTeam team;
    for (int round = 0; round < 50; ++round) {
        std::vector<Stage> stages(random.below(60));
        std::vector<std::uint32_t> loads(8);
        for (std::uint32_t i = 0; i < loads.size(); ++i) loads[i] = (i == 0 ? 0 : loads[i - 1]) + random.below(5);
        std::vector<std::vector<std::atomic<int>>> done;
        for (Stage& stage : stages) {
            stage = random.below(8) == 0 ? Stage{random.below(100), 1 + random.below(20)}
                                         : Stage{7 + random.below(2), 1, loads.data(), true};
            done.emplace_back(stage.items);
        }
        std::atomic<int> early{0};
        team.run(jobs, stages, [&](std::size_t s, std::uint32_t first, std::uint32_t last) {
            for (std::uint32_t i = first; i < last; ++i) {
                for (std::size_t before = 0; before < s; ++before) {
                    const bool all = !stages[before].local || !std::all_of(stages.begin() + std::ptrdiff_t(before),
                                                                           stages.begin() + std::ptrdiff_t(s) + 1,
                                                                           [](const Stage& t) { return t.local; });
                    const std::uint32_t low = all || i == 0 ? 0 : i - 1;
                    const std::uint32_t high = all ? stages[before].items : std::min(i + 2, stages[before].items);
                    for (std::uint32_t k = low; k < high; ++k) early += done[before][k] == 1 ? 0 : 1;
                }
                ++done[s][i];
            }
        });
        CHECK(early == 0);
        for (const auto& items : done) {
            for (const auto& times : items) REQUIRE(times == 1);
        }
    }
}

}  // namespace

TEST_CASE("local stages wait for their neighbours alone and for those") {
    Random random(25);
    check_local_stages({}, random);
    for (const int threads : {2, 3, 8}) {
        ThreadPool pool(threads);
        check_local_stages(pool.jobs(), random);
    }
    check_local_stages({4, run_backwards, nullptr}, random);
}

TEST_CASE("stages are done whole and one after the other on any number of threads") {
    Random random(23);
    check_stages({}, random);
    for (const int threads : {2, 3, 8}) {
        ThreadPool pool(threads);
        check_stages(pool.jobs(), random);
    }
}

TEST_CASE("a host that runs tasks one after the other does not hang the stages") {
    Random random(24);
    check_stages({4, run_backwards, nullptr}, random);
}
