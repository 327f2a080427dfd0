#include "engine/continuous/continuous_input.h"

#include "common/assert.h"
#include "engine/settings.h"

#include <algorithm>
#include <limits>

namespace talus {

Path ContinuousInput::step_path(std::uint32_t slot) const {
    const Body& body = bodies[slot];
    Path path{slot, 0.0f, body.center, {}};
    path.motion.start.rotation = body.rotation;
    const SolverBody* const moved = solver_body(slot);
    if (moved == nullptr) return path;
    const std::uint32_t first = body.first_shape;
    const quat start =
        normalized(multiply(colliders.poses[first].rotation, conjugate(shapes.defs[first].pose.rotation)));
    path.origin = displaced(body.center, -load3(moved->displacement));
    path.motion = motion_between({vec3(0.0f), start}, relative_to(path.origin, {body.center, body.rotation}),
                                 vec3(0.0f), dt, load3(moved->turn));
    return path;
}

RigidMotion ContinuousInput::shape_motion(const RigidMotion& of_body, const Body& body, std::uint32_t shape) const {
    const Transform& pose = shapes.defs[shape].pose;
    RigidMotion motion = of_body;
    motion.start = multiply(of_body.start, Transform{pose.position - body.local_center, pose.rotation});
    motion.center = inverse_transform_point(pose, body.local_center);
    return motion;
}

WorldTransform ContinuousInput::end_pose(std::uint32_t slot, std::uint32_t shape) const {
    if (solver_body(slot) == nullptr) return colliders.poses[shape];
    return multiply(bodies[slot].pose(), shapes.defs[shape].pose);
}

WorldAabb ContinuousInput::swept_box(std::uint32_t slot, std::uint32_t shape) const {
    const float deviation = arc_deviation(slot);
    const WorldAabb start = translated(expand(shapes.boxes[shape], deviation), colliders.poses[shape].position);
    if (solver_body(slot) == nullptr) return start;
    const WorldTransform end = end_pose(slot, shape);
    const Aabb box = shapes.box_at(shape, end.rotation, colliders);
    return merge(start, translated(expand(box, deviation), end.position));
}

WorldAabb ContinuousInput::swept_box(std::uint32_t slot) const {
    const Body& body = bodies[slot];
    WorldAabb box = swept_box(slot, body.first_shape);
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
    const float reach = glm::length(vec3(body.center - bodies[obstacle_slot].center)) + distance + body.radius;
    return relative_arc_deviation(glm::length(load3(own->turn)), body.radius, distance,
                                  glm::length(load3(obstacle->turn)), reach);
}

/// Jointed bodies get less: a joint opens when one of its two bodies is stopped and the other is not.
float ContinuousInput::allowed_depth(std::uint32_t slot) const {
    const float inner_radius = bodies[slot].inner_radius;
    if (joints.has_any(slot)) return settings::continuous_jointed_depth * inner_radius;
    return std::min(settings::continuous_depth, settings::continuous_relative_depth * inner_radius);
}

float ContinuousInput::wall_thickness(std::uint32_t shape) const {
    const ShapeDef& def = shapes.defs[shape];
    // talus::thickness() of a plate is three times what it is.
    if (!def.mesh) return thickness(def.shape) / 3.0f;
    return def.mesh->is_solid() ? def.mesh->solid_thickness() : std::numeric_limits<float>::infinity();
}

float ContinuousInput::max_spin_of(const Body& body) const {
    return std::min(body.max_spin, settings::max_path_rotation / dt);
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

void ContinuousOutput::set_end_pose(const ContinuousInput& in, std::uint32_t slot, const WorldTransform& end) {
    TALUS_ASSERT(is_finite(end.position) && is_finite(end.rotation));
    Body& body = bodies[slot];
    if (in.awake.contains(slot)) {
        float* const displacement = solver_bodies[in.solver_indices[slot]].displacement;
        store3(displacement, load3(displacement) + vec3(end.position - body.center));
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
    body.center = displaced(body.center, displacement);
    body.exact_rotation = integrate_rotation(body.exact_rotation, rotation);
    body.rotation = quat(body.exact_rotation);
    for (int k = 0; k < 3; ++k) {
        own.displacement[k] += displacement[k];
        own.turn[k] += static_cast<float>(rotation[k]);
    }
}

}  // namespace talus
