#pragma once
/// Boxes in columns, sorted within each column: sweep and prune without a bad axis.
///
/// If boxes were sorted along one axis of the whole world, the boxes beside a given one along that axis would grow as
/// N^(2/3). So the two other axes, u and v, are divided into *columns* that run along the sweep axis s, and each column
/// is divided into *cells*, which are shorter than a box. Each box is stored once, in the cell of its lower corner. The
/// boxes that overlap a given box are then in a few runs of cells: in the columns between its lower corner minus the
/// longest edge and its upper corner, and in each of these from its lower bound minus the longest edge to its upper
/// bound.
///
///        v ^   +----+----+----+        column:   s --->
///          |   |    |####|####|        |. a|  |b c| d|  |e .|...     cells; a run is a part of one array
///          |   +----+----+----+               [=======]              the run that is searched for a box there
///          |   |    |#[==]####|
///          |   +----+-[==]----+  # columns that are searched for [==]
///          +---------------------> u
///
/// - The sort is one counting sort by cell, with two passes.
/// - The boxes are stored in float, as seen from an origin nearby. What is found is to be tested in double; hardly any
///   of it is found in vain.
/// - Each box is in one place, so nothing is found twice (except at the wrap-around of the cells, column_layout.h).
/// - Boxes are divided by size into *levels* with cells of their own: a floor slab must not lengthen the search for ten
///   thousand pebbles. Crowds that are far apart have levels of their own, with an origin in the crowd.
/// - The layout is chosen from the boxes and kept while it is good. It affects only the cost, never what is found.

#include <talus/function_ref.h>
#include <talus/jobs.h>
#include "broadphase/columns/column_layout.h"
#include "common/scratch.h"

#include <algorithm>

namespace talus::detail {

/// A growing list of proxies. Room is made in advance, so that the inner loop can write without a branch.
struct FoundProxies {
    std::vector<ProxyIndex> slots;
    std::size_t count = 0;

    ProxyIndex* room_for(std::size_t more) {
        if (slots.size() < count + more) slots.resize(2 * (count + more));
        return slots.data() + count;
    }
    std::span<const ProxyIndex> ids() const { return {slots.data(), count}; }
};

class ColumnGrid {
public:
    /// Replaces the contents by the boxes of these proxies. Costs 15 ns per box and more.
    void build(std::span<const ProxyIndex> members, std::span<const WorldAabb> boxes, const Jobs& jobs = {});

    std::size_t member_count() const { return member_count_; }
    /// Calls visit(proxy) for one of `count` parts of the members, neighbours soon after each other.
    template <class Visit>
    void for_each_member(int index, int count, Visit&& visit) const {
        const auto rank = [&](int i) {
            return member_count() * static_cast<std::size_t>(i) / static_cast<std::size_t>(count);
        };
        std::size_t level_begin = 0;
        for (const ColumnLevel& level : layout_.levels) {
            const std::size_t begin = std::clamp(rank(index), level_begin, level_begin + level.members);
            const std::size_t end = std::clamp(rank(index + 1), level_begin, level_begin + level.members);
            const BoxEntry* const first = entries_.data() + cell_first_[level.first_cell];
            for (std::size_t i = begin; i < end; ++i) visit(first[i - level_begin].id);
            level_begin += level.members;
        }
    }

    /// Appends each member whose box overlaps `box`, which must be finite, and perhaps some that are just beside it. A
    /// member may be appended more than once.
    void find(const WorldAabb& box, FoundProxies& found) const;

    // For casts and for debug drawing.
    std::span<const ColumnLevel> levels() const { return layout_.levels; }
    std::span<const BoxEntry> entries(const ColumnLevel& level) const {
        return {entries_.data() + cell_first_[level.first_cell], level.members};
    }
    /// The cells from `first` to `last` along each axis, or all cells of the level if that is no more to search.
    CellWindow window(const ColumnLevel& level, Int4 first, Int4 last) const;
    /// A scan of the window finds at most so many entries.
    std::size_t room_for(const CellWindow& window) const;

    // These need at least one member.
    WorldAabb bounds() const;    ///< around all boxes
    float common_reach() const;  ///< the longest edge in the levels of the smallest boxes (at least half of all), m

    std::size_t bytes() const;

private:
    struct Extent {  // the bounds of some boxes, and the longest edge along each axis
        Float4 lower = splat<Float4>(std::numeric_limits<float>::infinity()),
               upper = splat<Float4>(-std::numeric_limits<float>::infinity()), edges{};
    };
    struct Memory {
        std::vector<BoxEntry> unsorted;            // by member
        std::vector<std::uint32_t> counts;         // like cell_first_, for each task except the first
        std::vector<std::vector<Extent>> extents;  // by task and level
    };

    void choose_layout(std::span<const ProxyIndex> members, std::span<const WorldAabb> boxes);
    void locate(std::span<const ProxyIndex> members, std::span<const WorldAabb> boxes, BoxEntry* entries,
                std::span<std::uint32_t> counts, std::vector<Extent>& extents) const;
    double add_up(int tasks);
    bool measure(double crowding, int tasks);
    void put_down(std::span<const BoxEntry> unsorted, std::span<std::uint32_t> ends);
    bool place(std::span<const ProxyIndex> members, std::span<const WorldAabb> boxes, const Jobs& jobs);

    ColumnLayout layout_;
    std::vector<std::uint32_t>
        cell_first_;  // into entries_: the cells of all levels, and an end after each level's last
    std::vector<BoxEntry> entries_;
    std::size_t member_count_ = 0;
    std::size_t layout_members_ = 0;  // when the layout was chosen
    std::uint32_t layout_age_ = 0;    // builds since then
    double layout_crowding_ = 0;      // mean number of boxes in the cell of a box, then
    Scratch<Memory> scratch_;
};

}  // namespace talus::detail
