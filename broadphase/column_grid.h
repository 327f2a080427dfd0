#pragma once
/// Sweep and prune, cut into columns.
///
/// One sorted axis over the whole world is a cliff: the boxes that share an interval of it grow as N^(2/3). So the two
/// other axes, u and v, are cut into a grid; each cell of it is a *column* along the sweep axis s that holds, sorted by
/// their lower bounds, all boxes that reach into it. A box's partners are then a short run of each of its (one to four)
/// columns.
///
///        v ^   +----+----+----+        column:  s --->
///          |   |    | b--|-b  |        [a.....]
///          |   | a  | b  | b  |            [b..........]         sorted by lower bound: the partners of a are
///          |   +----+----+----+                 [c...]           the boxes that begin before a ends
///          +---------------------> u               [d....]
///
/// - **One comparison of eight floats** is the whole test of two boxes (ColumnEntry): bounds are stored so that all six
///   conditions are "less or equal", and the two lanes left over say "this is not my first column along u (v)". Two
///   boxes share up to four columns; in exactly one of them, the lowest, each axis is the first of at least one of the
///   two. So nothing is reported twice, and no hash or sort is needed to see to it.
/// - **Levels.** A floor slab must not stand in ten thousand columns, nor a pebble in one with ten thousand others.
///   Boxes are split by size; each level has cells that its boxes cannot outgrow, so that a box touches at most 2 x 2
///   of them. Each level takes at least half of what is left, so there are few: one in a world of similar things, two
///   with a floor.
/// - **The grid is a torus**: columns wrap around, so that one thing 10 km away costs nothing. Boxes of distant cells
///   that fall into one column are told apart by the test like any other two.
/// - Each level sweeps along the axis on which its boxes are spread out most: a tower upwards, a stack of floors too.
///
/// Building costs about as much as sweeping a dense crowd once: some 50 ns a box with both cores of the test machine
/// busy. The contents are immutable once built.

#include <talus/aabb.h>
#include <talus/broadphase/box_lanes.h>
#include <talus/broadphase/proxy.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// A growing list of (owner, member) finds; room is asked for ahead, so that the inner loop can write without a branch.
struct FoundPairs {
    std::vector<ProxyPair> slots;
    std::size_t count = 0;

    ProxyPair* room_for(std::size_t more) {
        if (slots.size() < count + more) slots.resize(2 * (count + more));
        return slots.data() + count;
    }
    std::span<const ProxyPair> pairs() const { return {slots.data(), count}; }
};

/// A box in one of its columns. Box j meets box i when low_j <= high_i and minus_high_j <= minus_low_i, all lanes.
struct ColumnEntry {
    Float4 low;         ///< lower bound along s, u, v (m); 0 in the box's first column along u, else 1
    Float4 minus_high;  ///< minus the upper bound along s, u, v (m); 0 in the box's first column along v, else 1
};

/// A segment from origin to origin + translation, of which the part up to max_fraction is left.
struct Ray {
    vec3 origin, translation;
    float max_fraction = 1.0f;
};

/// Told about a box that the ray enters; returns how much of the ray is left.
using RayVisit = float (*)(void* context, ProxyIndex proxy, float max_fraction);

/// The fraction at which the ray enters the box (0 when it starts inside), or a negative number when it misses the part
/// up to max_fraction. Errs on the side of hitting by rounding errors of double precision.
double enter_fraction(const Ray& ray, const Aabb& box);

class ColumnGrid {
public:
    /// Memory that building needs; it holds nothing in between.
    struct BuildScratch {
        struct Placement {
            std::uint32_t column;         // of the box's lower corner
            std::int32_t step_u, step_v;  // from there to its other columns; 0: there is none
        };
        std::vector<ProxyIndex> members;  // by level
        std::vector<std::uint64_t> order, order_scratch;
        std::vector<Placement> placements;
        std::vector<ColumnEntry> entries;  // as they stand in the lower corner's column
        std::vector<std::uint32_t> cursors;
    };

