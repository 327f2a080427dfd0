#include "engine/joint_solver/rows/row_setup.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

namespace talus {

namespace {

using std::numbers::pi;

bool is_within_half_a_turn(const JointLimit& limit) {
    return limit.lower >= -static_cast<float>(pi) && limit.upper <= static_cast<float>(pi);
}

bool is_locked(const JointLimit& limit) { return limit.lower == limit.upper; }
bool is_locked_at_zero(const JointLimit& limit) { return limit.lower == 0.0f && limit.upper == 0.0f; }

/// Returns the number of places by which the axes of a joint are shifted so that it rotates about x. A six-dof joint
/// that rotates about y or z alone is a hinge. Treated as a swing, its rotation would be singular at 180 degrees: a
/// body that swung through that angle jumped by up to 85 cm, and gained up to 14% of its energy.
int shift_of(const Joint& joint) {
    if (joint.kind != JointKind::six_dof) return 0;
    const bool x = is_locked_at_zero(joint.axes[3].limit), y = is_locked_at_zero(joint.axes[4].limit),
               z = is_locked_at_zero(joint.axes[5].limit);
    if (!x || y == z) return 0;
    return y ? 2 : 1;
}

/// Returns the same joint with shifted axes: y (shift 1) or z (shift 2) becomes x, and so on cyclically.
Joint with_shifted_axes(const Joint& joint, int shift) {
    Joint other = joint;
    // A third of a turn about (1, 1, 1), forwards or backwards.
    const quat rotation = shift == 1 ? quat(0.5f, 0.5f, 0.5f, 0.5f) : quat(0.5f, -0.5f, -0.5f, -0.5f);
    other.frame_a.rotation = multiply(joint.frame_a.rotation, rotation);
    other.frame_b.rotation = multiply(joint.frame_b.rotation, rotation);
    for (int i = 0; i < joint_axes; ++i)
        other.axes[static_cast<std::size_t>(i)] = joint.axes[static_cast<std::size_t>(shifted_axis(i, shift))];
    return other;
}

/// Makes the rows of one joint.
class RowBuilder {
public:
    RowBuilder(SolverJoint& solver_joint, const Joint& joint, float substep)
        : joint_(solver_joint), def_(joint), substep_(static_cast<double>(substep)) {}

    std::span<JointRow> rows() { return {rows_.data(), count_}; }

    void add_all() {
        joint_.locks_swing = joint_.locks_twist = joint_.beyond_locks = joint_.anchored = false;
        if (def_.kind == JointKind::gear) {
            lock(RowAxis::gear, 0, 0.0);
            return;
        }
        joint_.as_point = def_.kind == JointKind::distance && def_.axes[0].limit.upper == 0.0f;
        if (joint_.as_point) {
            joint_.anchored = true;
            for (int i = 0; i < 3; ++i) lock(RowAxis::point, i, 0.0);
            return;
        }
        find_locks();
        for (int i = 0; i < joint_axes; ++i) add_axis(i);
        add_cone();
        add_drive();
    }

private:
    bool is_locked_at_zero(std::size_t axis) const { return talus::is_locked_at_zero(def_.axes[axis].limit); }
    bool is_cone_shut() const { return def_.cone <= 0.0f; }

    void find_locks() {
        ordinary_ = def_.kind != JointKind::wheel && def_.kind != JointKind::distance;
        joint_.locks_swing = ordinary_ && ((is_locked_at_zero(4) && is_locked_at_zero(5)) || is_cone_shut());
        joint_.locks_twist = joint_.locks_swing && is_locked_at_zero(3);
        joint_.anchored = ordinary_ && is_locked_at_zero(0) && is_locked_at_zero(1) && is_locked_at_zero(2);
    }

    RowAxis axis_of(int i, const JointLimit& range) const {
        if (def_.kind == JointKind::distance) return RowAxis::length;
        if (i < 3) return joint_.anchored ? RowAxis::point : RowAxis::translation;
        // The swing may reach half a turn. A twist that may exceed half a turn is counted as an angle instead.
        const bool swings_through =
            def_.kind == JointKind::six_dof || (def_.kind == JointKind::ball && def_.cone >= pi);
        if (i == 3 && swings_through && !joint_.locks_swing && is_within_half_a_turn(range)) return RowAxis::twist;
        if (i > 3 && ordinary_ && is_locked_at_zero(static_cast<std::size_t>(i))) return RowAxis::small_rotation;
        return (i == 3 ? joint_.locks_twist : joint_.locks_swing) ? RowAxis::small_rotation : RowAxis::rotation;
    }

