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
/// Stages that follow each other and are *local* need less: an item of theirs waits for its neighbours in the stage
/// before, i - 1, i and i + 1, and for nobody else. A thread then waits for another only at the border of their parts,
/// and hardly there: it does the items at its borders in the middle of each stage, half a stage after its neighbour has
/// done those that they need.
///
/// Each thread does the blocks of its own part, the same in each stage, so that they stay in its cache. Another takes
/// them only if their thread is late: a block costs twice as much where it is not at home. So nobody waits for long for
/// a block that nobody has begun: a host that runs the tasks one after the other, or never all at once, is slower, but
/// not stuck.

#include <talus/jobs.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>

namespace talus {

struct Stage {
    std::uint32_t items = 0;
    /// Items that are worth being taken at a time, at least 1; a fifth as many are left to one thread.
    std::uint32_t block = 1;
    /// By item: what there is to do for all up to and with this one; without, all are alike.
    const std::uint32_t* loads = nullptr;
    bool local = false;  ///< at most `most_local_items`, each a block
};

class StageTeam {
public:
    static constexpr std::uint32_t most_local_items = 64;

    StageTeam() = default;
    // What a copied world begins with is its own.
    StageTeam(const StageTeam&) {}
    StageTeam& operator=(const StageTeam&) { return *this; }

    /// Calls f(stage, first, last) for runs that make up each stage's items.
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
        for (std::atomic<bool>& here : here_) here.store(false, std::memory_order_relaxed);
        jobs.for_each(threads, [&](int worker) { work(static_cast<std::uint32_t>(worker), count, stages, f); });
    }

private:
    static constexpr int most_threads = 64;
    static constexpr int patience = 1500;  ///< spins, some 20 microseconds

    /// Of each stage one that counts the items done, and one for each thread's part that counts the items taken. Lines
    /// of their own, or threads would wait for each other's writes.
    struct alignas(64) Counter {
        std::atomic<std::uint32_t> value{0};
    };

    /// In how many stages of the list an item has been taken and is done, those of earlier runs of local stages left
    /// out. Lines of their own, too.
    struct alignas(64) LocalItem {
        std::atomic<std::uint32_t> taken{0}, done{0};
    };

