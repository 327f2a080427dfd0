#pragma once
/// Internal: the vertices, edges and faces of a surface of triangles, and a tree over them.
///
/// Two surfaces can touch at a vertex and a face, or at two edges, and which of these can do so depends on their
/// orientation (feature_contacts.h). The tree finds those that are near each other and can touch: it is searched
/// together with the tree of another surface, from both roots down (node_pairs.h). A node has two bounds of its
/// features:
///
///     box     where they are; its axes follow the surface (Gottschalk, Lin and Manocha 1996)
///     cone    the contact normals that they admit; those of the other surface must be opposite
///
/// The cone tells apart what is near: the front of a plate from its back, the inside of a ring from its outside.
///
/// What a search reads of nodes and features is stored for four of them side by side, one per lane.

#include <talus/narrowphase/triangles/triangle_set.h>
#include "common/lanes/float4.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::detail {

/// Returns the absolute value of each lane.
inline Float4 absolute_lanes(Float4 v) { return max_lanes(v, -v); }

/// Returns a vector in all lanes.
inline Vec3Lanes<Float4> in_all_lanes(const vec3& v) {
    return {splat<Float4>(v.x), splat<Float4>(v.y), splat<Float4>(v.z)};
}

/// Directions within an angle of an axis. The angle is given by its cosine and sine, so that sums of angles need no
/// trigonometric functions, which differ between platforms.
struct DirectionCone {
    vec3 axis{0.0f, 1.0f, 0.0f};        ///< unit
    float cosine = -1.0f, sine = 0.0f;  ///< of the angle, 0 to 180 degrees; as it stands here: all directions

    /// Returns whether a direction of this cone may be one of `other`, too, whose axis is `other_axis` in this one's
    /// frame, or would be after a rotation by less than `turn` (rad, at most 1).
    bool meets(const DirectionCone& other, const vec3& other_axis, float turn) const {
        if (cosine + other.cosine <= 0.0f) return true;  // the angles add up to 180 degrees or more
        const float cosine_of_both = cosine * other.cosine - sine * other.sine,
                    sine_of_both = sine * other.cosine + cosine * other.sine;
        const float cosine_of_turn = 1.0f - 0.5f * turn * turn;
        if (sine_of_both * cosine_of_turn + cosine_of_both * turn <= 0.0f && cosine_of_both < 0.0f) return true;
        return glm::dot(axis, other_axis) >= cosine_of_both * cosine_of_turn - sine_of_both * turn;
    }
    /// Returns the same for a single direction, in this cone's frame.
    bool holds(const vec3& direction, float turn) const { return meets({direction, 1.0f, 0.0f}, direction, turn); }
    /// Makes the angle large enough for another cone, about an axis of its own.
    void add(const DirectionCone& other);
};

/// Four cones.
struct FourCones {
    Vec3Lanes<Float4> axis;
    Float4 cosine, sine;

    DirectionCone cone(int lane) const {
        return {{axis.x[lane], axis.y[lane], axis.z[lane]}, cosine[lane], sine[lane]};
    }
    /// Returns a bit per cone: what DirectionCone::meets() says of it and `other`.
    unsigned meeting(const DirectionCone& other, const vec3& other_axis, float turn) const {
        const Float4 cosine_of_both = cosine * other.cosine - sine * other.sine,
                     sine_of_both = sine * other.cosine + cosine * other.sine;
        const float cosine_of_turn = 1.0f - 0.5f * turn * turn;
        const auto all = (cosine + other.cosine <= 0.0f) |
                         ((sine_of_both * cosine_of_turn + cosine_of_both * turn <= 0.0f) & (cosine_of_both < 0.0f));
        const Float4 along = axis.x * other_axis.x + axis.y * other_axis.y + axis.z * other_axis.z;
        return lane_bits(all | (along >= cosine_of_both * cosine_of_turn - sine_of_both * turn));
    }
};

/// A box with axes of its own.
struct OrientedBox {
    vec3 middle;    ///< m
    vec3 axes[3];   ///< unit, at right angles to each other
    float half[3];  ///< of the sides along the axes, m
};

/// Four of them.
struct FourBoxes {
    Vec3Lanes<Float4> middle, axes[3];
    Float4 half[3];

