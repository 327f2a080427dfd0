#pragma once
/// Softness and bias of spring rows, from their frequency and damping ratio.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Sets softness, bias rate and slack of a joint's springs. The joint's rows must have been evaluated.
void soften_springs(Articulations& s, SolverJoint& joint);

}  // namespace talus
