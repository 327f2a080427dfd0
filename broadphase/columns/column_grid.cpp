#include "broadphase/columns/column_grid.h"

namespace talus::detail {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// A layout is chosen again after this many builds, when the number of boxes has changed by this factor, when a box is
// longer by this factor than the longest was, or when the mean number of boxes in the cell of a box has grown by this
// factor and by more than a few.
constexpr std::uint32_t layout_builds = 32;
constexpr std::size_t layout_change = 2;
constexpr float reach_change = 2.0f;
constexpr double crowding_change = 4.0, crowding_least = 16.0;

// Entries that overlap nothing, after the last one of each level: a scan may read them.
constexpr std::uint32_t padding = scan_step - 1;

constexpr std::size_t least_members = 4096;  // fewer are not worth a task of their own
constexpr std::size_t lookahead = 16;        // the place of the box that is put down this much later is prefetched

}  // namespace

void ColumnGrid::choose_layout(std::span<const ProxyIndex> members, std::span<const Aabb> boxes) {
    levels_ = choose_levels(members, boxes);
    layout_members_ = members.size();
    layout_age_ = 0;
    cell_first_.resize(levels_.back().first_cell + levels_.back().mask + std::size_t{2});
}

// First pass of the counting sort over some of the members: their cells, the number in each cell, and their extents.
void ColumnGrid::locate(std::span<const ProxyIndex> members, std::span<const Aabb> boxes, std::uint32_t* cells,
                        std::span<std::uint32_t> counts, Extents& extents) const {
    std::fill(counts.begin(), counts.end(), 0u);
    extents = {};
    const auto locate_in = [&](const ColumnLevel& level, Extent& extent, std::size_t i, const BoxLanes& box,
                               Float4 edges) {
        extent.lower = min(extent.lower, box.lower);
        extent.upper = max(extent.upper, box.upper);
        extent.edges = max(extent.edges, edges);
        cells[i] = level.first_cell + slot_of(cells_of(box.lower, level.per_cell), level);
        ++counts[cells[i]];
    };
    if (levels_.size() == 1) {
        const ColumnLevel level = levels_[0];
        Extent extent;
        for (std::size_t i = 0; i < members.size(); ++i) {
            const BoxLanes box = lanes_of(boxes[members[i]]);
            locate_in(level, extent, i, box, box.upper - box.lower);
        }
        extents[0] = extent;
    } else {
        for (std::size_t i = 0; i < members.size(); ++i) {
            const BoxLanes box = lanes_of(boxes[members[i]]);
            const Float4 edges = box.upper - box.lower;
            const std::size_t l = level_of(levels_, edges);
            locate_in(levels_[l], extents[l], i, box, edges);
        }
    }
}

// Turns the numbers of boxes per cell into the ends of each task's part of each cell. Returns the sum of the squared
// numbers.
double ColumnGrid::add_up(int tasks) {
    std::uint32_t end = 0;
    double shared = 0.0;
    for (ColumnLevel& level : levels_) {
        const std::uint32_t begin = end;
        for (std::size_t c = level.first_cell; c < level.first_cell + level.mask + std::size_t{2}; ++c) {
            const std::uint32_t before = end;
            end += cell_first_[c];
            cell_first_[c] = end;
            for (int t = 1; t < tasks; ++t) {
                std::uint32_t& count = counts_[static_cast<std::size_t>(t - 1) * cell_first_.size() + c];
                end += count;
                count = end;
            }
            const double count = end - before;
            shared += count * count;
        }
        level.members = end - begin;
        std::fill_n(entries_.begin() + end, padding,
                    BoxEntry{{infinity, infinity, infinity}, 0, {-infinity, -infinity, -infinity}, 0});
        end += padding;
    }
    return shared;
}

// Measures the levels. Returns false if an old layout is bad for these boxes. `crowding` is the mean number of boxes in
// the cell of a box.
bool ColumnGrid::measure(double crowding, int tasks) {
    const bool fresh = layout_age_ == 0;
    if (fresh) layout_crowding_ = crowding;
    bool good = crowding < crowding_change * layout_crowding_ + crowding_least;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        ColumnLevel& level = levels_[l];
        Extent extent;
        for (int t = 0; t < tasks; ++t) {
            const Extent& part = extents_[static_cast<std::size_t>(t)][l];
            extent = {min(extent.lower, part.lower), max(extent.upper, part.upper), max(extent.edges, part.edges)};
        }
        level.reach = extent.edges;
        level.bounds = aabb_of({extent.lower, extent.upper});
        if (fresh) level.layout_reach = longest_of(level.reach);
        good = good && longest_of(level.reach) <= reach_change * level.layout_reach;
    }
    return good || fresh;
}

