#include "engine/stiff_groups/stiff_groups.h"

#include "engine/joint_solver/joint_solver.h"
#include "engine/settings.h"
#include "engine/stiff_groups/group_newton.h"
#include "engine/stiff_groups/group_rows.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Whether all impulses and velocities fit into floats. Groups with masses for which they do not are left to the
/// contact solver.
bool is_finite(const StiffGroup& group) {
    constexpr double most = 1e37;
    double largest = 0.0;
    bool finite = true;
    const auto look = [&](double x) {
        finite = finite && x - x == 0.0;
        largest = std::max(largest, std::abs(x));
    };
    for (const GroupContact& c : group.contacts) {
        for (int r = 0; r < most_group_rows; ++r) {
            if (has_row(c, r)) look(c.impulse[r]);
        }
    }
    for (const GroupJointRow& r : group.joint_rows) look(r.impulse);
    for (const Vector6& v : group.found) {
        for (const double x : v) look(x);
    }
    return finite && largest < most;
}

/// Returns whether the found impulses explain the found velocities, except for a small part of the group's energy. They
/// do not if the search for the active rows has not converged, for example in an impact on pebbles between a ton and
/// the floor.
bool is_explained(StiffGroup& group) {
    group.residual = group.momentum;
    for (const GroupContact& c : group.contacts) {
        for (int r = 0; r < most_group_rows; ++r) {
            if (has_row(c, r)) push(c, group.residual, r, c.impulse[r]);
        }
    }
    for (const GroupJointRow& r : group.joint_rows) push(r, group.residual, r.impulse);
    double before = 0.0, now = 0.0, unexplained = 0.0;
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
        const GroupBody& body = group.bodies[i];
        const Vector6 momentum = momentum_of(body, group.found[i]);
        for (int k = 0; k < 6; ++k) group.residual[i][k] -= momentum[k];
        before += dot6(velocity_of(body, group.momentum[i]).data(), group.momentum[i].data());
        now += dot6(group.found[i].data(), momentum.data());
        unexplained += dot6(velocity_of(body, group.residual[i]).data(), group.residual[i].data());
    }
    return unexplained <= settings::stiff_unexplained * std::max(before, now);
}

/// Returns whether the found velocities can be a solution. With the velocities u that the bodies have without the rows
/// (but with the constant impulses), a solution is where
///
///     (v - u)^T M (v - u) / 2  +  the sum of w (J v + bias - p / w)^2 / 2, or less, over the rows
///
/// is least. So the first term is at most the sum at u. If it is more, or negative, rounding has spoiled the solution:
/// doubles do not hold a matrix of masses that are too far apart.
bool is_solution(StiffGroup& group) {
    group.residual = group.momentum;
    for (const GroupJointRow& r : group.joint_rows) {
        if (r.weight == 0.0) push(r, group.residual, r.impulse);
    }
    double energy = 0.0, rounding = 0.0, most = 0.0;
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
        const GroupBody& body = group.bodies[i];
        const Vector6 momentum = group.residual[i];
        Vector6& velocity = group.residual[i];
        velocity = velocity_of(body, momentum);
        Vector6 change;
        for (int k = 0; k < 6; ++k) change[k] = group.found[i][k] - velocity[k];
        energy += dot6(change.data(), momentum_of(body, change).data());
        rounding += 1e-6 * dot6(velocity.data(), momentum.data());
    }
    const auto add = [&](double weight, double distance) { most += weight * distance * distance; };
    for (const GroupContact& c : group.contacts) {
        for (int r = 0; r < (c.lane.special ? tangent_rows : most_group_rows); ++r) {
            const double weight = r == twist_row ? c.twist_weight : c.weight;
            if (!has_row(c, r) || !(weight > 0.0)) continue;
            const double speed = speed_of(c.rows[r], c.a, c.b, c.outside[r], group.residual);
            add(weight, speed + (r < tangent_rows ? c.bias[r] : 0.0) - c.before[r] / weight);
        }
    }
    for (const GroupJointRow& r : group.joint_rows) {
        if (r.weight > 0.0) add(r.weight, speed_of(r.row, r.a, r.b, r.bias, group.residual));
    }
    return energy >= -rounding && energy <= 1.01 * most + rounding;
}

