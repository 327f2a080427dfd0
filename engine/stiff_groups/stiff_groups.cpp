#include "engine/stiff_groups/stiff_groups.h"

#include "engine/bodies/body_store.h"
#include "engine/joint_solver/joint_solver.h"
#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Lower triangular c with c c^T = a, both 6 x 6 row by row. A pivot that rounding has eaten is replaced by its least
/// sensible size, which holds that direction fast.
void cholesky(std::array<double, 36>& a) {
    for (int k = 0; k < 6; ++k) {
        const double was = a[7 * k];
        double pivot = was;
        for (int i = 0; i < k; ++i) pivot -= a[6 * k + i] * a[6 * k + i];
        const double root = std::sqrt(std::max(pivot, 1e-14 * was));
        a[7 * k] = root;
        const double inverse = 1.0 / root;
        for (int r = k + 1; r < 6; ++r) {
            double sum = a[6 * r + k];
            for (int i = 0; i < k; ++i) sum -= a[6 * r + i] * a[6 * k + i];
            a[6 * r + k] = sum * inverse;
        }
    }
}

/// Rows of x become those of x c^-T.
void divide(std::array<double, 36>& x, const std::array<double, 36>& c) {
    for (int k = 0; k < 6; ++k) {
        const double inverse = 1.0 / c[7 * k];
        for (int r = 0; r < 6; ++r) {
            double sum = x[6 * r + k];
            for (int i = 0; i < k; ++i) sum -= x[6 * r + i] * c[6 * k + i];
            x[6 * r + k] = sum * inverse;
        }
    }
}

std::array<double, 36> transposed(const std::array<double, 36>& m) {
    std::array<double, 36> t;
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) t[6 * i + j] = m[6 * j + i];
    }
    return t;
}

/// x -= l t
void subtract_product(std::array<double, 36>& x, const std::array<double, 36>& l, const std::array<double, 36>& t) {
    using Two = double __attribute__((vector_size(16), aligned(8), may_alias));
    const auto two = [](const double* p) { return *reinterpret_cast<const Two*>(p); };
    for (int r = 0; r < 6; ++r) {
        double* row = x.data() + 6 * r;
        Two a = two(row), b = two(row + 2), c = two(row + 4);
        for (int i = 0; i < 6; ++i) {
            const double f = l[6 * r + i];
            const Two ff = {f, f};
            a -= ff * two(t.data() + 6 * i);
            b -= ff * two(t.data() + 6 * i + 2);
            c -= ff * two(t.data() + 6 * i + 4);
        }
        *reinterpret_cast<Two*>(row) = a;
        *reinterpret_cast<Two*>(row + 2) = b;
        *reinterpret_cast<Two*>(row + 4) = c;
    }
}

double dot6(const double* x, const double* y) {
    return ((x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3])) + (x[4] * y[4] + x[5] * y[5]);
}

std::array<double, 6> load_velocity(const SolverBody& b) {
    return {b.velocity[0],         b.velocity[1],         b.velocity[2],
            b.angular_velocity[0], b.angular_velocity[1], b.angular_velocity[2]};
}

std::array<double, 6> load_motion(const SolverBody& b) {
    return {b.displacement[0], b.displacement[1], b.displacement[2], b.turn[0], b.turn[1], b.turn[2]};
}

}  // namespace

// ---- The rows --------------------------------------------------------------------------------------------------------

/// Locks of a body are those of its inverse mass: along and about a locked axis it is 0. Rows have no part there
/// (Body::locked), so that nothing is pushed there and any mass will do, and the system stays regular. What may turn
/// about some axes has the inertia about them: the inverse of what is left of the inverse inertia.
void StiffGroups::read_mass(Body& body, const SolverMass& mass) {
    const float* m = mass.inverse_inertia;
    glm::dmat3 inverse(m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]);
    body.locked = 0;
    double largest = 0.0, most = 0.0;
    for (int k = 0; k < 3; ++k) {
        largest = std::max(largest, static_cast<double>(mass.inverse_mass[k]));
        most = std::max(most, inverse[k][k]);
    }
    if (largest > 0.0) body.mass = 1.0 / largest;  // a body that may only turn keeps the mass that it has
    if (!(most > 0.0)) most = 1.0 / body.mass;
    for (int k = 0; k < 3; ++k) {
        if (!(mass.inverse_mass[k] > 0.0f)) body.locked |= static_cast<std::uint8_t>(1 << k);
        if (inverse[k][k] > 0.0) continue;
        body.locked |= static_cast<std::uint8_t>(8 << k);
        inverse[k][k] = most;
    }
    const glm::dmat3 inertia = glm::inverse(inverse);
    for (int i = 0; i < 9; ++i) {
        body.inertia[i] = inertia[i / 3][i % 3];
        body.inverse_inertia[i] = inverse[i / 3][i % 3];
    }
}

