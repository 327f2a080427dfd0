#pragma once
/// Selects the rows that a joint has in a step, and sets their targets and bounds.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Prepares an articulation's links and joints for the step, from the bodies and the user's joints, with the impulses of
/// the last sub-step. Returns false if the number of its rows has changed: then the rows of all joints have to be laid
/// out anew, and this has to be called again.
bool prepare_articulation(Articulations& s, Articulation& a);

/// Prepares an articulation if that has not been done in this step. Its number of rows must not have changed.
void prepare_once(Articulations& s, Articulation& a);

/// Gives the rows of all articulations, and their numbers, places in the arrays.
void lay_out_rows(Articulations& s);

/// Returns whether an articulation's rows depend on something that has changed since it was prepared: its joints' or
/// bodies' definitions, or the length of a sub-step.
bool has_changed(const Articulations& s, const Articulation& a);

}  // namespace talus
