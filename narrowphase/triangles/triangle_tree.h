#pragma once
/// Internal: a tree over the boxes of a mesh's triangles.
///
/// A node has up to four children, and fits into one cache line: the boxes of its children are rounded to a grid of 256
/// cells per axis that spans the node's own box. The box of a query is rounded to the same grid by the same function.
/// That function never decreases, so no overlap is lost, and the children that overlap are found by comparing bytes.
///
/// It is built from the root down by the surface area heuristic over bins of the boxes' middles (Wald 2007).

#include <talus/aabb.h>
#include "common/lanes/float4.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace talus::detail {

/// Returns a point as the lanes x, y, z, 0.
inline Float4 xyz0(const vec3& p) { return Float4{p.x, p.y, p.z, 0.0f}; }
inline Float4 magnitude(Float4 v) { return max_lanes(v, -v); }

/// The way of a box that moves along a line, for tests that find each touch, and some that are none.
struct BoxWay {
    BoxWay(const vec3& from, const vec3& translation, const vec3& half_extents)
        : origin(xyz0(from)), half(xyz0(half_extents)) {
        // Where it does not move, it moves so slowly that it is inside a slab all the time or never. On a plane of the
        // slab it is inside: the slack is more than the whole way.
        constexpr float least = 1e-30f;
        for (int k = 0; k < 3; ++k) {
            const bool moves = std::abs(translation[k]) > least;
            inverse[k] = 1.0f / (moves ? translation[k] : least);
            least_slack[k] = moves ? 0.0f : 2.0f;
        }
    }
    /// The fractions of the way at which it touches planes across each axis: with one side `lower`, with the other
    /// `upper`. They stay in the range of float, and are right up to `rounding` times their sum.
    struct Touch {
        Float4 lower, upper;
    };
    static constexpr float rounding = 1e-6f;
    Touch touch(Float4 low_planes, Float4 high_planes) const {
        return {within((low_planes - origin - half) * inverse, 1e37f),
                within((high_planes - origin + half) * inverse, 1e37f)};
    }
    /// Returns whether it may touch a box up to the fraction `most`. The corners are x, y, z, 0.
    bool touches(Float4 low, Float4 high, float most) const {
        const Touch at = touch(low, high);
        const Float4 slack = rounding * (magnitude(at.lower) + magnitude(at.upper)) + least_slack;
        const Float4 first = min_lanes(at.lower, at.upper) - slack, last = max_lanes(at.lower, at.upper) + slack;
        const float enter = std::max(std::max(first[0], first[1]), std::max(first[2], 0.0f));
        return enter <= std::min(std::min(last[0], last[1]), std::min(last[2], most));
    }

    Float4 origin, half, inverse{}, least_slack{};
};

class TriangleTree {
public:
    static constexpr std::uint32_t leaf_size = 4;  ///< most triangles in a leaf
    static constexpr std::uint32_t most_triangles = (1u << 29) - 1;

    /// Builds the tree over boxes with finite corners, 1 to most_triangles. Returns the order that gives the triangles
    /// of each leaf consecutive numbers, from left to right: `order[i]` is the place of triangle i in `boxes`. If the
    /// boxes come in that order, it stays as it is, and the tree is the same.
    std::vector<std::uint32_t> build(std::span<const Aabb> boxes);
    const Aabb& bounds() const { return bounds_; }
    std::size_t bytes() const { return nodes_.capacity() * sizeof(Node); }

