#include "broadphase/casts/box_tree.h"

#include "broadphase/casts/cast_ray.h"
#include "common/bit_cast.h"

#include <array>

namespace talus::detail {

namespace {

// A tree holds the boxes up to 2^tree_octaves times as long as the geometric mean of the boxes that are left. The last
// tree holds all that are left.
constexpr std::uint32_t tree_octaves = 2;
constexpr std::size_t most_trees = 4;
constexpr float infinity = std::numeric_limits<float>::infinity();

// The bits of the longest edge: they order as lengths do, and are nearly linear in the logarithm.
std::uint32_t size_of(const BoxLanes& box) {
    const Float4 edges = box.upper - box.lower;
    return bit_cast<std::uint32_t>(std::max({edges[0], edges[1], edges[2], 0.0f}));
}

}  // namespace

// Puts the `count` items with the lowest centres along the axis first, as std::nth_element does, but without
// unpredictable branches.
void BoxTree::divide(std::span<Item> items, std::size_t count, int axis) {
    constexpr std::size_t few = 24;  // std::nth_element is faster for so few items
    constexpr int most_rounds = 64;  // bad pivots could need more
    for (int round = 0; items.size() > few && round < most_rounds; ++round) {
        const auto at = [&](std::size_t i) { return items[i].center[axis]; };
        const auto middle = [](float a, float b, float c) {
            return std::max(std::min(a, b), std::min(std::max(a, b), c));
        };
        const auto middle_at = [&](std::size_t i) {
            return middle(at(i), at(i + items.size() / 9), at(i + 2 * (items.size() / 9)));
        };
        const std::size_t third = items.size() / 3;
        const float pivot = middle(middle_at(0), middle_at(third), middle_at(2 * third));
        std::size_t less = 0;
        for (Item& item : items) {
            const Item moved = item;
            item = items[less];
            items[less] = moved;
            less += moved.center[axis] < pivot;
        }
        if (less == count) return;
        if (less == 0) break;  // the pivot is the lowest, perhaps one of many
        if (count < less) {
            items = items.first(less);
        } else {
            items = items.subspan(less);
            count -= less;
        }
    }
    std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count), items.end(),
                     [axis](const Item& a, const Item& b) { return a.center[axis] < b.center[axis]; });
}

void BoxTree::build(std::span<const WorldAabb> boxes) {
    nodes_.clear();
    trees_.clear();
    items_.clear();
    if (members_.empty()) return;
    const std::vector<Double4> origins = choose_origins(members_, boxes);
    seen_.resize(boxes.size());
    for (std::size_t i = 0; i < origins.size(); ++i) {
        const std::size_t begin = items_.size();
        trees_.push_back({origins[i], {}});
        for (const ProxyIndex p : members_) {
            const WorldLanes lanes = lanes_of(boxes[p]);
            if (nearest_origin(origins, lanes.lower) != i) continue;
            const BoxLanes box = seen_from(origins[i], lanes);
            const Float4 center = splat<Float4>(0.5f) * (box.lower + box.upper);
            seen_[p] = box;
            items_.push_back({{center[0], center[1], center[2]}, p});
        }
        build(trees_[i], std::span(items_).subspan(begin));
    }
}

void BoxTree::build(Trees& trees, std::span<Item> items) {
    for (std::span<Item> left = items; !left.empty();) {
        std::uint64_t sum = 0;
        for (const Item& item : left) sum += size_of(seen_[item.id]);
        const auto limit = static_cast<std::uint32_t>(sum / left.size()) + (tree_octaves << 23);
        const auto larger = trees.roots.size() + 1 == most_trees
                                ? left.end()
                                : std::partition(left.begin(), left.end(),
                                                 [&](const Item& item) { return size_of(seen_[item.id]) <= limit; });
        BoxLanes bounds;
        trees.roots.push_back(build({left.begin(), larger}, bounds));
        left = {larger, left.end()};
    }
}

