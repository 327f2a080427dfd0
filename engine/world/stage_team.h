#pragma once
/// A list of stages, each cut into blocks, done by several threads: no block of a stage starts before all of the stage
/// before are done.
///
/// The solver has some hundred stages of a few microseconds each: too short to call the host's job system for each. So
/// the threads stay for the whole list, and meet after each stage:
///
///     stage    0           1        2
///     thread 0 [b0][b1]....[b0].....[b0][b1]      ... wait, spinning
///     thread 1 [b2][b3][b4][b1][b2].[b2]....
///
/// Stages that follow each other and are *local* need less. Their item 2k works on a place k alone, item 2k + 1 on places
/// k and k + 1, and either waits for those of the stages before that work on its places, and for nobody else. So threads
/// wait for each other only where there is something to do between their places.
///
/// Each thread does the blocks of its own part, the same in each stage, so that they stay in its cache. Another takes
/// them only if their thread is late: a block costs twice as much where it is not at home. So nobody waits for long for
/// a block that nobody has begun: a host that runs the tasks one after the other, or never all at once, is slower, but
/// not stuck.
///
/// A block that was begun is another matter: if the system puts its thread aside for another program, nobody can finish
/// it for some milliseconds. A thread that waits watches whether the others run. Once one does not, the team dissolves:
/// each thread returns after its block, so that the system can give the processors to whom it likes, and when all have
/// returned the caller does the rest alone. So one list of stages is held up at most once.

#include <talus/jobs.h>
#include <talus/thread_clock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

namespace talus {

struct Stage {
    std::uint32_t items = 0;
    /// Items that are worth being taken at a time, at least 1; a fifth as many are left to one thread.
    std::uint32_t block = 1;
    /// By item: what there is to do for all up to and with this one; without, all are alike.
    const std::uint32_t* costs = nullptr;
    /// At most `most_local_items`, each a block; those with nothing to do are left out.
    bool local = false;
};

class StageTeam {
public:
    static constexpr std::uint32_t most_local_items = 64;

    StageTeam() = default;
    // What a copied world begins with is its own.
    StageTeam(const StageTeam&) {}
    StageTeam& operator=(const StageTeam&) { return *this; }

    /// Calls f(stage, first, last) for runs that make up each stage's items. When a call throws, calls that have not
    /// begun by then are left out, and the exception is thrown here.
    template <class F>
    void run(const Jobs& jobs, std::span<const Stage> stages, F&& f) {
        const int threads = jobs.run == nullptr ? 1 : std::min(jobs.threads, most_threads);
        if (threads <= 1) {
            for (std::size_t s = 0; s < stages.size(); ++s) {
                if (stages[s].items != 0) f(s, 0u, stages[s].items);
            }
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
                dissolve();  // or the others would wait for this block
                throw;
            }
        });
        if (is_dissolved()) do_rest(count, stages, f);
    }

