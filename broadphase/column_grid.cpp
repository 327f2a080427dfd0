#include <talus/broadphase/column_grid.h>
#include <talus/broadphase/radix_sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

namespace talus {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// A column is this many median boxes (by their longest edges) wide: wider ones hold strangers, narrower ones the same
// box too often. 2 to 3 is flat.
constexpr double cell_edges = 2.5;
// Boxes up to this part of a cell stand in its level. Below 1 by more than the rounding of cells_of at cell_limit, so
// that no box touches three columns along an axis.
constexpr double cell_fill = 0.8;
// In a sparse world columns widen until they hold about this many boxes. Fewer: more columns to visit than boxes in
// them.
constexpr double column_boxes = 8.0;
// A level of at most this many boxes is one run: looking at all of them costs no more than finding the right column.
constexpr std::size_t one_run_boxes = 32;
constexpr std::size_t max_levels = 8;    // the last one takes what is left, at most one box in 128
constexpr double smallest_cell = 1e-20;  // m: keeps 1 / cell finite when all boxes are points in one place
// Relative widening, far above the rounding of float, where a bound is computed rather than compared.
constexpr float reach_slack = 1e-6f;

// Sizes by their exponent and three bits of mantissa: eight bins an octave, zero in bin 0, infinity in size_bins - 1.
constexpr unsigned size_shift = 20;
constexpr std::size_t size_bins = (0x7f800000u >> size_shift) + 1;
std::size_t size_bin(float size) { return std::bit_cast<std::uint32_t>(size) >> size_shift; }
float bin_lower_edge(std::size_t bin) { return std::bit_cast<float>(static_cast<std::uint32_t>(bin) << size_shift); }

// At least +0, never -0: its bits are a bin. (Written so that it compiles to maxima rather than to branches.)
inline float longest_edge(const Aabb& box) {
    const float x = box.upper.x - box.lower.x, y = box.upper.y - box.lower.y, z = box.upper.z - box.lower.z;
    const float xy = x > y ? x : y;
    const float xyz = xy > z ? xy : z;
    return xyz > 0.0f ? xyz : 0.0f;
}

// The largest values with which an entry still meets the box.
struct Probe {
    Float4 high, minus_low;
};

Probe probe_of(const ColumnEntry& e) {
    // Minus each bound; in the last lane 1 - flag, beside the flag that it is compared with.
    const Float4 one = {0.0f, 0.0f, 0.0f, 1.0f};
    return {one - __builtin_shufflevector(e.minus_high, e.low, 0, 1, 2, 7),
            one - __builtin_shufflevector(e.low, e.minus_high, 0, 1, 2, 7)};
}

bool meets(const ColumnEntry& e, const Probe& p) { return all((e.low <= p.high) & (e.minus_high <= p.minus_low)); }

// Appends (owner, id) for each entry from `entry` on which the probe meets, up to the first that begins behind the
// probe; at the latest, that is the sentinel. Hits are written without a branch: nobody can predict them.
void scan(const ColumnEntry* entry, const ProxyIndex* id, const Probe& probe, ProxyIndex owner, FoundPairs& found) {
    constexpr std::size_t batch = 64;
    const float end = probe.high[0];
    for (bool more = true; more;) {
        ProxyPair* out = found.room_for(batch);
        const ColumnEntry* const stop = entry + batch;
        std::size_t count = 0;
        for (; (more = entry->low[0] <= end) && entry != stop; ++entry, ++id) {
            out[count] = {owner, *id};
            count += meets(*entry, probe);
        }
        found.count += count;
    }
}

}  // namespace

// Levels by size: each takes the boxes below two medians of what is left, so at least half of it.
void ColumnGrid::split_levels(std::span<const ProxyIndex> members, std::span<const Aabb> boxes) {
    std::array<std::uint32_t, size_bins> histogram{};
    for (const ProxyIndex p : members) ++histogram[size_bin(longest_edge(boxes[p]))];
    levels_.clear();
    std::size_t bin = 0;
    for (std::size_t remaining = members.size(); remaining > 0;) {
        std::size_t median = bin;
        for (std::size_t seen = histogram[bin]; seen < (remaining + 1) / 2; seen += histogram[++median]) {}
        const double cell = cell_edges * bin_lower_edge(std::min(median + 1, size_bins - 1));
        Level level;
        level.cell = static_cast<float>(std::min(cell, double{std::numeric_limits<float>::max()}));
        const bool last = remaining <= one_run_boxes || levels_.size() + 1 == max_levels;
        const std::size_t end =
            last ? size_bins : std::max(median + 1, size_bin(static_cast<float>(cell_fill * level.cell)));
        for (; bin < end; ++bin) level.members += histogram[bin];
        remaining -= level.members;
        level.size_limit = remaining == 0 ? infinity : bin_lower_edge(end);
        levels_.push_back(level);
    }
}

