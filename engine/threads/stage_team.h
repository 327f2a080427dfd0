#pragma once
/// Runs a list of stages on several threads. Each stage is divided into blocks; no block starts before all blocks of
/// the stage before are done.
///
/// The solver has about 100 stages of a few microseconds each, which is too short for one call of the host's job system
/// per stage. So the threads stay for the whole list, and wait for each other after each stage:
///
///     stage    0           1        2
///     thread 0 [b0][b1]....[b0].....[b0][b1]      ... wait, spinning
///     thread 1 [b2][b3][b4][b1][b2].[b2]....
///
/// Consecutive *local* stages need less waiting. The item with the even number 2k uses only the data of group k; the
/// next one, 2k+1, uses only the data of groups k and k+1. An item waits only for the items of earlier stages that use
/// its groups. So threads wait for each other only if there is work between their groups.
///
/// Each thread does the blocks of its own part, which is the same in each stage, so that the data stay in its cache.
/// Another thread takes these blocks only if their thread is late, because a block costs twice as much in another
/// thread's cache. So no thread waits long for a block that nobody has begun. If the host runs the tasks one after the
/// other, the first one does all blocks, which takes about as long as on one thread (talus-job-systems --system serial).
///
/// A block that was begun is different: if the system preempts its thread for another program, nobody can finish the
/// block for some milliseconds. So a waiting thread watches whether the others run. When one of them does not run, the
/// team dissolves: each thread returns after its block, so that the system can use the processors for others. When all
/// have returned, the caller does the rest alone. So a list of stages is delayed at most once.

#include <talus/jobs.h>
#include "common/thread_clock.h"
#include "engine/threads/simulated_threads.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

namespace talus {

struct Stage {
    std::uint32_t items = 0;
    /// Number of items that a thread takes at a time, at least 1. A stage of at most a fifth of a block is done by one
    /// thread.
    std::uint32_t block = 1;
    /// By item: the sum of the costs up to and including this item. If it is null, all items cost the same.
    const std::uint32_t* costs = nullptr;
    /// The stage is local. It has at most StageTeam::most_local_items items, each item is a block, and items without
    /// cost are left out.
    bool local = false;
};

class StageTeam {
public:
    static constexpr std::uint32_t most_local_items = 64;

    StageTeam() = default;
    // A copied world gets a new team.
    StageTeam(const StageTeam&) {}
    StageTeam& operator=(const StageTeam&) { return *this; }

    /// Returns the largest number of calls that run() makes at the same time.
    static int threads_of(const Jobs& jobs) {
        return jobs.run == nullptr ? 1 : std::clamp(jobs.threads, 1, most_threads);
    }

    /// Calls f(stage, first, last) for ranges first to last - 1 that together are the items of each stage. If a call
    /// throws, calls that have not begun by then are left out, and the exception is thrown here.
    template <class F>
    void run(const Jobs& jobs, std::span<const Stage> stages, F&& f) {
        const int threads = threads_of(jobs);
        if (threads <= 1) {
            for (std::size_t s = 0; s < stages.size(); ++s) {
                if (stages[s].items != 0) f(s, 0u, stages[s].items);
            }
            return;
        }
        if (SimulatedThreads* const simulated = SimulatedThreads::of(jobs)) {
            simulate(*simulated, static_cast<std::uint32_t>(threads), stages, f);
            return;
        }
        const std::size_t counters = stages.size() * static_cast<std::size_t>(threads + 1);
        if (capacity_ < counters) {
            capacity_ = 2 * counters;
            counters_ = std::make_unique<Counter[]>(capacity_);
        }
        for (std::size_t i = 0; i < counters; ++i) counters_[i].value.store(0, std::memory_order_relaxed);
        for (LocalItem& item : local_items_) {
            item.taken.store(0, std::memory_order_relaxed);
            item.done.store(0, std::memory_order_relaxed);
        }
        const auto count = static_cast<std::uint32_t>(threads);
        for (Member& member : members_) member.here.store(false, std::memory_order_relaxed);
        dissolved_.store(false, std::memory_order_relaxed);
        jobs.for_each(threads, [&](int worker) {
            try {
                work(static_cast<std::uint32_t>(worker), count, stages, f);
            } catch (...) {
                dissolve();  // otherwise the others would wait for this block
                throw;
            }
        });
        if (is_dissolved()) do_rest(count, stages, f);
    }

private:
    static constexpr int most_threads = ThreadWatch::most_threads;
    static constexpr int patience = 1000;  ///< spins, some 20 to 40 microseconds

