#pragma once
/// Internal: how far a core reaches from its centre and axis of rotation. This bounds how fast its points move.

#include <talus/narrowphase/shape.h>
#include "narrowphase/casts/double_rotation.h"

#include <algorithm>
#include <limits>

namespace talus::detail {

/// How far a core reaches from its centre of rotation, m.
struct Reach {
    double ring = 0.0;                                       ///< from the axis of rotation
    double sphere = 0.0;                                     ///< from the centre
    double low = std::numeric_limits<double>::infinity();    ///< least coordinate along the axis
    double high = -std::numeric_limits<double>::infinity();  ///< greatest coordinate along the axis

    /// Extends the reach by a disc around p (from the centre). The disc's reach along the axis is `lean` times its
    /// radius.
    void add(const dvec3& p, const dvec3& axis, double radius = 0.0, double lean = 0.0) {
        const double along = glm::dot(p, axis), pp = glm::dot(p, p);
        ring = std::max(ring, length(glm::cross(p, axis)) + radius);
        sphere = std::max(sphere, std::sqrt(pp) + radius);
        low = std::min(low, along - radius * lean);
        high = std::max(high, along + radius * lean);
    }
    /// Extends the reach by a box of half extents `half` around `middle` (from the centre).
    void add_box(const dvec3& middle, const dvec3& half, const dvec3& axis) {
        for (int i = 0; i < 8; ++i) {
            add(middle + dvec3((i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
                               (i & 4) != 0 ? half.z : -half.z),
                axis);
        }
    }
};

/// Returns the reach of a shape's core that rotates about an axis (unit) through `center`; all in the shape's frame.
Reach reach_of(const Shape& shape, const dvec3& center, const dvec3& axis);

}  // namespace talus::detail
