#pragma once
/// Finds out whether other threads are running. A thread that waits for another one should know: while the other one
/// runs, spinning is the fastest way to wait; while the system has preempted it for another program, for milliseconds,
/// spinning only delays its return.

#include "common/lanes/processor.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <pthread.h>
#include <time.h>
#endif

namespace talus {

/// A thread's processor time, which stands still while the thread does not run.
class ThreadClock {
public:
    static constexpr std::int64_t unknown = -1;

    ThreadClock() = default;  ///< the clock of no thread

    static ThreadClock of_this_thread() {
        ThreadClock clock;
#if defined(__linux__)
        if (pthread_getcpuclockid(pthread_self(), &clock.id_) != 0) clock.id_ = none;
#endif
        return clock;
    }

    /// Nanoseconds; `unknown` on systems without such clocks, for a thread that has ended, and for no thread.
    std::int64_t now() const {
#if defined(__linux__)
        timespec time;
        if (id_ != none && clock_gettime(id_, &time) == 0)
            return std::int64_t{1000000000} * time.tv_sec + std::int64_t{time.tv_nsec};
#endif
        return unknown;
    }

private:
#if defined(__linux__)
    static constexpr clockid_t none = CLOCK_REALTIME;  ///< not the clock of a thread
    clockid_t id_ = none;
#endif
};

using detail::pause_briefly;

/// Wall time, ns, from a clock that never goes back.
inline std::int64_t wall_clock_ns() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Watches threads, and finds out when the system preempts one of them.
class ThreadWatch {
public:
    static constexpr int most_threads = 64;

    /// To be called about every 20 us while waiting; a call costs a third of a microsecond per thread. Returns true if
    /// one of the threads did not run for most of the time since the last call. `clock_of(i)` is the clock of thread i,
    /// or that of no thread if the caller does not wait for thread i. On systems without such clocks it returns true
    /// after 2 ms.
    template <class ClockOf>
    bool finds_preempted(int threads, ClockOf&& clock_of) {
        constexpr std::int64_t least = 10000, blind_patience = 2000000;  // ns
        const std::int64_t wall = wall_clock_ns(), passed = wall - last_look_;
        if (first_look_ == 0) {
            first_look_ = wall;
        } else if (passed < least) {
            return false;
        }
        bool preempted = first_look_ != wall && wall - first_look_ > blind_patience;
        for (int i = 0; i < threads; ++i) {
            const std::int64_t now = clock_of(i).now();
            std::int64_t& before = times_[static_cast<std::size_t>(i)];
            const bool known = now != ThreadClock::unknown;
            if (known && first_look_ != wall && before != ThreadClock::unknown && 4 * (now - before) < passed)
                return true;
            preempted = preempted && !known;
            before = now;
        }
        last_look_ = wall;
        return preempted;
    }

private:
    std::int64_t first_look_ = 0, last_look_ = 0;
    std::array<std::int64_t, most_threads> times_;  ///< at the last look
};

}  // namespace talus
