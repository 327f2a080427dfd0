/// The tree of boxes, compared with tests of all boxes.

#include "narrowphase/triangles/triangle_tree.h"
#include "narrowphase/triangles/moving_box.h"
#include "tests/support/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

using namespace talus;
using namespace talus::detail;
using test::Random;

namespace {

constexpr int kinds = 8;

/// Boxes as meshes have them and as they should not: spread, flat, in a line, at one place, of very different sizes,
/// far from the origin, points, all alike.
std::vector<Aabb> some_boxes(Random& random, int kind, int count) {
    std::vector<Aabb> boxes;
    for (int i = 0; i < count; ++i) {
        vec3 at = random.point(-50.0f, 50.0f), half = 0.5f * glm::abs(random.point(-1.0f, 1.0f));
        if (kind == 1) at.y = half.y = 0.0f;
        if (kind == 2) at.x = at.z = 0.0f;
        if (kind == 3) at = vec3(3.0f);
        if (kind == 4) half *= float(random.scale(1e-4, 1e3));
        if (kind == 5) at += vec3(9e5f, -9e5f, 9e5f);
        if (kind == 6) half = vec3(0.0f);
        if (kind == 7) at = vec3(0.0f), half = vec3(1.0f);
        boxes.push_back({at - half, at + half});
    }
    return boxes;
}

std::vector<Aabb> in_order(const std::vector<Aabb>& boxes, const std::vector<std::uint32_t>& order) {
    std::vector<Aabb> result;
    for (const std::uint32_t i : order) result.push_back(boxes[i]);
    return result;
}

}  // namespace

TEST_CASE("a tree of boxes has each box in one leaf, and keeps an order that it has made") {
    Random random(3101);
    for (int k = 0; k < 120; ++k) {
        const int count = k < 20 ? k + 1 : 1 + random.below(2000);
        const std::vector<Aabb> boxes = some_boxes(random, k % kinds, count);
        TriangleTree tree;
        const std::vector<std::uint32_t> order = tree.build(boxes);
        std::vector<std::uint32_t> sorted = order, all(boxes.size());
        std::sort(sorted.begin(), sorted.end());
        std::iota(all.begin(), all.end(), 0u);
        CHECK(sorted == all);

        Aabb around = boxes[0];
        for (const Aabb& box : boxes) around = merge(around, box);
        CHECK(tree.bounds().lower == around.lower);
        CHECK(tree.bounds().upper == around.upper);
        std::uint32_t next = 0;
        tree.find(around, [&](std::uint32_t first, std::uint32_t last) {
            CHECK(first == next);
            CHECK(last - first <= TriangleTree::leaf_size);
            next = last;
        });
        CHECK(next == boxes.size());

        TriangleTree again;
        CHECK(again.build(in_order(boxes, order)) == all);
        CHECK(again.bytes() == tree.bytes());
    }
}

TEST_CASE("a tree of boxes finds each box that overlaps another one, in ascending order") {
    Random random(3102);
    long found_boxes = 0, visited = 0;
    for (int k = 0; k < 64; ++k) {
        const std::vector<Aabb> given = some_boxes(random, k % kinds, 1 + random.below(1500));
        TriangleTree tree;
        const std::vector<Aabb> boxes = in_order(given, tree.build(given));
        for (int q = 0; q < 200; ++q) {
            // Around a corner of a box, so that many touch exactly.
            const Aabb& near = boxes[static_cast<std::size_t>(random.below(static_cast<int>(boxes.size())))];
            const vec3 half = random.chance(0.3) ? vec3(0.0f) : glm::abs(random.point(-2.0f, 2.0f));
            const vec3 at = random.chance(0.5) ? near.upper + half : random.point(-60.0f, 60.0f);
            const Aabb asked{at - half, at + half};
            std::vector<std::uint32_t> found, expected;
            tree.find(asked, [&](std::uint32_t first, std::uint32_t last) {
                for (std::uint32_t i = first; i < last; ++i) {
                    ++visited;
                    if (overlaps(boxes[i], asked)) found.push_back(i);
                }
            });
            for (std::uint32_t i = 0; i < boxes.size(); ++i) {
                if (overlaps(boxes[i], asked)) expected.push_back(i);
            }
            CHECK(found == expected);
            found_boxes += static_cast<long>(found.size());
        }
    }
    CHECK(found_boxes > 10000);
    CHECK(visited < 8 * found_boxes);  // not all of them
}

TEST_CASE("a tree of boxes shows a moving box each box that it touches, the nearest ones first") {
    Random random(3103);
    long touched = 0, visited = 0, of_all = 0;
    for (int k = 0; k < 64; ++k) {
        const std::vector<Aabb> given = some_boxes(random, k % kinds, 1 + random.below(800));
        TriangleTree tree;
        const std::vector<Aabb> boxes = in_order(given, tree.build(given));
        for (int q = 0; q < 100; ++q) {
            const Aabb& near = boxes[static_cast<std::size_t>(random.below(static_cast<int>(boxes.size())))];
            vec3 from = random.point(-80.0f, 80.0f);
            vec3 way = random.chance(0.5) ? center(near) - from : random.point(-100.0f, 100.0f);
            if (random.chance(0.3)) way[random.below(3)] = 0.0f;
            if (random.chance(0.1)) way = vec3(0.0f);
            vec3 half = random.chance(0.5) ? vec3(0.0f) : glm::abs(random.point(-1.0f, 1.0f));
            if (random.chance(0.2)) {  // along a side of a box
                const int side = random.below(3);
                from[side] = random.chance(0.5) ? near.lower[side] : near.upper[side];
                way[side] = half[side] = 0.0f;
            }
            const MovingBox moving(from, way, half);
            const BoxWay steps(from, way, half, tree.bounds());
            // The whole way: everything that is touched must be shown.
            std::vector<bool> shown(boxes.size(), false);
            tree.cast(steps, [&](std::uint32_t first, std::uint32_t last, float most) {
                for (std::uint32_t i = first; i < last; ++i) shown[i] = true;
                return most;
            });
            double nearest = 2.0;
            for (std::uint32_t i = 0; i < boxes.size(); ++i) {
                const double enter = moving.enter(boxes[i], 1.0);
                if (enter < 0.0) continue;
                ++touched;
                nearest = std::min(nearest, enter);
                CHECK(shown[i]);
                CHECK(steps.touches(xyz0(boxes[i].lower), xyz0(boxes[i].upper), 1.0f));
            }
            // Up to the nearest one: it must be found, and little else be looked at.
            double found = 2.0;
            tree.cast(steps, [&](std::uint32_t first, std::uint32_t last, float most) {
                for (std::uint32_t i = first; i < last; ++i) {
                    ++visited;
                    const double enter = moving.enter(boxes[i], 1.0);
                    if (enter >= 0.0) found = std::min(found, enter);
                }
                return std::min(most, static_cast<float>(found));
            });
            CHECK(found == nearest);
            of_all += static_cast<long>(boxes.size());
        }
    }
    CHECK(touched > 10000);
    CHECK(visited < of_all / 8);
}

TEST_CASE("a search in a tree of boxes ends when it is told to") {
    Random random(3104);
    const std::vector<Aabb> boxes = some_boxes(random, 0, 500);
    TriangleTree tree;
    (void)tree.build(boxes);
    int leaves = 0;
    tree.cast(BoxWay(vec3(0.0f, 100.0f, 0.0f), vec3(0.0f, -200.0f, 0.0f), vec3(60.0f), tree.bounds()),
              [&](std::uint32_t, std::uint32_t, float) {
                  ++leaves;
                  return -1.0f;
              });
    CHECK(leaves == 1);
}
