#pragma once
/// Sparse LDL^T of symmetric block matrices, many independent ones side by side: the direct solver of joints.
///
/// A system is a graph: nodes are block rows, edges are off-diagonal blocks. Blocks of a node may be smaller at one
/// factorisation than at the next (rows come and go), never larger than its capacity; the pattern is made once and used
/// until the graph changes. Nodes are eliminated in order of fewest neighbours (minimum degree; ties to the lowest
/// index), phase by phase. A tree is eliminated from its leaves without any fill, so that a chain of n joints costs
/// O(n); a loop adds one chain of blocks.
///
/// Diagonal blocks are positive or negative definite when their turn comes (the matrix is quasi-definite: Vanderbei
/// 1995), so that no pivoting is needed. A pivot that is lost to rounding counts as infinite: its unknown becomes zero.
///
/// This class knows where things are; the arithmetic is in joint_kernel_impl.h.

#include "engine/joint_solver/joint_kernel.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// The numbers of lanes one after the other; null where there are none.
inline double* flat(std::vector<JointLane>& lanes) { return lanes.empty() ? nullptr : lanes.front().at; }
inline const double* flat(const std::vector<JointLane>& lanes) { return lanes.empty() ? nullptr : lanes.front().at; }

class BlockLdl {
public:
    struct NodeDef {
        std::uint32_t capacity = 0;
        std::uint32_t phase = 0;  ///< nodes of a phase are eliminated after all of earlier ones
    };
    struct Edge {
        std::uint32_t a = 0, b = 0;  ///< nodes of the system, a != b; may repeat
    };
    /// A block of the matrix as it is to be filled in, transposed: row i of node `row` with column j of node `column`
    /// at values()[offset + j * width(row) + i].
    struct Place {
        std::uint32_t row = 0, column = 0, offset = 0;
    };

    explicit BlockLdl(const JointKernel& kernel) : kernel_(&kernel) {}

    void clear();
    /// Adds a system; its number is the count before. places[i] says where edges[i] goes.
    void add_system(std::span<const NodeDef> nodes, std::span<const Edge> edges, std::vector<Place>& places);

    std::uint32_t first_node(std::uint32_t system) const { return systems_[system].first; }

    // Numbers. Nodes are counted through all systems in the order in which they were given.
    std::uint32_t width(std::uint32_t node) const { return nodes_[node].width; }
    void set_size(std::uint32_t node, std::uint32_t size);
    double* diagonal(std::uint32_t node) { return values() + nodes_[node].diagonal; }  ///< size rows of the width
    double* block(const Place& place) { return values() + place.offset; }
    /// Right-hand side, then solution.
    double* vector(std::uint32_t node) { return flat(vectors_) + nodes_[node].vector; }

    void clear_fill(std::uint32_t system);  ///< blocks that no edge fills in; sizes must be set
    /// False, and the matrix is lost, where that would be too inexact: then factor_with_care() what is filled in anew.
    bool factor(std::uint32_t system) { return kernel_->factor(input(system)); }
    void factor_with_care(std::uint32_t system) { kernel_->factor_with_care(input(system)); }
    void solve(std::uint32_t system) { kernel_->solve(input(system)); }
    LdlInput input(std::uint32_t system);

    std::size_t bytes() const;

private:
    struct System {
        std::uint32_t first = 0, count = 0;  ///< nodes, and as many places in order_
        std::uint32_t first_fill = 0, fill_count = 0;
        std::uint32_t scratch = 0;
    };
    struct Fill {
        std::uint32_t row = 0, column = 0, offset = 0;
    };
    double* values() { return flat(values_); }

    const JointKernel* kernel_;
    std::vector<System> systems_;
    std::vector<LdlNode> nodes_;
    std::vector<LdlBlock> blocks_;  ///< of a column, in order of elimination
    std::vector<Fill> fills_;
    std::vector<std::uint32_t> order_;  ///< nodes in order of elimination
    std::vector<JointLane> values_, vectors_;
    std::vector<JointLane> scratch_;  ///< a part for each system: they may be worked on at once
};

}  // namespace talus
