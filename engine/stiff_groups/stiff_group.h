#pragma once
/// A stiff group and the rows of its linear system: the data of all parts of engine/stiff_groups.
///
/// Groups are independent of each other, so different threads may work on different groups.

#include "engine/bodies/solver_body.h"
#include "engine/contact_solver/contact_solver.h"
#include "engine/joint_solver/body_rows.h"
#include "engine/settings.h"

#include <array>
#include <cstdint>
#include <vector>

namespace talus {

using Block6 = std::array<double, 36>;  ///< 6 x 6, row by row
using Vector6 = std::array<double, 6>;  ///< linear, angular

/// The passes of a sub-step. The soft pass removes overlap, the relax pass does not.
enum class GroupPass : std::uint8_t { soft, relax };

// The rows of a contact: four normals, two tangents, twist.
inline constexpr int most_group_rows = 7;
inline constexpr int tangent_rows = 4, twist_row = 6;

/// A joint between two bodies: solver indices, 0 for one that cannot be pushed.
struct JointEdge {
    std::uint32_t a, b;
    bool simple;  ///< false for a gear, which acts on more bodies
};

/// A contact of a group.
struct GroupContact {
    GroupContact() {}  // does not initialise the kilobyte, which the search, prepare() and solve() fill
    std::uint32_t edge;
    std::uint32_t a, b;   ///< positions of the bodies in the order of elimination; null_index: not pushed
    std::uint32_t block;  ///< off-diagonal block of the two bodies; null_index if one is not pushed
    double borne;         ///< mass that the contact carries, kg
    ContactLane lane;
    double rows[most_group_rows][12];  ///< Jacobians
    double weight;                     ///< of normals and tangents, kg
    double twist_weight;               ///< kg m^2
    double shared_arm;  ///< if positive, friction and twist / shared_arm share one limit (contact at one point), m

    // Of a pass.
    double bias[4];
    double before[most_group_rows];   ///< impulses of the last sub-step
    double now[most_group_rows];      ///< impulses in the lanes
    double impulse[most_group_rows];  ///< impulses as the solve finds them
    double speed[most_group_rows];    ///< speeds of the rows at the found velocities
    double step[most_group_rows];     ///< change of `speed` by a Newton step
    double limit, twist_limit;        ///< of friction
    double outside[most_group_rows];  ///< the part of the rows' speeds that comes from bodies that are not pushed
    std::uint8_t active;              ///< one bit per row; the tangents have both or none
    std::uint8_t wanted;              ///< the rows that should be active at the found velocities
    std::uint8_t factored[2];         ///< the rows in the factors, by pass
    std::uint8_t kept[2];             ///< the rows that were active in the last solve, by pass
};

/// The data of a contact that the search needs. It is small, because most islands turn out not to be stiff.
struct GroupCandidate {
    std::uint32_t edge, a, b;  ///< as in GroupContact
    float gap;                 ///< between its surfaces, m; 0 if they press each other
    double borne = 0.0;        ///< as in GroupContact
    bool crushes = false;      ///< the heavier of its bodies is about to crush the other
    bool loaded = false;       ///< the group needs this contact
};

struct GroupBody {
    std::uint32_t solver = 0;
    double mass = 0.0;
    double inertia[9] = {}, inverse_inertia[9] = {};
    std::uint8_t locked = 0;     ///< three bits for locked displacements, three for locked rotations
    bool held_by_locks = false;  ///< its locks carry its load
    bool anchored = false;       ///< a joint connects it to a body that cannot be pushed
};

/// A row of a joint. It is always active. Parallel to StiffGroup::body_rows.
struct GroupJointRow {
    std::uint32_t a, b, block;  ///< as in GroupContact
    double row[12];             ///< Jacobian
    double bias, weight;        ///< a weight of 0: the impulse is constant
    double speed, step;         ///< as in GroupContact
    double impulse;
};

/// A column of the factors.
struct FactorColumn {
    std::uint32_t first, count;  ///< its blocks below the diagonal
    std::uint32_t first_target;  ///< targets of the products of each two of these blocks
};

struct GroupFactors {
    std::vector<Block6> diagonal, below;
    bool valid = false;  ///< they contain exactly the active rows, without sliding friction
};

struct StiffGroup {
    std::vector<GroupCandidate> candidates;
    std::vector<GroupContact> contacts;
    std::vector<GroupBody> bodies;       ///< in the order of elimination
    std::vector<JointEdge> joint_edges;  ///< between indices in `bodies`
    std::vector<std::uint32_t> articulations;
    std::vector<BodyRow> body_rows;  ///< from the joint solver
    std::vector<GroupJointRow> joint_rows;
    double mass = 0.0;  ///< of all bodies, kg

