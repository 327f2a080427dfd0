#pragma once
/// Internal: the loops of the joint solver that work on rows of numbers, compiled twice: for SSE2 and for AVX2, to the
/// same bits; which ones run is chosen at run time.
///
/// The rows of a joint lie side by side in lanes: a number of each row, filled up with zeros to a multiple of four
/// doubles (the `width`). So what is done for all rows of a joint (five of a hinge) is done by vectors of four,
/// whatever the articulation's shape. A 3 x 3 block of a chain of balls is three vectors, a 5 x 5 block of a chain of
/// hinges ten.
///
/// Plain data only, for the same reason as in solver_kernel.h. Offsets and widths count doubles and are multiples of
/// four.

namespace talus {

inline constexpr unsigned joint_lanes = 4;
inline constexpr unsigned joint_width(unsigned rows) { return (rows + joint_lanes - 1) / joint_lanes * joint_lanes; }

/// Four doubles as they lie in registers.
struct alignas(32) JointLane {
    double at[joint_lanes] = {};
};

/// All rows of a joint.
struct JointRows {
    unsigned count = 0, width = 0;
    unsigned sides = 2;  ///< bodies; a gear has four
    unsigned link[4] = {};
    unsigned jacobian = 0;  ///< [side][6][width]: what the row's speed takes of velocity and spin
    unsigned response = 0;  ///< [row][side][8]: velocity and spin that a unit of impulse gives, x y z and a zero each
    unsigned numbers = 0;   ///< [width]: place of the rows' speeds and impulses
};

/// Those of them that are in the matrix: a block row. The others leave zeros there.
struct JointNode {
    unsigned size = 0, width = 0;  ///< up to the last that is
    unsigned parts = 0;            ///< a bit a row: it is
    unsigned jacobian = 0;         ///< as above, zero for those that are not
    unsigned hubs = 0;             ///< a bit a side: what its body adds is not in this block (block_ldl.h)
};

/// Bodies that two block rows share: an off-diagonal block.
struct JointCoupling {
    unsigned row = 0, column = 0;  ///< joints
    unsigned row_side = 0, column_side = 0;
    unsigned place = 0;  ///< of the block
    bool adds = false;   ///< to what another coupling has put there
};

struct JointRowsInput {
    const JointRows* rows;
    const JointNode* nodes;  ///< parallel to it
    unsigned first, last;    ///< joints
    double* jacobians;
    const double* responses;
    double* velocities;  ///< [link][8]: velocity, a zero, spin, a zero
    double* numbers;     ///< speeds, or changes of impulses
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
    bool fill = false;    ///< nothing but what elimination puts there
};

struct LdlInput {
    const LdlNode* nodes;
    const LdlBlock* blocks;
    const unsigned* order;  ///< nodes in order of elimination
    unsigned count;
    double *values, *vectors;
    double* scratch;  ///< room for the largest block
};

struct JointKernel {
    /// numbers = J v, for all rows.
    void (*speeds)(const JointRowsInput&);
    /// velocities += M^-1 J^T numbers.
    void (*apply)(const JointRowsInput&);
    /// Jacobians of the nodes that are not whole joints.
    void (*select)(const JointRowsInput&);
    /// Diagonal blocks J M^-1 J^T; `first_node` is that of the first joint.
    void (*diagonals)(const JointRowsInput&, const LdlInput&, unsigned first_node);
    void (*couplings)(const JointRowsInput&, const LdlInput&, const JointCoupling* couplings, unsigned count);
    /// L D L^T in place: inverses of the blocks of D, and below L^T, block by block.
    /// False, and the matrix is lost, where that would be too inexact.
    bool (*factor)(const LdlInput&);
    /// The same, at twice the cost, as exact as the numbers of the matrix are.
    void (*factor_with_care)(const LdlInput&);
    void (*solve)(const LdlInput&);
};

extern const JointKernel joint_kernel_sse2, joint_kernel_avx2;

}  // namespace talus
