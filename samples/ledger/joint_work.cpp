#include "samples/ledger/joint_work.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::samples {

namespace {

constexpr JointAxis axes[6] = {JointAxis::move_x, JointAxis::move_y, JointAxis::move_z,
                               JointAxis::turn_x, JointAxis::turn_y, JointAxis::turn_z};

/// Energy of a spring that pulls with no more than `cap`.
double stored(double stiffness, double way, double cap) {
    way = std::abs(way);
    if (stiffness * way <= cap) return 0.5 * stiffness * way * way;
    return cap * (way - 0.5 * cap / stiffness);
}

/// Which axes (a bit each) a kind lets the user set, and which it locks for good.
struct JointAxes {
    unsigned settable, locked;
};
JointAxes axes_of(JointKind kind) {
    switch (kind) {
        case JointKind::ball:
            return {0b001000, 0b000111};
        case JointKind::hinge:
            return {0b001000, 0b110111};
        case JointKind::slider:
            return {0b000001, 0b111110};
        case JointKind::fixed:
            return {0, 0b111111};
        case JointKind::distance:
            return {0b000001, 0};
        case JointKind::six_dof:
            return {0b111111, 0};
        case JointKind::wheel:
            return {0b011010, 0b100101};
        default:
            return {0, 0};
    }
}

constexpr double whole = 2.0 * std::numbers::pi;  ///< turn, rad

/// A joint in the step. Its functions add what it did to the groups of its bodies.
struct JointInStep {
    const World& world;
    LedgerStep& step;
    const LedgerStep::Joint &then, &now;  ///< before and after
    JointFrames frames;
    std::uint32_t a, b;      ///< slots
    dvec3 force, torque;     ///< on B, means over the step, N and N m
    dvec3 anchor, anchor_a;  ///< of frame B and frame A, from the step's origin, m
    double half;             ///< half a sub-step, s
    // What add_axis() finds.
    double shift = 0.0, turn = 0.0;          ///< by which violations became less, m and rad
    double opened = 0.0, opened_turn = 0.0;  ///< by which violations changed, either way, m and rad
    double gap2 = 0.0, bent = 0.0;           ///< between the anchors, m^2, and beyond limits of turns, rad
    bool springs = false;

    JointInStep(const World& w, LedgerStep& s, const LedgerStep::Joint& before, const LedgerStep::Joint& after)
        : world(w),
          step(s),
          then(before),
          now(after),
          frames(w.frames(now.id)),
          a(frames.body_a.slot),
          b(frames.body_b.slot),
          force(w.joint_force(now.id)),
          torque(w.joint_torque(now.id)),
          anchor(anchor_on(b, frames.frame_b)),
          anchor_a(anchor_on(a, frames.frame_a)),
          half(0.5 * s.dt() / static_cast<double>(std::max(1u, w.profile().substeps))) {}