    OrientedBox box(int lane) const {
        const auto at = [lane](const Vec3Lanes<Float4>& v) { return vec3(v.x[lane], v.y[lane], v.z[lane]); };
        return {at(middle), {at(axes[0]), at(axes[1]), at(axes[2])}, {half[0][lane], half[1][lane], half[2][lane]}};
    }
    /// Returns a bit per box within a distance (m) of a segment, on each axis of the box. `half_way`: from its middle to
    /// one end, m.
    unsigned meeting(const vec3& middle_of_segment, const vec3& half_way, float distance) const {
        const Vec3Lanes<Float4> between = middle - in_all_lanes(middle_of_segment), way = in_all_lanes(half_way);
        const auto near = [&](int i) {
            return absolute_lanes(dot(axes[i], between)) <= absolute_lanes(dot(axes[i], way)) + (half[i] + distance);
        };
        return lane_bits(near(0) & near(1) & near(2));
    }
};

/// The features of a surface, or of a part of it, in the frame of its set.
struct SurfaceFeatures {
    static constexpr std::uint32_t none = 0xffffffffu;

    /// A vertex that sticks out. Its region: the normals n with n . d <= 0 for the directions d of its edges.
    struct Vertex {
        vec3 at;
        std::uint32_t first, count;  ///< in `directions`
        std::uint32_t id;
        std::uint32_t triangle;   ///< one of those that have it, in the set
        DirectionCone normals{};  ///< all contact normals that the region admits
    };
    /// A convex edge.
    struct Edge {
        vec3 from, to;
        vec3 direction;  ///< unit
        vec3 into[2];    ///< unit, in the plane of each of its faces, away from the edge; zero if it has only one
        vec3 outward;    ///< unit, the normal of its face or the middle of both: contact normals are in front of it
        bool hollow_from, hollow_to;  ///< the surface rises beyond the end
        std::uint32_t id;
        std::uint32_t triangle;  ///< one of those that have it, in the set
        float depth;             ///< the largest overlap that counts, m: half of how thick the solid is inward of it
    };
    /// A triangle, and which of its corners and edges are features: indices, or `none`.
    struct Face {
        std::uint32_t triangle;  ///< in the set
        vec3 points[3];
        vec3 normal;
        vec3 out[3];     ///< unit, in the plane, away from the edges
        bool hollow[3];  ///< the surface rises from the edge
        std::uint32_t vertices[3], edges[3];
        std::uint32_t corners[3];  ///< numbers of its corners among those of all faces
        std::uint32_t beyond[3];   ///< the faces beyond its edges, or `none`
        float depth;               ///< the largest overlap that counts, m: half of how thick the solid is there
    };
    /// Features that follow each other in one of the lists.
    struct Range {
        std::uint32_t first = 0, last = 0;  ///< first to last - 1
    };
    /// Faces, one per lane. Lanes without a face repeat the last one.
    struct FourFaces {
        Vec3Lanes<Float4> points[3], normal, out[3];
        Float4 hollow[3];  ///< 1 or 0

        /// Returns a bit per face of which a point is at a height between `lowest` and `highest`, and beside which it
        /// is by at most `beside`, as beside_face() tells, but for acute corners. m.
        unsigned over(const vec3& p, float lowest, float highest, float depth, float beside) const;
    };
    /// Vertices, one per lane.
    struct FourVertices {
        Vec3Lanes<Float4> at;
        FourCones normals;  ///< Vertex::normals
    };
    /// Edges, one per lane.
    struct FourEdges {
        Vec3Lanes<Float4> middle, half;  ///< half: from the middle to the second end, m
        FourCones normals;               ///< all contact normals that the arcs admit; the axes are Edge::outward
        Vec3Lanes<Float4> direction, into[2];
    };
    /// Up to four faces, and their features: a vertex or edge belongs to the leaf of the first face that has it.
    struct Leaf {
        Range faces, vertices, edges;
        std::uint32_t four_vertices, four_edges;  ///< index of the first of them in the lists of such
        FourFaces four_faces;
    };
    /// Up to four nodes of the tree, one per lane: the children of a node, from left to right.
    struct FourNodes {
        FourBoxes boxes;
        FourCones normals;
        Float4 radius;           ///< half the diagonals of the boxes, m
        Range leaves[4];         ///< all below each node
        std::uint32_t below[4];  ///< index of its children in `nodes`; `none`: it is a leaf
        unsigned lanes = 0;      ///< a bit per lane that has a node
    };
    std::vector<Vertex> vertices;
    std::vector<vec3> directions;  ///< unit
    std::vector<Edge> edges;
    std::vector<Face> faces;
    std::vector<FourNodes> nodes;             ///< those at the top come first; empty if there are no faces
    std::vector<Leaf> leaves;                 ///< from left to right
    std::vector<FourVertices> four_vertices;  ///< of the leaves, one after another
    std::vector<FourEdges> four_edges;        ///< the same
    std::uint32_t corner_count = 0;           ///< of the faces
    float grain = 0.0f;                       ///< edge of a square as large as the mean face, m

