#pragma once
/// Impulses of rows, added up as the forces that users read, and scaled where the energy of a sub-step is bounded.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Adds the impulses of a pass, of which the part `scale` was kept, to what the joints report.
void report_impulses(Articulations& s, const Articulation& a, JointPass pass, bool again, double scale);

/// From here on, scale_impulses() scales only what is added later.
void note_impulses(Articulations& s);

/// Keeps the part `kept` of the impulses since the sub-step began, or since note_impulses().
void scale_impulses(Articulations& s, const Articulation& a, double kept);

/// Writes angles, forces and the state for the next step to the joints; `step` in seconds.
void store_results(const Articulations& s, JointStore& joints, float step);

}  // namespace talus