/// Takes out of a row what its bodies are locked against.
void StiffGroups::mask_row(const Group& group, std::uint32_t a, std::uint32_t b, double* row) {
    const unsigned locked_a = a != none ? group.bodies[a].locked : 0u,
                   locked_b = b != none ? group.bodies[b].locked : 0u;
    if ((locked_a | locked_b) == 0) return;
    for (int i = 0; i < 6; ++i) {
        if ((locked_a >> i & 1u) != 0) row[i] = 0.0;
        if ((locked_b >> i & 1u) != 0) row[6 + i] = 0.0;
    }
}

void StiffGroups::prepare_joints(JointSolver& joints) {
    bool any = false;
    for (std::uint32_t g = 0; g < count_; ++g) {
        Group& group = groups_[g];
        group.articulations.clear();
        group.mass = 0.0;
        for (std::uint32_t i = 0; i < group.bodies.size(); ++i) {
            const Body& body = group.bodies[i];
            group.mass += body.mass;
            const std::uint32_t articulation = joints.articulation_of(body.solver);
            if (articulation == null_index) continue;
            if (place_.size() <= body.solver) place_.resize(body.solver + 1);
            place_[body.solver] = i;
            group.articulations.push_back(articulation);
            any = true;
        }
        std::sort(group.articulations.begin(), group.articulations.end());
        const auto end = std::unique(group.articulations.begin(), group.articulations.end());
        group.articulations.erase(end, group.articulations.end());
    }
    if (any) joints.prepare_taking();
}

