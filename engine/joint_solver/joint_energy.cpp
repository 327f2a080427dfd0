/// Rows that are redundant, or nearly so, and how joints are kept from making energy of them.
///
/// Loops of joints, locks beside joints and limits that are met together have more rows than freedom. Where some
/// combination of rows hardly moves anything (its response to impulse is r, the rows' own is 1), a direct solve answers a
/// speed b that is asked for along it with a velocity of b / sqrt(r). Rows with slack s answer with b sqrt(r) / (r + s),
/// at most b / (2 sqrt(s)): 500 b at a slack of 1e-6. That is harmless where b is the velocity of the bodies themselves:
/// taking it out is a projection, slack or not, and can only lower the kinetic energy. What b must not be is anything
/// else. Anchors that are 0.1 mm apart ask for 0.02 m/s, so that two links at rest left at 10 m/s, again and again, and
/// impulses grew to 1e19 N s. So of the velocities that joints make in a sub-step
///
///     straight   takes out what rows do not allow of the bodies' velocities: can gain nothing;
///     bend       makes their way as curved as the constraints are; as a projection in the relax pass takes it out again,
///                the energy stays (RATTLE). It is taken back where the energy does not;
///     push       closes what is apart, by itself (position errors, contradictions): it moves bodies in this sub-step and
///                is then taken off their velocities, exactly, whatever the matrix is like. No force is reported for it.
///
/// A tree of joints on bodies without locks has no such rows; there push and bend are found together.
///
/// Locks are constraints of a body's mass: it does not answer along and about locked axes. A joint's row that asks for
/// nothing else (a hinge about z of a body that moves in the xy plane) has no response left but rounding, 1e-15 of what
/// it was, and to divide by that froze the body. So slack is measured by the response that the row had without locks.

#include "engine/joint_solver/joint_solver.h"

#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

double JointSolver::kinetic_energy(const Link& link, const dvec3& velocity, const dvec3& spin) const {
    const dvec3 local = spin * link.turn;
    return 0.5 * (link.mass * glm::dot(velocity, velocity) + glm::dot(local, link.start_inertia * local));
}

double JointSolver::kinetic_energy(const Articulation& a) {
    double sum = 0.0;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const double* const v = velocity_of(l);
        if (links_[l].dynamic) sum += kinetic_energy(links_[l], dvec3(v[0], v[1], v[2]), dvec3(v[4], v[5], v[6]));
    }
    return sum;
}

/// J M^-1 J^T of a row alone, with the masses that its bodies would have without their locks.
double JointSolver::response_without_locks(const Run& run, std::uint32_t i) const {
    const JointRows& rows = joint_rows_[index_of(run)];
    const double* jacobian = flat(jacobians_) + rows.jacobian + i;
    double sum = 0.0;
    for (std::uint32_t s = 0; s < rows.sides; ++s, jacobian += 6 * rows.width) {
        const Link& link = links_[rows.link[s]];
        if (!link.dynamic) continue;
        const dvec3 linear(jacobian[0], jacobian[rows.width], jacobian[2 * rows.width]);
        const dvec3 angular(jacobian[3 * rows.width], jacobian[4 * rows.width], jacobian[5 * rows.width]);
        const double mass = link.locked ? link.unlocked_inverse_mass : link.inverse_mass[0];
        const dmat3& inertia = link.locked ? link.unlocked_inverse_inertia : link.inverse_inertia;
        sum += mass * glm::dot(linear, linear) + glm::dot(angular, inertia * angular);
    }
    return sum;
}

/// A bounded row that was caught had a part in what the free rows were found to do: with redundant rows that may be
/// anything. The caught rows stop at their bounds, the others are solved again without them.
void JointSolver::drop_changes_of_free_rows(const Articulation& a) {
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        double* const change = changes(runs_[r]);
        for (std::uint32_t i = 0; i < runs_[r].row_count; ++i) {
            const Row& row = rows_[runs_[r].first_row + i];
            if (row.free || !row.caught) change[i] = 0.0;
        }
    }
}

/// Returns the kinetic energy before velocities are bent.
double JointSolver::begin_bending(Articulation& a) {
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const double* const v = velocity_of(l);
        links_[l].bend = dvec3(v[0], v[1], v[2]);
        links_[l].bend_spin = dvec3(v[4], v[5], v[6]);
    }
    return kinetic_energy(a);
}

