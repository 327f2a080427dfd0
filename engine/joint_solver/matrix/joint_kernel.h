#pragma once
/// The inner loops of the joint solver, compiled twice: for SSE2 and for AVX2, with the same bits. Which ones run is chosen at run
/// time.
///
/// The rows of a joint lie side by side in lanes: one number per row, filled up with zeros to a multiple of four doubles (the
/// `width`). So the work on all rows of a joint (five of a hinge) is done in vectors of four, whatever the shape of the
/// articulation. A 3 x 3 block of a chain of ball joints is three vectors, a 5 x 5 block of a chain of hinges ten.
///
/// This header contains plain data only, because a file compiled for AVX2 may include neither glm nor the standard library
/// (solver_kernel.h says why). Offsets and widths count doubles and are multiples of four.

namespace talus {

inline constexpr unsigned joint_lanes = 4;
inline constexpr unsigned joint_width(unsigned rows) { return (rows + joint_lanes - 1) / joint_lanes * joint_lanes; }

/// Four doubles as they lie in a register.
struct alignas(32) JointLane {
    double at[joint_lanes] = {};
};

/// Where the numbers of all rows of a joint are.
struct JointRowLayout {
    unsigned count = 0, width = 0;
    unsigned sides = 2;  ///< bodies; a gear has four
    unsigned link[4] = {};
    unsigned jacobian = 0;  ///< [side][6][width]: factors of velocity and angular velocity in the row's speed
    unsigned response = 0;  ///< [row][side][8]: velocity, 0, angular velocity, 0, by a unit of impulse
    unsigned numbers = 0;   ///< [width]: speeds, residuals, impulse changes
};

/// The rows of a joint that are in the matrix: one block row. The lanes of the other rows hold zeros there.
struct JointNode {
    unsigned size = 0, width = 0;  ///< up to the last row that is in the matrix
    unsigned parts = 0;            ///< one bit per row: it is in the matrix
    unsigned jacobian = 0;         ///< as in JointRowLayout, with zeros for the other rows
    unsigned hubs = 0;             ///< one bit per side: its body is a hub, whose part is not in this block
};

/// A body that two block rows share: an off-diagonal block, or a part of it.
struct JointCoupling {
    unsigned row = 0, column = 0;  ///< joints
    unsigned row_side = 0, column_side = 0;
    unsigned place = 0;  ///< offset of the block
    bool adds = false;   ///< to what another coupling has written there
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
    /// Copies the Jacobians of the nodes that do not have all rows of their joint.
    void (*select)(const JointRowsInput&);
    /// Writes the diagonal blocks J M^-1 J^T; `first_node` is the node of the first joint.
    void (*diagonals)(const JointRowsInput&, const LdlInput&, unsigned first_node);
    /// Writes the off-diagonal blocks.
    void (*couplings)(const JointRowsInput&, const LdlInput&, const JointCoupling* couplings, unsigned count);
    /// Factors in place, L D L^T: the inverses of the blocks of D, and below them the blocks of L^T. Returns false, and the
    /// matrix is lost, where the result would be too inexact.
    bool (*factor)(const LdlInput&);
    /// The same at twice the cost, as exact as the numbers of the matrix are.
    void (*factor_with_care)(const LdlInput&);
    /// Solves with the factors, in place: right-hand sides become solutions.
    void (*solve)(const LdlInput&);
};

extern const JointKernel joint_kernel_sse2, joint_kernel_avx2;

/// Returns the kernel for this processor.
const JointKernel& best_joint_kernel();

}  // namespace talus
