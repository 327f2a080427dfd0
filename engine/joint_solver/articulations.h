#pragma once
/// The data that the parts of the joint solver work on: articulations with their links, joints and rows.
///
/// An *articulation* is a set of bodies that joints connect. Each of its dynamic bodies belongs to it alone. A fixed or
/// kinematic body may belong to several. A *link* is a body of an articulation. A *row* is one scalar constraint of a
/// joint: J v = ..., with an impulse.
///
/// Everything is stored in arrays. Each articulation or joint has one part of an array:
///
///     articulations:  [ first_link .. link_count ]      -> links
///                     [ first_joint .. joint_count ]    -> joints, layouts, nodes (parallel)
///     joints:         [ first_row .. row_count ]        -> rows
///     layouts:        offsets into jacobians, responses, residuals and changes (joint_kernel.h)
///
/// JointSolver owns the one object of this type; nothing outside of engine/joint_solver reads it. Threads work on
/// different articulations at the same time. A function writes only to the articulation that is its second parameter, or
/// to those of the batch that is (batches/joint_batches.h).

#include "engine/bodies/body_store.h"
#include "engine/joint_solver/batches/joint_batches.h"
#include "engine/joint_solver/joint_cost.h"
#include "engine/joint_solver/joint_motions.h"
#include "engine/joint_solver/matrix/block_ldl.h"
#include "engine/joint_solver/matrix/joint_kernel.h"
#include "engine/joint_solver/row_kinds.h"
#include "engine/joints/joint_geometry.h"
#include "engine/joints/joint_store.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace talus {

/// As the bound of a row: there is none.
inline constexpr double infinite = std::numeric_limits<double>::infinity();

struct JointRow {
    RowKind kind = RowKind::lock;
    RowAxis axis = RowAxis::point;
    std::uint8_t axis_index = 0;
    std::uint8_t number = 0;  ///< limit_row(axis_index) and so on; identifies the row from step to step
    /// 1: a single row. 3: the first of three rows, whose impulses form a vector with one bound on its length. 0: the
    /// other two.
    std::uint8_t group = 1;
    bool free = true;                                       ///< in the direct solve; otherwise its impulse is constant
    bool clamped = false;                                   ///< reached its bound in this pass; it stays there
    bool upper = false;                                     ///< a limit: the upper one is active, not the lower one
    bool unresponsive = false;                              ///< the locks of its two bodies leave it no response
    std::uint32_t competing_limit = null_index;             ///< of a motor: the row that limits the same axis
    double limits[2] = {};                                  ///< of a limit or lock: lower and upper coordinate
    double speed = 0.0;                                     ///< target, in rows without a position
    double hertz = 0.0, damping_ratio = 0.0, target = 0.0;  ///< of a spring
    double low = 0.0, high = 0.0;  ///< bounds of the impulse; in a group of three, `high` bounds the vector's length

    // Of the sub-step.
    double impulse = 0.0;
    double impulse_before = 0.0;             ///< the impulse when the pass began
    double kept_impulse = 0.0;               ///< the part that scale_impulses() does not scale
    double newton_impulse = 0.0;             ///< the part from the rounds after the first, linear one
    double position = 0.0;                   ///< the coordinate less its target
    double goal = 0.0;                       ///< the value that `position` should have at the end of the sub-step
    double left_open = 0.0;                  ///< how far beyond its limit closing leaves it (joint_closing.h)
    double push = 0.0;                       ///< the position error, as a multiple of what a sub-step may correct
    double response = 0.0;                   ///< J M^-1 J^T of this row alone
    double unlocked_response = 0.0;          ///< the same without the locks of its bodies
    double slack = 0.0;                      ///< added to the row's diagonal entry (regularisation)
    double bias_rate = 0.0, softness = 0.0;  ///< spring: J v + bias_rate * position + softness * impulse = 0
};

/// The properties of a body on which a prepared link and its joints depend.
struct BodyMass {
    float mass = -1.0f;
    std::uint8_t locks = 0;
    vec3 local_center{0.0f};
    dvec3 moments{0.0};

