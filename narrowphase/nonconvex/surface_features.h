#pragma once
/// Internal: the vertices, edges and faces of a surface of triangles, and a tree over them.
///
/// Two surfaces can touch at a vertex and a face, or at two edges, and which of these can do so depends on their
/// orientation (feature_contacts.h). The tree finds those that are near each other and can touch: it is searched
/// together with the tree of another surface, from both roots down. A node has two bounds of its features:
///
///     box     where they are
///     cone    the contact normals that they admit; those of the other surface must be opposite
///
/// The cone tells apart what is near: the front of a plate from its back, the inside of a ring from its outside.

#include <talus/narrowphase/triangles/triangle_set.h>
#include "common/lanes/float4.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::detail {

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

/// The features of a surface, or of a part of it, in the frame of its set.
struct SurfaceFeatures {
    static constexpr std::uint32_t none = 0xffffffffu;

    /// A vertex that sticks out. Its region: the normals n with n . d <= 0 for the directions d of its edges.
    struct Vertex {
        vec3 at;
        std::uint32_t first, count;  ///< in `directions`
        std::uint32_t id;
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
        float depth;              ///< the largest overlap that counts, m: half of how thick the solid is inward of it
        DirectionCone normals{};  ///< all contact normals that the arc admits
    };
    /// A triangle, and which of its corners and edges are features: indices, or `none`.
    struct Face {
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
    /// A node of the tree. A vertex or edge belongs to the leaf of the first face that has it.
    struct Node {
        vec3 middle, half;  ///< of the box, m
        DirectionCone normals;
        std::uint32_t right = 0;  ///< the second child; the first one follows the node; 0: it is a leaf
        std::uint32_t leaf = 0;   ///< of a leaf: its index in `leaves`
        Range faces, vertices, edges;
    };
    /// The faces of a leaf, one per lane. Lanes without a face repeat the last one.
    struct FourFaces {
        Vec3Lanes<Float4> points[3], normal, out[3];
        Float4 hollow[3];  ///< 1 or 0

        /// Returns a bit per face of which a point is at a height between `lowest` and `highest`, and beside which it
        /// is by at most `beside`, as beside_face() tells, but for acute corners. m.
        unsigned over(const vec3& p, float lowest, float highest, float depth, float beside) const;
    };
    std::vector<Vertex> vertices;
    std::vector<vec3> directions;  ///< unit
    std::vector<Edge> edges;
    std::vector<Face> faces;
    std::vector<Node> nodes;         ///< the root comes first; empty if there are no faces
    std::vector<FourFaces> leaves;   ///< in the order of the leaves among `nodes`
    std::uint32_t corner_count = 0;  ///< of the faces
    float grain = 0.0f;              ///< edge of a square as large as the mean face, m

    /// Collects the features of these triangles of the set, in their order, and builds the tree. Consecutive triangles
    /// should be near each other. The cones of all nodes hold all directions.
    void collect(const TriangleSet& set, std::span<const std::uint32_t> triangles);
    /// Limits the depths to half of how thick the solid inside of the set is at each face and edge. The features
    /// must be those of all triangles. Cost: a ray per face and edge.
    void find_depths(const TriangleSet& set);
    /// Finds the cones of the nodes. Cost: some microseconds per vertex.
    void find_cones();
    std::size_t bytes() const;

private:
    void find_neighbours();
    void build_tree();
};

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

/// Searches the trees of two surfaces together.
class NodePairs {
public:
    NodePairs(const SurfaceFeatures& a, const SurfaceFeatures& b, const MatrixTransform& b_in_a)
        : a_(a),
          b_(b),
          b_in_a_(b_in_a),
          size_(talus::absolute(b_in_a.rotation)),
          to_a_(b_in_a.rotation),
          to_b_(glm::transpose(b_in_a.rotation)),
          size_to_a_(size_),
          size_to_b_(glm::transpose(size_)),
          position_(load_three(&b_in_a.position.x)) {}

    /// Leaves out the leaves without any of these faces, which are in ascending order and outlive the search.
    void restrict_to(std::span<const std::uint32_t> faces_a, std::span<const std::uint32_t> faces_b) {
        is_restricted_ = true;
        faces_a_ = faces_a;
        faces_b_ = faces_b;
    }

    /// Returns the absolute values of B's rotation: they map half the sides of boxes to A's frame.
    const mat3& absolute_rotation() const { return size_; }