/// What the joints of the group's bodies ask for. Rigid rows get a weight that is far above that of all bodies, so that
/// they need no impulses of the sub-step before.
void StiffGroups::read_joint_rows(Group& group, Pass pass, const JointSolver& joints) const {
    group.body_rows.clear();
    group.joint_rows.clear();
    for (const std::uint32_t a : group.articulations) joints.read_rows(a, pass == Pass::relax, group.body_rows);
    for (const BodyRow& row : group.body_rows) {
        JointRow r;
        r.a = row.a != 0 ? place_[row.a] : none;
        r.b = row.b != 0 ? place_[row.b] : none;
        r.block = r.a != none && r.b != none ? block_of(group, std::max(r.a, r.b), std::min(r.a, r.b)) : none;
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

void StiffGroups::prepare(ContactSolver& solver, std::span<const SolverMass> masses, float substep,
                          std::span<const ConstraintGraph::Edge> edges, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t g = first; g < last; ++g) {
        Group& group = groups_[g];
        group.inverse_substep = 1.0 / static_cast<double>(substep);
        group.has_set[0] = group.has_set[1] = false;
        group.factors[0].valid = group.factors[1].valid = false;
        group.work = 0;
        group.articulations.clear();
        group.joint_rows.clear();
        for (Body& body : group.bodies) read_mass(body, masses[body.solver]);
        for (Contact& c : group.contacts) {
            c.lane = solver.read_link(edges[c.edge].link);
            const ContactLane& l = c.lane;
            const auto put = [&](int row, const glm::dvec3& linear, const glm::dvec3& angular_a,
                                 const glm::dvec3& angular_b) {
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
            const glm::dvec3 across[2] = {l.tangent, glm::cross(l.normal, l.tangent)};
            for (int t = 0; t < 2; ++t)
                put(tangents + t, across[t], glm::cross(l.center_a, across[t]), glm::cross(l.center_b, across[t]));
            put(twist, glm::dvec3(0.0), l.normal, l.normal);
            c.weight = static_cast<double>(settings::stiff_weight) * c.borne;
            c.twist_weight = c.weight * arm * arm;
            c.shared_arm = points == 1.0 ? arm : 0.0;
            for (int r = 0; r < most_rows; ++r) c.before[r] = c.step[r] = 0.0;
        }
    }
}

namespace {

/// A row's speed.
template <class Velocities>
double speed_of(const double* row, std::uint32_t a, std::uint32_t b, double outside, const Velocities& v) {
    double speed = outside;
    if (a != ~0u) speed += dot6(row, v[a].data());
    if (b != ~0u) speed += dot6(row + 6, v[b].data());
    return speed;
}

}  // namespace

/// Reads lanes and velocities.
void StiffGroups::begin(Group& group, Pass pass, std::span<const SolverBody> bodies) {
    const double push = -static_cast<double>(settings::max_push_speed);
    const bool guess = !group.has_set[0];
    for (Contact& c : group.contacts) {
        const ContactLane& l = c.lane;
        const SolverBody &a = bodies[l.reads_a], &b = bodies[l.reads_b];
        const std::array<double, 6> moved_a = load_motion(a), moved_b = load_motion(b);
        std::array<double, 6> va{}, vb{};
        const bool outside = c.a == none || c.b == none;
        // The rows that pushed at the end of the last step; all that touch, in a new contact.
        bool borne = false;
        for (int p = 0; guess && p < l.count; ++p)
            borne = borne || (l.points[p].mass > 0.0 && *l.points[p].impulse > 0.0f);
        if (c.a == none) va = load_velocity(a);
        if (c.b == none) vb = load_velocity(b);
        for (int r = 0; r < most_rows; ++r)
            c.outside[r] = outside ? dot6(c.rows[r], va.data()) + dot6(c.rows[r] + 6, vb.data()) : 0.0;
        for (int p = 0; p < l.count; ++p) {
            const double s =
                l.points[p].separation + dot6(c.rows[p], moved_a.data()) + dot6(c.rows[p] + 6, moved_b.data());
            c.bias[p] = s > 0.0               ? s * group.inverse_substep
                        : pass == Pass::relax ? 0.0
                                              : std::max(l.bias_rate * std::min(s + l.slop, 0.0), push);
            c.now[p] = static_cast<double>(*l.points[p].impulse);
            if (guess && l.points[p].mass > 0.0 && (borne ? c.now[p] > 0.0 : s <= l.slop))
                c.active |= static_cast<std::uint8_t>(1 << p);
        }
        c.now[tangents] = static_cast<double>(*l.friction_1);
        c.now[tangents + 1] = static_cast<double>(*l.friction_2);
        c.now[twist] = static_cast<double>(*l.twist);
        if (pass == Pass::soft) {
            for (int p = 0; p < most_rows; ++p) c.before[p] = c.now[p];
        }
        // Without a normal impulse there is no friction: the search must not begin with that of the last step.
        double normal = 0.0;
        for (int p = 0; p < l.count; ++p) normal += c.now[p];
        for (int r = 0; r < most_rows; ++r) c.impulse[r] = r < tangents || normal > 0.0 ? c.now[r] : 0.0;
        if (guess && !l.special && c.active != 0) c.active |= 7 << tangents;
    }
}

StiffGroups::Vector StiffGroups::momentum_of(const Body& body, const Vector& v) {
    Vector m;
    for (int k = 0; k < 3; ++k) {
        m[k] = body.mass * v[k];
        m[3 + k] = body.inertia[3 * k] * v[3] + body.inertia[3 * k + 1] * v[4] + body.inertia[3 * k + 2] * v[5];
    }
    return m;
}

bool StiffGroups::has_row(const Contact& c, int row) {
    return row >= tangents || (row < c.lane.count && c.lane.points[row].mass > 0.0);
}

void StiffGroups::push(const Contact& c, std::vector<Vector>& momenta, int row, double impulse) {
    for (int i = 0; i < 6; ++i) {
        if (c.a != none) momenta[c.a][i] += impulse * c.rows[row][i];
        if (c.b != none) momenta[c.b][i] += impulse * c.rows[row][6 + i];
    }
}

void StiffGroups::push(const JointRow& r, std::vector<Vector>& momenta, double impulse) {
    for (int i = 0; i < 6; ++i) {
        if (r.a != none) momenta[r.a][i] += impulse * r.row[i];
        if (r.b != none) momenta[r.b][i] += impulse * r.row[6 + i];
    }
}

/// The impulses of joints at these velocities.
void StiffGroups::update_joints(Group& group, const std::vector<Vector>& velocities) {
    for (JointRow& r : group.joint_rows) {
        if (r.weight == 0.0) continue;  // given
        r.speed = speed_of(r.row, r.a, r.b, r.bias, velocities);
        r.impulse = -r.weight * r.speed;
    }
}

/// Friction along the two tangents and twist.
struct StiffGroups::Friction {
    double wanted[3];   ///< without limits
    double impulse[3];  ///< within the limits
    double size;        ///< of what is wanted, to be compared with the limit; of friction and twist where they share it
};

/// Returns the friction at the velocities found plus this part of the step. The limits must be those of the sweeps
/// (share_friction, solver_kernel_contacts.h): the sweeps take away what a direct solve gives beyond them, and a plate under
/// 10,000 times its mass leaves at 500 m/s.
StiffGroups::Friction StiffGroups::friction_at(const Contact& c, double part) {
    Friction f;
    for (int t = 0; t < 3; ++t) {
        const int r = tangents + t;
        f.wanted[t] = c.before[r] - (r == twist ? c.twist_weight : c.weight) * (c.speed[r] + part * c.step[r]);
    }
    const bool shares = c.shared_arm > 0.0;
    const double twisting = shares ? f.wanted[2] / c.shared_arm : 0.0;
    f.size = std::sqrt(f.wanted[0] * f.wanted[0] + f.wanted[1] * f.wanted[1] + twisting * twisting);
    const double scale = f.size <= c.limit ? 1.0 : c.limit / f.size;
    for (int t = 0; t < 3; ++t) f.impulse[t] = scale * f.wanted[t];
    if (!shares) f.impulse[2] = std::clamp(f.wanted[2], -c.twist_limit, c.twist_limit);
    return f;
}

/// The impulses that the rows want at these velocities, and which rows are active then. True if some of these were not,
/// by more than the tolerance. Limits of friction are those of the normal impulses found, or stay.
bool StiffGroups::update(Contact& c, const std::vector<Vector>& velocities, bool with_limits) {
    const ContactLane& l = c.lane;
    const double near = c.weight * settings::stiff_tolerance;
    std::uint8_t active = 0;
    bool changed = false;
    const auto decide = [&](int row, int mask, double inside, double tolerance) {
        const bool was = (c.active >> row & 1) != 0, is = inside > 0.0;
        if (is) active |= static_cast<std::uint8_t>(mask << row);
        changed = changed || (was != is && std::abs(inside) > tolerance);
    };
    for (int r = 0; r < most_rows; ++r) {
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
        const Friction f = friction_at(c, 0.0);
        const bool shares = c.shared_arm > 0.0;
        const double near_twist = c.twist_weight * settings::stiff_tolerance;
        decide(tangents, shares ? 7 : 3, c.limit - f.size, near);
        if (!shares) decide(twist, 1, c.twist_limit - std::abs(f.wanted[2]), near_twist);
        for (int t = 0; t < 3; ++t) {
            double& impulse = c.impulse[tangents + t];
            const bool slides = f.impulse[t] != f.wanted[t];
            const double least = t < 2 ? 1e-3 * c.limit + near : 1e-3 * c.twist_limit + near_twist;
            changed = changed || (slides && std::abs(f.impulse[t] - impulse) > least);
            impulse = f.impulse[t];
        }
    }
    c.wanted = active;
    return changed;
}

/// What the contact adds to the slope of the merit along the step, at this part of it: with limits of friction as they
/// were at its begin.
double StiffGroups::slope(const Contact& c, double part) {
    const ContactLane& l = c.lane;
    double sum = 0.0;
    for (int p = 0; p < l.count; ++p) {
        if (!has_row(c, p)) continue;
        const double wanted = c.before[p] - c.weight * (c.speed[p] + part * c.step[p] + c.bias[p]);
        sum -= std::max(wanted, 0.0) * c.step[p];
    }
    if (l.special) return sum;
    const Friction f = friction_at(c, part);
    for (int t = 0; t < 3; ++t) sum -= f.impulse[t] * c.step[tangents + t];
    return sum;
}

// ---- The system ------------------------------------------------------------------------------------------------------

/// `with_sliding`: friction that slides turns with the slip.
void StiffGroups::factor(Group& group, bool with_sliding) {
    Factors& factors = group.now();
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
        Block& d = factors.diagonal[i];
        d.fill(0.0);
        for (int k = 0; k < 3; ++k) {
            d[7 * k] = group.bodies[i].mass;
            for (int j = 0; j < 3; ++j) d[6 * (3 + k) + 3 + j] = group.bodies[i].inertia[3 * k + j];
        }
    }
    for (Block& b : factors.below) b.fill(0.0);
    const auto add = [](Block& block, double weight, const double* rows, const double* columns) {
        for (int i = 0; i < 6; ++i) {
            const double f = weight * rows[i];
            for (int k = 0; k < 6; ++k) block[6 * i + k] += f * columns[k];
        }
    };
    const auto add_row_of = [&](const auto& c, double weight, const double* row) {
        const double *ja = row, *jb = row + 6;
        if (c.a != none) add(factors.diagonal[c.a], weight, ja, ja);
        if (c.b != none) add(factors.diagonal[c.b], weight, jb, jb);
        if (c.block == none) return;
        if (c.a > c.b) {
            add(factors.below[c.block], weight, ja, jb);
        } else {
            add(factors.below[c.block], weight, jb, ja);
        }
    };
    for (const JointRow& r : group.joint_rows) {
        if (r.weight > 0.0) add_row_of(r, r.weight, r.row);
    }
    for (Contact& c : group.contacts) {
        c.factored[group.pass] = c.active;
        const auto add_row = [&](double weight, const double* row) { add_row_of(c, weight, row); };
        for (int r = 0; r < most_rows; ++r) {
            if ((c.active >> r & 1) != 0) add_row(r == twist ? c.twist_weight : c.weight, c.rows[r]);
        }
        if (!with_sliding || c.lane.special || (c.active >> tangents & 1) != 0 || c.limit == 0.0) continue;
        // Along the slip the impulse stays as large as it is; across, it turns.
        const Friction f = friction_at(c, 0.0);
        const double* const rows[3] = {c.rows[tangents], c.rows[tangents + 1], c.rows[twist]};
        const double turning = c.weight * c.limit / f.size;
        const double friction = std::sqrt(f.wanted[0] * f.wanted[0] + f.wanted[1] * f.wanted[1]);
        const bool slips = friction > 0.0;  // else it only twists
        const double part_1 = slips ? f.wanted[0] : 1.0, part_2 = slips ? f.wanted[1] : 0.0;
        double along[12], across[12];
        for (int i = 0; i < 12; ++i) {
            along[i] = (part_1 * rows[0][i] + part_2 * rows[1][i]) / (slips ? friction : 1.0);
            across[i] = (part_1 * rows[1][i] - part_2 * rows[0][i]) / (slips ? friction : 1.0);
        }
        add_row(turning, across);
        if (!(c.shared_arm > 0.0)) continue;
        // Where friction and twist share the limit, the impulse has three components and turns in two directions.
        const double twisting = f.wanted[2] / c.shared_arm / f.size, sliding = friction / f.size;
        for (int i = 0; i < 12; ++i) across[i] = twisting * along[i] - sliding * c.shared_arm * rows[2][i];
        add_row(turning, across);
    }
    for (std::size_t k = 0; k < group.columns.size(); ++k) {
        const Column& column = group.columns[k];
        cholesky(factors.diagonal[k]);
        const std::uint32_t end = column.first + column.count;
        for (std::uint32_t i = column.first; i < end; ++i) divide(factors.below[i], factors.diagonal[k]);
        const std::uint32_t* target = group.targets.data() + column.first_target;
        for (std::uint32_t q = column.first; q < end; ++q) {
            const Block across = transposed(factors.below[q]);
            subtract_product(factors.diagonal[group.rows[q]], factors.below[q], across);
            for (std::uint32_t p = q + 1; p < end; ++p)
                subtract_product(factors.below[*target++], factors.below[p], across);
        }
    }
    factors.valid = !with_sliding;
    group.work += group.products + group.columns.size() + 4 * group.contacts.size();
}

/// x = A^-1 x
void StiffGroups::substitute(const Group& group, std::vector<Vector>& v) {
    const Factors& factors = group.factors[group.pass];
    for (std::size_t k = 0; k < group.columns.size(); ++k) {
        const Column& column = group.columns[k];
        const Block& c = factors.diagonal[k];
        Vector& y = v[k];
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < i; ++j) y[i] -= c[6 * i + j] * y[j];
            y[i] /= c[7 * i];
        }
        for (std::uint32_t i = column.first; i < column.first + column.count; ++i) {
            Vector& x = v[group.rows[i]];
            for (int r = 0; r < 6; ++r) x[r] -= dot6(&factors.below[i][6 * r], y.data());
        }
    }
    for (std::size_t k = group.columns.size(); k-- > 0;) {
        const Column& column = group.columns[k];
        const Block& c = factors.diagonal[k];
        Vector& x = v[k];
        for (std::uint32_t i = column.first; i < column.first + column.count; ++i) {
            const Vector& y = v[group.rows[i]];
            for (int r = 0; r < 6; ++r) {
                const double f = y[r];
                for (int j = 0; j < 6; ++j) x[j] -= f * factors.below[i][6 * r + j];
            }
        }
        for (int i = 5; i >= 0; --i) {
            for (int j = i + 1; j < 6; ++j) x[i] -= c[6 * j + i] * x[j];
            x[i] /= c[7 * i];
        }
    }
}

