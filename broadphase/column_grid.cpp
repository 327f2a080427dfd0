#include <talus/broadphase/column_grid.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace talus {

namespace {

using detail::BoxEntry;
using detail::BoxWindow;

constexpr float infinity = std::numeric_limits<float>::infinity();

// A cell is this many mean edges long, and a column this many wide. Larger: more strangers are looked at; smaller: more runs.
constexpr double cell_length = 0.5, column_width = 2.0;
// A level has at most this many cells a box; in a sparse world cells widen until that is enough.
constexpr double cells_per_box = 1.0;
// A level of at most this many boxes is one cell: looking at all of them costs no more than finding the right ones.
constexpr std::size_t one_cell_boxes = 32;
// A level holds boxes up to this many medians (by their longest edges) long.
constexpr float level_medians = 2.0f;
constexpr std::size_t max_levels = 8;  // the last one takes what is left, at most one box in 128
constexpr std::size_t max_samples = 512;
// A layout is chosen anew after this many builds, when the number of boxes has changed by this factor, when a box is longer by this factor
// than the longest was, or when boxes share their cells with so many times more others, and more of them than a few.
constexpr std::uint32_t layout_builds = 32;
constexpr std::size_t layout_change = 2;
constexpr float reach_change = 2.0f;
constexpr double crowding_change = 4.0, crowding_least = 16.0;
// Widening, relative to the coordinates and far above the rounding of float, of a bound that is computed rather than compared.
constexpr float reach_slack = 1e-6f;

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
    // Things further out than this many cells share the outermost cell, where float can no longer tell cells apart well.
    constexpr float cell_limit = 1048576.0f;
    const Float4 c = clamp(x * per_cell, splat<Float4>(-cell_limit), splat<Float4>(cell_limit));
    const Int4 truncated = __builtin_convertvector(c, Int4);
    return truncated + (c < __builtin_convertvector(truncated, Float4));  // floor: true is -1
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
        const float size = longest_of(box.upper - box.lower);
        std::size_t l = 0;
        while (size >= levels_[l].size_limit && l + 1 < levels_.size()) ++l;
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
    // How far things are spread: the mean distance from the mean, which an outlier cannot dominate as it does a variance or a bound.
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

    // The smallest cells, by the edges; then the widest, that cover the whole spread; then as narrow as the crowd in them demands.
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

// The counting sort. False when the layout turns out to be a bad one for these boxes.
bool ColumnGrid::place(std::span<const ProxyIndex> members, std::span<const Aabb> boxes) {
    cells_.resize(members.size());
    entries_.resize(members.size() + detail::scan_step - 1);  // behind the last some that meet nothing
    std::fill_n(entries_.begin() + members.size(), detail::scan_step - 1,
                BoxEntry{{infinity, infinity, infinity}, 0, {}, 0});
    std::fill(cell_first_.begin(), cell_first_.end(), 0u);
    struct Extent {
        Float4 lower = splat<Float4>(infinity), upper = splat<Float4>(-infinity), edges{};
    };
    std::array<Extent, max_levels> extents;
    const bool fresh = layout_age_ == 0;
    const auto place_in = [&](const Level& level, Extent& extent, std::size_t i, const BoxLanes& box, Float4 edges) {
        extent.lower = min(extent.lower, box.lower);
        extent.upper = max(extent.upper, box.upper);
        extent.edges = max(extent.edges, edges);
        const std::uint32_t cell =
            level.first_cell + slot_of(cells_of(box.lower, level.per_cell), level.stride, level.mask);
        cells_[i] = cell;
        ++cell_first_[cell];
    };
    if (levels_.size() == 1) {
        const Level level = levels_[0];
        Extent extent;
        for (std::size_t i = 0; i < members.size(); ++i) {
            const BoxLanes box = lanes_of(boxes[members[i]]);
            place_in(level, extent, i, box, box.upper - box.lower);
        }
        extents[0] = extent;
    } else {
        for (std::size_t i = 0; i < members.size(); ++i) {
            const BoxLanes box = lanes_of(boxes[members[i]]);
            const Float4 edges = box.upper - box.lower;
            const float size = longest_of(edges);
            std::size_t l = 0;
            while (size >= levels_[l].size_limit && l + 1 < levels_.size()) ++l;
            place_in(levels_[l], extents[l], i, box, edges);
        }
    }
    std::uint32_t end = 0;
    double shared = 0.0;
    for (Level& level : levels_) {
        const std::uint32_t begin = end;
        for (std::uint32_t& first : std::span(cell_first_).subspan(level.first_cell, level.mask + std::size_t{2})) {
            const std::uint32_t count = first;
            end += count;
            first = end;
            shared += static_cast<double>(std::uint64_t{count} * count);
        }
        level.members = end - begin;
    }
    const double crowding = shared / static_cast<double>(members.size());
    if (fresh) layout_crowding_ = crowding;
    bool good = crowding < crowding_change * layout_crowding_ + crowding_least;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        Level& level = levels_[l];
        level.reach = extents[l].edges;
        level.bounds = aabb_of({extents[l].lower, extents[l].upper});
        if (fresh) level.layout_reach = longest_of(level.reach);
        good = good && longest_of(level.reach) <= reach_change * level.layout_reach;
    }
    if (!good && !fresh) return false;
    for (std::size_t i = members.size(); i-- > 0;) {  // backwards, so that the first of a cell comes first
        const Aabb& box = boxes[members[i]];
        entries_[--cell_first_[cells_[i]]] = {
            {box.lower.x, box.lower.y, box.lower.z}, members[i], {-box.upper.x, -box.upper.y, -box.upper.z}, 0};
    }
    return true;
}

