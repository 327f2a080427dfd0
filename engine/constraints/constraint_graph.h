#pragma once
/// Colours contacts so that no two contacts of one colour share a movable body. Contacts of one colour can be solved
/// side by side, in SIMD lanes and in threads, with the same result as one after the other.
///
/// A contact keeps the colour of the last step, unless another contact of one of its movable bodies has taken it. The
/// other contacts take, in contact order, the lowest colour that neither body uses yet (64-bit masks). So a contact
/// that comes or goes changes the order of solving near it only, and warm-started iterations elsewhere continue
/// undisturbed. A colour with very few contacts is dissolved, and its contacts take lower colours.
///
/// A body with more contacts than colours puts the rest into an overflow colour. The overflow colour is coloured again
/// in each step, without memory of the last one. Otherwise a chain of bodies with a hundred contacts between each two
/// would be solved contact by contact. Contacts that share a body with all others, like those of a plate on a thousand
/// balls, are still solved one by one.
///
/// Before it is coloured, a contact is sorted by space: it is inside one slab of bodies (slabs.h), between two
/// neighbouring slabs, or between bodies farther apart. A pass goes through these phases:
///
///     inner        | slab 0 | slab 1 | slab 2 | slab 3 |    colour after colour
///     even         |    0 and 1      |    2 and 3      |
///     odd                   |    1 and 2      |
///     far          the few that are left
///     immovable    | slab 0 | slab 1 | slab 2 | slab 3 |    with bodies that can't be pushed
///
/// Contacts with immovable bodies are solved last, so that contacts with the ground are satisfied best.
///
/// For threads, neighbouring slabs are joined into groups. The contacts inside a group are a *field*, and so are those
/// between two neighbouring groups:
///
///     group        |      0          |      1          |
///     field        |      0          1      2          |
///
/// Contacts of one phase in different fields share no movable body. So a thread can solve all contacts of a group,
/// colour after colour. It waits for another thread only before it solves the contacts between their groups.

#include "engine/constraints/slabs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

inline constexpr std::uint8_t no_color = 0xff;
inline constexpr std::uint32_t no_link = 0xffffffffu;

/// The phases of a pass, as above.
enum class ContactPhase : std::uint8_t { inner, even, odd, far, immovable };
inline constexpr std::size_t contact_phases = 5;

/// The contacts of one colour in a field: edges order()[first .. first + count).
struct ContactColor {
    std::uint32_t first = 0, count = 0;
    bool parallel = true;  ///< false if they are solved one by one
    ContactPhase phase = ContactPhase::inner;
    std::uint32_t field = 0;  ///< 2 * group, or 2 * group + 1 between a group and the next; 0 in the far phase
};

/// The group of each slab. Slab 0 is in group 0; each other slab is in the group of the slab before or in the next one.
using SlabGroups = std::array<std::uint8_t, most_slabs>;
inline constexpr std::size_t most_fields = 2 * most_slabs - 1;

class ConstraintGraph {
public:
    struct Edge {
        std::uint32_t contact;
        std::uint32_t a, b;                ///< solver indices; 0 for a body that cannot be pushed
        std::uint32_t point_count;         ///< 1 to 4
        bool pushes_a, pushes_b;           ///< the body has an inverse mass; at least one has
        bool special = false;              ///< has a special surface (contact_lanes.h)
        bool bounces = false;              ///< has restitution
        std::uint8_t color = no_color;     ///< the colour of the last step
        bool jointed = false;              ///< pushes a jointed body
        std::uint32_t link = no_link;      ///< index in its stiff group (stiff_groups.h)
        std::uint32_t pair = 0xffffffffu;  ///< body pair with a compound, whose contacts may share a stiffness
        /// Tangential displacement after which the contact is tested again, m; 0: this step cannot reach it.
        float slide_limit = 0.0f;
        /// The most points that the contact may get within the step; fewer than point_count: no more than it has.
        std::uint32_t most_points = 0;

        /// Returns how many points its lane has room for.
        std::uint32_t room() const { return std::max(point_count, most_points); }
    };

    /// Colours the edges. `slabs` is the slab of each solver index. The colours do not depend on `groups`. The fewer
    /// groups there are, the fewer lanes stay empty.
    void build(std::span<const Edge> edges, std::span<const std::uint8_t> slabs, const SlabGroups& groups = {});

    std::span<const ContactColor> colors() const { return colors_; }
    std::span<const std::uint8_t> edge_colors() const { return edge_colors_; }
    std::uint32_t color_count() const { return color_count_; }  ///< does not depend on the groups
    /// Edge indices in solving order: by phase, by field, by colour, then by properties that a record shares (which
    /// sides are pushed, special or not), then by room for points, largest first, then by edge index.
    std::span<const std::uint32_t> order() const { return order_; }
    std::size_t bytes() const;

private:
    void color_edges(std::span<const Edge> edges, std::span<const std::uint8_t> slabs);
    void sort_by_color(std::span<const Edge> edges, std::span<const std::uint8_t> slabs, const SlabGroups& groups);
    void spread_overflow(std::span<const Edge> edges, std::size_t bodies);
    void spread(const ContactColor& overflow, std::span<const Edge> edges, std::size_t bodies);

    std::vector<ContactColor> colors_, spread_colors_;
    std::uint32_t color_count_ = 0;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint8_t> edge_colors_;
    std::vector<std::uint64_t> used_;  ///< one bit per colour, by phase and body
    // Edges of an overflow colour: those with a colour of its own, in order of these, and those without one yet.
    std::vector<std::uint32_t> spread_order_, left_;
    std::vector<std::uint8_t> colors_of_left_;  ///< parallel to left_
    std::vector<std::uint32_t> places_;         ///< by bucket: its size, then the place of its next edge
};

}  // namespace talus
