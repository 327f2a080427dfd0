#pragma once
/// Bodies that nothing touches in this step, and whose inertia is not a ball's.
///
/// They turn as free_rotation.h says.
///
/// All this is done in double, and the double state is kept from step to step: the period of a body that turns over and
/// over depends on L^2 - 2 E I, a difference of nearly equal numbers, which float rounding of pose and spin changes by
/// its own size within a minute. Where contacts or joints push, they change the motion by more than that: there the
/// same is done in float lanes (solver_kernel_motion.h), with impulses in between.

#include <talus/math.h>

namespace talus {

/// A body's moments of inertia about its principal axes, in the order that free_rotation.h asks for.
struct PrincipalInertia {
    /// In the body's frame, one a column. As a matrix because the axes of boxes are exact in it: who spins about one
    /// from which any error grows stays there.
    glm::dmat3 axes{1.0};
    glm::dquat rotation{1.0, 0.0, 0.0, 0.0};  ///< of these axes, to rounding: what is pushed needs no more
    glm::dvec3 moments{0.0};                  ///< kg m^2
};
/// Of a symmetric, positive definite matrix (Jacobi's method).
PrincipalInertia principal_inertia(const glm::dmat3& inertia);

/// What turns such a body within a step. World axes.
struct FreeTurn {
    vec3 torque{0.0f};     ///< N m
    float damping = 1.0f;  ///< factor of the angular momentum, a sub-step
    glm::dquat rotation{1.0, 0.0, 0.0, 0.0};
    glm::dvec3 spin{0.0};    ///< rad/s
    glm::dvec3 turned{0.0};  ///< out: sum of angular velocity times time, rad
};

/// Turns it through `substeps` sub-steps of `substep` seconds.
void turn_freely(FreeTurn& body, const PrincipalInertia& inertia, int substeps, float substep);

namespace detail {

vec3 shortened(const vec3& v, float limit);

}  // namespace detail

/// v, no longer than `limit`. Safe on whatever impulses have made of v: sizes whose square overflows keep their
/// direction, and what is not even finite is dropped.
inline vec3 limited(const vec3& v, float limit) {
    return glm::dot(v, v) < limit * limit ? v : detail::shortened(v, limit);
}

}  // namespace talus