    /// Adds the lock of an axis, or its limit, motor and spring.
    void add_axis(int i) {
        AxisDef def = def_.axes[static_cast<std::size_t>(i)];
        if (i == 3 && def_.kind == JointKind::ball && (def.limit.lower > -unlimited || def.limit.upper < unlimited)) {
            // The twist of a ball joint is not counted beyond half a turn, so a one-sided range ends there.
            def.limit.lower = std::max(def.limit.lower, -static_cast<float>(pi));
            def.limit.upper = std::min(def.limit.upper, static_cast<float>(pi));
        }
        RowAxis axis = axis_of(i, def.limit);
        if (is_locked(def_.axes[static_cast<std::size_t>(i)].limit)) {
            lock(axis, i, def.limit.lower);
            return;
        }
        const bool below = def.limit.lower > (def_.kind == JointKind::distance ? 0.0f : -unlimited);
        const bool limited = below || def.limit.upper < unlimited;
        if (limited) limit(axis, i, limit_row(i), below ? def.limit.lower : -infinite, def.limit.upper);
        if (axis == RowAxis::twist) axis = RowAxis::rotation;  // for motors and springs
        if (def.motor.max_force > 0.0f) {
            JointRow& row = add(RowKind::motor, axis, i, motor_row(i));
            row.speed = def.motor.speed;
            if (limited) row.competing_limit = count_ - 2;
            bound(row, def.motor.max_force);
        }
        if (def.spring.hertz > 0.0f && def.spring.max_force > 0.0f) add_spring(axis, i, def.spring);
    }

    void add_spring(RowAxis axis, int i, const JointSpring& spring) {
        if (def_.kind == JointKind::distance && spring.target == 0.0f) {  // to a point, where the line has no direction
            three_rows(RowAxis::drive_translation, vec3(0.0f), spring.hertz, spring.damping_ratio, spring.max_force);
            return;
        }
        JointRow& row = add(RowKind::spring, axis, i, spring_row(i));
        row.hertz = spring.hertz;
        row.damping_ratio = spring.damping_ratio;
        row.target = spring.target;
        bound(row, spring.max_force);
    }

    void add_cone() {
        if (is_cone_shut()) {
            for (int i = 4; i < 6; ++i) {
                if (!is_locked(def_.axes[static_cast<std::size_t>(i)].limit)) lock(RowAxis::small_rotation, i, 0.0);
            }
        } else if (def_.cone < static_cast<float>(pi)) {
            limit(RowAxis::cone, 0, cone_row, -infinite, def_.cone);
        }
    }

    void add_drive() {
        const JointDrive& d = def_.drive;
        if (d.max_force > 0.0f)
            three_rows(RowAxis::drive_translation, d.velocity, d.linear_hertz, d.damping_ratio, d.max_force);
        if (d.max_torque > 0.0f)
            three_rows(RowAxis::drive_rotation, d.angular_velocity, d.angular_hertz, d.damping_ratio, d.max_torque);
        joint_.drive_target = d.target;
    }

    JointRow& add(RowKind kind, RowAxis axis, int axis_index, int number) {
        JointRow& row = rows_[count_++];
        row.kind = kind;
        row.axis = axis;
        row.axis_index = static_cast<std::uint8_t>(axis_index);
        row.number = static_cast<std::uint8_t>(number);
        row.low = -infinite;
        row.high = infinite;
        row.impulse = static_cast<double>(def_.state.forces[static_cast<std::size_t>(number)]) * substep_;
        row.free = kind == RowKind::lock || (def_.state.pressed >> number & 1u);
        row.upper = def_.state.at_upper >> number & 1u;
        return row;
    }

    void lock(RowAxis axis, int axis_index, double at) {
        JointRow& row = add(RowKind::lock, axis, axis_index, limit_row(axis_index));
        row.limits[0] = row.limits[1] = at;
    }

    void limit(RowAxis axis, int axis_index, int number, double lower, double upper) {
        JointRow& row = add(RowKind::limit, axis, axis_index, number);
        row.limits[0] = lower;
        row.limits[1] = upper;
        row.low = row.upper ? -infinite : 0.0;
        row.high = row.upper ? 0.0 : infinite;
    }

    /// Bounds a row's impulse by a force (N or N m) for a sub-step.
    void bound(JointRow& row, double max_force) const {
        row.low = -max_force * substep_;
        row.high = max_force * substep_;
        if (max_force == infinite) row.free = true;
    }

