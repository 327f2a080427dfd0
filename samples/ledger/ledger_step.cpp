#include "samples/ledger/ledger_step.h"

#include <algorithm>
#include <cmath>

namespace talus::samples {

using glm::dmat3;

dvec3 rotated(const quat& rotation, const dvec3& v) {
    const dvec3 u(rotation.x, rotation.y, rotation.z);
    const dvec3 t = 2.0 * glm::cross(u, v);
    return v + static_cast<double>(rotation.w) * t + glm::cross(u, t);
}

dvec3 rotation_between(const quat& from, const quat& to) {
    const glm::dquat a(from), b(to);
    const glm::dquat d = b * glm::conjugate(a);
    const dvec3 v = d.w < 0.0 ? -dvec3(d.x, d.y, d.z) : dvec3(d.x, d.y, d.z);
    const double sine = glm::length(v);
    if (sine < 1e-12) return 2.0 * v;
    return v * (2.0 * std::atan2(sine, std::abs(d.w)) / sine);
}

namespace {

void read_bodies(const World& world, const dvec3& origin, std::vector<LedgerStep::Body>& bodies, bool before_step) {
    for (LedgerStep::Body& body : bodies) body.present = false;
    for (const BodyId id : world.bodies()) {
        if (id.slot >= bodies.size()) bodies.resize(id.slot + 1);
        LedgerStep::Body& s = bodies[id.slot];
        const bool awake = world.is_awake(id);
        s.present = true;
        s.awake = awake;
        s.id = id;
        s.type = world.type(id);
        s.pose = {world.position(id) - origin, world.rotation(id)};
        if (s.type == BodyType::fixed) continue;
        s.center = world.center_of_mass(id) - origin;
        s.velocity = world.linear_velocity(id);
        s.spin = world.angular_velocity(id);
        s.mass = static_cast<double>(world.mass(id));
        s.inertia = dmat3(world.inertia(id));
        s.gravity_scale = static_cast<double>(world.gravity_scale(id));
        s.kinetic = s.type == BodyType::dynamic && awake
                        ? 0.5 * s.mass * glm::dot(s.velocity, s.velocity) + 0.5 * glm::dot(s.spin, s.inertia * s.spin)
                        : 0.0;
        if (!before_step) continue;
        s.locks = world.locks(id);
        s.damped = world.linear_damping(id) != 0.0f || world.angular_damping(id) != 0.0f;
        s.max_speed = static_cast<double>(world.max_speed(id));
        s.max_spin = static_cast<double>(world.max_spin(id));
        s.force = world.force(id);
        s.torque = world.torque(id);
    }
}

void read_joints(const World& world, std::vector<LedgerStep::Joint>& joints) {
    joints.clear();
    for (const JointId id : world.joints()) {
        LedgerStep::Joint s;
        s.id = id;
        s.kind = world.kind(id);
        if (s.kind != JointKind::gear) {
            for (int i = 0; i < 6; ++i) {
                s.coordinates[i] = static_cast<double>(world.joint_coordinate(id, JointAxis(i)));
                s.speeds[i] = static_cast<double>(world.joint_speed(id, JointAxis(i)));
            }
        }
        joints.push_back(s);
    }
}

}  // namespace

void LedgerStep::begin(const World& world, float dt) {
    dt_ = static_cast<double>(dt);
    gravity_ = world.gravity();
    if (const std::vector<BodyId> bodies = world.bodies(); !origin_ && !bodies.empty())
        origin_ = world.position(bodies.front());
    read_bodies(world, origin(), before_, true);
    read_joints(world, joints_before_);
}

void LedgerStep::end(const World& world) {
    read_bodies(world, origin(), after_, false);
    read_joints(world, joints_after_);
    const std::size_t count = std::max(before_.size(), after_.size());
    before_.resize(count);
    after_.resize(count);

    displacements_.assign(count, Displacement{});
    for (std::size_t i = 0; i < count; ++i) {
        const Body &s = before_[i], &e = after_[i];
        if (!s.present || !e.present || s.type == BodyType::fixed) continue;
        displacements_[i].move = e.center - s.center;
        displacements_[i].turn = rotation_between(s.pose.rotation, e.pose.rotation);
        // Two rotations do not tell how often a body has turned. One that turns by more than this is given the turn that
        // its spin makes.
        constexpr double told = 2.0;
        if (dt_ * glm::length(e.spin) > told) displacements_[i].turn = dt_ * 0.5 * (s.spin + e.spin);
    }

    parent_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) parent_[i] = i;
    groups_.assign(count, Group{});
}

dvec3 LedgerStep::displacement_at(std::uint32_t slot, const dvec3& point) const {
    if (before_[slot].type == BodyType::fixed) return dvec3(0.0);
    const dvec3 local = rotated(conjugate(after_[slot].pose.rotation), point - after_[slot].pose.position);
    return point - (before_[slot].pose.position + rotated(before_[slot].pose.rotation, local));
}

std::uint32_t LedgerStep::root(std::uint32_t slot) {
    while (parent_[slot] != slot) slot = parent_[slot] = parent_[parent_[slot]];
    return slot;
}

void LedgerStep::unite(std::uint32_t a, std::uint32_t b) {
    if (before_[a].type != BodyType::dynamic || before_[b].type != BodyType::dynamic) return;
    a = root(a);
    b = root(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
}

void LedgerStep::mark_touched(std::uint32_t a, std::uint32_t b) {
    for (const auto& [self, other] : {std::pair{a, b}, std::pair{b, a}}) {
        if (before_[self].type != BodyType::dynamic) continue;
        Group& group = group_of(self);
        group.touched = true;
        group.anchored = group.anchored || before_[other].type != BodyType::dynamic;
    }
}

void LedgerStep::add_work(std::uint32_t a, std::uint32_t b, double joules, double slack) {
    const std::uint32_t slot = before_[a].type == BodyType::dynamic ? a : b;
    if (before_[slot].type != BodyType::dynamic) return;
    Group& group = group_of(slot);
    group.work += joules + slack;
    group.work_in += std::max(0.0, joules + slack);
}

}  // namespace talus::samples
