#pragma once
/// What joints read and write of moving bodies beyond their SolverBody.

#include <talus/engine/body_motions.h>
#include <talus/engine/body_store.h>
#include <talus/engine/joints/joint_geometry.h>
#include <talus/engine/solver_body.h>

#include <cstdint>
#include <span>

namespace talus {

struct JointMotions {
    std::span<SolverBody> bodies;
    BodyMotions* motions = nullptr;
    std::span<const std::uint32_t> slots;  ///< by solver index
    const BodyStore* store = nullptr;
    float max_speed = 0.0f;  ///< m/s

    dquat rotation(std::uint32_t body) const {
        return dquat(motions->turn(body)) * (*store)[slots[body]].exact_rotation;
    }

    /// Sets the velocities that joints made of the body's. The integrator keeps account of angular momentum: joints
    /// change it by the inertia as it is turned by now, which they know, not by that of the step's start.
    void set_velocities(std::uint32_t body, const vec3& velocity, const vec3& spin) const {
        SolverBody& sb = bodies[body];
        vec3 change;
        for (int k = 0; k < 3; ++k) {
            const float before = sb.angular_velocity[k];
            sb.velocity[k] = velocity[k];
            sb.angular_velocity[k] = spin[k];
            change[k] = sb.angular_velocity[k] - before;
        }
        motions->change_spin(body, change);
    }
};

}  // namespace talus
