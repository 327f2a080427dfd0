#include "broadphase/columns/column_grid.h"
#include "common/lanes/processor.h"

namespace talus::detail {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// A layout is chosen again after this many builds, when the number of boxes has changed by this factor, when a box is
// longer by this factor than the longest was, when a box is farther from its origin by this factor than the farthest was
// and by more than an origin's range, or when the mean number of boxes in the cell of a box has grown by this factor and
// by more than a few.
constexpr std::uint32_t layout_builds = 32;
constexpr std::size_t layout_change = 2;
constexpr float reach_change = 2.0f;
constexpr float distance_change = 2.0f;
constexpr double crowding_change = 4.0, crowding_least = 16.0;

// Entries that overlap nothing, after the last one of each level: a scan may read them.
constexpr std::uint32_t padding = scan_step - 1;

constexpr std::size_t least_members = 512;  // fewer are not worth a task of their own
constexpr std::size_t lookahead = 16;       // the place of the box that is put down this much later is prefetched

// A box in the world around boxes with these bounds, as seen from the origin: wider than their rounding errors. The
// outermost floats stand for all beyond.
WorldAabb in_world(const Double4& origin, const BoxLanes& bounds) {
    const auto slack = [](Float4 bound) {
        return splat<Float4>(reach_slack) * absolute(bound) + splat<Float4>(std::numeric_limits<float>::min());
    };
    WorldAabb box = aabb_of({origin + to_double(bounds.lower - slack(bounds.lower)),
                             origin + to_double(bounds.upper + slack(bounds.upper))});
    for (int axis = 0; axis < 3; ++axis) {
        if (bounds.lower[axis] <= -far_limit) box.lower[axis] = -std::numeric_limits<double>::max();
        if (bounds.upper[axis] >= far_limit) box.upper[axis] = std::numeric_limits<double>::max();
    }
    return box;
}

}  // namespace

void ColumnGrid::choose_layout(std::span<const ProxyIndex> members, std::span<const WorldAabb> boxes) {
    layout_ = detail::choose_layout(members, boxes);
    layout_members_ = members.size();
    layout_age_ = 0;
    const ColumnLevel& last = layout_.levels.back();
    cell_first_.resize(last.first_cell + last.mask + std::size_t{2});
}

// First pass of the counting sort over some of the members: their entries, in the order of the members, the number of
// them in each cell, and their extents.
void ColumnGrid::locate(std::span<const ProxyIndex> members, std::span<const WorldAabb> boxes, BoxEntry* entries,
                        std::span<std::uint32_t> counts, std::vector<Extent>& extents) const {
    std::fill(counts.begin(), counts.end(), 0u);
    extents.assign(layout_.levels.size(), {});
    const auto put = [&](const ColumnLevel& level, Extent& extent, std::size_t i, const BoxLanes& box, Float4 edges) {
        extent.lower = min(extent.lower, box.lower);
        extent.upper = max(extent.upper, box.upper);
        extent.edges = max(extent.edges, edges);
        const std::uint32_t cell = level.first_cell + slot_of(cells_of(box.lower, level.per_cell), level);
        ++counts[cell];
        BoxEntry& entry = entries[i];
        store(box.lower, entry.low);
        store(-box.upper, entry.minus_high);
        entry.id = members[i];
        entry.cell = cell;
    };
    if (layout_.levels.size() == 1) {
        const ColumnLevel level = layout_.levels[0];
        Extent extent;
        for (std::size_t i = 0; i < members.size(); ++i) {
            const BoxLanes box = seen_from(level.origin, lanes_of(boxes[members[i]]));
            put(level, extent, i, box, box.upper - box.lower);
        }
        extents[0] = extent;
    } else {
        const std::span<const Double4> origins(layout_.origins);
        const std::span<const ColumnLevel> levels(layout_.levels);
        const std::span<const std::uint32_t> first_levels(layout_.first_levels);
        for (std::size_t i = 0; i < members.size(); ++i) {
            const WorldLanes lanes = lanes_of(boxes[members[i]]);
            const std::size_t origin = nearest_origin(origins, lanes.lower);
            const BoxLanes box = seen_from(origins[origin], lanes);
            const Float4 edges = box.upper - box.lower;
            const std::uint32_t first = first_levels[origin], end = first_levels[origin + 1];
            const std::size_t l = first + level_of(levels.subspan(first, end - first), edges);
            put(levels[l], extents[l], i, box, edges);
        }
    }
}