    void add(const LedgerTolerance& tolerance);

private:
    dvec3 anchor_on(std::uint32_t slot, const Transform& frame) const {
        return step.after(slot).pose.position + rotated(step.after(slot).pose.rotation, dvec3(frame.position));
    }
    dvec3 direction(int axis) const;
    double swing(double k, double x0, double v0, double x1, double v1, double cap) const;
    double charged(double work, double push, double way, double v0, double v1) const;
    void add_kinematic_bodies();
    void add_axis(int axis);
    void add_violations(const LedgerTolerance& tolerance);
    void add_drive();
};

/// The direction of an axis in the world.
dvec3 JointInStep::direction(int i) const {
    if (now.kind == JointKind::distance) {
        const dvec3 between = anchor - anchor_a;
        return between / std::max(glm::length(between), 1e-12);
    }
    dvec3 axis(0.0);
    axis[i % 3] = 1.0;
    return rotated(step.after(a).pose.rotation, rotated(frames.frame_a.rotation, axis));
}

/// Sub-steps take the force of one end of their displacement for all of it. The energy that this makes comes and goes
/// with the swing: kinetic + stored - h / 2 * force * speed is what stays.
double JointInStep::swing(double k, double x0, double v0, double x1, double v1, double cap) const {
    const auto power = [&](double x, double v) { return std::clamp(k * x, -cap, cap) * v; };
    return std::max(0.0, half * (power(x1, v1) - power(x0, v0)));
}

/// Motors and springs are charged for the displacement that velocities make. Where a constraint that was open is closed
/// against them, it does the work: position correction moves bodies without a velocity, and the force that a joint
/// reports is its sum, in which what presses into a limit and the limit cancel each other.
double JointInStep::charged(double work, double push, double way, double v0, double v1) const {
    const double moved = push * 0.5 * step.dt() * (v0 + v1), corrected = moved - push * way;
    return work < 0.0 && corrected > 0.0 ? std::min(0.0, work + corrected) : work;
}

void JointInStep::add_kinematic_bodies() {
    for (const auto& [slot, sign] : {std::pair{a, 1.0}, std::pair{b, -1.0}}) {
        if (step.before(slot).type != BodyType::kinematic) continue;
        const dvec3 way = step.displacement_at(slot, anchor), rotation = step.displacement(slot).turn;
        step.add_work(a, b, sign * (glm::dot(force, way) + glm::dot(torque, rotation)),
                      0.5 * glm::length(rotation) *
                          (glm::length(force) * glm::length(way) + glm::length(torque) * glm::length(rotation)));
    }
}

/// Adds the work of the spring and the motor of an axis, and finds how far its limit was passed.
void JointInStep::add_axis(int i) {
    const JointAxes kind = axes_of(now.kind);
    const bool settable = (kind.settable >> i & 1u) != 0;
    const double q1 = now.coordinates[i];
    double q0 = then.coordinates[i];
    if (now.kind == JointKind::six_dof && i >= 3) q0 += whole * std::round((q1 - q0) / whole);
    const double stiffness = static_cast<double>(world.joint_stiffness(now.id, axes[i]));
    if (stiffness > 0.0) {
        springs = true;
        if (now.kind != JointKind::ball && now.kind != JointKind::motor) {
            const JointSpring spring = settable ? world.joint_spring(now.id, axes[i]) : JointSpring{};
            const double target = static_cast<double>(spring.target), cap = static_cast<double>(spring.max_force);
            const double released = stored(stiffness, q0 - target, cap) - stored(stiffness, q1 - target, cap) +
                                    swing(stiffness, q0 - target, then.speeds[i], q1 - target, now.speeds[i], cap);
            // The stiffness of a spring of a given frequency follows from the masses of its bodies, which change along
            // the axis as the bodies turn.
            const double f = glm::dot(i < 3 ? force : torque, direction(i));
            const double pushed = f * (q1 - q0) + 0.5 * step.dt() * std::abs(f * (now.speeds[i] - then.speeds[i]));
            const double pull = -std::clamp(stiffness * (0.5 * (q0 + q1) - target), -cap, cap);
            step.add_work(a, b, charged(std::max(released, pushed), pull, q1 - q0, then.speeds[i], now.speeds[i]));
        }
    }
    if (settable && world.joint_motor(now.id, axes[i]).max_force > 0.0f) {
        const double f = static_cast<double>(world.joint_motor_force(now.id, axes[i]));
        step.add_work(a, b, charged(f * (q1 - q0), f, q1 - q0, then.speeds[i], now.speeds[i]),
                      std::abs(f) * step.dt() * std::abs(now.speeds[i] - then.speeds[i]));
    }
    if (stiffness > 0.0 && !settable) return;
    JointLimit limit;
    if (settable) limit = world.joint_limit(now.id, axes[i]);
    if ((kind.locked >> i & 1u) != 0) limit = {0.0f, 0.0f};
    const auto beyond = [&](double q) {
        return std::max({static_cast<double>(limit.lower) - q, q - static_cast<double>(limit.upper), 0.0});
    };
    (i < 3 ? shift : turn) += std::max(0.0, beyond(q0) - beyond(q1));
    (i < 3 ? opened : opened_turn) += std::abs(beyond(q0) - beyond(q1));
    if (i < 3) gap2 += square(std::max(beyond(q0), beyond(q1)));
    if (i >= 3) bent = std::max(bent, beyond(q0));
}

/// Adds the work of closing: of anchors that were apart, and rotations beyond limits, that became smaller.
void JointInStep::add_violations(const LedgerTolerance& tolerance) {
    if (now.kind == JointKind::ball) {
        const double cone = static_cast<double>(world.joint_cone(now.id));
        const double s0 = std::sqrt(square(then.coordinates[4]) + square(then.coordinates[5]));
        const double s1 = std::sqrt(square(now.coordinates[4]) + square(now.coordinates[5]));
        turn += std::max(0.0, std::max(0.0, s0 - cone) - std::max(0.0, s1 - cone));
        bent = std::max(bent, s0 - cone);
    }
    if (tolerance.opening_is_work) {
        shift = opened;
        turn = opened_turn;
    }
    step.add_work(a, b, glm::length(force) * shift + glm::length(torque) * turn);
    // A pull at anchors that lie apart turns the bodies.
    const double reach =
        std::max(glm::length(step.after(a).center - anchor), glm::length(step.after(b).center - anchor));
    for (const std::uint32_t i : {a, b}) {
        if (step.before(i).type != BodyType::dynamic) continue;
        LedgerStep::Group& group = step.group_of(i);
        if (i == a || step.before(a).type != BodyType::dynamic)
            group.twisted += step.dt() * glm::length(force) * std::sqrt(gap2);
        // Joints move bodies by the rounding of their levers.
        group.rounding += 0.5 * step.before(i).mass * square(tolerance.position * (reach + 1.0) / (2.0 * half));
        group.open = std::max(group.open, std::sqrt(gap2) + std::min(bent, 1.0) * reach);
    }
}

void JointInStep::add_drive() {
    if (now.kind != JointKind::ball && now.kind != JointKind::motor) return;
    const auto velocity_at = [](const LedgerStep::Body& on, const dvec3& point) {
        return on.velocity + glm::cross(on.spin, point - on.center);
    };
    const JointDrive drive = world.joint_drive(now.id);
    if (drive.max_force <= 0.0f && drive.max_torque <= 0.0f) return;
    // Within a step a drive may push its bodies to and fro: no more than its force all the way at the higher speed, or
    // than its largest force all the way that they went.
    double fastest_turn = 0.0, fastest = 0.0;
    for (const auto& states : {step.bodies_before(), step.bodies_after()}) {
        const LedgerStep::Body &on_a = states[a], &on_b = states[b];
        fastest_turn = std::max(fastest_turn, glm::length(on_b.spin - on_a.spin));
        fastest = std::max(fastest, glm::length(velocity_at(on_b, anchor) - velocity_at(on_a, anchor)));
    }
    const auto largest = [](float limit, double mean) { return is_finite(limit) ? static_cast<double>(limit) : mean; };
    double work = std::max(step.dt() * glm::length(torque) * fastest_turn,
                           largest(drive.max_torque, glm::length(torque)) *
                               glm::length(step.displacement(b).turn - step.displacement(a).turn));
    if (now.kind == JointKind::motor) {
        work += std::max(step.dt() * glm::length(force) * fastest,
                         largest(drive.max_force, glm::length(force)) *
                             glm::length(step.displacement_at(b, anchor) - step.displacement_at(a, anchor)));
    }
    if (springs) {
        // A spring may swing several times within a step: what it stores says more than its mean force.
        double released = 0.0;
        const dvec3 turn_target = rotation_between(quat(1.0f, 0.0f, 0.0f, 0.0f), drive.target.rotation);
        for (int i = 0; i < 6; ++i) {
            const double k = static_cast<double>(world.joint_stiffness(now.id, axes[i]));
            if (k <= 0.0) continue;
            const double at = i < 3 ? static_cast<double>(drive.target.position[i]) : turn_target[i - 3];
            const double cap = static_cast<double>(i < 3 ? drive.max_force : drive.max_torque);
            released += stored(k, then.coordinates[i] - at, cap) - stored(k, now.coordinates[i] - at, cap) +
                        swing(k, then.coordinates[i] - at, then.speeds[i], now.coordinates[i] - at, now.speeds[i], cap);
        }
        work = std::max(work, released);
    }
    step.add_work(a, b, work);
}

void JointInStep::add(const LedgerTolerance& tolerance) {
    add_kinematic_bodies();
    for (int i = 0; i < 6; ++i) add_axis(i);
    add_violations(tolerance);
    add_drive();
}

}  // namespace

