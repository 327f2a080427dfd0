#include "broadphase/columns/column_layout.h"

#include "common/bit_cast.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

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
std::size_t size_bin(float size) { return bit_cast<std::uint32_t>(size) >> size_shift; }
using Histogram = std::array<std::uint32_t, size_bins>;
float bin_lower_edge(std::size_t bin) { return bit_cast<float>(static_cast<std::uint32_t>(bin) << size_shift); }

// The width of an even spread with the same mean distance from the median as these numbers without the outermost
// eighth: boxes that went astray, however far, do not count.
double width_of(std::vector<float>& values) {
    const auto kept = values.begin() + static_cast<std::ptrdiff_t>(values.size() - values.size() / 8);
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    const float median = *middle;
    for (float& value : values) value = std::abs(value - median);
    std::nth_element(values.begin(), kept - 1, values.end());
    const auto share = static_cast<double>(kept - values.begin()) / static_cast<double>(values.size());
    return 4.0 * std::accumulate(values.begin(), kept, 0.0) / static_cast<double>(kept - values.begin()) / share;
}

// Returns the n-th root of x >= 1, n = 1, 2 or 3, to some digits: not by std::pow, whose last bit differs between
// systems.
double root(double x, int n) {
    if (n != 3) return n == 1 ? x : std::sqrt(x);
    double y = std::sqrt(x);
    for (int i = 0; i < 60; ++i) y = (2.0 * y + x / (y * y)) / 3.0;
    return y;
}

// Chooses the sweep axis and the size of the cells from a sample of the level's boxes.
void choose_cells(ColumnLevel& level, std::span<const BoxLanes> sample) {
    const double count = static_cast<double>(sample.size());
    double edge[3], width[3];  // of the mean box, and of the spread of the boxes
    std::vector<float> values(sample.size());
    for (int axis = 0; axis < 3; ++axis) {
        edge[axis] = 0.0;
        for (std::size_t i = 0; i < sample.size(); ++i) {
            values[i] = sample[i].lower[axis];
            edge[axis] += (double{sample[i].upper[axis]} - double{sample[i].lower[axis]}) / count;
        }
        width[axis] = width_of(values);
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
        widening *= std::max(1.01, root(cells / most, cut));
    const auto crowded = [&] {
        std::vector<std::uint64_t> places;
        for (const BoxLanes& box : sample) {
            std::uint64_t place = 0;
            for (int axis = 0; axis < 3; ++axis) {
                const double c =
                    number[axis] > 1.0 ? std::floor(double{box.lower[axis]} / (narrow[axis] * widening)) : 0.0;
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

// Adds the levels for boxes with this histogram of their sizes, all seen from one origin.
void add_levels(const Histogram& histogram, const Double4& origin, std::vector<ColumnLevel>& levels) {
    std::size_t remaining = std::accumulate(histogram.begin(), histogram.end(), std::size_t{0});
    std::size_t bin = 0, count = 0;
    do {
        std::size_t median = bin;
        for (std::size_t seen = histogram[bin]; seen < (remaining + 1) / 2; seen += histogram[++median]) {}
        const float limit = level_medians * bin_lower_edge(std::min(median + 1, size_bins - 1));
        const bool last = remaining <= one_cell_boxes || ++count == max_levels;
        const std::size_t end = last ? size_bins : std::clamp(size_bin(limit), median + 1, size_bins);
        ColumnLevel level;
        level.origin = origin;
        for (; bin < end; ++bin) level.members += histogram[bin];
        remaining -= level.members;
        level.size_limit = remaining == 0 ? infinity : bin_lower_edge(end);
        levels.push_back(level);
    } while (remaining > 0);
}

}  // namespace

ColumnLayout choose_layout(std::span<const ProxyIndex> members, std::span<const WorldAabb> boxes) {
    ColumnLayout layout;
    layout.origins = choose_origins(members, boxes);
    std::vector<Histogram> histograms(layout.origins.size(), Histogram{});
    for (const ProxyIndex p : members) {
        const WorldLanes lanes = lanes_of(boxes[p]);
        const std::size_t origin = nearest_origin(layout.origins, lanes.lower);
        const BoxLanes box = seen_from(layout.origins[origin], lanes);
        ++histograms[origin][size_bin(longest_of(box.upper - box.lower))];
    }
    for (std::size_t origin = 0; origin < layout.origins.size(); ++origin) {
        layout.first_levels.push_back(static_cast<std::uint32_t>(layout.levels.size()));
        add_levels(histograms[origin], layout.origins[origin], layout.levels);
    }
    layout.first_levels.push_back(static_cast<std::uint32_t>(layout.levels.size()));
    // Each level gets about max_samples samples. They are picked by a hash of their place in the list, so that a
    // regular order of the members does not matter.
    std::vector<std::uint32_t> threshold;
    for (const ColumnLevel& level : layout.levels) {
        const double share = 4294967296.0 * max_samples / std::max(level.members, 1u);
        threshold.push_back(static_cast<std::uint32_t>(std::min(4294967295.0, share)));
    }
    std::vector<std::vector<BoxLanes>> samples(layout.levels.size());
    std::uint32_t hash = 0;
    for (const ProxyIndex p : members) {
        hash += 0x9e3779b9u;
        if (hash * 0x85ebca6bu > threshold[0] && layout.levels.size() == 1) continue;
        const WorldLanes lanes = lanes_of(boxes[p]);
        const std::size_t origin = nearest_origin(layout.origins, lanes.lower);
        const BoxLanes box = seen_from(layout.origins[origin], lanes);
        const std::uint32_t first = layout.first_levels[origin], end = layout.first_levels[origin + 1];
        const std::size_t l =
            first + level_of(std::span(layout.levels).subspan(first, end - first), box.upper - box.lower);
        if (hash * 0x85ebca6bu <= threshold[l]) samples[l].push_back(box);
    }
    std::uint32_t cells = 0;
    for (std::size_t l = 0; l < layout.levels.size(); ++l) {
        ColumnLevel& level = layout.levels[l];
        level.first_cell = cells;
        if (level.members > one_cell_boxes && samples[l].size() > 1) choose_cells(level, samples[l]);
        cells += level.mask + 2;  // and the end of the last
    }
    return layout;
}

}  // namespace talus::detail
