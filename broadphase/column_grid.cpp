#include <talus/broadphase/column_grid.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace talus {

namespace {

using detail::BoxEntry;

// A cell is this many mean edges long, and a column this many wide. Larger: more strangers are looked at; smaller: more
// runs.
constexpr double cell_length = 0.5, column_width = 2.0;
// A level has at most this many cells a box; in a sparse world cells widen until that is enough.
constexpr double cells_per_box = 1.0;
// A level of at most this many boxes is one cell: looking at all of them costs no more than finding the right ones.
constexpr std::size_t one_cell_boxes = 32;
// A level holds boxes up to this many medians (by their longest edges) long.
constexpr float level_medians = 2.0f;
constexpr std::size_t max_samples = 512;
// A layout is chosen anew after this many builds, when the number of boxes has changed by this factor, when a box is
// longer by this factor than the longest was, or when boxes share their cells with so many times more others, and more
// of them than a few.
constexpr std::uint32_t layout_builds = 32;
constexpr std::size_t layout_change = 2;
constexpr float reach_change = 2.0f;
constexpr double crowding_change = 4.0, crowding_least = 16.0;
// Widening, relative to the coordinates and far above the rounding of float, of a bound that is computed rather than
// compared.
constexpr float reach_slack = 1e-6f;

// Behind each level, entries that meet nothing: a scan may look at them.
constexpr std::uint32_t padding = detail::scan_step - 1;

constexpr std::size_t least_members = 4096;  // fewer are not worth a task of their own
constexpr std::size_t lookahead = 16;        // boxes whose place is being fetched while one is put down

// Sizes by their exponent and three bits of mantissa: eight bins an octave, zero in bin 0, infinity in size_bins - 1.
constexpr unsigned size_shift = 20;
constexpr std::size_t size_bins = (0x7f800000u >> size_shift) + 1;
std::size_t size_bin(float size) { return std::bit_cast<std::uint32_t>(size) >> size_shift; }
float bin_lower_edge(std::size_t bin) { return std::bit_cast<float>(static_cast<std::uint32_t>(bin) << size_shift); }

// Of a vector as lanes_of gives it. At least +0, never -0: its bits are a bin.
float longest_of(Float4 edges) {
    const float xy = edges[0] > edges[1] ? edges[0] : edges[1];
    const float xyz = xy > edges[2] ? xy : edges[2];
    return xyz > 0.0f ? xyz : 0.0f;
}

std::uint32_t slot_of(Int4 cell, const std::array<std::uint32_t, 3>& stride, std::uint32_t mask) {
    return (static_cast<std::uint32_t>(cell[0]) * stride[0] + static_cast<std::uint32_t>(cell[1]) * stride[1] +
            static_cast<std::uint32_t>(cell[2]) * stride[2]) &
           mask;
}

}  // namespace

Int4 ColumnGrid::cells_of(Float4 x, Float4 per_cell) {
    const Float4 c = clamp(x * per_cell, splat<Float4>(-cell_limit), splat<Float4>(cell_limit));
    const Int4 truncated = __builtin_convertvector(c, Int4);
    return truncated + (c < __builtin_convertvector(truncated, Float4));  // floor: true is -1
}

std::size_t ColumnGrid::level_of(Float4 edges) const {
    const float size = longest_of(edges);
    std::size_t l = 0;
    while (size >= levels_[l].size_limit && l + 1 < levels_.size()) ++l;
    return l;
}

// Levels by size: each takes the boxes below some medians of what is left, so at least half of it.
void ColumnGrid::choose_layout(std::span<const ProxyIndex> members, std::span<const Aabb> boxes) {
    layout_members_ = members.size();
    layout_age_ = 0;
    levels_.clear();
    std::array<std::uint32_t, size_bins> histogram{};
    for (const ProxyIndex p : members) {
        const BoxLanes box = lanes_of(boxes[p]);
        ++histogram[size_bin(longest_of(box.upper - box.lower))];
    }
    std::array<std::uint32_t, max_levels> threshold{};  // of a hash, for about max_samples samples of each level
    std::size_t bin = 0;
    for (std::size_t remaining = members.size(); remaining > 0;) {
        std::size_t median = bin;
        for (std::size_t seen = histogram[bin]; seen < (remaining + 1) / 2; seen += histogram[++median]) {}
        const float limit = level_medians * bin_lower_edge(std::min(median + 1, size_bins - 1));
        const bool last = remaining <= one_cell_boxes || levels_.size() + 1 == max_levels;
        const std::size_t end = last ? size_bins : std::clamp(size_bin(limit), median + 1, size_bins);
        Level level;
        for (; bin < end; ++bin) level.members += histogram[bin];
        remaining -= level.members;
        level.size_limit = remaining == 0 ? infinity : bin_lower_edge(end);
        threshold[levels_.size()] =
            static_cast<std::uint32_t>(std::min(4294967295.0, 4294967296.0 * max_samples / level.members));
        levels_.push_back(level);
    }
    // Samples are picked by a hash of their place, out of step with whatever order the members have.
    std::array<std::vector<ProxyIndex>, max_levels> samples;
    std::uint32_t hash = 0;
    for (const ProxyIndex p : members) {
        hash += 0x9e3779b9u;
        if (hash * 0x85ebca6bu > threshold[0] && levels_.size() == 1) continue;
        const BoxLanes box = lanes_of(boxes[p]);
        const std::size_t l = level_of(box.upper - box.lower);
        if (hash * 0x85ebca6bu <= threshold[l]) samples[l].push_back(p);
    }
    std::uint32_t cells = 0;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        Level& level = levels_[l];
        level.first_cell = cells;
        if (level.members > one_cell_boxes && samples[l].size() > 1) choose_cells(level, samples[l], boxes);
        cells += level.mask + 2;  // and the end of the last
    }
    cell_first_.resize(cells);
}

