#pragma once
/// Sums of the rows' impulses, as the forces that users read. They are scaled when the energy of a sub-step is bounded.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Adds the impulses of a pass to the joints' reports. `scale` is the fraction of them that was kept.
void report_impulses(Articulations& s, const Articulation& a, JointPass pass, bool again, double scale);

/// Makes scale_impulses() scale only the impulses that are added later.
void note_impulses(Articulations& s);

/// Multiplies by `kept` the impulses since the sub-step began, or since note_impulses().
void scale_impulses(Articulations& s, const Articulation& a, double kept);

/// Writes angles, forces and the state for the next step to the joints. `step` is in seconds.
void store_results(const Articulations& s, JointStore& joints, float step);

}  // namespace talus
