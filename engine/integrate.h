#pragma once
/// Moves solver bodies through one sub-step.
///
/// Velocities first, then positions with the new velocities (semi-implicit Euler). Rotation conserves angular momentum: in free
/// flight L = I w is constant in the world while I turns with the body, so the pose is turned by the angular velocity that L
/// gives at the middle of the sub-step, and w is then read off L at the new pose. (The usual implicit gyroscopic
/// step damps: a T-handle loses a fifth of its energy in a minute.)

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
    glm::dmat3 inertia{0.0};          ///< about the centre of mass, body frame, kg m^2
    glm::dmat3 inverse_inertia{0.0};  ///< its inverse to double precision: a float inverse would not give w back
    glm::dquat rotation{1.0, 0.0, 0.0, 0.0};  ///< current
    bool gyroscopic = false;          ///< dynamic, and not isotropic
};

void integrate_velocities(std::span<SolverBody> bodies, std::span<const Motion> motions, float substep);
void integrate_positions(std::span<SolverBody> bodies, std::span<Motion> motions, float substep);

}  // namespace talus
