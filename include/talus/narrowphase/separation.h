#pragma once
/// The signed distance of two convex shapes: GJK while their cores are apart, EPA when they overlap.

#include <talus/narrowphase/epa.h>
#include <talus/narrowphase/gjk.h>

#include <limits>

namespace talus {

/// The answer for separated and penetrating pairs alike, radii included.
struct SeparationResult {
    float separation = 0.0f;    ///< negative when penetrating, m
    vec3 normal{0.0f};          ///< unit, from A to B, in A's frame
    vec3 point_a{0.0f};         ///< on A's surface; point_b = point_a + separation * normal
    vec3 point_b{0.0f};         ///< on B's surface, in A's frame
    GjkResult gjk;              ///< of the cores
    EpaResult epa;              ///< of the cores, if they overlap
    bool used_epa = false;      ///< whether the result comes from `epa`
    bool beyond_limit = false;  ///< separation is only a lower bound, larger than max_separation

    /// Returns false if a shape has no hull or a negative size, if a number is not finite, or if a support mapping has
    /// returned such a number. Then all other values are 0.
    bool is_valid() const { return gjk.status != GjkStatus::bad_input; }
};

/// The data that a pair keeps from one pose to the next: empty at first; any content is safe.
struct SeparationCache {
    SimplexCache simplex;    ///< of the last GJK query
    PolytopeCache polytope;  ///< of the last EPA query; empty unless the cores overlap
};

/// Returns the signed distance between two shapes: by GJK on the cores, or EPA if the cores overlap; then the radii are
/// subtracted. Caches stay as they were on bad input.
SeparationResult separation(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, SimplexCache& cache,
                            float max_separation = std::numeric_limits<float>::infinity());

/// The same with a warm start for penetrating pairs, too. As long as the last pose's polytope still contains the
/// origin, GJK is not run.
SeparationResult separation(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, SeparationCache& cache,
                            float max_separation = std::numeric_limits<float>::infinity());

}  // namespace talus
