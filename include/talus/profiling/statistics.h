#pragma once
/// Quantiles of the times of frames, and which of two frames is the worse.

#include <talus/engine/profile.h>

#include <vector>

namespace talus {

/// The q-quantile (0 to 1) of the values, by the nearest rank: one of them. 0 when there are none. Reorders them.
double take_quantile(std::vector<double>& values, double q);

/// The same of a copy.
inline double quantile_of(std::vector<double> values, double q) { return take_quantile(values, q); }

/// Whether the system did not interrupt the frame. The times of interrupted frames say more about the machine.
inline bool is_calm(const FrameProfile& frame) { return frame.interruptions == 0; }

/// Whether the value of one frame is worse than that of another. Values of calm frames count as worse than those of interrupted ones.
inline bool is_worse(bool calm, double value, bool other_calm, double other) {
    return calm != other_calm ? calm : value > other;
}

}  // namespace talus
