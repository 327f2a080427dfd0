#pragma once
/// The impulses of one impact between two bodies: sequential impulses on up to four points, with friction and
/// restitution.
///
///     ImpactPoints + two ImpactBody  --solve_impact()-->  the velocities after the impact, in the same two ImpactBody
///
/// Centres and points are relative to one origin, such as that of a Path (continuous_input.h), along the world's axes.
/// Nothing is kept, and no other data is read.

#include <talus/narrowphase/manifold.h>
#include "engine/joint_solver/joint_solver.h"

namespace talus {

/// Velocities and masses of one of the two bodies of an impact.
struct ImpactBody {
    vec3 center;            ///< centre of mass, from the origin, m
    vec3 linear_velocity;   ///< m/s
    vec3 angular_velocity;  ///< world, rad/s
    vec3 inverse_mass;      ///< along the world's axes, 1/kg; 0 along locked axes and for bodies that are not dynamic
    mat3 inverse_inertia;   ///< world, 1/(kg m^2)
    float least_response = 0.0f;  ///< settings::locked_impact_response over the mass, if the body has locks
    bool jointed = false;         ///< impulses act on its whole articulation, by `joint_response`
    JointSolver::Response joint_response{};
    glm::dvec3 impulse{0.0}, angular_impulse{0.0};  ///< sums of a jointed body, N s and N m s about its centre

    vec3 velocity_at(const vec3& point) const { return linear_velocity + glm::cross(angular_velocity, point - center); }

    void apply_impulse(const vec3& by, const vec3& point) {
        const vec3 angular = glm::cross(point - center, by);
        const Change change = change_by(by, angular);
        linear_velocity += change.linear_velocity;
        angular_velocity += change.angular_velocity;
        if (!jointed) return;
        impulse += glm::dvec3(by);
        angular_impulse += glm::dvec3(angular);
    }

    /// Keeps this part, 0 to 1, of what impulses have changed since `before`.
    void keep_part(float part, const ImpactBody& before) {
        linear_velocity = before.linear_velocity + part * (linear_velocity - before.linear_velocity);
        angular_velocity = before.angular_velocity + part * (angular_velocity - before.angular_velocity);
        impulse = before.impulse + static_cast<double>(part) * (impulse - before.impulse);
        angular_impulse =
            before.angular_impulse + static_cast<double>(part) * (angular_impulse - before.angular_impulse);
    }

    /// Returns the velocity along v that a unit impulse along u gives the body at the point, 1/kg.
    float inverse_effective_mass(const vec3& point, const vec3& u, const vec3& v) const {
        const vec3 arm = point - center;
        if (!jointed)
            return glm::dot(u, inverse_mass * v) + glm::dot(glm::cross(arm, v), inverse_inertia * glm::cross(arm, u));
        const Change change = change_by(v, glm::cross(arm, v));
        return glm::dot(u, change.linear_velocity) + glm::dot(glm::cross(arm, u), change.angular_velocity);
    }

private:
    struct Change {
        vec3 linear_velocity, angular_velocity;
    };
    Change change_by(const vec3& by, const vec3& angular) const {
        if (!jointed) return {inverse_mass * by, inverse_inertia * angular};
        const glm::dvec3 f(by), m(angular);
        const JointSolver::Response& r = joint_response;
        return {vec3(r.by_impulse * f + r.by_moment * m),
                vec3(glm::transpose(r.by_moment) * f + r.angular_by_moment * m)};
    }
};

/// Where and how two bodies touch at an impact.
struct ImpactPoints {
    vec3 normal;  ///< unit, world, from the other body to the swept one
    int count = 0;
    vec3 points[max_manifold_points];  ///< from the origin, m
    float friction = 0.0f, restitution = 0.0f;
};

/// Applies the impulses of an impact to both bodies. Returns the sum of the normal impulses, N s.
///
/// Newton's law of restitution may raise the energy when it is applied to several points at once: the bounce of one
/// point pushes back a neighbour that was already separating, and stops it. A real impact cannot raise the energy: its
/// impulses do the work j (u + u') / 2 at each point, where u and u' are the relative velocities before and after, and
/// the sum over the points is at most 0. Where the sum is larger, the result is interpolated between the solution
/// without restitution and the one with it, as far towards the latter as the sum allows.
float solve_impact(const ImpactPoints& contact, ImpactBody& other, ImpactBody& body);

}  // namespace talus