void JointSolver::end_bending(Articulation& a) {
    a.bent = true;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const double* const v = velocity_of(l);
        links_[l].bend = dvec3(v[0], v[1], v[2]) - links_[l].bend;
        links_[l].bend_spin = dvec3(v[4], v[5], v[6]) - links_[l].bend_spin;
    }
}

/// The longest way of a row to where it should be, over the longest of a sub-step.
double JointSolver::farthest_push(const Articulation& a) const {
    double farthest = 0.0;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        for (std::uint32_t i = runs_[r].first_row; i < runs_[r].first_row + runs_[r].row_count; ++i) {
            if (rows_[i].kind == RowKind::lock || rows_[i].kind == RowKind::limit)
                farthest = std::max(farthest, std::abs(rows_[i].push));
        }
    }
    return farthest;
}

/// Returns the longest lever arm of a joint's rows, m. A row that closes by a distance turns by about that distance
/// over the lever arm, rad.
double JointSolver::lever_of(const Run& run) {
    const dvec3 arm_a = run.pose.arm_a + run.pose.apart;
    const dvec3& along = run.kind == JointKind::distance ? run.pose.apart : dvec3(0.0);
    return std::sqrt(
        std::max({glm::dot(arm_a, arm_a), glm::dot(run.pose.arm_b, run.pose.arm_b), glm::dot(along, along)}));
}

/// Raises the slack of an articulation whose joints are open while a kinematic body pulls it.
///
/// A projection of the links' own velocities cannot add energy, but the velocity of a kinematic body is not one of
/// theirs. When it pulls a straight chain at a speed v, the rows are nearly redundant, and the links answered with up
/// to 500 v. The slack that a push over the same distance per sub-step gets limits this to v / sqrt(distance / lever
/// arm).
void JointSolver::give_way_to_drivers(Articulation& a) {
    double way = 0.0, open = 0.0;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        const double lever = lever_of(run);
        for (std::uint32_t s = 0; s < run.side_count; ++s) {
            const Link& link = links_[run.link[s]];
            if (link.dynamic || link.solver == 0) continue;
            const double* const v = velocity_of(run.link[s]);
            const double moved =
                substep_ * (glm::length(dvec3(v[0], v[1], v[2])) + lever * glm::length(dvec3(v[4], v[5], v[6])));
            way = std::max(way, moved / std::max(lever, moved));
        }
        for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
            const Row& row = rows_[i];
            if (row.push == 0.0) continue;
            const double off = std::abs(row.position);
            open = std::max(open, is_angular(run, row) ? off : off / std::max(lever, off));
        }
    }
    a.slack = settings::joint_slack_looped;
    if (open > settings::joint_crooked && way > a.slack) set_slack(a, a.slack = way);
}

/// Sets the slack of the locks and limits, as part of their responses.
void JointSolver::set_slack(Articulation& a, double slack) {
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        for (std::uint32_t i = runs_[r].first_row; i < runs_[r].first_row + runs_[r].row_count; ++i) {
            Row& row = rows_[i];
            if (row.kind == RowKind::lock || row.kind == RowKind::limit) row.slack = slack * row.whole;
        }
    }
    a.factored = Pass::none;
}