    /// Adds a spring, or a motor if `hertz` is 0, in three dimensions, with one bound on the length of its impulse.
    void three_rows(RowAxis axis, const vec3& speed, double hertz, double damping_ratio, double max_force) {
        const int number = axis == RowAxis::drive_translation ? linear_drive_row : angular_drive_row;
        for (int i = 0; i < 3; ++i) {
            JointRow& row = add(hertz > 0.0 ? RowKind::spring : RowKind::motor, axis, i, number + i);
            row.speed = speed[i];
            row.hertz = hertz;
            row.damping_ratio = damping_ratio;
            row.group = i == 0 ? 3 : 0;
            bound(row, max_force);
            // all three rows are free, or none is
            row.free = rows_[count_ - 1 - static_cast<std::uint32_t>(i)].free;
        }
    }

    SolverJoint& joint_;
    const Joint& def_;
    double substep_;  ///< s
    std::array<JointRow, joint_rows> rows_{};
    std::uint32_t count_ = 0;
    bool ordinary_ = false;  ///< neither a wheel nor a distance joint
};

/// Sets which parts of the joint's pose its rows read, now and at the end of a sub-step.
void find_parts(std::span<const JointRow> rows, SolverJoint& joint) {
    JointParts& parts = joint.parts = {.axes = joint.locks_swing, .twist = false, .swing = false};
    const bool wheel = joint.kind == JointKind::wheel;
    for (const JointRow& row : rows) {
        parts.axes = parts.axes || (row.axis != RowAxis::point && row.axis != RowAxis::length);
        parts.twist = parts.twist || (row.axis == RowAxis::rotation && (row.axis_index == 3 || wheel));
        parts.swing = parts.swing || (row.axis == RowAxis::rotation && row.axis_index > 3 && !wheel) ||
                      row.axis == RowAxis::twist ||
                      (row.axis == RowAxis::drive_rotation && row.kind == RowKind::spring);
    }
    joint.next_parts = parts;
    if (joint.kind == JointKind::hinge || wheel) parts.twist = true;  // because their whole turns are counted
}

/// Gives the joint a place for its rows and their numbers, after those that `sizes` counts: the Jacobian of all rows,
/// followed by space for the Jacobian of the rows in the matrix.
void lay_out_rows(Articulations& s, SolverJoint& joint, RowSizes& sizes) {
    joint.first_row = sizes.rows;
    sizes.rows += joint.row_count;
    JointRowLayout& rows = s.layouts[s.index_of(joint)];
    rows.count = joint.row_count;
    rows.width = joint_width(joint.row_count);
    rows.sides = joint.side_count;
    JointNode& node = s.nodes[s.index_of(joint)];
    node = {};
    for (unsigned side = 0; side < rows.sides; ++side) {
        rows.link[side] = joint.link[side];
        node.hubs |= (s.links[joint.link[side]].node != null_index ? 1u : 0u) << side;
    }
    rows.jacobian = sizes.jacobian;
    rows.response = sizes.response;
    rows.numbers = sizes.numbers;
    sizes.jacobian += 2 * 6 * rows.sides * rows.width;
    sizes.response += 8 * rows.sides * rows.count;
    sizes.numbers += rows.width;
}

/// Fills in a link's mass and its state at the step's start; `link.solver` must be set.
void prepare_link(Articulations& s, Link& link) {
    link.displacement = link.next_displacement = dvec3(0.0);
    link.implicit = false;
    const Body& body = (*s.motions.store)[link.slot];
    link.body_mass = BodyMass(body);
    link.locked = link.dynamic && body.locks != 0;
    link.orientation = link.next_orientation =
        Orientation(link.solver != 0 ? s.motions.rotation(link.solver) : unit(body.rotation));
    if (link.solver == 0) return;
    link.inertia_rotates = link.dynamic && (body.locks & lock_turning) == 0 && !body.isotropic;
    link.rotation = dmat3(1.0);
    const SolverMass& mass = s.masses[link.solver];
    const float* m = mass.inverse_inertia;
    for (int k = 0; k < 3; ++k) link.inverse_mass[k] = mass.inverse_mass[k];
    link.start_inverse_inertia = dmat3(m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]);
    link.start_inertia =
        glm::determinant(link.start_inverse_inertia) > 0.0 ? glm::inverse(link.start_inverse_inertia) : dmat3(0.0);
    if (link.locked) {
        link.start_inertia = dmat3(inertia_of(body, body.rotation));
        link.unlocked_inverse_mass = body.inverse_mass;
        link.unlocked_inverse_inertia = glm::inverse(link.start_inertia);
    }
    link.true_inverse_inertia = link.start_inverse_inertia;
    link.mass = 0.0;
    for (const double k : link.inverse_mass) link.mass = std::max(link.mass, k > 0.0 ? 1.0 / k : 0.0);
    // For a body that may only rotate. With a mass of 0, limit_gain() would let it gain no energy, and no joint could
    // rotate it.
    if (link.dynamic && link.mass == 0.0) link.mass = static_cast<double>(body.mass);
    link.max_inertia = link.start_inertia[0][0] + link.start_inertia[1][1] + link.start_inertia[2][2];
}

/// Makes the rows of a joint. If their number has changed, only notes that in `rows_moved`.
void prepare_joint(Articulations& s, SolverJoint& joint) {
    const Joint& user_joint = (*s.user_joints)[joint.slot];
    const BodyStore& bodies = *s.motions.store;
    joint.revision = s.user_joints->revision(joint.slot);
    joint.shift = shift_of(user_joint);
    std::optional<Joint> shifted;
    if (joint.shift != 0) shifted = with_shifted_axes(user_joint, joint.shift);
    const Joint& def = shifted ? *shifted : user_joint;
    joint.angle = def.state.angle;
    joint.ratio = def.ratio;
    joint.offset = def.offset;
    joint.force = joint.torque = joint.demand = dvec3(0.0);
    joint.load = static_cast<double>(s.substep) * dvec3(def.state.load);
    joint.new_load = dvec3(0.0);
    std::fill_n(joint.motor_impulses, joint_axes, 0.0);
    if (def.kind != JointKind::gear) {
        const Body &body_a = bodies[s.links[joint.link[0]].slot], &body_b = bodies[s.links[joint.link[1]].slot];
        for (int i = 0; i < 2; ++i)
            s.links[joint.link[i]].mean_angular_velocity = dvec3(def.state.mean_angular_velocities[i]);
        joint.frame_a = {dvec3(def.frame_a.position) - dvec3(body_a.local_center),
                         Orientation(unit(def.frame_a.rotation))};
        joint.frame_b = {dvec3(def.frame_b.position) - dvec3(body_b.local_center),
                         Orientation(unit(def.frame_b.rotation))};
        joint.center_offset = body_b.center - body_a.center;
    }
    RowBuilder builder(joint, def, s.substep);
    builder.add_all();
    const std::span<JointRow> rows = builder.rows();
    joint.rows_moved = rows.size() != joint.row_count;
    joint.row_count = static_cast<std::uint32_t>(rows.size());
    joint.first_bounded = 0;
    while (joint.first_bounded < joint.row_count && !is_bounded(rows[joint.first_bounded])) ++joint.first_bounded;
    find_parts(rows, joint);
    if (joint.rows_moved) return;
    for (JointRow& row : rows) {
        if (row.competing_limit != null_index) row.competing_limit += joint.first_row;
    }
    std::copy(rows.begin(), rows.end(), s.rows.begin() + joint.first_row);
    s.nodes[s.index_of(joint)] = {.hubs = s.nodes[s.index_of(joint)].hubs};
}

}  // namespace

