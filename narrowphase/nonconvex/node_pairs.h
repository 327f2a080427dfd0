#pragma once
/// Internal: searches the trees of two surfaces together (surface_features.h).

#include "narrowphase/nonconvex/surface_features.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::detail {

/// Nodes in the frame of the other surface.
struct PlacedNodes {
    Vec3Lanes<Float4> middle, half;  ///< of boxes along the axes of that frame, m
    Vec3Lanes<Float4> opposite;      ///< to the axes of the cones
};

/// A leaf that a search has found.
struct FoundLeaf {
    const SurfaceFeatures::Leaf& leaf;
    const SurfaceFeatures::FourNodes& nodes;
    const PlacedNodes& placed;
    int lane;  ///< in both
};

/// Searches the trees of two surfaces together, from both roots down. Nodes are placed in the frame of the other surface
/// once, when they are first met; then up to four pairs are tested at once.
class NodePairs {
public:
    NodePairs(const SurfaceFeatures& a, const SurfaceFeatures& b, const MatrixTransform& b_in_a)
        : a_(a, {transpose_mul(b_in_a.rotation, -b_in_a.position), glm::transpose(b_in_a.rotation)}), b_(b, b_in_a) {}

    /// Leaves out the leaves without any of these faces, which are in ascending order and outlive the search.
    void restrict_to(std::span<const std::uint32_t> faces_a, std::span<const std::uint32_t> faces_b) {
        is_restricted_ = true;
        a_.wanted = faces_a;
        b_.wanted = faces_b;
    }

    /// Calls visit(FoundLeaf of A, FoundLeaf of B) for those whose boxes are within `distance` (m) of each other on each
    /// axis and that have opposite normals, or would have after a rotation by less than `turn` (rad).
    template <class Visit>
    void for_each(float distance, float turn, Visit&& visit) {
        const auto test = [&](const OneNode& one, const FourPlaced& four) {
            const unsigned near = lane_bits(gap(one, four) <= distance);
            if (near == 0) return 0u;
            const FourCones cones{four.placed.opposite, four.nodes.normals.cosine, four.nodes.normals.sine};
            const DirectionCone own = one.nodes.normals_of(one.lane);
            return near & cones.meeting(own, own.axis, turn);
        };
        descend(test, [&](const FoundLeaf& a, const FoundLeaf& b) {
            visit(a, b);
            return false;
        });
    }

    /// Calls visit(FoundLeaf of A, FoundLeaf of B) for those whose boxes may overlap, until it returns true.
    template <class Visit>
    void for_each_overlap(Visit&& visit) {
        descend([&](const OneNode& one, const FourPlaced& four) { return lane_bits(gap(one, four) <= 0.0f); }, visit);
    }

    /// Returns a lower bound of the distance between the two surfaces, m, or `most` if it is more. At most 0: they may
    /// cross.
    float distance_bound(float most) {
        const auto test = [&](const OneNode& one, const FourPlaced& four) { return lane_bits(gap(one, four) < most); };
        descend(test, [&](const FoundLeaf& a, const FoundLeaf& b) {
            most = std::min(most, gap({a.nodes, a.placed, a.lane}, {b.nodes, b.placed})[b.lane]);
            return !(most > 0.0f);
        });
        return most;
    }

    std::uint64_t tested() const { return tested_; }  ///< the number of pairs of nodes that were

private:
    using FourNodes = SurfaceFeatures::FourNodes;

    /// One of the two surfaces.
    struct Side {
        const SurfaceFeatures& surface;
        MatrixTransform to_other;
        mat3 size_to_other;  ///< the absolute values of the rotation: they map half the sides of boxes
        std::span<const std::uint32_t> wanted;  ///< faces
        std::vector<PlacedNodes> placed;
        std::vector<std::uint32_t> placed_at;  ///< index in `placed`, by index of the nodes; none: not yet

        Side(const SurfaceFeatures& of, const MatrixTransform& in_other)
            : surface(of), to_other(in_other), size_to_other(absolute(in_other.rotation)) {}
    };
    struct OneNode {
        const FourNodes& nodes;
        const PlacedNodes& placed;
        int lane;
    };
    struct FourPlaced {
        const FourNodes& nodes;
        const PlacedNodes& placed;
    };
    /// Some nodes of A and some of B: those in these lanes.
    struct Waiting {
        std::uint32_t a, b;
        unsigned lanes_a, lanes_b;
    };
    static constexpr std::uint32_t none = SurfaceFeatures::none;

    static Vec3Lanes<Float4> times(const mat3& m, const Vec3Lanes<Float4>& v) {
        return {v.x * m[0].x + v.y * m[1].x + v.z * m[2].x, v.x * m[0].y + v.y * m[1].y + v.z * m[2].y,
                v.x * m[0].z + v.y * m[1].z + v.z * m[2].z};
    }

    /// Returns the index of nodes in Side::placed.
    static std::uint32_t place(Side& side, std::uint32_t nodes) {
        std::uint32_t& at = side.placed_at[nodes];
        if (at != none) return at;
        const FourNodes& own = side.surface.nodes[nodes];
        const Vec3Lanes<Float4> middle = times(side.to_other.rotation, own.middle),
                                axis = times(side.to_other.rotation, own.normals.axis);
        const vec3& t = side.to_other.position;
        at = static_cast<std::uint32_t>(side.placed.size());
        side.placed.push_back({{middle.x + t.x, middle.y + t.y, middle.z + t.z},
                               times(side.size_to_other, own.half),
                               {-axis.x, -axis.y, -axis.z}});
        return at;
    }

