#pragma once
/// Internal: a box that moves along a line, against boxes that stand still, in double.

#include <talus/aabb.h>

#include <algorithm>
#include <cmath>

namespace talus::detail {

class MovingBox {
public:
    MovingBox(const vec3& origin, const vec3& translation, const vec3& half_extents)
        : origin_(origin), half_(half_extents) {
        for (int axis = 0; axis < 3; ++axis) {
            const double move = static_cast<double>(translation[axis]);
            // Along an axis on which the box does not move, two boxes touch all the time or never.
            inverse_[axis] = move != 0.0 ? 1.0 / move : 1e200;
        }
    }

    /// Returns the fraction at which it first touches the box: 0 if at the start, -1 if not up to `most`. Boxes that
    /// only nearly touch may count as touching.
    double enter(const Aabb& box, double most) const {
        constexpr double slack = 1e-14;
        double first = 0.0, last = most;
        for (int axis = 0; axis < 3; ++axis) {
            const double low = static_cast<double>(box.lower[axis]) - half_[axis] - origin_[axis];
            const double high = static_cast<double>(box.upper[axis]) + half_[axis] - origin_[axis];
            if (inverse_[axis] == 1e200) {
                if (low > 0.0 || high < 0.0) return -1.0;
                continue;
            }
            const double a = low * inverse_[axis], b = high * inverse_[axis];
            const double from = std::min(a, b), to = std::max(a, b);
            first = std::max(first, from - slack * std::abs(from));
            last = std::min(last, to + slack * std::abs(to));
        }
        return first <= last ? first : -1.0;
    }

private:
    glm::dvec3 origin_, half_;
    double inverse_[3];
};

}  // namespace talus::detail
