#include "profiling/bench/broadphase/broadphase_worlds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace talus::profiling {

namespace {

constexpr float volume_of_pair = 8.0f;  ///< in which the centre of one box lies if it overlaps another, on average, m^3
constexpr float overlaps_a_box = 4.5f;
constexpr float frames_of_drift = 20000.0f;  ///< how long a world that drifts has room
constexpr double far_away = 1e7;             ///< m
constexpr std::uint64_t seed = 1;

float volume_for(std::size_t boxes, float overlaps) { return volume_of_pair * static_cast<float>(boxes) / overlaps; }

WorldAabb box_around(const dvec3& middle, const vec3& half) { return {middle - dvec3(half), middle + dvec3(half)}; }

WorldAabb cube(float volume, const dvec3& middle = dvec3(0.0)) {
    return box_around(middle, vec3(0.5f * std::cbrt(volume)));
}

dvec3 point_in(samples::Random& random, const WorldAabb& box) {
    return center(box) + dvec3(random.in_box(half_extents(box)));
}

/// A box of random edges.
WorldAabb box_at(samples::Random& random, const dvec3& middle) {
    return box_around(middle, vec3(0.5f) + random.in_box(vec3(0.25f)));
}

/// Adds boxes whose centres are uniform in `centers`.
void fill(BoxWorld& world, std::size_t boxes, const WorldAabb& centers) {
    for (std::size_t i = 0; i < boxes; ++i) {
        world.boxes.push_back(box_at(world.random, point_in(world.random, centers)));
    }
    world.regions.push_back({world.boxes.size(), centers});
}

/// The boxes are there: chooses those that move, and gives a world that drifts room.
BoxWorld finish(BoxWorld world, const BoxMotion& motion) {
    world.motion = motion;
    world.steps.resize(world.boxes.size());
    if (world.present == 0) world.present = world.boxes.size();
    if (motion.share == 0.0f) world.fixed = world.boxes.size();
    world.movers.resize(std::min(world.present, world.boxes.size() - world.fixed));
    std::iota(world.movers.begin(), world.movers.end(), 0u);
    if (motion.share < 1.0f) {
        const auto all = static_cast<std::uint32_t>(world.movers.size());
        const auto few = static_cast<std::uint32_t>(motion.share * static_cast<float>(all));
        for (std::uint32_t i = 0; i < few; ++i) {
            std::swap(world.movers[i], world.movers[i + world.random.below(all - i)]);
        }
        world.movers.resize(few);
        std::sort(world.movers.begin(), world.movers.end());
    }
    for (BoxWorld::Region& region : world.regions) region.centers.upper += dvec3(frames_of_drift * motion.drift);
    return world;
}

BoxWorld begin() {
    BoxWorld world;
    world.random = samples::Random(seed);
    return world;
}

double bounce(double x, double low, double high) { return x < low ? 2.0 * low - x : x > high ? 2.0 * high - x : x; }

/// The pairs that an engine has to find: all of them, or those of the boxes that come later.
std::size_t pairs_to_find(const BoxWorld& world) {
    const std::span<const WorldAabb> boxes = world.boxes;
    const bool later = world.present < boxes.size();
    return count_overlaps(boxes) - (later ? count_overlaps(boxes.first(world.present)) : 0);
}

}  // namespace

void BoxWorld::advance() {
    auto region = regions.begin();
    for (const std::uint32_t i : movers) {
        while (i >= region->end) ++region;
        const WorldAabb& range = region->centers;
        WorldAabb& box = boxes[i];
        const dvec3 from = center(box);
        dvec3 to = from + dvec3(motion.drift + random.in_box(vec3(motion.jitter)));
        for (int axis = 0; axis < 3; ++axis) to[axis] = bounce(to[axis], range.lower[axis], range.upper[axis]);
        steps[i] = vec3(to - from);
        if (motion.teleporting > 0.0f && random.unit() < motion.teleporting) to = point_in(random, range);
        box.lower += to - from;
        box.upper += to - from;
    }
}

