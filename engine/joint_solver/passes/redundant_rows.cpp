#include "engine/joint_solver/passes/redundant_rows.h"

#include "engine/joint_solver/matrix/joint_matrix.h"
#include "engine/joint_solver/passes/joint_energy.h"
#include "engine/joint_solver/rows/row_coordinates.h"
#include "engine/settings.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

/// Returns the largest position error, as a multiple of what a sub-step may correct.
double farthest_push(const Articulations& s, const Articulation& a) {
    double farthest = 0.0;
    for (const SolverJoint& joint : s.joints_of(a)) {
        for (const JointRow& row : s.rows_of(joint)) {
            if (has_position(row)) farthest = std::max(farthest, std::abs(row.push));
        }
    }
    return farthest;
}

/// Returns the longest lever arm of a joint's rows, m. A row that closes by a distance rotates by about that distance
/// over the lever arm, rad.
double longest_lever(const SolverJoint& joint) {
    const dvec3 arm_a = joint.pose.arm_a + joint.pose.apart;
    const dvec3& along = joint.kind == JointKind::distance ? joint.pose.apart : dvec3(0.0);
    return std::sqrt(
        std::max({glm::dot(arm_a, arm_a), glm::dot(joint.pose.arm_b, joint.pose.arm_b), glm::dot(along, along)}));
}

/// Sets the slack of locks and limits, as a fraction of their responses.
void set_slack(Articulations& s, Articulation& a, double slack) {
    for (const SolverJoint& joint : s.joints_of(a)) {
        for (JointRow& row : s.rows_of(joint)) {
            if (has_position(row)) row.slack = slack * row.unlocked_response;
        }
    }
    a.factored = JointPass::none;
}

/// The sums of what the rows ask for in a push.
struct PushRequest {
    double allowed = 0.0;  ///< sum of the energies of the rows' pushes, each alone, J
    double crooked = 0.0;  ///< largest angle by which a row rotates while it closes, rad
    bool more = false;     ///< limits that are passed but inactive are freed, and marked as clamped
};

/// Sets the residuals to the speeds at which rows are to close.
PushRequest request_push(Articulations& s, const Articulation& a, double farthest) {
    PushRequest request;
    const double share = 1.0 / std::clamp(farthest, 1.0, settings::joint_push_farthest);
    for (const SolverJoint& joint : s.joints_of(a)) {
        const double lever = longest_lever(joint);
        double* const residual = s.residuals_of(joint);
        for (std::uint32_t i = 0; i < joint.row_count; ++i) {
            JointRow& row = s.rows[joint.first_row + i];
            row.clamped = false;
            const double speed = residual[i];
            residual[i] = 0.0;
            if (!has_position(row)) continue;
            const bool angular = is_angular(s, joint, row);
            const double push = std::clamp(share * row.push, -1.0, 1.0) *
                                (angular ? settings::joint_turn_speed : settings::joint_push_speed);
            if (row.free || !a.bounded) {
                residual[i] = push;
            } else if ((speed + push) * push > 0.0) {
                residual[i] = speed + push;
                row.free = row.clamped = request.more = true;
            }
            const double distance = s.substep * std::abs(residual[i]);
            request.crooked = std::max(request.crooked, angular ? distance : distance / std::max(lever, distance));
            if (row.unlocked_response > 0.0) request.allowed += 0.5 * residual[i] * residual[i] / row.unlocked_response;
        }
    }
    return request;
}

/// Sets the links' `push` to the velocities for which the rows have asked, and adds it to their velocities. Limits its
/// energy: nearly redundant rows ask for long displacements, on which an articulation that is far from closed would
/// move the wrong way.
void add_push(Articulations& s, Articulation& a, const PushRequest& request) {
    const bool softer = request.crooked > settings::joint_crooked;
    if (request.more) a.factored = JointPass::none;
    if (softer) set_slack(s, a, std::max(a.slack, request.crooked));
    solve_free_rows(s, a, JointPass::solve);
    if (softer) set_slack(s, a, a.slack);
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const double* const v = s.velocity_of(l);
        s.links[l].push = linear_part(v);
        s.links[l].push_angular = angular_part(v);
    }
    apply_changes(s, a);
    double energy = 0.0, mass = 0.0;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = s.links[l];
        const double* const v = s.velocity_of(l);
        link.push = linear_part(v) - link.push;
        link.push_angular = angular_part(v) - link.push_angular;
        if (!link.dynamic) continue;
        mass += link.mass;
        energy += kinetic_energy(link, link.push, link.push_angular);
    }
    const double quiet = settings::joint_quiet_push;
    const double most = settings::joint_push_gain * request.allowed + 0.5 * mass * quiet * quiet;
    const double part = energy <= most                                ? 1.0
                        : energy < std::numeric_limits<double>::max() ? std::sqrt(most / energy)
                                                                      : 0.0;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count && part < 1.0; ++l) {
        Link& link = s.links[l];
        const dvec3 push = part > 0.0 ? part * link.push : dvec3(0.0);
        const dvec3 push_angular = part > 0.0 ? part * link.push_angular : dvec3(0.0);
        double* const v = s.velocity_of(l);
        for (int k = 0; k < 3; ++k) {
            v[k] += push[k] - link.push[k];
            v[k + 4] += push_angular[k] - link.push_angular[k];
        }
        link.push = push;
        link.push_angular = push_angular;
    }
    a.pushed = true;
}

}  // namespace

double begin_bending(Articulations& s, Articulation& a) {
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const double* const v = s.velocity_of(l);
        s.links[l].bend = linear_part(v);
        s.links[l].bend_angular = angular_part(v);
    }
    return kinetic_energy(s, a);
}

void end_bending(Articulations& s, Articulation& a) {
    a.bent = true;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const double* const v = s.velocity_of(l);
        s.links[l].bend = linear_part(v) - s.links[l].bend;
        s.links[l].bend_angular = angular_part(v) - s.links[l].bend_angular;
    }
}

void soften_pulled_joints(Articulations& s, Articulation& a) {
    double pulled = 0.0, open = 0.0;  // as angles, rad
    for (const SolverJoint& joint : s.joints_of(a)) {
        const double lever = longest_lever(joint);
        for (std::uint32_t side = 0; side < joint.side_count; ++side) {
            const Link& link = s.links[joint.link[side]];
            if (link.dynamic || link.solver == 0) continue;
            const double* const v = s.velocity_of(joint.link[side]);
            const double moved = s.substep * (glm::length(linear_part(v)) + lever * glm::length(angular_part(v)));
            pulled = std::max(pulled, moved / std::max(lever, moved));
        }
        for (const JointRow& row : s.rows_of(joint)) {
            if (row.push == 0.0) continue;
            const double error = std::abs(row.position);
            open = std::max(open, is_angular(s, joint, row) ? error : error / std::max(lever, error));
        }
    }
    a.slack = settings::joint_slack_looped;
    if (open > settings::joint_crooked && pulled > a.slack) set_slack(s, a, a.slack = pulled);
}

void push_positions(Articulations& s, Articulation& a) {
    const double farthest = farthest_push(s, a);
    if (farthest < settings::joint_least_push) return;
    if (a.bounded) s.kernel->speeds(s.rows_input(a, s.residuals));
    const PushRequest request = request_push(s, a, farthest);
    if (request.allowed > 0.0) add_push(s, a, request);
    if (!request.more) return;
    a.factored = JointPass::none;
    for (JointRow& row : s.rows_of(a)) row.free = row.free && !row.clamped;
}

}  // namespace talus
