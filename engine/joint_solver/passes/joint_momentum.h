#pragma once
/// Conservation of the angular momentum of a floating articulation, which joints do not change.
///
/// Joints act on their two bodies at one place with opposite impulses, so the linear and the angular momentum of the
/// whole are constant. There are two exceptions. Links that swing too fast for a sub-step are integrated implicitly
/// (implicit_rotation.h). This damps them, and impulses rotate them less than their inertia says: two bodies on a long
/// bar, thrown with a rotation, lost 2% of their angular velocity per step, and a light link between heavy ones half of
/// it. The other exception is the limit on a link's rotation per sub-step, which a light link reaches when its joint
/// pulls it straight.
///
/// Two measures keep the angular momentum. First, the swing of a link is measured relative to the rotation of the whole
/// articulation, because the pull that makes it swing rotates with the whole: a barbell that only rotates has no swing
/// to be damped. Second, the angular momentum that is missing after a pass is given back as a rotation of the whole as
/// one rigid body. This rotation does not change the positions, limits and drives of joints, the centre of mass, or the
/// relative motions of the links. It must not add energy: a gain is taken from the relative motions.
///
/// Two kinds of articulations are left out: loops, whose joints may contradict each other, and articulations that touch
/// a body that cannot be pushed. The loss brings them to rest.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Notes angular momentum, energy and rotation of a floating articulation, before a pass.
void note_momentum(Articulations& s, Articulation& a);

/// Limits the links' angular velocities to the largest rotation per sub-step. Returns whether that changed any.
bool limit_angular_velocities(Articulations& s, Articulation& a);

/// Restores the noted angular momentum after a pass.
void restore_momentum(Articulations& s, const Articulation& a, JointPass pass);

}  // namespace talus
