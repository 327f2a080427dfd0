#include "engine/continuous/continuous_input.h"

#include "common/assert.h"
#include "engine/settings.h"

namespace talus {

RigidMotion ContinuousInput::step_motion(std::uint32_t slot) const {
    const Body& body = bodies[slot];
    RigidMotion motion;
    motion.start = {body.center, body.rotation};
    const SolverBody* const moved = solver_body(slot);
    if (moved == nullptr) return motion;
    const std::uint32_t first = body.first_shape;
    const quat start =
        normalized(multiply(colliders.poses[first].rotation, conjugate(shapes.defs[first].pose.rotation)));
    return motion_between({body.center - load3(moved->displacement), start}, {body.center, body.rotation}, vec3(0.0f),
                          dt, load3(moved->turn));
}

RigidMotion ContinuousInput::shape_motion(const RigidMotion& of_body, const Body& body, std::uint32_t shape) const {
    const Transform& pose = shapes.defs[shape].pose;
    RigidMotion motion = of_body;
    motion.start = multiply(of_body.start, Transform{pose.position - body.local_center, pose.rotation});
    motion.center = inverse_transform_point(pose, body.local_center);
    return motion;
}

Transform ContinuousInput::end_pose(std::uint32_t slot, std::uint32_t shape) const {
    if (solver_body(slot) == nullptr) return colliders.poses[shape];
    return multiply(bodies[slot].pose(), shapes.defs[shape].pose);
}

Aabb ContinuousInput::swept_box(std::uint32_t slot, std::uint32_t shape) const {
    const Aabb& start = shapes.world_boxes[shape];
    if (solver_body(slot) == nullptr) return start;
    const Aabb end = transform_box(to_matrix_transform(end_pose(slot, shape)), shapes.local_boxes[shape]);
    return expand(merge(start, end), arc_deviation(slot));
}

Aabb ContinuousInput::swept_box(std::uint32_t slot) const {
    const Body& body = bodies[slot];
    Aabb box = swept_box(slot, body.first_shape);
    for (std::uint32_t i = body.first_shape + 1; i < body.first_shape + body.shape_count; ++i)
        box = merge(box, swept_box(slot, i));
    return box;
}

/// A point on an arm r that turns by t at a constant rate gets r t^2 / 8 from the line.
float ContinuousInput::arc_deviation(std::uint32_t slot) const {
    const SolverBody* const own = solver_body(slot);
    return own != nullptr ? 0.125f * bodies[slot].radius * length_squared(load3(own->turn)) : 0.0f;
}

float ContinuousInput::arc_deviation_from(std::uint32_t obstacle_slot, std::uint32_t slot) const {
    const SolverBody *const own = solver_body(slot), *const obstacle = solver_body(obstacle_slot);
    if (own == nullptr || obstacle == nullptr) return arc_deviation(slot);
    const Body& body = bodies[slot];
    const float distance = glm::length(load3(own->displacement) - load3(obstacle->displacement));
    const float reach = glm::length(body.center - bodies[obstacle_slot].center) + distance + body.radius;
    return relative_arc_deviation(glm::length(load3(own->turn)), body.radius, distance,
                                  glm::length(load3(obstacle->turn)), reach);
}

/// Jointed bodies get less: a joint opens when one of its two bodies is stopped and the other is not.
float ContinuousInput::allowed_depth(std::uint32_t slot) const {
    const float inner_radius = bodies[slot].inner_radius;
    if (joints.has_any(slot)) return settings::continuous_jointed_depth * inner_radius;
    return std::min(settings::continuous_depth, settings::continuous_relative_depth * inner_radius);
}

/// The angular velocity turns with the body, which keeps the energy. (At the same angular momentum the energy would
/// differ: by a factor of a hundred for a stick that is put to a rotation that it would not have reached by itself.)
/// Jointed bodies keep theirs, because the angular velocities of an articulation fit together.
vec3 ContinuousInput::angular_velocity_at(std::uint32_t slot, const vec3& angular_velocity, const quat& from,
                                          const quat& to) const {
    const Body& body = bodies[slot];
    const bool turns_with_body =
        body.is_dynamic() && !body.isotropic && (body.locks & lock_turning) == 0 && !joints.has_any(slot);
    return turns_with_body ? rotate(multiply(to, conjugate(from)), angular_velocity) : angular_velocity;
}

void ContinuousOutput::set_end_pose(const ContinuousInput& in, std::uint32_t slot, const Transform& end) {
    TALUS_ASSERT(is_finite(end.position) && is_finite(end.rotation));
    Body& body = bodies[slot];
    if (in.awake.contains(slot)) {
        float* const displacement = solver_bodies[in.solver_indices[slot]].displacement;
        for (int k = 0; k < 3; ++k) displacement[k] += end.position[k] - body.center[k];
    }
    body.center = end.position;
    const quat rotation = normalized(end.rotation);
    body.angular_velocity = in.angular_velocity_at(slot, body.angular_velocity, body.rotation, rotation);
    body.rotation = rotation;
    body.exact_rotation = glm::dquat(body.rotation);
    body.exact_spin = glm::dvec3(body.angular_velocity);
}

void ContinuousOutput::move(const ContinuousInput& in, std::uint32_t slot, const vec3& displacement,
                            const glm::dvec3& rotation) {
    TALUS_ASSERT(is_finite(displacement) && in.awake.contains(slot));
    Body& body = bodies[slot];
    SolverBody& own = solver_bodies[in.solver_indices[slot]];
    body.center += displacement;
    body.exact_rotation = integrate_rotation(body.exact_rotation, rotation);
    body.rotation = quat(body.exact_rotation);
    for (int k = 0; k < 3; ++k) {
        own.displacement[k] += displacement[k];
        own.turn[k] += static_cast<float>(rotation[k]);
    }
}

}  // namespace talus
