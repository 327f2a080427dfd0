#pragma once
/// Internal: a direction that may separate a triangle from a point.

#include <talus/math.h>

#include <algorithm>
#include <cmath>

namespace talus::detail {

/// Returns the unit vector to `p` from about the nearest point of a triangle, or zero if `p` is on it. Floats may take
/// another point for the nearest of a narrow triangle. So the direction is a guess, and how far the two are apart along
/// it has to be measured at all three corners. (The region of the point is found as in Ericson 2005, section 5.1.5.)
inline vec3 axis_to_point(const vec3 (&corners)[3], const vec3& p) {
    const vec3 ab = corners[1] - corners[0], ac = corners[2] - corners[0];
    const vec3 ap = p - corners[0], bp = p - corners[1], cp = p - corners[2];
    const float ab_a = glm::dot(ab, ap), ac_a = glm::dot(ac, ap), ab_b = glm::dot(ab, bp), ac_b = glm::dot(ac, bp),
                ab_c = glm::dot(ab, cp), ac_c = glm::dot(ac, cp);
    const float beside_ab = ab_a * ac_b - ab_b * ac_a, beside_ac = ab_c * ac_a - ab_a * ac_c,
                beside_bc = ab_b * ac_c - ab_c * ac_b;
    vec3 from;
    if (ab_a <= 0.0f && ac_a <= 0.0f) {
        from = ap;
    } else if (ab_b >= 0.0f && ac_b <= ab_b) {
        from = bp;
    } else if (ac_c >= 0.0f && ab_c <= ac_c) {
        from = cp;
    } else if (beside_ab <= 0.0f && ab_a >= 0.0f && ab_b <= 0.0f) {
        from = ap - (ab_a / (ab_a - ab_b)) * ab;
    } else if (beside_ac <= 0.0f && ac_a >= 0.0f && ac_c <= 0.0f) {
        from = ap - (ac_a / (ac_a - ac_c)) * ac;
    } else if (beside_bc <= 0.0f && ac_b >= ab_b && ab_c >= ac_c) {
        const float along = (ac_b - ab_b) / ((ac_b - ab_b) + (ab_c - ac_c));
        from = bp - along * (corners[2] - corners[1]);
    } else {
        const vec3 n = glm::cross(ab, ac);
        from = glm::dot(n, ap) < 0.0f ? -n : n;
    }
    const float length2 = length_squared(from);
    return length2 > 0.0f ? from / std::sqrt(length2) : vec3(0.0f);
}

/// Returns how far `p` is in front of all corners along a direction, m.
inline float gap_along(const vec3& axis, const vec3 (&corners)[3], const vec3& p) {
    return glm::dot(axis, p) -
           std::max(glm::dot(axis, corners[0]), std::max(glm::dot(axis, corners[1]), glm::dot(axis, corners[2])));
}

}  // namespace talus::detail
