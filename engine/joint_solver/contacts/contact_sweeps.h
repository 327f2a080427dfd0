#pragma once
/// Impacts of bodies that joints hold: normal rows solved through the joints, after the joints of a sub-step.

#include "engine/joint_solver/contacts/contact_groups.h"

namespace talus {

/// Solves the normal rows of a group, if joints and contacts disagree by more than is allowed.
void solve_contact_group(JointContactGroups& g, Articulations& s, const JointContactGroup& group);

}  // namespace talus
