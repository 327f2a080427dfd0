#pragma once
/// Which articulations can be in a batch, and what the articulations of a batch have in common.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Whether a prepared articulation can be in a batch while all of it is awake.
bool fits_into_batch(const Articulations& s, const Articulation& a);

/// Whether all dynamic links of an articulation move in this step.
bool is_awake(const Articulations& s, const Articulation& a);

/// Returns the layout of an articulation that fits: an earlier one if it is the same.
const BatchLayout* layout_of(Articulations& s, const Articulation& a);

}  // namespace talus