void StiffGroups::solve(Pass pass, std::span<SolverBody> bodies, JointSolver& joints, std::uint32_t first,
                        std::uint32_t last) {
    for (std::uint32_t g = first; g < last; ++g) {
        Group& group = groups_[g];
        solve(pass, bodies, joints, group);
        if (pass != Pass::relax) continue;  // the joints come next
        for (const std::uint32_t articulation : group.articulations) joints.relax_again(articulation);
    }
}

/// Whether the group has used what work it may in this step. It gives nothing in the passes that are left.
bool StiffGroups::is_spent(const Group& group) { return group.work >= settings::stiff_most_work; }

/// Newton's method on
///
///     F(v) = M (v - v0) - J^T p(v) = 0
///
/// with p the impulses that the rows want, from where `found` is. While limits of friction are given, F is the gradient
/// of a convex function, whose least value along a step is looked for; a full step that changes no row has arrived.
bool StiffGroups::converge(Group& group, int rounds, bool with_limits) {
    double first_slope = 0.0;
    for (int round = 0; round < rounds; ++round) {
        if (is_spent(group)) return false;
        group.step = group.momentum;
        double bodies_slope = 0.0, bodies_curve = 0.0, most_energy = 0.0;
        for (std::size_t i = 0; i < group.bodies.size(); ++i) {
            const Vector m = momentum_of(group.bodies[i], group.found[i]);
            for (int k = 0; k < 6; ++k) group.step[i][k] -= m[k];
        }
        group.residual = group.step;
        bool sliding = false;
        for (Contact& c : group.contacts) {
            for (int r = 0; r < most_rows; ++r) {
                if (has_row(c, r)) push(c, group.step, r, c.impulse[r]);
            }
            sliding = sliding || (!c.lane.special && (c.active >> tangents & 1) == 0 && c.limit > 0.0);
        }
        for (const JointRow& r : group.joint_rows) push(r, group.step, r.impulse);
        bool refactor = !group.now().valid || sliding;
        for (const Contact& c : group.contacts) refactor = refactor || c.active != c.factored[group.pass];
        if (refactor) factor(group, sliding);
        substitute(group, group.step);
        group.work += group.rows.size() / 3 + 2 * group.contacts.size();
        for (std::size_t i = 0; i < group.bodies.size(); ++i) {
            const Vector m = momentum_of(group.bodies[i], group.step[i]);
            const double energy = dot6(m.data(), group.step[i].data());
            most_energy = std::max(most_energy, energy / group.bodies[i].mass);
            bodies_slope -= dot6(group.residual[i].data(), group.step[i].data());
            bodies_curve += energy;
        }
        for (Contact& c : group.contacts) {
            for (int r = 0; r < most_rows; ++r) {
                if (has_row(c, r)) c.step[r] = speed_of(c.rows[r], c.a, c.b, 0.0, group.step);
            }
        }
        double joints_curve = 0.0;
        for (JointRow& r : group.joint_rows) {
            r.step = speed_of(r.row, r.a, r.b, 0.0, group.step);
            bodies_slope -= r.impulse * r.step;
            joints_curve += r.weight * r.step * r.step;
        }
        const auto slope_at = [&](double part) {
            double sum = bodies_slope + part * (bodies_curve + joints_curve);
            group.work += group.contacts.size() / 2;
            for (const Contact& c : group.contacts) sum += slope(c, part);
            return sum;
        };
        double part = 1.0;
        const double begin_slope = slope_at(0.0);
        if (round == 0) first_slope = begin_slope;
        if (with_limits && begin_slope < 4.0 * first_slope) return false;
        if (begin_slope < 0.0 && slope_at(1.0) > -0.1 * begin_slope) {
            double low = 0.0, high = 1.0;
            for (int i = 0; i < 20; ++i) {
                part = 0.5 * (low + high);
                const double s = slope_at(part);
                if (std::abs(s) < -0.1 * begin_slope) break;
                (s < 0.0 ? low : high) = part;
            }
        }
        for (std::size_t i = 0; i < group.bodies.size(); ++i) {
            for (int k = 0; k < 6; ++k) group.found[i][k] += part * group.step[i][k];
        }
        update_joints(group, group.found);
        bool changed = false;
        for (Contact& c : group.contacts) {
            if (update(c, group.found, with_limits)) changed = true;
            c.active = c.wanted;
        }
        if (!changed && part == 1.0) return true;
        if (most_energy < settings::stiff_speed * settings::stiff_speed) return true;
    }
    return false;
}

