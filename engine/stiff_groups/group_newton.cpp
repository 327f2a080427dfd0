#include "engine/stiff_groups/group_newton.h"

#include "engine/settings.h"
#include "engine/stiff_groups/group_matrix.h"
#include "engine/stiff_groups/group_rows.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Sets the impulses of the joint rows at these velocities.
void update_joints(StiffGroup& group, const std::vector<Vector6>& velocities) {
    for (GroupJointRow& r : group.joint_rows) {
        if (r.weight == 0.0) continue;  // the impulse is constant
        r.speed = speed_of(r.row, r.a, r.b, r.bias, velocities);
        r.impulse = -r.weight * r.speed;
    }
}

}  // namespace

GroupFriction friction_at(const GroupContact& c, double part) {
    GroupFriction f;
    for (int t = 0; t < 3; ++t) {
        const int r = tangent_rows + t;
        f.wanted[t] = c.before[r] - (r == twist_row ? c.twist_weight : c.weight) * (c.speed[r] + part * c.step[r]);
    }
    const bool shares = c.shared_arm > 0.0;
    const double twisting = shares ? f.wanted[2] / c.shared_arm : 0.0;
    f.size = std::sqrt(f.wanted[0] * f.wanted[0] + f.wanted[1] * f.wanted[1] + twisting * twisting);
    const double scale = f.size <= c.limit ? 1.0 : c.limit / f.size;
    for (int t = 0; t < 3; ++t) f.impulse[t] = scale * f.wanted[t];
    if (!shares) f.impulse[2] = std::clamp(f.wanted[2], -c.twist_limit, c.twist_limit);
    return f;
}

