#pragma once
/// Internal: contact points of two surfaces of any shape, without decomposition: from the pairs of features that can
/// touch at the present orientation (Jimenez and Torras 1999, section 3: the applicability constraints).
///
/// Two solids touch at a vertex and a face, or at two edges; a face on a face is the limit of both. Which pairs of
/// features can do so depends on the orientation alone:
///
///     vertex v on face f     the normal -f lies in the region of v: no edge leads from v into f
///     edge d on edge e       the normal d x e lies between the normals of both edges' faces
///
/// The test tells apart what distances cannot: a vertex that has gone deep into a thin wall is as near to the wall's
/// back as to its front, but only one of the two can have been touched by it. So overlaps are pushed out at the side
/// where they began.
///
/// The pairs are found with a reach, by the trees of both surfaces (surface_features.h). As long as the two have moved
/// by less than that, they are only evaluated (FeatureCandidates).
///
/// Any set of triangles will do as a surface. Features of sets that are not closed are those of its boundary, too.

#include <talus/ids.h>
#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/profile.h>
#include "narrowphase/nonconvex/surface_features.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace talus::detail {

class NodePairs;

/// A contact point of two surfaces.
struct FeaturePoint {
    vec3 on_a{0.0f};                                          ///< on A's surface, A's frame, m
    vec3 on_b{0.0f};                                          ///< on B's surface, B's frame, m
    vec3 normal{0.0f};                                        ///< unit, from A to B, A's frame
    float separation = 0.0f;                                  ///< along the normal, negative when penetrating, m
    std::uint32_t id = 0;                                     ///< of the two features: the same as long as they touch
    FaceOwner face_owner = FaceOwner::none;                   ///< the surface whose face one of them is
    std::uint32_t triangles[2] = {no_triangle, no_triangle};  ///< of A and B: each has the feature, in its set
    bool rolls = false;  ///< the round part of one shape touches a face or an edge of the other one, and rolls over it
};

/// How far the candidates of two surfaces go.
struct FeatureLimits {
    float reach = 0.0f;  ///< how far the two may move until the candidates are found again, m
    float turn = 0.0f;   ///< how far they may rotate until then, rad
    /// The rotation that is expected within a step, rad. A vertex also counts if it can touch a face only after such a
    /// rotation. Otherwise a bar that lands on one of its edges would roll over the next edge.
    float turn_ahead = 0.0f;
    float depth = 0.0f;  ///< the largest overlap that counts, m
    /// Deeper overlaps count only if nothing is between the two features but the inside of both surfaces, m.
    float sure = std::numeric_limits<float>::infinity();
    float room = 0.0f;  ///< by how much a point may be beside a face or an edge, for rounding, m
    /// Ids of the contact points that the two surfaces had when they were evaluated last. Such a point is known to have
    /// entered on this side, so it may be twice as deep as others: up to the far side of a thin wall.
    std::span<const std::uint32_t> had{};

    /// Returns the largest overlap of a point that counts, m. `half_thickness`: of the solid there, m.
    float depth_of(std::uint32_t id, float half_thickness) const {
        const bool was_there = std::find(had.begin(), had.end(), id) != had.end();
        return std::min(depth, was_there ? 2.0f * half_thickness : half_thickness);
    }
};

/// The pairs of features that can touch while two surfaces move by little.
class FeatureCandidates {
public:
    /// Finds the pairs that may have a separation of at most `margin` (m) after a motion by `limits.reach`.
    void find(const SurfaceFeatures& a, const SurfaceFeatures& b, const MatrixTransform& b_in_a, float margin,
              const FeatureLimits& limits);
    /// Adds the pairs of features of two parts of the surfaces that may overlap by up to `limits.depth` (m): some faces
    /// of each, in ascending order.
    void add_overlapping(const SurfaceFeatures& a, std::span<const std::uint32_t> faces_a, const SurfaceFeatures& b,
                         std::span<const std::uint32_t> faces_b, const MatrixTransform& b_in_a, float margin,
                         const FeatureLimits& limits);
    /// Forgets all pairs.
    void clear();
    /// Appends the contact points at this pose with a separation of at most `margin` (m).
    void evaluate(const SurfaceFeatures& a, const SurfaceFeatures& b, const MatrixTransform& b_in_a, float margin,
                  const FeatureLimits& limits, std::vector<FeaturePoint>& points);
    /// Two features, by their indices in the surfaces.
    struct Pair {
        std::uint32_t of_a, of_b;
    };
    const std::vector<Pair>& a_vertices() const { return a_vertices_; }  ///< vertices of A with faces of B
    const std::vector<Pair>& b_vertices() const { return b_vertices_; }  ///< faces of A with vertices of B
    const std::vector<Pair>& edges() const { return edges_; }
    std::size_t size() const { return a_vertices_.size() + b_vertices_.size() + edges_.size(); }
    /// Returns what find() and add_overlapping() looked at since the last call.
    FeatureCounts take_counts() { return std::exchange(counts_, {}); }
    std::size_t bytes() const;

private:
    /// A contact that was found, and of which features.
    struct Found {
        FeaturePoint point;
        enum class Kind : std::uint8_t { a_vertex, b_vertex, edges } kind;
        Pair pair;
    };
    void add(NodePairs& pairs, const SurfaceFeatures& a, const SurfaceFeatures& b, const MatrixTransform& b_in_a,
             float margin, const FeatureLimits& limits);
    void sort_pairs();
    void add_vertex_contacts(const SurfaceFeatures& a, const SurfaceFeatures& b, const MatrixTransform& b_in_a,
                             float margin, const FeatureLimits& limits, bool of_a);
    void add_edge_contacts(const SurfaceFeatures& a, const SurfaceFeatures& b, const MatrixTransform& b_in_a,
                           float margin, const FeatureLimits& limits);
    bool survives(const SurfaceFeatures& a, const SurfaceFeatures& b, const MatrixTransform& b_in_a, const Found& deep,
                  const vec3& shift, const FeatureLimits& limits) const;

    std::vector<Pair> a_vertices_, b_vertices_, edges_;
    FeatureCounts counts_;

    // Scratch.
    std::vector<Found> found_;
    std::vector<SurfaceFeatures::Edge> placed_;  ///< edges of B in A's frame
    std::vector<std::uint32_t> placed_at_;       ///< index in placed_, by edge of B; SurfaceFeatures::none: not yet
};

}  // namespace talus::detail