    BodyMass() = default;
    explicit BodyMass(const Body& body)
        : mass(body.mass), locks(body.locks), local_center(body.local_center), moments(body.principal.moments) {}
    bool operator==(const BodyMass&) const = default;
};

/// A body of an articulation.
struct Link {
    std::uint32_t slot = 0;
    std::uint32_t node = null_index;  ///< the node in the matrix, if the body is a hub
    bool dynamic = false;
    BodyMass body_mass;        ///< when it was prepared
    std::uint32_t solver = 0;  ///< solver index; 0: the body does not move in this step
    double inverse_mass[3] = {};
    double mass = 0.0;                                     ///< the largest along any axis
    double max_inertia = 0.0;                              ///< an upper bound of all moments of inertia
    dmat3 start_inertia{0.0}, start_inverse_inertia{0.0};  ///< at the step's start, world axes; 0: it cannot rotate
    dmat3 true_inverse_inertia{0.0};                       ///< at the present rotation
    dmat3 inverse_inertia{0.0};           ///< the one that the rows use: the true one, or less if `implicit`
    bool inertia_rotates = true;          ///< its inertia changes as it rotates, and it has no locked axis
    bool locked = false;                  ///< it has a locked axis
    double unlocked_inverse_mass = 0.0;   ///< without its locks
    dmat3 unlocked_inverse_inertia{0.0};  ///< without its locks
    bool implicit = false;                ///< its rotation is integrated implicitly (implicit_rotation.h)
    bool maybe_implicit = false;
    dmat3 rotation{1.0};                        ///< since the step's start
    Orientation orientation, next_orientation;  ///< now, and predicted for the end of the sub-step
    dvec3 displacement{0.0}, next_displacement{0.0};
    dvec3 velocity_before{0.0}, angular_velocity_before{0.0};  ///< when the pass began
    dvec3 bend{0.0}, bend_angular{0.0};  ///< the part of its velocity that follows curved constraints
    dvec3 push{0.0}, push_angular{0.0};  ///< the part of its velocity for this sub-step's positions only
    dmat3 stiffness{0.0};        ///< stiffness against rotation from the pull of its joints, times a sub-step, N m s
    double max_stiffness = 0.0;  ///< an upper bound of `stiffness`
    // Of a link that may be implicit: see implicit_rotation.h.
    bool pivots = false;               ///< a joint holds it at a point of a body that no impulse moves
    dvec3 pivot{0.0};                  ///< that point, from its centre of mass
    dmat3 pivot_response{0.0};         ///< inverse inertia about that point
    double swing = 0.0;                ///< if `pivots`: see add_swing_about_pivot()
    dmat3 swing_damping{1.0};          ///< if `implicit`: the part of its swing that remains
    dvec3 mean_angular_velocity{0.0};  ///< over the last sub-steps; swing is the difference from it
};