void ColumnGrid::build(std::span<const ProxyIndex> members, std::span<const Aabb> boxes) {
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
    if (!place(members, boxes)) {
        choose_layout(members, boxes);
        place(members, boxes);
    }
}

// Writes what in the level meets the box and has its lower corner between the two.
void ColumnGrid::scan(const Level& level, const BoxLanes& box, Float4 from, Float4 to, FoundProxies& found) const {
    static detail::BoxScan* const best_scan = detail::best_box_scan();
    const BoxLanes bounds = lanes_of(level.bounds);
    const Int4 first = cells_of(max(from, bounds.lower), level.per_cell);
    const Int4 size = cells_of(min(to, bounds.upper), level.per_cell) - first + 1;
    BoxWindow window;
    store(box.upper, window.high);
    store(-box.lower, window.minus_low);
    window.entries = entries_.data();
    window.cell_first = &cell_first_[level.first_cell];
    window.mask = level.mask;
    window.first = slot_of(first, level.stride, level.mask);
    window.stride_u = level.stride[level.u];
    window.stride_v = level.stride[level.v];
    window.size_u = static_cast<unsigned>(size[level.u]);
    window.size_v = static_cast<unsigned>(size[level.v]);
    window.length = static_cast<unsigned>(size[level.s]);
    if (std::uint64_t{window.length} * window.size_u * window.size_v >
        level.mask) {  // as many as there are, or more: all of them
        window.first = 0;
        window.size_u = window.size_v = 1;
        window.length = level.mask + 1;
    }
    found.count += best_scan(window, found.room_for(entries_.size()));
}

// Nothing that begins further back reaches the box.
Float4 ColumnGrid::least_corner(const Level& level, const BoxLanes& box) {
    return box.lower - level.reach - splat<Float4>(reach_slack) * (absolute(box.lower) + level.reach);
}

void ColumnGrid::find(const Aabb& box, FoundProxies& found) const {
    const BoxLanes lanes = lanes_of(box);
    for (const Level& level : levels_) {
        if (overlaps(lanes_of(level.bounds), lanes)) scan(level, lanes, least_corner(level, lanes), lanes.upper, found);
    }
}

Aabb ColumnGrid::bounds() const {
    Aabb all{vec3(infinity), vec3(-infinity)};
    for (const Level& level : levels_) all = merge(all, level.bounds);  // those of an empty one are inside out
    return all;
}

std::size_t ColumnGrid::bytes() const {
    return levels_.capacity() * sizeof(Level) + (cell_first_.capacity() + cells_.capacity()) * sizeof(std::uint32_t) +
           entries_.capacity() * sizeof(BoxEntry);
}

}  // namespace talus
