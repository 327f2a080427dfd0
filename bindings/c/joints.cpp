// Joints.

#include "bindings/c/world_handle.h"

using namespace talus;
using c::axis_from;
using c::body_from;
using c::call;
using c::from;
using c::joint_from;
using c::to_c;

namespace {

template <std::size_t... kinds>
JointDef default_of(JointKind kind, std::index_sequence<kinds...>) {
    JointDef def;
    ((kinds == static_cast<std::size_t>(kind) ? (def.emplace<kinds>(), 0) : 0), ...);
    return def;
}

/// Returns f(engine's world, axis).
template <class World, class F>
auto with_axis(World* world, TalusJointAxis axis, F f) {
    return call(world, [&](auto& w, Error& e) {
        const JointAxis a = axis_from(axis, e);
        using Value = decltype(f(w, a));
        return e ? Value{} : f(w, a);
    });
}

}  // namespace

TalusJointDef talus_joint_def(TalusJointKind kind) {
    return c::make(nullptr, [&](Error& e) {
        const auto k = c::enum_from<JointKind>(kind, 9, "the joint's kind", e);
        return to_c(default_of(k, std::make_index_sequence<std::variant_size_v<JointDef>>{}));
    });
}

TalusJointId talus_world_add_joint(TalusWorld* world, const TalusJointDef* def) {
    return call(world, [&](World& w, Error& e) {
        const JointDef joint = from(def, e);
        return e ? TalusJointId{} : to_c(w.add_joint(joint));
    });
}
bool talus_world_remove_joint(TalusWorld* world, TalusJointId joint) {
    return call(world, [&](World& w, Error&) { return w.remove_joint(joint_from(joint)); });
}
bool talus_world_is_valid_joint(const TalusWorld* world, TalusJointId joint) {
    return call(world, [&](const World& w, Error&) { return w.is_valid(joint_from(joint)); });
}
TalusJointFrames talus_world_joint_frames(const TalusWorld* world, TalusBodyId body_a, TalusBodyId body_b,
                                          TalusDVec3 anchor, TalusVec3 axis) {
    return call(world, [&](const World& w, Error&) {
        return to_c(w.joint_frames(body_from(body_a), body_from(body_b), from(anchor), from(axis)));
    });
}

bool talus_world_describe_joint(const TalusWorld* world, TalusJointId joint, TalusJointDef* out) {
    return call(world, [&](const World& w, Error& e) {
        c::need(out, "out", e);
        if (!w.is_valid(joint_from(joint))) {
            c::refuse(e, ErrorCode::stale_handle, "describe_joint: there is no such joint");
        }
        if (e) return false;
        *out = to_c(w.describe(joint_from(joint)));
        return true;
    });
}
TalusJointKind talus_world_kind(const TalusWorld* world, TalusJointId joint) {
    return call(world, [&](const World& w, Error&) { return static_cast<TalusJointKind>(w.kind(joint_from(joint))); });
}
TalusJointFrames talus_world_frames(const TalusWorld* world, TalusJointId joint) {
    return call(world, [&](const World& w, Error&) { return to_c(w.frames(joint_from(joint))); });
}
TalusBodyId talus_world_body_a(const TalusWorld* world, TalusJointId joint) {
    return call(world, [&](const World& w, Error&) { return to_c(w.body_a(joint_from(joint))); });
}
TalusBodyId talus_world_body_b(const TalusWorld* world, TalusJointId joint) {
    return call(world, [&](const World& w, Error&) { return to_c(w.body_b(joint_from(joint))); });
}
uint64_t talus_world_joint_user_data(const TalusWorld* world, TalusJointId joint) {
    return call(world, [&](const World& w, Error&) { return w.user_data(joint_from(joint)); });
}

// ---- State ----------------------------------------------------------------------------------------------------------