// Last pass: writes the entries to their places, from the last member to the first, which becomes the first of its
// cell.
void ColumnGrid::put_down(std::span<const ProxyIndex> members, std::span<const Aabb> boxes, const std::uint32_t* cells,
                          std::span<std::uint32_t> ends) {
    BoxEntry* const entries = entries_.data();
    for (std::size_t i = members.size(); i-- > 0;) {
        if (i >= lookahead) __builtin_prefetch(entries + ends[cells[i - lookahead]] - 1, 1);
        const Aabb& box = boxes[members[i]];
        entries[--ends[cells[i]]] = {
            {box.lower.x, box.lower.y, box.lower.z}, members[i], {-box.upper.x, -box.upper.y, -box.upper.z}, 0};
    }
}

// The counting sort. Returns false if the layout turns out to be bad for these boxes.
bool ColumnGrid::place(std::span<const ProxyIndex> members, std::span<const Aabb> boxes, const Jobs& jobs) {
    cells_.resize(members.size());
    entries_.resize(members.size() + padding * levels_.size());
    const int tasks = jobs.tasks_for(members.size(), least_members);
    const std::size_t others = static_cast<std::size_t>(tasks) - 1;
    extents_.resize(others + 1);
    counts_.resize(others * cell_first_.size());
    const auto begin_of = [&](int t) { return members.size() * static_cast<std::size_t>(t) / (others + 1); };
    const auto each = [&](auto&& pass) {
        jobs.for_each(tasks, [&](int t) {
            const std::size_t begin = begin_of(t), end = begin_of(t + 1);
            const std::span<std::uint32_t> counts =
                t == 0 ? std::span(cell_first_)
                       : std::span(counts_).subspan(static_cast<std::size_t>(t - 1) * cell_first_.size(),
                                                    cell_first_.size());
            pass(members.subspan(begin, end - begin), cells_.data() + begin, counts,
                 extents_[static_cast<std::size_t>(t)]);
        });
    };
    each([&](auto part, std::uint32_t* cells, auto counts, Extents& extents) {
        locate(part, boxes, cells, counts, extents);
    });
    if (!measure(add_up(tasks) / static_cast<double>(members.size()), tasks)) return false;
    each([&](auto part, std::uint32_t* cells, auto counts, Extents&) { put_down(part, boxes, cells, counts); });
    return true;
}

void ColumnGrid::build(std::span<const ProxyIndex> members, std::span<const Aabb> boxes, const Jobs& jobs) {
    if (members.empty()) {
        entries_.clear();
        cells_.clear();
        levels_.clear();
        cell_first_.clear();
        return;
    }
    const bool stale = levels_.empty() || ++layout_age_ > layout_builds ||
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

void ColumnGrid::find(const Aabb& box, FoundProxies& found) const {
    static BoxScan* const scan = best_box_scan();
    const BoxLanes lanes = lanes_of(box);
    BoxProbe probe;
    store(lanes.upper, probe.high);
    store(-lanes.lower, probe.minus_low);
    for (const ColumnLevel& level : levels_) {
        if (!overlaps(lanes_of(level.bounds), lanes)) continue;
        const CellWindow cells = window(level, first_cell(level, lanes), last_cell(level, lanes));
        found.count += scan(cells, probe, found.room_for(room_for(cells)));
    }
}

float ColumnGrid::common_reach() const {
    return std::min(longest_of(levels_.front().reach), std::numeric_limits<float>::max());
}

Aabb ColumnGrid::bounds() const {
    Aabb all{vec3(infinity), vec3(-infinity)};
    for (const ColumnLevel& level : levels_)
        all = merge(all, level.bounds);  // an empty level has no effect: its bounds are inverted
    return all;
}

std::size_t ColumnGrid::bytes() const {
    return levels_.capacity() * sizeof(ColumnLevel) +
           (cell_first_.capacity() + cells_.capacity() + counts_.capacity()) * sizeof(std::uint32_t) +
           entries_.capacity() * sizeof(BoxEntry);
}

}  // namespace talus::detail
