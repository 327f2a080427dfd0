#include "engine/joint_solver/passes/relax_pass.h"

#include "common/lanes/load_splat.h"
#include "engine/joint_solver/matrix/joint_matrix.h"
#include "engine/joint_solver/passes/joint_energy.h"
#include "engine/joint_solver/passes/joint_momentum.h"
#include "engine/joint_solver/passes/joint_passes.h"
#include "engine/joint_solver/passes/joint_reports.h"
#include "engine/joint_solver/responses/joint_closing.h"
#include "engine/joint_solver/rows/row_evaluation.h"
#include "engine/settings.h"

namespace talus {

namespace {

/// Returns the kinetic energy that the pass has added to that of the velocities without the bend. It is computed as
/// |v|^2 - |u|^2 = (v - u) (v + u).
double gain_of_pass(Articulations& s, const Articulation& a, bool bent) {
    double gain = 0.0;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = s.links[l];
        if (!link.dynamic) continue;
        if (!bent) link.bend = link.bend_angular = dvec3(0.0);
        const double* const v = s.velocity_of(l);
        const dvec3 before = link.velocity_before - link.bend,
                    angular_before = link.angular_velocity_before - link.bend_angular;
        const dvec3 now = linear_part(v), angular_now = angular_part(v);
        const dvec3 change = (angular_now - angular_before) * link.rotation,
                    sum = (angular_now + angular_before) * link.rotation;
        gain += 0.5 * (link.mass * glm::dot(now - before, now + before) + glm::dot(change, link.start_inertia * sum));
    }
    return gain;
}

/// Restores the velocities and impulses from before the pass, without the bend, and damps the swing of links that are
/// integrated implicitly.
void begin_again(Articulations& s, Articulation& a) {
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = s.links[l];
        if (!link.dynamic || link.solver == 0) continue;
        link.velocity_before -= link.bend;
        link.angular_velocity_before -= link.bend_angular;
        if (link.implicit)
            link.angular_velocity_before = link.swing_damping * detail::in_registers(link.angular_velocity_before);
        set_velocity(s.velocity_of(l), link.velocity_before, link.angular_velocity_before);
    }
    for (JointRow& row : s.rows_of(a)) row.impulse = row.impulse_before;
}

/// Removes from the impulses the part that moves no body, so that it is not reported.
void drop_idle_impulses(Articulations& s, Articulation& a) {
    for (const SolverJoint& joint : s.joints_of(a)) {
        double* const residual = s.residuals_of(joint);
        for (std::uint32_t i = 0; i < joint.row_count; ++i) {
            const JointRow& row = s.rows[joint.first_row + i];
            residual[i] = row.slack * row.impulse;
        }
    }
    solve_free_rows(s, a, JointPass::relax);
    for (const SolverJoint& joint : s.joints_of(a)) {
        double* const change = s.changes_of(joint);
        for (std::uint32_t i = 0; i < joint.row_count; ++i) {
            s.rows[joint.first_row + i].impulse += change[i];
            change[i] = 0.0;
        }
    }
}

/// Runs the relax pass so that it adds no energy. A projection adds none, with two exceptions. First, the velocities
/// that it projects contain the bend (redundant_rows.h), which it removes only as far as the rows have the same
/// directions at both ends of the sub-step. Second, links that are integrated implicitly respond with more inertia than
/// they have, so their angular velocities count for more than their energy. If the pass has added energy, it starts
/// again without the bend, and with those angular velocities damped like implicit integration damps them. Then it
/// cannot add any.
void relax_without_gain(Articulations& s, Articulation& a) {
    if (!a.bent && !a.implicit) return run_pass(s, a, JointPass::relax);
    const bool bent = a.bent;
    a.bent = false;
    run_rounds(s, a, JointPass::relax, false);
    const double gain = gain_of_pass(s, a, bent);
    if (!(gain <= 0.0) && !(gain <= settings::joint_energy_gain * (kinetic_energy(s, a) - gain))) {
        begin_again(s, a);
        run_rounds(s, a, JointPass::relax, true);
        drop_idle_impulses(s, a);
    }
    finish_pass(s, a, JointPass::relax, false);
}

}  // namespace

void relax_articulation(Articulations& s, Articulation& a) {
    ++a.cost.passes_alone;
    evaluate(s, a);
    read_velocities(s, a);
    note_momentum(s, a);
    relax_without_gain(s, a);
    a.open = opening_of(s, a);
    for (SolverJoint& joint : s.joints_of(a)) {
        joint.load *= settings::joint_load_memory;
        if (glm::dot(joint.demand, joint.demand) > glm::dot(joint.load, joint.load)) joint.load = joint.demand;
        joint.demand = dvec3(0.0);
    }
}

void relax_again(Articulations& s, Articulation& a) {
    read_velocities(s, a);
    note_momentum(s, a);
    if (a.taken) {
        for (JointRow& row : s.rows_of(a)) {
            double& taken = s.taken_impulses[static_cast<std::size_t>(&row - s.rows.data())];
            row.impulse_before = row.impulse;
            row.impulse += taken;
            taken = 0.0;
        }
        report_impulses(s, a, JointPass::relax, true, 1.0);
        a.taken = false;
    }
    run_pass(s, a, JointPass::relax, true);
}

}  // namespace talus
