#include "broadphase/columns/origins.h"

#include <algorithm>
#include <cstdint>

namespace talus::detail {

namespace {

// An origin also serves the boxes within so many of their longest edges: there, rounding moves their bounds by less than
// a tenth of the edge.
constexpr double range_in_edges = 524288.0;
constexpr std::size_t max_samples = 128;  // boxes from which the origins are chosen
constexpr std::size_t least_share = 32;   // an origin serves at least one sample in so many
constexpr std::size_t few_members = 32;   // testing all of them costs no more than finding the right ones

struct Sample {
    Double4 place;
    double range;  // from an origin that serves it, m
};

bool serves(const Double4& origin, const Sample& sample) {
    return distance_along_axes(origin, sample.place) <= sample.range;
}

// Picked by a hash from equal parts of the list, so that a regular order of the members does not matter.
std::vector<Sample> pick_samples(std::span<const ProxyIndex> members, std::span<const WorldAabb> boxes) {
    const std::size_t count = std::min(members.size(), max_samples);
    std::vector<Sample> samples;
    samples.reserve(count);
    std::uint32_t hash = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t begin = members.size() * i / count, end = members.size() * (i + 1) / count;
        hash += 0x9e3779b9u;
        const WorldAabb& box = boxes[members[begin + (hash * 0x85ebca6bu >> 8) % (end - begin)]];
        const dvec3 edges = box.upper - box.lower;
        samples.push_back({lanes_of(box.lower),
                           std::max(double{least_range}, range_in_edges * std::max({edges.x, edges.y, edges.z}))});
    }
    return samples;
}

// Axis by axis, so in the middle of a single crowd.
Double4 median_of(const std::vector<Sample>& samples) {
    dvec3 median;
    std::vector<double> values(samples.size());
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    for (int axis = 0; axis < 3; ++axis) {
        std::transform(samples.begin(), samples.end(), values.begin(),
                       [axis](const Sample& sample) { return coordinate(sample.place, axis); });
        std::nth_element(values.begin(), middle, values.end());
        median[axis] = *middle;
    }
    return lanes_of(median);
}

}  // namespace

std::vector<Double4> choose_origins(std::span<const ProxyIndex> members, std::span<const WorldAabb> boxes) {
    std::vector<Sample> left = pick_samples(members, boxes);
    const std::size_t count = left.size();
    const auto served_by = [&left](const Double4& origin) {
        return static_cast<std::size_t>(
            std::count_if(left.begin(), left.end(), [&](const Sample& sample) { return serves(origin, sample); }));
    };
    const auto few = [count](std::size_t part) { return part * least_share < count; };
    const Double4 median = median_of(left);
    if (members.size() <= few_members || few(count - served_by(median))) return {median};
    // Boxes are far apart: again and again, the place of the box from which most of those that are left are served.
    std::vector<Double4> origins;
    while (origins.size() < max_origins && !left.empty()) {
        Double4 best{};
        std::size_t most = 0;
        for (const Sample& sample : left) {
            const std::size_t served = served_by(sample.place);
            if (served <= most) continue;
            best = sample.place;
            most = served;
        }
        if (few(most)) break;
        origins.push_back(best);
        std::erase_if(left, [&](const Sample& sample) { return serves(best, sample); });
    }
    if (origins.empty()) origins.push_back(median);
    return origins;
}

}  // namespace talus::detail
