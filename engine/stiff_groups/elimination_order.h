#pragma once
/// The order in which the bodies of a stiff group are eliminated, and the places of its blocks and of their products.
///
/// The group keeps both while the same bodies touch. This class keeps only scratch memory.

#include "engine/stiff_groups/stiff_group.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace talus {

class EliminationOrder {
public:
    /// Finds the order (minimum degree, ties to the lowest index) and sorts the group's bodies by it. Returns false for
    /// a group whose factors are too much work, as soon as that is known.
    bool find(StiffGroup& group);

    std::size_t bytes() const;

private:
    bool eliminate(StiffGroup& group);

    std::vector<GroupBody> bodies_;
    std::vector<std::vector<std::uint32_t>> neighbours_;
    std::vector<std::uint32_t> merged_;
    std::vector<std::uint64_t> heap_;
};

/// Returns the index of the block below the diagonal at these two positions; row > column.
std::uint32_t block_of(const StiffGroup& group, std::uint32_t row, std::uint32_t column);

}  // namespace talus
