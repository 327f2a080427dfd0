#pragma once
/// A fixed simulation step inside a game loop of any frame rate.

#include <cstdint>

namespace talus {

/// Collects frame time and hands it out in steps of `dt`; what is left over becomes `alpha`, the weight of the newest
/// pose when you interpolate. When a frame is so long that catching up would take more than `max_steps`, the rest is
/// dropped (the simulation slows down instead of spiralling to death) and counted.
///
///     FixedStep clock{1.0f / 60.0f};
///     for (int i = clock.advance(frame_seconds); i > 0; --i) { remember poses; world.step(clock.dt()); }
///     draw(mix(previous pose, pose, clock.alpha()));
class FixedStep {
public:
    /// A dt that is not above 0 and finite becomes 1/60 s, a max_steps below 1 becomes 1.
    explicit FixedStep(float dt = 1.0f / 60.0f, int max_steps = 8);

    /// Adds a frame of `seconds` (negative, NaN and infinite ones count as 0) and returns how many steps to run now.
    int advance(double seconds);

    float dt() const { return dt_; }
    float alpha() const;                                 ///< 0 to 1: time since the last step in units of dt
    double dropped_seconds() const { return dropped_; }  ///< simulated time given up so far

private:
    float dt_;
    int max_steps_;
    double accumulated_ = 0.0;
    double dropped_ = 0.0;
};

}  // namespace talus