/// The same from the present velocities, with limits of friction that stay for some rounds.
void StiffGroups::converge_from_now(Group& group, std::span<const SolverBody> bodies) {
    for (std::size_t i = 0; i < group.bodies.size(); ++i)
        group.found[i] = load_velocity(bodies[group.bodies[i].solver]);
    update_joints(group, group.found);
    for (Contact& c : group.contacts) {
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
        bool changed = false;
        for (Contact& c : group.contacts) {
            if (update(c, group.found, true)) changed = true;
            c.active = c.wanted;
        }
        if (!changed) return;
    }
}

/// Masses beyond the range of floats, or what overflows with them, are left to the sweeps.
bool StiffGroups::is_finite(const Group& group) {
    constexpr double most = 1e37;
    double largest = 0.0;
    bool finite = true;
    const auto look = [&](double x) {
        finite = finite && x - x == 0.0;
        largest = std::max(largest, std::abs(x));
    };
    for (const Contact& c : group.contacts) {
        for (int r = 0; r < most_rows; ++r) {
            if (has_row(c, r)) look(c.impulse[r]);
        }
    }
    for (const JointRow& r : group.joint_rows) look(r.impulse);
    for (const Vector& v : group.found) {
        for (const double x : v) look(x);
    }
    return finite && largest < most;
}

