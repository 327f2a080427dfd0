/// The inner loops are compiled twice: the fastest ones of this processor give the same bits as those for every processor.

#include "boxes.h"

#include "broadphase/columns/box_scan.h"

#include <cstring>
#include <limits>

using namespace talus;
using namespace talus::test;
using namespace talus::detail;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(), largest_float = std::numeric_limits<float>::max();

float edgy(Random& random) {
    static constexpr float favourites[] = {0.0f,    -0.0f, 1.0f,   -1.0f,         2.0f,           1e-40f,
                                           -1e-40f, 1e6f,  -1e30f, largest_float, -largest_float, 0.5f};
    return random.chance(0.5f) ? favourites[random.below(std::size(favourites))] : random.real(-2.0f, 2.0f);
}

// A grid of cells as in memory, with all kinds of entries, and entries after the end that overlap nothing.
struct Cells {
    std::vector<BoxEntry> entries;
    std::vector<unsigned> first;
    CellWindow window;

    explicit Cells(Random& random) {
        const unsigned cells = 1u << random.below(8);
        for (unsigned c = 0; c < cells; ++c) {
            first.push_back(static_cast<unsigned>(entries.size()));
            for (std::uint32_t n = random.below(6); n > 0; --n) {
                BoxEntry entry{};
                for (int axis = 0; axis < 3; ++axis) {
                    const float a = edgy(random), b = edgy(random);
                    entry.low[axis] = std::min(a, b);
                    entry.minus_high[axis] = -std::max(a, b);
                }
                // Any id: its bits are beside the bounds, and may be those of a NaN or of a denormal number.
                entry.id = static_cast<unsigned>(random.bits());
                entry.cell = static_cast<unsigned>(random.bits());
                entries.push_back(entry);
            }
        }
        first.push_back(static_cast<unsigned>(entries.size()));
        for (unsigned i = 0; i + 1 < scan_step; ++i)
            entries.push_back({{infinity, infinity, infinity}, 7, {-infinity, -infinity, -infinity}, 0});
        window.entries = entries.data();
        window.cell_first = first.data();
        window.mask = cells - 1;
        window.first = random.below(cells);
        window.stride_u = random.below(2 * cells) | 1u;
        window.stride_v = random.below(4 * cells) | 1u;
        window.size_u = 1 + random.below(4);
        window.size_v = 1 + random.below(4);
        window.length = 1 + random.below(cells);
    }
    std::size_t room() const {
        return std::size_t{window.size_u} * window.size_v * (entries.size() + std::size_t{2} * scan_step);
    }
};

RayProbe random_probe(Random& random) {
    RayProbe probe{};
    for (int axis = 0; axis < 3; ++axis) {
        probe.to_low[axis] = edgy(random);
        probe.to_high[axis] = edgy(random);
        probe.inverse[axis] = random.chance(0.2f) ? 1e30f : edgy(random);
        if (probe.inverse[axis] == 0.0f) probe.inverse[axis] = 3.0f;
        probe.minus_inverse[axis] = -probe.inverse[axis];
    }
    probe.max_fraction = random.real(0.0f, 1.0f);
    return probe;
}

}  // namespace

