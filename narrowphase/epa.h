#pragma once
/// EPA, the expanding polytope algorithm (Jovanoski 2008, section 5): depth and normal of overlapping cores.
///
/// A polytope inside A - B grows where it is nearest to the origin. Its nearest face bounds the depth from below, and
/// every support plane met bounds it from above; the answer is the lowest support plane, so it always separates. On
/// polytopes the two meet exactly, at a facet. On cylinders and cones EPA stops at a gap of 5e-5 sizes, and the answer
/// slides down to the minimum over the true surface (epa_slide.h). About 0.7 us for two hulls of 24 vertices, 6 us for
/// two cylinders.

#include <talus/narrowphase/gjk.h>

namespace talus {

enum class EpaStatus : std::uint8_t {
    converged,      ///< depth exact to tolerance
    out_of_memory,  ///< fixed buffers full: the best so far; moving B by depth * normal still separates
    flat,           ///< the Minkowski difference has no interior within rounding: depth ~0, normal from its plane
};

struct EpaResult {
    EpaStatus status = EpaStatus::converged;
    float depth = 0.0f;  ///< of the cores, >= 0, m: moving B by depth * normal separates them
    vec3 normal{0.0f};   ///< unit, from A to B, in A's frame: always a unit vector
    vec3 point_a{0.0f};  ///< deepest point pair, in A's frame: point_a - point_b = depth * normal
    vec3 point_b{0.0f};
    std::uint16_t iterations = 0;
    std::uint16_t support_evaluations = 0;
    SimplexCache face;  ///< count 3: the face of the Minkowski difference that holds the answer
};

/// Penetration of two cores that GJK found overlapping, from the simplex it left (1 to 4 points, completed to a
/// tetrahedron here). Always returns a usable contact, for degenerate cores (point on segment, coplanar triangles) too.
EpaResult epa(const Shape& a, const Shape& b, const Frame& b_in_a, const SimplexCache& simplex);

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

/// Signed distance between two shapes: GJK on the cores, then the radii, then EPA when the cores overlap.
SeparationResult separation(const Shape& a, const Shape& b, const Frame& b_in_a, SimplexCache& cache,
                            float max_separation = std::numeric_limits<float>::infinity());

}  // namespace talus
