#pragma once
/// What joints read and write of moving bodies beyond their SolverBody.

#include "engine/bodies/body_motions.h"
#include "engine/bodies/body_store.h"
#include "engine/bodies/solver_body.h"
#include "engine/joints/joint_geometry.h"

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

    /// Sets the velocities that joints made of the body's. The integrator keeps account of angular momentum; it begins
    /// anew with what joints have left, by the inertia as it is turned by now. Were only their change added by that
    /// inertia, it would not undo what contacts, at an impact by hundreds of rad/s, have added by that of the step's
    /// start, and the body would go off with a spin that nobody gave it.
    void set_velocities(std::uint32_t body, const vec3& velocity, const vec3& spin) const {
        SolverBody& sb = bodies[body];
        store3(sb.velocity, velocity);
        store3(sb.angular_velocity, spin);
        motions->set_spin(body, spin);
    }
};

}  // namespace talus
