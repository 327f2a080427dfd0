#include "engine/joint_solver/responses/joint_closing.h"

#include "engine/joint_solver/matrix/joint_matrix.h"
#include "engine/joint_solver/rows/joint_poses.h"
#include "engine/joint_solver/rows/row_coordinates.h"
#include "engine/joint_solver/rows/row_evaluation.h"
#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Returns a body's inverse inertia about the world's axes, in double and exactly symmetric. A matrix that was rotated
/// in floats is symmetric only to 1e-7 of its largest entry. For a needle that is more than the whole response of a
/// heavy link. The factorisation, which assumes symmetry, then gave answers with the wrong sign, and the iterations
/// over the planes ended in infinity.
dmat3 exact_inverse_inertia(const Body& body) {
    const dmat3 axes = principal_axes(body, body.exact_rotation);
    dmat3 inverse;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k <= i; ++k) {
            const dvec3 product = dvec3(axes[0][i], axes[1][i], axes[2][i]) *
                                  dvec3(axes[0][k], axes[1][k], axes[2][k]) / body.principal.moments;
            inverse[i][k] = inverse[k][i] = product.x + product.y + product.z;
        }
    }
    return inverse;
}

/// Adds the correction of the errors to the velocities: a displacement and a rotation of each link, as if within one
/// second.
void add_corrections(Articulations& s, Articulation& a) {
    constexpr double max_angle = 0.5 * settings::joint_closing_turn;  // half, because both links rotate
    s.kernel->speeds(s.rows_input(a, s.residuals));
    for (const SolverJoint& joint : s.joints_of(a)) {
        double* const residual = s.residuals_of(joint);
        for (std::uint32_t i = 0; i < joint.row_count; ++i) {
            const JointRow& row = s.rows[joint.first_row + i];
            if (row.kind != RowKind::lock && !(row.kind == RowKind::limit && row.free)) continue;
            residual[i] += is_angular(s, joint, row) ? std::clamp(row.position, -max_angle, max_angle) : row.position;
        }
    }
    solve_free_rows(s, a, JointPass::relax);
    apply_changes(s, a);
}

/// Adds the effect of an impulse along a plane's normal to the velocity of the plane's body, without joints.
void push(Articulations& s, const ClosingPlane& plane, double impulse) {
    const std::uint32_t l = s.link_of_slot[plane.slot];
    double* const v = s.velocity_of(l);
    const dvec3 rotation = s.links[l].inverse_inertia * glm::cross(plane.arm, plane.normal);
    for (int k = 0; k < 3; ++k) {
        v[k] += impulse * s.links[l].inverse_mass[k] * plane.normal[k];
        v[k + 4] += impulse * rotation[k];
    }
}

/// Returns the velocity, along a plane's normal, of the point that the plane stops.
double along(Articulations& s, const ClosingPlane& plane) {
    const double* const v = s.velocity_of(s.link_of_slot[plane.slot]);
    return glm::dot(plane.normal, linear_part(v) + glm::cross(angular_part(v), plane.arm));
}

}  // namespace

double opening_of(const Articulations& s, const Articulation& a) {
    double most2 = 0.0;
    for (const SolverJoint& joint : s.joints_of(a)) {
        if (joint.anchored) most2 = std::max(most2, glm::dot(joint.pose.apart, joint.pose.apart));
        if (joint.kind != JointKind::distance) continue;
        for (const JointRow& row : s.rows_of(joint)) {
            const bool passed = row.kind == RowKind::limit && (row.upper ? row.position > 0.0 : row.position < 0.0);
            if (row.kind == RowKind::lock || passed) most2 = std::max(most2, row.position * row.position);
        }
    }
    return std::sqrt(most2);
}

bool may_close(const Articulation& a) { return a.open_before < settings::joint_closing_most; }

void begin_closing(Articulations& s, const Articulation& a) {
    for (const SolverJoint& joint : s.joints_of(a)) {
        for (JointRow& row : s.rows_of(joint)) {
            // The limit of a distance joint is closed completely, because the rope was not too long when the step
            // began.
            const bool closes = row.axis == RowAxis::length;
            row.left_open = closes ? 0.0 : row.upper ? std::max(row.position, 0.0) : std::min(row.position, 0.0);
        }
    }
}