// Which axis is swept, and how long and wide the cells are.
void ColumnGrid::choose_cells(Level& level, std::span<const ProxyIndex> sample, std::span<const Aabb> boxes) const {
    // How far things are spread: the mean distance from the mean, which an outlier cannot dominate as it does a
    // variance or a bound.
    const double count = static_cast<double>(sample.size());
    double edge[3], width[3];  // of the mean box, and of an even spread that deviates as much
    for (int axis = 0; axis < 3; ++axis) {
        double mean = 0.0, deviation = 0.0;
        edge[axis] = 0.0;
        for (const ProxyIndex p : sample) {
            mean += double{boxes[p].lower[axis]} / count;
            edge[axis] += (double{boxes[p].upper[axis]} - double{boxes[p].lower[axis]}) / count;
        }
        for (const ProxyIndex p : sample) deviation += std::abs(double{boxes[p].lower[axis]} - mean) / count;
        width[axis] = 4.0 * deviation;
    }
    const double longest = std::max({edge[0], edge[1], edge[2]});
    double turns[3];  // how many boxes are side by side
    for (int axis = 0; axis < 3; ++axis) {
        edge[axis] = std::max({edge[axis], 1e-3 * longest, 1e-6 * width[axis], 1e-20});
        turns[axis] = width[axis] / edge[axis];
    }
    level.s = turns[0] >= turns[1] && turns[0] >= turns[2] ? 0 : turns[1] >= turns[2] ? 1 : 2;
    level.u = (level.s + 1) % 3;
    level.v = (level.s + 2) % 3;

    // The smallest cells, by the edges; then the widest, that cover the whole spread; then as narrow as the crowd in
    // them demands.
    double narrow[3];
    for (std::uint32_t axis = 0; axis < 3; ++axis)
        narrow[axis] = edge[axis] * (axis == level.s ? cell_length : column_width);
    const auto most =
        static_cast<double>(std::bit_ceil(static_cast<std::size_t>(std::max(16.0, cells_per_box * level.members))));
    double widening = 1.0, cells = 0.0, number[3];
    const auto count_cells = [&] {
        cells = 1.0;
        int cut = 0;
        for (int axis = 0; axis < 3; ++axis) {
            number[axis] = width[axis] / (narrow[axis] * widening);
            if (number[axis] < 1.5) number[axis] = 1.0;
            cut += number[axis] > 1.0;
            cells *= number[axis];
        }
        return cut;
    };
    for (int cut = count_cells(); cells > most && cut > 0; cut = count_cells())
        widening *= std::max(1.01, std::pow(cells / most, 1.0 / cut));
    const auto crowded = [&] {
        std::vector<std::uint64_t> places;
        for (const ProxyIndex p : sample) {
            std::uint64_t place = 0;
            for (int axis = 0; axis < 3; ++axis) {
                const double c =
                    number[axis] > 1.0 ? std::floor(double{boxes[p].lower[axis]} / (narrow[axis] * widening)) : 0.0;
                place = place * 0x9e3779b97f4a7c15u +
                        static_cast<std::uint64_t>(static_cast<std::int64_t>(std::clamp(c, -1e15, 1e15)));
            }
            places.push_back(place);
        }
        std::sort(places.begin(), places.end());
        double shared = 0.0;
        for (std::size_t i = 0, j = 0; i < places.size(); i = j) {
            while (j < places.size() && places[j] == places[i]) ++j;
            shared += static_cast<double>((j - i) * (j - i - 1));
        }
        return shared > 8.0 * count * count / most + 16.0;
    };
    while (widening > 1.0 && crowded()) {
        widening = std::max(1.0, 0.5 * widening);
        count_cells();
    }

    level.mask = static_cast<std::uint32_t>(std::bit_ceil(static_cast<std::size_t>(std::clamp(cells, 1.0, most))) - 1);
    double stride = 1.0;
    for (const std::uint32_t axis : {level.s, level.u, level.v}) {
        if (number[axis] > 1.0) level.per_cell[axis] = static_cast<float>(1.0 / (narrow[axis] * widening));
        // Odd strides: however many turns it takes, a line of boxes in any direction spreads over all cells.
        level.stride[axis] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(std::min(stride, 1e15))) | 1u;
        stride *= std::ceil(number[axis]) + 1.0;
    }
}

