#pragma once
/// Selects the rows that a joint has in a step, and sets their targets and bounds.

#include "engine/joint_solver/articulations.h"

#include <span>

namespace talus {

/// Fills in a link's mass and its state at the step's start; `link.solver` must be set.
void prepare_link(Articulations& s, Link& link, const BodyStore& bodies, std::span<const SolverMass> masses);

/// Adds the rows of a joint, with the impulses of the last sub-step. Appends the space for their numbers to `sizes`.
void prepare_joint(Articulations& s, SolverJoint& joint, const Joint& user_joint, const BodyStore& bodies,
                   RowSizes& sizes);

}  // namespace talus
