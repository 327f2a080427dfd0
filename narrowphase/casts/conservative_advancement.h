#pragma once
/// Internal: the loop of time_of_impact. time_of_impact.h explains the method.

#include <talus/narrowphase/time_of_impact.h>
#include "narrowphase/casts/mover.h"
#include "narrowphase/support/minkowski.h"

namespace talus::detail {

/// Moves the difference of the two cores to where they are at the time t, and returns A's rotation then.
dquat set_pose(MinkowskiDifference& difference, const Mover& a, const Mover& b, double t);

/// Returns the first time at which two bodies that move like `a` and `b` come within `target` (m) of each other, to
/// within `tolerance` (m). The answer's time is a share of the duration. `difference` is that of their cores; it is
/// moved along. `radii`: the sum of both radii.
///
/// With a negative target, cores that overlap are at the distance -depth that EPA gives. That distance is the largest
/// of the gaps along all axes, whatever its sign, so that one axis proves what it does for cores that are apart.
TimeOfImpact advance(MinkowskiDifference& difference, const Mover& a, const Mover& b, double radius_a, double radii,
                     double target, double tolerance);

}  // namespace talus::detail