StiffGroups::Vector StiffGroups::velocity_of(const Body& body, const Vector& m) {
    Vector v;
    for (int k = 0; k < 3; ++k) {
        const double* row = body.inverse_inertia + 3 * k;
        v[k] = m[k] / body.mass;
        v[3 + k] = row[0] * m[3] + row[1] * m[4] + row[2] * m[5];
    }
    return v;
}

/// Returns whether the impulses found explain the velocities found, except for a small part of the group's energy. They do
/// not if the search for the active rows has not converged, for example in a blow on pebbles between a ton and the floor.
bool StiffGroups::is_explained(Group& group) {
    group.residual = group.momentum;
    for (const Contact& c : group.contacts) {
        for (int r = 0; r < most_rows; ++r) {
            if (has_row(c, r)) push(c, group.residual, r, c.impulse[r]);
        }
    }
    for (const JointRow& r : group.joint_rows) push(r, group.residual, r.impulse);
    double before = 0.0, now = 0.0, unexplained = 0.0;
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
        const Body& body = group.bodies[i];
        const Vector momentum = momentum_of(body, group.found[i]);
        for (int k = 0; k < 6; ++k) group.residual[i][k] -= momentum[k];
        before += dot6(velocity_of(body, group.momentum[i]).data(), group.momentum[i].data());
        now += dot6(group.found[i].data(), momentum.data());
        unexplained += dot6(velocity_of(body, group.residual[i]).data(), group.residual[i].data());
    }
    return unexplained <= settings::stiff_unexplained * std::max(before, now);
}

