#pragma once
/// A line on the terminal that follows a long run.

#include <chrono>
#include <string>
#include <string_view>

namespace talus::samples {

/// How far a run is.
struct Pace {
    int done = 0, steps = 0;
    double steps_per_second = 0;  ///< 0: not known yet
};

/// Such as "hullpile  [#######.......]  48%  240/500 steps  1043 steps/s  0:12 left": at most `columns` letters (those of
/// the bar, then the end, give way), without a line's end. `fine` draws the bar with letters that are not ASCII.
std::string progress_line(std::string_view what, const Pace& pace, int columns, bool fine);

/// Shows that line on stderr, ten times per second at most; nothing where stderr is no terminal.
class Progress {
public:
    Progress();
    void show(std::string_view what, int done, int steps);
    void clear();  ///< before anything else is printed, and at the end of a run

private:
    using Clock = std::chrono::steady_clock;

    bool on_, fine_, colors_;
    bool shown_ = false;
    int noted_ = 0;      ///< steps that were done when the pace was measured last
    double pace_ = 0.0;  ///< steps per second, of late
    Clock::time_point noted_at_, shown_at_{};
};

}  // namespace talus::samples
