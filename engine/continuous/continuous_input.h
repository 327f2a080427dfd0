#pragma once
/// The data that stage `continuous` reads, and the data that it writes. World::step builds both structs in one place.

#include <talus/broadphase/broadphase.h>
#include <talus/function_ref.h>
#include <talus/narrowphase/time_of_impact.h>
#include "engine/bodies/body_store.h"
#include "engine/bodies/solver_body.h"
#include "engine/contacts/contact_table.h"
#include "engine/joint_solver/joint_solver.h"
#include "engine/joints/joint_store.h"
#include "engine/sleeping/awake_set.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace talus {

/// A contact that exists only for an impact, as the user's contact modifier sees it. The modifier may change the
/// manifold, the friction and the restitution.
struct ImpactContact {
    std::uint32_t body, shape;                ///< the swept body and its shape (pool index)
    std::uint32_t other, other_shape;         ///< the body that it hit
    const WorldTransform &pose, &other_pose;  ///< of the two shapes at the impact; of a mesh, that of the triangle
    Manifold& manifold;                       ///< its A is the other shape
    float &friction, &restitution;
};

/// The motion of a body's centre of mass from some time in the step to the end of the step.
///
/// It is relative to an origin near the body: its centre of mass at the start of the step, or at the start of an earlier
/// path. All that a sweep computes, such as motions of obstacles and points of hits, is relative to the path's origin.
struct Path {
    std::uint32_t slot = 0;
    float from = 0.0f;   ///< since the start of the step, s
    dvec3 origin{0.0};   ///< world, on the grid (math.h), m
    RigidMotion motion;  ///< as seen from `origin`, from the time `from` on

    /// Returns the pose in the world at a time (s) since `from`.
    WorldTransform pose_at(float time) const { return translated(talus::pose_at(motion, time), origin); }
    /// Returns the motion as seen from another origin.
    RigidMotion motion_seen_from(const dvec3& other_origin) const {
        RigidMotion seen = motion;
        seen.start.position += vec3(origin - other_origin);
        return seen;
    }
};

/// Returns a bound on how far a point gets from the straight line between its first and its last place, as seen from an
/// obstacle, m. The point turns by `angle` on an arm of `radius` and moves by `distance` against the obstacle, which
/// turns by `obstacle_angle` and is never farther away than `reach`.
///
/// It is an eighth of the greatest acceleration: with a plane's normal n that turns with the obstacle, and the point's
/// place r from the obstacle's centre, the point's height n.r above the plane accelerates by n''.r + 2 n'.r' + n.r''.
inline float relative_arc_deviation(float angle, float radius, float distance, float obstacle_angle, float reach) {
    return 0.125f * (obstacle_angle * obstacle_angle * reach + 2.0f * obstacle_angle * (distance + angle * radius) +
                     angle * angle * radius);
}

/// What stage `continuous` reads. Its functions derive from that what several parts of the stage need.
///
/// A body is named by its slot, a shape by its index in the pool. The poses of `colliders` and the boxes of `shapes`
/// are those at the start of the step; the poses of `bodies` are those that the solver and then this stage have moved
/// them to.
struct ContinuousInput {
    float dt;                  ///< length of the step, s
    int substeps;              ///< sub-steps of the step
    vec3 gravity;              ///< m/s^2
    float max_speed;           ///< of the world, m/s
    bool enabled;              ///< WorldDef::continuous; without it no body is swept
    float max_penetration;     ///< of all contact points that were solved in the step, m
    bool any_pressed_through;  ///< the middle of some shape was pressed through a mesh: MeshContact::pressed_through
    const BodyStore& bodies;
    const ShapePool& shapes;
    const Colliders& colliders;
    const Broadphase& broadphase;
    const ContactTable& contacts;
    const JointStore& joints;
    const AwakeSet& awake;
    std::span<const std::uint32_t> solver_indices;   ///< by body slot, of awake bodies
    std::span<const SolverBody> solver_bodies;       ///< by solver index: how the step has moved the bodies
    std::span<const MotionLimit> limits;             ///< by solver index
    FunctionRef<bool(std::uint32_t)> has_joint;      ///< whether a joint of this awake body was solved
    FunctionRef<bool(const ImpactContact&)> modify;  ///< by the user's modifier; false: disabled