// Turns the numbers of boxes per cell into the ends of each task's part of each cell. Returns the sum of the squared
// numbers.
double ColumnGrid::add_up(int tasks) {
    std::uint32_t end = 0;
    std::uint64_t shared = 0;
    for (ColumnLevel& level : layout_.levels) {
        const std::uint32_t begin = end;
        for (std::size_t c = level.first_cell; c < level.first_cell + level.mask + std::size_t{2}; ++c) {
            const std::uint32_t before = end;
            end += cell_first_[c];
            cell_first_[c] = end;
            for (int t = 1; t < tasks; ++t) {
                std::uint32_t& count = scratch_.counts[static_cast<std::size_t>(t - 1) * cell_first_.size() + c];
                end += count;
                count = end;
            }
            const std::uint64_t count = end - before;
            shared += count * count;
        }
        level.members = end - begin;
        std::fill_n(entries_.begin() + end, padding,
                    BoxEntry{{infinity, infinity, infinity}, 0, {-infinity, -infinity, -infinity}, 0});
        end += padding;
    }
    return static_cast<double>(shared);
}

// Measures the levels. Returns false if an old layout is bad for these boxes. `crowding` is the mean number of boxes in
// the cell of a box.
bool ColumnGrid::measure(double crowding, int tasks) {
    const bool fresh = layout_age_ == 0;
    if (fresh) layout_crowding_ = crowding;
    bool good = crowding < crowding_change * layout_crowding_ + crowding_least;
    for (std::size_t l = 0; l < layout_.levels.size(); ++l) {
        ColumnLevel& level = layout_.levels[l];
        Extent extent;
        for (int t = 0; t < tasks; ++t) {
            const Extent& part = scratch_.extents[static_cast<std::size_t>(t)][l];
            extent = {min(extent.lower, part.lower), max(extent.upper, part.upper), max(extent.edges, part.edges)};
        }
        level.reach = extent.edges;
        level.bounds = {extent.lower, extent.upper};
        level.world_bounds =
            level.members == 0 ? WorldAabb{dvec3(infinity), dvec3(-infinity)} : in_world(level.origin, level.bounds);
        if (level.members == 0) continue;
        const float reach = longest_of(level.reach);
        const float distance = longest_of(max(absolute(extent.lower), absolute(extent.upper)));
        if (fresh) {
            level.layout_reach = reach;
            level.layout_distance = distance;
        }
        good = good && reach <= reach_change * level.layout_reach &&
               distance <= distance_change * level.layout_distance + least_range;
    }
    return good || fresh;
}

// Last pass: copies the entries to their places, from the last member to the first, which becomes the first of its
// cell.
void ColumnGrid::put_down(std::span<const BoxEntry> unsorted, std::span<std::uint32_t> ends) {
    BoxEntry* const entries = entries_.data();
    for (std::size_t i = unsorted.size(); i-- > 0;) {
        if (i >= lookahead) detail::prefetch_to_write(entries + ends[unsorted[i - lookahead].cell] - 1);
        entries[--ends[unsorted[i].cell]] = unsorted[i];
    }
}

// The counting sort. Returns false if the layout turns out to be bad for these boxes.
bool ColumnGrid::place(std::span<const ProxyIndex> members, std::span<const WorldAabb> boxes, const Jobs& jobs) {
    member_count_ = members.size();
    scratch_.unsorted.resize(members.size());
    entries_.resize(members.size() + padding * layout_.levels.size());
    const int tasks = jobs.tasks_for(members.size(), least_members);
    const std::size_t others = static_cast<std::size_t>(tasks) - 1;
    scratch_.extents.resize(others + 1);
    scratch_.counts.resize(others * cell_first_.size());
    const auto begin_of = [&](int t) { return members.size() * static_cast<std::size_t>(t) / (others + 1); };
    const auto each = [&](auto&& pass) {
        jobs.for_each(tasks, [&](int t) {
            const std::size_t begin = begin_of(t), end = begin_of(t + 1);
            const std::span<std::uint32_t> counts =
                t == 0 ? std::span(cell_first_)
                       : std::span(scratch_.counts)
                             .subspan(static_cast<std::size_t>(t - 1) * cell_first_.size(), cell_first_.size());
            pass(t, begin, end - begin, counts);
        });
    };
    each([&](int t, std::size_t begin, std::size_t count, auto counts) {
        locate(members.subspan(begin, count), boxes, scratch_.unsorted.data() + begin, counts,
               scratch_.extents[static_cast<std::size_t>(t)]);
    });
    if (!measure(add_up(tasks) / static_cast<double>(members.size()), tasks)) return false;
    each([&](int, std::size_t begin, std::size_t count, auto counts) {
        put_down(std::span(scratch_.unsorted).subspan(begin, count), counts);
    });
    return true;
}

