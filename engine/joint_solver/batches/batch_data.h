#pragma once
/// The data of a batch: articulations of equal layout, one per lane.
///
/// Two articulations have the same layout if their links form the same tree and their joints have the same rows. A
/// layout says what all lanes have in common. Records hold the numbers, one per lane; `D` is a vector of as many doubles
/// as there are lanes, or an array of them in code that is not compiled for wide registers.
///
/// The memory that a pass reads and writes decides what it costs. So records hold only what continues from pass to
/// pass. The rest is in a workspace, which is used by one batch after the other and stays in the processor's cache.
///
/// Masks are numbers: 1 for true, 0 for false. Plain data: joint_kernel.h says why.

#include "engine/bodies/solver_body.h"
#include "engine/joint_solver/row_kinds.h"

namespace talus {

/// A batch has four lanes, or eight where the processor has registers for eight doubles and there are enough
/// articulations.
inline constexpr unsigned least_batch_lanes = 4, most_batch_lanes = 8;

/// One number per lane, as in a register.
template <unsigned lanes>
struct alignas(8 * lanes) BatchLanes {
    double at[lanes];
};
/// The unit in which memory for batches is taken.
struct alignas(64) BatchChunk {
    double at[8];
};

// ---- Layout ----------------------------------------------------------------------------------------------------------

struct BatchRowLayout {
    RowKind kind = RowKind::lock;
    RowAxis axis = RowAxis::point;
    unsigned char axis_index = 0;
    unsigned char number = 0;  ///< JointRow::number
    bool has_limit = false;    ///< of a motor: the row before it limits the same axis
    bool has_motor = false;    ///< of a limit: the row after it is such a motor
    unsigned record = 0;       ///< its BatchRow; rows along RowAxis::point have none
};

struct BatchJointLayout {
    unsigned link[2] = {};
    unsigned first_row = 0, row_count = 0;
    unsigned first_bounded = 0;  ///< the joint's rows before this one have no bounds
    bool is_distance = false, is_wheel = false, is_ball = false;
    /// Its first three rows are along RowAxis::point, and all others are rotations.
    bool anchored = false;
    bool locks_swing = false, locks_twist = false;
    bool axes = false;                          ///< its rows read the axes of its frames
    bool twist = false, swing = false;          ///< they read the coordinates about x, or the other rotations
    bool counts = false;                        ///< its twist is counted in whole turns
    bool springs = false;                       ///< some of its rows are springs
    unsigned diagonal = 0;                      ///< place of its diagonal block in the matrix
    unsigned first_block = 0, block_count = 0;  ///< blocks below it
    unsigned first_update = 0;                  ///< places that its elimination changes: for each two of its blocks
};

/// An off-diagonal block of the matrix, between a joint and one that is eliminated later. They share a dynamic link.
struct BatchBlock {
    unsigned joint = 0;                 ///< the later one
    unsigned side = 0, other_side = 0;  ///< sides on which the earlier and the later joint have the link
    unsigned place = 0;
};

/// The layout as the kernel reads it.
struct BatchLayoutView {
    const unsigned char* dynamic;  ///< by link
    const BatchJointLayout* joints;
    const BatchRowLayout* rows;
    const BatchBlock* blocks;
    const unsigned* updates;
    const unsigned* order;  ///< joints in order of elimination
    unsigned links, joint_count, row_count;
    bool bounded;  ///< some rows have bounds
    bool springs;  ///< some rows are springs
};

// ---- Records ---------------------------------------------------------------------------------------------------------

template <class D>
struct LaneVec {
    D x, y, z;
};
/// Columns.
template <class D>
struct LaneMat {
    LaneVec<D> x, y, z;
};
template <class D>
struct LaneSym {
    D xx, yy, zz, xy, xz, yz;
};
template <class D>
struct LaneQuat {
    D w, x, y, z;
};

/// See Link in articulations.h. World axes.
template <class D>
struct alignas(sizeof(D)) BatchLink {
    // Of the step.
    D inverse_mass, mass, max_inertia;
    LaneVec<D> moments, inverse_moments;     ///< of inertia about the principal axes
    LaneVec<D> start_center;                 ///< at the step's start, as seen from the articulation's first link
    LaneQuat<D> start_rotation, start_axes;  ///< at the step's start: of the body, and of its principal axes
    // Of the sub-step.
    LaneVec<D> mean_spin;
    LaneVec<D> displacement;
    LaneQuat<D> rotation;
    LaneSym<D> inertia, inverse_inertia;
    D implicit;
    LaneMat<D> swing_damping;  ///< where `implicit`
};

/// See SolverJoint in articulations.h.
template <class D>
struct alignas(sizeof(D)) BatchJoint {
    LaneVec<D> frame_arm[2];  ///< body axes
    LaneVec<D> center_offset;
    LaneVec<D> lever[2];  ///< arms of its rows: minus the one from A's centre of mass to B's anchor, and B's
    LaneVec<D> apart;
    LaneMat<D> point_response[2];  ///< if anchored: changes of angular velocity by a unit impulse of each point row
    LaneVec<D> load, next_load;    ///< used by the last evaluation; to be used by the next one
    LaneVec<D> new_load, demand;
    LaneVec<D> force, old_force;
    D angle;
    LaneVec<D> torque, old_torque;
    LaneMat<D> frame_axes[2];  ///< of the frames in the bodies
    LaneQuat<D> frame_rotation[2];
};

/// A row that is not along RowAxis::point. See JointRow in articulations.h.
template <class D>
struct alignas(sizeof(D)) BatchRow {
    LaneVec<D> turn_response[2];  ///< changes of angular velocity by a unit impulse
    LaneVec<D> axis;              ///< of a rotation; else the linear part of the Jacobian for B
    LaneVec<D> turn[2];           ///< angular parts of the Jacobian, unless it is a rotation
    D position, goal, response;
    D free, clamped, upper;
    D low, high, motor_impulse;
    D target;               ///< speed of a motor, or position of a spring
    D bias_rate, softness;  ///< of a spring: JointRow::bias_rate; JointRow::softness as a multiple of its response
    D limit[2];
    D cosine[2], sine[2];          ///< of half of these; only along RowAxis::twist
    D middle_cosine, middle_sine;  ///< of half of their mean
};

/// A link in the workspace.
template <class D>
struct alignas(sizeof(D)) BatchMotion {
    LaneVec<D> velocity, spin;                ///< in this pass
    LaneVec<D> velocity_before, spin_before;  ///< when the pass began
    LaneMat<D> axes;                          ///< matrix of BatchLink::rotation
    LaneSym<D> response;                      ///< inverse inertia that the rows use, less where `implicit`
    LaneSym<D> stiffness;
    D max_stiffness;
    LaneVec<D> pivot;  ///< if `pivots`: Link::pivot
    bool pivots;
    // Predicted for the end of the sub-step.
    LaneVec<D> displacement;
    LaneMat<D> next_axes;
    LaneQuat<D> rotation;
};

/// A joint in the workspace: its pose now, or the one predicted for the end of the sub-step.
template <class D>
struct alignas(sizeof(D)) BatchPose {
    LaneVec<D> apart;
    LaneMat<D> a, b;
    LaneQuat<D> relative;
    D coordinates[6];
};

/// The bodies of a link, one per lane.
struct BatchBodies {
    SolverBody* body[most_batch_lanes] = {};
    float* turn[most_batch_lanes] = {};      ///< x of its rotation since the step's start
    unsigned stride[most_batch_lanes] = {};  ///< distance of y, z and w from each other in memory, floats
};

/// An impulse on a link of one lane, at its centre of mass, N s, and a moment, N m s.
struct BatchPush {
    unsigned lane = 0, link = 0;
    double impulse[3] = {}, moment[3] = {};
    unsigned batch = 0, order = 0;  ///< only the caller reads these
};

struct JointBatchView {
    BatchLayoutView layout;
    const BatchBodies* bodies;      ///< by link
    void *links, *joints, *rows;    ///< records
    void *impulses, *slacks;        ///< by row
    void *values, *inverse_pivots;  ///< of the matrix: blocks; reciprocals of pivots by row
    unsigned *in_matrix, *sizes;    ///< by joint: one bit per row that is in the matrix, and their number
    // The workspace.
    void *motions, *poses;
    void* numbers;  ///< five by row: residual, change, impulse before, part of it by Newton's method, right-hand side
    void* masks;    ///< one by row
    void* members;  ///< by joint, batch_member_bytes each
    int momentum, handed_out;  ///< distances from a body's turn, floats (BodyMotions::SpinPlaces)
    unsigned used;             ///< one bit per lane
    unsigned floating;         ///< one bit per lane (Articulation::floating)
    unsigned refused;          ///< the lanes that evaluate() has found to need the general solver
    double substep;
    float max_speed;
    JointPass factored;             ///< the pass whose matrix is factored
    bool members_known;             ///< the workspace holds the members of the matrix that was factored last
    double open[most_batch_lanes];  ///< out: opening of the worst joint, m
    unsigned rounds[most_batch_lanes], factorizations[most_batch_lanes];
};
inline constexpr unsigned batch_numbers = 6;        ///< by row in the workspace, with the mask
inline constexpr unsigned batch_member_bytes = 64;  ///< by joint in the workspace

struct BatchKernel {
    unsigned lanes;
    /// Evaluates links, joints and rows at the present poses, at the step's start.
    void (*evaluate)(JointBatchView&);
    /// The two passes. They return the lanes that need the general solver, one bit per lane: for these nothing is done.
    unsigned (*solve)(JointBatchView&);
    unsigned (*relax)(JointBatchView&);
    /// Finds the velocities that pushes give to articulations at rest: BatchMotion::velocity and spin in the workspace.
    void (*respond)(JointBatchView&, const BatchPush* pushes, unsigned count);
    /// Applies pushes after a solve, and solves the lanes of `used` again.
    void (*solve_again)(JointBatchView&, const BatchPush* pushes, unsigned count);
};

extern const BatchKernel batch_kernel_base, batch_kernel_avx2, batch_kernel_avx512;

/// Returns the kernel of this processor for a batch of so many articulations.
const BatchKernel& best_batch_kernel(unsigned articulations);

}  // namespace talus