    /// Calls visit(first, last) for the triangles first to last - 1 of each leaf that may overlap the box, from left to
    /// right.
    template <class Visit>
    void find(const Aabb& box, Visit&& visit) const {
        const Float4 lower = xyz0(box.lower), upper = xyz0(box.upper);
        std::uint32_t stack[most_waiting];
        std::size_t waiting = 0;
        for (std::uint32_t code = root_;;) {
            if ((code & leaf_bits) != 0) {
                visit(code >> 3, (code >> 3) + (code & leaf_bits));
            } else {
                const Node& node = nodes_[code >> 3];
                const std::uint32_t touched = node.touched(lower, upper);
                for (std::uint32_t k = 4; k-- > 0;) {
                    if ((touched >> (8 * k) & 1u) != 0 && node.children[k] != no_child)
                        stack[waiting++] = node.children[k];
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
        struct Entry {
            float enter;
            std::uint32_t code;
        };
        Entry stack[most_waiting];
        std::size_t waiting = 0;
        float most = 1.0f;
        for (Entry at{0.0f, root_};;) {
            if ((at.code & leaf_bits) != 0) {
                most = visit(at.code >> 3, (at.code >> 3) + (at.code & leaf_bits), most);
                if (!(most >= 0.0f)) return;
            } else {
                const Node& node = nodes_[at.code >> 3];
                Float4 enter;
                const unsigned touched = node.touched(way, most, enter);
                // The nearest child is put on top.
                const std::size_t first = waiting;
                for (std::uint32_t k = 4; k-- > 0;) {
                    if ((touched >> k & 1u) == 0 || node.children[k] == no_child) continue;
                    std::size_t place = waiting++;
                    for (; place > first && stack[place - 1].enter < enter[k]; --place) stack[place] = stack[place - 1];
                    stack[place] = {enter[k], node.children[k]};
                }
            }
            do {
                if (waiting == 0) return;
                at = stack[--waiting];
            } while (at.enter > most);
        }
    }

private:
    using Bytes16 = std::uint8_t __attribute__((vector_size(16)));

    static constexpr std::uint32_t leaf_bits = 7;  ///< of a child: the number of triangles of a leaf; 0: a node
    static constexpr std::uint32_t no_child = 0xffffffffu;
    static constexpr std::size_t most_depth = 48, most_waiting = 3 * most_depth + 4;

    /// One lane in all lanes.
    template <int k>
    static Float4 lane(Float4 v) {
        return __builtin_shufflevector(v, v, k, k, k, k);
    }
    /// The four bytes of an axis as floats: interleaved with zeros twice, for which processors have an instruction.
    template <int axis>
    static Float4 cells_along(Bytes16 v) {
        using Shorts8 = std::uint16_t __attribute__((vector_size(16)));
        constexpr int b = axis == 2 ? 8 : 0, s = axis == 1 ? 4 : 0;
        const auto wide = reinterpret_cast<Shorts8>(
            __builtin_shufflevector(v, Bytes16{}, b, 16 + b, b + 1, 17 + b, b + 2, 18 + b, b + 3, 19 + b, b + 4, 20 + b,
                                    b + 5, 21 + b, b + 6, 22 + b, b + 7, 23 + b));
        const auto wider = reinterpret_cast<Int4>(
            __builtin_shufflevector(wide, Shorts8{}, s, 8 + s, s + 1, 9 + s, s + 2, 10 + s, s + 3, 11 + s));
        return __builtin_convertvector(wider, Float4);
    }
    /// Three floats and 0, if a fourth can be read.
    static Float4 three(const float* p) {
        return reinterpret_cast<Float4>(reinterpret_cast<Int4>(load_lanes(p)) & Int4{-1, -1, -1, 0});
    }

    struct alignas(64) Node {
        float origin[3] = {};  ///< lower corner of the grid, m
        float cells[3] = {};   ///< per metre; 0 along an axis on which all boxes lie in one plane
        // By axis, then child: the cells of the corners of the children's boxes.
        std::uint8_t lower[12] = {}, upper[12] = {};
        std::uint32_t children[4] = {no_child, no_child, no_child, no_child};

        void place_grid(const Aabb& box);
        void set(std::uint32_t child, const Aabb& box, std::uint32_t code);

        /// Returns the cells of a point that is x, y, z, 0.
        Int4 cells_of(Float4 point) const {
            const Float4 cell = (point - three(origin)) * three(cells);
            const Float4 at = max_lanes(min_lanes(cell, splat<Float4>(255.0f)), Float4{});
            return __builtin_convertvector(at, Int4);
        }
        /// Returns a byte per child whose lowest bit is set if the child's box overlaps the box.
        std::uint32_t touched(Float4 box_lower, Float4 box_upper) const {
            const auto in_each_byte = [](Int4 v) {
                v |= v << 8;
                v |= v << 16;
                return v;
            };
            // Both loads go on beyond the twelve bytes, over bytes that must not count.
            static_assert(offsetof(Node, lower) + 12 == offsetof(Node, upper));
            static_assert(offsetof(Node, upper) + 12 == offsetof(Node, children));
            Bytes16 low, high;
            std::memcpy(&low, lower, sizeof low);
            std::memcpy(&high, upper, sizeof high);
            const auto most = reinterpret_cast<Bytes16>(in_each_byte(cells_of(box_upper)));
            const auto least = reinterpret_cast<Bytes16>(in_each_byte(cells_of(box_lower)));
            const auto both = reinterpret_cast<Int4>((low <= most) & (high >= least));
            return static_cast<std::uint32_t>(both[0] & both[1] & both[2]);
        }
        /// Returns a bit per child that the moving box may touch up to `most`, and at which fraction.
        unsigned touched(const BoxWay& way, float most, Float4& enter) const {
            // The planes between cells are touched at multiples of `step` after the first one.
            const Float4 o = three(origin), c = three(cells);
            const Float4 step = (c > 0.0f ? 1.0f / c : Float4{}) * way.inverse;
            const auto [at_lower, at_upper] = way.touch(o, o);
            const Float4 slack =
                BoxWay::rounding * (magnitude(at_lower) + magnitude(at_upper) + 256.0f * magnitude(step)) +
                way.least_slack;
            Bytes16 low, high;
            std::memcpy(&low, lower, sizeof low);
            std::memcpy(&high, upper, sizeof high);
            Float4 first{}, last = splat<Float4>(most);
            const auto narrow_down = [&](Float4 low_cells, Float4 high_cells, Float4 a, Float4 b, Float4 by, Float4 e) {
                const Float4 x = a + low_cells * by, y = b + (high_cells + 1.0f) * by;
                first = max_lanes(first, min_lanes(x, y) - e);
                last = min_lanes(last, max_lanes(x, y) + e);
            };
            narrow_down(cells_along<0>(low), cells_along<0>(high), lane<0>(at_lower), lane<0>(at_upper), lane<0>(step),
                        lane<0>(slack));
            narrow_down(cells_along<1>(low), cells_along<1>(high), lane<1>(at_lower), lane<1>(at_upper), lane<1>(step),
                        lane<1>(slack));
            narrow_down(cells_along<2>(low), cells_along<2>(high), lane<2>(at_lower), lane<2>(at_upper), lane<2>(step),
                        lane<2>(slack));
            enter = first;
            return lane_bits(first <= last);
        }
    };
    static_assert(sizeof(Node) == 64);

    class Builder;

    std::vector<Node> nodes_;
    std::uint32_t root_ = no_child;
    Aabb bounds_;
};

}  // namespace talus::detail
