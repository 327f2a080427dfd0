#include "engine/stiff_groups/group_rows.h"

#include "engine/joint_solver/joint_solver.h"
#include "engine/settings.h"
#include "engine/stiff_groups/elimination_order.h"

#include <algorithm>

namespace talus {

namespace {

Vector6 load_motion(const SolverBody& b) {
    return {b.displacement[0], b.displacement[1], b.displacement[2], b.turn[0], b.turn[1], b.turn[2]};
}

/// Reads a body's mass and inertia. A locked axis has an inverse mass or inertia of 0. Rows have no part along it
/// (mask_row), so no impulse acts there: any mass is correct, and the system stays regular. A body that may rotate
/// about some axes only has the inertia about these. (The inverse of `mass.inverse_inertia`, which is in float, is not
/// positive definite if the moments differ by more than 1e7, and then impulses grow from 1e12 to 1e34 N s in a step.)
void read_mass(GroupBody& body, const SolverMass& mass, const BodyMotions& motions) {
    body.locked = 0;
    double largest = 0.0, most = 0.0;
    for (int k = 0; k < 3; ++k) {
        largest = std::max(largest, static_cast<double>(mass.inverse_mass[k]));
        most = std::max(most, static_cast<double>(mass.inverse_inertia[k]));
    }
    if (largest > 0.0) body.mass = 1.0 / largest;  // a body that may only rotate keeps its mass
    if (!(most > 0.0)) most = 1.0 / body.mass;
    dmat3 inertia = motions.solver_inertia(body.solver, false);
    bool turn_locked = false;
    for (int k = 0; k < 3; ++k) {
        if (!(mass.inverse_mass[k] > 0.0f)) body.locked |= static_cast<std::uint8_t>(1 << k);
        if (mass.inverse_inertia[k] > 0.0f) continue;
        body.locked |= static_cast<std::uint8_t>(8 << k);
        turn_locked = true;
        for (int i = 0; i < 3; ++i) inertia[i][k] = inertia[k][i] = 0.0;
        inertia[k][k] = 1.0 / most;
    }
    const dmat3 inverse = turn_locked ? glm::inverse(inertia) : motions.inverse_solver_inertia(body.solver);
    for (int i = 0; i < 9; ++i) {
        body.inertia[i] = inertia[i / 3][i % 3];
        body.inverse_inertia[i] = inverse[i / 3][i % 3];
    }
}

/// Clears the components of a row along and about the locked axes of its bodies.
void mask_row(const StiffGroup& group, std::uint32_t a, std::uint32_t b, double* row) {
    const unsigned locked_a = a != null_index ? group.bodies[a].locked : 0u,
                   locked_b = b != null_index ? group.bodies[b].locked : 0u;
    if ((locked_a | locked_b) == 0) return;
    for (int i = 0; i < 6; ++i) {
        if ((locked_a >> i & 1u) != 0) row[i] = 0.0;
        if ((locked_b >> i & 1u) != 0) row[6 + i] = 0.0;
    }
}

/// Sets the Jacobians and weights of a contact whose lane has been read.
void read_rows(const StiffGroup& group, GroupContact& c) {
    const ContactLane& l = c.lane;
    const auto put = [&](int row, const dvec3& linear, const dvec3& angular_a, const dvec3& angular_b) {
        for (int i = 0; i < 3; ++i) {
            c.rows[row][i] = -linear[i];
            c.rows[row][3 + i] = -angular_a[i];
            c.rows[row][6 + i] = linear[i];
            c.rows[row][9 + i] = angular_b[i];
        }
        mask_row(group, c.a, c.b, c.rows[row]);
    };
    double arm = 0.0, points = 0.0;
    for (int p = 0; p < l.count; ++p) {
        put(p, l.normal, l.points[p].angular_a, l.points[p].angular_b);
        if (!has_row(c, p)) continue;  // another lane of the record has more points
        arm += l.points[p].arm;
        points += 1.0;
    }
    arm /= std::max(points, 1.0);
    const dvec3 across[2] = {l.tangent, glm::cross(l.normal, l.tangent)};
    for (int t = 0; t < 2; ++t)
        put(tangent_rows + t, across[t], glm::cross(l.center_a, across[t]), glm::cross(l.center_b, across[t]));
    put(twist_row, dvec3(0.0), l.normal, l.normal);
    c.weight = static_cast<double>(settings::stiff_weight) * c.borne;
    c.twist_weight = c.weight * arm * arm;
    c.shared_arm = points == 1.0 ? arm : 0.0;
    for (int r = 0; r < most_group_rows; ++r) c.before[r] = c.step[r] = 0.0;
}

}  // namespace

void prepare_contact_rows(StiffGroup& group, ContactSolver& solver, std::span<const SolverMass> masses,
                          const BodyMotions& motions, float substep, std::span<const ConstraintGraph::Edge> edges) {
    group.inverse_substep = 1.0 / static_cast<double>(substep);
    group.has_set[0] = group.has_set[1] = false;
    group.factors[0].valid = group.factors[1].valid = false;
    group.work = 0;
    group.refused = false;
    group.articulations.clear();
    group.joint_rows.clear();
    for (GroupBody& body : group.bodies) {
        read_mass(body, masses[body.solver], motions);
        const vec3 moments = motions.moments(body.solver);
        const float least = std::min({moments.x, moments.y, moments.z}),
                    most = std::max({moments.x, moments.y, moments.z});
        if (least < settings::stiff_least_moment * most) group.refused = true;
    }
    for (GroupContact& c : group.contacts) {
        c.lane = solver.read_link(edges[c.edge].link);
        read_rows(group, c);
    }
}

void read_joint_rows(StiffGroup& group, GroupPass pass, JointSolver& joints, std::span<const std::uint32_t> positions) {
    group.body_rows.clear();
    group.joint_rows.clear();
    for (const std::uint32_t a : group.articulations) joints.read_rows(a, pass == GroupPass::relax, group.body_rows);
    for (const BodyRow& row : group.body_rows) {
        GroupJointRow r;
        r.a = row.a != 0 ? positions[row.a] : null_index;
        r.b = row.b != 0 ? positions[row.b] : null_index;
        r.block = r.a != null_index && r.b != null_index ? block_of(group, std::max(r.a, r.b), std::min(r.a, r.b))
                                                         : null_index;
        std::copy(row.jacobian, row.jacobian + 12, r.row);
        mask_row(group, r.a, r.b, r.row);
        const double rigid = row.response / (static_cast<double>(settings::stiff_joint_weight) * group.mass *
                                             std::max(row.inverse_mass, 1.0 / group.mass));
        r.weight = row.given ? 0.0 : 1.0 / (row.softness + rigid);
        r.bias = row.given ? 0.0 : row.bias;
        r.impulse = row.given_impulse;
        r.speed = r.step = 0.0;
        group.joint_rows.push_back(r);
    }
    if (!group.joint_rows.empty()) group.now().valid = false;
}

void read_lanes(StiffGroup& group, GroupPass pass, std::span<const SolverBody> bodies) {
    const double max_push = -static_cast<double>(settings::max_push_speed);
    const bool guess = !group.has_set[0];
    for (GroupContact& c : group.contacts) {
        const ContactLane& l = c.lane;
        const SolverBody &a = bodies[l.reads_a], &b = bodies[l.reads_b];
        const Vector6 moved_a = load_motion(a), moved_b = load_motion(b);
        Vector6 va{}, vb{};
        const bool outside = c.a == null_index || c.b == null_index;
        // The first guess: the rows that pushed at the end of the last step; in a new contact, all that touch.
        bool borne = false;
        for (int p = 0; guess && p < l.count; ++p)
            borne = borne || (l.points[p].mass > 0.0 && *l.points[p].impulse > 0.0f);
        if (c.a == null_index) va = load_velocity(a);
        if (c.b == null_index) vb = load_velocity(b);
        for (int r = 0; r < most_group_rows; ++r)
            c.outside[r] = outside ? dot6(c.rows[r], va.data()) + dot6(c.rows[r] + 6, vb.data()) : 0.0;
        for (int p = 0; p < l.count; ++p) {
            const double s =
                l.points[p].separation + dot6(c.rows[p], moved_a.data()) + dot6(c.rows[p] + 6, moved_b.data());
            c.bias[p] = s > 0.0                    ? s * group.inverse_substep
                        : pass == GroupPass::relax ? 0.0
                                                   : std::max(l.bias_rate * std::min(s + l.slop, 0.0), max_push);
            c.now[p] = static_cast<double>(*l.points[p].impulse);
            if (guess && l.points[p].mass > 0.0 && (borne ? c.now[p] > 0.0 : s <= l.slop))
                c.active |= static_cast<std::uint8_t>(1 << p);
        }
        c.now[tangent_rows] = static_cast<double>(*l.friction_1);
        c.now[tangent_rows + 1] = static_cast<double>(*l.friction_2);
        c.now[twist_row] = static_cast<double>(*l.twist);
        if (pass == GroupPass::soft) {
            for (int p = 0; p < most_group_rows; ++p) c.before[p] = c.now[p];
        }
        // Without a normal impulse there is no friction, and the search must not start with the friction of the last
        // step.
        double normal = 0.0;
        for (int p = 0; p < l.count; ++p) normal += c.now[p];
        for (int r = 0; r < most_group_rows; ++r) c.impulse[r] = r < tangent_rows || normal > 0.0 ? c.now[r] : 0.0;
        if (guess && !l.special && c.active != 0) c.active |= 7 << tangent_rows;
    }
}

}  // namespace talus
