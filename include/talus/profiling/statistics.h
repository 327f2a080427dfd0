#pragma once
/// Quantiles of the times of frames, and which of two frames is the worse.

#include <talus/engine/profile.h>

#include <vector>

namespace talus {

/// Returns the q-quantile (q from 0 to 1) of the values by the nearest rank, so it is one of them; 0 if there are none.
/// Reorders the values.
double take_quantile(std::vector<double>& values, double q);

/// The same, without reordering the values.
inline double quantile_of(std::vector<double> values, double q) { return take_quantile(values, q); }

/// Returns whether the system did not interrupt the frame. The times of interrupted frames say more about the machine.
inline bool is_calm(const FrameProfile& frame) { return frame.interruptions == 0; }

/// Returns whether the value of one frame is worse than that of another. Values of calm frames count as worse than
/// those of interrupted ones.
inline bool is_worse(bool calm, double value, bool other_calm, double other) {
    return calm != other_calm ? calm : value > other;
}

}  // namespace talus