/// Gives bodies without any impulse the velocity that they had. The error that the search leaves is small for the group,
/// but can be large for its lightest body.
void StiffGroups::leave_unpushed(Group& group) {
    group.pushed.assign(group.bodies.size(), 0);
    const auto note = [&](std::uint32_t a, std::uint32_t b) {
        if (a != none) group.pushed[a] = 1;
        if (b != none) group.pushed[b] = 1;
    };
    for (const Contact& c : group.contacts) {
        for (int r = 0; r < most_rows; ++r) {
            if (has_row(c, r) && c.impulse[r] != 0.0) note(c.a, c.b);
        }
    }
    for (const JointRow& r : group.joint_rows) note(r.a, r.b);
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
        if (group.pushed[i] == 0) group.found[i] = velocity_of(group.bodies[i], group.momentum[i]);
    }
}

/// Velocities and impulses, from the impulses before.
void StiffGroups::find_impulses(Group& group, std::span<const SolverBody> bodies) {
    // With the rows that were active last; at rest, these are the ones.
    bool refactor = !group.now().valid;
    for (const Contact& c : group.contacts) refactor = refactor || c.active != c.factored[group.pass];
    if (refactor) factor(group, false);
    group.work += group.rows.size() / 3;
    group.found = group.momentum;
    for (const Contact& c : group.contacts) {
        for (int r = 0; r < most_rows; ++r) {
            if (!has_row(c, r)) continue;
            if ((c.active >> r & 1) == 0) {
                if (r >= tangents) push(c, group.found, r, c.impulse[r]);
                continue;
            }
            const double weight = r == twist ? c.twist_weight : c.weight;
            const double bias = c.outside[r] + (r < tangents ? c.bias[r] : 0.0);
            push(c, group.found, r, c.before[r] - weight * bias);
        }
    }
    for (const JointRow& r : group.joint_rows) push(r, group.found, r.weight > 0.0 ? -r.weight * r.bias : r.impulse);
    substitute(group, group.found);
    update_joints(group, group.found);
    bool changed = false;
    for (Contact& c : group.contacts) {
        if (update(c, group.found, true)) changed = true;
    }
    if (changed) {
        for (Contact& c : group.contacts) c.active = c.wanted;
    }
    if (changed && !converge(group, settings::stiff_rounds, true)) converge_from_now(group, bodies);
}

/// Sets each joint row whose impulse is beyond its bounds to the bound, as a constant. Returns whether there was any: then
/// the other rows must be solved again. Nearly redundant rows may have large opposite impulses. To take the excess of one of
/// them from its two bodies alone, without a new solve, threw a hull of 1 kg away at 4,000 m/s.
bool StiffGroups::bound_joints(Group& group) {
    bool any = false;
    for (std::size_t i = 0; i < group.joint_rows.size(); ++i) {
        JointRow& r = group.joint_rows[i];
        const double held = std::clamp(r.impulse, group.body_rows[i].low, group.body_rows[i].high);
        if (r.weight == 0.0 || held == r.impulse) continue;
        r.impulse = held;
        r.weight = 0.0;
        any = true;
    }
    if (any) group.now().valid = false;
    return any;
}

/// Whether impulses have grown to more than those before by a part that matters.
bool StiffGroups::is_blow(const Group& group) {
    double change = 0.0, sum = 0.0;
    for (const Contact& c : group.contacts) {
        for (int p = 0; p < c.lane.count; ++p) {
            if (!has_row(c, p)) continue;
            change += std::abs(c.impulse[p] - c.before[p]);
            sum += c.impulse[p];
        }
    }
    return change > settings::stiff_blow * sum;
}

/// Gives the impulses of the joint rows to the joint solver, which goes on from them.
void StiffGroups::hand_over(const Group& group, JointSolver& joints) {
    for (std::size_t i = 0; i < group.joint_rows.size(); ++i) {
        if (!group.body_rows[i].given) joints.take_impulse(group.body_rows[i], group.joint_rows[i].impulse);
    }
}