namespace {

/// Sets the wanted impulses and the wanted active rows at these velocities. Returns whether these rows differ from the
/// active ones by more than the tolerance. If `with_limits`, the friction limits follow the new normal impulses;
/// otherwise they stay.
bool update(GroupContact& c, const std::vector<Vector6>& velocities, bool with_limits) {
    const ContactLane& l = c.lane;
    const double near = c.weight * settings::stiff_tolerance;
    std::uint8_t active = 0;
    bool changed = false;
    const auto decide = [&](int row, int mask, double inside, double tolerance) {
        const bool was = (c.active >> row & 1) != 0, is = inside > 0.0;
        if (is) active |= static_cast<std::uint8_t>(mask << row);
        changed = changed || (was != is && std::abs(inside) > tolerance);
    };
    for (int r = 0; r < most_group_rows; ++r) {
        if (has_row(c, r)) c.speed[r] = speed_of(c.rows[r], c.a, c.b, c.outside[r], velocities);
    }
    double normal = 0.0, twisting = 0.0;
    for (int p = 0; p < l.count; ++p) {
        if (!has_row(c, p)) continue;
        const double wanted = c.before[p] - c.weight * (c.speed[p] + c.bias[p]);
        c.impulse[p] = std::max(wanted, 0.0);
        decide(p, 1, wanted, near);
        normal += c.impulse[p];
        twisting += c.impulse[p] * l.points[p].arm;
    }
    if (!l.special) {
        if (with_limits) c.limit = l.friction * normal, c.twist_limit = l.friction * twisting;
        const GroupFriction f = friction_at(c, 0.0);
        const bool shares = c.shared_arm > 0.0;
        const double near_twist = c.twist_weight * settings::stiff_tolerance;
        decide(tangent_rows, shares ? 7 : 3, c.limit - f.size, near);
        if (!shares) decide(twist_row, 1, c.twist_limit - std::abs(f.wanted[2]), near_twist);
        for (int t = 0; t < 3; ++t) {
            double& impulse = c.impulse[tangent_rows + t];
            const bool slides = f.impulse[t] != f.wanted[t];
            const double least = t < 2 ? 1e-3 * c.limit + near : 1e-3 * c.twist_limit + near_twist;
            changed = changed || (slides && std::abs(f.impulse[t] - impulse) > least);
            impulse = f.impulse[t];
        }
    }
    c.wanted = active;
    return changed;
}

/// Returns the contact's part of the slope of the merit function along a Newton step, at this fraction of the step. The
/// friction limits are those at its start.
double slope(const GroupContact& c, double part) {
    const ContactLane& l = c.lane;
    double sum = 0.0;
    for (int p = 0; p < l.count; ++p) {
        if (!has_row(c, p)) continue;
        const double wanted = c.before[p] - c.weight * (c.speed[p] + part * c.step[p] + c.bias[p]);
        sum -= std::max(wanted, 0.0) * c.step[p];
    }
    if (l.special) return sum;
    const GroupFriction f = friction_at(c, part);
    for (int t = 0; t < 3; ++t) sum -= f.impulse[t] * c.step[tangent_rows + t];
    return sum;
}

struct NewtonStep {
    double bodies_slope = 0.0,
           curve = 0.0;        ///< of the merit function without contacts: slope at the start, and change of slope
    double most_energy = 0.0;  ///< of a body over its mass, (m/s)^2
};

/// Finds the Newton step from the found velocities: `group.step`, and the `step` of each row. Sets `residual` to
/// M (v0 - v).
NewtonStep find_step(StiffGroup& group) {
    NewtonStep result;
    group.step = group.momentum;
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
        const Vector6 m = momentum_of(group.bodies[i], group.found[i]);
        for (int k = 0; k < 6; ++k) group.step[i][k] -= m[k];
    }
    group.residual = group.step;
    bool sliding = false;
    for (const GroupContact& c : group.contacts) {
        for (int r = 0; r < most_group_rows; ++r) {
            if (has_row(c, r)) push(c, group.step, r, c.impulse[r]);
        }
        sliding = sliding || (!c.lane.special && (c.active >> tangent_rows & 1) == 0 && c.limit > 0.0);
    }
    for (const GroupJointRow& r : group.joint_rows) push(r, group.step, r.impulse);
    bool refactor = !group.now().valid || sliding;
    for (const GroupContact& c : group.contacts) refactor = refactor || c.active != c.factored[group.pass];
    if (refactor) factor(group, sliding);
    substitute(group, group.step);
    group.work += group.rows.size() / 3 + 2 * group.contacts.size();
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
        const Vector6 m = momentum_of(group.bodies[i], group.step[i]);
        const double energy = dot6(m.data(), group.step[i].data());
        result.most_energy = std::max(result.most_energy, energy / group.bodies[i].mass);
        result.bodies_slope -= dot6(group.residual[i].data(), group.step[i].data());
        result.curve += energy;
    }
    for (GroupContact& c : group.contacts) {
        for (int r = 0; r < most_group_rows; ++r) {
            if (has_row(c, r)) c.step[r] = speed_of(c.rows[r], c.a, c.b, 0.0, group.step);
        }
    }
    double joints_curve = 0.0;
    for (GroupJointRow& r : group.joint_rows) {
        r.step = speed_of(r.row, r.a, r.b, 0.0, group.step);
        result.bodies_slope -= r.impulse * r.step;
        joints_curve += r.weight * r.step * r.step;
    }
    result.curve += joints_curve;
    return result;
}

/// Returns the slope of the merit function along the step, at this fraction of it.
double slope_at(StiffGroup& group, const NewtonStep& step, double part) {
    double sum = step.bodies_slope + part * step.curve;
    group.work += group.contacts.size() / 2;
    for (const GroupContact& c : group.contacts) sum += slope(c, part);
    return sum;
}

/// Returns the fraction of the step at which the merit function is approximately least: 1, unless its slope is positive
/// there.
double find_part(StiffGroup& group, const NewtonStep& step, double begin_slope) {
    if (!(begin_slope < 0.0 && slope_at(group, step, 1.0) > -0.1 * begin_slope)) return 1.0;
    double part = 1.0, low = 0.0, high = 1.0;
    for (int i = 0; i < 20; ++i) {
        part = 0.5 * (low + high);
        const double s = slope_at(group, step, part);
        if (std::abs(s) < -0.1 * begin_slope) break;
        (s < 0.0 ? low : high) = part;
    }
    return part;
}