std::size_t ColumnGrid::level_of(const Aabb& box) const {
    const float size = longest_edge(box);
    std::size_t level = 0;
    while (level + 1 < levels_.size() && size >= levels_[level].size_limit) ++level;
    return level;
}

// Which axis is swept, and how the other two are cut.
void ColumnGrid::choose_columns(Level& level, std::span<const ProxyIndex> members, std::span<const Aabb> boxes) const {
    level.bounds = boxes[members.front()];
    float longest = 0.0f;
    for (const ProxyIndex p : members) {
        level.bounds = merge(level.bounds, boxes[p]);
        longest = std::max(longest, longest_edge(boxes[p]));
    }
    // How far things are spread: the mean distance from the mean, which an outlier cannot dominate as it does a
    // variance or a bound. Samples are taken a golden section apart, out of step with whatever order the members have.
    constexpr std::size_t max_samples = 512;
    const std::size_t samples = std::min(members.size(), max_samples);
    const auto sample = [&](std::size_t i, int axis) {
        const std::size_t m = samples == members.size()
                                  ? i
                                  : (std::uint64_t{static_cast<std::uint32_t>(i * 0x9e3779b9u)} * members.size()) >> 32;
        const Aabb& box = boxes[members[m]];
        return 0.5 * double{box.lower[axis]} + 0.5 * double{box.upper[axis]};
    };
    double width[3];  // of an even spread that deviates as much
    for (int axis = 0; axis < 3; ++axis) {
        double mean = 0.0, deviation = 0.0;
        for (std::size_t i = 0; i < samples; ++i) mean += sample(i, axis);
        mean /= static_cast<double>(samples);
        for (std::size_t i = 0; i < samples; ++i) deviation += std::abs(sample(i, axis) - mean);
        width[axis] = 4.0 * deviation / static_cast<double>(samples);
    }
    level.s = width[0] >= width[1] && width[0] >= width[2] ? 0 : width[1] >= width[2] ? 1 : 2;
    level.u = (level.s + 1) % 3;
    level.v = (level.s + 2) % 3;
    level.reach = 0.0f;
    for (const ProxyIndex p : members)
        level.reach = std::max(level.reach, boxes[p].upper[level.s] - boxes[p].lower[level.s]);
    level.reach *= 1.0f + reach_slack;
    if (members.size() <= one_run_boxes) return;

    const double count = static_cast<double>(members.size());
    const double sparse_cell = std::sqrt(width[level.u] * width[level.v] * column_boxes / count);
    const double cell = std::max({double{level.cell}, sparse_cell, longest / cell_fill, smallest_cell});
    if (!(cell < double{std::numeric_limits<float>::max()})) return;
    level.cell = static_cast<float>(cell);
    // An axis of two cells or less is not worth cutting: most boxes would stand on the cut.
    const auto cut = [&](int axis, float& per_cell) {
        const double needed = (double{level.bounds.upper[axis]} - double{level.bounds.lower[axis]}) / cell + 1.0;
        if (needed <= 3.0) return 1u;
        per_cell = 1.0f / level.cell;
        return std::bit_ceil(static_cast<std::uint32_t>(std::min(std::max(needed, 4.0), 32768.0)));
    };
    level.width = cut(level.u, level.per_cell_u);
    level.height = cut(level.v, level.per_cell_v);
    const std::size_t max_columns = std::bit_ceil(std::max<std::size_t>(16, members.size() / 4));
    while (std::size_t{level.width} * level.height > max_columns) {
        std::uint32_t& longer = level.width >= level.height ? level.width : level.height;
        longer /= 2;
    }
}

