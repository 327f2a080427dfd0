#pragma once
/// Steps of a fixed length in a game loop of any frame rate.

#include <cstdint>

namespace talus {

/// Turns frames of any length into steps of length `dt`. It adds up the time of the frames and says how many steps are
/// due. The time that is left over, as a part of `dt`, is `alpha`: the weight of the newest pose when you interpolate
/// between the last two. If a frame is so long that more than `max_steps` steps are due, the time beyond them is
/// dropped: the simulation then runs slower than the clock, and dropped_seconds() counts by how much.
///
///     FixedStep clock{1.0f / 60.0f};
///     for (int i = clock.advance(frame_seconds); i > 0; --i) { remember poses; world.step(clock.dt()); }
///     draw(mix(previous pose, pose, clock.alpha()));
class FixedStep {
public:
    /// `dt` is in seconds; if it is not finite or not above 0, 1/60 takes its place. A `max_steps` below 1 counts as 1.
    explicit FixedStep(float dt = 1.0f / 60.0f, int max_steps = 8);

    /// Adds a frame of `seconds` and returns how many steps are due. Negative and non-finite values count as 0.
    int advance(double seconds);

    float dt() const { return dt_; }                     ///< length of a step, s
    float alpha() const;                                 ///< time since the last step divided by dt, 0 to 1
    double dropped_seconds() const { return dropped_; }  ///< sum of the dropped time so far, s

private:
    float dt_;
    int max_steps_;
    double accumulated_ = 0.0;
    double dropped_ = 0.0;
};

}  // namespace talus