TEST_CASE("the scans of boxes and of rays write the same on every processor") {
    if (best_box_scan() == box_scan_base) MESSAGE("no AVX2 here: nothing to compare");
    Random random(3);
    std::size_t box_hits = 0, ray_hits = 0, wrong = 0;
    for (int round = 0; round < 4000; ++round) {
        const Cells cells(random);
        std::vector<unsigned> plain(cells.room()), best(cells.room());
        const auto compare = [&](unsigned plain_count, unsigned best_count) {
            REQUIRE(plain_count == best_count);
            REQUIRE(std::equal(plain.begin(), plain.begin() + plain_count, best.begin()));
            return plain_count;
        };
        BoxProbe box{};
        for (int axis = 0; axis < 3; ++axis) {
            const float a = edgy(random), b = edgy(random);
            box.high[axis] = std::max(a, b);
            box.minus_low[axis] = -std::min(a, b);
        }
        box.lane_3 = edgy(random), box.lane_7 = edgy(random);
        const unsigned count =
            compare(box_scan_base(cells.window, box, plain.data()), best_box_scan()(cells.window, box, best.data()));
        box_hits += count;
        // It finds at least what a plain loop over the window finds; it may find more in the last step of a run.
        std::size_t least = 0;
        for_each_run(cells.window, [&](unsigned begin, unsigned end) {
            for (unsigned i = cells.first[begin]; i < cells.first[end]; ++i) {
                const BoxEntry& e = cells.entries[i];
                bool meets = true;
                for (int axis = 0; axis < 3; ++axis)
                    meets = meets && e.low[axis] <= box.high[axis] && e.minus_high[axis] <= box.minus_low[axis];
                if (!meets) continue;
                ++least;
                wrong += std::find(plain.begin(), plain.begin() + count, e.id) == plain.begin() + count;
            }
        });
        wrong += count < least;

        const RayProbe ray = random_probe(random);
        ray_hits +=
            compare(ray_scan_base(cells.window, ray, plain.data()), best_ray_scan()(cells.window, ray, best.data()));
    }
    CHECK(wrong == 0);
    CHECK(box_hits > 10000);
    CHECK(ray_hits > 10000);
}

TEST_CASE("the walk of a ray through a tree is the same on every processor") {
    Random random(4);
    std::size_t leaves = 0;
    for (int round = 0; round < 4000; ++round) {
        // A root over leaves, some of them with empty places.
        std::vector<BoxNode> nodes(1 + BoxNode::width);
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            BoxNode& node = nodes[n];
            for (auto& row : node.bounds) std::fill_n(row, BoxNode::width, infinity);
            const std::size_t size = n == 0 ? BoxNode::width : random.below(BoxNode::width + 1);
            for (std::size_t i = 0; i < BoxNode::width; ++i) {
                node.child[i] =
                    n == 0 ? static_cast<unsigned>(i + 1) | BoxNode::leaf : static_cast<unsigned>(100 * n + i);
                for (int axis = 0; axis < 3 && i < size; ++axis) {
                    const float a = edgy(random), b = edgy(random);
                    node.bounds[axis][i] = std::min(a, b);
                    node.bounds[axis + 3][i] = -std::max(a, b);
                }
            }
        }
        const RayProbe probe = random_probe(random);
        RayWalk plain{};
        for (unsigned axis = 0; axis < 3; ++axis) {
            std::fill_n(plain.to[axis], RayWalk::lanes, probe.to_low[axis]);
            std::fill_n(plain.to[axis + 3], RayWalk::lanes, probe.to_high[axis]);
            std::fill_n(plain.by[axis], RayWalk::lanes, probe.inverse[axis]);
            std::fill_n(plain.by[axis + 3], RayWalk::lanes, probe.minus_inverse[axis]);
            plain.enters_by[axis] = probe.inverse[axis] > 0.0f ? axis : axis + 3;
            plain.leaves_by[axis] = probe.inverse[axis] > 0.0f ? axis + 3 : axis;
        }
        plain.max_fraction = probe.max_fraction;
        plain.nodes = nodes.data();
        plain.items[plain.count++] = 0;
        RayWalk best = plain;
        while (true) {
            const BoxNode *plain_leaf = nullptr, *best_leaf = nullptr;
            const unsigned count = ray_step_base(plain, plain_leaf);
            REQUIRE(best_ray_step()(best, best_leaf) == count);
            if (count == 0) break;
            REQUIRE(plain_leaf == best_leaf);
            REQUIRE(std::equal(plain.found, plain.found + count, best.found));
            REQUIRE(plain.count == best.count);
            ++leaves;
            if (random.chance(0.2f)) plain.max_fraction = best.max_fraction = 0.5f * plain.max_fraction;
        }
    }
    CHECK(leaves > 2000);
}
