#pragma once
/// Internal: a tree over the boxes of a mesh's triangles.
///
/// A node has up to four children, and fits into one cache line (triangle_node.h).
///
/// It is built from the root down by the surface area heuristic over bins of the boxes' middles (Wald 2007).

#include <talus/aabb.h>
#include "narrowphase/triangles/box_way.h"
#include "narrowphase/triangles/triangle_node.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::detail {

class TriangleTree {
public:
    static constexpr std::uint32_t leaf_size = 4;  ///< most triangles in a leaf
    static constexpr std::uint32_t most_triangles = (1u << 29) - 1;

    /// Builds the tree over boxes with finite corners, 1 to most_triangles. Returns the order that gives the triangles
    /// of each leaf consecutive numbers, from left to right: `order[i]` is the place of triangle i in `boxes`. If the
    /// boxes come in that order, it stays as it is, and the tree is the same.
    std::vector<std::uint32_t> build(std::span<const Aabb> boxes);
    const Aabb& bounds() const { return bounds_; }
    std::size_t bytes() const { return nodes_.capacity() * sizeof(TriangleNode); }

    /// Calls visit(first, last) for the triangles first to last - 1 of each leaf that may overlap the box, from left to
    /// right.
    template <class Visit>
    void find(const Aabb& box, Visit&& visit) const {
        const Float4 lower = xyz0(box.lower), upper = xyz0(box.upper);
        std::uint32_t stack[most_waiting];
        std::size_t waiting = 0;
        for (std::uint32_t code = root_;;) {
            if ((code & leaf_bits) != 0) {
                if (code != TriangleNode::no_child) visit(code >> 3, (code >> 3) + (code & leaf_bits));
            } else {
                const TriangleNode& node = nodes_[code >> 3];
                const std::uint32_t touched = node.touched(lower, upper);
                // The first child is put on top.
                for (std::uint32_t k = 4; k-- > 0;) {
                    if ((touched >> (8 * k) & 1u) != 0) stack[waiting++] = node.children[k];
                }
            }
            if (waiting == 0) return;
            code = stack[--waiting];
        }
    }

    /// Calls most = visit(first, last, most) for the leaves that a moving box may touch up to the fraction `most` of
    /// its way, about in the order in which it does. `most` begins with 1; after a negative number, the search ends.
    template <class Visit>
    void cast(const BoxWay& way, Visit&& visit) const {
        nearest_first(
            1.0f, [&](const TriangleNode& node, Float4 most, Float4& enter) { return node.touched(way, most, enter); },
            visit);
    }

    /// Calls most2 = visit(first, last, most2) for the leaves that may be within a distance of the point, about in the
    /// order of their distances. `most2` is the square of that distance.
    template <class Visit>
    void approach(const vec3& point, float most2, Visit&& visit) const {
        nearest_first(
            most2,
            [p = xyz0(point)](const TriangleNode& node, Float4 most, Float4& distance2) {
                return node.near(p, most, distance2);
            },
            visit);
    }

private:
    static constexpr std::uint32_t leaf_bits = 7;  ///< of a child: the number of triangles of a leaf; 0: a node
    static constexpr std::size_t most_depth = 48, most_waiting = 3 * most_depth + 4;

    /// Visits leaves up to `most`, first those in the nearest child of each node. test(node, most, from) returns a bit
    /// per child and sets where each begins.
    template <class Test, class Visit>
    void nearest_first(float most, const Test& test, Visit& visit) const {
        struct Entry {
            float from;
            std::uint32_t code;
        };
        Entry stack[most_waiting];
        std::size_t waiting = 0;
        Float4 most_lanes = splat<Float4>(most);
        for (std::uint32_t code = root_;;) {
            if ((code & leaf_bits) != 0) {
                if (code != TriangleNode::no_child) most = visit(code >> 3, (code >> 3) + (code & leaf_bits), most);
                if (!(most >= 0.0f)) return;
                most_lanes = splat<Float4>(most);
            } else {
                const TriangleNode& node = nodes_[code >> 3];
                Float4 from;
                unsigned touched = test(node, most_lanes, from);
                if (touched != 0) {
                    // Goes on with the nearest child. The others wait.
                    int nearest = std::countr_zero(touched);
                    while ((touched &= touched - 1) != 0) {
                        const int k = std::countr_zero(touched);
                        const bool nearer = from[k] < from[nearest];
                        const int farther = nearer ? nearest : k;
                        nearest = nearer ? k : nearest;
                        stack[waiting++] = {from[farther], node.children[farther]};
                    }
                    code = node.children[nearest];
                    continue;
                }
            }
            do {
                if (waiting == 0) return;
                --waiting;
            } while (stack[waiting].from > most);
            code = stack[waiting].code;
        }
    }

    class Builder;

    std::vector<TriangleNode> nodes_;
    std::uint32_t root_ = TriangleNode::no_child;
    Aabb bounds_;
};

}  // namespace talus::detail