// First pass of the counting sort: the cells of some of the members, how many are in each, and how far they extend.
void ColumnGrid::locate(std::span<const ProxyIndex> members, std::span<const Aabb> boxes, std::uint32_t* cells,
                        std::span<std::uint32_t> counts, Extents& extents) const {
    std::fill(counts.begin(), counts.end(), 0u);
    extents = {};
    const auto locate_in = [&](const Level& level, Extent& extent, std::size_t i, const BoxLanes& box, Float4 edges) {
        extent.lower = min(extent.lower, box.lower);
        extent.upper = max(extent.upper, box.upper);
        extent.edges = max(extent.edges, edges);
        cells[i] = level.first_cell + slot_of(cells_of(box.lower, level.per_cell), level.stride, level.mask);
        ++counts[cells[i]];
    };
    if (levels_.size() == 1) {
        const Level level = levels_[0];
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
            const std::size_t l = level_of(edges);
            locate_in(levels_[l], extents[l], i, box, edges);
        }
    }
}

// From how many there are in each cell to where each task's last one goes. False when the layout turns out to be a bad
// one.
bool ColumnGrid::add_up(std::size_t members, int tasks) {
    std::uint32_t end = 0;
    double shared = 0.0;
    for (Level& level : levels_) {
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
    const bool fresh = layout_age_ == 0;
    const double crowding = shared / static_cast<double>(members);
    if (fresh) layout_crowding_ = crowding;
    bool good = crowding < crowding_change * layout_crowding_ + crowding_least;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        Level& level = levels_[l];
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

// Last pass: to their places, backwards, so that the first of a cell comes first.
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

// The counting sort. False when the layout turns out to be a bad one for these boxes.
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
    if (!add_up(members.size(), tasks)) return false;
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

detail::CellWindow ColumnGrid::window(const Level& level, Int4 first, Int4 last) const {
    const Int4 size = last - first + 1;
    detail::CellWindow window;
    window.entries = entries_.data();
    window.cell_first = &cell_first_[level.first_cell];
    window.mask = level.mask;
    window.first = slot_of(first, level.stride, level.mask);
    window.stride_u = level.stride[level.u];
    window.stride_v = level.stride[level.v];
    window.size_u = static_cast<unsigned>(size[level.u]);
    window.size_v = static_cast<unsigned>(size[level.v]);
    window.length = static_cast<unsigned>(size[level.s]);
    // All of them if that is no more to look at. A window that laps itself, wider than a turn of its columns or than
    // all cells, leads through cells again and again: there it is the boxes that count.
    const std::uint64_t row = std::uint64_t{window.size_u - 1} * window.stride_u + window.length;
    const std::uint64_t rows = std::uint64_t{window.size_v - 1} * window.stride_v + row;
    bool all = std::uint64_t{window.length} * window.size_u * window.size_v > level.mask;
    if (!all && ((window.size_u > 1 && window.length > window.stride_u) ||
                 (window.size_v > 1 && row > window.stride_v) || rows > level.mask + std::uint64_t{1})) {
        std::size_t looked_at = 0;
        detail::for_each_run(window, [&](unsigned begin, unsigned end) {
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

// A scan finds no more than this.
std::size_t ColumnGrid::room_for(const detail::CellWindow& window) const {
    return entries_.size() +
           std::size_t{2} * detail::scan_step * window.size_u * window.size_v;  // a run may wrap around
}

// Nothing that begins further back reaches the box.
Int4 ColumnGrid::first_cell(const Level& level, const BoxLanes& box) {
    const Float4 from = box.lower - level.reach - splat<Float4>(reach_slack) * (absolute(box.lower) + level.reach);
    return cells_of(max(from, lanes_of(level.bounds).lower), level.per_cell);
}

Int4 ColumnGrid::last_cell(const Level& level, const BoxLanes& box) {
    return cells_of(min(box.upper, lanes_of(level.bounds).upper), level.per_cell);
}

void ColumnGrid::find(const Aabb& box, FoundProxies& found) const {
    static detail::BoxScan* const scan = detail::best_box_scan();
    const BoxLanes lanes = lanes_of(box);
    detail::BoxProbe probe;
    store(lanes.upper, probe.high);
    store(-lanes.lower, probe.minus_low);
    for (const Level& level : levels_) {
        if (!overlaps(lanes_of(level.bounds), lanes)) continue;
        const detail::CellWindow cells = window(level, first_cell(level, lanes), last_cell(level, lanes));
        found.count += scan(cells, probe, found.room_for(room_for(cells)));
    }
}

float ColumnGrid::common_reach() const {
    return std::min(longest_of(levels_.front().reach), std::numeric_limits<float>::max());
}

Aabb ColumnGrid::bounds() const {
    Aabb all{vec3(infinity), vec3(-infinity)};
    for (const Level& level : levels_) all = merge(all, level.bounds);  // those of an empty one are inside out
    return all;
}

std::size_t ColumnGrid::bytes() const {
    return levels_.capacity() * sizeof(Level) +
           (cell_first_.capacity() + cells_.capacity() + counts_.capacity()) * sizeof(std::uint32_t) +
           entries_.capacity() * sizeof(BoxEntry);
}

}  // namespace talus