    /// Replaces the contents: the boxes of these proxies.
    void build(std::span<const ProxyIndex> members, std::span<const Aabb> boxes, BuildScratch& scratch);

    std::size_t member_count() const { return member_count_; }
    std::size_t level_count() const { return levels_.size(); }
    std::size_t members_of(std::size_t level) const { return levels_[level].members; }
    std::size_t level_of(const Aabb& box) const;  ///< where a box of this size stands

    /// Appends (owner, member) for each member of the level whose box overlaps `box`, once each; the owner itself too,
    /// when it is a member.
    void find(std::size_t level, const Aabb& box, ProxyIndex owner, FoundPairs& found) const;

    /// Appends each overlapping pair of members of the level, once; `drain(found)` is called now and then to empty it.
    template <class Drain>
    void sweep(std::size_t level, FoundPairs& found, Drain&& drain) const {
        constexpr std::size_t chunk = 2048;  // pairs: stays in the first-level cache
        for (std::uint32_t column = 0; column < levels_[level].width * levels_[level].height; ++column) {
            sweep_column(levels_[level].first_column + column, found);
            if (found.count >= chunk) drain(found);
        }
        drain(found);
    }

    /// Visits the members that the ray enters, once each, roughly along the ray (level by level, column by column).
    /// `boxes` are those the grid was built from; `visit` may be told of members whose box there has changed since.
    void cast(Ray& ray, std::span<const Aabb> boxes, RayVisit visit, void* context) const;

    std::size_t bytes() const;

private:
    struct Level {
        Aabb bounds;           // around all members
        float size_limit = 0;  // holds boxes whose longest edge is below this, and not below the last level's, m
        float cell = 0;        // edge of a column, m; longer than any member
        float per_cell_u = 0, per_cell_v = 0;  // 1 / cell; 0: this axis is not cut
        float reach = 0;                       // no member is longer than this along s, m
        std::int32_t s = 0, u = 1, v = 2;      // which axis is which
        std::uint32_t width = 1, height = 1;   // columns along u and v before they wrap: 1, or a power of two >= 4
        std::uint32_t first_column = 0;        // into column_first_
        std::uint32_t members = 0;
    };
    struct Cells {
        std::int32_t u0, u1, v0, v1;  // inclusive
    };
    struct Walk;  // a ray on its way through one level

    void split_levels(std::span<const ProxyIndex> members, std::span<const Aabb> boxes);
    void choose_columns(Level& level, std::span<const ProxyIndex> members, std::span<const Aabb> boxes) const;
    void fill_level(Level& level, std::span<const ProxyIndex> members, std::span<const Aabb> boxes,
                    BuildScratch& scratch);

    // Things further out than this many cells share the outermost column, where float can no longer tell cells apart
    // well.
    static constexpr float cell_limit = 1048576.0f;
    static Int4 cells_of(Float4 x, Float4 per_cell);  // of coordinates; non-decreasing in x
    static Cells cells(const Level& level, const ColumnEntry& box);
    static ColumnEntry entry_of(const Level& level, const Aabb& box);
    static std::uint32_t column_at(const Level& level, std::int32_t u, std::int32_t v);
    std::uint32_t run_begin(std::uint32_t column, float from) const;
    void find_in_column(const Level& level, std::uint32_t column, const ColumnEntry& box, ProxyIndex owner,
                        FoundPairs& found) const;
    void sweep_column(std::uint32_t column, FoundPairs& found) const;
    void cast_cell(Walk& walk, std::int32_t u, std::int32_t v, double enter, double exit) const;

    std::vector<Level> levels_;                // by size_limit, the last one's is infinite
    std::vector<std::uint32_t> column_first_;  // into entries_; each run ends with a sentinel that starts at infinity
    std::vector<ColumnEntry> entries_;
    std::vector<ProxyIndex> ids_;  // beside entries_
    std::size_t member_count_ = 0;
};

}  // namespace talus
