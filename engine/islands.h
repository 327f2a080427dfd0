#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace talus {

/// Disjoint sets of bodies that touch, by solver index (union by lower root, path halving): the unit that falls asleep together.
class Islands {
public:
    void reset(std::uint32_t count) {
        parent_.resize(count);
        std::iota(parent_.begin(), parent_.end(), 0u);
    }

    std::uint32_t find(std::uint32_t i) {
        while (parent_[i] != i) {
            parent_[i] = parent_[parent_[i]];
            i = parent_[i];
        }
        return i;
    }

    void join(std::uint32_t i, std::uint32_t j) {
        i = find(i);
        j = find(j);
        if (i < j) parent_[j] = i;
        if (j < i) parent_[i] = j;
    }

    std::size_t bytes() const { return parent_.capacity() * sizeof(std::uint32_t); }

private:
    std::vector<std::uint32_t> parent_;
};

}  // namespace talus
