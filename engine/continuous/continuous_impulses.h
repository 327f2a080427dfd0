#pragma once
/// Internal to stage `continuous`: the impulses of one impact of a body on another.

#include <talus/narrowphase/manifold.h>
#include "engine/joint_solver/joint_solver.h"

namespace talus {

/// Velocities and masses of one of the two at an impact.
struct Party {
    vec3 center, velocity, spin;
    vec3 inverse_mass;     ///< along the world's axes, 1/kg; 0 where nothing pushes it
    mat3 inverse_inertia;  ///< world
    float least = 0.0f;    ///< least_response()
    bool held = false;     ///< joints hold it, and the rest counts
    JointSolver::Response through{};
    glm::dvec3 impulse{0.0}, moment{0.0};  ///< on it, so far

    vec3 velocity_at(const vec3& point) const { return velocity + glm::cross(spin, point - center); }
    void push(const vec3& by, const vec3& point) {
        const vec3 by_moment = glm::cross(point - center, by);
        const Gain gain = gain_of(by, by_moment);
        velocity += gain.velocity;
        spin += gain.spin;
        if (!held) return;
        impulse += glm::dvec3(by);
        moment += glm::dvec3(by_moment);
    }
    /// Velocity along v that a unit impulse along u gives it at the point, 1/kg.
    float give(const vec3& point, const vec3& u, const vec3& v) const {
        const vec3 arm = point - center;
        if (!held)
            return glm::dot(u, inverse_mass * v) + glm::dot(glm::cross(arm, v), inverse_inertia * glm::cross(arm, u));
        const Gain gain = gain_of(v, glm::cross(arm, v));
        return glm::dot(u, gain.velocity) + glm::dot(glm::cross(arm, u), gain.spin);
    }
    /// Speed along n that a unit impulse along it gives it at the point, 1/kg; 0 where that does not count.
    float response(const vec3& point, const vec3& n) const {
        const float k = give(point, n, n);
        return k > least ? k : 0.0f;
    }

private:
    struct Gain {
        vec3 velocity, spin;
    };
    Gain gain_of(const vec3& by, const vec3& by_moment) const {
        if (!held) return {inverse_mass * by, inverse_inertia * by_moment};
        const glm::dvec3 f(by), m(by_moment);
        return {vec3(through.by_impulse * f + through.by_moment * m),
                vec3(glm::transpose(through.by_moment) * f + through.angular_by_moment * m)};
    }
};

struct Collision {
    vec3 normal;  ///< world, from the other to the body
    int count = 0;
    vec3 points[max_manifold_points];
    float friction = 0.0f, restitution = 0.0f;
};

/// The outcome of a collision; the sum of its normal impulses, N s.
///
/// Newton's law, asked of several points at once, may raise the energy: a point that was on its way out is pushed back
/// by the bounce of its neighbour, and stopped there. An impact cannot: its impulses do the work j (u + u') / 2 at each
/// point, with u and u' the relative velocities before and after, and the sum of that is at most 0. Where it is more,
/// the outcome is as far between the one without restitution and this one as the sum allows.
float resolve(const Collision& c, Party& other, Party& body);

}  // namespace talus
