#pragma once
/// Rays and moving boxes for the broadphase's casts.

#include <talus/aabb.h>

namespace talus {

/// A box that moves from `center` to center + translation, or a ray if its size is zero. The cast ends at
/// center + max_fraction * translation.
struct BoxCast {
    dvec3 center;               ///< at the start, in the world, m
    vec3 translation;           ///< from the start to the end, m
    vec3 half{0.0f};            ///< half the edges of the box, >= 0, m
    float max_fraction = 1.0f;  ///< at most 1
};

/// Returns the fraction of the translation at which the moving box first touches `box` (0 if it touches it at the
/// start), or a negative number if it does not touch it up to max_fraction. A cast that misses by no more than the
/// rounding errors of double precision may count as a hit; a hit never counts as a miss. The fraction depends on the
/// differences of the box and the centre only.
/// A cast touches nothing if a number of it is not finite or `half` is negative, and no cast touches a box with a NaN.
double enter_fraction(const BoxCast& cast, const WorldAabb& box);

}  // namespace talus
