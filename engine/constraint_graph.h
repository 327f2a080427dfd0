#pragma once
/// Colours contacts so that no two of one colour share a body that can be pushed: such contacts can be solved side by side in
/// SIMD lanes and in threads with the same result as one after the other.
///
/// A contact keeps the colour it had in the last step as long as it is free; others take, in contact order, the lowest one that
/// neither body uses yet (64-bit masks). So what comes and goes changes the order of solving where it is, and nowhere else: warm
/// started sweeps go on where they stood. A colour that has become rare gives its contacts away to lower ones.
/// Contacts between two dynamic bodies come first, contacts with immovable bodies last: what stands on the ground gets
/// the last word in each sweep. A body with more contacts than colours spills into the overflow colour, solved one by one.

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

inline constexpr std::uint8_t no_color = 0xff;
inline constexpr std::uint32_t no_link = 0xffffffffu;

/// Edges order()[first .. first + count) of one colour; `parallel` is false for the overflow colour.
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
        std::uint32_t point_count;  ///< 1 to 4
        bool pushes_a, pushes_b;    ///< has inverse mass; at least one
        bool special = false;       ///< has a surface that is more than rough
        bool bounces = false;       ///< has restitution
        std::uint8_t color = no_color;  ///< in: that of the last step; out: that of this one
        std::uint32_t link = no_link;   ///< in a column (columns.h)
    };

    /// Colours `edges` for `body_count` solver bodies. The edges of a colour come in `parts` groups (up to most_parts) by their bodies'
    /// indices, so that threads that take one each, in colour after colour, keep to bodies of their own.
    void build(std::span<Edge> edges, std::uint32_t body_count, std::uint32_t parts = 1);
    static constexpr std::uint32_t most_parts = 8;

    std::span<const ContactColor> colors() const { return colors_; }
    /// Edge indices in solving order: by colour, then by what may not share a record (the sides pushed, special or not), then by part, then
    /// by point count, most first, then by edge order.
    std::span<const std::uint32_t> order() const { return order_; }
    std::size_t bytes() const;

private:
    std::vector<ContactColor> colors_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint64_t> used_, used_immovable_;  ///< a bit a colour, by body
    std::vector<std::uint32_t> places_;                 ///< by bucket: its size, then where its next edge goes
};

}  // namespace talus
