#pragma once
/// Internal: searches the trees of two surfaces together (surface_features.h).

#include "narrowphase/nonconvex/surface_features.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace talus::detail {

/// Up to four nodes of one of the two surfaces, in A's frame.
struct PlacedNodes {
    const SurfaceFeatures::FourNodes& nodes;
    const FourBoxes& boxes;
    const Vec3Lanes<Float4>& axes;  ///< of the cones; of B, the opposite ones

    FourCones cones() const { return {axes, nodes.normals.cosine, nodes.normals.sine}; }
};

/// A leaf that a search has found.
struct FoundLeaf {
    const SurfaceFeatures::Leaf& leaf;
    PlacedNodes nodes;
    int lane;

    OrientedBox box() const { return nodes.boxes.box(lane); }           ///< in A's frame
    DirectionCone normals() const { return nodes.cones().cone(lane); }  ///< in A's frame; of B, the opposite ones
};

/// Searches the trees of two surfaces together, from both roots down. B's nodes are placed in A's frame once, when they
/// are first met; then up to four pairs are tested at once.
class NodePairs {
public:
    NodePairs(const SurfaceFeatures& a, const SurfaceFeatures& b, const MatrixTransform& b_in_a)
        : a_{a, {}}, b_{b, {}}, b_in_a_(b_in_a) {}

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
        const auto test = [&](const PlacedNodes& one, int lane, const PlacedNodes& four) {
            const DirectionCone own = one.cones().cone(lane);
            const unsigned facing = balls_within(one, lane, four, distance) & four.cones().meeting(own, own.axis, turn);
            return facing != 0 ? facing & lane_bits(gap(one.boxes.box(lane), four.boxes) <= distance) : 0u;
        };
        descend(test, [&](const FoundLeaf& a, const FoundLeaf& b) {
            visit(a, b);
            return false;
        });
    }

    /// Calls visit(FoundLeaf of A, FoundLeaf of B) for those whose boxes may overlap, until it returns true.
    template <class Visit>
    void for_each_overlap(Visit&& visit) {
        descend(
            [&](const PlacedNodes& one, int lane, const PlacedNodes& four) { return within(one, lane, four, 0.0f); },
            visit);
    }

    /// Returns a lower bound of the distance between the two surfaces, m, or `most` if it is more. At most 0: they may
    /// cross.
    float distance_bound(float most) {
        const auto test = [&](const PlacedNodes& one, int lane, const PlacedNodes& four) {
            return within(one, lane, four, most);
        };
        descend(test, [&](const FoundLeaf& a, const FoundLeaf& b) {
            most = std::min(most, gap(a.box(), b.nodes.boxes)[b.lane]);
            return !(most > 0.0f);
        });
        return most;
    }

    std::uint64_t tested() const { return tested_; }  ///< the number of pairs of nodes that were

