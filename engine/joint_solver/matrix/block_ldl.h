#pragma once
/// Sparse LDL^T factorisation of symmetric block matrices: many independent systems side by side. It is the direct
/// solver of joints.
///
/// A system is a graph: nodes are block rows, edges are off-diagonal blocks. The size of a node may differ from
/// factorisation to factorisation, up to its capacity, because rows come and go. The pattern is made once and used
/// until the graph changes. Nodes are eliminated phase by phase, the one with the fewest neighbours first (minimum
/// degree; ties to the lowest index). A tree is eliminated from its leaves without fill, so a chain of n joints costs
/// O(n). A loop adds one chain of blocks.
///
/// Diagonal blocks are positive or negative definite when they are eliminated (the matrix is quasi-definite: Vanderbei
/// 1995), so that no pivoting is needed. A pivot that is lost to rounding counts as infinite: its unknown becomes zero.
///
/// Input: the graph, in add_system(); then, for each factorisation, the sizes of the nodes (set_size), the numbers of
/// the blocks (diagonal(), block()), and a right-hand side (vector()). Output: the solution in vector(). The pattern
/// and the factors are kept until clear(). This class knows where the blocks are; the arithmetic is in
/// joint_kernel_impl.h. Different systems may be worked on at the same time.

#include "engine/joint_solver/matrix/joint_kernel.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// Returns the numbers of the lanes as one array; null if there are none.
inline double* flat(std::vector<JointLane>& lanes) { return lanes.empty() ? nullptr : lanes.front().at; }
inline const double* flat(const std::vector<JointLane>& lanes) { return lanes.empty() ? nullptr : lanes.front().at; }

class BlockLdl {
public:
    struct NodeDef {
        std::uint32_t capacity = 0;
        std::uint32_t phase = 0;  ///< nodes of a phase are eliminated after all nodes of earlier phases
    };
    struct Edge {
        std::uint32_t a = 0, b = 0;  ///< nodes of the system, a != b; may repeat
    };
    /// A block of the matrix, which is stored transposed: row i of node `row` with column j of node `column` is entry
    /// [j * width(row) + i] of block().
    struct Place {
        std::uint32_t row = 0, column = 0, offset = 0;
    };

    explicit BlockLdl(const JointKernel& kernel) : kernel_(&kernel) {}

    void clear();
    /// Adds a system. Its number is the number of systems before the call. places[i] becomes the place of edges[i].
    void add_system(std::span<const NodeDef> nodes, std::span<const Edge> edges, std::vector<Place>& places);

    std::uint32_t first_node(std::uint32_t system) const { return systems_[system].first; }

    // Nodes are numbered consecutively over all systems, in the order in which they were added.
    std::uint32_t width(std::uint32_t node) const { return nodes_[node].width; }
    void set_size(std::uint32_t node, std::uint32_t size);
    double* diagonal(std::uint32_t node) { return values() + nodes_[node].diagonal; }  ///< [size][width]
    double* block(const Place& place) { return values() + place.offset; }
    /// The right-hand side, then the solution.
    double* vector(std::uint32_t node) { return flat(vectors_) + nodes_[node].vector; }

    /// Clears the blocks that no edge fills. The sizes must be set.
    void clear_fill(std::uint32_t system);
    /// Factors the matrix. Returns false if the result would be too inexact. The matrix is lost then: fill it again and
    /// call factor_with_care().
    bool factor(std::uint32_t system) { return kernel_->factor(input(system)); }
    void factor_with_care(std::uint32_t system) { kernel_->factor_with_care(input(system)); }
    void solve(std::uint32_t system) { kernel_->solve(input(system)); }
    LdlInput input(std::uint32_t system);

    std::size_t bytes() const;

private:
    struct System {
        std::uint32_t first = 0, count = 0;  ///< its nodes, and its places in order_
        std::uint32_t first_fill = 0, fill_count = 0;
        std::uint32_t scratch = 0;
    };
    struct Fill {
        std::uint32_t row = 0, column = 0, offset = 0;
    };
    double* values() { return flat(values_); }
    /// Finds the position of each node of a new system in the order of elimination, and the nodes below it in its
    /// column. Eliminating a node makes its neighbours neighbours of each other; they are the blocks of its column.
    void eliminate(std::span<const NodeDef> nodes, std::span<const Edge> edges, std::vector<std::uint32_t>& position,
                   std::vector<std::vector<std::uint32_t>>& columns);
    void add_blocks(System& system, std::span<const NodeDef> nodes,
                    const std::vector<std::vector<std::uint32_t>>& columns);
    void find_places(System& system, std::span<const Edge> edges, std::span<const std::uint32_t> position,
                     const std::vector<std::vector<std::uint32_t>>& columns, std::vector<Place>& places);

    const JointKernel* kernel_;
    std::vector<System> systems_;
    std::vector<LdlNode> nodes_;
    std::vector<LdlBlock> blocks_;  ///< by column, in order of elimination
    std::vector<Fill> fills_;
    std::vector<std::uint32_t> order_;  ///< nodes in order of elimination
    std::vector<JointLane> values_, vectors_;
    std::vector<JointLane> scratch_;  ///< each system has its own part
};

}  // namespace talus
