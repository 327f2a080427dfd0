#pragma once
/// The active-set method that decides which bounded rows are free, that is, in the direct solve.
///
/// A row within its bounds is free. A row at a bound acts with a constant impulse, the bound. Each round releases rows
/// that the other rows pull away from their bounds, and clamps rows that would pass theirs. The last step is always a
/// direct solve of all two-sided rows. Drives have one bound on the length of an impulse with three components.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Frees the rows whose residual pulls them away from their bound. A drive at its bound is rotated to the direction in
/// which it is needed; `worst` is then the largest residual after that. Returns whether a row was freed.
bool release_rows(Articulations& s, Articulation& a, JointPass pass, bool linear, bool again, double& worst);

/// Clamps the free rows that the present changes would take beyond a bound. Returns whether there was one.
///
/// A limit into which its motor presses holds against loads in both directions: it pushes back itself, and the motor
/// presses with up to its force. If a load is stronger, the motor acts with its full force, and the limit not at all.
bool clamp_rows(Articulations& s, Articulation& a, JointPass pass);

/// Drops the changes of the rows that are not clamped. If a row was clamped, these changes were found together with its
/// own, and with redundant rows they may have any size.
void drop_changes_of_free_rows(Articulations& s, const Articulation& a);

/// Makes the impulses of drives with a capped force constant, and those of limits too if `and_limits`. Otherwise a foot
/// could be rigid when an impulse on it is computed, give way when the impulse acts, and spin away.
void freeze_capped_drives(Articulations& s, Articulation& a, bool and_limits);

}  // namespace talus
