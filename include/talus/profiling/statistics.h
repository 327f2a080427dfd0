#pragma once
/// Quantiles and worst ones, for whoever tells what frames cost.

#include <talus/engine/profile.h>

#include <vector>

namespace talus {

/// The q-quantile (0 to 1) of the values, by the nearest rank: one of them. 0 when there are none. Reorders them.
double take_quantile(std::vector<double>& values, double q);

/// The same of a copy.
inline double quantile_of(std::vector<double> values, double q) { return take_quantile(values, q); }

/// Whether the system left a frame alone; of others the times say more about the machine.
inline bool is_calm(const FrameProfile& frame) { return frame.interruptions == 0; }

/// Whether a value of a frame is worse than one of another frame: those of calm frames are worse than all others.
inline bool is_worse(bool calm, double value, bool other_calm, double other) {
    return calm != other_calm ? calm : value > other;
}

}  // namespace talus
