#pragma once
/// EPA, the expanding polytope algorithm (Jovanoski 2008, section 5): depth and normal of overlapping cores.
///
/// A polytope inside A - B grows where it is nearest to the origin. Its nearest face bounds the depth from below, and
/// every support plane bounds it from above. The answer is the lowest support plane, so it always separates. On
/// polytopes the two bounds meet exactly, at a facet. On cylinders and cones EPA stops at a gap of 5e-5 sizes, and a
/// descent to the minimum over the true surface follows. A small shape near the axis of a round one has a whole ring of
/// directions of about the same depth, more than there is memory for: the best of these is searched for separately.
/// About 0.7 us for two hulls of 24 vertices, 6 us for two cylinders, 500 us where memory runs out. Memory is fixed:
/// 512 vertices. A pair that was overlapping before starts from the polytope (`SeparationCache`) or the face of its
/// last pose.

#include <talus/narrowphase/gjk.h>

namespace talus {

enum class EpaStatus : std::uint8_t {
    converged,      ///< depth exact to tolerance
    out_of_memory,  ///< fixed buffers full: the best so far; moving B by depth * normal still separates
    flat,           ///< the Minkowski difference has no interior within rounding: depth ~0, normal from its plane
    bad_input,      ///< a null hull, a negative size, or a number that is not finite: all else is as in a new EpaResult
};

/// EPA's last polytope as pairs of support indices, with its faces. The next frame's EPA can start from it: looked up
/// at the new pose, its vertices are still points of the Minkowski difference. While the origin lies behind all its
/// faces it is a valid polytope, however far the shapes have moved. vertex_count 0: empty.
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
    vec3 normal{0.0f};   ///< unit, from A to B, in A's frame: always a unit vector, except on bad_input
    vec3 point_a{0.0f};  ///< deepest point pair, in A's frame: point_a - point_b = depth * normal
    vec3 point_b{0.0f};
    std::uint16_t iterations = 0;
    std::uint16_t support_evaluations = 0;
    bool warm = false;  ///< started from an earlier pose's polytope
    /// A lower bound of the depth along all directions but those of the answer's own facet, m; <= the depth if unknown.
    float other_depth = 0.0f;
    SimplexCache face;  ///< count 3: the face of the Minkowski difference that holds the answer
};

/// Returns the penetration of two cores that GJK found overlapping, from the simplex that it left (1 to 4 points;
/// completed to a tetrahedron here). Returns a usable contact for degenerate cores (point on segment, coplanar
/// triangles) too.
EpaResult epa(const Shape& a, const Shape& b, const Frame& b_in_a, const SimplexCache& simplex);

}  // namespace talus
