#pragma once
/// What joints read and write of moving bodies beyond their SolverBody.

#include <talus/engine/integrate.h>
#include <talus/engine/solver_body.h>
#include <talus/math.h>

#include <cstdint>
#include <span>

namespace talus {

struct JointMotions {
    std::span<SolverBody> bodies;
    std::span<Motion> motions;

    glm::dquat rotation(std::uint32_t body) const { return motions[body].rotation; }

    /// Sets the velocities that joints made of the body's. `impulse` is what changed the spin, N m s: the integrator keeps account of angular
    /// momentum, and joints know the inertia as it is turned by now, better than the step's start does.
    void set_velocities(std::uint32_t body, const glm::dvec3& velocity, const glm::dvec3& spin, const glm::dvec3& impulse) const {
        SolverBody& sb = bodies[body];
        Motion& motion = motions[body];
        for (int k = 0; k < 3; ++k) {
            sb.velocity[k] = static_cast<float>(velocity[k]);
            const float before = sb.angular_velocity[k];
            sb.angular_velocity[k] = static_cast<float>(spin[k]);
            motion.handed_out[k] += sb.angular_velocity[k] - before;
        }
        motion.momentum += impulse;
    }
};

}  // namespace talus