private:
    static constexpr int most_threads = ThreadWatch::most_threads;
    static constexpr int patience = 1000;  ///< spins, some 20 to 40 microseconds

    /// Of each stage one that counts the items done, and one for each thread's part that counts the items taken. Lines
    /// of their own, or threads would wait for each other's writes.
    struct alignas(64) Counter {
        std::atomic<std::uint32_t> value{0};
    };

    /// One more than the last stage in which an item was taken, and in which it is done. Lines of their own, too.
    struct alignas(64) LocalItem {
        std::atomic<std::uint32_t> taken{0}, done{0};
    };

    /// A thread of the team, once it has come.
    struct alignas(64) Member {
        std::atomic<bool> here{false};
        std::atomic<ThreadClock> clock{};
    };

    bool is_dissolved() const { return dissolved_.load(std::memory_order_relaxed); }
    void dissolve() { dissolved_.store(true, std::memory_order_relaxed); }
    bool is_here(std::uint32_t worker) const { return members_[worker].here.load(std::memory_order_acquire); }

    /// A thread's waiting for what others do, in a loop of spins.
    class Waiting {
    public:
        Waiting(StageTeam& team, std::uint32_t worker, std::uint32_t threads)
            : team_(team), worker_(worker), threads_(threads) {}

        /// At the first spin: time to help those who have not come.
        bool is_first() const { return spins_ == 0; }
        /// Now and then: time to help those who are late.
        bool is_long() const { return spins_ != 0 && spins_ % patience == 0; }
        void spin() {
            if (is_long()) watch();
            ++spins_;
            pause_briefly();
        }

    private:
        void watch() {
            const bool aside = watch_.finds_one_aside(static_cast<int>(threads_), [this](int i) {
                const auto k = static_cast<std::uint32_t>(i);
                return k != worker_ && team_.is_here(k) ? team_.members_[k].clock.load(std::memory_order_relaxed)
                                                        : ThreadClock();
            });
            if (aside) team_.dissolve();
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

    /// A stage that all begin and end together.
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

    /// What nobody has taken of a thread's part, until the team dissolves.
    template <class F>
    void do_part(std::uint32_t part, std::uint32_t threads, std::span<const Stage> stages, std::size_t s, F&& f) {
        const Stage& stage = stages[s];
        Counter* const counters = &counters_[s * (threads + 1)];
        const std::uint32_t begin = cut(stage, part, threads), end = cut(stage, part + 1, threads);
        std::atomic<std::uint32_t>& taken = counters[1 + part].value;
        const std::uint32_t blocks = std::max((end - begin) / stage.block, 1u),
                            block = (end - begin + blocks - 1) / blocks;
        std::uint32_t done = 0;
        // Looked at first: an atomic addition is dearer than a load, and most parts of others are done.
        while (taken.load(std::memory_order_relaxed) < end - begin && !is_dissolved()) {
            const std::uint32_t first = begin + taken.fetch_add(block, std::memory_order_relaxed);
            if (first >= end) break;
            const std::uint32_t last = std::min(first + block, end);
            f(s, first, last);
            done += last - first;
        }
        if (done != 0) counters[0].value.fetch_add(done, std::memory_order_acq_rel);
    }

    /// What a team left that has dissolved, by the only thread.
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

    /// What a thread does of the local stages from `first` to before `last`.
    template <class F>
    struct LocalRun {
        StageTeam& team;
        std::span<const Stage> stages;
        const std::uint32_t first, last, worker, threads;
        F& f;
        std::uint32_t items = 0;
        std::array<std::uint8_t, most_local_items> owners{};

        void work() {
            for (std::uint32_t s = first; s < last; ++s) items = std::max(items, stages[s].items);
            std::uint32_t begin = 0, end = 0;
            for (std::uint32_t part = 0; part < threads; ++part) {
                const std::uint32_t from = cut(stages[first], part, threads);
                const std::uint32_t to = part + 1 == threads ? items : cut(stages[first], part + 1, threads);
                for (std::uint32_t i = from; i < to; ++i) owners[i] = static_cast<std::uint8_t>(part);
                if (part == worker) begin = from, end = to;
            }
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

        /// The next stage that has something to do for the item, or `last`.
        std::uint32_t next_stage(std::uint32_t i) const {
            std::uint32_t s = std::max(team.local_items_[i].done.load(std::memory_order_acquire), first);
            while (s < last && !has_work(stages[s], i)) ++s;
            return s;
        }
        bool has_reached(std::uint32_t i, std::uint32_t s) const { return next_stage(i) >= s; }
        bool is_ready(std::uint32_t s, std::uint32_t i) const {
            const std::uint32_t reach = i % 2 == 0 ? 1 : 2;  // what is between two places meets its like there
            for (std::uint32_t k = i - std::min(i, reach); k < std::min(i + reach + 1, items); ++k) {
                if (!has_reached(k, s)) return false;
            }
            return true;
        }

        void do_own(std::uint32_t s, std::uint32_t i) {
            for (Waiting waiting(team, worker, threads); !is_ready(s, i);) {
                if (team.local_items_[i].taken.load(std::memory_order_relaxed) > s) return;  // somebody helped
                if (team.is_dissolved()) return;
                help_and_wait(waiting);
            }
            do_once(s, i);
        }

        /// Of an item that is ready.
        void do_once(std::uint32_t s, std::uint32_t i) {
            LocalItem& item = team.local_items_[i];
            std::uint32_t before = item.taken.load(std::memory_order_relaxed);
            if (before > s || !item.taken.compare_exchange_strong(before, s + 1, std::memory_order_relaxed)) return;
            f(s, i, i + 1);
            item.done.store(s + 1, std::memory_order_release);
        }

        /// Helps at once where a thread has not come, now and then where one is late.
        void help_and_wait(Waiting& waiting) {
            const bool any_help = waiting.is_first() || waiting.is_long();
            for (std::uint32_t i = 0; any_help && i < items && !team.is_dissolved(); ++i) {
                if (waiting.is_first() && team.is_here(owners[i])) continue;
                const std::uint32_t s = next_stage(i);
                if (s < last && is_ready(s, i)) do_once(s, i);
            }
            waiting.spin();
        }
    };

    /// Where a part begins. Few items are one part.
    static std::uint32_t cut(const Stage& stage, std::uint32_t part, std::uint32_t threads) {
        if (stage.costs != nullptr) {
            const std::uint64_t all = stage.costs[stage.items - 1];
            std::uint32_t i = 0;
            // To the side where more of it lies.
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
