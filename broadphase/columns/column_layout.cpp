#include "broadphase/columns/column_layout.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace talus::detail {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// In mean edges. Larger: more boxes are tested in vain; smaller: more runs of cells.
constexpr double cell_length = 0.5, column_width = 2.0;
// A level has at most this many cells per box. If boxes are far apart, the cells grow until that is enough.
constexpr double cells_per_box = 1.0;
// A level of at most this many boxes is one cell: testing all of them costs no more than finding the right ones.
constexpr std::size_t one_cell_boxes = 32;
// A level holds boxes whose longest edge is at most this many medians of the boxes that are left.
constexpr float level_medians = 2.0f;
constexpr std::size_t max_samples = 512;  // boxes of a level that its cells are chosen from

// Sizes by their exponent and three bits of mantissa: eight bins per octave, zero in bin 0, infinity in size_bins - 1.
constexpr unsigned size_shift = 20;
constexpr std::size_t size_bins = (0x7f800000u >> size_shift) + 1;
std::size_t size_bin(float size) { return std::bit_cast<std::uint32_t>(size) >> size_shift; }
float bin_lower_edge(std::size_t bin) { return std::bit_cast<float>(static_cast<std::uint32_t>(bin) << size_shift); }

// Chooses the sweep axis and the size of the cells from a sample of the level's boxes.
void choose_cells(ColumnLevel& level, std::span<const ProxyIndex> sample, std::span<const Aabb> boxes) {
    // The spread of the boxes is measured by their mean distance from the mean: an outlier would dominate a variance or
    // a bound.
    const double count = static_cast<double>(sample.size());
    double edge[3], width[3];  // of the mean box, and of an even spread with the same mean distance
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
    double side_by_side[3];  // number of boxes
    for (int axis = 0; axis < 3; ++axis) {
        edge[axis] = std::max({edge[axis], 1e-3 * longest, 1e-6 * width[axis], 1e-20});
        side_by_side[axis] = width[axis] / edge[axis];
    }
    level.s = side_by_side[0] >= side_by_side[1] && side_by_side[0] >= side_by_side[2] ? 0
              : side_by_side[1] >= side_by_side[2]                                     ? 1
                                                                                       : 2;
    level.u = (level.s + 1) % 3;
    level.v = (level.s + 2) % 3;

    // Start with the smallest cells, which depend on the edges. Widen them until the allowed number of cells covers the
    // whole spread. Then narrow them again while too many boxes share a cell.
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
        // Odd strides: a line of boxes in any direction spreads over all cells, however often it goes round the ring.
        level.stride[axis] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(std::min(stride, 1e15))) | 1u;
        stride *= std::ceil(number[axis]) + 1.0;
    }
}

}  // namespace

std::vector<ColumnLevel> choose_levels(std::span<const ProxyIndex> members, std::span<const Aabb> boxes) {
    std::vector<ColumnLevel> levels;
    std::array<std::uint32_t, size_bins> histogram{};
    for (const ProxyIndex p : members) {
        const BoxLanes box = lanes_of(boxes[p]);
        ++histogram[size_bin(longest_of(box.upper - box.lower))];
    }
    std::array<std::uint32_t, max_levels> threshold{};  // for a hash, so that each level has about max_samples samples
    std::size_t bin = 0;
    for (std::size_t remaining = members.size(); remaining > 0;) {
        std::size_t median = bin;
        for (std::size_t seen = histogram[bin]; seen < (remaining + 1) / 2; seen += histogram[++median]) {}
        const float limit = level_medians * bin_lower_edge(std::min(median + 1, size_bins - 1));
        const bool last = remaining <= one_cell_boxes || levels.size() + 1 == max_levels;
        const std::size_t end = last ? size_bins : std::clamp(size_bin(limit), median + 1, size_bins);
        ColumnLevel level;
        for (; bin < end; ++bin) level.members += histogram[bin];
        remaining -= level.members;
        level.size_limit = remaining == 0 ? infinity : bin_lower_edge(end);
        threshold[levels.size()] =
            static_cast<std::uint32_t>(std::min(4294967295.0, 4294967296.0 * max_samples / level.members));
        levels.push_back(level);
    }
    // Samples are picked by a hash of their place in the list, so that a regular order of the members does not matter.
    std::array<std::vector<ProxyIndex>, max_levels> samples;
    std::uint32_t hash = 0;
    for (const ProxyIndex p : members) {
        hash += 0x9e3779b9u;
        if (hash * 0x85ebca6bu > threshold[0] && levels.size() == 1) continue;
        const BoxLanes box = lanes_of(boxes[p]);
        const std::size_t l = level_of(levels, box.upper - box.lower);
        if (hash * 0x85ebca6bu <= threshold[l]) samples[l].push_back(p);
    }
    std::uint32_t cells = 0;
    for (std::size_t l = 0; l < levels.size(); ++l) {
        ColumnLevel& level = levels[l];
        level.first_cell = cells;
        if (level.members > one_cell_boxes && samples[l].size() > 1) choose_cells(level, samples[l], boxes);
        cells += level.mask + 2;  // and the end of the last
    }
    return levels;
}

}  // namespace talus::detail
