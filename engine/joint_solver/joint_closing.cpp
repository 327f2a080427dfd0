/// Joints that are open at the end of a step, closed by putting the bodies right.
///
/// Two things open them. An impact that continuous collision finds within the step changes the velocities of all that
/// joints hold together, and each link goes on with its own for the rest of the step: straight on, turning about its
/// own centre. Joints are not straight. A limb that is hit at 20 m/s turns by 1 rad and more in that rest, and its
/// anchor leaves the straight way by r (1 - cos 1 rad): ragdolls thrown at a wall at 20 and 40 m/s had joints open by
/// 150 to 400 mm at the end of the step. And contacts have the last word in a sub-step, at odds with the joints by up to
/// `joint_contact_speed`, which opened joints by up to 8 mm on stairs, and by 40 mm where limbs turn fast.
///
/// So the poses are put right at once: Newton's method on what the locks, and the limits that are passed, are off,
///
///     dx = -M^-1 J^T (J M^-1 J^T)^-1 C(x)
///
/// which moves heavy links less than light ones. Planes bound the ways of links by impulses l >= 0 along their normals,
/// found by projected Gauss-Seidel on the responses that the links have through the joints, as in joint_contacts.cpp.
/// Velocities stay, but for what energy the new poses have gained (impact_energy.h).
///
/// Limits are not closed farther than the solver had left them. One that is passed by much was set so by the user, or
/// the loads were too much for it: the solver brings its bodies back at a bounded speed. To put them there at once lifted
/// 144 kg by 0.1 m within a step. For the same reason joints that were open when the step began are not closed: a ball
/// joint that was made 3 m open lifted 216 kg by 3 m within a step.
///
/// Joints of loops, and of bodies with locked axes, may contradict each other, so that they cannot be closed. After some
/// steps in which that was tried, such an articulation is left as it is until its joints open farther.

#include "engine/joint_solver/joint_solver.h"

#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

/// Returns by how much the worst joint is open that has an anchor, or that keeps anchors at a distance, m.
double JointSolver::open_by_rows(const Articulation& a) const {
    double most2 = 0.0;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        if (run.anchored) most2 = std::max(most2, glm::dot(run.pose.apart, run.pose.apart));
        if (run.kind != JointKind::distance) continue;
        for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
            const Row& row = rows_[i];
            const bool passed = row.kind == RowKind::limit && (row.upper ? row.position > 0.0 : row.position < 0.0);
            if (row.kind == RowKind::lock || passed) most2 = std::max(most2, row.position * row.position);
        }
    }
    return std::sqrt(most2);
}

bool JointSolver::may_close(const Articulation& a) { return a.open_before < settings::joint_closing_most; }

void JointSolver::end_closing(std::uint32_t slot, bool closed) {
    Articulation& a = articulations_[articulation_of_[link_of_[slot]]];
    a.most_open = closed ? 0.0 : std::max(a.most_open, a.open);
    a.failed_closings = closed ? 0 : a.failed_closings + 1;
    if (a.failed_closings < settings::joint_closing_tries) return;
    a.stays_open = a.most_open;
    a.failed_closings = 0;
    a.most_open = 0.0;
}

void JointSolver::begin_closing(std::uint32_t slot) {
    const Articulation& a = articulations_[articulation_of_[link_of_[slot]]];
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        for (std::uint32_t i = runs_[r].first_row; i < runs_[r].first_row + runs_[r].row_count; ++i) {
            Row& row = rows_[i];
            // A rope was not too long when the step began.
            const bool closes = row.form == RowForm::length;
            row.left = closes ? 0.0 : row.upper ? std::max(row.position, 0.0) : std::min(row.position, 0.0);
        }
    }
}