double spring_energy(const World& world, std::span<const LedgerStep::Joint> joints) {
    double sum = 0.0;
    for (const LedgerStep::Joint& s : joints) {
        const unsigned settable = axes_of(s.kind).settable;
        for (int i = 0; i < 6; ++i) {
            const double k = static_cast<double>(world.joint_stiffness(s.id, axes[i]));
            if (k == 0.0) continue;
            const JointSpring spring = (settable >> i & 1u) != 0 ? world.joint_spring(s.id, axes[i]) : JointSpring{};
            sum +=
                stored(k, s.coordinates[i] - static_cast<double>(spring.target), static_cast<double>(spring.max_force));
        }
    }
    return sum;
}

void add_joint_work(const World& world, const LedgerTolerance& tolerance, LedgerStep& step) {
    // The forces of a joint that broke are no longer known.
    for (const JointEvent& e : world.joints_broken()) {
        for (const BodyId id : {e.body_a, e.body_b}) {
            if (!world.is_valid(id) || step.before(id.slot).type != BodyType::dynamic) continue;
            step.group_of(id.slot).broke = step.group_of(id.slot).anchored = true;
        }
    }
    auto then = step.joints_before().begin();
    const auto end = step.joints_before().end();
    for (const LedgerStep::Joint& now : step.joints_after()) {
        while (then != end && then->id.slot < now.id.slot) ++then;
        if (then == end || then->id != now.id) continue;
        const BodyId a = world.body_a(now.id), b = world.body_b(now.id);
        if (!a || !b) continue;
        step.mark_touched(a.slot, b.slot);
        if (now.kind == JointKind::gear || (!step.after(a.slot).awake && !step.after(b.slot).awake)) continue;
        JointInStep(world, step, *then, now).add(tolerance);
    }
}

}  // namespace talus::samples
