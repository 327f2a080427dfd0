#pragma once
/// Integration of bodies that touch nothing in this step. Those whose inertia is not a multiple of the identity rotate as
/// free_rotation.h says.
///
/// All of this is computed in double, and the double state is kept from step to step. The period of a body that tumbles
/// depends on L^2 - 2 E I, a difference of nearly equal numbers. Float rounding of pose and angular velocity changes it
/// by its own size within a minute. Contacts and joints change the motion by more than that, so the rotation of bodies
/// with contacts or joints is computed in float lanes (solver_kernel_motion.h), with impulses in between.

#include <talus/math.h>

namespace talus {

/// A body's moments of inertia about its principal axes, in the order that free_rotation.h asks for.
struct PrincipalInertia {
    /// The first two principal axes in the body's frame. They are vectors because those of boxes are exact: a rotation
    /// about an axis at which each error grows stays about that axis.
    glm::dvec3 x_axis{1.0, 0.0, 0.0}, y_axis{0.0, 1.0, 0.0};
    glm::dvec3 moments{0.0};  ///< kg m^2

    /// Returns the principal axes, one per column.
    glm::dmat3 axes() const { return {x_axis, y_axis, glm::cross(x_axis, y_axis)}; }
    /// Returns the rotation of these axes, up to rounding; exact enough for bodies with contacts.
    glm::dquat rotation() const;
};
/// Returns the principal axes and moments of a symmetric, positive definite matrix (Jacobi's method).
PrincipalInertia principal_inertia(const glm::dmat3& inertia);

/// Returns the symmetric matrix with these eigenvalues and eigenvectors: an inertia from its principal moments and axes,
/// or the inverse from the inverse moments. The axes are orthonormal, one per column.
inline glm::dmat3 with_eigenvalues(const glm::dvec3& values, const glm::dmat3& axes) {
    return axes * glm::dmat3(values.x, 0, 0, 0, values.y, 0, 0, 0, values.z) * glm::transpose(axes);
}

/// The rotation of a body within a step. World axes.
struct FreeTurn {
    vec3 torque{0.0f};     ///< N m
    float damping = 1.0f;  ///< factor of the angular momentum per sub-step
    glm::dquat rotation{1.0, 0.0, 0.0, 0.0};
    glm::dvec3 spin{0.0};    ///< angular velocity, rad/s
    glm::dvec3 turned{0.0};  ///< out: sum of angular velocity times time, rad
};

/// Rotates the body through `substeps` sub-steps of `substep` seconds.
void turn_freely(FreeTurn& body, const PrincipalInertia& inertia, int substeps, float substep);
/// The same for a body whose angular velocity stays as it is unless a torque accelerates it (rad/s^2): its inertia is a
/// multiple of the identity, or axes are locked, or it is kinematic.
void turn_steadily(FreeTurn& body, const vec3& acceleration, int substeps, float substep);

namespace detail {

vec3 shortened(const vec3& v, float limit);

}  // namespace detail

/// Returns v, shortened to `limit` if it is longer. It accepts any v that impulses may have made: a vector whose square
/// overflows keeps its direction, and a vector that is not finite becomes zero.
inline vec3 limited(const vec3& v, float limit) {
    return glm::dot(v, v) < limit * limit ? v : detail::shortened(v, limit);
}

}  // namespace talus
