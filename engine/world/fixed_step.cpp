#include <talus/engine/fixed_step.h>

#include <cmath>

namespace talus {

FixedStep::FixedStep(float dt, int max_steps)
    : dt_(std::isfinite(dt) && dt > 0.0f ? dt : 1.0f / 60.0f), max_steps_(max_steps < 1 ? 1 : max_steps) {}

int FixedStep::advance(double seconds) {
    if (std::isfinite(seconds) && seconds > 0.0) accumulated_ += seconds;
    // A frame of exactly n steps must give n steps although sums of seconds are rounded, so a step begins a millionth
    // early.
    const double steps = std::floor(accumulated_ / dt_ + 1e-6);
    if (steps <= 0.0) return 0;
    if (steps > max_steps_) {
        dropped_ += (steps - max_steps_) * dt_;
        accumulated_ -= (steps - max_steps_) * dt_;
        accumulated_ -= static_cast<double>(max_steps_) * dt_;
        if (accumulated_ < 0.0) accumulated_ = 0.0;
        return max_steps_;
    }
    accumulated_ -= steps * dt_;
    if (accumulated_ < 0.0) accumulated_ = 0.0;
    return static_cast<int>(steps);
}

float FixedStep::alpha() const {
    const double a = accumulated_ / dt_;
    return static_cast<float>(a < 0.0 ? 0.0 : a > 1.0 ? 1.0 : a);
}

}  // namespace talus