    /// Collects the features of these triangles of the set, in their order, and builds the tree. Consecutive triangles
    /// should be near each other. The cones of all nodes hold all directions, and their boxes have the axes of the set's
    /// frame. `from_behind`: whether each of the triangles is seen from its back; without it, none is.
    void collect(const TriangleSet& set, std::span<const std::uint32_t> triangles,
                 const std::vector<bool>& from_behind = {});
    /// Limits the depths to half of how thick the solid inside of the set is at each face and edge. The features
    /// must be those of all triangles. Cost: a ray per face and edge.
    void find_depths(const TriangleSet& set);
    /// Leaves out the vertices that can touch nothing, and fits the tree to the surface: finds the cones of the nodes, and
    /// the axes of their boxes. Cost: some microseconds per vertex.
    void fit_tree();
    /// Returns whether test(index of a face) is true for a face in a leaf within `distance` (m) of a segment, by the
    /// leaf's box. `half_way`: from the middle of the segment to one end, m.
    template <class Test>
    bool any_face(const vec3& middle, const vec3& half_way, float distance, const Test& test) const;
    std::size_t bytes() const;

private:
    void find_neighbours();
    void build_tree(bool fits);
    void fill_lanes();
};

template <class Test>
bool SurfaceFeatures::any_face(const vec3& middle, const vec3& half_way, float distance, const Test& test) const {
    std::vector<std::uint32_t> waiting;
    if (!nodes.empty()) waiting.push_back(0);
    while (!waiting.empty()) {
        const FourNodes& four = nodes[waiting.back()];
        waiting.pop_back();
        for (unsigned lanes = four.lanes & four.boxes.meeting(middle, half_way, distance); lanes != 0;
             lanes &= lanes - 1) {
            const int lane = std::countr_zero(lanes);
            if (four.below[lane] != none) {
                waiting.push_back(four.below[lane]);
                continue;
            }
            const Range& range = leaves[four.leaves[lane].first].faces;
            for (std::uint32_t f = range.first; f < range.last; ++f) {
                if (test(f)) return true;
            }
        }
    }
    return false;
}

/// Returns how far a direction leads out of a vertex's region: at most 0 inside.
inline float out_of_region(const SurfaceFeatures& surface, const SurfaceFeatures::Vertex& vertex, const vec3& normal) {
    float most = -1.0f;
    for (std::uint32_t k = vertex.first; k < vertex.first + vertex.count; ++k)
        most = std::max(most, glm::dot(normal, surface.directions[k]));
    return most;
}

/// Returns by how much a point is beside a face, m; at most 0: it is over it. Beyond hollow edges `depth` is allowed: a
/// vertex that penetrates both faces there is over neither. But at an acute corner between two of them it is no farther
/// away than that.
inline float beside_face(const SurfaceFeatures::Face& face, const vec3& p, float depth) {
    const vec3(&q)[3] = face.points;
    float most = glm::dot(face.out[0], p - q[0]) - (face.hollow[0] ? depth : 0.0f);
    for (int i = 1; i < 3; ++i)
        most = std::max(most, glm::dot(face.out[i], p - q[i]) - (face.hollow[i] ? depth : 0.0f));
    if (face.hollow[0] || face.hollow[1] || face.hollow[2]) {
        const vec3 low = glm::min(q[0], glm::min(q[1], q[2])), high = glm::max(q[0], glm::max(q[1], q[2]));
        const vec3 foot = p - glm::dot(face.normal, p - q[0]) * face.normal, out = glm::max(low - foot, foot - high);
        most = std::max(most, std::max({out.x, out.y, out.z}) - 2.0f * depth);
    }
    return most;
}

inline unsigned SurfaceFeatures::FourFaces::over(const vec3& p, float lowest, float highest, float depth,
                                                 float beside) const {
    const Vec3Lanes<Float4> at{splat<Float4>(p.x), splat<Float4>(p.y), splat<Float4>(p.z)};
    const Float4 height = dot(normal, at - points[0]);
    Float4 most = dot(out[0], at - points[0]) - depth * hollow[0];
    for (int i = 1; i < 3; ++i) most = max_lanes(most, dot(out[i], at - points[i]) - depth * hollow[i]);
    return lane_bits((height <= highest) & (height >= lowest) & (most <= beside));
}

/// Returns whether a segment passes through a face of a surface between its two ends, m.
bool is_blocked(const SurfaceFeatures& surface, const vec3& from, const vec3& to);

}  // namespace talus::detail
