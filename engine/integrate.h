#pragma once
/// Bodies that nothing touches in this step, and whose inertia is not a ball's.
///
/// Rotation keeps account of angular momentum: in free flight L = I w is constant in the world while I turns with the
/// body, so the pose is turned by the angular velocity that L gives at the middle of the sub-step, and w is then read
/// off L at the new pose. (The usual implicit gyroscopic step damps: a T-handle loses a fifth of its energy in a
/// minute.)
///
/// All this is done in double, and the double state is kept from step to step: the period of a body that turns over and
/// over depends on L^2 - 2 E I, a difference of nearly equal numbers, which float rounding of pose and spin changes by
/// its own size within a minute. Where contacts or joints push, they change the motion by more than that: there the
/// same is done in float lanes (solver_kernel_impl.h), with impulses in between.

#include <talus/math.h>

namespace talus {

/// What turns such a body within a step. World axes.
struct FreeTurn {
    vec3 torque{0.0f};     ///< N m
    float damping = 1.0f;  ///< factor of the angular momentum, a sub-step
    glm::dquat rotation{1.0, 0.0, 0.0, 0.0};
    glm::dvec3 spin{0.0};    ///< rad/s
    glm::dvec3 turned{0.0};  ///< out: sum of angular velocity times time, rad
};

/// Turns it through `substeps` sub-steps of `substep` seconds. `inertia` is about the centre of mass, body frame, kg
/// m^2.
void turn_freely(FreeTurn& body, const mat3& inertia, int substeps, float substep);

/// v, no longer than `limit`. Safe on whatever impulses have made of v: sizes whose square overflows keep their
/// direction, and what is not even finite is dropped.
vec3 limited(const vec3& v, float limit);

}  // namespace talus
