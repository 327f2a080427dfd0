#pragma once
/// A stiff group and the rows of its linear system: the data that the parts of engine/stiff_groups work on.
///
/// Groups are independent of each other: different threads may work on different groups.

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

/// The passes of a sub-step. In the soft pass overlap is worked off, in the relaxing one not.
enum class GroupPass : std::uint8_t { soft, relax };

// The rows of a contact: four normals, two tangents, twist.
inline constexpr int most_group_rows = 7;
inline constexpr int tangent_rows = 4, twist_row = 6;

/// A joint between two bodies: solver indices, 0 for one that cannot be pushed.
struct JointEdge {
    std::uint32_t a, b;
    bool simple;  ///< not a gear, which would join more bodies
};

/// A contact of a group.
struct GroupContact {
    GroupContact() {}  // a kilobyte, filled in by the search, prepare() and solve()
    std::uint32_t edge;
    std::uint32_t a, b;   ///< positions of the bodies in the order of elimination; null_index: not pushed
    std::uint32_t block;  ///< of the two bodies; null_index if one is not pushed
    double borne;         ///< mass that the contact bears, kg
    ContactLane lane;
    double rows[most_group_rows][12];  ///< Jacobians
    double weight;                     ///< of normals and tangents, kg
    double twist_weight;               ///< kg m^2
    double shared_arm;  ///< contact at one point: friction and twist / this share a limit, m; 0: each has its own

    // Of a pass.
    double bias[4];
    double before[most_group_rows];   ///< impulses in the sub-step before
    double now[most_group_rows];      ///< impulses in the lanes
    double impulse[most_group_rows];  ///< impulses as the solve finds them
    double speed[most_group_rows];    ///< of the rows, at the velocities found
    double step[most_group_rows];     ///< how a Newton step would change `speed`
    double limit, twist_limit;        ///< of friction
    double outside[most_group_rows];  ///< the part of the rows' speeds from bodies that are not pushed
    std::uint8_t active;              ///< one bit per row; tangents: both or none
    std::uint8_t wanted;              ///< the rows that would be active, at the velocities found
    std::uint8_t factored[2];         ///< the rows in the factors, by pass
    std::uint8_t kept[2];             ///< the rows that were active in the last solve, by pass
};

/// What the search needs to know of a contact. Most islands are looked at and left alone.
struct GroupCandidate {
    std::uint32_t edge, a, b;  ///< as in GroupContact
    float gap;                 ///< between its surfaces, m; 0: they press each other
    double borne = 0.0;        ///< as in GroupContact
    bool crushes = false;      ///< the heavier of its bodies is about to strike the other
    bool loaded = false;       ///< the group needs it
};

struct GroupBody {
    std::uint32_t solver = 0;
    double mass = 0.0;
    double inertia[9] = {}, inverse_inertia[9] = {};
    std::uint8_t locked = 0;     ///< one bit for each axis along which it cannot move and about which it cannot rotate
    bool held_by_locks = false;  ///< its locks bear its load
    bool anchored = false;       ///< a joint connects it to something that cannot be pushed
};

/// A row of a joint, always active; parallel to StiffGroup::body_rows.
struct GroupJointRow {
    std::uint32_t a, b, block;  ///< as in GroupContact
    double row[12];             ///< Jacobian
    double bias, weight;        ///< a weight of 0: the impulse is given
    double speed, step;         ///< as in GroupContact
    double impulse;
};

/// A column of the factors.
struct FactorColumn {
    std::uint32_t first, count;  ///< its blocks below the diagonal
    std::uint32_t first_target;  ///< where the products of each two of them go
};

struct GroupFactors {
    std::vector<Block6> diagonal, below;
    bool valid = false;  ///< they contain the active rows, and nothing for friction that slides
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

    // What follows from which bodies touch (elimination_order.h). Kept while they stay the same.
    std::vector<std::uint32_t> pairs, pairs_before;
    std::vector<std::uint32_t> order, position;
    std::vector<FactorColumn> columns;
    std::vector<std::uint32_t> rows;     ///< by block below the diagonal
    std::vector<std::uint32_t> targets;  ///< blocks
    std::uint64_t products = 0;          ///< of blocks, to make the factors

    // Of a solve.
    GroupFactors factors[2];  ///< by pass, because at rest each pass has active rows of its own, which stay
    GroupFactors& now() { return factors[pass]; }
    std::vector<Vector6> momentum, found, step, residual;
    std::vector<std::uint8_t> pushed;   ///< by body: some impulse on it is not 0
    bool by_levels = false;             ///< it stands, and its bodies hardly move relative to each other
    int pass = 0;                       ///< the present one: 0 soft, 1 relax
    bool has_set[2] = {};               ///< by pass: it has found active rows in this step
    std::uint64_t work = 0;             ///< in this step, in products of blocks
    std::vector<std::uint32_t> island;  ///< body slots of the whole island
    double inverse_substep = 0.0;
};

/// Whether the group has used up the work that it may do in a step. It gives nothing in the passes that are left.
inline bool is_spent(const StiffGroup& group) { return group.work >= settings::stiff_most_work; }

inline bool has_row(const GroupContact& c, int row) {
    return row >= tangent_rows || (row < c.lane.count && c.lane.points[row].mass > 0.0);
}

inline double dot6(const double* x, const double* y) {
    return ((x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3])) + (x[4] * y[4] + x[5] * y[5]);
}

/// Returns the speed of a row whose two bodies have these velocities; `outside` is added.
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