/// A joint of an articulation.
struct SolverJoint {
    std::uint32_t slot = 0;
    JointKind kind = JointKind::ball;
    bool as_point = false;        ///< a distance joint of length 0
    bool anchored = false;        ///< its first three rows are along RowAxis::point
    std::uint8_t side_count = 2;  ///< 4 for gears: both bodies of both joints
    std::uint32_t node = 0;       ///< in the matrix
    std::uint32_t link[4] = {};
    std::uint32_t geared[2] = {};  ///< the joints of a gear, as indices in Articulations::joints
    std::uint32_t first_row = 0, row_count = 0;
    bool rows_moved = true;           ///< it has another number of rows than `first_row` has room for
    std::uint64_t revision = 0;       ///< JointStore::revision() when its rows were made
    std::uint32_t first_bounded = 0;  ///< the joint's rows before this one have no bounds
    JointFrame frame_a, frame_b;
    dvec3 center_offset{0.0};  ///< from A's centre of mass to B's, at the step's start
    double ratio = 1.0, offset = 0.0;
    double angle = 0.0;                             ///< about the main axis, with whole turns, rad
    JointParts parts, next_parts;                   ///< the parts of the two poses that its rows read
    bool locks_swing = false, locks_twist = false;  ///< by rows about RowAxis::small_rotation
    bool beyond_locks = false;                      ///< rotated too far for such rows
    Transform drive_target;
    JointPose pose, next_pose;  ///< now, and predicted for the end of the sub-step
    Coordinates coordinates{}, next_coordinates{};
    dvec3 force{0.0}, torque{0.0};             ///< sum of the impulses on B in this step
    dvec3 old_force{0.0}, old_torque{0.0};     ///< the same when this sub-step began, or at note_impulses()
    dvec3 demand{0.0};                         ///< impulse on B for which the rows asked in this sub-step
    dvec3 load{0.0};                           ///< the largest demand of the last sub-steps
    dvec3 new_load{0.0};                       ///< the demand of this sub-step's solve, in A's axes
    dvec3 next_load{0.0}, kept_new_load{0.0};  ///< see leave_batch()
    double motor_impulses[joint_axes] = {};
    int shift = 0;  ///< number of places by which its axes are shifted from the user's (row_setup.cpp)
};

/// What an articulation keeps from step to step, and what a copied or saved world must have: how closing its joints went.
/// All else follows from the joints and bodies.
struct ClosingRecord {
    int failed = 0;           ///< steps in which closing failed since its joints were last closed
    double most_open = 0.0;   ///< the largest Articulation::open of those steps, m
    double stays_open = 0.0;  ///< opening up to which closing is not tried, m
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(failed, most_open, stays_open);
    }
};

struct Articulation {
    std::uint32_t first_joint = 0, joint_count = 0;
    std::uint32_t first_link = 0, link_count = 0;
    std::uint32_t first_coupling = 0, coupling_count = 0;
    std::uint32_t first_hub = 0, hub_count = 0;
    bool looped = false;          ///< its joints form a loop
    bool redundant = false;       ///< rows may depend on each other: it is looped, or a link has locked axes
    bool implicit = false;        ///< some of its links are implicit
    bool may_float = false;       ///< a tree of dynamic links without locks
    bool floating = false;        ///< a tree of dynamic links without locks that touches nothing immovable
    dvec3 center{0.0};            ///< as in seen_center(): if implicit and floating: centre of mass when the pass began
    dvec3 angular_momentum{0.0};  ///< about `center` when the pass began, plus what contacts have added since, N m s
    dvec3 angular_velocity{0.0};  ///< of the whole when the pass began, rad/s
    double energy = 0.0;          ///< kinetic energy when the pass began, J
    bool pushed = false;          ///< some links have a `push` in their velocities
    bool bent = false;            ///< some links have a `bend` in their velocities
    bool taken = false;           ///< some rows have a taken impulse (JointSolver::take_impulse)
    std::uint32_t batch = null_index;      ///< it is solved in this batch (batches/joint_batches.h); null_index: alone
    std::uint32_t lane = 0;                ///< in the batch
    const BatchLayout* layout = nullptr;   ///< of its batches; null if it does not fit into one
    float substep = 0.0f;                  ///< s, when its rows were made
    bool awake = false;                    ///< a dynamic body of it is awake in this step
    bool changed = true;                   ///< its rows were made anew in this step
    bool begun = false;                    ///< the constant entries of its rows' numbers are filled in
    bool prepared = false;                 ///< its links and joints have the state of this step's start
    JointPass factored = JointPass::none;  ///< the pass whose matrix is factored
    double slack = 0.0;                    ///< if redundant: slack of locks and limits, as a fraction of their response
    bool weak = false;                     ///< its matrix is factored with care for the rest of the step
    bool bounded = false;                  ///< some rows have bounds
    bool springs = false;                  ///< some rows are springs
    bool driven = false;                   ///< some rows are springs or motors
    double open_before = 0.0;              ///< opening of its worst joint when the step began, m
    double open = 0.0;                     ///< opening of its worst joint in the last relax pass, m
    ClosingRecord closings;
    JointCost cost;
};