    /// Each stage has one counter of items that are done, and one counter of taken items for each thread's part. Each
    /// has a cache line of its own, because threads would otherwise wait for each other's writes.
    struct alignas(64) Counter {
        std::atomic<std::uint32_t> value{0};
    };

    /// One more than the last stage in which an item was taken, and in which it was done. It has a cache line of its
    /// own, too.
    struct alignas(64) LocalItem {
        std::atomic<std::uint32_t> taken{0}, done{0};
    };

    /// A thread of the team. `here` is set when the thread has arrived.
    struct alignas(64) Member {
        std::atomic<bool> here{false};
        std::atomic<ThreadClock> clock{};
    };

    bool is_dissolved() const { return dissolved_.load(std::memory_order_relaxed); }
    void dissolve() { dissolved_.store(true, std::memory_order_relaxed); }
    bool is_here(std::uint32_t worker) const { return members_[worker].here.load(std::memory_order_acquire); }

    /// The state of a thread that spins while it waits for the others.
    class Waiting {
    public:
        Waiting(StageTeam& team, std::uint32_t worker, std::uint32_t threads)
            : team_(team), worker_(worker), threads_(threads) {}

        /// True at the first spin: time to do the work of threads that have not arrived.
        bool is_first() const { return spins_ == 0; }
        /// True every `patience` spins: time to do the work of threads that are late.
        bool is_long() const { return spins_ != 0 && spins_ % patience == 0; }
        void spin() {
            if (is_long()) watch();
            ++spins_;
            pause_briefly();
        }

    private:
        void watch() {
            const bool preempted = watch_.finds_preempted(static_cast<int>(threads_), [this](int i) {
                const auto k = static_cast<std::uint32_t>(i);
                return k != worker_ && team_.is_here(k) ? team_.members_[k].clock.load(std::memory_order_relaxed)
                                                        : ThreadClock();
            });
            if (preempted) team_.dissolve();
        }

        StageTeam& team_;
        const std::uint32_t worker_, threads_;
        int spins_ = 0;
        ThreadWatch watch_;
    };

    template <class F>
    void work(std::uint32_t worker, std::uint32_t threads, std::span<const Stage> stages, F&& f) {
        members_[worker].clock.store(ThreadClock::of_this_thread(), std::memory_order_relaxed);
        members_[worker].here.store(true, std::memory_order_release);
        for (std::uint32_t s = 0; s < stages.size() && !is_dissolved();) {
            std::uint32_t end = s;
            while (end < stages.size() && stages[end].local) ++end;
            if (end > s) {
                LocalRun<F>{*this, stages, s, end, worker, threads, f}.work();
                s = end;
            } else {
                work_together(worker, threads, stages, s, f);
                ++s;
            }
        }
    }

    /// Does all work on this thread, and counts how long it would have taken if no thread were ever late.
    template <class F>
    void simulate(SimulatedThreads& simulated, std::uint32_t threads, std::span<const Stage> stages, F&& f) {
        const std::uint64_t begin = simulated.now();
        SimulatedThreads::Clocks clocks;
        const auto time_of = [&](std::uint32_t s, std::uint32_t first, std::uint32_t last) {
            const std::uint64_t start = simulated.now();
            f(std::size_t{s}, first, last);
            return simulated.now() - start;
        };
        for (std::uint32_t s = 0; s < stages.size();) {
            std::uint32_t end = s;
            while (end < stages.size() && stages[end].local) ++end;
            if (end == s) {
                for (std::uint32_t part = 0; part < threads; ++part) {
                    const std::uint32_t first = cut(stages[s], part, threads), last = cut(stages[s], part + 1, threads);
                    if (first < last) clocks[part] += time_of(s, first, last);
                }
                ++s;
            } else {
                std::array<std::uint64_t, most_local_items> done{};  // by item: when its last stage was
                LocalRun<F> local{*this, stages, s, end, 0, threads, f};
                local.divide();
                for (; s < end; ++s) {
                    const auto before = done;
                    for (std::uint32_t i = 0; i < stages[s].items; ++i) {
                        if (!has_work(stages[s], i)) continue;
                        std::uint64_t& clock = clocks[local.owners[i]];
                        local.for_each_near(i, [&](std::uint32_t k) { clock = std::max(clock, before[k]); });
                        clock += time_of(s, i, i + 1);
                        done[i] = clock;
                    }
                }
            }
            clocks.meet();
        }
        simulated.end(begin, clocks.last());
    }

