#pragma once
/// The second pass of a sub-step, which removes what position errors have put into the velocities.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Evaluates the rows at the new poses and runs the pass. Also updates the joints' loads and how far the worst is open.
void relax_articulation(Articulations& s, Articulation& a);

/// After relax_articulation(): runs the pass once more, so that the joints transmit the impulses that contacts have added
/// since.
void relax_again(Articulations& s, Articulation& a);

}  // namespace talus
