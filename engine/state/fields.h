#pragma once
/// The fields of the engine's plain data, for saved worlds (common/bytes.h). Classes with private data list theirs
/// themselves, in visit_fields().

#include "broadphase/broadphase_bytes.h"
#include "common/bytes.h"
#include "engine/state/asset_table.h"
#include "engine/world/world_state.h"
#include "narrowphase/ladder/pair_fields.h"

namespace talus {

template <>
inline constexpr BodyType last_value<BodyType> = BodyType::dynamic;
template <>
inline constexpr Continuous last_value<Continuous> = Continuous::all;
template <>
inline constexpr Timing last_value<Timing> = Timing::pairs;
template <>
inline constexpr JointKind last_value<JointKind> = JointKind::motor;

template <class Bytes>
void visit_fields(Bytes& bytes, WorldDef& def) {
    auto& [gravity, substeps, allow_sleep, sleep_speed, time_to_sleep, contact_rate, handle_tag, max_speed, hit_speed,
           continuous, enable_skip, enable_reuse, enable_closed_form, enable_axis, enable_warm_gjk, enable_warm_epa,
           enable_joint_batches, timing, hash_stages] = def;
    auto saved_substeps = static_cast<std::int32_t>(substeps);
    bytes(gravity, saved_substeps, allow_sleep, sleep_speed, time_to_sleep, contact_rate, handle_tag, max_speed,
          hit_speed, continuous, enable_skip, enable_reuse, enable_closed_form, enable_axis, enable_warm_gjk,
          enable_warm_epa, enable_joint_batches, timing, hash_stages);
    if constexpr (Bytes::reads) substeps = saved_substeps;
}

// ---- handles and events ---------------------------------------------------------------------------------------------

template <class Bytes>
void visit_fields(Bytes& bytes, BodyId& id) {
    auto& [slot, generation] = id;
    bytes(slot, generation);
}

template <class Bytes>
void visit_fields(Bytes& bytes, JointId& id) {
    auto& [slot, generation] = id;
    bytes(slot, generation);
}

template <class Bytes>
void visit_fields(Bytes& bytes, ContactEvent& event) {
    auto& [body_a, body_b, shape_a, shape_b, sensor, normal_impulse] = event;
    bytes(body_a, body_b, shape_a, shape_b, sensor, normal_impulse);
}

template <class Bytes>
void visit_fields(Bytes& bytes, HitEvent& event) {
    auto& [body_a, body_b, shape_a, shape_b, point, normal, approach_speed, normal_impulse] = event;
    bytes(body_a, body_b, shape_a, shape_b, point, normal, approach_speed, normal_impulse);
}

template <class Bytes>
void visit_fields(Bytes& bytes, JointEvent& event) {
    auto& [joint, body_a, body_b, user_data, overloaded, force, torque] = event;
    bytes(joint, body_a, body_b, user_data, overloaded, force, torque);
}

template <class Bytes>
void visit_fields(Bytes& bytes, Impact& impact) {
    auto& [body, shape, other, other_shape, triangle, sensor, point, normal, approach_speed, impulse] = impact;
    bytes(body, shape, other, other_shape, triangle, sensor, point, normal, approach_speed, impulse);
}

// ---- bodies and shapes ----------------------------------------------------------------------------------------------

template <class Bytes>
void visit_fields(Bytes& bytes, PrincipalInertia& inertia) {
    auto& [x_axis, y_axis, moments] = inertia;
    bytes(x_axis, y_axis, moments);
}

template <class Bytes>
void visit_fields(Bytes& bytes, SymmetricMatrix& m) {
    bytes(m.diagonal, m.xy, m.xz, m.yz);
}

template <class Bytes>
void visit_fields(Bytes& bytes, Body& body) {
    auto& [center, rotation, linear_velocity, angular_velocity, exact_rotation, exact_spin, user_data, force, torque,
           local_center, radius, mass, inverse_mass, linear_damping, angular_damping, gravity_scale, first_shape,
           shape_count, proxy, generation, type, locks, isotropic, in_use, allow_sleep, continuous, max_speed, max_spin,
           still_time, slow_time, inner_radius, spread, first_pair, still_place, still_rotation, settle_place, inertia,
           inverse_inertia, principal, gyration, stale_by_spin, stale_by_tilt, pair_count] = body;
    bytes(in_use, generation);
    if (!in_use) return;
    bytes(center, rotation, linear_velocity, angular_velocity, exact_rotation, exact_spin, force, torque, local_center,
          inertia, inverse_inertia, mass, inverse_mass, principal, isotropic, linear_damping, angular_damping,
          gravity_scale, max_speed, max_spin, radius, spread, inner_radius, gyration, stale_by_spin, stale_by_tilt,
          still_time, still_place, still_rotation, slow_time, settle_place, first_shape, shape_count, proxy, first_pair,
          pair_count, user_data, type, locks, allow_sleep, continuous);
}

template <class Bytes>
void visit_fields(Bytes& bytes, Shape& shape) {
    auto& [type, radius, half_extents, points, hull, mapping] = shape;
    bytes(type, radius, half_extents, points, hull);
    if (type == ShapeType::mapping) bytes(mapping);  // no byte more for the others
}

template <class Bytes>
void visit_fields(Bytes& bytes, Material& material) {
    auto& [friction, restitution, rolling_resistance, grip_axis, grip_across, surface_velocity] = material;
    bytes(friction, restitution, rolling_resistance, grip_axis, grip_across, surface_velocity);
}

template <class Bytes>
void visit_fields(Bytes& bytes, ShapeDef& def) {
    auto& [shape, pose, material, density, filter, sensor, hit_events, modify_contacts, mesh, mesh_materials] = def;
    bytes(shape, pose, material, density, filter, sensor, hit_events, modify_contacts, mesh, mesh_materials);
}

template <class Bytes>
void visit_fields(Bytes& bytes, BoundingSphere& sphere) {
    auto& [center, reach] = sphere;
    bytes(center, reach);
}

// ---- contacts -------------------------------------------------------------------------------------------------------

template <class Bytes>
void visit_fields(Bytes& bytes, ContactState& s) {
    auto& [impulses, friction, restitution, twist_arm, twist_impulse, friction_impulse, slop, substep, ids, point_count,
           step_impulses, step_friction_impulse, rolling_arm, rolling_impulse, pair, next_in_pair, previous_in_pair,
           mesh_contact, next_in_mesh_contact, previous_in_mesh_contact, color, special_surface, sensor, touching,
           hit_events, modifiable, replaced, modified, met, held_back, of_compound, in_group, merged, continued,
           last_impulse, triangle_a, triangle_b, rolls] = s;
    auto saved_count = static_cast<std::uint8_t>(point_count);
    bytes(impulses, friction, restitution, twist_arm, twist_impulse, friction_impulse, slop, substep, ids, saved_count,
          step_impulses, step_friction_impulse, rolling_arm, rolling_impulse, pair, next_in_pair, mesh_contact, color,
          special_surface, sensor, touching, hit_events, modifiable, replaced, modified, met, held_back, of_compound,
          in_group, merged, continued, last_impulse, triangle_a, triangle_b, rolls);
    if constexpr (Bytes::reads) {
        if (bytes.expect(saved_count <= max_manifold_points, "a contact has too many points"))
            point_count = saved_count;
    }
}

template <class Bytes>
void visit_fields(Bytes& bytes, ContactBodies& bodies) {
    auto& [a, b] = bodies;
    bytes(a, b);
}

template <class Bytes>
void visit_fields(Bytes& bytes, MeshContact& m) {
    auto& [shape, mesh, shape_body, mesh_body, next_in_pair, first_contact, box, seen_box, mesh_pose, reach, seen_pose,
           seen_margin, near_margin, seen_depth, seen_turn, seen_side, last_pose, way_out, overlap_middle,
           overlap_depth, was_far, is_recovering, by_features, side_point, clearance, stamp, pressed_through, marked,
           touches, touching, sensor, changed, held_back, last_impulse] = m;
    bytes(shape, mesh, shape_body, mesh_body, next_in_pair, box, seen_box, mesh_pose, reach, seen_pose, seen_margin,
          near_margin, seen_depth, seen_turn, seen_side, last_pose, way_out, overlap_middle, overlap_depth, was_far,
          is_recovering, by_features, side_point, clearance, stamp, pressed_through, marked, touches, touching, sensor,
          changed, held_back, last_impulse);
}

template <class Bytes>
void visit_fields(Bytes& bytes, Pair& pair) {
    auto& [body, next, previous, first_contact, first_mesh_contact, compound, collision_disabled, compared, in_use,
           edges] = pair;
    bytes(body, next, previous, first_contact, first_mesh_contact, compound, collision_disabled, compared, in_use,
          edges);
}

template <class Bytes>
void visit_fields(Bytes& bytes, ConstraintGraph::Edge& edge) {
    auto& [contact, a, b, point_count, pushes_a, pushes_b, special, bounces, color, jointed, link, pair, slide_limit,
           most_points] = edge;
    bytes(contact, a, b, point_count, pushes_a, pushes_b, special, bounces, color, jointed, link, pair, slide_limit,
          most_points);
}

// ---- joints ---------------------------------------------------------------------------------------------------------

template <class Bytes>
void visit_fields(Bytes& bytes, JointLimit& limit) {
    auto& [lower, upper] = limit;
    bytes(lower, upper);
}

template <class Bytes>
void visit_fields(Bytes& bytes, JointMotor& motor) {
    auto& [speed, max_force] = motor;
    bytes(speed, max_force);
}

template <class Bytes>
void visit_fields(Bytes& bytes, JointSpring& spring) {
    auto& [hertz, damping_ratio, target, max_force] = spring;
    bytes(hertz, damping_ratio, target, max_force);
}

template <class Bytes>
void visit_fields(Bytes& bytes, AxisDef& axis) {
    auto& [limit, motor, spring] = axis;
    bytes(limit, motor, spring);
}

template <class Bytes>
void visit_fields(Bytes& bytes, JointDrive& drive) {
    auto& [velocity, angular_velocity, target, linear_hertz, angular_hertz, damping_ratio, max_force, max_torque] =
        drive;
    bytes(velocity, angular_velocity, target, linear_hertz, angular_hertz, damping_ratio, max_force, max_torque);
}

template <class Bytes>
void visit_fields(Bytes& bytes, JointOptions& options) {
    auto& [collide_connected, break_force, break_torque, user_data] = options;
    bytes(collide_connected, break_force, break_torque, user_data);
}

template <class Bytes>
void visit_fields(Bytes& bytes, JointState& state) {
    auto& [angle, forces, pressed, at_upper, load, mean_angular_velocities, force, torque, motor_forces, stiffness] =
        state;
    bytes(angle, forces, pressed, at_upper, load, mean_angular_velocities, force, torque, motor_forces, stiffness);
}

template <class Bytes>
void visit_fields(Bytes& bytes, Joint& joint) {
    auto& [kind, in_use, settable, generation, next, previous, frame_a, frame_b, axes, cone, drive, options, geared,
           ratio, offset, state] = joint;
    bytes(in_use, generation);
    if (!in_use) return;
    bytes(kind, settable, next, previous, frame_a, frame_b, axes, cone, drive, options, geared, ratio, offset, state);
}

template <class Bytes>
void visit_fields(Bytes& bytes, JointBodies& bodies) {
    auto& [a, b] = bodies;
    bytes(a, b);
}

}  // namespace talus
