#pragma once
/// Colours contacts so that no two of one colour share a body that can be pushed: such contacts can be solved side by side in
/// SIMD lanes (and in threads) with the same result as one after the other.
///
/// Greedy, afresh each step, in contact order: each contact takes the lowest colour that neither body uses yet (64-bit masks).
/// Contacts between two dynamic bodies come first, contacts with immovable bodies last: what stands on the ground gets
/// the last word in each sweep. A body with more contacts than colours spills into the overflow colour, solved one by one.

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// Contacts `contacts[first .. first + count)` of one colour; `parallel` is false for the overflow colour.
struct ContactColor {
    std::uint32_t first = 0, count = 0;
    bool parallel = true;
    bool immovable = false;  ///< one body of each contact can't be pushed
};

class ConstraintGraph {
public:
    struct Edge {
        std::uint32_t contact;
        std::uint32_t a, b;         ///< solver indices; 0 cannot be pushed
        std::uint32_t point_count;  ///< contacts of one colour are grouped by it, most points first
        bool pushes_a, pushes_b;    ///< has inverse mass
    };

    /// Colours `edges` for `body_count` solver bodies.
    void build(std::span<const Edge> edges, std::uint32_t body_count);

    std::span<const ContactColor> colors() const { return colors_; }
    /// Edge indices in solving order: by colour, then by point count, then by edge order.
    std::span<const std::uint32_t> order() const { return order_; }
    std::size_t bytes() const;

private:
    std::vector<ContactColor> colors_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint64_t> used_, used_immovable_;  ///< a bit a colour, by body
    std::vector<std::uint16_t> bucket_;                 ///< by edge: colour * 4 + (4 - point count)
};

}  // namespace talus
