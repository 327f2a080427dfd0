#pragma once
/// Colours contacts so that no two of one colour share a body that can be pushed: such contacts can be solved side by
/// side in SIMD lanes and in threads with the same result as one after the other.
///
/// A contact keeps the colour it had in the last step as long as it is free; others take, in contact order, the lowest
/// one that neither body uses yet (64-bit masks). So what comes and goes changes the order of solving where it is, and
/// nowhere else: warm started sweeps go on where they stood. A colour that has become rare gives its contacts away to
/// lower ones. A body with more contacts than colours spills into an overflow colour. That is coloured once more for
/// each step alone, as a chain of bodies with a hundred contacts between any two would be solved one by one otherwise;
/// what shares a body with all others, like the contacts of a plate on a thousand balls, is solved one by one in the
/// end.
///
/// Before the colours, space: a contact is inside one slab of bodies (slabs.h), between two neighbours, or between
/// bodies farther apart. A sweep goes through
///
///     inner        | slab 0 | slab 1 | slab 2 | slab 3 |    colour after colour
///     even         |    0 and 1      |    2 and 3      |
///     odd                   |    1 and 2      |
///     far          the few that are left
///     immovable    | slab 0 | slab 1 | slab 2 | slab 3 |    with what can't be pushed: what stands on the ground gets the last word
///
/// For threads, neighbouring slabs are put together in groups. The contacts inside a group are a *field*, and so are
/// those between two neighbours:
///
///     group        |      0          |      1          |
///     field        |      0          1      2          |
///
/// Contacts of a line that are in different fields share no body that can be pushed: a thread can take all of a
/// group's, colour after colour, and waits for another only for those between their groups.

#include "engine/constraints/slabs.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

inline constexpr std::uint8_t no_color = 0xff;
inline constexpr std::uint32_t no_link = 0xffffffffu;

/// The lines above.
enum class ContactPhase : std::uint8_t { inner, even, odd, far, immovable };
inline constexpr std::size_t contact_phases = 5;

/// Edges order()[first .. first + count) of one colour in a field.
struct ContactColor {
    std::uint32_t first = 0, count = 0;
    bool parallel = true;  ///< false for what is solved one by one
    ContactPhase phase = ContactPhase::inner;
    std::uint32_t field = 0;  ///< twice the group, and one more between it and the next; 0 for what is far
};

/// By slab: its group. The first is 0, and each other one that of the slab before or one more.
using SlabGroups = std::array<std::uint8_t, most_slabs>;
inline constexpr std::size_t most_fields = 2 * most_slabs - 1;

class ConstraintGraph {
public:
    struct Edge {
        std::uint32_t contact;
        std::uint32_t a, b;                ///< solver indices; 0 cannot be pushed
        std::uint32_t point_count;         ///< 1 to 4
        bool pushes_a, pushes_b;           ///< has inverse mass; at least one
        bool special = false;              ///< has a surface that is more than rough
        bool bounces = false;              ///< has restitution
        std::uint8_t color = no_color;     ///< that of the last step
        bool jointed = false;              ///< pushes a body that joints hold
        std::uint32_t link = no_link;      ///< in a stiff group (stiff_groups.h)
        std::uint32_t pair = 0xffffffffu;  ///< of bodies, one of them a compound, whose contacts share one stiffness
        float slide_limit = 0.0f;  ///< way along each other that makes it stale, m; 0: it can't go so far in this step
    };

    /// Colours `edges` for solver bodies that are in the slabs given by their index. What a colour is does not depend
    /// on the groups; the fewer there are, the fewer lanes stay empty.
    void build(std::span<const Edge> edges, std::span<const std::uint8_t> slabs, const SlabGroups& groups = {});

    std::span<const ContactColor> colors() const { return colors_; }
    std::span<const std::uint8_t> edge_colors() const { return edge_colors_; }
    std::uint32_t color_count() const { return color_count_; }  ///< whatever the groups
    /// Edge indices in solving order: by phase, by field, by colour, then by what may not share a record (the sides
    /// pushed, special or not), then by point count, most first, then by edge order.
    std::span<const std::uint32_t> order() const { return order_; }
    std::size_t bytes() const;

private:
    void spread_overflow(std::span<const Edge> edges, std::size_t bodies);
    void spread(const ContactColor& overflow, std::span<const Edge> edges, std::size_t bodies);

    std::vector<ContactColor> colors_, spread_colors_;
    std::uint32_t color_count_ = 0;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint8_t> edge_colors_;
    std::vector<std::uint64_t> used_;  ///< a bit a colour, by phase and body
    // Edges of an overflow colour: by its own colours, and those with none yet.
    std::vector<std::uint32_t> spread_order_, left_;
    std::vector<std::uint8_t> colors_of_left_;  ///< parallel to left_
    std::vector<std::uint32_t> places_;         ///< by bucket: its size, then where its next edge goes
};

}  // namespace talus
