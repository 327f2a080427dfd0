#include "engine/joint_solver/passes/joint_passes.h"

#include "engine/joint_solver/matrix/joint_matrix.h"
#include "engine/joint_solver/passes/active_rows.h"
#include "engine/joint_solver/passes/joint_energy.h"
#include "engine/joint_solver/passes/joint_momentum.h"
#include "engine/joint_solver/passes/joint_reports.h"
#include "engine/joint_solver/passes/redundant_rows.h"
#include "engine/joint_solver/rows/joint_poses.h"
#include "engine/joint_solver/rows/row_coordinates.h"
#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Lets motors take the places of limits from which they lead away.
void leave_limits(Articulations& s, Articulation& a) {
    if (!a.driven || !a.bounded) return;
    for (JointRow& motor : s.rows_of(a)) {
        if (motor.competing_limit == null_index) continue;
        JointRow& limit = s.rows[motor.competing_limit];
        if (!limit.free || !leads_away(motor, limit)) continue;
        limit.free = false;
        limit.impulse = 0.0;
        a.factored = JointPass::none;
    }
}

/// Prepares the impulses of a solve. A free row starts from zero, because the direct solve needs no guess. A row at a
/// bound acts with the full bound. Also damps the swing of links that are integrated implicitly.
void begin_solve(Articulations& s, Articulation& a) {
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = s.links[l];
        link.mean_angular_velocity +=
            settings::joint_usual_spin * (link.angular_velocity_before - link.mean_angular_velocity);
        if (!link.implicit) continue;
        dvec3 steady = a.angular_velocity;
        if (!a.floating) {
            const double angle = s.substep / settings::joint_steady_turn;
            const double fast = angle * angle * glm::dot(link.mean_angular_velocity, link.mean_angular_velocity);
            steady = std::max(0.0, 1.0 - fast) * link.mean_angular_velocity;
        }
        link.angular_velocity_before = steady + link.swing_damping * (link.angular_velocity_before - steady);
        for (int k = 0; k < 3; ++k) s.velocity_of(l)[k + 4] = link.angular_velocity_before[k];
    }
    leave_limits(s, a);
    bool any = false;
    for (SolverJoint& joint : s.joints_of(a)) {
        joint.old_force = joint.force;
        joint.old_torque = joint.torque;
        double* const change = s.changes_of(joint);
        for (std::uint32_t i = 0; i < joint.row_count; ++i) {
            JointRow& row = s.rows[joint.first_row + i];
            row.impulse = row.free ? 0.0 : row.group == 1 ? std::clamp(row.impulse, row.low, row.high) : row.impulse;
            row.kept_impulse = 0.0;
            change[i] = row.impulse;
            any = any || row.impulse != 0.0;
        }
    }
    if (any) apply_changes(s, a);
    if (!a.taken) return;
    for (JointRow& row : s.rows_of(a)) {
        double& taken = s.taken_impulses[static_cast<std::size_t>(&row - s.rows.data())];
        if (row.free) row.impulse = taken;
        taken = 0.0;
    }
    a.taken = false;
}

}  // namespace

void read_velocities(Articulations& s, Articulation& a) {
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = s.links[l];
        if (link.solver == 0) continue;
        const SolverBody& body = s.motions.bodies[link.solver];
        link.velocity_before = dvec3(load3(body.velocity));
        link.angular_velocity_before = dvec3(load3(body.angular_velocity));
        if (a.pushed) {
            link.velocity_before -= link.push;
            link.angular_velocity_before -= link.push_angular;
        }
        double* const v = s.velocity_of(l);
        set_velocity(v, link.velocity_before, link.angular_velocity_before);
    }
    a.pushed = false;
}

void write_velocities(Articulations& s, const Articulation& a) {
    const float max_angular_speed = settings::max_joint_rotation / s.substep;
    const auto kept = [](double x) { return std::abs(x) < settings::joint_least_speed ? 0.0f : static_cast<float>(x); };
    const auto within = [&](const double* x, float limit) {
        const vec3 v(kept(x[0]), kept(x[1]), kept(x[2]));
        return length_squared(v) <= limit * limit ? v : limited(v, limit);
    };
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const Link& link = s.links[l];
        if (!link.dynamic || link.solver == 0) continue;
        const double* const v = s.velocity_of(l);
        s.motions.set_velocities(link.solver, within(v, s.motions.max_speed), within(v + 4, max_angular_speed));
    }
}

void solve_articulation(Articulations& s, Articulation& a) {
    ++a.cost.passes_alone;
    read_velocities(s, a);
    note_momentum(s, a);
    begin_solve(s, a);
    run_pass(s, a, JointPass::solve);
}

void run_pass(Articulations& s, Articulation& a, JointPass pass, bool again) {
    run_rounds(s, a, pass, again);
    finish_pass(s, a, pass, again);
}

