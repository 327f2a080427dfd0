#include <talus/engine/slabs.h>

#include <algorithm>

namespace talus {

namespace {

/// Fewer bodies are not worth a slab, nor is one thinner than so many mean radii of its bodies: most would reach into the next.
constexpr std::uint32_t least_bodies = 96;
constexpr float least_thickness = 3.0f;
/// Planes are placed anew when a slab holds more than so many times its share, or the number of bodies has changed by as much.
constexpr float most_uneven = 1.5f;
constexpr float slack_of_radius = 0.25f;

}  // namespace

void Slabs::cut(std::span<const std::uint32_t> slots, const BodyStore& bodies) {
    of_.resize(bodies.slot_count(), 0);
    const auto count = static_cast<float>(slots.size()), before = static_cast<float>(cut_for_);
    const bool as_many = count <= most_uneven * before && before <= most_uneven * count;
    if (as_many && assign(slots, bodies)) return;
    place_planes(slots, bodies);
    assign(slots, bodies);
}

/// False if some slab now holds too many.
bool Slabs::assign(std::span<const std::uint32_t> slots, const BodyStore& bodies) {
    if (count_ == 1) {
        for (const std::uint32_t slot : slots) of_[slot] = 0;
        return true;
    }
    std::array<std::uint32_t, most_slabs> members{};
    for (const std::uint32_t slot : slots) {
        const float at = bodies[slot].center[axis_];
        std::uint8_t& slab = of_[slot];
        const bool known = slab < count_;
        const bool below = !known || (slab > 0 && at < planes_[slab - 1u] - slack_);
        const bool above = !known || (slab + 1u < count_ && at > planes_[slab] + slack_);
        if (below || above) {
            const auto end = planes_.begin() + (count_ - 1);
            slab = static_cast<std::uint8_t>(std::upper_bound(planes_.begin(), end, at) - planes_.begin());
        }
        ++members[slab];
    }
    const float share = static_cast<float>(slots.size()) / static_cast<float>(count_);
    return static_cast<float>(*std::max_element(members.begin(), members.end())) <= most_uneven * share;
}

void Slabs::place_planes(std::span<const std::uint32_t> slots, const BodyStore& bodies) {
    cut_for_ = static_cast<std::uint32_t>(slots.size());
    count_ = 1;
    if (slots.size() < 2 * least_bodies) return;
    const auto n = static_cast<double>(slots.size());
    glm::dvec3 sum(0.0), squares(0.0);
    double radii = 0.0;
    const glm::dvec3 origin(bodies[slots[0]].center);
    for (const std::uint32_t slot : slots) {
        const glm::dvec3 at = glm::dvec3(bodies[slot].center) - origin;
        sum += at;
        squares += at * at;
        radii += static_cast<double>(bodies[slot].radius);
    }
    const glm::dvec3 spread = squares - sum * sum / n;
    axis_ = spread.x >= spread.y && spread.x >= spread.z ? 0 : spread.y >= spread.z ? 1 : 2;
    places_.clear();
    for (const std::uint32_t slot : slots) places_.push_back(bodies[slot].center[axis_]);
    std::sort(places_.begin(), places_.end());
    const auto radius = static_cast<float>(radii / n);
    // Between the outer planes, so that what flies far off does not count.
    const auto plane = [&](std::uint32_t i, std::uint32_t count) { return places_[slots.size() * i / count]; };
    std::uint32_t count = std::min(most_slabs, static_cast<std::uint32_t>(slots.size()) / least_bodies);
    while (count > 2 && plane(count - 1, count) - plane(1, count) < static_cast<float>(count - 2) * least_thickness * radius) --count;
    for (std::uint32_t i = 1; i < count; ++i) planes_[i - 1] = plane(i, count);
    slack_ = slack_of_radius * radius;
    count_ = count;
}

}  // namespace talus