    /// Does one stage that is not local: the thread's own part, then parts of threads that are late, until all items
    /// are done.
    template <class F>
    void work_together(std::uint32_t worker, std::uint32_t threads, std::span<const Stage> stages, std::size_t s,
                       F&& f) {
        const Stage& stage = stages[s];
        Counter* const counters = &counters_[s * (threads + 1)];
        std::atomic<std::uint32_t>& all_done = counters[0].value;
        do_part(worker, threads, stages, s, f);
        for (Waiting waiting(*this, worker, threads); all_done.load(std::memory_order_acquire) < stage.items;
             waiting.spin()) {
            if (is_dissolved()) return;
            for (std::uint32_t part = 0; part < threads && (waiting.is_first() || waiting.is_long()); ++part) {
                if (waiting.is_long() || !is_here(part)) do_part(part, threads, stages, s, f);
            }
        }
    }

    /// Does the blocks of a thread's part that nobody has taken, until the team dissolves.
    template <class F>
    void do_part(std::uint32_t part, std::uint32_t threads, std::span<const Stage> stages, std::size_t s, F&& f) {
        const Stage& stage = stages[s];
        Counter* const counters = &counters_[s * (threads + 1)];
        const std::uint32_t begin = cut(stage, part, threads), end = cut(stage, part + 1, threads);
        std::atomic<std::uint32_t>& taken = counters[1 + part].value;
        const std::uint32_t blocks = std::max((end - begin) / stage.block, 1u),
                            block = (end - begin + blocks - 1) / blocks;
        std::uint32_t done = 0;
        // Loads first, because an atomic addition costs more than a load, and most parts of other threads are done.
        while (taken.load(std::memory_order_relaxed) < end - begin && !is_dissolved()) {
            const std::uint32_t first = begin + taken.fetch_add(block, std::memory_order_relaxed);
            if (first >= end) break;
            const std::uint32_t last = std::min(first + block, end);
            f(s, first, last);
            done += last - first;
        }
        if (done != 0) counters[0].value.fetch_add(done, std::memory_order_acq_rel);
    }

    /// Does what a dissolved team has left, on one thread.
    template <class F>
    void do_rest(std::uint32_t threads, std::span<const Stage> stages, F&& f) {
        dissolved_.store(false, std::memory_order_relaxed);
        for (std::uint32_t s = 0; s < stages.size(); ++s) {
            if (!stages[s].local) {
                for (std::uint32_t part = 0; part < threads; ++part) do_part(part, threads, stages, s, f);
                continue;
            }
            for (std::uint32_t i = 0; i < stages[s].items; ++i) {
                const bool is_left = local_items_[i].taken.load(std::memory_order_relaxed) <= s;
                if (is_left && has_work(stages[s], i)) f(s, i, i + 1);
            }
        }
    }

    static bool has_work(const Stage& stage, std::uint32_t i) {
        if (i >= stage.items || stage.costs == nullptr) return i < stage.items;
        return stage.costs[i] != (i == 0 ? 0 : stage.costs[i - 1]);
    }

    /// One thread's work on the consecutive local stages first to last - 1.
    template <class F>
    struct LocalRun {
        StageTeam& team;
        std::span<const Stage> stages;
        const std::uint32_t first, last, worker, threads;
        F& f;
        std::uint32_t items = 0, begin = 0, end = 0;  ///< number of items; this thread's own ones
        std::array<std::uint8_t, most_local_items> owners{};

        /// Gives each thread its items.
        void divide() {
            for (std::uint32_t s = first; s < last; ++s) items = std::max(items, stages[s].items);
            for (std::uint32_t part = 0; part < threads; ++part) {
                const std::uint32_t from = cut(stages[first], part, threads);
                const std::uint32_t to = part + 1 == threads ? items : cut(stages[first], part + 1, threads);
                for (std::uint32_t i = from; i < to; ++i) owners[i] = static_cast<std::uint8_t>(part);
                if (part == worker) begin = from, end = to;
            }
        }