// Builds a node of these items. Returns the node's index, as its parent stores it, and the bounds around the items.
unsigned BoxTree::build(std::span<Item> items, BoxLanes& bounds) {
    std::size_t share = 1;
    while (share * BoxNode::width < items.size()) share *= BoxNode::width;
    // Divides the items at multiples of the share, each part into two that are as equal as that allows.
    std::array<std::span<Item>, BoxNode::width> parts{items};
    std::size_t count = 1;
    for (std::size_t i = 0; i < count && share > 1;) {
        const std::span<Item> part = parts[i];
        const std::size_t middle = (part.size() + share - 1) / share / 2 * share;
        if (middle == 0) {
            ++i;
            continue;
        }
        Float4 lower = splat<Float4>(infinity), upper = -lower;
        for (const Item& item : part) {
            const Float4 center{item.center[0], item.center[1], item.center[2], 0.0f};
            lower = min(lower, center);
            upper = max(upper, center);
        }
        const Float4 width = upper - lower;
        const int axis = width[0] >= width[1] && width[0] >= width[2] ? 0 : width[1] >= width[2] ? 1 : 2;
        divide(part, middle, axis);
        parts[i] = part.first(middle);
        parts[count++] = part.subspan(middle);
    }
    const auto index = static_cast<unsigned>(nodes_.size());
    nodes_.emplace_back();
    BoxNode node;
    for (auto& row : node.bounds) std::fill_n(row, BoxNode::width, infinity);
    bounds = {splat<Float4>(infinity), splat<Float4>(-infinity)};
    const auto set = [&](std::size_t i, unsigned child, const BoxLanes& box) {
        node.child[i] = child;
        for (int axis = 0; axis < 3; ++axis) {
            node.bounds[axis][i] = box.lower[axis];
            node.bounds[axis + 3][i] = -box.upper[axis];
        }
        bounds = {min(bounds.lower, box.lower), max(bounds.upper, box.upper)};
    };
    if (share == 1) {
        for (std::size_t i = 0; i < items.size(); ++i) set(i, items[i].id, seen_[items[i].id]);
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            BoxLanes around;
            const unsigned child = build(parts[i], around);
            set(i, child, around);
        }
    }
    nodes_[index] = node;
    return share == 1 ? index | BoxNode::leaf : index;
}

void BoxTree::cast(BoxCast& cast, std::span<const WorldAabb> boxes, FunctionRef<float(ProxyIndex, float)> visit) const {
    static RayStep* const step = best_ray_step();
    const CastRay ray(cast);
    for (const Trees& trees : trees_) {
        const RayProbe probe = ray.seen_from(trees.origin).probe;
        RayWalk walk;
        walk.nodes = nodes_.data();
        for (unsigned axis = 0; axis < 3; ++axis) {
            std::fill_n(walk.to[axis], RayWalk::lanes, probe.to_low[axis]);
            std::fill_n(walk.to[axis + 3], RayWalk::lanes, probe.to_high[axis]);
            std::fill_n(walk.by[axis], RayWalk::lanes, probe.inverse[axis]);
            std::fill_n(walk.by[axis + 3], RayWalk::lanes, probe.minus_inverse[axis]);
            const bool forwards = probe.inverse[axis] > 0.0f;
            walk.enters_by[axis] = forwards ? axis : axis + 3;
            walk.leaves_by[axis] = forwards ? axis + 3 : axis;
        }
        for (const unsigned root : trees.roots) walk.items[walk.count++] = root;
        const BoxNode* leaf = nullptr;
        while (true) {
            walk.max_fraction = cast.max_fraction;
            unsigned count = step(walk, leaf);
            if (count == 0) break;
            while (count-- > 0) {
                const ProxyIndex id = leaf->child[static_cast<unsigned>(walk.found[count])];
                if (ray.clip({0.0, double{cast.max_fraction}}, boxes[id]).empty()) continue;
                cast.max_fraction = std::min(cast.max_fraction, visit(id, cast.max_fraction));
            }
        }
    }
}

}  // namespace talus::detail