ColumnEntry ColumnGrid::entry_of(const Level& level, const Aabb& box) {
    return {Float4{box.lower[level.s], box.lower[level.u], box.lower[level.v], 0.0f},
            Float4{-box.upper[level.s], -box.upper[level.u], -box.upper[level.v], 0.0f}};
}

Int4 ColumnGrid::cells_of(Float4 x, Float4 per_cell) {
    const Float4 c = max(min(x * per_cell, splat<Float4>(cell_limit)), splat<Float4>(-cell_limit));
    const Int4 truncated = __builtin_convertvector(c, Int4);
    return truncated + (c < __builtin_convertvector(truncated, Float4));  // floor: true is -1
}

ColumnGrid::Cells ColumnGrid::cells(const Level& level, const ColumnEntry& box) {
    const Float4 per_cell = {level.per_cell_u, level.per_cell_v, -level.per_cell_u, -level.per_cell_v};
    const Int4 c = cells_of(__builtin_shufflevector(box.low, box.minus_high, 1, 2, 5, 6), per_cell);
    return {c[0], c[2], c[1], c[3]};
}

std::uint32_t ColumnGrid::column_at(const Level& level, std::int32_t u, std::int32_t v) {
    return (static_cast<std::uint32_t>(v) & (level.height - 1)) * level.width +
           (static_cast<std::uint32_t>(u) & (level.width - 1));
}

// One radix sort for the whole level; then, in that order, each box is appended to its columns, which are thereby
// sorted.
void ColumnGrid::fill_level(Level& level, std::span<const ProxyIndex> members, std::span<const Aabb> boxes,
                            BuildScratch& scratch) {
    const std::uint32_t columns = level.width * level.height;
    level.first_column = static_cast<std::uint32_t>(column_first_.size() - 1);
    scratch.order.resize(members.size());
    scratch.placements.resize(members.size());
    scratch.entries.resize(members.size());
    scratch.cursors.assign(columns, 1);  // each run ends with a sentinel
    for (std::size_t i = 0; i < members.size(); ++i) {
        const Aabb& box = boxes[members[i]];
        scratch.order[i] = std::uint64_t{ordered_bits(box.lower[level.s])} << 32 | i;
        scratch.entries[i] = entry_of(level, box);
        const Cells c = cells(level, scratch.entries[i]);
        assert(c.u1 - c.u0 <= 1 && c.v1 - c.v0 <= 1);
        const std::uint32_t at = column_at(level, c.u0, c.v0);
        const auto step_u = static_cast<std::int32_t>(column_at(level, c.u1, c.v0) - at);
        const auto step_v = static_cast<std::int32_t>(column_at(level, c.u0, c.v1) - at);
        scratch.placements[i] = {at, step_u, step_v};
        ++scratch.cursors[at];
        if (step_u != 0) ++scratch.cursors[at + step_u];
        if (step_v != 0) {
            ++scratch.cursors[at + step_v];
            if (step_u != 0) ++scratch.cursors[at + step_u + step_v];
        }
    }
    radix_sort(scratch.order, scratch.order_scratch, 32);

    column_first_.resize(level.first_column + columns + 1);
    std::uint32_t end = column_first_[level.first_column];
    for (std::uint32_t c = 0; c < columns; ++c) {
        column_first_[level.first_column + c] = end;
        end += scratch.cursors[c];
        scratch.cursors[c] = column_first_[level.first_column + c];
    }
    column_first_[level.first_column + columns] = end;
    if (entries_.size() < end) {
        entries_.resize(end);
        ids_.resize(end);
    }
    for (const std::uint64_t key : scratch.order) {
        const auto i = static_cast<std::uint32_t>(key);
        const ColumnEntry& entry = scratch.entries[i];
        const auto append = [&](std::uint32_t column, Float4 later_u, Float4 later_v) {
            const std::uint32_t slot = scratch.cursors[column]++;
            entries_[slot] = {entry.low + later_u, entry.minus_high + later_v};
            ids_[slot] = members[i];
        };
        constexpr Float4 first = {0.0f, 0.0f, 0.0f, 0.0f}, later = {0.0f, 0.0f, 0.0f, 1.0f};
        const BuildScratch::Placement at = scratch.placements[i];
        append(at.column, first, first);
        if (at.step_u != 0) append(at.column + at.step_u, later, first);
        if (at.step_v != 0) {
            append(at.column + at.step_v, first, later);
            if (at.step_u != 0) append(at.column + at.step_u + at.step_v, later, later);
        }
    }
    for (const std::uint32_t slot : scratch.cursors) {
        entries_[slot] = {Float4{infinity}, Float4{}};
        ids_[slot] = 0;
    }
}