        void work() {
            divide();
            for (std::uint32_t s = first; s < last; ++s) {
                for (std::uint32_t i = begin; i < end; ++i) {
                    if (has_work(stages[s], i)) do_own(s, i);
                    if (team.is_dissolved()) return;
                }
            }
            for (std::uint32_t i = 0; i < items; ++i) {
                for (Waiting waiting(team, worker, threads); !has_reached(i, last) && !team.is_dissolved();)
                    help_and_wait(waiting);
            }
        }

        /// Returns the next stage in which the item has work, or `last`.
        std::uint32_t next_stage(std::uint32_t i) const {
            std::uint32_t s = std::max(team.local_items_[i].done.load(std::memory_order_acquire), first);
            while (s < last && !has_work(stages[s], i)) ++s;
            return s;
        }
        bool has_reached(std::uint32_t i, std::uint32_t s) const { return next_stage(i) >= s; }
        /// Calls visit(k) for each item that uses a group of item i, and for i.
        template <class Visit>
        void for_each_near(std::uint32_t i, Visit&& visit) const {
            const std::uint32_t reach = i % 2 == 0 ? 1 : 2;  // item 2k + 1 shares a group with items 2k - 1 and 2k + 3
            for (std::uint32_t k = i - std::min(i, reach); k < std::min(i + reach + 1, items); ++k) visit(k);
        }
        bool is_ready(std::uint32_t s, std::uint32_t i) const {
            bool ready = true;
            for_each_near(i, [&](std::uint32_t k) { ready = ready && has_reached(k, s); });
            return ready;
        }

        void do_own(std::uint32_t s, std::uint32_t i) {
            for (Waiting waiting(team, worker, threads); !is_ready(s, i);) {
                if (team.local_items_[i].taken.load(std::memory_order_relaxed) > s) return;  // done by another
                if (team.is_dissolved()) return;
                help_and_wait(waiting);
            }
            do_once(s, i);
        }

        /// Does an item that is ready, unless another thread has taken it. Returns whether it did.
        bool do_once(std::uint32_t s, std::uint32_t i) {
            LocalItem& item = team.local_items_[i];
            std::uint32_t before = item.taken.load(std::memory_order_relaxed);
            if (before > s || !item.taken.compare_exchange_strong(before, s + 1, std::memory_order_relaxed))
                return false;
            f(s, i, i + 1);
            item.done.store(s + 1, std::memory_order_release);
            return true;
        }

        /// Does items of threads that have not arrived. If there are none, spins once; every `patience` spins, does items
        /// of threads that are late.
        void help_and_wait(Waiting& waiting) {
            bool helped = false;
            const bool any_help = waiting.is_first() || waiting.is_long();
            for (std::uint32_t i = 0; any_help && i < items && !team.is_dissolved(); ++i) {
                if (waiting.is_first() && team.is_here(owners[i])) continue;
                const std::uint32_t s = next_stage(i);
                if (s < last && is_ready(s, i) && do_once(s, i)) helped = true;
            }
            if (!helped || !waiting.is_first()) waiting.spin();
        }
    };

    /// Returns the first item of a thread's part; for part == threads, the number of items.
    static std::uint32_t cut(const Stage& stage, std::uint32_t part, std::uint32_t threads) {
        if (stage.costs != nullptr) {
            const std::uint64_t all = stage.costs[stage.items - 1];
            std::uint32_t i = 0;
            // An item belongs to the part in which more of its cost lies.
            while (i < stage.items &&
                   (i == 0 ? 0 : stage.costs[i - 1]) + std::uint64_t{stage.costs[i]} <= 2 * all * part / threads)
                ++i;
            return part == threads ? stage.items : part == 0 ? 0 : i;
        }
        if (5 * stage.items <= stage.block) return part == 0 ? 0 : stage.items;
        return static_cast<std::uint32_t>(std::uint64_t{stage.items} * part / threads);
    }

    alignas(64) std::atomic<bool> dissolved_{false};
    std::array<Member, most_threads> members_;
    std::array<LocalItem, most_local_items> local_items_;
    std::unique_ptr<Counter[]> counters_;
    std::size_t capacity_ = 0;
};

}  // namespace talus