double open_by(Articulations& s, Articulation& a, const BodyStore& bodies, double ease) {
    for (Link& link : s.links_of(a)) {
        if (link.solver == 0) continue;
        const Body& body = bodies[link.slot];
        link.displacement = dvec3(load3(s.motions.bodies[link.solver].displacement));
        link.orientation = Orientation(body.exact_rotation);
        if (link.inertia_rotates) link.true_inverse_inertia = exact_inverse_inertia(body);
        link.inverse_inertia = ease * link.true_inverse_inertia;
        link.implicit = false;
    }
    a.implicit = false;
    for (SolverJoint& joint : s.joints_of(a)) update_pose(s, joint);
    double worst = 0.0;
    for (SolverJoint& joint : s.joints_of(a)) {
        evaluate_rows(s, a, joint);
        double error2 = 0.0;
        for (JointRow& row : s.rows_of(joint)) {
            if (row.kind == RowKind::limit) {
                row.position -= row.upper ? std::max(row.left_open, 0.0) : std::min(row.left_open, 0.0);
                row.free = row.upper ? row.position > 0.0 : row.position < 0.0;
            }
            if (row.kind != RowKind::lock) continue;
            double error = row.position;
            if (is_angular(s, joint, row)) error *= static_cast<double>(bodies[s.links[joint.link[1]].slot].radius);
            error2 += error * error;
        }
        worst = std::max(worst, error2);
    }
    a.factored = JointPass::none;
    return std::sqrt(worst);
}

void end_closing(Articulation& a, bool closed) {
    ClosingRecord& closings = a.closings;
    closings.most_open = closed ? 0.0 : std::max(closings.most_open, a.open);
    closings.failed = closed ? 0 : closings.failed + 1;
    if (closings.failed < settings::joint_closing_tries) return;
    closings.stays_open = closings.most_open;
    closings.failed = 0;
    closings.most_open = 0.0;
}

void JointClosing::find_displacements(Articulations& s, Articulation& a, std::span<const ClosingPlane> planes) {
    const std::size_t count = planes.size();
    s.clear_velocities(a);
    add_corrections(s, a);
    distances_.resize(count);
    bool blocked = false;
    for (std::size_t k = 0; k < count; ++k) {
        distances_[k] = along(s, planes[k]) + planes[k].room;
        blocked = blocked || !(distances_[k] >= 0.0);
    }
    if (!blocked) return;
    matrix_.resize(count * count);
    known_.assign(count, 0);
    impulses_.assign(count, 0.0);
    bool changed = true;
    for (int iteration = 0; changed && iteration < settings::joint_contact_sweeps; ++iteration) {
        changed = false;
        for (std::size_t k = 0; k < count; ++k) {
            double distance = distances_[k];
            for (std::size_t j = 0; j < count; ++j) {
                if (impulses_[j] != 0.0) distance += matrix_[k * count + j] * impulses_[j];
            }
            const double before = impulses_[k];
            if (before == 0.0 && distance >= 0.0) continue;
            if (known_[k] == 0) find_response(s, a, planes, k);
            const double response = matrix_[k * count + k];
            if (response > 0.0) impulses_[k] = std::max(0.0, before - distance / response);
            changed = changed || impulses_[k] != before;
        }
    }
    s.clear_velocities(a);
    for (std::size_t k = 0; k < count; ++k) push(s, planes[k], impulses_[k]);
    add_corrections(s, a);
}

/// Finds the displacements at all planes by a unit impulse at one of them: a column of the matrix.
void JointClosing::find_response(Articulations& s, Articulation& a, std::span<const ClosingPlane> planes,
                                 std::size_t pushed) {
    const std::size_t count = planes.size();
    s.clear_velocities(a);
    push(s, planes[pushed], 1.0);
    const double alone = along(s, planes[pushed]);
    project_velocities(s, a, JointPass::relax);
    for (std::size_t k = 0; k < count; ++k) matrix_[k * count + pushed] = along(s, planes[k]);
    matrix_[pushed * count + pushed] += settings::joint_contact_give * alone;
    known_[pushed] = 1;
}

}  // namespace talus
