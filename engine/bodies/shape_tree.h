#pragma once
/// A tree over the boxes of one body's shapes, for bodies of many shapes.
///
/// It answers which shapes may be in a box, so that two bodies of n and m shapes need not compare n times m boxes. The
/// boxes are along the world's axes and as seen from the body's centre of mass, so a body that rotates gets new ones,
/// in the same tree:
///
///     order_      shape numbers, neighbours next to each other; from the shapes' places in the body
///     level 0     nodes of four shapes' boxes each
///     level 1     nodes of four boxes each, of four nodes of level 0
///     ...         up to a level of one node
///
/// All nodes are full except the last one of a level, so children follow from a node's number. A query compares the
/// four boxes of a node at once.

#include <talus/aabb.h>
#include <talus/narrowphase/colliders.h>
#include "common/lanes/float4.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class ShapeTree {
public:
    /// Bodies with fewer shapes have no tree: comparing all of them takes less time.
    static constexpr std::uint32_t least_shapes = 5;

    /// Orders the shapes of a body by their boxes in the body's frame. They must be placed before the first query.
    void build(std::span<const Aabb> boxes);
    /// Takes the boxes of the shapes at their present poses: `boxes` are as seen from the shapes' origins. All three
    /// lists are in the order of the shapes in their body.
    void place(const dvec3& center, std::span<const Aabb> boxes, std::span<const WorldTransform> poses,
               std::span<const PredictedMotion> motions);
    /// To be called when the shapes are no longer expected to move.
    void stop() { displacement_ = 0.0f; }

    std::size_t size() const { return order_.size(); }
    const dvec3& center() const { return center_; }           ///< the body's centre when it was placed
    const Aabb& bounds() const { return bounds_; }            ///< of all shapes, as seen from center()
    float max_displacement() const { return displacement_; }  ///< largest PredictedMotion::max_displacement, m

    /// Calls visit(k) for each shape, the k-th of the body, whose box may overlap `box` (as seen from center()), in no
    /// particular order.
    template <class Visit>
    void find(const Aabb& box, Visit&& visit) const {
        // Rounding of the boxes' corners must not lose an overlap.
        const float rounding = 1e-6f * (largest_coordinate(box) + largest_coordinate(bounds_));
        visit_node(Query(expand(box, rounding)), levels_.size() - 1, 0, visit);
    }

    std::size_t bytes() const {
        return nodes_.capacity() * sizeof(Node) + (order_.capacity() + levels_.capacity()) * sizeof(std::uint32_t);
    }

private:
    /// A box, in all lanes.
    struct Query {
        explicit Query(const Aabb& box) {
            for (int k = 0; k < 3; ++k) lower[k] = splat<Float4>(box.lower[k]), upper[k] = splat<Float4>(box.upper[k]);
        }
        Float4 lower[3], upper[3];
    };
    /// Four boxes. A lane without a box is empty: its lower corner is above its upper one.
    struct Node {
        Float4 lower[3], upper[3];

        Node();
        void set(std::size_t lane, const Aabb& box);
        Aabb bounds() const;
        /// Returns a bit per lane.
        unsigned overlapping(const Query& q) const {
            return lane_bits((lower[0] <= q.upper[0]) & (q.lower[0] <= upper[0]) & (lower[1] <= q.upper[1]) &
                             (q.lower[1] <= upper[1]) & (lower[2] <= q.upper[2]) & (q.lower[2] <= upper[2]));
        }
    };

    static float largest_coordinate(const Aabb& box) {
        const vec3 most = glm::max(absolute(box.lower), absolute(box.upper));
        return std::max({most.x, most.y, most.z});
    }
    template <class Visit>
    void visit_node(const Query& box, std::size_t level, std::size_t node, Visit& visit) const {
        for (unsigned touched = nodes_[levels_[level] + node].overlapping(box); touched != 0; touched &= touched - 1) {
            const std::size_t child = 4 * node + static_cast<std::size_t>(std::countr_zero(touched));
            if (level == 0) {
                visit(order_[child]);
            } else {
                visit_node(box, level - 1, child, visit);
            }
        }
    }

    std::vector<std::uint32_t> order_;
    std::vector<std::uint32_t> levels_;  ///< first node of each level
    std::vector<Node> nodes_;
    dvec3 center_{0.0};
    Aabb bounds_;
    float displacement_ = 0.0f;
};

}  // namespace talus