float talus_world_joint_coordinate(const TalusWorld* world, TalusJointId joint, TalusJointAxis axis) {
    return with_axis(world, axis, [&](auto& w, JointAxis a) { return w.joint_coordinate(joint_from(joint), a); });
}
float talus_world_joint_speed(const TalusWorld* world, TalusJointId joint, TalusJointAxis axis) {
    return with_axis(world, axis, [&](auto& w, JointAxis a) { return w.joint_speed(joint_from(joint), a); });
}
TalusVec3 talus_world_joint_force(const TalusWorld* world, TalusJointId joint) {
    return call(world, [&](const World& w, Error&) { return to_c(w.joint_force(joint_from(joint))); });
}
TalusVec3 talus_world_joint_torque(const TalusWorld* world, TalusJointId joint) {
    return call(world, [&](const World& w, Error&) { return to_c(w.joint_torque(joint_from(joint))); });
}
float talus_world_joint_motor_force(const TalusWorld* world, TalusJointId joint, TalusJointAxis axis) {
    return with_axis(world, axis, [&](auto& w, JointAxis a) { return w.joint_motor_force(joint_from(joint), a); });
}
float talus_world_joint_stiffness(const TalusWorld* world, TalusJointId joint, TalusJointAxis axis) {
    return with_axis(world, axis, [&](auto& w, JointAxis a) { return w.joint_stiffness(joint_from(joint), a); });
}

// ---- Changes --------------------------------------------------------------------------------------------------------

bool talus_world_set_joint_limit(TalusWorld* world, TalusJointId joint, TalusJointLimit limit, TalusJointAxis axis) {
    return with_axis(world, axis,
                     [&](auto& w, JointAxis a) { return w.set_joint_limit(joint_from(joint), from(limit), a); });
}
bool talus_world_set_joint_motor(TalusWorld* world, TalusJointId joint, TalusJointMotor motor, TalusJointAxis axis) {
    return with_axis(world, axis,
                     [&](auto& w, JointAxis a) { return w.set_joint_motor(joint_from(joint), from(motor), a); });
}
bool talus_world_set_joint_spring(TalusWorld* world, TalusJointId joint, TalusJointSpring spring, TalusJointAxis axis) {
    return with_axis(world, axis,
                     [&](auto& w, JointAxis a) { return w.set_joint_spring(joint_from(joint), from(spring), a); });
}
bool talus_world_set_joint_cone(TalusWorld* world, TalusJointId joint, float cone) {
    return call(world, [&](World& w, Error&) { return w.set_joint_cone(joint_from(joint), cone); });
}
bool talus_world_set_joint_drive(TalusWorld* world, TalusJointId joint, const TalusJointDrive* drive) {
    return call(world, [&](World& w, Error& e) {
        c::need(drive, "drive", e);
        return !e && w.set_joint_drive(joint_from(joint), from(*drive));
    });
}
bool talus_world_set_joint_break(TalusWorld* world, TalusJointId joint, float force, float torque) {
    return call(world, [&](World& w, Error&) { return w.set_joint_break(joint_from(joint), force, torque); });
}
bool talus_world_set_joint_collide_connected(TalusWorld* world, TalusJointId joint, bool collide) {
    return call(world, [&](World& w, Error&) { return w.set_joint_collide_connected(joint_from(joint), collide); });
}
TalusJointLimit talus_world_joint_limit(const TalusWorld* world, TalusJointId joint, TalusJointAxis axis) {
    return with_axis(world, axis, [&](auto& w, JointAxis a) { return to_c(w.joint_limit(joint_from(joint), a)); });
}
TalusJointMotor talus_world_joint_motor(const TalusWorld* world, TalusJointId joint, TalusJointAxis axis) {
    return with_axis(world, axis, [&](auto& w, JointAxis a) { return to_c(w.joint_motor(joint_from(joint), a)); });
}
TalusJointSpring talus_world_joint_spring(const TalusWorld* world, TalusJointId joint, TalusJointAxis axis) {
    return with_axis(world, axis, [&](auto& w, JointAxis a) { return to_c(w.joint_spring(joint_from(joint), a)); });
}
float talus_world_joint_cone(const TalusWorld* world, TalusJointId joint) {
    return call(world, [&](const World& w, Error&) { return w.joint_cone(joint_from(joint)); });
}
TalusJointDrive talus_world_joint_drive(const TalusWorld* world, TalusJointId joint) {
    return call(world, [&](const World& w, Error&) { return to_c(w.joint_drive(joint_from(joint))); });
}

// ---- Lists ----------------------------------------------------------------------------------------------------------

size_t talus_world_joints_of(const TalusWorld* world, TalusBodyId body, TalusJointId* out, size_t capacity) {
    return call(world, [&](const World& w, Error&) { return c::write_list(w.joints(body_from(body)), out, capacity); });
}
size_t talus_world_joints(const TalusWorld* world, TalusJointId* out, size_t capacity) {
    return call(world, [&](const World& w, Error&) { return c::write_list(w.joints(), out, capacity); });
}
size_t talus_world_joint_count(const TalusWorld* world) {
    return call(world, [](const World& w, Error&) { return w.joint_count(); });
}
