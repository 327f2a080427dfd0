/// Heaps of mixed bodies that fall from a height: how far their bodies overlap, and for how long.

#include "tests/engine/limits.h"

#include "tests/engine/worlds.h"

#include <talus/narrowphase/separation.h>
#include <talus/narrowphase/support.h>

#include <algorithm>

using namespace talus;
using namespace talus::test;

namespace {

struct Heap {
    World world;
    std::vector<BodyId> things;
    std::vector<Shape> shapes;
};

/// 400 spheres, boxes, capsules and cylinders of 50 to 400 kg above a bin, up to a height of 32 m.
Heap heap(std::uint64_t seed) {
    constexpr float pitch = 1.28f, half = 2.65f, height = 20.0f;
    constexpr int columns = 4, layers = 25;
    Random random(seed);
    WorldDef def;
    def.allow_sleep = false;
    Heap heap{World(def), {}, {}};
    REQUIRE(bool(heap.world.add_body(ground())));
    for (const float side : {-1.0f, 1.0f}) {
        const vec3 x(side * (half + 0.5f), height, 0.0f), z(0.0f, height, side * (half + 0.5f));
        REQUIRE(bool(heap.world.add_body(fixed_body(box({0.5f, height, half + 1.0f}), x))));
        REQUIRE(bool(heap.world.add_body(fixed_body(box({half + 1.0f, height, 0.5f}), z))));
    }
    for (int i = 0; i < columns * columns * layers; ++i) {
        const float a = random.between(0.25f, 0.4f), b = random.between(0.25f, 0.4f), c = random.between(0.25f, 0.35f);
        const std::uint32_t kind = random.below(4);
        const Shape shape = kind == 0   ? sphere(a)
                            : kind == 1 ? box({a, b, c})
                            : kind == 2 ? capsule(0.7f * c, 0.8f * a)
                                        : cylinder(a, b);
        const auto place = [&](int k) { return (static_cast<float>(k) - 0.5f * (columns - 1)) * pitch; };
        const float y = 1.0f + static_cast<float>(i / (columns * columns)) * pitch;
        const vec3 jitter = random.in_box(vec3(0.02f));
        BodyDef thing = body(shape, vec3(place(i % columns), y, place(i / columns % columns)) + jitter);
        thing.rotation = random.rotation();
        heap.things.push_back(heap.world.add_body(thing));
        REQUIRE(bool(heap.things.back()));
        heap.shapes.push_back(shape);
    }
    return heap;
}

/// The largest overlap of any two of its bodies, m.
float deepest_overlap(const Heap& heap) {
    std::vector<WorldTransform> poses;
    for (const BodyId thing : heap.things) poses.push_back(heap.world.transform(thing));
    float deepest = 0.0f;
    for (std::size_t i = 0; i < poses.size(); ++i) {
        for (std::size_t k = i + 1; k < poses.size(); ++k) {
            const float reach = bounding_radius(heap.shapes[i]) + bounding_radius(heap.shapes[k]);
            const dvec3 way = poses[k].position - poses[i].position;
            if (glm::dot(way, way) > reach * reach) continue;
            SimplexCache cache;
            const SeparationResult gap = separation(heap.shapes[i], heap.shapes[k],
                                                    to_matrix_transform(relative(poses[i], poses[k])), cache, 0.0f);
            if (!gap.beyond_limit) deepest = std::max(deepest, -gap.separation);
        }
    }
    return deepest;
}

}  // namespace

// Two causes. The load that a soft contact can carry is limited by the masses of its bodies. And two round or edged
// bodies that overlap deeply have a single contact point, another one in each step, about which they rock without
// coming apart.
TEST_CASE("a heap that fell from 32 m does not stay pressed into itself" * doctest::test_suite("slow")) {
    std::vector<float> depths;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        Heap bin = heap(seed);
        for (int i = 0; i < 420; ++i) REQUIRE(bin.world.step(frame));
        depths.push_back(deepest_overlap(bin));
        MESSAGE("seed ", seed, ": ", 1000.0f * depths.back(), " mm");
    }
    std::sort(depths.begin(), depths.end());
    hold("overlap in a heap that fell from 32 m", 1000.0f * depths[6]);
    hold("heaps that fell from 32 m and keep a wedged pair",
         static_cast<double>(std::count_if(depths.begin(), depths.end(), [](float d) { return d > 0.015f; })));
}

// Contacts are found once per step, and a body that falls at 20 m/s moves by 33 cm in a step. Three things follow. A
// body that is struck within the step hits others that were outside of its margin. Two bodies that touch at one point
// rotate about it until other parts of them overlap deeply. And one iteration per sub-step stops only part of the
// bodies that land on a crowd.
TEST_CASE("bodies that rain from 32 m get into each other no deeper than documented" * doctest::test_suite("slow")) {
    float worst = 0.0f;
    for (std::uint64_t seed = 9001; seed <= 9004; ++seed) {
        Heap bin = heap(seed);
        float deepest = 0.0f;
        for (int i = 0; i < 200; ++i) {
            REQUIRE(bin.world.step(frame));
            deepest = std::max(deepest, deepest_overlap(bin));
        }
        MESSAGE("seed ", seed, ": ", 1000.0f * deepest, " mm");
        worst = std::max(worst, deepest);
    }
    hold("overlap in flight of a heap that falls from 32 m", 1000.0f * worst);
}