/// Updates all contacts at the found velocities. Returns whether the active rows of one have changed.
bool update_contacts(StiffGroup& group, bool with_limits) {
    bool changed = false;
    for (GroupContact& c : group.contacts) {
        if (update(c, group.found, with_limits)) changed = true;
        c.active = c.wanted;
    }
    return changed;
}

/// Newton's method on
///
///     F(v) = M (v - v0) - J^T p(v) = 0
///
/// from the velocities in `found`, where p are the impulses that the rows want. While the friction limits are constant,
/// F is the gradient of a convex function, the merit function. Each step goes to the function's least value along it.
/// The method has converged when a full step changes no row. Returns false if it does not converge.
bool converge(StiffGroup& group, int rounds, bool with_limits) {
    double first_slope = 0.0;
    for (int round = 0; round < rounds; ++round) {
        if (is_spent(group)) return false;
        const NewtonStep step = find_step(group);
        const double begin_slope = slope_at(group, step, 0.0);
        if (round == 0) first_slope = begin_slope;
        if (with_limits && begin_slope < 4.0 * first_slope) return false;
        const double part = find_part(group, step, begin_slope);
        for (std::size_t i = 0; i < group.bodies.size(); ++i) {
            for (int k = 0; k < 6; ++k) group.found[i][k] += part * group.step[i][k];
        }
        update_joints(group, group.found);
        const bool changed = update_contacts(group, with_limits);
        if (!changed && part == 1.0) return true;
        if (step.most_energy < settings::stiff_speed * settings::stiff_speed) return true;
    }
    return false;
}

/// Runs the method again from the present velocities, with friction limits that are constant for several rounds.
void converge_from_now(StiffGroup& group, std::span<const SolverBody> bodies) {
    for (std::size_t i = 0; i < group.bodies.size(); ++i)
        group.found[i] = load_velocity(bodies[group.bodies[i].solver]);
    update_joints(group, group.found);
    for (GroupContact& c : group.contacts) {
        const ContactLane& l = c.lane;
        c.limit = c.twist_limit = 0.0;
        for (int p = 0; p < l.count; ++p) {
            c.limit += l.friction * c.now[p];
            c.twist_limit += l.friction * c.now[p] * l.points[p].arm;
        }
        update(c, group.found, false);
        c.active = c.wanted;
    }
    for (int k = 0; k < settings::stiff_limit_rounds; ++k) {
        converge(group, settings::stiff_rounds, false);
        if (!update_contacts(group, true)) return;
    }
}

}  // namespace

void find_impulses(StiffGroup& group, std::span<const SolverBody> bodies) {
    // The first try uses the rows that were active last, which at rest are the correct ones.
    bool refactor = !group.now().valid;
    for (const GroupContact& c : group.contacts) refactor = refactor || c.active != c.factored[group.pass];
    if (refactor) factor(group, false);
    group.work += group.rows.size() / 3;
    group.found = group.momentum;
    for (const GroupContact& c : group.contacts) {
        for (int r = 0; r < most_group_rows; ++r) {
            if (!has_row(c, r)) continue;
            if ((c.active >> r & 1) == 0) {
                if (r >= tangent_rows) push(c, group.found, r, c.impulse[r]);
                continue;
            }
            const double weight = r == twist_row ? c.twist_weight : c.weight;
            const double bias = c.outside[r] + (r < tangent_rows ? c.bias[r] : 0.0);
            push(c, group.found, r, c.before[r] - weight * bias);
        }
    }
    for (const GroupJointRow& r : group.joint_rows)
        push(r, group.found, r.weight > 0.0 ? -r.weight * r.bias : r.impulse);
    substitute(group, group.found);
    update_joints(group, group.found);
    bool changed = false;
    for (GroupContact& c : group.contacts) {
        if (update(c, group.found, true)) changed = true;
    }
    if (changed) {
        for (GroupContact& c : group.contacts) c.active = c.wanted;
    }
    if (changed && !converge(group, settings::stiff_rounds, true)) converge_from_now(group, bodies);
}

}  // namespace talus
