#pragma once
/// A list of stages, each cut into blocks, done by several threads: no block of a stage starts before all of the stage before are done.
///
/// The solver has some hundred stages of a few microseconds each: too short to call the host's job system for each. So the threads
/// stay for the whole list, and meet after each stage:
///
///     stage    0           1        2
///     thread 0 [b0][b1]....[b0].....[b0][b1]      ... wait, spinning
///     thread 1 [b2][b3][b4][b1][b2].[b2]....
///
/// Each thread begins with the blocks of its own part, the same in each stage so that they stay in its cache, and then
/// takes what is left of the others'. Nobody waits for a block that nobody has begun: a host that runs the tasks one after the other, or
/// never all at once, is slower, but not stuck.

#include <talus/jobs.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>

namespace talus {

struct Stage {
    std::uint32_t items = 0;
    std::uint32_t block = 1;  ///< items that are worth being taken by a thread
};

class StageTeam {
public:
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
        if (capacity_ < stages.size()) {
            capacity_ = 2 * stages.size();
            counters_ = std::make_unique<Counter[]>(capacity_);
        }
        for (std::size_t s = 0; s < stages.size(); ++s) counters_[s].reset();
        jobs.for_each(threads, [&](int worker) { work(static_cast<std::uint32_t>(worker), static_cast<std::uint32_t>(threads), stages, f); });
    }

private:
    static constexpr int most_threads = 15;

    /// One cache line a stage.
    struct alignas(64) Counter {
        std::atomic<std::uint32_t> taken[most_threads];  ///< blocks of each part
        std::atomic<std::uint32_t> done;                 ///< of all parts

        void reset() {
            for (auto& part : taken) part.store(0, std::memory_order_relaxed);
            done.store(0, std::memory_order_relaxed);
        }
    };

    template <class F>
    void work(std::uint32_t worker, std::uint32_t threads, std::span<const Stage> stages, F&& f) {
        for (std::size_t s = 0; s < stages.size(); ++s) {
            const Stage& stage = stages[s];
            Counter& counter = counters_[s];
            const std::uint32_t blocks = (stage.items + stage.block - 1) / stage.block;
            for (std::uint32_t k = 0; k < threads; ++k) {
                const std::uint32_t part = worker + k < threads ? worker + k : worker + k - threads;
                const std::uint32_t begin = blocks * part / threads, end = blocks * (part + 1) / threads;
                // Looked at first: an atomic addition is dearer than a load, and most parts of others are done.
                while (counter.taken[part].load(std::memory_order_relaxed) < end - begin) {
                    const std::uint32_t block = begin + counter.taken[part].fetch_add(1, std::memory_order_relaxed);
                    if (block >= end) break;
                    f(s, block * stage.block, std::min((block + 1) * stage.block, stage.items));
                    counter.done.fetch_add(1, std::memory_order_release);
                }
            }
            for (int spins = 0; counter.done.load(std::memory_order_acquire) < blocks; ++spins) {
                if (spins < 1000) {
                    __builtin_ia32_pause();
                } else {
                    std::this_thread::yield();
                }
            }
        }
    }

    std::unique_ptr<Counter[]> counters_;
    std::size_t capacity_ = 0;
};

}  // namespace talus
