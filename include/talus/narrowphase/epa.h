#pragma once
/// EPA, the expanding polytope algorithm (Jovanoski 2008, section 5): depth and normal of overlapping cores.
///
/// A polytope inside A - B grows where it is nearest to the origin. Its nearest face bounds the depth from below, and
/// every support plane met bounds it from above; the answer is the lowest support plane, so it always separates. On
/// polytopes the two meet exactly, at a facet. On cylinders and cones EPA stops at a gap of 5e-5 sizes, and the answer
/// slides down to the minimum over the true surface (epa_slide.h). Something small near the axis of something round has
/// a ring of ways out that are about as short as each other, more than there is memory for: the best of those is found
/// by itself (epa_ring.h). About 0.7 us for two hulls of 24 vertices, 6 us for two cylinders, 500 us where memory runs
/// out. Memory is fixed: 512 vertices. A pair that was overlapping before starts from the polytope (`SeparationCache`)
/// or the face (`epa_again`) of its last pose.

#include <talus/narrowphase/gjk.h>

namespace talus {

enum class EpaStatus : std::uint8_t {
    converged,      ///< depth exact to tolerance
    out_of_memory,  ///< fixed buffers full: the best so far; moving B by depth * normal still separates
    flat,           ///< the Minkowski difference has no interior within rounding: depth ~0, normal from its plane
};

/// EPA's last polytope as pairs of support indices, with its faces: re-posed, it is where the next frame's EPA starts
/// from. Its vertices are still points of the Minkowski difference then, so while the origin lies behind all its faces
/// it still proves what it encloses, however far the shapes have moved: no motion bound is needed. vertex_count 0 is
/// the empty cache.
struct PolytopeCache {
    static constexpr int max_vertices = 32, max_faces = 2 * max_vertices - 4;
    struct Face {
        std::uint8_t vertex[3], neighbour[3], neighbour_edge[3];
    };
    std::uint8_t vertex_count = 0, face_count = 0;
    std::uint16_t a[max_vertices], b[max_vertices];
    Face face[max_faces];
};

struct EpaResult {
    EpaStatus status = EpaStatus::converged;
    float depth = 0.0f;  ///< of the cores, >= 0, m: moving B by depth * normal separates them
    vec3 normal{0.0f};   ///< unit, from A to B, in A's frame: always a unit vector
    vec3 point_a{0.0f};  ///< deepest point pair, in A's frame: point_a - point_b = depth * normal
    vec3 point_b{0.0f};
    std::uint16_t iterations = 0;
    std::uint16_t support_evaluations = 0;
    bool warm = false;  ///< started from an earlier pose's polytope
    /// No way out but through the answer's own facet is shorter than this (m): <= the depth if unknown.
    float other_depth = 0.0f;
    SimplexCache face;  ///< count 3: the face of the Minkowski difference that holds the answer
};

/// Penetration of two cores that GJK found overlapping, from the simplex it left (1 to 4 points, completed to a
/// tetrahedron here). Always returns a usable contact, for degenerate cores (point on segment, coplanar triangles) too.
EpaResult epa(const Shape& a, const Shape& b, const Frame& b_in_a, const SimplexCache& simplex);

/// The local minimum of the depth that the face of an earlier pose's answer leads to (polytopes only): the depth,
/// unless another way out has become shorter, which EpaResult::other_depth and a bound on the motion tell. About two
/// warm GJK queries. False when the face leads nowhere: ask `epa`.
bool epa_again(const Shape& a, const Shape& b, const Frame& b_in_a, const SimplexCache& face, EpaResult& result);

/// The same where the face itself is still the way out, at a fifth of the price: false when the minimum has moved on to
/// another.
bool epa_on_face(const Shape& a, const Shape& b, const Frame& b_in_a, const SimplexCache& face, EpaResult& result);

/// One answer for separated and penetrating pairs, radii included.
struct SeparationResult {
    float separation = 0.0f;  ///< negative when penetrating, m
    vec3 normal{0.0f};        ///< unit, from A to B, in A's frame
    vec3 point_a{0.0f};       ///< on A's surface; point_b = point_a + separation * normal
    vec3 point_b{0.0f};       ///< on B's surface, in A's frame
    GjkResult gjk;
    EpaResult epa;
    bool used_epa = false;
    bool beyond_limit = false;  ///< separation is only a lower bound, larger than max_separation
};

/// What a pair keeps from pose to pose: empty at first, any content is safe.
struct SeparationCache {
    SimplexCache simplex;
    PolytopeCache polytope;  ///< holds something only while the cores overlap
};

/// Signed distance between two shapes: GJK on the cores, then the radii, then EPA when the cores overlap.
SeparationResult separation(const Shape& a, const Shape& b, const Frame& b_in_a, SimplexCache& cache,
                            float max_separation = std::numeric_limits<float>::infinity());

/// The same with a warm start for penetrating pairs too: while the last pose's polytope still holds the origin, GJK is
/// not asked.
SeparationResult separation(const Shape& a, const Shape& b, const Frame& b_in_a, SeparationCache& cache,
                            float max_separation = std::numeric_limits<float>::infinity());

}  // namespace talus
