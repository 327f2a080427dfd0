#pragma once
/// Which bounded rows are free, that is, in the direct solve: an active-set method.
///
/// A row below its bounds is free. A row at a bound acts with a constant impulse, the bound. Each round releases rows that the
/// rest pulls off their bounds, and clamps rows that would pass them. The last word is always a direct solve of all
/// two-sided rows. Drives have one bound on the length of an impulse with three components.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Frees the rows whose residual pulls them off their bound. A drive at its bound is turned to where it is needed; `worst`
/// is then the largest residual after that. Returns whether a row was freed.
bool release_rows(Articulations& s, Articulation& a, JointPass pass, bool linear, bool again, double& worst);

/// Clamps the free rows that the changes just found would take beyond a bound. Returns whether there was one.
bool clamp_rows(Articulations& s, Articulation& a, JointPass pass);

/// Drops the changes of the rows that are not clamped. When a row was clamped, the changes of the others were found
/// together with its own, and with redundant rows they may be anything.
void drop_changes_of_free_rows(Articulations& s, const Articulation& a);

/// Makes the impulses of drives with a capped force constant, and of limits too if `and_limits`. Otherwise a foot that is
/// rigid when an impulse on it is found, and gives way when the impulse acts, would spin away.
void freeze_capped_drives(Articulations& s, Articulation& a, bool and_limits);

}  // namespace talus
