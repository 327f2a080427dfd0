#pragma once
/// Sparse LDL^T of symmetric block matrices, many independent ones side by side: the direct solver of joints.
///
/// A system is a graph: nodes are block rows, edges are off-diagonal blocks. Blocks of a node may be smaller at one factorisation than at
/// the next (rows come and go), never larger than its capacity; the pattern is made once and used until the graph changes. Nodes
/// are eliminated in order of fewest neighbours (minimum degree; ties to the lowest index), those called last after all others.
/// A tree is eliminated from its leaves without any fill, so that a chain of n joints costs O(n); a loop adds one chain of blocks.
///
/// Diagonal blocks are positive definite but for those of `negative` nodes, which are negative definite when their turn comes (the
/// matrix is quasi-definite: Vanderbei 1995), so that no pivoting is needed. A pivot that is lost to rounding counts as
/// infinite: its unknown becomes zero.

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// Lower Cholesky factor of an n x n matrix in place (its lower triangle, row by row), with the reciprocals of the diagonal on the diagonal: 0
/// where the pivot was lost.
void cholesky(double* a, std::uint32_t n);
/// x := C^-1 x.
void forward(const double* c, std::uint32_t n, double* x);

class BlockLdl {
public:
    struct NodeDef {
        std::uint32_t capacity = 0;
        bool last = false;      ///< eliminated after all that are not
        bool negative = false;
    };
    struct Edge {
        std::uint32_t a = 0, b = 0;  ///< nodes of the system, a != b; may repeat
    };
    /// A block of the matrix, as its rows are to be filled in: row i of node `row` with column j of node `column` at
    /// values[i * size(column) + j].
    struct Place {
        std::uint32_t row = 0, column = 0, offset = 0;
    };

    void clear();
    /// Adds a system; its number is the count before. places[i] says where edges[i] goes.
    void add_system(std::span<const NodeDef> nodes, std::span<const Edge> edges, std::vector<Place>& places);

    std::uint32_t first_node(std::uint32_t system) const { return systems_[system].first; }

    // Numbers. Nodes are counted through all systems in the order in which they were given.
    std::uint32_t size(std::uint32_t node) const { return nodes_[node].size; }
    void set_size(std::uint32_t node, std::uint32_t size) { nodes_[node].size = size; }
    void set_zero(std::uint32_t system);                     ///< all blocks; sizes must be set
    double* diagonal(std::uint32_t node) { return &values_[nodes_[node].diagonal]; }  ///< size * size, row by row
    double* block(const Place& place) { return &values_[place.offset]; }
    double* vector(std::uint32_t node) { return &vector_[nodes_[node].vector]; }      ///< right-hand side, then solution

    void factor(std::uint32_t system);  ///< the lower triangle of diagonal blocks is read
    void solve(std::uint32_t system);

    /// Multiplications and additions of one factorisation with all blocks at capacity.
    double work(std::uint32_t system) const { return systems_[system].work; }
    std::size_t bytes() const;

private:
    struct Node {
        std::uint32_t size = 0, capacity = 0;
        std::uint32_t diagonal = 0, vector = 0;          ///< offsets
        std::uint32_t first_block = 0, block_count = 0;  ///< below the diagonal
        bool negative = false;
    };
    struct Block {
        std::uint32_t row = 0;  ///< node
        std::uint32_t offset = 0;
    };
    struct System {
        std::uint32_t first = 0, count = 0;  ///< nodes, and as many places in order_
        std::uint32_t values = 0, value_count = 0;
        double work = 0.0;
    };

    std::vector<System> systems_;
    std::vector<Node> nodes_;
    std::vector<Block> blocks_;         ///< of a column, in order of elimination
    std::vector<std::uint32_t> order_;  ///< nodes in order of elimination
    std::vector<double> values_, vector_;
};

}  // namespace talus