private:
    using FourNodes = SurfaceFeatures::FourNodes;

    struct Side {
        const SurfaceFeatures& surface;
        std::span<const std::uint32_t> wanted;  ///< faces
    };
    /// Nodes of B in A's frame.
    struct Placed {
        FourBoxes boxes;
        Vec3Lanes<Float4> opposite;  ///< to the axes of the cones
    };
    /// Some nodes of A and some of B: those in these lanes.
    struct Waiting {
        std::uint32_t a, b;
        unsigned lanes_a, lanes_b;
    };
    static constexpr std::uint32_t none = SurfaceFeatures::none;

    /// Returns nodes of B in A's frame, by their index.
    PlacedNodes place(std::uint32_t index) {
        const FourNodes& own = b_.surface.nodes[index];
        std::uint32_t& at = placed_at_[index];
        if (at == none) {
            const mat3& m = b_in_a_.rotation;
            const vec3& t = b_in_a_.position;
            const auto rotated = [&](const Vec3Lanes<Float4>& v) {
                return Vec3Lanes<Float4>{v.x * m[0].x + v.y * m[1].x + v.z * m[2].x,
                                         v.x * m[0].y + v.y * m[1].y + v.z * m[2].y,
                                         v.x * m[0].z + v.y * m[1].z + v.z * m[2].z};
            };
            const FourBoxes& boxes = own.boxes;
            const Vec3Lanes<Float4> middle = rotated(boxes.middle), axis = rotated(own.normals.axis);
            at = static_cast<std::uint32_t>(placed_.size());
            placed_.push_back({{{middle.x + t.x, middle.y + t.y, middle.z + t.z},
                                {rotated(boxes.axes[0]), rotated(boxes.axes[1]), rotated(boxes.axes[2])},
                                {boxes.half[0], boxes.half[1], boxes.half[2]}},
                               {-axis.x, -axis.y, -axis.z}});
        }
        return {own, placed_[at].boxes, placed_[at].opposite};
    }

    /// Returns a bit for each of four nodes whose ball may be within a distance of another node's, m.
    static unsigned balls_within(const PlacedNodes& one, int lane, const PlacedNodes& four, float distance) {
        const Vec3Lanes<Float4>&m = one.boxes.middle, &at = four.boxes.middle;
        const Vec3Lanes<Float4> between{at.x - m.x[lane], at.y - m.y[lane], at.z - m.z[lane]};
        const Float4 reach = four.nodes.radius + (one.nodes.radius[lane] + distance);
        return lane_bits(dot(between, between) <= reach * reach);
    }

    /// Returns a bit for each of four nodes whose box may be within a distance of another node's, m.
    static unsigned within(const PlacedNodes& one, int lane, const PlacedNodes& four, float distance) {
        const unsigned near = balls_within(one, lane, four, distance);
        return near != 0 ? near & lane_bits(gap(one.boxes.box(lane), four.boxes) <= distance) : 0u;
    }

    /// Returns how far a box is from each of four others at least, m: on the axis of either on which that is most. At
    /// most 0 if they may overlap.
    static Float4 gap(const OrientedBox& one, const FourBoxes& four) {
        const Vec3Lanes<Float4> between = four.middle - in_all_lanes(one.middle);
        const auto along = [](const Vec3Lanes<Float4>& v, const vec3& axis) {
            return absolute_lanes(v.x * axis.x + v.y * axis.y + v.z * axis.z);
        };
        Float4 size[3] = {four.half[0], four.half[1], four.half[2]};  // of both boxes, on the axes of the four
        Float4 most = splat<Float4>(-std::numeric_limits<float>::infinity());
        for (int i = 0; i < 3; ++i) {
            Float4 size_on_one = splat<Float4>(one.half[i]);
            for (int k = 0; k < 3; ++k) {
                const Float4 cosine = along(four.axes[k], one.axes[i]);
                size_on_one += cosine * four.half[k];
                size[k] += cosine * one.half[i];
            }
            most = max_lanes(most, along(between, one.axes[i]) - size_on_one);
        }
        for (int k = 0; k < 3; ++k) most = max_lanes(most, absolute_lanes(dot(between, four.axes[k])) - size[k]);
        return most;
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
    /// test(nodes, lane, four nodes) returns a bit per pair.
    template <class Test, class Visit>
    void descend(const Test& test, const Visit& visit) {
        if (a_.surface.nodes.empty() || b_.surface.nodes.empty()) return;
        placed_at_.assign(b_.surface.nodes.size(), none);
        std::vector<Waiting> waiting{{0, 0, a_.surface.nodes[0].lanes, b_.surface.nodes[0].lanes}};
        while (!waiting.empty()) {
            Waiting pairs = waiting.back();
            waiting.pop_back();
            const FourNodes& nodes_a = a_.surface.nodes[pairs.a];
            const PlacedNodes a{nodes_a, nodes_a.boxes, nodes_a.normals.axis}, b = place(pairs.b);
            pairs.lanes_a = wanted_lanes(a_, a.nodes, pairs.lanes_a);
            pairs.lanes_b = wanted_lanes(b_, b.nodes, pairs.lanes_b);
            tested_ += static_cast<std::uint64_t>(std::popcount(pairs.lanes_a) * std::popcount(pairs.lanes_b));
            const bool one_of_a = std::popcount(pairs.lanes_a) <= std::popcount(pairs.lanes_b);
            for (unsigned ones = one_of_a ? pairs.lanes_a : pairs.lanes_b; ones != 0; ones &= ones - 1) {
                const int one = std::countr_zero(ones);
                unsigned fours = test(one_of_a ? a : b, one, one_of_a ? b : a);
                for (fours &= one_of_a ? pairs.lanes_b : pairs.lanes_a; fours != 0; fours &= fours - 1) {
                    const int four = std::countr_zero(fours), i = one_of_a ? one : four, k = one_of_a ? four : one;
                    const std::uint32_t below_a = a.nodes.below[i], below_b = b.nodes.below[k];
                    if (below_a == none && below_b == none) {
                        if (visit(FoundLeaf{a_.surface.leaves[a.nodes.leaves[i].first], a, i},
                                  FoundLeaf{b_.surface.leaves[b.nodes.leaves[k].first], b, k}))
                            return;
                        continue;
                    }
                    // Four children are half as large as their parent.
                    const float radius_a = a.nodes.radius[i], radius_b = b.nodes.radius[k];
                    const bool open_a = below_a != none && (below_b == none || !(radius_b > 2.0f * radius_a)),
                               open_b = below_b != none && (below_a == none || !(radius_a > 2.0f * radius_b));
                    waiting.push_back({open_a ? below_a : pairs.a, open_b ? below_b : pairs.b,
                                       open_a ? a_.surface.nodes[below_a].lanes : 1u << i,
                                       open_b ? b_.surface.nodes[below_b].lanes : 1u << k});
                }
            }
        }
    }

    Side a_, b_;
    MatrixTransform b_in_a_;
    std::vector<Placed> placed_;
    std::vector<std::uint32_t> placed_at_;  ///< index in placed_, by index of B's nodes; none: not yet
    bool is_restricted_ = false;
    std::uint64_t tested_ = 0;
};

}  // namespace talus::detail
