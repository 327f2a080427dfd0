/// World's joints: adding, removing, reading and changing them.

#include "engine/features.h"
#include "engine/joints/joint_checks.h"
#include "engine/joints/joint_definition.h"
#include "engine/joints/joint_geometry.h"
#include "engine/world/error_text.h"
#include "engine/world/world_state.h"

#include <algorithm>
#include <array>
#include <string>

namespace talus {

JointFrames joint_frames(const WorldTransform& pose_a, const WorldTransform& pose_b, const dvec3& anchor,
                         const vec3& axis) {
    JointFrames frames;
    const float largest = std::max(std::abs(axis.x), std::max(std::abs(axis.y), std::abs(axis.z)));
    quat rotation(0.0f, 0.0f, 0.0f, 0.0f);  // invalid, so that add_joint refuses the joint
    if (is_finite(axis) && largest > 0.0f) {
        const vec3 scaled = axis / largest;
        const vec3 x = scaled / std::sqrt(length_squared(scaled));
        // The shortest rotation from the x axis to that direction; for the opposite direction, half a turn about y.
        rotation = x.x > -0.9999f ? normalized(quat(1.0f + x.x, 0.0f, -x.z, x.y)) : quat(0.0f, 0.0f, 1.0f, 0.0f);
        if (x.x <= -0.9999f) rotation = normalized(multiply(quat(1.0f - x.x, 0.0f, x.z, -x.y), rotation));
    }
    frames.frame_a = {inverse_transform_point(pose_a, on_grid(anchor)), multiply(conjugate(pose_a.rotation), rotation)};
    frames.frame_b = {inverse_transform_point(pose_b, on_grid(anchor)), multiply(conjugate(pose_b.rotation), rotation)};
    return frames;
}

JointFrames World::joint_frames(BodyId a, BodyId b, const dvec3& anchor, const vec3& axis) const {
    if (!state_->check_handle(a, "joint_frames", "body_a") || !state_->check_handle(b, "joint_frames", "body_b"))
        return {};
    JointFrames frames = talus::joint_frames(transform(a), transform(b), anchor, axis);
    frames.body_a = a;
    frames.body_b = b;
    return frames;
}

// ---- adding and removing --------------------------------------------------------------------------------------------

namespace {

float coordinate_of(const JointStore& joints, const BodyStore& bodies, std::uint32_t slot, int axis) {
    const Joint& joint = joints[slot];
    if (joint.kind == JointKind::gear) {
        const std::uint32_t second = joint.geared[1];
        return coordinate_of(joints, bodies, second, main_axis(joints[second].kind));
    }
    const JointBodies pair = joints.bodies(slot);
    const Coordinates q = coordinates(joint.kind, joint_pose(joint, bodies[pair.a], bodies[pair.b]), joint.state.angle);
    return static_cast<float>(q[static_cast<std::size_t>(axis)]);
}

/// Connects two joints by a gear at their present coordinates. Returns the gear's bodies: one of each joint.
JointBodies connect_gear(const JointStore& joints, const BodyStore& bodies, const std::array<JointId, 2>& geared,
                         Joint& gear) {
    const auto coordinate = [&](JointId id) {
        return static_cast<double>(coordinate_of(joints, bodies, id.slot, main_axis(joints[id.slot].kind)));
    };
    for (std::size_t i = 0; i < 2; ++i) gear.geared[i] = geared[i].slot;
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
/// Refused if the bodies are farther apart than a float can tell.
Error set_length(Joint& joint, const Body& a, const Body& b) {
    AxisDef& axis = joint.axes[0];
    const bool as_added = axis.limit.lower == DistanceDef::as_added && axis.limit.upper == DistanceDef::as_added;
    const float now = static_cast<float>(coordinates(joint.kind, joint_pose(joint, a, b), 0.0)[0]);
    const bool rest_as_added = axis.spring.target == DistanceDef::as_added;
    if ((as_added || rest_as_added) && !is_finite(now))
        return {ErrorCode::not_finite, (as_added ? "length" : "rest_length") + std::string(" as_added would be ") +
                                           text(now) + " m, which is beyond the range of floats."};
    if (as_added) axis.limit = {now, now};
    if (rest_as_added) axis.spring.target = now;
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

/// Checks that two joints of a world can be geared.
template <class State>
bool check_geared(const State& s, const char* call, const GearDef& gear) {
    if (gear.joint_a == gear.joint_b)
        return s.refuse(call,
                        {ErrorCode::bad_argument, "joint_a and joint_b are the same joint; they must be different."});
    const auto is_gearable = [&](JointId id, const char* name) {
        if (!s.check_handle(id, call, name)) return false;
        const JointKind kind = s.joints[id.slot].kind;
        return kind == JointKind::hinge || kind == JointKind::slider ||
               s.refuse(call, {ErrorCode::bad_argument, std::string(name) + " is a " + std::string(name_of(kind)) +
                                                            " joint; it must be a hinge or a slider."});
    };
    return is_gearable(gear.joint_a, "joint_a") && is_gearable(gear.joint_b, "joint_b");
}

/// Checks that a joint can connect the two bodies.
template <class State>
bool check_connected(const State& s, const char* call, const JointFrames& frames) {
    if (!s.check_handle(frames.body_a, call, "frames.body_a") || !s.check_handle(frames.body_b, call, "frames.body_b"))
        return false;
    if (frames.body_a == frames.body_b)
        return s.refuse(call, {ErrorCode::bad_argument,
                               "frames.body_a and frames.body_b are the same body; they must be different."});
    const BodyType a = s.bodies[frames.body_a.slot].type, b = s.bodies[frames.body_b.slot].type;
    return a == BodyType::dynamic || b == BodyType::dynamic ||
           s.refuse(call,
                    {ErrorCode::bad_argument, "frames.body_a is " + std::string(name_of(a)) + " and frames.body_b is " +
                                                  std::string(name_of(b)) + "; at least one must be dynamic."});
}

}  // namespace

JointId World::add_joint(const JointDef& def) {
    State& s = *state_;
    constexpr const char* call = "add_joint";
    if (!s.may_change(call)) return {};
    if (!with_joints) {
        s.refuse(call, {ErrorCode::bad_argument, "this library was built without joints (TALUS_JOINTS=OFF)."});
        return {};
    }
    if (def.valueless_by_exception()) {
        s.refuse(call, {ErrorCode::bad_argument, "def holds no value; it must be a definition of a joint."});
        return {};
    }
    const GearDef* const gear = std::get_if<GearDef>(&def);
    JointFrames frames;
    std::visit(
        [&](const auto& d) {
            if constexpr (requires { d.frames; }) frames = d.frames;
        },
        def);
    if (gear != nullptr ? !check_geared(s, call, *gear) : !check_connected(s, call, frames)) return {};
    if (!s.accept(call, check(def))) return {};
    Joint joint = joint_of(def);
    JointBodies bodies;
    if (gear != nullptr) {
        bodies = connect_gear(s.joints, s.bodies, {gear->joint_a, gear->joint_b}, joint);
    } else {
        bodies = {frames.body_a.slot, frames.body_b.slot};
        joint.frame_a = frames.frame_a;
        joint.frame_b = frames.frame_b;
    }
    if (joint.kind == JointKind::distance && !s.accept(call, set_length(joint, s.bodies[bodies.a], s.bodies[bodies.b])))
        return {};
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

bool World::State::check_handle(JointId id, const char* call, const char* name) const {
    return joints.is_valid(id) ||
           refuse(call, out_of_range(ErrorCode::stale_handle, name, handle_text(id, def.handle_tag),
                                     "the handle of a joint of this world that was neither removed nor broken (see "
                                     "is_valid)"));
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

JointDef World::describe(JointId id) const {
    const State& s = *state_;
    if (!s.check_handle(id, "describe")) return {};
    const Joint& joint = s.joints[id.slot];
    JointId geared[2];
    for (int i = 0; i < 2; ++i) {
        if (joint.geared[i] != null_index) geared[i] = s.joints.id_of(joint.geared[i]);
    }
    return definition_of(joint, frames(id), geared);
}

JointKind World::kind(JointId id) const {
    return state_->check_handle(id, "kind") ? state_->joints[id.slot].kind : JointKind::ball;
}

JointFrames World::frames(JointId id) const {
    if (!state_->check_handle(id, "frames")) return {};
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
    const int index = s.axis_of(id, axis, "joint_coordinate");
    return index >= 0 ? coordinate_of(s.joints, s.bodies, id.slot, index) : 0.0f;
}

float World::joint_speed(JointId id, JointAxis axis) const {
    const State& s = *state_;
    const int index = s.axis_of(id, axis, "joint_speed");
    if (index < 0) return 0.0f;
    const Joint& joint = s.joints[id.slot];
    if (joint.kind == JointKind::gear) return joint_speed(s.joints.id_of(joint.geared[1]));
    const JointBodies pair = s.joints.bodies(id.slot);
    const Body &a = s.bodies[pair.a], &b = s.bodies[pair.b];
    const Jacobian j = jacobian(joint.kind, joint_pose(joint, a, b), index);
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
    const int index = s.axis_of(id, axis, "joint_motor_force");
    return index >= 0 ? s.joints[id.slot].state.motor_forces[static_cast<std::size_t>(index)] : 0.0f;
}

float World::joint_stiffness(JointId id, JointAxis axis) const {
    const State& s = *state_;
    const int index = s.axis_of(id, axis, "joint_stiffness");
    return index >= 0 ? s.joints[id.slot].state.stiffness[static_cast<std::size_t>(index)] : 0.0f;
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

int World::State::axis_of(JointId id, JointAxis axis, const char* call) const {
    if (!check_handle(id, call) || !accept(call, check_enumerator("axis", axis, JointAxis::main, "JointAxis")))
        return -1;
    return axis == JointAxis::main ? main_axis(joints[id.slot].kind) : static_cast<int>(axis);
}

/// Names the axes whose bits are set: "turn_x (main)".
static std::string names_of_axes(std::uint8_t settable, int main) {
    std::string names;
    for (int axis = 0; axis < joint_axes; ++axis) {
        if ((settable >> axis & 1u) == 0) continue;
        if (!names.empty()) names += ", ";
        names += name_of(static_cast<JointAxis>(axis));
        if (axis == main) names += " (main)";
    }
    return names.empty() ? "none" : names;
}

AxisDef* World::State::settable_axis(JointId id, JointAxis axis, const char* call) {
    const int index = axis_of(id, axis, call);
    if (index < 0) return nullptr;
    Joint& joint = joints.definition(id.slot);
    if (joint.settable >> index & 1u) return &joint.axes[static_cast<std::size_t>(index)];
    refuse(call, {ErrorCode::bad_argument,
                  "axis is " + std::string(name_of(axis)) + "; the axes of a " + std::string(name_of(joint.kind)) +
                      " joint that can be set are: " + names_of_axes(joint.settable, main_axis(joint.kind)) + "."});
    return nullptr;
}

template <class Part>
bool World::State::set_axis(JointId id, JointAxis axis, const char* call, const char* path, Part AxisDef::*part,
                            const Part& value) {
    if (!check_change(id, call) || !accept(call, within(path, check(value)))) return false;
    AxisDef* const settable = settable_axis(id, axis, call);
    if (settable == nullptr) return false;
    settable->*part = value;
    wake_joint(id.slot);
    return true;
}

bool World::set_joint_limit(JointId id, const JointLimit& limit, JointAxis axis) {
    State& s = *state_;
    constexpr const char* call = "set_joint_limit";
    if (!s.check_change(id, call)) return false;
    if (s.joints[id.slot].kind == JointKind::distance && limit.lower < 0.0f)
        return s.refuse(call, out_of_range(ErrorCode::bad_size, "limit.lower", text(limit.lower),
                                           ">= 0 (m), because the joint is a distance joint"));
    return s.set_axis(id, axis, call, "limit.", &AxisDef::limit, limit);
}

bool World::set_joint_motor(JointId id, const JointMotor& motor, JointAxis axis) {
    return state_->set_axis(id, axis, "set_joint_motor", "motor.", &AxisDef::motor, motor);
}

bool World::set_joint_spring(JointId id, const JointSpring& spring, JointAxis axis) {
    return state_->set_axis(id, axis, "set_joint_spring", "spring.", &AxisDef::spring, spring);
}

static Error wrong_kind(JointKind kind, const char* allowed) {
    return out_of_range(ErrorCode::bad_argument, "the joint", "a " + std::string(name_of(kind)) + " joint", allowed);
}

bool World::set_joint_cone(JointId id, float cone) {
    State& s = *state_;
    constexpr const char* call = "set_joint_cone";
    if (!s.check_change(id, call) || !s.accept(call, check_cone(cone))) return false;
    Joint& joint = s.joints.definition(id.slot);
    if (joint.kind != JointKind::ball) return s.refuse(call, wrong_kind(joint.kind, "a ball joint"));
    joint.cone = cone;
    s.wake_joint(id.slot);
    return true;
}

bool World::set_joint_drive(JointId id, const JointDrive& drive) {
    State& s = *state_;
    constexpr const char* call = "set_joint_drive";
    if (!s.check_change(id, call) || !s.accept(call, within("drive.", check(drive)))) return false;
    Joint& joint = s.joints.definition(id.slot);
    if (joint.kind != JointKind::ball && joint.kind != JointKind::motor)
        return s.refuse(call, wrong_kind(joint.kind, "a ball or motor joint"));
    joint.drive = drive;
    joint.drive.target.rotation = normalized(drive.target.rotation);
    if (joint.kind == JointKind::ball) joint.drive.max_force = 0.0f;
    s.wake_joint(id.slot);
    return true;
}

bool World::set_joint_break(JointId id, float force, float torque) {
    State& s = *state_;
    constexpr const char* call = "set_joint_break";
    if (!s.check_change(id, call) || !s.accept(call, check_break_limits("force", force, "torque", torque)))
        return false;
    JointOptions& options = s.joints.definition(id.slot).options;
    options.break_force = force;
    options.break_torque = torque;
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