void ColumnGrid::build(std::span<const ProxyIndex> members, std::span<const Aabb> boxes, BuildScratch& scratch) {
    member_count_ = members.size();
    column_first_.assign(1, 0);
    split_levels(members, boxes);
    if (levels_.size() > 1) {
        std::array<std::size_t, max_levels> cursor{};
        for (std::size_t l = 1; l < levels_.size(); ++l) cursor[l] = cursor[l - 1] + levels_[l - 1].members;
        scratch.members.resize(members.size());
        for (const ProxyIndex p : members) scratch.members[cursor[level_of(boxes[p])]++] = p;
        members = scratch.members;
    }
    std::size_t first = 0;
    for (Level& level : levels_) {
        const auto of_level = members.subspan(first, level.members);
        choose_columns(level, of_level, boxes);
        fill_level(level, of_level, boxes, scratch);
        first += level.members;
    }
}

// The first entry of the column's run that begins at or behind `from`.
std::uint32_t ColumnGrid::run_begin(std::uint32_t column, float from) const {
    std::uint32_t first = column_first_[column];
    std::uint32_t count = column_first_[column + 1] - first;  // the sentinel, which is behind everything, included
    while (count > 1) {
        const std::uint32_t half = count / 2;
        first += entries_[first + half - 1].low[0] < from ? half : 0;
        count -= half;
    }
    return first;
}

void ColumnGrid::find(std::size_t level_index, const Aabb& box, ProxyIndex owner, FoundPairs& found) const {
    const Level& level = levels_[level_index];
    ColumnEntry entry = entry_of(level, box);
    Cells c = cells(level, entry);
    // Members span two cells. As long as theirs and ours together fit once around the torus, a shared column is the
    // first of one of the two exactly once. A box too wide for that visits all columns and goes by the members' flags
    // alone.
    const bool all_u = static_cast<std::uint32_t>(c.u1 - c.u0) + 2 > level.width;
    const bool all_v = static_cast<std::uint32_t>(c.v1 - c.v0) + 2 > level.height;
    if (all_u) c.u0 = 0, c.u1 = static_cast<std::int32_t>(level.width - 1);
    if (all_v) c.v0 = 0, c.v1 = static_cast<std::int32_t>(level.height - 1);
    for (std::int32_t v = c.v0; v <= c.v1; ++v) {
        entry.minus_high[3] = all_v || v != c.v0 ? 1.0f : 0.0f;
        for (std::int32_t u = c.u0; u <= c.u1; ++u) {
            entry.low[3] = all_u || u != c.u0 ? 1.0f : 0.0f;
            find_in_column(level, level.first_column + column_at(level, u, v), entry, owner, found);
        }
    }
}

void ColumnGrid::find_in_column(const Level& level, std::uint32_t column, const ColumnEntry& box, ProxyIndex owner,
                                FoundPairs& found) const {
    float from = box.low[0] - level.reach;
    from -= std::abs(from) * reach_slack;
    const std::uint32_t begin = run_begin(column, from);
    scan(&entries_[begin], &ids_[begin], probe_of(box), owner, found);
}

void ColumnGrid::sweep_column(std::uint32_t column, FoundPairs& found) const {
    const std::uint32_t sentinel = column_first_[column + 1] - 1;
    for (std::uint32_t i = column_first_[column]; i < sentinel; ++i) {
        scan(&entries_[i + 1], &ids_[i + 1], probe_of(entries_[i]), ids_[i], found);
    }
}

std::size_t ColumnGrid::bytes() const {
    return levels_.capacity() * sizeof(Level) + column_first_.capacity() * sizeof(std::uint32_t) +
           entries_.capacity() * sizeof(ColumnEntry) + ids_.capacity() * sizeof(ProxyIndex);
}

}  // namespace talus
