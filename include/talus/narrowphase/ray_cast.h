#pragma once
/// The first hit of a ray with one convex shape, or with any support mapping.

#include <talus/narrowphase/shape.h>
#include <talus/narrowphase/support_mapping.h>

namespace talus {

/// Where a ray meets a shape.
struct RayHit {
    bool hit = false;        ///< whether the ray meets the shape
    float fraction = 0.0f;   ///< of the translation, 0 to 1
    vec3 normal{0.0f};       ///< outward, unit, shape frame; zero when the ray starts inside
    bool bad_input = false;  ///< no hull, a negative size, or a number (also of a support point) is not finite: no hit
};

/// Returns the first hit of the ray `origin + t * translation`, 0 <= t <= 1, with the shape (shape frame, m). A ray
/// that starts inside, or on the surface, hits at fraction 0 with a zero normal; so a zero translation tells whether
/// the origin is inside.
///
/// Spheres and boxes have closed forms. For all other shapes the ray is clipped by support planes (van den Bergen
/// 2004): GJK runs on the ray's current point, and each plane that separates that point from the shape moves it
/// forward, until it is on the surface. A ray that passes a curved surface within about 1e-6 of the shape's size may
/// count as a hit or as a miss.
RayHit ray_cast(const Shape& shape, const vec3& origin, const vec3& translation);

/// The same for any support mapping, in the mapping's frame.
RayHit ray_cast(const SupportMapping& mapping, const vec3& origin, const vec3& translation);

}  // namespace talus
