#pragma once
/// How many threads a step uses.
///
/// Several threads are quicker only as long as each has a processor. Where other programs want the processors, too, the
/// system puts a thread aside for some milliseconds, in the middle of what it is doing, and all others wait for it: a
/// step of 0.8 ms becomes one of 5 or 40. Nobody can take over what that thread has half done. So such hitches are
/// counted, and when more than one comes in some 500 steps, as many steps use one thread less; then it is tried again.
/// So few steps are held up that the 99th percentile does not show them, and on a quiet machine an interruption now and
/// then changes nothing.
///
/// Results do not depend on how many threads there are, so a clock may choose their number.

#include <algorithm>

namespace talus {

class TeamSize {
public:
    /// For the next step, of `most`, at least 1.
    int threads(int most) const { return std::clamp(size_, 1, most); }

    /// A step took `step` and was held up for another `aside`, in any one unit, on threads(most) threads. With one
    /// thread nobody waits, so `aside` does not count.
    void note(int most, double step, double aside) {
        const int size = threads(most);
        const double hitch = size == 1 ? 0.0 : std::clamp(aside / step - unfelt, 0.0, most_hitches);
        hitches_ = std::clamp(hitches_ + hitch - forgotten_per_step, -most_hitches, most_hitches);
        ++steps_since_drop_;
        ++steps_since_growth_;
        if (hitch > 0.0 && hitches_ > tolerated) {
            drop_ = steps_since_drop_ <= soon ? 2 * drop_ : 1;
            size_ = std::max(size - drop_, 1);
            steps_since_drop_ = 0;
        } else if (size < most && hitches_ <= 0.0 && steps_since_growth_ > trial) {
            size_ = size + 1;
            steps_since_growth_ = 0;
        }
    }

private:
    // A hitch is a step that takes twice as long; one that takes longer counts a little more.
    static constexpr double unfelt = 0.125;  ///< part of a step
    static constexpr double most_hitches = 1.25, tolerated = 0.25;
    static constexpr double forgotten_per_step = 1.0 / 400;
    static constexpr int trial = 32;  ///< steps with a thread more, before another one is added
    static constexpr int soon = 16;   ///< steps; a team that must drop threads again drops more

    int size_ = 1 << 30;  ///< as many as there are
    int drop_ = 1, steps_since_drop_ = soon, steps_since_growth_ = trial;
    double hitches_ = -most_hitches;  ///< below 0: so many are still to come before it matters
};

}  // namespace talus