/// The off-diagonal block of the matrix between a joint and a hub.
struct HubCoupling {
    std::uint32_t joint = 0, side = 0;
    BlockLdl::Place place;
};

/// The number of rows, and of doubles that they need in each of the arrays.
struct RowSizes {
    std::uint32_t rows = 0, jacobian = 0, response = 0, numbers = 0;
};

struct Articulations {
    explicit Articulations(const JointKernel& k) : kernel(&k), matrix(k) {}

    const JointKernel* kernel;
    JointMotions motions;
    float substep = 0.0f;  ///< s

    // joint_topology.h builds these when joints or bodies are added or removed, or a body changes its type.
    std::vector<Articulation> articulations;
    std::vector<SolverJoint> joints;
    std::vector<Link> links;
    std::vector<std::uint32_t> articulation_of_link;
    std::vector<std::uint32_t> link_of_slot;  ///< by body slot, of dynamic bodies; null_index for the others
    std::vector<JointCoupling> couplings;
    std::vector<HubCoupling> hub_couplings;
    BlockLdl matrix;
    JointBatches batches;

    // Of the step.
    const JointStore* user_joints = nullptr;
    std::span<const SolverMass> masses;
    std::vector<std::uint32_t> active;    ///< articulations with an awake body
    std::vector<JointRow> rows;           ///< of all articulations
    std::vector<double> taken_impulses;   ///< by row (JointSolver::take_impulse)
    std::vector<JointRowLayout> layouts;  ///< parallel to joints
    std::vector<JointNode> nodes;         ///< parallel to joints
    std::vector<JointLane> jacobians, responses;
    std::vector<JointLane> residuals;   ///< speeds of the rows, or residuals of their equations
    std::vector<JointLane> changes;     ///< changes of the rows' impulses
    std::vector<JointLane> velocities;  ///< two lanes for each link

    std::span<Link> links_of(const Articulation& a) { return {links.data() + a.first_link, a.link_count}; }
    std::span<const Link> links_of(const Articulation& a) const { return {links.data() + a.first_link, a.link_count}; }
    /// Returns where the centre of mass of the articulation's first link was at the start of the step. Centres are
    /// computed as seen from there, because the sum of a position far out and a displacement would be rounded.
    const dvec3& origin_of(const Articulation& a) const { return (*motions.store)[links[a.first_link].slot].center; }
    /// Returns a link's centre of mass as seen from there, m.
    dvec3 seen_center(const Articulation& a, const Link& link) const {
        return (*motions.store)[link.slot].center - origin_of(a) + link.displacement;
    }
    std::span<SolverJoint> joints_of(const Articulation& a) { return {joints.data() + a.first_joint, a.joint_count}; }
    std::span<const SolverJoint> joints_of(const Articulation& a) const {
        return {joints.data() + a.first_joint, a.joint_count};
    }
    std::span<JointRow> rows_of(const SolverJoint& joint) { return {rows.data() + joint.first_row, joint.row_count}; }
    std::span<const JointRow> rows_of(const SolverJoint& joint) const {
        return {rows.data() + joint.first_row, joint.row_count};
    }
    /// All rows of all joints of an articulation.
    std::span<JointRow> rows_of(const Articulation& a) {
        const SolverJoint &first = joints[a.first_joint], &last = joints[a.first_joint + a.joint_count - 1];
        return {rows.data() + first.first_row, last.first_row + last.row_count - first.first_row};
    }
    std::span<const JointRow> rows_of(const Articulation& a) const {
        const SolverJoint &first = joints[a.first_joint], &last = joints[a.first_joint + a.joint_count - 1];
        return {rows.data() + first.first_row, last.first_row + last.row_count - first.first_row};
    }
    /// Returns the articulation of a dynamic body with joints.
    Articulation& articulation_of(std::uint32_t slot) {
        return articulations[articulation_of_link[link_of_slot[slot]]];
    }
    const Articulation& articulation_of(std::uint32_t slot) const {
        return articulations[articulation_of_link[link_of_slot[slot]]];
    }
    /// Returns the link of a solver body; null_index if the body has no joints or is not dynamic.
    std::uint32_t link_of(std::uint32_t solver) const {
        const std::uint32_t slot = motions.slots[solver];
        return slot < link_of_slot.size() ? link_of_slot[slot] : null_index;
    }
    /// Returns the first awake dynamic link of an active articulation.
    const Link& first_awake_link(const Articulation& a) const {
        std::uint32_t l = a.first_link;
        while (!links[l].dynamic || links[l].solver == 0) ++l;
        return links[l];
    }
    std::uint32_t index_of(const SolverJoint& joint) const {
        return static_cast<std::uint32_t>(&joint - joints.data());
    }
    std::uint32_t index_of(const Articulation& a) const {
        return static_cast<std::uint32_t>(&a - articulations.data());
    }