WorldAabb BoxWorld::extent() const {
    WorldAabb all = boxes[0];
    for (const WorldAabb& box : boxes) all = merge(all, box);
    for (const Region& region : regions) all = merge(all, region.centers);
    return expand(all, 1.0f);  // more than half an edge
}

BoxWorld cube_world(std::size_t boxes, const BoxMotion& motion) {
    BoxWorld world = begin();
    fill(world, boxes, cube(volume_for(boxes, overlaps_a_box)));
    return finish(std::move(world), motion);
}

BoxWorld flat_world(std::size_t boxes, const BoxMotion& motion) {
    constexpr float height = 4.0f;
    const float half = 0.5f * std::sqrt(volume_for(boxes, overlaps_a_box) / height);
    BoxWorld world = begin();
    fill(world, boxes, {vec3(-half, 0.0f, -half), vec3(half, height, half)});
    return finish(std::move(world), motion);
}

BoxWorld tower_world(std::size_t boxes, const BoxMotion& motion) {
    constexpr float width = 4.0f;
    BoxWorld world = begin();
    fill(world, boxes, {vec3(0.0f), vec3(width, volume_for(boxes, overlaps_a_box) / (width * width), width)});
    return finish(std::move(world), motion);
}

BoxWorld heap_world(std::size_t boxes, const BoxMotion& motion) {
    const std::size_t heap = boxes / 5, around = boxes - heap;
    BoxWorld world = begin();
    fill(world, around, cube(volume_for(around, overlaps_a_box)));
    fill(world, heap, cube(volume_for(heap, 10.0f * overlaps_a_box)));
    return finish(std::move(world), motion);
}

BoxWorld slab_world(std::size_t boxes, const BoxMotion& motion) {
    constexpr int slabs = 8, still = 6;
    const WorldAabb all = cube(volume_for(boxes, overlaps_a_box));
    BoxWorld world = begin();
    fill(world, boxes, all);
    for (int k = 0; k < slabs; ++k) {
        const double y = all.lower.y + (k + 0.5) / slabs * (all.upper.y - all.lower.y);
        world.boxes.push_back({dvec3(all.lower.x, y - 0.25, all.lower.z), dvec3(all.upper.x, y + 0.25, all.upper.z)});
    }
    world.regions.push_back({world.boxes.size(), all});
    world.fixed = still;
    return finish(std::move(world), motion);
}

BoxWorld point_world(std::size_t boxes, const BoxMotion& motion) {
    BoxWorld world = begin();
    fill(world, boxes / 5, cube(0.064f));  // 0.4 m high: less than the smallest edge
    return finish(std::move(world), motion);
}

BoxWorld burst_world(std::size_t boxes, const BoxMotion& motion) {
    BoxWorld world = begin();
    fill(world, boxes, cube(volume_for(boxes, overlaps_a_box)));
    world.present = boxes;
    fill(world, boxes, cube(0.1f * static_cast<float>(boxes)));
    return finish(std::move(world), motion);
}

BoxWorld line_world(std::size_t boxes, const BoxMotion& motion) {
    constexpr float spacing = 0.4f;  // on each axis: each box overlaps about two others
    BoxWorld world = begin();
    for (std::size_t i = 0; i < boxes; ++i) {
        world.boxes.push_back(box_at(world.random, dvec3(spacing * static_cast<float>(i))));
    }
    world.regions.push_back({boxes, {vec3(0.0f), vec3(spacing * static_cast<float>(boxes))}});
    return finish(std::move(world), motion);
}

