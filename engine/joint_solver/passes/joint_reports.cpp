#include "engine/joint_solver/passes/joint_reports.h"

#include <algorithm>

namespace talus {

namespace {

/// Writes the results of a joint's rows for the next step and for the user.
void store_rows(const Articulations& s, const SolverJoint& joint, JointState& state) {
    const double per_substep = 1.0 / static_cast<double>(s.substep);
    state.forces.fill(0.0f);
    state.stiffness.fill(0.0f);
    state.pressed = state.at_upper = 0;
    for (const JointRow& row : s.rows_of(joint)) {
        state.forces[row.number] = to_float(per_substep * row.impulse);
        if (row.kind == RowKind::spring) {
            // The spring of a distance joint of length 0 has the rows of a drive, but for the user it is one axis.
            const int axis = row.axis_index + (row.number >= angular_drive_row ? 3 : 0);
            const int user_axis = joint.kind == JointKind::distance ? 0 : shifted_axis(axis, joint.shift);
            float& stiffness = state.stiffness[static_cast<std::size_t>(user_axis)];
            const float k = row.softness > 0.0 ? to_float(per_substep * row.bias_rate / row.softness) : 0.0f;
            stiffness = std::max(stiffness, k);
        }
        state.pressed |= (row.free ? 1u : 0u) << row.number;
        state.at_upper |= (row.upper ? 1u : 0u) << row.number;
    }
}

}  // namespace

void report_impulses(Articulations& s, const Articulation& a, JointPass pass, bool again, double scale) {
    // The impulses of a solve are counted in full, although it began with those of the last sub-step.
    const bool from_none = pass == JointPass::solve && !again;
    for (std::uint32_t r = a.first_joint; r < a.first_joint + a.joint_count; ++r) {
        SolverJoint& joint = s.joints[r];
        const JointRowLayout& rows = s.layouts[r];
        const double* const jacobian = flat(s.jacobians) + rows.jacobian + 6 * rows.width * (rows.sides - 1);
        dvec3 force(0.0), torque(0.0);
        for (std::uint32_t i = 0; i < joint.row_count; ++i) {
            JointRow& row = s.rows[joint.first_row + i];
            const double from = from_none ? 0.0 : row.impulse_before, impulse = row.impulse - from;
            if (scale != 1.0) row.impulse = scale > 0.0 ? from + scale * impulse : from;
            if (impulse == 0.0) continue;
            for (int k = 0; k < 3; ++k) {
                force[k] += impulse * jacobian[static_cast<unsigned>(k) * rows.width + i];
                torque[k] += impulse * jacobian[static_cast<unsigned>(k + 3) * rows.width + i];
            }
            if (row.kind == RowKind::motor && row.number < cone_row)
                joint.motor_impulses[row.axis_index] += row.impulse - from;
            if (row.kind == RowKind::limit && row.number < cone_row)
                joint.motor_impulses[row.axis_index] += motor_part(row, row.impulse) - motor_part(row, from);
        }
        if (scale <= 0.0) continue;
        const dvec3& arm = joint.kind == JointKind::gear ? s.joints[joint.geared[1]].pose.arm_b : joint.pose.arm_b;
        joint.force += scale * force;
        joint.torque += scale * (torque - glm::cross(arm, force));
        joint.demand += force;
        if (pass == JointPass::solve)
            joint.new_load = (again ? joint.new_load : dvec3(0.0)) + force * s.links[joint.link[0]].orientation.axes;
    }
}

void note_impulses(Articulations& s) {
    note_batch_impulses(s);
    for (const std::uint32_t index : s.active) {
        if (s.articulations[index].batch != null_index) continue;
        for (SolverJoint& joint : s.joints_of(s.articulations[index])) {
            joint.old_force = joint.force;
            joint.old_torque = joint.torque;
            for (JointRow& row : s.rows_of(joint)) row.kept_impulse = row.impulse;
        }
    }
}

void scale_impulses(Articulations& s, const Articulation& a, double kept) {
    for (SolverJoint& joint : s.joints_of(a)) {
        joint.force = joint.old_force + kept * (joint.force - joint.old_force);
        joint.torque = joint.old_torque + kept * (joint.torque - joint.old_torque);
        for (JointRow& row : s.rows_of(joint)) {
            const double less = (1.0 - kept) * (row.impulse - row.kept_impulse);
            if (row.kind == RowKind::motor && row.number < cone_row) joint.motor_impulses[row.axis_index] -= less;
            row.impulse -= less;
        }
    }
}

void store_results(const Articulations& s, JointStore& joints, float step) {
    const double per_step = 1.0 / static_cast<double>(step), per_substep = 1.0 / static_cast<double>(s.substep);
    for (const std::uint32_t index : s.active) {
        if (s.articulations[index].batch != null_index) continue;
        for (const SolverJoint& joint : s.joints_of(s.articulations[index])) {
            JointState& state = joints.state(joint.slot);
            state.angle = joint.angle;
            state.load = to_floats(per_substep * joint.load);
            if (joint.kind != JointKind::gear) {
                for (int i = 0; i < 2; ++i)
                    state.mean_angular_velocities[i] = to_floats(s.links[joint.link[i]].mean_angular_velocity);
            }
            state.force = to_floats(per_step * joint.force);
            state.torque = to_floats(per_step * joint.torque);
            for (int i = 0; i < joint_axes; ++i) {
                const auto axis = static_cast<std::size_t>(shifted_axis(i, joint.shift));
                state.motor_forces[axis] = to_float(per_step * joint.motor_impulses[i]);
            }
            store_rows(s, joint, state);
        }
    }
}

}  // namespace talus