double JointSolver::open_by(std::uint32_t slot, const BodyStore& bodies, double ease) {
    Articulation& a = articulations_[articulation_of_[link_of_[slot]]];
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = links_[l];
        if (link.solver == 0) continue;
        const Body& body = bodies[link.slot];
        link.displacement = dvec3(load3(motions_.bodies[link.solver].displacement));
        link.pose = Turned(body.exact_rotation);
        if (link.turns) {
            // Of doubles, and symmetric to the bit. A matrix turned in floats is symmetric to 1e-7 of its largest entry
            // only, which of a needle is more than all else that a heavy link answers with: the factors, which take the
            // matrix for symmetric, gave answers with the wrong sign, and the sweeps over the planes ended in infinity.
            const dmat3 axes = principal_axes(body, body.exact_rotation);
            for (int i = 0; i < 3; ++i) {
                for (int k = 0; k <= i; ++k) {
                    const dvec3 product = dvec3(axes[0][i], axes[1][i], axes[2][i]) *
                                          dvec3(axes[0][k], axes[1][k], axes[2][k]) / body.principal.moments;
                    link.true_inverse_inertia[i][k] = link.true_inverse_inertia[k][i] =
                        product.x + product.y + product.z;
                }
            }
        }
        link.inverse_inertia = ease * link.true_inverse_inertia;
        link.stiff = false;
    }
    a.stiff = false;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) place(runs_[r]);
    double worst = 0.0;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        evaluate_rows(a, runs_[r]);
        double apart2 = 0.0;
        for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
            Row& row = rows_[i];
            if (row.kind == RowKind::limit) {
                row.position -= row.upper ? std::max(row.left, 0.0) : std::min(row.left, 0.0);
                row.free = row.upper ? row.position > 0.0 : row.position < 0.0;
            }
            if (row.kind != RowKind::lock) continue;
            double off = row.position;
            if (is_angular(run, row)) off *= static_cast<double>(bodies[links_[run.link[1]].slot].radius);
            apart2 += off * off;
        }
        worst = std::max(worst, apart2);
    }
    a.factored = Pass::none;
    return std::sqrt(worst);
}

/// Adds to the velocities what takes the errors back: a move and a turn of each link, as if in one second.
void JointSolver::find_closing(Articulation& a) {
    constexpr double most_turn = 0.5 * settings::joint_closing_turn;  // both links turn
    kernel_->speeds(rows_input(a, residuals_));
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        double* const residual = residuals(run);
        for (std::uint32_t i = 0; i < run.row_count; ++i) {
            const Row& row = rows_[run.first_row + i];
            if (row.kind != RowKind::lock && !(row.kind == RowKind::limit && row.free)) continue;
            residual[i] += is_angular(run, row) ? std::clamp(row.position, -most_turn, most_turn) : row.position;
        }
    }
    solve_free(a, Pass::relax);
    apply_changes(a);
}

void JointSolver::close(std::uint32_t slot, std::span<const ClosingPlane> planes) {
    Articulation& a = articulations_[articulation_of_[link_of_[slot]]];
    const auto clear = [&] { std::fill_n(velocity_of(a.first_link), 8 * a.link_count, 0.0); };
    const auto push = [&](const ClosingPlane& plane, double impulse) {
        const std::uint32_t l = link_of_[plane.slot];
        double* const v = velocity_of(l);
        const dvec3 turn = links_[l].inverse_inertia * glm::cross(plane.arm, plane.normal);
        for (int k = 0; k < 3; ++k) {
            v[k] += impulse * links_[l].inverse_mass[k] * plane.normal[k];
            v[k + 4] += impulse * turn[k];
        }
    };
    const auto along = [&](const ClosingPlane& plane) {
        const double* const v = velocity_of(link_of_[plane.slot]);
        return glm::dot(plane.normal, dvec3(v[0], v[1], v[2]) + glm::cross(dvec3(v[4], v[5], v[6]), plane.arm));
    };
    const std::size_t count = planes.size();
    closing_matrix_.resize(count * count);
    closing_impulses_.assign(count, 0.0);
    closing_ways_.resize(count);
    clear();
    find_closing(a);
    if (count == 0) return;
    for (std::size_t k = 0; k < count; ++k) closing_ways_[k] = along(planes[k]) + planes[k].room;
    for (std::size_t j = 0; j < count; ++j) {
        clear();
        push(planes[j], 1.0);
        const double alone = along(planes[j]);
        carry(a, Pass::relax);
        for (std::size_t k = 0; k < count; ++k) closing_matrix_[k * count + j] = along(planes[k]);
        closing_matrix_[j * count + j] += settings::joint_contact_give * alone;
    }
    for (int sweep = 0; sweep < settings::joint_contact_sweeps; ++sweep) {
        for (std::size_t k = 0; k < count; ++k) {
            const double response = closing_matrix_[k * count + k];
            if (!(response > 0.0)) continue;
            double way = closing_ways_[k];
            for (std::size_t j = 0; j < count; ++j) way += closing_matrix_[k * count + j] * closing_impulses_[j];
            closing_impulses_[k] = std::max(0.0, closing_impulses_[k] - way / response);
        }
    }
    clear();
    for (std::size_t k = 0; k < count; ++k) push(planes[k], closing_impulses_[k]);
    find_closing(a);
}

}  // namespace talus
