#include "engine/joint_solver/rows/row_evaluation.h"

#include "engine/joint_solver/passes/redundant_rows.h"
#include "engine/joint_solver/rows/implicit_rotation.h"
#include "engine/joint_solver/rows/joint_poses.h"
#include "engine/joint_solver/rows/row_coordinates.h"
#include "engine/joint_solver/rows/spring_rows.h"
#include "engine/settings.h"

#include <algorithm>

namespace talus {

namespace {

/// Fills in the rest of the rows of an anchored joint: moments of the world's axes about both centres of mass. Both
/// moments are taken at B's anchor, where the impulse acts. If A's were taken at its own anchor, open joints would
/// create angular momentum.
void set_point_rows(Articulations& s, const SolverJoint& joint) {
    const JointRowLayout& rows = s.layouts[s.index_of(joint)];
    double* jacobian = flat(s.jacobians) + rows.jacobian + 3 * rows.width;
    double* response = flat(s.responses) + rows.response + 4;
    JointRow* const row = &s.rows[joint.first_row];
    for (int i = 0; i < 3; ++i) row[i].response = 0.0;
    for (std::uint32_t side = 0; side < 2; ++side, jacobian += 6 * rows.width, response += 8) {
        const dvec3 r = side == 0 ? -(joint.pose.arm_a + joint.pose.apart) : joint.pose.arm_b;
        jacobian[1] = -r.z;
        jacobian[2] = r.y;
        jacobian[rows.width] = r.z;
        jacobian[rows.width + 2] = -r.x;
        jacobian[2 * rows.width] = -r.y;
        jacobian[2 * rows.width + 1] = r.x;
        const Link& link = s.links[joint.link[side]];
        if (!link.dynamic) continue;
        const dmat3& m = link.inverse_inertia;
        const dvec3 rotations[3] = {r.z * m[1] - r.y * m[2], r.x * m[2] - r.z * m[0], r.y * m[0] - r.x * m[1]};
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) response[16 * i + k] = rotations[i][k];
            row[i].response += link.inverse_mass[i];
        }
        row[0].response += r.z * rotations[0].y - r.y * rotations[0].z;
        row[1].response += r.x * rotations[1].z - r.z * rotations[1].x;
        row[2].response += r.y * rotations[2].x - r.x * rotations[2].y;
    }
}

/// Fills in a row of any axis. Returns its J M^-1 J^T.
double set_row(Articulations& s, const SolverJoint& joint, std::uint32_t i, const Jacobian& j, double factor,
               std::uint32_t first_side) {
    const JointRowLayout& rows = s.layouts[s.index_of(joint)];
    double* jacobian = flat(s.jacobians) + rows.jacobian + 6 * rows.width * first_side + i;
    double* response = flat(s.responses) + rows.response + 8 * (rows.sides * i + first_side);
    double sum = 0.0;
    for (std::uint32_t side = 0; side < 2; ++side, response += 8) {
        const dvec3 linear = (side == 0 ? -factor : factor) * j.linear,
                    angular = side == 0 ? -factor * j.angular_a : factor * j.angular_b;
        for (int k = 0; k < 3; ++k, jacobian += rows.width) *jacobian = linear[k];
        for (int k = 0; k < 3; ++k, jacobian += rows.width) *jacobian = angular[k];
        const Link& link = s.links[joint.link[first_side + side]];
        if (!link.dynamic) continue;
        const dvec3 rotation = link.inverse_inertia * angular;
        for (int k = 0; k < 3; ++k) {
            response[k] = link.inverse_mass[k] * linear[k];
            response[k + 4] = rotation[k];
            sum += linear[k] * response[k] + angular[k] * rotation[k];
        }
    }
    return sum;
}

/// Fills in a row about a rotation, whose linear parts are and stay zero. Returns its J M^-1 J^T.
double set_rotation_row(Articulations& s, const SolverJoint& joint, std::uint32_t i, const dvec3& axis) {
    const JointRowLayout& rows = s.layouts[s.index_of(joint)];
    double* const jacobian = flat(s.jacobians) + rows.jacobian + i;
    double* const response = flat(s.responses) + rows.response + 16 * i;
    for (unsigned k = 0; k < 3; ++k) {
        jacobian[(k + 3) * rows.width] = -axis[static_cast<int>(k)];
        jacobian[(k + 9) * rows.width] = axis[static_cast<int>(k)];
    }
    double sum = 0.0;
    for (std::uint32_t side = 0; side < 2; ++side) {
        const Link& link = s.links[joint.link[side]];
        if (!link.dynamic) continue;
        const dvec3 rotation = link.inverse_inertia * axis;
        for (unsigned k = 0; k < 3; ++k)
            response[8 * side + 4 + k] = side == 0 ? -rotation[static_cast<int>(k)] : rotation[static_cast<int>(k)];
        sum += glm::dot(axis, rotation);
    }
    return sum;
}

