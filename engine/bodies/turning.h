#pragma once
/// How far a rotation moves the surface of a shape.

#include <talus/math.h>
#include <talus/narrowphase/shape.h>

#include <algorithm>
#include <cmath>

namespace talus {

/// Returns which part of a rotation about `axis` (world, of any length) moves the surface of a shape that has the
/// rotation `frame`: 0 to 1. A ball only turns in itself, and so does a capsule, cylinder or cone about its own axis.
inline float turning_part(ShapeType type, const quat& frame, const vec3& axis) {
    switch (type) {
        case ShapeType::sphere:
            return 0.0f;
        case ShapeType::capsule:
        case ShapeType::cylinder:
        case ShapeType::cone: {
            const float all = length_squared(axis), own = glm::dot(axis, rotate(frame, vec3(0.0f, 1.0f, 0.0f)));
            return all > 0.0f ? std::sqrt(std::max(1.0f - own * own / all, 0.0f)) : 0.0f;
        }
        default:
            return 1.0f;
    }
}

}  // namespace talus