/// Restores the velocities of bodies on which no impulse acts. The error that the search leaves is small for the group,
/// but can be large for its lightest body.
void leave_unpushed(StiffGroup& group) {
    group.pushed.assign(group.bodies.size(), 0);
    const auto note = [&](std::uint32_t a, std::uint32_t b) {
        if (a != null_index) group.pushed[a] = 1;
        if (b != null_index) group.pushed[b] = 1;
    };
    for (const GroupContact& c : group.contacts) {
        for (int r = 0; r < most_group_rows; ++r) {
            if (has_row(c, r) && c.impulse[r] != 0.0) note(c.a, c.b);
        }
    }
    for (const GroupJointRow& r : group.joint_rows) note(r.a, r.b);
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
        if (group.pushed[i] == 0) group.found[i] = velocity_of(group.bodies[i], group.momentum[i]);
    }
}

/// Sets the impulse of each joint row beyond its bounds to the bound, as a constant. Returns whether there was any:
/// then the other rows must be solved again. Nearly redundant rows may have large opposite impulses. Taking the excess
/// of one of them from its two bodies alone, without a new solve, threw a hull of 1 kg away at 4,000 m/s.
bool bound_joints(StiffGroup& group) {
    bool any = false;
    for (std::size_t i = 0; i < group.joint_rows.size(); ++i) {
        GroupJointRow& r = group.joint_rows[i];
        const double bounded = std::clamp(r.impulse, group.body_rows[i].low, group.body_rows[i].high);
        if (r.weight == 0.0 || bounded == r.impulse) continue;
        r.impulse = bounded;
        r.weight = 0.0;
        any = true;
    }
    if (any) group.now().valid = false;
    return any;
}

/// Whether the normal impulses have changed so much that this is an impact, for which one proximal step is not enough.
bool is_impact(const StiffGroup& group) {
    double change = 0.0, sum = 0.0;
    for (const GroupContact& c : group.contacts) {
        for (int p = 0; p < c.lane.count; ++p) {
            if (!has_row(c, p)) continue;
            change += std::abs(c.impulse[p] - c.before[p]);
            sum += c.impulse[p];
        }
    }
    return change > settings::stiff_blow * sum;
}

/// Gives the impulses of the joint rows to the joint solver, which continues from them.
void hand_over(const StiffGroup& group, JointSolver& joints) {
    for (std::size_t i = 0; i < group.joint_rows.size(); ++i) {
        if (!group.body_rows[i].given) joints.take_impulse(group.body_rows[i], group.joint_rows[i].impulse);
    }
}

/// Writes impulses to the lanes and velocities to the bodies.
void write_back(const StiffGroup& group, std::span<SolverBody> bodies) {
    for (const GroupContact& c : group.contacts) {
        const ContactLane& l = c.lane;
        for (int p = 0; p < l.count; ++p) {
            if (has_row(c, p)) *l.points[p].impulse = static_cast<float>(c.impulse[p]);
        }
        *l.friction_1 = static_cast<float>(c.impulse[tangent_rows]);
        *l.friction_2 = static_cast<float>(c.impulse[tangent_rows + 1]);
        *l.twist = static_cast<float>(c.impulse[twist_row]);
    }
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
        SolverBody& body = bodies[group.bodies[i].solver];
        for (int k = 0; k < 3; ++k) {
            body.velocity[k] = static_cast<float>(group.found[i][k]);
            body.angular_velocity[k] = static_cast<float>(group.found[i][3 + k]);
        }
    }
}

}  // namespace

void StiffGroups::prepare(ContactSolver& solver, std::span<const SolverMass> masses, const BodyMotions& motions,
                          float substep, std::span<const ConstraintGraph::Edge> edges, std::uint32_t first,
                          std::uint32_t last) {
    for (std::uint32_t g = first; g < last; ++g)
        prepare_contact_rows(groups_[g], solver, masses, motions, substep, edges);
}

void StiffGroups::prepare_joints(JointSolver& joints) {
    bool any = false;
    for (std::uint32_t g = 0; g < count_; ++g) {
        StiffGroup& group = groups_[g];
        group.articulations.clear();
        group.mass = 0.0;
        for (std::uint32_t i = 0; i < group.bodies.size(); ++i) {
            const GroupBody& body = group.bodies[i];
            group.mass += body.mass;
            const std::uint32_t articulation = joints.articulation_of(body.solver);
            if (articulation == null_index) continue;
            if (position_.size() <= body.solver) position_.resize(body.solver + 1);
            position_[body.solver] = i;
            group.articulations.push_back(articulation);
            any = true;
        }
        std::sort(group.articulations.begin(), group.articulations.end());
        const auto end = std::unique(group.articulations.begin(), group.articulations.end());
        group.articulations.erase(end, group.articulations.end());
    }
    if (any) joints.prepare_taking();
}

