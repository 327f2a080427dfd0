#pragma once
/// The order in which the bodies of a stiff group are eliminated, and where its blocks and their products go.
///
/// Both are kept in the group while the same bodies touch. This class keeps only scratch memory.

#include "engine/stiff_groups/stiff_group.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace talus {

class EliminationOrder {
public:
    /// Finds the order (minimum degree, the lowest index of equals) and sorts the group's bodies by it. Returns false, as soon as
    /// that is known, for a group whose factors are too much work.
    bool find(StiffGroup& group);

    std::size_t bytes() const;

private:
    bool eliminate(StiffGroup& group);

    std::vector<GroupBody> bodies_;
    std::vector<std::vector<std::uint32_t>> neighbours_;
    std::vector<std::uint32_t> merged_;
    std::vector<std::uint64_t> heap_;
};

/// Returns the block below the diagonal of these two positions; row > column.
std::uint32_t block_of(const StiffGroup& group, std::uint32_t row, std::uint32_t column);

}  // namespace talus