    // The kernel's view of the data.
    JointRowsInput rows_input(const Articulation& a, std::vector<JointLane>& numbers) {
        return {layouts.data(),  nodes.data(),    a.first_joint,    a.first_joint + a.joint_count,
                flat(jacobians), flat(responses), flat(velocities), flat(numbers)};
    }
    /// Returns a link's velocity; its angular velocity begins four elements later.
    double* velocity_of(std::uint32_t link) { return flat(velocities) + 8 * link; }
    double* residuals_of(const SolverJoint& joint) { return flat(residuals) + layouts[index_of(joint)].numbers; }
    double* changes_of(const SolverJoint& joint) { return flat(changes) + layouts[index_of(joint)].numbers; }
    void clear_velocities(const Articulation& a) { std::fill_n(velocity_of(a.first_link), 8 * a.link_count, 0.0); }

    std::size_t bytes() const;
};

inline dvec3 linear_part(const double* velocity) { return {velocity[0], velocity[1], velocity[2]}; }
inline dvec3 angular_part(const double* velocity) { return {velocity[4], velocity[5], velocity[6]}; }

inline void set_velocity(double* velocity, const dvec3& linear, const dvec3& angular) {
    for (int k = 0; k < 3; ++k) {
        velocity[k] = linear[k];
        velocity[k + 4] = angular[k];
    }
}

inline bool is_bounded(const JointRow& row) { return row.low != -infinite || row.high != infinite; }

/// Locks and limits constrain a position; motors and springs do not.
inline bool has_position(const JointRow& row) { return row.kind == RowKind::lock || row.kind == RowKind::limit; }

/// Whether a motor is free and works away from a limit of its axis. Such a motor comes first: the limit may become active
/// only after the motor has reached its bound. Otherwise the limit would carry the body's weight, and the motor would
/// never act.
inline bool leads_away(const JointRow& motor, const JointRow& limit) {
    return motor.free && (limit.upper ? motor.speed < 0.0 : motor.speed > 0.0);
}

/// Whether a motor is free and would pass a limit of its axis within a sub-step of h seconds.
inline bool presses(const JointRow& motor, const JointRow& limit, double h) {
    const double end = limit.position + h * motor.speed;
    return motor.free && (limit.upper ? motor.speed > 0.0 && end >= 0.0 : motor.speed < 0.0 && end <= 0.0);
}

/// The part of a limit's impulse that its motor gives, because it does not push back from the limit (clamp_rows()).
inline double motor_part(const JointRow& limit, double impulse) {
    return limit.upper ? std::max(impulse, 0.0) : std::min(impulse, 0.0);
}

/// Whether a row is in the direct solve of a pass. A motor is left out while a limit of its axis is active, because the
/// two together would have no unique impulses. The limit then acts for both (clamp_rows()).
inline bool takes_part(const Articulations& s, const JointRow& row, JointPass pass) {
    return row.free && !(pass == JointPass::relax && row.kind == RowKind::spring) &&
           !(row.competing_limit != null_index && s.rows[row.competing_limit].free);
}

}  // namespace talus