void run_rounds(Articulations& s, Articulation& a, JointPass pass, bool again) {
    const SolverJoint& last_joint = s.joints[a.first_joint + a.joint_count - 1];
    const std::uint32_t first = s.joints[a.first_joint].first_row, end = last_joint.first_row + last_joint.row_count;
    for (std::uint32_t i = first; i < end; ++i) {
        s.rows[i].clamped = false;
        s.rows[i].newton_impulse = 0.0;
        s.rows[i].impulse_before = s.rows[i].impulse;
    }
    // Calls visit(row, its change).
    const auto for_each_row = [&](auto&& visit) {
        for (SolverJoint& joint : s.joints_of(a)) {
            double* const change = s.changes_of(joint);
            for (std::uint32_t i = 0; i < joint.row_count; ++i) visit(s.rows[joint.first_row + i], change[i]);
        }
    };
    bool clamped = false, settled = false, bending = false;
    double straight = 0.0;
    double before = infinite;
    for (int round = 0;; ++round) {
        ++a.cost.rounds;
        // First rounds along the tangent, until the set of active rows is settled; then rounds on the curved
        // constraints.
        const bool linear = pass == JointPass::relax || !settled;
        double worst = set_residuals(s, a, pass, linear, again);
        const bool final = round == settings::joint_rounds;
        const bool released = a.bounded && !final && release_rows(s, a, pass, linear, again, worst);
        if (released) a.factored = JointPass::none;
        if (!linear && !released && !clamped &&
            !(worst < before)) {  // Newton's method diverges: take back what it has added
            for_each_row([](JointRow& row, double& change) {
                change = -row.newton_impulse;
                row.impulse += change;
            });
            apply_changes(s, a);
            break;
        }
        if (!released && !clamped && worst < settings::joint_tolerance) {
            if (pass == JointPass::relax || settled) break;
            settled = true;
            continue;
        }
        // The set is not settled. So in this pass active limits stay active, and other bounded rows act as they did
        // before it.
        if (final) {
            for_each_row([](JointRow& row, double& change) {
                if (!is_bounded(row) || (row.kind == RowKind::limit && row.free)) return;
                row.free = false;
                change = row.impulse_before - row.impulse;
                row.impulse = row.impulse_before;
            });
            apply_changes(s, a);
            set_residuals(s, a, pass, true, again);
            a.factored = JointPass::none;
        }
        if (!linear && a.redundant && !bending) straight = begin_bending(s, a);
        bending = bending || (!linear && a.redundant);
        solve_free_rows(s, a, pass);
        clamped = a.bounded && !final && clamp_rows(s, a, pass);
        if (clamped && a.redundant) drop_changes_of_free_rows(s, a);
        for_each_row([linear](JointRow& row, double& change) {
            row.impulse += change;
            if (!linear) row.newton_impulse += change;
        });
        apply_changes(s, a);
        if (bending && kinetic_energy(s, a) > settings::joint_bend_gain * straight) {
            for_each_row([](JointRow& row, double& change) {
                change = -row.newton_impulse;
                row.impulse += change;
                row.newton_impulse = 0.0;
            });
            apply_changes(s, a);
            break;
        }
        if (final || (!a.bounded && (pass == JointPass::relax || (!linear && worst < settings::joint_quick)))) break;
        if (!linear) before = released || clamped ? infinite : 0.5 * worst;
        if (linear && !clamped && !(a.bounded && pass == JointPass::relax)) settled = true;
    }
    if (bending) end_bending(s, a);
}

void finish_pass(Articulations& s, Articulation& a, JointPass pass, bool again) {
    report_impulses(s, a, pass, again, limit_gain(s, a));
    if (a.floating && (limit_angular_velocities(s, a) || a.implicit)) restore_momentum(s, a, pass);
    if (pass == JointPass::solve && a.redundant) push_positions(s, a);
    write_velocities(s, a);
}

double set_residuals(Articulations& s, Articulation& a, JointPass pass, bool linear, bool again) {
    const double h = s.substep;
    double worst = 0.0;
    const bool curved = pass == JointPass::solve && !linear;
    if (curved) predict_poses(s, a);
    if (!curved || a.driven) s.kernel->speeds(s.rows_input(a, s.residuals));
    for (const SolverJoint& joint : s.joints_of(a)) {
        double* const residual = s.residuals_of(joint);
        for (std::uint32_t i = 0; i < joint.row_count; ++i) {
            const JointRow& row = s.rows[joint.first_row + i];
            if (row.unresponsive) {
                residual[i] = 0.0;
            } else if (!has_position(row)) {
                // A motor moves its coordinate by speed * h, whatever the curvature of the path.
                if (curved && row.kind == RowKind::motor && row.number < cone_row)
                    residual[i] =
                        (row_coordinate(joint, row, joint.next_pose, joint.next_coordinates) - row.position) / h;
                residual[i] -= row.speed;
                if (row.kind == RowKind::spring)
                    residual[i] += row.bias_rate * row.position + row.softness * row.impulse;
            } else if (curved) {
                const double next = joint.kind == JointKind::gear
                                        ? gear_coordinate(s, joint, s.joints[joint.geared[0]].next_coordinates,
                                                          s.joints[joint.geared[1]].next_coordinates)
                                        : row_coordinate(joint, row, joint.next_pose, joint.next_coordinates);
                residual[i] = (next - row.limits[row.upper ? 1 : 0] - row.goal) / h;
            } else if (pass == JointPass::solve) {
                residual[i] += (row.position - row.goal) / h;
            } else {
                // A limit may be approached at the speed that reaches it at the end of the sub-step.
                double ahead = 0.0;
                if (row.kind == RowKind::limit)
                    ahead = row.upper ? std::min(row.position, 0.0) : std::max(row.position, 0.0);
                residual[i] += ahead / h + (again ? 0.0 : row.slack * row.impulse);
            }
            if (takes_part(s, row, pass)) worst = std::max(worst, std::abs(residual[i]));
        }
    }
    return worst;
}

}  // namespace talus
