#pragma once
/// Restitution of bodies that joints hold.
///
/// The restitution pass of the contact solver gives a ball on a rod the speed of its bounce as if it had no rod, and the
/// joints of the next sub-step take a part of it away. So where something has bounced, joints and that pass alternate
/// (transmit_bounces).
///
/// An impact that passed on by one contact per sub-step along a row of balls took so long that all of the balls had moved
/// meanwhile, up the arcs on which they hang, with energy from nowhere: a cradle of ten with three balls released gained 1%
/// in 20 s. So pass_bounces_on() lets all impacts of the group happen within one sub-step, one after the other, as they
/// really would: each with the masses of all bodies that joints hold together, so that none of them can gain energy.

#include "engine/joint_solver/contacts/contact_groups.h"

namespace talus {

/// Lets the joints transmit what the restitution pass has given, if something in the group has bounced.
void transmit_bounces(JointContactGroups& g, Articulations& s, const JointContactGroup& group);

/// Makes the impacts that are left in the group, if something in it has bounced.
void pass_bounces_on(JointContactGroups& g, Articulations& s, const JointContactGroup& group);

}  // namespace talus
