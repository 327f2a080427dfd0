#pragma once
/// Moves solver bodies through one sub-step.
///
/// Velocities first, then positions with the new velocities (semi-implicit Euler). Rotation keeps account of angular momentum: in
/// free flight L = I w is constant in the world while I turns with the body, so the pose is turned by the angular velocity that L
/// gives at the middle of the sub-step, and w is then read off L at the new pose. (The usual implicit gyroscopic step
/// damps: a T-handle loses a fifth of its energy in a minute.) The solver's impulses change w by the inverse inertia of the step's
/// start; multiplied by that inertia, the change is the angular impulse, and that is what L receives.
///
/// All this is done in double, and the double state is kept from step to step: the period of a body that turns over and over depends on
/// L^2 - 2 E I, a difference of nearly equal numbers, which float rounding of pose and spin changes by its own size within a minute.

#include <talus/engine/solver_body.h>
#include <talus/math.h>

#include <span>

namespace talus {

/// What integration needs of a body, constant within a step.
struct Motion {
    vec3 acceleration{0.0f};          ///< from gravity and forces, m/s^2
    vec3 angular_acceleration{0.0f};  ///< from torques, rad/s^2
    float linear_damping = 1.0f;      ///< factor a sub-step
    float angular_damping = 1.0f;
    glm::dquat rotation{1.0, 0.0, 0.0, 0.0};  ///< current

    // Of gyroscopic bodies only: dynamic ones whose inertia is not a ball's.
    bool gyroscopic = false;
    glm::dmat3 inertia{0.0};          ///< about the centre of mass, body frame, kg m^2
    glm::dmat3 inverse_inertia{0.0};  ///< its inverse to double precision: a float inverse would not give w back
    glm::dmat3 start_rotation{1.0};   ///< at the start of the step
    glm::dvec3 momentum{0.0};         ///< angular, world, kg m^2/s
    vec3 handed_out{0.0f};            ///< the angular velocity that the solver was given: what differs from it is impulse
};

/// Makes `motion` that of a gyroscopic body with this inertia (body frame), pose and spin (world, rad/s).
void start_gyroscopic(Motion& motion, const mat3& inertia, const glm::dvec3& spin);
/// The body's spin now, all impulses included.
glm::dvec3 end_gyroscopic(Motion& motion, const SolverBody& body);

/// v, no longer than `limit`. Safe on whatever impulses have made of v: sizes whose square overflows keep their direction, and
/// what is not even finite is dropped.
vec3 limited(const vec3& v, float limit);

void integrate_velocities(std::span<SolverBody> bodies, std::span<const Motion> motions, float substep);
void integrate_positions(std::span<SolverBody> bodies, std::span<Motion> motions, float substep);

}  // namespace talus