    /// Returns how far a box is from each of four others at least, m: on the axis of either on which that is most. At
    /// most 0 if they may overlap.
    static Float4 gap(const OneNode& one, const FourPlaced& four) {
        const auto along = [](Float4 middle, Float4 half, float other_middle, float other_half) {
            return absolute_lanes(middle - other_middle) - (half + other_half);
        };
        const Vec3Lanes<Float4>&m = one.nodes.middle, &h = one.nodes.half, &pm = one.placed.middle,
              &ph = one.placed.half;
        const int i = one.lane;
        const Float4 x = max_lanes(along(four.placed.middle.x, four.placed.half.x, m.x[i], h.x[i]),
                                   along(four.nodes.middle.x, four.nodes.half.x, pm.x[i], ph.x[i]));
        const Float4 y = max_lanes(along(four.placed.middle.y, four.placed.half.y, m.y[i], h.y[i]),
                                   along(four.nodes.middle.y, four.nodes.half.y, pm.y[i], ph.y[i]));
        const Float4 z = max_lanes(along(four.placed.middle.z, four.placed.half.z, m.z[i], h.z[i]),
                                   along(four.nodes.middle.z, four.nodes.half.z, pm.z[i], ph.z[i]));
        return max_lanes(x, max_lanes(y, z));
    }

    /// Returns the lanes of those of some nodes that have wanted faces below them.
    unsigned wanted_lanes(const Side& side, const FourNodes& nodes, unsigned lanes) const {
        if (!is_restricted_) return lanes;
        unsigned result = 0;
        for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const SurfaceFeatures::Range& leaves = nodes.leaves[lane];
            const std::vector<SurfaceFeatures::Leaf>& all = side.surface.leaves;
            const auto first = std::lower_bound(side.wanted.begin(), side.wanted.end(), all[leaves.first].faces.first);
            if (first != side.wanted.end() && *first < all[leaves.last - 1].faces.last) result |= 1u << lane;
        }
        return result;
    }

    /// Calls visit for the pairs of leaves for which, as for all nodes above them, `test` is true, until it returns true.
    /// test(OneNode, FourPlaced) returns a bit per pair.
    template <class Test, class Visit>
    void descend(const Test& test, const Visit& visit) {
        if (a_.surface.nodes.empty() || b_.surface.nodes.empty()) return;
        for (Side* side : {&a_, &b_}) side->placed_at.assign(side->surface.nodes.size(), none);
        std::vector<Waiting> waiting{{0, 0, a_.surface.nodes[0].lanes, b_.surface.nodes[0].lanes}};
        while (!waiting.empty()) {
            Waiting pairs = waiting.back();
            waiting.pop_back();
            const std::uint32_t placed_a = place(a_, pairs.a), placed_b = place(b_, pairs.b);
            const FourPlaced a{a_.surface.nodes[pairs.a], a_.placed[placed_a]},
                b{b_.surface.nodes[pairs.b], b_.placed[placed_b]};
            pairs.lanes_a = wanted_lanes(a_, a.nodes, pairs.lanes_a);
            pairs.lanes_b = wanted_lanes(b_, b.nodes, pairs.lanes_b);
            tested_ += static_cast<std::uint64_t>(std::popcount(pairs.lanes_a) * std::popcount(pairs.lanes_b));
            const bool one_of_a = std::popcount(pairs.lanes_a) <= std::popcount(pairs.lanes_b);
            const FourPlaced &of_one = one_of_a ? a : b, &of_four = one_of_a ? b : a;
            for (unsigned ones = one_of_a ? pairs.lanes_a : pairs.lanes_b; ones != 0; ones &= ones - 1) {
                const int one = std::countr_zero(ones);
                unsigned fours = test(OneNode{of_one.nodes, of_one.placed, one}, of_four);
                for (fours &= one_of_a ? pairs.lanes_b : pairs.lanes_a; fours != 0; fours &= fours - 1) {
                    const int four = std::countr_zero(fours), i = one_of_a ? one : four, k = one_of_a ? four : one;
                    const std::uint32_t below_a = a.nodes.below[i], below_b = b.nodes.below[k];
                    if (below_a == none && below_b == none) {
                        const FoundLeaf leaf_a{a_.surface.leaves[a.nodes.leaves[i].first], a.nodes, a.placed, i},
                            leaf_b{b_.surface.leaves[b.nodes.leaves[k].first], b.nodes, b.placed, k};
                        if (visit(leaf_a, leaf_b)) return;
                        continue;
                    }
                    // Four children are half as large as their parent.
                    const float size_a = a.nodes.size[i], size_b = b.nodes.size[k];
                    const bool open_a = below_a != none && (below_b == none || !(size_b > 4.0f * size_a)),
                               open_b = below_b != none && (below_a == none || !(size_a > 4.0f * size_b));
                    waiting.push_back({open_a ? below_a : pairs.a, open_b ? below_b : pairs.b,
                                       open_a ? a_.surface.nodes[below_a].lanes : 1u << i,
                                       open_b ? b_.surface.nodes[below_b].lanes : 1u << k});
                }
            }
        }
    }

    Side a_, b_;
    bool is_restricted_ = false;
    std::uint64_t tested_ = 0;
};

}  // namespace talus::detail
