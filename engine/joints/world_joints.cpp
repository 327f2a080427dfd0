/// World's joints: adding, removing, reading and changing them.

#include "engine/joints/joint_checks.h"
#include "engine/joints/joint_definition.h"
#include "engine/joints/joint_geometry.h"
#include "engine/world/world_state.h"

#include <algorithm>
#include <string>

namespace talus {

JointEnds joint_ends(const Transform& pose_a, const Transform& pose_b, const vec3& anchor, const vec3& axis) {
    JointEnds ends;
    const float largest = std::max(std::abs(axis.x), std::max(std::abs(axis.y), std::abs(axis.z)));
    quat rotation(0.0f, 0.0f, 0.0f, 0.0f);  // invalid, so that add_joint refuses the joint
    if (is_finite(axis) && largest > 0.0f) {
        const vec3 scaled = axis / largest;
        const vec3 x = scaled / std::sqrt(length_squared(scaled));
        // The shortest rotation from the x axis to that direction; for the opposite direction, half a turn about y.
        rotation = x.x > -0.9999f ? normalized(quat(1.0f + x.x, 0.0f, -x.z, x.y)) : quat(0.0f, 0.0f, 1.0f, 0.0f);
        if (x.x <= -0.9999f) rotation = normalized(multiply(quat(1.0f - x.x, 0.0f, x.z, -x.y), rotation));
    }
    ends.frame_a = {inverse_rotate(pose_a.rotation, anchor - pose_a.position),
                    multiply(conjugate(pose_a.rotation), rotation)};
    ends.frame_b = {inverse_rotate(pose_b.rotation, anchor - pose_b.position),
                    multiply(conjugate(pose_b.rotation), rotation)};
    return ends;
}

JointEnds World::joint_ends(BodyId a, BodyId b, const vec3& anchor, const vec3& axis) const {
    if (!state_->check_handle(a, "joint_ends") || !state_->check_handle(b, "joint_ends")) return {};
    JointEnds ends = talus::joint_ends(transform(a), transform(b), anchor, axis);
    ends.body_a = a;
    ends.body_b = b;
    return ends;
}

// ---- adding and removing --------------------------------------------------------------------------------------------

namespace {

float coordinate_of(const JointStore& joints, const BodyStore& bodies, std::uint32_t slot, JointAxis axis) {
    const Joint& joint = joints[slot];
    if (joint.kind == JointKind::gear) return coordinate_of(joints, bodies, joint.geared[1], JointAxis::main);
    const JointBodies pair = joints.bodies(slot);
    const Coordinates q = coordinates(joint.kind, joint_pose(joint, bodies[pair.a], bodies[pair.b]), joint.state.angle);
    return static_cast<float>(
        q[static_cast<std::size_t>(axis == JointAxis::main ? main_axis(joint.kind) : static_cast<int>(axis))]);
}

/// Connects two joints by a gear at their present coordinates. Returns the gear's bodies: one of each joint.
JointBodies connect_gear(const JointStore& joints, const BodyStore& bodies, const JointId (&geared)[2], Joint& gear) {
    const auto coordinate = [&](JointId id) {
        return static_cast<double>(coordinate_of(joints, bodies, id.slot, JointAxis::main));
    };
    for (int i = 0; i < 2; ++i) gear.geared[i] = geared[i].slot;
    gear.offset = coordinate(geared[1]) - gear.ratio * coordinate(geared[0]);
    // Two different bodies, if there are two that move.
    const JointBodies a = joints.bodies(geared[0].slot), b = joints.bodies(geared[1].slot);
    const auto moves = [&](std::uint32_t slot) { return bodies[slot].is_dynamic(); };
    JointBodies pair;
    pair.a = moves(a.b) ? a.b : a.a;
    pair.b = moves(b.b) ? b.b : b.a;
    if (pair.a == pair.b && moves(a.a)) pair.a = a.a;
    if (pair.a == pair.b && moves(b.a)) pair.b = b.a;
    if (pair.a == pair.b) pair.b = null_index;
    return pair;
}

/// Sets the length and rest length of a distance joint to the present distance, where its definition asks for that.
Error set_length(Joint& joint, const Body& a, const Body& b) {
    AxisDef& axis = joint.axes[0];
    const bool as_added = axis.limit.lower == DistanceDef::as_added && axis.limit.upper == DistanceDef::as_added;
    if (Error error = check_frame(joint.frame_a)) return error;
    if (Error error = check_frame(joint.frame_b)) return error;
    const float now = static_cast<float>(coordinates(joint.kind, joint_pose(joint, a, b), 0.0)[0]);
    if (as_added) axis.limit = {now, now};
    if (axis.spring.target == DistanceDef::as_added) axis.spring.target = now;
    return {};
}

void normalize_rotations(Joint& joint) {
    for (quat* const q : {&joint.frame_a.rotation, &joint.frame_b.rotation, &joint.drive.target.rotation})
        *q = normalized(*q);
}

/// Sets the state with which a new joint begins.
void begin_state(Joint& joint, JointBodies pair, const BodyStore& bodies) {
    if (joint.kind != JointKind::gear)
        joint.state.angle = coordinates(joint.kind, joint_pose(joint, bodies[pair.a], bodies[pair.b]), 0.0)[3];
    for (int i = 0; i < 2; ++i) {
        const std::uint32_t body = i == 0 ? pair.a : pair.b;
        if (body != null_index) joint.state.mean_angular_velocities[i] = bodies[body].angular_velocity;
    }
}

}  // namespace

JointId World::add_joint(const JointDef& def) {
    State& s = *state_;
    const auto refused = [&](Error error) {
        s.error.set(std::move(error));
        return JointId{};
    };
    if (!s.may_change("add_joint")) return JointId{};
    if (def.valueless_by_exception()) return refused(refuse_joint(ErrorCode::bad_argument, "the definition is empty"));
    Joint joint = joint_of(def);
    JointBodies bodies;
    if (const GearDef* gear = std::get_if<GearDef>(&def)) {
        const JointId geared[2] = {gear->joint_a, gear->joint_b};
        if (geared[0] == geared[1])
            return refused(refuse_joint(ErrorCode::bad_argument, "a gear needs two different joints"));
        if (!is_finite(gear->ratio) || gear->ratio == 0.0f)
            return refused(refuse_joint(ErrorCode::bad_argument, "a gear's ratio must be finite and not 0"));
        for (const JointId id : geared) {
            if (!s.check_handle(id, "add_joint")) return {};
            const JointKind kind = s.joints[id.slot].kind;
            if (kind != JointKind::hinge && kind != JointKind::slider)
                return refused(refuse_joint(ErrorCode::bad_argument, "a gear connects only hinges and sliders"));
        }
        bodies = connect_gear(s.joints, s.bodies, geared, joint);
    } else {
        JointEnds ends;
        std::visit(
            [&](const auto& d) {
                if constexpr (requires { d.ends; }) ends = d.ends;
            },
            def);
        if (!s.check_handle(ends.body_a, "add_joint") || !s.check_handle(ends.body_b, "add_joint")) return {};
        if (ends.body_a == ends.body_b)
            return refused(
                refuse_joint(ErrorCode::bad_argument, "both bodies are the same one; give two different bodies"));
        bodies = {ends.body_a.slot, ends.body_b.slot};
        if (!s.bodies[bodies.a].is_dynamic() && !s.bodies[bodies.b].is_dynamic())
            return refused(refuse_joint(ErrorCode::bad_argument,
                                        "neither body is dynamic, so the joint could move none; make one dynamic"));
        joint.frame_a = ends.frame_a;
        joint.frame_b = ends.frame_b;
    }
    if (joint.kind == JointKind::distance) {
        if (Error error = set_length(joint, s.bodies[bodies.a], s.bodies[bodies.b])) return refused(std::move(error));
    }
    if (Error error = check(joint)) return refused(std::move(error));
    normalize_rotations(joint);
    begin_state(joint, bodies, s.bodies);
    const std::uint32_t slot = s.joints.add(joint, bodies);
    s.update_collision_of(bodies.a, bodies.b);
    s.wake_joint(slot);
    return s.joints.id_of(slot);
}

bool World::remove_joint(JointId id) {
    State& s = *state_;
    if (!s.check_change(id, "remove_joint")) return false;
    s.wake_joint(id.slot);
    s.drop_joint(id.slot, JointEvents::When::never);
    return true;
}

bool World::is_valid(JointId id) const { return state_->joints.is_valid(id); }

bool World::State::check_handle(JointId id, const char* call) const {
    if (joints.is_valid(id)) return true;
    error.set({ErrorCode::stale_handle,
               std::string(call) + (id.is_null() ? ": the handle is null; keep the one that add_joint returned"
                                                 : ": the joint is gone; ask is_valid() first")});
    return false;
}

bool World::State::check_change(JointId id, const char* call) const {
    return may_change(call) && check_handle(id, call);
}

void World::State::update_collision_of(std::uint32_t body_a, std::uint32_t body_b) {
    with_pairs([&](const BodyPairs::Input& in) { body_pairs.update_collision_of(in, body_a, body_b); });
}

void World::State::wake_joint(std::uint32_t slot) {
    const JointBodies pair = joints.bodies(slot);
    for (const std::uint32_t body : {pair.a, pair.b}) {
        if (body != null_index) wake(body);
    }
}

// ---- reading --------------------------------------------------------------------------------------------------------

JointKind World::kind(JointId id) const {
    return state_->check_handle(id, "kind") ? state_->joints[id.slot].kind : JointKind::ball;
}

JointEnds World::ends(JointId id) const {
    if (!state_->check_handle(id, "ends")) return {};
    const Joint& joint = state_->joints[id.slot];
    return {body_a(id), body_b(id), joint.frame_a, joint.frame_b};
}

BodyId World::body_a(JointId id) const {
    const State& s = *state_;
    return s.check_handle(id, "body_a") ? s.bodies.id_of(s.joints.bodies(id.slot).a) : BodyId{};
}

BodyId World::body_b(JointId id) const {
    const State& s = *state_;
    if (!s.check_handle(id, "body_b")) return {};
    const std::uint32_t slot = s.joints.bodies(id.slot).b;
    return slot == null_index ? BodyId{} : s.bodies.id_of(slot);
}

std::uint64_t World::user_data(JointId id) const {
    return state_->check_handle(id, "user_data") ? state_->joints[id.slot].options.user_data : 0;
}

float World::joint_coordinate(JointId id, JointAxis axis) const {
    const State& s = *state_;
    return s.check_handle(id, "joint_coordinate") ? coordinate_of(s.joints, s.bodies, id.slot, axis) : 0.0f;
}

float World::joint_speed(JointId id, JointAxis axis) const {
    const State& s = *state_;
    if (!s.check_handle(id, "joint_speed")) return 0.0f;
    const Joint& joint = s.joints[id.slot];
    if (joint.kind == JointKind::gear) return joint_speed(s.joints.id_of(joint.geared[1]));
    const JointBodies pair = s.joints.bodies(id.slot);
    const Body &a = s.bodies[pair.a], &b = s.bodies[pair.b];
    const Jacobian j = jacobian(joint.kind, joint_pose(joint, a, b),
                                axis == JointAxis::main ? main_axis(joint.kind) : static_cast<int>(axis));
    return static_cast<float>(glm::dot(j.linear, dvec3(b.linear_velocity) - dvec3(a.linear_velocity)) +
                              glm::dot(j.angular_b, dvec3(b.angular_velocity)) -
                              glm::dot(j.angular_a, dvec3(a.angular_velocity)));
}

vec3 World::joint_force(JointId id) const {
    return state_->check_handle(id, "joint_force") ? state_->joints[id.slot].state.force : vec3(0.0f);
}

vec3 World::joint_torque(JointId id) const {
    return state_->check_handle(id, "joint_torque") ? state_->joints[id.slot].state.torque : vec3(0.0f);
}

float World::joint_motor_force(JointId id, JointAxis axis) const {
    const State& s = *state_;
    if (!s.check_handle(id, "joint_motor_force")) return 0.0f;
    const Joint& joint = s.joints[id.slot];
    return joint.state.motor_forces[static_cast<std::size_t>(axis == JointAxis::main ? main_axis(joint.kind)
                                                                                     : static_cast<int>(axis))];
}

float World::joint_stiffness(JointId id, JointAxis axis) const {
    const State& s = *state_;
    if (!s.check_handle(id, "joint_stiffness")) return 0.0f;
    const Joint& joint = s.joints[id.slot];
    return joint.state
        .stiffness[static_cast<std::size_t>(axis == JointAxis::main ? main_axis(joint.kind) : static_cast<int>(axis))];
}

std::vector<JointId> World::joints(BodyId id) const {
    const State& s = *state_;
    std::vector<JointId> ids;
    if (!s.check_handle(id, "joints")) return ids;
    s.joints.for_each(id.slot, [&](std::uint32_t j, std::uint32_t) { ids.push_back(s.joints.id_of(j)); });
    std::sort(ids.begin(), ids.end(), [](JointId a, JointId b) { return a.slot < b.slot; });
    return ids;
}

std::vector<JointId> World::joints() const {
    const State& s = *state_;
    std::vector<JointId> ids;
    for (std::uint32_t j = 0; j < s.joints.slot_count(); ++j) {
        if (s.joints[j].in_use) ids.push_back(s.joints.id_of(j));
    }
    return ids;
}

std::size_t World::joint_count() const { return state_->joints.live_count(); }
std::span<const JointEvent> World::joints_broken() const { return state_->joint_events.broken(); }

// ---- changing -------------------------------------------------------------------------------------------------------

AxisDef* World::State::settable_axis(JointId id, JointAxis axis, const char* call) {
    if (!check_handle(id, call)) return nullptr;
    if (!refuse_unless(axis <= JointAxis::main, ErrorCode::bad_argument, ": axis must be one of JointAxis's", call))
        return nullptr;
    Joint& joint = joints.definition(id.slot);
    const int index = axis == JointAxis::main ? main_axis(joint.kind) : static_cast<int>(axis);
    if (joint.settable >> index & 1u) return &joint.axes[static_cast<std::size_t>(index)];
    error.set(
        refuse_joint(ErrorCode::bad_argument,
                     std::string(call) + " names an axis that this kind of joint has not got, or locks for good"));
    return nullptr;
}

bool World::set_joint_limit(JointId id, const JointLimit& limit, JointAxis axis) {
    State& s = *state_;
    if (!s.may_change("set_joint_limit")) return false;
    AxisDef* const def = s.settable_axis(id, axis, "set_joint_limit");
    if (def == nullptr) return false;
    Error error = check(limit);
    if (!error && s.joints[id.slot].kind == JointKind::distance && limit.lower < 0.0f)
        error = refuse_joint(ErrorCode::bad_size, "a distance is negative; give 0 or more");
    if (error) {
        s.error.set(std::move(error));
        return false;
    }
    def->limit = limit;
    s.wake_joint(id.slot);
    return true;
}

template <class Part>
bool World::State::set_axis(JointId id, JointAxis axis, const char* call, Part AxisDef::*part, const Part& value) {
    if (!may_change(call)) return false;
    AxisDef* const settable = settable_axis(id, axis, call);
    if (settable == nullptr) return false;
    if (Error problem = check(value)) {
        error.set(std::move(problem));
        return false;
    }
    settable->*part = value;
    wake_joint(id.slot);
    return true;
}

bool World::set_joint_motor(JointId id, const JointMotor& motor, JointAxis axis) {
    return state_->set_axis(id, axis, "set_joint_motor", &AxisDef::motor, motor);
}

bool World::set_joint_spring(JointId id, const JointSpring& spring, JointAxis axis) {
    return state_->set_axis(id, axis, "set_joint_spring", &AxisDef::spring, spring);
}

bool World::set_joint_cone(JointId id, float cone) {
    State& s = *state_;
    if (!s.check_change(id, "set_joint_cone")) return false;
    Error error = check_cone(cone);
    if (!error && s.joints[id.slot].kind != JointKind::ball)
        error = refuse_joint(ErrorCode::bad_argument, "only balls have a cone");
    if (error) {
        s.error.set(std::move(error));
        return false;
    }
    s.joints.definition(id.slot).cone = cone;
    s.wake_joint(id.slot);
    return true;
}

bool World::set_joint_drive(JointId id, const JointDrive& drive) {
    State& s = *state_;
    if (!s.check_change(id, "set_joint_drive")) return false;
    Joint& joint = s.joints.definition(id.slot);
    Error error = check(drive);
    if (!error && joint.kind != JointKind::ball && joint.kind != JointKind::motor)
        error = refuse_joint(ErrorCode::bad_argument, "only balls and motors have a drive");
    if (error) {
        s.error.set(std::move(error));
        return false;
    }
    joint.drive = drive;
    joint.drive.target.rotation = normalized(drive.target.rotation);
    if (joint.kind == JointKind::ball) joint.drive.max_force = 0.0f;
    s.wake_joint(id.slot);
    return true;
}

bool World::set_joint_break(JointId id, float force, float torque) {
    State& s = *state_;
    if (!s.check_change(id, "set_joint_break")) return false;
    JointOptions options = s.joints[id.slot].options;
    options.break_force = force;
    options.break_torque = torque;
    if (Error error = check(options)) {
        s.error.set(std::move(error));
        return false;
    }
    s.joints.definition(id.slot).options = options;
    s.wake_joint(id.slot);
    return true;
}

bool World::set_joint_collide_connected(JointId id, bool collide) {
    State& s = *state_;
    if (!s.check_change(id, "set_joint_collide_connected")) return false;
    s.joints.definition(id.slot).options.collide_connected = collide;
    const JointBodies pair = s.joints.bodies(id.slot);
    s.update_collision_of(pair.a, pair.b);
    s.wake_joint(id.slot);
    return true;
}

JointLimit World::joint_limit(JointId id, JointAxis axis) const {
    const AxisDef* const def = state_->settable_axis(id, axis, "joint_limit");
    return def != nullptr ? def->limit : JointLimit{};
}

JointMotor World::joint_motor(JointId id, JointAxis axis) const {
    const AxisDef* const def = state_->settable_axis(id, axis, "joint_motor");
    return def != nullptr ? def->motor : JointMotor{};
}

JointSpring World::joint_spring(JointId id, JointAxis axis) const {
    const AxisDef* const def = state_->settable_axis(id, axis, "joint_spring");
    return def != nullptr ? def->spring : JointSpring{};
}

float World::joint_cone(JointId id) const {
    return state_->check_handle(id, "joint_cone") ? state_->joints[id.slot].cone : unlimited;
}

JointDrive World::joint_drive(JointId id) const {
    return state_->check_handle(id, "joint_drive") ? state_->joints[id.slot].drive : JointDrive{};
}

}  // namespace talus
