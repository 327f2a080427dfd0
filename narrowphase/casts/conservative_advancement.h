#pragma once
/// Internal: the loop of time_of_impact. time_of_impact.h explains the method.

#include <talus/narrowphase/time_of_impact.h>
#include "narrowphase/casts/mover.h"
#include "narrowphase/support/minkowski.h"

namespace talus::detail {

/// Moves the difference of the two cores to the time t, and returns A's rotation then.
dquat set_pose(MinkowskiDifference& difference, const Mover& a, const Mover& b, double t);

/// Returns the first time at which two shapes that move like `a` and `b` come within `target` (m) of each other, to
/// within `tolerance` (m). The time is a fraction of the duration. `difference` is that of their cores; the function
/// moves it. `radii` is the sum of both radii.
///
/// With a negative target, the distance of cores that overlap is -depth, from EPA. The signed distance is the largest
/// of the gaps along all axes, whatever its sign. So the gap along one axis is a lower bound for overlapping cores,
/// too.
TimeOfImpact advance(MinkowskiDifference& difference, const Mover& a, const Mover& b, double radius_a, double radii,
                     double target, double tolerance);

}  // namespace talus::detail
