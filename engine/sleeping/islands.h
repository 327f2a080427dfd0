#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace talus {

/// Disjoint sets of bodies that touch, by solver index (union by lower root, path halving): the unit that falls asleep
/// together.
///
/// Made afresh in each step from the constraints of awake bodies, so that they depend on what touches alone and not on
/// what touched before. All that has to do with them takes 1.0%, 0.2% and 0.2% of the instructions of pyramid40,
/// hullpile and mixed (callgrind, 60 steps, sleeping off): islands that stay, joined as contacts begin and split by a
/// search before they sleep, could save no more than that. Of what sleeps nothing is looked at, here or elsewhere in
/// the step: 20,000 boxes at rest take 3 us a step, 0.14 ns a body.
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

    /// The same without shortening the way for the next.
    std::uint32_t root(std::uint32_t i) const {
        while (parent_[i] != i) i = parent_[i];
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
