#pragma once
/// What joints read and write of moving bodies beyond their SolverBody.

#include <talus/engine/integrate.h>
#include <talus/engine/joints/joint_geometry.h>
#include <talus/engine/solver_body.h>

#include <cstdint>
#include <span>

namespace talus {

struct JointMotions {
    std::span<SolverBody> bodies;
    std::span<Motion> motions;

    dquat rotation(std::uint32_t body) const { return motions[body].rotation; }

    /// Sets the velocities that joints made of the body's. The integrator keeps account of angular momentum: joints change it by the
    /// inertia as it is turned by now, which they know, not by that of the step's start.
    void set_velocities(std::uint32_t body, const dvec3& velocity, const dvec3& spin) const {
        SolverBody& sb = bodies[body];
        Motion& motion = motions[body];
        dvec3 change;
        for (int k = 0; k < 3; ++k) {
            const float before = sb.angular_velocity[k];
            sb.velocity[k] = static_cast<float>(velocity[k]);
            sb.angular_velocity[k] = static_cast<float>(spin[k]);
            const float by = sb.angular_velocity[k] - before;
            motion.handed_out[k] += by;
            change[k] = by;
        }
        if (!motion.gyroscopic) return;
        const dmat3 r = to_matrix(motion.rotation);
        motion.momentum += r * (motion.inertia * (glm::transpose(r) * change));
    }
};

}  // namespace talus
