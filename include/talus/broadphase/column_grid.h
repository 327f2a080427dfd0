#pragma once
/// Boxes in columns, in each column by their lower bounds: sweep and prune that has no axis to get wrong.
///
/// One sorted axis over the whole world is a cliff: the boxes that share an interval of it grow as N^(2/3). So the two
/// other axes, u and v, are cut into *columns* along the sweep axis s. Each box stands once, in the column of its lower
/// corner, sorted along s to the width of a *cell*: finer than a box is long, so that sorting within would leave out
/// next to nothing. A box's partners then stand in a few runs: in the columns between its lower corner less the longest
/// reach and its upper corner, and in each of these from its lower bound less the reach to its upper bound.
///
///        v ^   +----+----+----+        column:   s --->
///          |   |    |####|####|        |. a|  |b c| d|  |e .|...     cells; a run is a piece of one array
///          |   +----+----+----+               [=======]              the run beside a box from here to here
///          |   |    |#[==]####|
///          |   +----+-[==]----+  # columns that [==] looks into
///          +---------------------> u
///
/// - Nothing is sorted by comparisons or digits: one counting sort by cell, two passes over the boxes.
/// - **Each box stands in one place**, and no flag or hash has to see to it that nothing is found twice.
/// - **Levels.** A floor slab must not lengthen the reach of ten thousand pebbles. Boxes are split by size, each level
/// has cells of its
///   own. Each takes at least half of what is left, so there are few: one in a world of similar things, two with a floor.
/// - **Cells go by the size of the boxes, not of the world** (only where boxes are few and far between they are wider):
/// there are about as
///   many places as boxes, and cells are counted round and round them, with odd strides from column to column, so that one thing 10 km
///   away, ten towns far apart or a diagonal line cost what an even crowd costs. Boxes of distant cells that fall into one place are told
///   apart by the test like any other two.
/// - The layout (levels, axes, sizes) is chosen from the boxes and kept while it is good; what is found never depends
/// on it.

#include <talus/aabb.h>
#include <talus/broadphase/box_lanes.h>
#include <talus/broadphase/box_scan.h>
#include <talus/broadphase/proxy.h>
#include <talus/function_ref.h>
#include <talus/jobs.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace talus {

/// A growing list of proxies; room is asked for ahead, so that the inner loop can write without a branch.
struct FoundProxies {
    std::vector<ProxyIndex> slots;
    std::size_t count = 0;

    ProxyIndex* room_for(std::size_t more) {
        if (slots.size() < count + more) slots.resize(2 * (count + more));
        return slots.data() + count;
    }
    std::span<const ProxyIndex> ids() const { return {slots.data(), count}; }
};

/// A box that is swept from `center` to center + translation, of which the part up to max_fraction is left; a ray if it
/// has no size.
struct BoxCast {
    vec3 center, translation;
    vec3 half{0.0f};            ///< half its edges, m, at least 0
    float max_fraction = 1.0f;  ///< at most 1
};

/// The fraction at which the cast touches the box (0 when it starts so), or a negative number when it misses it up to
/// max_fraction. Errs on the side of hitting by rounding errors of double precision.
double enter_fraction(const BoxCast& cast, const Aabb& box);

/// Working memory of a cast.
struct CastScratch {
    FoundProxies found;
    struct Hit {
        double fraction;
        ProxyIndex id;
        friend auto operator<=>(const Hit&, const Hit&) = default;
    };
    std::vector<Hit> hits;
};

/// Neighbouring cells of one column that hold boxes.
struct CellRun {
    Aabb box;                      ///< around the cells, m; along an axis that is not cut, around the level's boxes
    std::uint32_t level = 0;       ///< 0: that of the smallest boxes
    std::uint32_t sweep_axis = 0;  ///< the column runs along it: 0 to 2 for x to z
    std::uint32_t boxes = 0;       ///< that have their lower corners in these cells
};

class ColumnGrid {
public:
    /// Replaces the contents: the boxes of these proxies. Costs as little as 15 ns a box.
    void build(std::span<const ProxyIndex> members, std::span<const Aabb> boxes, const Jobs& jobs = {});

    std::size_t member_count() const { return cells_.size(); }
    /// Calls visit(proxy) for one of `count` parts of the members, neighbours soon after each other.
    template <class Visit>
    void for_each_member(int index, int count, Visit&& visit) const {
        const auto rank = [&](int i) {
            return member_count() * static_cast<std::size_t>(i) / static_cast<std::size_t>(count);
        };
        std::size_t level_begin = 0;
        for (const Level& level : levels_) {
            const std::size_t begin = std::clamp(rank(index), level_begin, level_begin + level.members);
            const std::size_t end = std::clamp(rank(index + 1), level_begin, level_begin + level.members);
            const detail::BoxEntry* const first = entries_.data() + cell_first_[level.first_cell];
            for (std::size_t i = begin; i < end; ++i) visit(first[i - level_begin].id);
            level_begin += level.members;
        }
    }