void StiffGroups::solve(Pass pass, std::span<SolverBody> bodies, JointSolver& joints, Group& group) {
    group.pass = pass == Pass::soft ? 0 : 1;
    if (!group.has_set[0]) {
        for (Contact& c : group.contacts) c.active = 0;
    } else if (group.has_set[group.pass]) {
        for (Contact& c : group.contacts) c.active = c.kept[group.pass];
    }
    if (!group.articulations.empty()) read_joint_rows(group, pass, joints);
    begin(group, pass, bodies);
    group.has_set[0] = group.has_set[group.pass] = true;
    // Momenta without the impulses of this sub-step.
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
        const Body& body = group.bodies[i];
        group.momentum[i] = momentum_of(body, load_velocity(bodies[body.solver]));
    }
    for (const Contact& c : group.contacts) {
        for (int r = 0; r < most_rows; ++r) {
            if (has_row(c, r)) push(c, group.momentum, r, -c.now[r]);
        }
    }
    bool solved = false;
    for (int k = 0; k < settings::stiff_bound_rounds && !solved && !is_spent(group); ++k) {
        find_impulses(group, bodies);
        solved = !bound_joints(group);
    }
    // A blow is not found in one proximal step.
    for (int k = 0; pass == Pass::relax && k < settings::stiff_blow_rounds && !is_spent(group) && is_blow(group); ++k) {
        for (Contact& c : group.contacts) std::copy(c.impulse, c.impulse + most_rows, c.before);
        find_impulses(group, bodies);
        solved = solved && !bound_joints(group);
    }
    for (Contact& c : group.contacts) c.kept[group.pass] = c.active;
    if (!is_finite(group)) return;
    // A search that the limit of work has cut short has not ended either.
    if (!solved || is_spent(group) || !is_explained(group)) {
        // Written back, they would be energy from nowhere when the next pass takes them away. Without any, the sweeps
        // begin with nothing.
        for (std::size_t i = 0; i < group.bodies.size(); ++i)
            group.found[i] = velocity_of(group.bodies[i], group.momentum[i]);
        for (Contact& c : group.contacts) std::fill(c.impulse, c.impulse + most_rows, 0.0);
        for (JointRow& r : group.joint_rows) r.impulse = 0.0;
    }
    leave_unpushed(group);
    for (const Contact& c : group.contacts) {
        const ContactLane& l = c.lane;
        for (int p = 0; p < l.count; ++p) {
            if (has_row(c, p)) *l.points[p].impulse = static_cast<float>(c.impulse[p]);
        }
        *l.friction_1 = static_cast<float>(c.impulse[tangents]);
        *l.friction_2 = static_cast<float>(c.impulse[tangents + 1]);
        *l.twist = static_cast<float>(c.impulse[twist]);
    }
    if (!group.joint_rows.empty()) hand_over(group, joints);
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
        SolverBody& body = bodies[group.bodies[i].solver];
        for (int k = 0; k < 3; ++k) {
            body.velocity[k] = static_cast<float>(group.found[i][k]);
            body.angular_velocity[k] = static_cast<float>(group.found[i][3 + k]);
        }
    }
}

std::size_t StiffGroups::bytes() const {
    std::size_t sum =
        groups_.capacity() * sizeof(Group) + islands_.capacity() * sizeof(Island) + bodies_.capacity() * sizeof(Body) +
        borne_.capacity() * sizeof(double) + arrivals_.capacity() * sizeof(Arrival) +
        reach_.capacity() * sizeof(float) + loaded_.capacity() +
        (local_.capacity() + level_.capacity() + queue_.capacity() + first_of_.capacity() + contact_of_.capacity()) *
            sizeof(std::uint32_t);
    sum += (place_.capacity() + part_.capacity()) * sizeof(std::uint32_t) + tied_.capacity();
    sum += merged_.capacity() * sizeof(std::uint32_t) + heap_.capacity() * sizeof(std::uint64_t) +
           seen_.capacity() * sizeof(Seen);
    for (const auto& list : neighbours_) sum += sizeof(list) + list.capacity() * sizeof(std::uint32_t);
    for (const Group& g : groups_) {
        sum += g.links.capacity() * sizeof(Link) + g.ties.capacity() * sizeof(Tie) +
               g.articulations.capacity() * sizeof(std::uint32_t) + g.body_rows.capacity() * sizeof(BodyRow) +
               g.joint_rows.capacity() * sizeof(JointRow);
        sum +=
            g.contacts.capacity() * sizeof(Contact) + g.bodies.capacity() * sizeof(Body) +
            (g.pairs.capacity() + g.pairs_before.capacity() + g.order.capacity() + g.place.capacity() +
             g.rows.capacity() + g.targets.capacity() + g.island.capacity()) *
                sizeof(std::uint32_t) +
            g.columns.capacity() * sizeof(Column) + g.pushed.capacity() +
            (g.factors[0].diagonal.capacity() + g.factors[0].below.capacity()) * 2 * sizeof(Block) +
            (g.momentum.capacity() + g.found.capacity() + g.step.capacity() + g.residual.capacity()) * sizeof(Vector);
    }
    return sum;
}

}  // namespace talus
