#pragma once
/// EPA, the expanding polytope algorithm (Jovanoski 2008, section 5): depth and normal of overlapping cores.
///
/// A polytope inside A - B grows where it is nearest to the origin. Its nearest face bounds the depth from below, and
/// every support plane bounds it from above. The result is the nearest support plane, so it always separates the
/// shapes. On polytopes the two bounds meet exactly, at a facet. On cylinders and cones EPA stops at a gap of 5e-5
/// sizes, and a descent to the minimum over the true surface follows. A small shape near the axis of a round one has a
/// whole ring of directions of about the same depth, more than there is memory for; then the best direction on the ring
/// is searched for separately.
///
/// Cost: about 0.7 us for two hulls of 24 vertices, 6 us for two cylinders, 500 us if memory runs out. Memory is fixed:
/// 512 vertices. A pair that overlapped before starts from the polytope (`SeparationCache`) or the face of its last
/// pose.

#include <talus/narrowphase/gjk.h>

namespace talus {

/// The result of an EPA query.
enum class EpaStatus : std::uint8_t {
    converged,      ///< depth exact to tolerance
    out_of_memory,  ///< buffers full: the best result so far; moving B by depth * normal still separates the cores
    flat,           ///< the Minkowski difference has no interior within rounding: depth ~0, normal from its plane
    bad_input,      ///< a null hull, a negative size, or a number that is not finite: all else is as in a new EpaResult
};

/// EPA's last polytope as pairs of support indices, with its faces. The next frame's EPA can start from it: at the new
/// pose, its vertices are still points of the Minkowski difference. As long as the origin lies behind all its faces it
/// is a valid polytope, however far the shapes have moved.
struct PolytopeCache {
    static constexpr int max_vertices = 32;                 ///< larger polytopes are not kept
    static constexpr int max_faces = 2 * max_vertices - 4;  ///< of triangles, by Euler's formula
    /// A triangle, counter-clockwise seen from outside. Edge i runs from vertex i to the next.
    struct Face {
        std::uint8_t vertex[3];          ///< indices into `a` and `b`
        std::uint8_t neighbour[3];       ///< the face on the other side of edge i
        std::uint8_t neighbour_edge[3];  ///< the number that edge i has in that face
    };
    std::uint8_t vertex_count = 0;  ///< 0: empty
    std::uint8_t face_count = 0;    ///< number of faces
    std::uint16_t a[max_vertices];  ///< support indices of A
    std::uint16_t b[max_vertices];  ///< support indices of B; a[i] and b[i] make vertex i
    Face face[max_faces];           ///< the first face_count of them
};

/// The penetration of two cores.
struct EpaResult {
    EpaStatus status = EpaStatus::converged;  ///< how the query ended
    float depth = 0.0f;                       ///< of the cores, >= 0, m: moving B by depth * normal separates them
    vec3 normal{0.0f};                        ///< unit, from A to B, in A's frame; zero only on bad_input
    vec3 point_a{0.0f};                       ///< deepest point of A in B, in A's frame, m: point_b + depth * normal
    vec3 point_b{0.0f};                       ///< deepest point of B in A, in A's frame, m
    std::uint16_t iterations = 0;             ///< support pairs computed
    std::uint16_t support_evaluations = 0;    ///< support points computed, of A and of B
    bool warm = false;                        ///< started from an earlier pose's polytope
    /// A lower bound of the depth in all directions except those of the result's own facet, m; <= the depth if unknown.
    float other_depth = 0.0f;
    SimplexCache face;  ///< if count is 3: the face of the Minkowski difference on which the result lies
};

/// Returns the penetration of two cores that GJK found overlapping, from the simplex that it left (1 to 4 points;
/// completed to a tetrahedron here). Degenerate cores (point on segment, coplanar triangles) give a usable contact,
/// too.
EpaResult epa(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const SimplexCache& simplex);

}  // namespace talus