    template <class F>
    void work(std::uint32_t worker, std::uint32_t threads, std::span<const Stage> stages, F&& f) {
        here_[worker].store(true, std::memory_order_relaxed);
        for (std::uint32_t s = 0; s < stages.size();) {
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
        const auto do_part = [&](std::uint32_t part) {
            const std::uint32_t begin = cut(stage, part, threads), end = cut(stage, part + 1, threads);
            std::atomic<std::uint32_t>& taken = counters[1 + part].value;
            const std::uint32_t blocks = std::max((end - begin) / stage.block, 1u),
                                block = (end - begin + blocks - 1) / blocks;
            std::uint32_t done = 0;
            // Looked at first: an atomic addition is dearer than a load, and most parts of others are done.
            while (taken.load(std::memory_order_relaxed) < end - begin) {
                const std::uint32_t first = begin + taken.fetch_add(block, std::memory_order_relaxed);
                if (first >= end) break;
                const std::uint32_t last = std::min(first + block, end);
                f(s, first, last);
                done += last - first;
            }
            if (done != 0) all_done.fetch_add(done, std::memory_order_acq_rel);
        };
        do_part(worker);
        for (int spins = 0; all_done.load(std::memory_order_acquire) < stage.items; ++spins) {
            // Once for those that have not come, once more for those that are late.
            for (std::uint32_t part = 0; part < threads && (spins == 0 || spins == patience); ++part) {
                if (spins != 0 || !here_[part].load(std::memory_order_relaxed)) do_part(part);
            }
            wait(spins);
        }
    }

    static void wait(int spins) {
        if (spins < patience) {
            __builtin_ia32_pause();
        } else {
            std::this_thread::yield();
        }
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
            std::uint32_t widest = first;
            for (std::uint32_t s = first; s < last; ++s) {
                if (stages[s].items > stages[widest].items) widest = s;
            }
            items = stages[widest].items;
            std::uint32_t begin = 0, end = 0;
            for (std::uint32_t part = 0; part < threads; ++part) {
                const std::uint32_t from = cut(stages[widest], part, threads),
                                    to = cut(stages[widest], part + 1, threads);
                for (std::uint32_t i = from; i < to; ++i) owners[i] = static_cast<std::uint8_t>(part);
                if (part == worker) begin = from, end = to;
            }
            for (std::uint32_t s = first; s < last; ++s) {
                for (std::uint32_t k = 0; k < end - begin; ++k) do_own(s, nth_of_part(k, begin, end));
            }
            for (int spins = 0; !all_done(); ++spins) {
                help(spins);
                wait(spins);
            }
        }

        /// The order of a part's items: its borders come in the middle.
        static std::uint32_t nth_of_part(std::uint32_t k, std::uint32_t begin, std::uint32_t end) {
            const std::uint32_t count = end - begin, half = count > 2 ? (count - 2) / 2 : 0;
            if (k < half) return begin + 1 + k;
            if (k == half) return begin;
            return k == half + 1 ? end - 1 : begin + k - 1;
        }

        std::uint32_t taken(std::uint32_t i) const {
            return std::max(team.local_items_[i].taken.load(std::memory_order_relaxed), first);
        }
        std::uint32_t done(std::uint32_t i) const {
            return std::max(team.local_items_[i].done.load(std::memory_order_acquire), first);
        }
        bool all_done() const {
            for (std::uint32_t i = 0; i < items; ++i) {
                if (done(i) < last) return false;
            }
            return true;
        }
        bool is_ready(std::uint32_t s, std::uint32_t i) const {
            return done(i) >= s && (i == 0 || done(i - 1) >= s) && (i + 1 == items || done(i + 1) >= s);
        }

        void do_own(std::uint32_t s, std::uint32_t i) {
            for (int spins = 0; !is_ready(s, i); ++spins) {
                if (taken(i) > s) return;  // somebody helped
                help(spins);
                wait(spins);
            }
            do_once(s, i);
        }

        /// Of an item that is ready.
        void do_once(std::uint32_t s, std::uint32_t i) {
            LocalItem& item = team.local_items_[i];
            std::uint32_t before = item.taken.load(std::memory_order_relaxed);
            if (std::max(before, first) != s ||
                !item.taken.compare_exchange_strong(before, s + 1, std::memory_order_relaxed))
                return;
            if (i < stages[s].items) f(s, i, i + 1);
            item.done.store(s + 1, std::memory_order_release);
        }

        /// Once for those that have not come, now and then for those that are late.
        void help(int spins) {
            if (spins % patience != 0) return;
            for (std::uint32_t i = 0; i < items; ++i) {
                if (spins == 0 && team.here_[owners[i]].load(std::memory_order_relaxed)) continue;
                const std::uint32_t s = done(i);
                if (s < last && taken(i) == s && is_ready(s, i)) do_once(s, i);
            }
        }
    };

    /// Where a part begins. Few items are one part.
    static std::uint32_t cut(const Stage& stage, std::uint32_t part, std::uint32_t threads) {
        if (stage.loads != nullptr) {
            const std::uint64_t all = stage.loads[stage.items - 1];
            std::uint32_t i = 0;
            // To the side where more of it lies.
            while (i < stage.items &&
                   (i == 0 ? 0 : stage.loads[i - 1]) + std::uint64_t{stage.loads[i]} <= 2 * all * part / threads)
                ++i;
            return part == threads ? stage.items : part == 0 ? 0 : i;
        }
        if (5 * stage.items <= stage.block) return part == 0 ? 0 : stage.items;
        return static_cast<std::uint32_t>(std::uint64_t{stage.items} * part / threads);
    }

    std::array<std::atomic<bool>, most_threads> here_{};
    std::array<LocalItem, most_local_items> local_items_;
    std::unique_ptr<Counter[]> counters_;
    std::size_t capacity_ = 0;
};

}  // namespace talus
