#include "engine/bodies/shape_tree.h"

#include <limits>
#include <numeric>

namespace talus {

namespace {

/// Sorts shapes into children of `child_size` shapes each, so that each child's shapes are near each other: halves the
/// list of children along the axis on which the shapes' middles are spread most, again and again.
void sort_into_children(std::span<std::uint32_t> shapes, std::span<const vec3> middles, std::size_t child_size) {
    const std::size_t children = (shapes.size() + child_size - 1) / child_size;
    if (children <= 1) {
        if (child_size > 4 && shapes.size() > 4) sort_into_children(shapes, middles, child_size / 4);
        return;
    }
    vec3 lower = middles[shapes[0]], upper = lower;
    for (const std::uint32_t k : shapes) lower = glm::min(lower, middles[k]), upper = glm::max(upper, middles[k]);
    const vec3 spread = upper - lower;
    int axis = spread.y > spread.x ? 1 : 0;
    if (spread.z > spread[axis]) axis = 2;
    const std::size_t left = children / 2 * child_size;
    std::nth_element(shapes.begin(), shapes.begin() + static_cast<std::ptrdiff_t>(left), shapes.end(),
                     [&](std::uint32_t i, std::uint32_t j) { return middles[i][axis] < middles[j][axis]; });
    sort_into_children(shapes.first(left), middles, child_size);
    sort_into_children(shapes.subspan(left), middles, child_size);
}

}  // namespace

ShapeTree::Node::Node() {
    for (int k = 0; k < 3; ++k) {
        lower[k] = splat<Float4>(std::numeric_limits<float>::infinity());
        upper[k] = -lower[k];
    }
}

void ShapeTree::Node::set(std::size_t lane, const Aabb& box) {
    for (int k = 0; k < 3; ++k) lower[k][lane] = box.lower[k], upper[k][lane] = box.upper[k];
}

Aabb ShapeTree::Node::bounds() const {
    const auto lane = [](const Float4(&corner)[3], int i) { return vec3(corner[0][i], corner[1][i], corner[2][i]); };
    Aabb box{lane(lower, 0), lane(upper, 0)};
    for (int i = 1; i < 4; ++i) box = merge(box, Aabb{lane(lower, i), lane(upper, i)});
    return box;
}

void ShapeTree::build(std::span<const Aabb> boxes) {
    const std::size_t count = boxes.size();
    std::vector<vec3> middles(count);
    for (std::size_t k = 0; k < count; ++k) middles[k] = talus::center(boxes[k]);
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0u);
    levels_.clear();
    std::size_t nodes = 0, child_size = 1;
    for (std::size_t boxes_left = count; boxes_left > 1 || nodes == 0;) {
        boxes_left = (boxes_left + 3) / 4;
        levels_.push_back(static_cast<std::uint32_t>(nodes));
        nodes += boxes_left;
        child_size *= 4;
    }
    nodes_.assign(nodes, Node());
    sort_into_children(order_, middles, child_size);
}

void ShapeTree::place(const dvec3& center, std::span<const Aabb> boxes, std::span<const WorldTransform> poses,
                      std::span<const PredictedMotion> motions) {
    center_ = center;
    displacement_ = 0.0f;
    for (std::size_t k = 0; k < order_.size(); ++k) {
        const std::uint32_t shape = order_[k];
        nodes_[k / 4].set(k % 4, displaced(boxes[shape], vec3(poses[shape].position - center)));
        displacement_ = std::max(displacement_, motions[shape].max_displacement);
    }
    for (std::size_t level = 1; level < levels_.size(); ++level) {
        for (std::size_t child = levels_[level - 1]; child < levels_[level]; ++child) {
            const std::size_t k = child - levels_[level - 1];
            nodes_[levels_[level] + k / 4].set(k % 4, nodes_[child].bounds());
        }
    }
    bounds_ = nodes_.back().bounds();
}

}  // namespace talus