BoxWorld crowd_world(std::size_t boxes, const BoxMotion& motion) {
    constexpr float overlaps = 20.0f;
    const float radius = std::cbrt(volume_for(boxes, overlaps) * 3.0f / (4.0f * 3.14159265f));
    BoxWorld world = begin();
    while (world.boxes.size() < boxes) {
        const vec3 at = world.random.in_box(vec3(radius));
        if (glm::dot(at, at) <= radius * radius) world.boxes.push_back(box_at(world.random, at));
    }
    world.regions.push_back({boxes, {vec3(-2.0f * radius), vec3(2.0f * radius)}});
    return finish(std::move(world), motion);
}

BoxWorld far_world(std::size_t boxes, const BoxMotion& motion) {
    BoxWorld world = begin();
    fill(world, boxes, cube(volume_for(boxes, overlaps_a_box), dvec3(far_away)));
    return finish(std::move(world), motion);
}

BoxWorld apart_world(std::size_t boxes, const BoxMotion& motion) {
    const std::size_t half = boxes / 2;
    BoxWorld world = begin();
    for (const double side : {-0.5, 0.5})
        fill(world, half, cube(volume_for(half, overlaps_a_box), dvec3(side * far_away, 0.0, 0.0)));
    return finish(std::move(world), motion);
}

BoxWorld uniform_like(const BoxWorld& world) {
    // The same random numbers at every scale, so the larger the volume the fewer the pairs.
    const auto make = [&](double volume) {
        BoxWorld uniform = begin();
        fill(uniform, world.boxes.size(), cube(static_cast<float>(volume)));
        uniform.present = world.present;
        return finish(std::move(uniform), world.motion);
    };
    const auto boxes = static_cast<double>(world.boxes.size());
    const std::size_t pairs = pairs_to_find(world);
    // What it would be if the cube had no sides.
    const double volume = 0.5 * boxes * boxes * double{volume_of_pair} / static_cast<double>(pairs);
    double low = 0.001 * volume, high = 2.0 * volume;
    for (int i = 0; i < 16; ++i) {  // to less than a thousandth
        const double middle = std::sqrt(low * high);
        (pairs_to_find(make(middle)) >= pairs ? low : high) = middle;
    }
    return make(low);
}

std::size_t count_overlaps(std::span<const WorldAabb> boxes) {
    if (boxes.empty()) return 0;
    glm::dvec3 sum(0.0), squares(0.0);
    for (const WorldAabb& box : boxes) {
        const glm::dvec3 c = center(box);
        sum += c;
        squares += c * c;
    }
    const glm::dvec3 spread = squares - sum * sum / static_cast<double>(boxes.size());
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        if (spread[k] > spread[axis]) axis = k;
    }
    std::vector<WorldAabb> sorted(boxes.begin(), boxes.end());
    std::sort(sorted.begin(), sorted.end(),
              [=](const WorldAabb& a, const WorldAabb& b) { return a.lower[axis] < b.lower[axis]; });
    std::size_t count = 0;
    for (auto a = sorted.begin(); a != sorted.end(); ++a) {
        for (auto b = a + 1; b != sorted.end() && b->lower[axis] <= a->upper[axis]; ++b) count += overlaps(*a, *b);
    }
    return count;
}

std::vector<Segment> make_segments(const BoxWorld& world, std::size_t count) {
    samples::Random random(seed + 1);
    std::vector<Segment> segments;
    for (std::size_t i = 0; i < count; ++i) {
        const dvec3 from = point_in(random, world.regions[0].centers);
        const vec3 way(point_in(random, world.regions[0].centers) - from);
        segments.push_back({from, way, 1.0f / way});
    }
    return segments;
}

float entry(const Segment& segment, const WorldAabb& box) {
    const vec3 a = vec3(box.lower - segment.origin) * segment.inverse;
    const vec3 b = vec3(box.upper - segment.origin) * segment.inverse;
    const vec3 near = glm::min(a, b), far = glm::max(a, b);
    const float in = std::max({near.x, near.y, near.z, 0.0f}), out = std::min({far.x, far.y, far.z, 1.0f});
    return in <= out ? in : missed;
}

}  // namespace talus::profiling
