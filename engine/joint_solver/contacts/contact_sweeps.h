#pragma once
/// Impacts of jointed bodies: normal rows that are solved through the joints, after the joints' pass of a sub-step.

#include "engine/joint_solver/contacts/contact_groups.h"

namespace talus {

/// Solves the normal rows of a group, if joints and contacts disagree by more than the settings allow.
void solve_contact_group(JointContactGroups& g, Articulations& s, const JointContactGroup& group);

}  // namespace talus
