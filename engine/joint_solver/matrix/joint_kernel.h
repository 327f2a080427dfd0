#pragma once
/// The inner loops of the joint solver. They are compiled twice, for every processor and for AVX2, and both give the same bits.
/// The kernel that runs is chosen at run time.
///
/// The rows of a joint lie side by side in lanes: one number per row, padded with zeros to a multiple of four doubles
/// (the `width`). So all rows of a joint (five of a hinge) are processed in vectors of four, whatever the shape of the
/// articulation. A 3 x 3 block of a chain of ball joints takes three vectors, a 5 x 5 block of a chain of hinges ten.
///
/// This header contains plain data only, because a file compiled for AVX2 may include neither glm nor the standard
/// library (solver_kernel.h says why). Offsets and widths count doubles and are multiples of four.

namespace talus {

/// Relative size of a pivot below which it is rounding: its ratio to the diagonal entry from which it came.
inline constexpr double lost_pivot = 1e-14;
/// The most rows that a joint may have; the widest block row has all of them.
inline constexpr unsigned most_joint_rows = 28;

inline constexpr unsigned joint_lanes = 4;
inline constexpr unsigned joint_width(unsigned rows) { return (rows + joint_lanes - 1) / joint_lanes * joint_lanes; }

/// Four doubles, as in a register.
struct alignas(32) JointLane {
    double at[joint_lanes] = {};
};

/// The layout of the numbers of all rows of a joint.
struct JointRowLayout {
    unsigned count = 0, width = 0;
    unsigned sides = 2;  ///< bodies; a gear has four
    unsigned link[4] = {};
    unsigned jacobian = 0;  ///< [side][6][width]: factors of velocity and angular velocity in the row's speed
    unsigned response = 0;  ///< [row][side][8]: changes of velocity, 0, angular velocity, 0, by a unit impulse
    unsigned numbers = 0;   ///< [width]: speeds, residuals, impulse changes
};

/// The rows of a joint that are in the matrix: one block row. The lanes of the other rows hold zeros there.
struct JointNode {
    unsigned size = 0, width = 0;  ///< number of rows up to the last one that is in the matrix
    unsigned parts = 0;            ///< one bit per row: the row is in the matrix
    unsigned jacobian = 0;         ///< as in JointRowLayout, with zeros for rows that are not in the matrix
    unsigned hubs = 0;             ///< one bit per side: its body is a hub, which is not part of this block
};

/// A body that two block rows share: an off-diagonal block, or a part of it.
struct JointCoupling {
    unsigned row = 0, column = 0;  ///< joints
    unsigned row_side = 0, column_side = 0;
    unsigned place = 0;  ///< offset of the block
    bool adds = false;   ///< adds to what another coupling has written there
};

struct JointRowsInput {
    const JointRowLayout* rows;
    const JointNode* nodes;  ///< parallel to `rows`
    unsigned first, last;    ///< joints
    double* jacobians;
    const double* responses;
    double* velocities;  ///< [link][8]: velocity, 0, angular velocity, 0
    double* numbers;     ///< speeds, or impulse changes
};

/// A node of a sparse matrix of blocks (block_ldl.h).
struct LdlNode {
    unsigned size = 0, width = 0;
    unsigned capacity = 0;
    unsigned diagonal = 0;                      ///< [size][width]
    unsigned vector = 0;                        ///< [width]
    unsigned first_block = 0, block_count = 0;  ///< below the diagonal
};

struct LdlBlock {
    unsigned row = 0;     ///< node
    unsigned offset = 0;  ///< [size of the column][width of the row]
    bool fill = false;    ///< only elimination writes there
};

struct LdlInput {
    const LdlNode* nodes;
    const LdlBlock* blocks;
    const unsigned* order;  ///< nodes in order of elimination
    unsigned count;
    double *values, *vectors;
    double* scratch;  ///< as large as the largest block
};

struct JointKernel {
    /// numbers = J v for all rows.
    void (*speeds)(const JointRowsInput&);
    /// velocities += M^-1 J^T numbers.
    void (*apply)(const JointRowsInput&);
    /// Copies the Jacobians of the nodes that do not have all rows of their joint, with zeros for the others.
    void (*select)(const JointRowsInput&);
    /// Writes the diagonal blocks J M^-1 J^T; `first_node` is the node of the first joint.
    void (*diagonals)(const JointRowsInput&, const LdlInput&, unsigned first_node);
    /// Writes the off-diagonal blocks.
    void (*couplings)(const JointRowsInput&, const LdlInput&, const JointCoupling* couplings, unsigned count);
    /// Factors in place, L D L^T: the result has the inverses of the blocks of D, and below them the blocks of L^T.
    /// Returns false if the result would be too inexact; the matrix is lost then.
    bool (*factor)(const LdlInput&);
    /// The same at twice the cost, and as exact as the numbers of the matrix are.
    void (*factor_with_care)(const LdlInput&);
    /// Solves with the factors, in place: right-hand sides become solutions.
    void (*solve)(const LdlInput&);
};

extern const JointKernel joint_kernel_base, joint_kernel_avx2;

/// Returns the kernel for this processor.
const JointKernel& best_joint_kernel();

}  // namespace talus