/// After the solve: adds the velocities that close what is apart, for this sub-step's positions alone. All rows go the
/// same part of their ways, so that those that contradict each other end in a compromise: were each cut to one speed,
/// they would balance anywhere.
///
/// Far from closed, Newton's method goes too far. A chain that is 2% too short for its two walls is closest to closed
/// where it is straight. If it sags by a small angle t, its rows see the error fall by t per metre that a link moves,
/// and ask for 1 / t times the error, far beyond the straight line. So slack grows with the distance that is asked for,
/// as in the Levenberg-Marquardt method. (Fan and Yuan 2005 show that with this choice it still converges quadratically
/// if all joints can be closed.)
void JointSolver::push_together(Articulation& a) {
    const double farthest = farthest_push(a);
    if (farthest < settings::joint_least_push) return;
    if (a.bounded) kernel_->speeds(rows_input(a, residuals_));
    double allowed = 0.0;  ///< energy, were all rows by themselves
    double crooked = 0.0;  ///< largest angle by which a row turns while it closes, rad
    bool more = false;     ///< limits that are passed and hold nothing else
    const double share = 1.0 / std::clamp(farthest, 1.0, settings::joint_push_farthest);
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        const double lever = lever_of(run);
        double* const residual = residuals(run);
        for (std::uint32_t i = 0; i < run.row_count; ++i) {
            Row& row = rows_[run.first_row + i];
            row.caught = false;
            const double speed = residual[i];
            residual[i] = 0.0;
            if (row.kind != RowKind::lock && row.kind != RowKind::limit) continue;
            const double push = std::clamp(share * row.push, -1.0, 1.0) *
                                (is_angular(run, row) ? settings::joint_turn_speed : settings::joint_push_speed);
            if (row.free || !a.bounded) {
                residual[i] = push;
            } else if ((speed + push) * push > 0.0) {
                residual[i] = speed + push;
                row.free = row.caught = more = true;
            }
            const double way = substep_ * std::abs(residual[i]);
            crooked = std::max(crooked, is_angular(run, row) ? way : way / std::max(lever, way));
            if (row.whole > 0.0) allowed += 0.5 * residual[i] * residual[i] / row.whole;
        }
    }
    if (allowed > 0.0) {
        const bool softer = crooked > settings::joint_crooked;
        if (more) a.factored = Pass::none;
        if (softer) set_slack(a, std::max(a.slack, crooked));
        solve_free(a, Pass::solve);
        if (softer) set_slack(a, a.slack);
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            const double* const v = velocity_of(l);
            links_[l].push = dvec3(v[0], v[1], v[2]);
            links_[l].push_spin = dvec3(v[4], v[5], v[6]);
        }
        apply_changes(a);
        double energy = 0.0, mass = 0.0;
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            Link& link = links_[l];
            const double* const v = velocity_of(l);
            link.push = dvec3(v[0], v[1], v[2]) - link.push;
            link.push_spin = dvec3(v[4], v[5], v[6]) - link.push_spin;
            if (!link.dynamic) continue;
            mass += link.mass;
            energy += kinetic_energy(link, link.push, link.push_spin);
        }
        // Nearly redundant rows ask for long ways, and what is far from straight would go astray on them.
        const double quiet = settings::joint_quiet_push;
        const double most = settings::joint_push_gain * allowed + 0.5 * mass * quiet * quiet;
        const double part = energy <= most                                ? 1.0
                            : energy < std::numeric_limits<double>::max() ? std::sqrt(most / energy)
                                                                          : 0.0;
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count && part < 1.0; ++l) {
            Link& link = links_[l];
            const dvec3 push = part > 0.0 ? part * link.push : dvec3(0.0);
            const dvec3 push_spin = part > 0.0 ? part * link.push_spin : dvec3(0.0);
            double* const v = velocity_of(l);
            for (int k = 0; k < 3; ++k) {
                v[k] += push[k] - link.push[k];
                v[k + 4] += push_spin[k] - link.push_spin[k];
            }
            link.push = push;
            link.push_spin = push_spin;
        }
        a.pushed = true;
    }
    if (!more) return;
    a.factored = Pass::none;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        for (std::uint32_t i = runs_[r].first_row; i < runs_[r].first_row + runs_[r].row_count; ++i)
            rows_[i].free = rows_[i].free && !rows_[i].caught;
    }
}

