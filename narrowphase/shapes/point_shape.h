#pragma once
/// Internal: a point, for queries of its distance from shapes.

#include <talus/narrowphase/shape.h>

namespace talus::detail {

/// Returns the origin as a shape: a ball without radius, which no body can have.
inline Shape point_shape() {
    Shape point;
    point.type = ShapeType::sphere;
    point.radius = 0.0f;
    return point;
}

}  // namespace talus::detail
