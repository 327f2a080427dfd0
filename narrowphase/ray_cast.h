#pragma once
/// The first hit of a ray with one convex shape.

#include <talus/narrowphase/shape.h>

namespace talus {

struct RayHit {
    bool hit = false;
    float fraction = 0.0f;  ///< along the translation, 0 to 1
    vec3 normal{0.0f};      ///< outward, unit, shape frame; zero when the ray starts inside
};

/// First hit of the ray `origin + t * translation`, 0 <= t <= 1, with the shape (shape frame, m). A ray that starts
/// inside, or on the surface, hits at fraction 0 with a zero normal; a zero translation asks just that. Anything not
/// finite misses.
///
/// Sphere and box have closed forms. All others are clipped by support planes (van den Bergen 2004; Ericson 2005,
/// section 4): GJK gives the plane that separates the ray's current point from the shape, the ray moves up to it, and
/// so on until the point is on the surface, each GJK starting from the last one's simplex. The point of a ray that
/// grazes a curved surface closer than about 1e-6 of the shape's size may fall to either side.
RayHit ray_cast(const Shape& shape, const vec3& origin, const vec3& translation);

}  // namespace talus
