#pragma once
/// The search for velocities and impulses of a stiff group, and for the rows that are active with them: a semismooth Newton
/// method.

#include "engine/stiff_groups/stiff_group.h"

#include <span>

namespace talus {

/// Friction of a contact along the two tangents and twist.
struct GroupFriction {
    double wanted[3];   ///< without limits
    double impulse[3];  ///< within the limits
    double size;        ///< of what is wanted, to be compared with the limit; of friction and twist where they share it
};

/// Returns the friction at the velocities found plus this part of a Newton step. The limits must be those of the contact solver
/// (share_friction in solver_kernel_contacts.h): it takes away what a group gives beyond them, and a plate under 10,000 times
/// its mass leaves at 500 m/s.
GroupFriction friction_at(const GroupContact& c, double part);

/// Finds the group's velocities and impulses, from its momenta and the impulses before. `bodies` hold the velocities from which the
/// search starts again if it has not converged.
void find_impulses(StiffGroup& group, std::span<const SolverBody> bodies);

}  // namespace talus
