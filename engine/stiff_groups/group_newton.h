#pragma once
/// The search for velocities, impulses and active rows of a stiff group: a semismooth Newton method.

#include "engine/stiff_groups/stiff_group.h"

#include <span>

namespace talus {

/// The friction of a contact: along the two tangents, and twist.
struct GroupFriction {
    double wanted[3];   ///< without limits
    double impulse[3];  ///< within the limits
    double size;  ///< of `wanted`, to be compared with the limit; includes twist if friction and twist share a limit
};

/// Returns the friction at the found velocities plus this fraction of a Newton step. The limits must be those of the
/// contact solver (share_friction in solver_kernel_contacts.h). Otherwise it takes away what a group gives beyond them,
/// and a plate under 10,000 times its mass leaves at 500 m/s.
GroupFriction friction_at(const GroupContact& c, double part);

/// Finds the group's velocities and impulses from its momenta and earlier impulses. If the search has not converged, it
/// starts again from the velocities in `bodies`.
void find_impulses(StiffGroup& group, std::span<const SolverBody> bodies);

}  // namespace talus
