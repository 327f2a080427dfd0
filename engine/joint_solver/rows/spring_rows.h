#pragma once
/// Softness and bias of spring rows, from their frequency and damping ratio.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// The factors of a spring that depend only on its definition and on the length of a sub-step.
struct SpringFactors {
    double bias_rate = 0.0;  ///< JointRow::bias_rate, 1/s
    double softness = 0.0;   ///< JointRow::softness, as a multiple of the response that the joint's locks leave
};
SpringFactors spring_factors(const JointRow& spring, double substep);

/// Sets softness, bias rate and slack of a joint's springs. The joint's rows must have been evaluated.
void soften_springs(Articulations& s, SolverJoint& joint);

}  // namespace talus
