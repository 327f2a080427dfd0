#pragma once
/// The angular momentum of a floating articulation, which joints do not change.
///
/// Joints act on their two bodies at one place with opposite impulses, so the linear and the angular momentum of the whole
/// stay. There are two exceptions. Links that swing too fast for a sub-step are integrated implicitly (implicit_rotation.h),
/// which damps them, and impulses rotate them less than their inertia says: two bodies on a long bar, thrown spinning, lost
/// 2% of their angular velocity per step, and a light link between heavy ones half of it. And a link's rotation per sub-step
/// is limited, which a light link reaches when its joint pulls it straight.
///
/// Two things keep the angular momentum. The swing of a link is measured against the rotation of the articulation as a
/// whole, because the pull that makes it swing rotates with the whole: a barbell that only spins has no swing to be damped.
/// And the angular momentum that is missing after a pass is given back as a rotation of the whole as one rigid body. The
/// joints do not notice such a rotation, neither in their positions nor in their limits and drives, and the centre of mass
/// and the motions of the links relative to each other stay. It must not add energy: a gain is taken from the relative
/// motions. Loops, whose joints may contradict each other, and articulations that touch something immovable are left alone;
/// the loss brings them to rest.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Notes angular momentum, energy and rotation of a floating articulation, before a pass.
void note_momentum(Articulations& s, Articulation& a);

/// Limits the links' angular velocities to the largest rotation per sub-step. Returns whether that changed any.
bool limit_angular_velocities(Articulations& s, Articulation& a);

/// Gives back, after a pass, the angular momentum that was noted.
void restore_momentum(Articulations& s, const Articulation& a, JointPass pass);

}  // namespace talus