/// Clears a row along which its bodies' locks allow no motion.
void clear_row(Articulations& s, const SolverJoint& joint, std::uint32_t i) {
    const JointRowLayout& rows = s.layouts[s.index_of(joint)];
    double* const jacobian = flat(s.jacobians) + rows.jacobian + i;
    for (std::uint32_t k = 0; k < 6 * rows.sides; ++k) jacobian[k * rows.width] = 0.0;
    std::fill_n(flat(s.responses) + rows.response + 8 * rows.sides * i, 8 * rows.sides, 0.0);
}

/// Sets which of its two limits a row stands for. The row starts without an impulse when that changes.
void set_side(JointRow& row, bool upper) {
    if (upper == row.upper) return;
    row.upper = upper;
    row.low = upper ? -infinite : 0.0;
    row.high = upper ? 0.0 : infinite;
    row.impulse = 0.0;
    row.free = false;
}

/// Fills in the row's Jacobian and response. Returns its J M^-1 J^T.
double set_numbers(Articulations& s, const SolverJoint& joint, std::uint32_t i) {
    const JointRow& row = s.rows[joint.first_row + i];
    switch (row.axis) {
        case RowAxis::point:
            return row.response;  // set_point_rows
        case RowAxis::translation:
        case RowAxis::length:
        case RowAxis::drive_translation:
            return set_row(s, joint, i, row_jacobian(joint, row), 1.0, 0);
        case RowAxis::gear:
            for (std::uint32_t k = 0; k < 2; ++k) {
                const SolverJoint& geared = s.joints[joint.geared[k]];
                set_row(s, joint, 0, jacobian(geared.kind, geared.pose, main_axis(geared.kind)),
                        k == 0 ? -joint.ratio : 1.0, 2 * k);
            }
            return row_coupling(s, joint, 0, 0);
        default:
            return set_rotation_row(s, joint, i, row_jacobian(joint, row).angular_b);
    }
}

/// Sets a row's position error, and the part of it that this sub-step must correct.
void set_position(const Articulations& s, const Articulation& a, const SolverJoint& joint, JointRow& row,
                  double coordinate) {
    if (row.kind == RowKind::limit) {
        const bool upper = row.limits[0] == -infinite ||
                           (row.limits[1] != infinite && 2.0 * coordinate > row.limits[0] + row.limits[1]);
        set_side(row, upper);
    }
    if (!has_position(row)) {
        row.position = coordinate - row.target;
        return;
    }
    const double h = s.substep;
    row.position = coordinate - row.limits[row.upper ? 1 : 0];
    const double most = h * (is_angular(s, joint, row) ? settings::joint_turn_speed : settings::joint_push_speed);
    const double error = row.kind == RowKind::lock ? row.position
                         : row.upper               ? std::max(row.position, 0.0)
                                                   : std::min(row.position, 0.0);
    const double correction = std::clamp(error, -most, most);
    row.push = error / most;
    row.goal = a.redundant ? error : (1.0 - settings::joint_push_share) * (error - correction);
}

/// Fills in the entries of an anchored joint's first three rows that stay the same during a step.
void begin_point_rows(Articulations& s, const SolverJoint& joint) {
    const JointRowLayout& rows = s.layouts[s.index_of(joint)];
    double* const jacobian = flat(s.jacobians) + rows.jacobian;
    double* const responses = flat(s.responses) + rows.response;
    for (unsigned i = 0; i < 3; ++i) {
        jacobian[i * rows.width + i] = -1.0;
        jacobian[(i + 6) * rows.width + i] = 1.0;
        const Link &a = s.links[joint.link[0]], &b = s.links[joint.link[1]];
        if (a.dynamic) responses[16 * i + i] = -a.inverse_mass[i];
        if (b.dynamic) responses[16 * i + 8 + i] = b.inverse_mass[i];
    }
}

}  // namespace

void evaluate(Articulations& s, Articulation& a) {
    for (Link& link : s.links_of(a)) read_pose(s, link);
    evaluate_at_poses(s, a);
}

void evaluate_at_poses(Articulations& s, Articulation& a) {
    for (Link& link : s.links_of(a)) update_inertia(s, link);
    for (SolverJoint& joint : s.joints_of(a)) update_pose(s, joint);
    integrate_implicitly(s, a);
    for (SolverJoint& joint : s.joints_of(a)) evaluate_rows(s, a, joint);
    if (a.redundant) soften_pulled_joints(s, a);
    a.factored = JointPass::none;
}

