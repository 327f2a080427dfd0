#pragma once
/// The signed distance of two convex shapes: GJK while their cores are apart, EPA when they overlap.

#include <talus/narrowphase/epa.h>
#include <talus/narrowphase/gjk.h>

#include <limits>

namespace talus {

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

    /// False: `check` refuses a shape, or a number is not finite. Then nothing else here means anything; it is all 0.
    bool is_valid() const { return gjk.status != GjkStatus::bad_input; }
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
