#include "engine/constraints/slabs.h"

#include <algorithm>
#include <numeric>

namespace talus {

namespace {

/// Minimum number of bodies of a slab, and minimum thickness of a slab in mean radii of its bodies. In a thinner slab,
/// most bodies would reach into the next.
constexpr std::uint32_t least_bodies = 96;
constexpr float least_thickness = 3.0f;
/// The planes are placed again when the cost of one slab exceeds `most_uneven` times the mean, or when the total has
/// changed by this factor. Bodies that stand in rows cannot be divided evenly: with them a slab's cost must also exceed
/// `worse` times what it was after the planes were placed.
constexpr double most_uneven = 1.5, worse = 1.2;
constexpr float slack_of_radius = 0.25f;

}  // namespace

void Slabs::cut(std::span<const std::uint32_t> slots, std::span<const std::uint32_t> loads, const BodyStore& bodies) {
    of_.resize(bodies.slot_count(), 0);
    std::uint64_t load = 0;
    for (const std::uint32_t slot : slots) load += loads[slot];
    const auto now = static_cast<double>(load), before = static_cast<double>(cut_for_);
    const bool as_much = now <= most_uneven * before && before <= most_uneven * now;
    if (as_much && assign(slots, loads, bodies) <= allowed_) return;
    cut_for_ = load;
    place_planes(slots, loads, bodies);
    allowed_ = std::max(most_uneven, worse * assign(slots, loads, bodies));
}

/// Returns the largest cost of a slab as a multiple of the mean.
double Slabs::assign(std::span<const std::uint32_t> slots, std::span<const std::uint32_t> loads,
                     const BodyStore& bodies) {
    if (count_ == 1) {
        for (const std::uint32_t slot : slots) of_[slot] = 0;
        return 1.0;
    }
    std::array<std::uint64_t, most_slabs> sums{};
    for (const std::uint32_t slot : slots) {
        const double at = bodies[slot].center[axis_], slack{slack_};
        std::uint8_t& slab = of_[slot];
        const bool known = slab < count_;
        const bool below = !known || (slab > 0 && at - planes_[slab - 1u] < -slack);
        const bool above = !known || (slab + 1u < count_ && at - planes_[slab] > slack);
        if (below || above) {
            const auto end = planes_.begin() + (count_ - 1);
            slab = static_cast<std::uint8_t>(std::upper_bound(planes_.begin(), end, at) - planes_.begin());
        }
        sums[slab] += loads[slot];
    }
    const auto most = static_cast<double>(*std::max_element(sums.begin(), sums.end()));
    return most * count_ / static_cast<double>(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}));
}

void Slabs::place_planes(std::span<const std::uint32_t> slots, std::span<const std::uint32_t> loads,
                         const BodyStore& bodies) {
    count_ = 1;
    if (slots.size() < 2 * least_bodies) return;
    const auto n = static_cast<double>(slots.size());
    glm::dvec3 sum(0.0), squares(0.0);
    double radii = 0.0;
    const dvec3& origin = bodies[slots[0]].center;
    for (const std::uint32_t slot : slots) {
        const dvec3 at = bodies[slot].center - origin;
        sum += at;
        squares += at * at;
        radii += static_cast<double>(bodies[slot].radius);
    }
    const glm::dvec3 spread = squares - sum * sum / n;
    axis_ = spread.x >= spread.y && spread.x >= spread.z ? 0 : spread.y >= spread.z ? 1 : 2;
    const auto radius = static_cast<float>(radii / n);
    places_.clear();
    for (const std::uint32_t slot : slots) places_.push_back({bodies[slot].center[axis_], loads[slot]});
    std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) { return a.at < b.at; });

    std::uint32_t count = std::min(most_slabs, static_cast<std::uint32_t>(slots.size()) / least_bodies);
    for (;; --count) {
        std::uint64_t before = 0;
        std::uint32_t next = 0;
        for (const Place& place : places_) {
            if (next + 1 < count && before * count >= (next + 1) * cut_for_) planes_[next++] = place.at;
            before += place.load;
        }
        // The thickness is measured between the outer planes, so that bodies that fly far away do not count.
        const bool thick = planes_[count - 2] - planes_[0] >=
                           static_cast<double>(static_cast<float>(count - 2) * least_thickness * radius);
        if (next + 1 == count && (count == 2 || thick)) break;
        if (count == 2) return;
    }
    slack_ = slack_of_radius * radius;
    count_ = count;
}

}  // namespace talus
