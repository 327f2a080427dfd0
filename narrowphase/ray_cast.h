#pragma once

#include <talus/narrowphase/shape.h>

namespace talus {

struct RayHit {
    bool hit = false;
    float fraction = 0.0f;  ///< along the translation, 0 to 1
    vec3 normal{0.0f};      ///< outward, unit, shape frame; zero when the ray starts inside
};

/// First hit of the ray `origin + t * translation`, 0 <= t <= 1, with the shape (shape frame, m). A ray that starts inside
/// hits at fraction 0. Works on any support mapping (GJK-based ray cast, van den Bergen 2004; named by Ericson 2005 as
/// GJK for moving objects), with closed forms for sphere and box.
RayHit ray_cast(const Shape& shape, const vec3& origin, const vec3& translation);

}  // namespace talus
