#pragma once
/// Threads that are only counted: the calling thread does the tasks of all of them, one after the other, and a clock
/// that runs slower says how long it would have taken if each thread had a processor of its own.
///
/// The clock leaves out what costs time between processors: waking threads, waiting for a signal, moving data from
/// cache to cache. So it gives an upper bound of what threads can save.

#include <talus/jobs.h>
#include "common/stopwatch.h"
#include "common/thread_clock.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace talus {

class SimulatedThreads {
public:
    static constexpr int most_threads = ThreadWatch::most_threads;

    using Clock = std::uint64_t (*)();  ///< returns a time that never goes back, in ticks

    explicit SimulatedThreads(Clock clock = ticks) : clock_(clock) {}
    // A copied world has its own.
    SimulatedThreads(const SimulatedThreads& other) : clock_(other.clock_) {}
    SimulatedThreads& operator=(const SimulatedThreads&) { return *this; }

    /// Returns the job system of a step.
    Jobs jobs(int threads) {
        threads_ = std::clamp(threads, 1, most_threads);
        return {.threads = threads_, .run = run_tasks, .host = this};
    }
    /// Returns the simulated threads of a job system, or null if its threads are real.
    static SimulatedThreads* of(const Jobs& jobs) {
        return jobs.run == run_tasks ? static_cast<SimulatedThreads*>(jobs.host) : nullptr;
    }

    /// The time in ticks, less what the threads have saved so far.
    std::uint64_t now() const { return clock_() - saved_; }
    /// What began at now() == `begin` takes only `span` ticks.
    void end(std::uint64_t begin, std::uint64_t span) { saved_ = clock_() - begin - span; }

    /// When each thread becomes free, in ticks since a common beginning.
    class Clocks {
    public:
        std::uint64_t& operator[](std::uint32_t thread) { return ends_[thread]; }
        std::uint64_t last() const { return *std::max_element(ends_.begin(), ends_.end()); }
        /// All threads wait for the last one.
        void meet() { ends_.fill(last()); }
        /// The first `threads` threads; returns the one that becomes free first.
        std::uint64_t& first_free(int threads) { return *std::min_element(ends_.begin(), ends_.begin() + threads); }

    private:
        std::array<std::uint64_t, most_threads> ends_{};
    };

private:
    static void run_tasks(void* self, int count, Jobs::Task task, void* data) {
        SimulatedThreads& s = *static_cast<SimulatedThreads*>(self);
        const std::uint64_t begin = s.now();
        Clocks clocks;
        for (int i = 0; i < count; ++i) {
            const std::uint64_t task_begin = s.now();
            task(data, i);
            clocks.first_free(s.threads_) += s.now() - task_begin;
        }
        s.end(begin, clocks.last());
    }

    Clock clock_;
    int threads_ = 1;
    std::uint64_t saved_ = 0;
};

}  // namespace talus