/// The relax pass. A projection gains nothing, but what it projects has the bend in it, which it takes out only as far as
/// the rows' directions at the sub-step's two ends go together; and links that are integrated implicitly (stabilise())
/// answer by more inertia than they have, so that their spins count for more than their energy. Where energy would
/// appear, the pass begins again without the bend, and with those spins slowed as implicit integration slows them: then
/// it cannot.
void JointSolver::relax_without_gain(Articulation& a) {
    if (!a.bent && !a.stiff) return run_pass(a, Pass::relax);
    const bool bent = a.bent;
    a.bent = false;
    run_rounds(a, Pass::relax, false);
    // What the pass has gained over velocities without the bend: |v|^2 - |u|^2 = (v - u) (v + u).
    double gain = 0.0;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = links_[l];
        if (!link.dynamic) continue;
        if (!bent) link.bend = link.bend_spin = dvec3(0.0);
        const double* const v = velocity_of(l);
        const dvec3 velocity = link.velocity_before - link.bend, spin = link.spin_before - link.bend_spin;
        const dvec3 now(v[0], v[1], v[2]), spin_now(v[4], v[5], v[6]);
        const dvec3 more = (spin_now - spin) * link.turn, sum = (spin_now + spin) * link.turn;
        gain += 0.5 * (link.mass * glm::dot(now - velocity, now + velocity) + glm::dot(more, link.start_inertia * sum));
    }
    if (gain <= 0.0 || gain <= settings::joint_energy_gain * (kinetic_energy(a) - gain))
        return finish_pass(a, Pass::relax, false);

    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = links_[l];
        if (!link.dynamic || link.solver == 0) continue;
        double* const v = velocity_of(l);
        link.velocity_before -= link.bend;
        link.spin_before -= link.bend_spin;
        if (link.stiff) link.spin_before = link.slowing * link.spin_before;
        for (int k = 0; k < 3; ++k) {
            v[k] = link.velocity_before[k];
            v[k + 4] = link.spin_before[k];
        }
    }
    const Run& last = runs_[a.first_run + a.run_count - 1];
    for (std::uint32_t i = runs_[a.first_run].first_row; i < last.first_row + last.row_count; ++i)
        rows_[i].impulse = rows_[i].given;
    run_rounds(a, Pass::relax, true);
    // Of the impulses of both passes, the part that moves nothing is not reported.
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        double* const residual = residuals(runs_[r]);
        for (std::uint32_t i = 0; i < runs_[r].row_count; ++i) {
            const Row& row = rows_[runs_[r].first_row + i];
            residual[i] = row.slack * row.impulse;
        }
    }
    solve_free(a, Pass::relax);
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        double* const change = changes(runs_[r]);
        for (std::uint32_t i = 0; i < runs_[r].row_count; ++i) {
            rows_[runs_[r].first_row + i].impulse += change[i];
            change[i] = 0.0;
        }
    }
    finish_pass(a, Pass::relax, false);
}

std::uint32_t JointSolver::body_of(std::uint32_t at) const {
    std::uint32_t l = articulations_[active_[at]].first_link;
    while (!links_[l].dynamic || links_[l].solver == 0) ++l;
    return links_[l].solver;
}

JointSolver::Work JointSolver::work(std::uint32_t at, std::span<const BodyMotions::Unpushed> unpushed) {
    Articulation& a = articulations_[active_[at]];
    Work work;
    if (!a.springs && !a.bounded) return work;
    const auto power = [&] {
        kernel_->speeds(rows_input(a, residuals_));
        double sum = 0.0;
        for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
            const double* const speed = residuals(runs_[r]);
            for (std::uint32_t i = 0; i < runs_[r].row_count; ++i) {
                const Row& row = rows_[runs_[r].first_row + i];
                if (row.kind == RowKind::motor || row.kind == RowKind::spring) sum += row.impulse * speed[i];
            }
        }
        return sum;
    };
    read_velocities(a);
    const double whole = power();
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        if (!links_[l].dynamic || links_[l].solver == 0) continue;
        const BodyMotions::Unpushed& alone = unpushed[links_[l].solver];
        double* const v = velocity_of(l);
        for (int k = 0; k < 3; ++k) {
            v[k] = alone.velocity[k];
            v[k + 4] = alone.spin[k];
        }
    }
    work.unpushed = power();
    work.pushed = whole - work.unpushed;
    return work;
}

void JointSolver::note_impulses() {
    for (const std::uint32_t at : active_) {
        const Articulation& a = articulations_[at];
        for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
            Run& run = runs_[r];
            run.old_force = run.force;
            run.old_torque = run.torque;
            for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i)
                rows_[i].noted = rows_[i].impulse;
        }
    }
}

void JointSolver::scale_impulses(std::uint32_t at, double kept) {
    const Articulation& a = articulations_[active_[at]];
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        Run& run = runs_[r];
        run.force = run.old_force + kept * (run.force - run.old_force);
        run.torque = run.old_torque + kept * (run.torque - run.old_torque);
        for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
            Row& row = rows_[i];
            const double less = (1.0 - kept) * (row.impulse - row.noted);
            if (row.kind == RowKind::motor && row.number < cone_row) run.motor_impulses[row.axis] -= less;
            row.impulse -= less;
        }
    }
}

}  // namespace talus
