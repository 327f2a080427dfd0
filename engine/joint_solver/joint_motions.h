#pragma once
/// The data of moving bodies that the joint solver reads and writes, in addition to their SolverBody.

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
    std::span<const std::uint32_t> slots;  ///< body slots by solver index
    const BodyStore* store = nullptr;
    float max_speed = 0.0f;  ///< m/s

    /// Returns the present rotation of a solver body.
    dquat rotation(std::uint32_t body) const {
        return dquat(motions->turn(body)) * (*store)[slots[body]].exact_rotation;
    }

    /// Sets the velocities that the joints have given a body.
    ///
    /// The integrator tracks angular momentum. Here it starts again from the given angular velocity and the present
    /// inertia. If only the change by the joints were added with the present inertia, it would not cancel what contacts
    /// have added with the inertia of the step's start: after an impact at hundreds of rad/s, the body would leave with
    /// an angular velocity that nothing has caused.
    void set_velocities(std::uint32_t body, const vec3& velocity, const vec3& angular_velocity) const {
        SolverBody& sb = bodies[body];
        store3(sb.velocity, velocity);
        store3(sb.angular_velocity, angular_velocity);
        motions->set_spin(body, angular_velocity);
    }
};

}  // namespace talus