    // ---- motion over the step

    /// Returns the body's entry in the solver, or null for fixed and sleeping bodies.
    const SolverBody* solver_body(std::uint32_t slot) const {
        const std::uint32_t index = awake.contains(slot) ? solver_indices[slot] : 0;
        return index != 0 ? &solver_bodies[index] : nullptr;
    }
    /// Returns whether a body has a shape that is not convex.
    bool has_mesh(const Body& body) const {
        const auto first = shapes.locals.begin() + body.first_shape;
        return std::any_of(first, first + body.shape_count, [](const LocalShape& shape) { return shape.is_mesh; });
    }
    /// Returns the motion of the centre of mass over the whole step: along a line, and about an axis at a constant
    /// rate. Its origin is where the centre was at the start of the step.
    Path step_path(std::uint32_t slot) const;
    /// Returns the motion of a body's shape, given the motion of its centre of mass.
    RigidMotion shape_motion(const RigidMotion& of_body, const Body& body, std::uint32_t shape) const;
    /// Returns a shape's pose at the end of the step.
    WorldTransform end_pose(std::uint32_t slot, std::uint32_t shape) const;
    /// Returns a box around the places where a shape, or all shapes of a body, have been in the step.
    WorldAabb swept_box(std::uint32_t slot, std::uint32_t shape) const;
    WorldAabb swept_box(std::uint32_t slot) const;
    /// Returns a bound on how far a point of the body gets in the step from the straight line between its first and its
    /// last place, m.
    float arc_deviation(std::uint32_t slot) const;
    /// The same as seen from an obstacle, which may turn as well.
    float arc_deviation_from(std::uint32_t obstacle, std::uint32_t slot) const;

    // ---- rules that all parts share

    /// Returns how deep a sweep lets the body into an obstacle, m.
    float allowed_depth(std::uint32_t slot) const;
    /// Returns how thick a shape is as a wall, m: infinite for a mesh without an inside.
    float wall_thickness(std::uint32_t shape) const;
    /// True if the body is swept against the other one. `dynamic_too`: against dynamic bodies as well.
    bool can_hit(std::uint32_t slot, std::uint32_t other, bool dynamic_too) const {
        return other != slot && (dynamic_too || !bodies[other].is_dynamic()) && !joints.disables_collision(slot, other);
    }
    /// Returns the smaller of the speed limits of the body and of the world, m/s.
    float max_speed_of(const Body& body) const { return std::min(body.max_speed, max_speed); }
    /// Returns the largest angular velocity that the body may get by an impact, rad/s (settings::max_path_rotation).
    float max_spin_of(const Body& body) const;
    /// Returns the angular velocity that a body has at one rotation, given the one that it has at another.
    vec3 angular_velocity_at(std::uint32_t slot, const vec3& angular_velocity, const quat& from, const quat& to) const;
};

/// What stage `continuous` writes.
struct ContinuousOutput {
    BodyStore& bodies;                    ///< poses and velocities
    std::span<SolverBody> solver_bodies;  ///< displacement and rotation over the step
    JointSolver& joint_solver;            ///< finds the response of articulations, and closes their joints

    /// Ends the body's step with its centre of mass at this pose.
    void set_end_pose(const ContinuousInput& in, std::uint32_t slot, const WorldTransform& end);
    /// Moves an awake body by a displacement (m) and a rotation vector (rad). Its velocities stay.
    void move(const ContinuousInput& in, std::uint32_t slot, const vec3& displacement, const glm::dvec3& rotation);
};

}  // namespace talus
