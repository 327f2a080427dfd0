#pragma once
/// Internal: the checks that public queries make of their arguments. They require less than `check` does: sizes may be
/// 0, so that a sphere without radius is a point, and shapes may be flat. The library's own calls skip these checks,
/// because their shapes were checked when they were added.

#include <talus/math.h>
#include <talus/narrowphase/shape.h>

namespace talus::detail {

/// Returns whether a query on the shape has a result: a hull shape has a hull, and sizes are finite and not negative.
inline bool is_usable(const Shape& shape) {
    const vec3& half = shape.half_extents;
    if (!is_finite(shape.radius) || shape.radius < 0.0f || !is_finite(half)) return false;
    if (half.x < 0.0f || half.y < 0.0f || half.z < 0.0f) return false;
    switch (shape.type) {
        case ShapeType::hull:
            return shape.hull != nullptr;
        case ShapeType::mapping:
            return shape.mapping != nullptr;
        case ShapeType::segment:
            return is_finite(shape.points[0]) && is_finite(shape.points[1]);
        case ShapeType::triangle:
            return is_finite(shape.points[0]) && is_finite(shape.points[1]) && is_finite(shape.points[2]);
        default:
            return static_cast<int>(shape.type) < shape_type_count;
    }
}

inline bool is_usable(const MatrixTransform& frame) {
    return is_finite(frame.position) && is_finite(frame.rotation[0]) && is_finite(frame.rotation[1]) &&
           is_finite(frame.rotation[2]);
}

inline bool is_usable(const Shape& a, const Shape& b, const MatrixTransform& b_in_a) {
    return is_usable(a) && is_usable(b) && is_usable(b_in_a);
}

}  // namespace talus::detail
