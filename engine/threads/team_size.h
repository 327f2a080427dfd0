#pragma once
/// Chooses how many threads a step uses.
///
/// Several threads are faster only as long as each of them has a processor. If other programs need the processors, too,
/// the system preempts a thread for some milliseconds in the middle of its work, and all other threads wait for it: a
/// step of 0.8 ms takes 5 or 40 ms. No other thread can take over work that is half done. So these delays are counted.
/// If there is more than one in some 500 steps, the next 500 steps use one thread less; after that, one more thread is
/// tried again. So few steps are delayed that the 99th percentile does not show them, and on a quiet machine a rare
/// interruption changes nothing.
///
/// Results do not depend on the number of threads, so it may depend on a clock.

#include <algorithm>

namespace talus {

class TeamSize {
public:
    /// Returns the number of threads for the next step, 1 to `most`.
    int threads(int most) const { return std::clamp(size_, 1, most); }

    /// Notes that a step on threads(most) threads took the time `step`, and was delayed by the time `delay` on top of
    /// that, both in one unit of any kind. With one thread nobody waits, so `delay` does not count.
    void note(int most, double step, double delay) {
        const int size = threads(most);
        const double counted = size == 1 ? 0.0 : std::clamp(delay / step - least_delay, 0.0, most_delays);
        delays_ = std::clamp(delays_ + counted - forgotten_per_step, -most_delays, most_delays);
        ++steps_since_drop_;
        ++steps_since_growth_;
        if (counted > 0.0 && delays_ > tolerated) {
            drop_ = steps_since_drop_ <= soon ? 2 * drop_ : 1;
            size_ = std::max(size - drop_, 1);
            steps_since_drop_ = 0;
        } else if (size < most && delays_ <= 0.0 && steps_since_growth_ > trial) {
            size_ = size + 1;
            steps_since_growth_ = 0;
        }
    }

private:
    // A step that takes twice as long counts as about one delay, and a longer one counts a little more.
    static constexpr double least_delay = 0.125;  ///< shorter delays do not count; fraction of a step
    static constexpr double most_delays = 1.25, tolerated = 0.25;
    static constexpr double forgotten_per_step = 1.0 / 400;
    static constexpr int trial = 32;  ///< steps with one more thread before another one is added
    static constexpr int soon = 16;   ///< steps; if threads must be dropped again so soon, twice as many are dropped

    int size_ = 1 << 30;  ///< at first, all threads
    int drop_ = 1, steps_since_drop_ = soon, steps_since_growth_ = trial;
    double delays_ = -most_delays;  ///< number of recent delays; below 0: so many more are tolerated
};

}  // namespace talus