    // The pattern of the matrix (elimination_order.h), kept while the same bodies touch.
    std::vector<std::uint32_t> pairs, pairs_before;
    std::vector<std::uint32_t> order, position;
    std::vector<FactorColumn> columns;
    std::vector<std::uint32_t> rows;     ///< row of each block below the diagonal
    std::vector<std::uint32_t> targets;  ///< block indices
    std::uint64_t products = 0;          ///< number of block products that a factorisation takes

    // Of a solve.
    GroupFactors factors[2];  ///< by pass, because at rest each pass has its own active rows, which stay
    GroupFactors& now() { return factors[pass]; }
    std::vector<Vector6> momentum, found, step, residual;
    std::vector<std::uint8_t> pushed;  ///< by body: some impulse on it is not 0
    bool by_levels = false;  ///< it stands on an immovable body, and its bodies hardly move relative to each other
    int pass = 0;            ///< the present pass: 0 soft, 1 relax
    bool has_set[2] = {};    ///< by pass: the active rows have been found in this step
    std::uint64_t work = 0;  ///< work in this step, in block products
    bool refused = false;    ///< it has a body for which doubles are not exact enough (settings::stiff_least_moment)
    std::vector<std::uint32_t> island;  ///< body slots of the whole island
    double inverse_substep = 0.0;
};

/// Whether the group is refused, or has used up its work for this step. It then gives no impulses in the remaining
/// passes, and its island is left to the contact solver for some steps.
inline bool is_spent(const StiffGroup& group) { return group.refused || group.work >= settings::stiff_most_work; }

inline bool has_row(const GroupContact& c, int row) {
    return row >= tangent_rows || (row < c.lane.count && c.lane.points[row].mass > 0.0);
}

inline double dot6(const double* x, const double* y) {
    return ((x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3])) + (x[4] * y[4] + x[5] * y[5]);
}

/// Returns the speed of a row whose two bodies have these velocities, plus `outside`.
inline double speed_of(const double* row, std::uint32_t a, std::uint32_t b, double outside,
                       const std::vector<Vector6>& velocities) {
    double speed = outside;
    if (a != null_index) speed += dot6(row, velocities[a].data());
    if (b != null_index) speed += dot6(row + 6, velocities[b].data());
    return speed;
}

/// Adds an impulse along a row to the momenta of its two bodies.
inline void push(const double* row, std::uint32_t a, std::uint32_t b, std::vector<Vector6>& momenta, double impulse) {
    for (int i = 0; i < 6; ++i) {
        if (a != null_index) momenta[a][i] += impulse * row[i];
        if (b != null_index) momenta[b][i] += impulse * row[6 + i];
    }
}
inline void push(const GroupContact& c, std::vector<Vector6>& momenta, int row, double impulse) {
    push(c.rows[row], c.a, c.b, momenta, impulse);
}
inline void push(const GroupJointRow& r, std::vector<Vector6>& momenta, double impulse) {
    push(r.row, r.a, r.b, momenta, impulse);
}

inline Vector6 load_velocity(const SolverBody& b) {
    return {b.velocity[0],         b.velocity[1],         b.velocity[2],
            b.angular_velocity[0], b.angular_velocity[1], b.angular_velocity[2]};
}

inline Vector6 momentum_of(const GroupBody& body, const Vector6& v) {
    Vector6 m;
    for (int k = 0; k < 3; ++k) {
        m[k] = body.mass * v[k];
        m[3 + k] = body.inertia[3 * k] * v[3] + body.inertia[3 * k + 1] * v[4] + body.inertia[3 * k + 2] * v[5];
    }
    return m;
}

inline Vector6 velocity_of(const GroupBody& body, const Vector6& m) {
    Vector6 v;
    for (int k = 0; k < 3; ++k) {
        const double* row = body.inverse_inertia + 3 * k;
        v[k] = m[k] / body.mass;
        v[3 + k] = row[0] * m[3] + row[1] * m[4] + row[2] * m[5];
    }
    return v;
}

}  // namespace talus