    /// Appends each member whose box overlaps `box`, a finite one, now and then one of them more than once.
    void find(const Aabb& box, FoundProxies& found) const;

    /// Visits the members that the cast enters with visit(proxy, max_fraction), once each, roughly along its way: level
    /// by level, slab by slab, and in each in order. `boxes` are those the grid was built from; `visit` may be told of
    /// members whose box there has changed since.
    void cast(BoxCast& cast, std::span<const Aabb> boxes, FunctionRef<float(ProxyIndex, float)> visit,
              CastScratch& scratch) const;

    /// Where the members stand that `counts` is true for, level by level and column by column: for looking, a sort of
    /// all of them.
    std::vector<CellRun> cell_runs(FunctionRef<bool(ProxyIndex)> counts) const;

    // There must be members.
    Aabb bounds() const;         ///< around all of them
    float common_reach() const;  ///< the longest edge of the smaller ones, at least half of them, m
    std::size_t bytes() const;

private:
    static constexpr float infinity = std::numeric_limits<float>::infinity();
    struct Level {
        float size_limit = 0;    // holds boxes whose longest edge is below this, and not below the last level's, m
        Float4 per_cell{};       // cells a metre along x, y, z; 0: this axis is not cut
        Float4 reach{};          // no member is longer than this along x, y, z, m
        float layout_reach = 0;  // the longest edge when the layout was chosen, m
        std::array<std::uint32_t, 3> stride{};  // cells from one to the next along x, y, z; 1 along the sweep axis
        std::uint32_t s = 0, u = 1, v = 2;      // which axis is which
        std::uint32_t mask = 0;                 // number of cells - 1; the number is a power of two
        std::uint32_t first_cell = 0;           // into cell_first_
        std::uint32_t members = 0;
        Aabb bounds;  // around all members
    };

    static constexpr std::size_t max_levels = 8;  // the last one takes what is left, at most one box in 128
    struct Extent {                               // of some boxes: around them, and the longest along each axis
        Float4 lower = splat<Float4>(infinity), upper = splat<Float4>(-infinity), edges{};
    };
    using Extents = std::array<Extent, max_levels>;  // by level

    void choose_layout(std::span<const ProxyIndex> members, std::span<const Aabb> boxes);
    void choose_cells(Level& level, std::span<const ProxyIndex> sample, std::span<const Aabb> boxes) const;
    /// Things further out than this many cells share the outermost cell, where float can no longer tell cells apart
    /// well.
    static constexpr float cell_limit = 1048576.0f;
    // Which cell a coordinate is in, along each axis; non-decreasing in x.
    static Int4 cells_of(Float4 x, Float4 per_cell);
    // Lower corners of boxes that meet this one, which meets the level's bounds, are in cells from first to last, along
    // each axis.
    static Int4 first_cell(const Level& level, const BoxLanes& box);
    static Int4 last_cell(const Level& level, const BoxLanes& box);
    detail::CellWindow window(const Level& level, Int4 first, Int4 last) const;
    std::size_t room_for(const detail::CellWindow& window) const;
    std::size_t level_of(Float4 edges) const;
    void locate(std::span<const ProxyIndex> members, std::span<const Aabb> boxes, std::uint32_t* cells,
                std::span<std::uint32_t> counts, Extents& extents) const;
    bool add_up(std::size_t members, int tasks);
    void put_down(std::span<const ProxyIndex> members, std::span<const Aabb> boxes, const std::uint32_t* cells,
                  std::span<std::uint32_t> ends);
    bool place(std::span<const ProxyIndex> members, std::span<const Aabb> boxes, const Jobs& jobs);

    std::vector<Level> levels_;              // by size_limit
    std::vector<std::uint32_t> cell_first_;  // into entries_, all levels' cells and an end for each level's last
    std::vector<detail::BoxEntry> entries_;
    std::vector<std::uint32_t> cells_;   // beside the members while they are being placed
    std::vector<std::uint32_t> counts_;  // like cell_first_ for each task but the first, the same
    std::vector<Extents> extents_;       // by task, the same
    std::size_t layout_members_ = 0;     // when the layout was chosen
    std::uint32_t layout_age_ = 0;       // builds since then
    double layout_crowding_ = 0;         // boxes that share a cell with a box, on average, then
};

}  // namespace talus
