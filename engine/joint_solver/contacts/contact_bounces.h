#pragma once
/// Restitution of jointed bodies.
///
/// The restitution pass of the contact solver gives a ball on a rod the speed of its bounce as if it had no rod. The
/// joints of the next sub-step then remove a part of it. So after a bounce, joints and that pass alternate
/// (transmit_bounces).
///
/// In a row of balls, an impact that moves by one contact per sub-step takes so long that all balls have moved
/// meanwhile, up the arcs on which they hang. This adds energy: a cradle of ten with three balls released gained 1% in
/// 20 s. So pass_bounces_on() makes all impacts of the group within one sub-step, one after the other, like real
/// impacts. Each is computed with the masses of all bodies that joints connect, so that none of them can gain energy.

#include "engine/joint_solver/contacts/contact_groups.h"

namespace talus {

/// Lets the joints transmit the impulses of the restitution pass, if a contact of the group has bounced.
void transmit_bounces(JointContactGroups& g, Articulations& s, const JointContactGroup& group);

/// Makes the remaining impacts in the group, if one of its contacts has bounced.
void pass_bounces_on(JointContactGroups& g, Articulations& s, const JointContactGroup& group);

}  // namespace talus