void StiffGroups::solve(Pass pass, std::span<SolverBody> bodies, JointSolver& joints, std::uint32_t first,
                        std::uint32_t last) {
    for (std::uint32_t g = first; g < last; ++g) {
        StiffGroup& group = groups_[g];
        solve(pass, bodies, joints, group);
        if (pass != GroupPass::relax) continue;  // the joints come next
        for (const std::uint32_t articulation : group.articulations) joints.relax_again(articulation);
    }
}

void StiffGroups::solve(Pass pass, std::span<SolverBody> bodies, JointSolver& joints, StiffGroup& group) {
    if (group.refused) return;
    group.pass = pass == GroupPass::soft ? 0 : 1;
    if (!group.has_set[0]) {
        for (GroupContact& c : group.contacts) c.active = 0;
    } else if (group.has_set[group.pass]) {
        for (GroupContact& c : group.contacts) c.active = c.kept[group.pass];
    }
    if (!group.articulations.empty()) read_joint_rows(group, pass, joints, position_);
    read_lanes(group, pass, bodies);
    group.has_set[0] = group.has_set[group.pass] = true;
    // The momenta without the impulses of this sub-step.
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
        const GroupBody& body = group.bodies[i];
        group.momentum[i] = momentum_of(body, load_velocity(bodies[body.solver]));
    }
    for (const GroupContact& c : group.contacts) {
        for (int r = 0; r < most_group_rows; ++r) {
            if (has_row(c, r)) push(c, group.momentum, r, -c.now[r]);
        }
    }
    bool solved = false;
    for (int k = 0; k < settings::stiff_bound_rounds && !solved && !is_spent(group); ++k) {
        find_impulses(group, bodies);
        solved = !bound_joints(group);
    }
    solved = solved && is_solution(group);
    // One proximal step does not find the impulses of an impact.
    for (int k = 0;
         pass == GroupPass::relax && solved && k < settings::stiff_blow_rounds && !is_spent(group) && is_impact(group);
         ++k) {
        for (GroupContact& c : group.contacts) std::copy(c.impulse, c.impulse + most_group_rows, c.before);
        find_impulses(group, bodies);
        solved = !bound_joints(group) && is_solution(group);
    }
    for (GroupContact& c : group.contacts) c.kept[group.pass] = c.active;
    if (!is_finite(group)) return;
    // A search that was stopped by the limit of work has not converged either.
    if (!solved || is_spent(group) || !is_explained(group)) {
        // If such impulses were written back, the next pass would remove them, which would add energy. So the contact
        // solver starts with none.
        for (std::size_t i = 0; i < group.bodies.size(); ++i)
            group.found[i] = velocity_of(group.bodies[i], group.momentum[i]);
        for (GroupContact& c : group.contacts) std::fill(c.impulse, c.impulse + most_group_rows, 0.0);
        for (GroupJointRow& r : group.joint_rows) r.impulse = 0.0;
    }
    leave_unpushed(group);
    write_back(group, bodies);
    if (!group.joint_rows.empty()) hand_over(group, joints);
}

bool StiffGroups::fit(std::size_t slots) const {
    for (const StiffGroup& group : groups_) {
        for (const std::uint32_t slot : group.island) {
            if (slot >= slots) return false;
        }
    }
    return true;
}

std::size_t StiffGroups::bytes() const {
    const auto size_of = [](const auto& vector) { return vector.capacity() * sizeof(vector[0]); };
    std::size_t sum = size_of(groups_) + size_of(position_) + search_.bytes();
    for (const StiffGroup& g : groups_) {
        sum += size_of(g.candidates) + size_of(g.contacts) + size_of(g.bodies) + size_of(g.joint_edges) +
               size_of(g.articulations) + size_of(g.body_rows) + size_of(g.joint_rows) + size_of(g.pairs) +
               size_of(g.pairs_before) + size_of(g.order) + size_of(g.position) + size_of(g.columns) + size_of(g.rows) +
               size_of(g.targets) + size_of(g.momentum) + size_of(g.found) + size_of(g.step) + size_of(g.residual) +
               size_of(g.pushed) + size_of(g.island);
        for (const GroupFactors& factors : g.factors) sum += size_of(factors.diagonal) + size_of(factors.below);
    }
    return sum;
}

}  // namespace talus