void begin_rows(Articulations& s, Articulation& a) {
    if (a.begun) return;
    a.begun = true;
    const std::uint32_t last = a.first_joint + a.joint_count - 1;
    const JointRowLayout &begin = s.layouts[a.first_joint], &end = s.layouts[last];
    // Lanes without a row stay zero.
    std::fill(flat(s.jacobians) + begin.jacobian, flat(s.jacobians) + end.jacobian + 2 * 6 * end.sides * end.width,
              0.0);
    std::fill(flat(s.responses) + begin.response, flat(s.responses) + end.response + 8 * end.sides * end.count, 0.0);
    std::fill(flat(s.residuals) + begin.numbers, flat(s.residuals) + end.numbers + end.width, 0.0);
    std::fill(flat(s.changes) + begin.numbers, flat(s.changes) + end.numbers + end.width, 0.0);
    for (const SolverJoint& joint : s.joints_of(a)) {
        if (joint.anchored) begin_point_rows(s, joint);
    }
}

double row_coupling(const Articulations& s, const SolverJoint& joint, std::uint32_t i, std::uint32_t other) {
    const JointRowLayout& rows = s.layouts[s.index_of(joint)];
    const double* const jacobian = flat(s.jacobians) + rows.jacobian + i;
    const double* const responses = flat(s.responses) + rows.response + 8 * rows.sides * other;
    double sum = 0.0;
    for (std::uint32_t side = 0; side < rows.sides; ++side) {
        const double* const r = responses + 8 * side;
        for (std::uint32_t t = 0; t < rows.sides; ++t) {
            if (rows.link[side] != rows.link[t]) continue;
            const double* const j = jacobian + 6 * t * rows.width;
            for (unsigned k = 0; k < 3; ++k) sum += j[k * rows.width] * r[k] + j[(k + 3) * rows.width] * r[k + 4];
        }
    }
    return sum;
}

double response_without_locks(const Articulations& s, const SolverJoint& joint, std::uint32_t i) {
    const JointRowLayout& rows = s.layouts[s.index_of(joint)];
    const double* jacobian = flat(s.jacobians) + rows.jacobian + i;
    double sum = 0.0;
    for (std::uint32_t side = 0; side < rows.sides; ++side, jacobian += 6 * rows.width) {
        const Link& link = s.links[rows.link[side]];
        if (!link.dynamic) continue;
        const dvec3 linear(jacobian[0], jacobian[rows.width], jacobian[2 * rows.width]);
        const dvec3 angular(jacobian[3 * rows.width], jacobian[4 * rows.width], jacobian[5 * rows.width]);
        const double mass = link.locked ? link.unlocked_inverse_mass : link.inverse_mass[0];
        const dmat3& inertia = link.locked ? link.unlocked_inverse_inertia : link.inverse_inertia;
        sum += mass * glm::dot(linear, linear) + glm::dot(angular, inertia * angular);
    }
    return sum;
}

void evaluate_rows(Articulations& s, const Articulation& a, SolverJoint& joint) {
    if (joint.anchored) set_point_rows(s, joint);
    bool locked = false;
    for (std::uint32_t side = 0; a.redundant && side < joint.side_count; ++side)
        locked = locked || s.links[joint.link[side]].locked;
    for (std::uint32_t i = 0; i < joint.row_count; ++i) {
        JointRow& row = s.rows[joint.first_row + i];
        if (row.axis == RowAxis::twist && row.kind == RowKind::limit)
            set_side(row, twist_beyond(twist_of(row, joint.pose), 0.5 * (row.limits[0] + row.limits[1])) > 0.0);
        row.response = set_numbers(s, joint, i);
        row.unlocked_response = locked ? response_without_locks(s, joint, i) : row.response;
        row.unresponsive =
            row.axis != RowAxis::point && row.response < settings::locked_response * row.unlocked_response;
        if (row.unresponsive) clear_row(s, joint, i);
        const double coordinate = row.axis == RowAxis::gear
                                      ? gear_coordinate(s, joint, s.joints[joint.geared[0]].coordinates,
                                                        s.joints[joint.geared[1]].coordinates)
                                      : row_coordinate(joint, row, joint.pose, joint.coordinates);
        // may act against a cone and a twist limit
        const bool drive = row.kind == RowKind::motor && row.number > cone_row;
        row.slack = (drive         ? settings::joint_slack_drive
                     : a.redundant ? settings::joint_slack_looped
                                   : settings::joint_slack) *
                    row.unlocked_response;
        set_position(s, a, joint, row, coordinate);
    }
    if (a.springs) soften_springs(s, joint);
}

}  // namespace talus