bool prepare_articulation(Articulations& s, Articulation& a) {
    a.substep = s.substep;
    a.prepared = true;
    for (Link& link : s.links_of(a)) prepare_link(s, link);
    a.bounded = a.springs = a.driven = false;
    a.redundant = a.looped;
    a.may_float = !a.looped;
    for (const Link& link : s.links_of(a)) {
        a.redundant = a.redundant || link.locked;
        a.may_float = a.may_float && link.dynamic && !link.locked;
    }
    bool in_place = true;
    for (SolverJoint& joint : s.joints_of(a)) {
        prepare_joint(s, joint);
        in_place = in_place && !joint.rows_moved;
        if (joint.rows_moved) continue;
        for (const JointRow& row : s.rows_of(joint)) {
            a.bounded = a.bounded || is_bounded(row);
            a.springs = a.springs || row.kind == RowKind::spring;
            a.driven = a.driven || row.kind == RowKind::spring || row.kind == RowKind::motor;
        }
    }
    return in_place;
}

void prepare_once(Articulations& s, Articulation& a) {
    if (!a.prepared) prepare_articulation(s, a);
}

void lay_out_rows(Articulations& s) {
    RowSizes sizes;
    for (SolverJoint& joint : s.joints) lay_out_rows(s, joint, sizes);
    s.rows.resize(sizes.rows);
    s.jacobians.resize(sizes.jacobian / joint_lanes);
    s.responses.resize(sizes.response / joint_lanes);
    s.residuals.resize(sizes.numbers / joint_lanes);
    s.changes.resize(sizes.numbers / joint_lanes);
}

bool has_changed(const Articulations& s, const Articulation& a) {
    if (a.substep != s.substep) return true;
    for (const SolverJoint& joint : s.joints_of(a)) {
        if (joint.revision != s.user_joints->revision(joint.slot)) return true;
    }
    for (const Link& link : s.links_of(a)) {
        if (!(link.body_mass == BodyMass((*s.motions.store)[link.slot]))) return true;
    }
    return false;
}

}  // namespace talus