    /// Calls visit(leaf of A, leaf of B) for those whose boxes are within `distance` (m) of each other on each axis and
    /// that have opposite normals, or would have after a rotation by less than `turn` (rad).
    template <class Visit>
    void for_each(float distance, float turn, Visit&& visit) {
        descend(
            [&](const SurfaceFeatures::Node& a, const SurfaceFeatures::Node& b) {
                return a.normals.meets(b.normals, -(b_in_a_.rotation * b.normals.axis), turn) && gap(a, b) <= distance;
            },
            visit);
    }

    /// Calls visit(leaf of A, leaf of B) for those whose boxes may overlap, until it returns true.
    template <class Visit>
    void for_each_overlap(Visit&& visit) {
        bool ended = false;
        descend(
            [&](const SurfaceFeatures::Node& a, const SurfaceFeatures::Node& b) { return !ended && gap(a, b) <= 0.0f; },
            [&](const SurfaceFeatures::Node& a, const SurfaceFeatures::Node& b) { ended = visit(a, b); });
    }

    /// Returns a lower bound of the distance between the two surfaces, m, or `most` if it is more. At most 0: they may
    /// cross.
    float distance_bound(float most) {
        descend([&](const SurfaceFeatures::Node& a,
                    const SurfaceFeatures::Node& b) { return most > 0.0f && gap(a, b) < most; },
                [&](const SurfaceFeatures::Node& a, const SurfaceFeatures::Node& b) { most = gap(a, b); });
        return most;
    }

    std::uint64_t tested() const { return tested_; }  ///< the number of pairs of nodes that were

private:
    struct Pair {
        std::uint32_t a, b;
    };

    /// Calls visit for the pairs of leaves for which, as for all nodes above them, `test` is true.
    template <class Test, class Visit>
    void descend(const Test& test, const Visit& visit) {
        if (a_.nodes.empty() || b_.nodes.empty()) return;
        waiting_.assign(1, {0, 0});
        ++tested_;  // in all: this pair, and the two below each pair that is opened
        while (!waiting_.empty()) {
            const Pair pair = waiting_.back();
            waiting_.pop_back();
            const SurfaceFeatures::Node &a = a_.nodes[pair.a], &b = b_.nodes[pair.b];
            if (!test(a, b)) continue;
            if (is_restricted_ && !(has_any(a, faces_a_) && has_any(b, faces_b_))) continue;
            if (a.right == 0 && b.right == 0) {
                visit(a, b);
            } else if (b.right == 0 || (a.right != 0 && length_squared(a.half) >= length_squared(b.half))) {
                waiting_.push_back({a.right, pair.b});
                waiting_.push_back({pair.a + 1, pair.b});
                tested_ += 2;
            } else {
                waiting_.push_back({pair.a, b.right});
                waiting_.push_back({pair.a, pair.b + 1});
                tested_ += 2;
            }
        }
    }

    /// A matrix that maps vectors in the first three lanes.
    struct Columns {
        Float4 x, y, z;

        explicit Columns(const mat3& m) : x(load_three(&m[0].x)), y(load_three(&m[1].x)), z(load_three(&m[2].x)) {}
        Float4 operator*(Float4 v) const { return x * v[0] + y * v[1] + z * v[2]; }
    };

    /// Returns how far two boxes are from each other at least, m: on the axis of either on which that is most. At most
    /// 0 if they may overlap.
    float gap(const SurfaceFeatures::Node& a, const SurfaceFeatures::Node& b) const {
        // The fourth lanes hold what follows in the nodes.
        const Float4 middle_a = load_lanes(&a.middle.x), half_a = load_lanes(&a.half.x);
        const Float4 middle_b = load_lanes(&b.middle.x), half_b = load_lanes(&b.half.x);
        const Float4 between = to_a_ * middle_b + position_ - middle_a;
        const Float4 along_a = absolute(between) - (half_a + size_to_a_ * half_b);
        const Float4 along_b = absolute(to_b_ * between) - (half_b + size_to_b_ * half_a);
        const Float4 most = max_lanes(along_a, along_b);
        return std::max({most[0], most[1], most[2]});
    }
    static Float4 absolute(Float4 v) { return max_lanes(v, -v); }

    static bool has_any(const SurfaceFeatures::Node& node, std::span<const std::uint32_t> faces) {
        const auto first = std::lower_bound(faces.begin(), faces.end(), node.faces.first);
        return first != faces.end() && *first < node.faces.last;
    }

    const SurfaceFeatures &a_, &b_;
    bool is_restricted_ = false;
    std::span<const std::uint32_t> faces_a_, faces_b_;
    MatrixTransform b_in_a_;
    mat3 size_;  ///< the absolute values of the rotation
    Columns to_a_, to_b_, size_to_a_, size_to_b_;
    Float4 position_;
    std::vector<Pair> waiting_;
    std::uint64_t tested_ = 0;
};

}  // namespace talus::detail