void ColumnGrid::build(std::span<const ProxyIndex> members, std::span<const WorldAabb> boxes, const Jobs& jobs) {
    if (members.empty()) {
        member_count_ = 0;
        entries_.clear();
        layout_ = {};
        cell_first_.clear();
        return;
    }
    const bool stale = layout_.levels.empty() || ++layout_age_ > layout_builds ||
                       members.size() > layout_change * layout_members_ ||
                       members.size() * layout_change < layout_members_;
    if (stale) choose_layout(members, boxes);
    if (!place(members, boxes, jobs)) {
        choose_layout(members, boxes);
        place(members, boxes, jobs);
    }
}

CellWindow ColumnGrid::window(const ColumnLevel& level, Int4 first, Int4 last) const {
    const Int4 size = last - first + 1;
    CellWindow window;
    window.entries = entries_.data();
    window.cell_first = &cell_first_[level.first_cell];
    window.mask = level.mask;
    window.first = slot_of(first, level);
    window.stride_u = level.stride[level.u];
    window.stride_v = level.stride[level.v];
    window.size_u = static_cast<unsigned>(size[level.u]);
    window.size_v = static_cast<unsigned>(size[level.v]);
    window.length = static_cast<unsigned>(size[level.s]);
    // All cells, if they are no more to search. A window that overlaps itself on the ring of cells leads through cells
    // again and again; there the number of boxes decides.
    const std::uint64_t row = std::uint64_t{window.size_u - 1} * window.stride_u + window.length;
    const std::uint64_t rows = std::uint64_t{window.size_v - 1} * window.stride_v + row;
    bool all = std::uint64_t{window.length} * window.size_u * window.size_v > level.mask;
    if (!all && ((window.size_u > 1 && window.length > window.stride_u) ||
                 (window.size_v > 1 && row > window.stride_v) || rows > level.mask + std::uint64_t{1})) {
        std::size_t looked_at = 0;
        for_each_run(window, [&](unsigned begin, unsigned end) {
            looked_at += window.cell_first[end] - window.cell_first[begin];
        });
        all = looked_at > level.members;
    }
    if (all) {
        window.first = 0;
        window.size_u = window.size_v = 1;
        window.length = level.mask + 1;
    }
    return window;
}

std::size_t ColumnGrid::room_for(const CellWindow& window) const {
    return entries_.size() + std::size_t{2} * scan_step * window.size_u * window.size_v;  // a run may wrap around
}

void ColumnGrid::find(const WorldAabb& box, FoundProxies& found) const {
    static BoxScan* const scan = best_box_scan();
    const WorldLanes world = lanes_of(box);
    for (const ColumnLevel& level : layout_.levels) {
        if (!overlaps(world, level.world_bounds)) continue;
        const BoxLanes seen = seen_from(level.origin, world);
        BoxProbe probe;
        store(seen.upper, probe.high);
        store(-seen.lower, probe.minus_low);
        const CellWindow cells = window(level, first_cell(level, seen), last_cell(level, seen));
        found.count += scan(cells, probe, found.room_for(room_for(cells)));
    }
}

float ColumnGrid::common_reach() const {
    float longest = 0.0f;
    for (std::size_t origin = 0; origin < layout_.origins.size(); ++origin)
        longest = std::max(longest, longest_of(layout_.levels[layout_.first_levels[origin]].reach));
    return longest;
}

WorldAabb ColumnGrid::bounds() const {
    WorldAabb all{dvec3(infinity), dvec3(-infinity)};
    for (const ColumnLevel& level : layout_.levels)
        all = merge(all, level.world_bounds);  // an empty level has no effect: its bounds are inverted
    return all;
}

std::size_t ColumnGrid::bytes() const {
    const auto of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
    std::size_t scratch = of(scratch_.unsorted) + of(scratch_.counts) + of(scratch_.extents);
    for (const auto& extents : scratch_.extents) scratch += of(extents);
    return of(layout_.origins) + of(layout_.levels) + of(layout_.first_levels) + of(cell_first_) + of(entries_) +
           scratch;
}

}  // namespace talus::detail
