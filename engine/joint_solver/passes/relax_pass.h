#pragma once
/// The second pass of a sub-step, which removes the velocities that position errors have caused.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Evaluates the rows at the new poses and runs the pass. Also updates the joints' loads and the opening of the worst
/// joint.
void relax_articulation(Articulations& s, Articulation& a);

/// Runs the pass once more after relax_articulation(), so that the joints transmit the impulses that contacts have
/// added since.
void relax_again(Articulations& s, Articulation& a);

}  // namespace talus
