#pragma once
/// Internal: whether a triangle has a point in a box, by their separating axes (Akenine-Moeller 2001, "Fast 3D
/// Triangle-Box Overlap Testing").

#include <talus/aabb.h>
#include <talus/math.h>

#include <algorithm>
#include <cmath>

namespace talus::detail {

/// True if some of the six planes of the box, the triangle's plane, or the nine planes along an edge of each does not
/// separate the two. Rounding makes the box larger, by 1e-6 of the numbers from which it comes.
inline bool triangle_meets_box(const vec3 (&points)[3], const vec3& normal, const Aabb& box) {
    const vec3 middle = center(box), room = half_extents(box);
    const vec3 far = glm::max(absolute(box.lower), absolute(box.upper));
    const vec3 half = room + 1e-6f * (far + room);
    const vec3 p[3] = {points[0] - middle, points[1] - middle, points[2] - middle};
    if (std::abs(glm::dot(p[0], normal)) > glm::dot(absolute(normal), half)) return false;
    for (int k = 0; k < 3; ++k) {
        if (std::min({p[0][k], p[1][k], p[2][k]}) > half[k] || std::max({p[0][k], p[1][k], p[2][k]}) < -half[k])
            return false;
    }
    for (int i = 0; i < 3; ++i) {
        const vec3 edge = p[(i + 1) % 3] - p[i], &from = p[i], &other = p[(i + 2) % 3];
        // The axis is across the edge and one of the box's axes; the edge is a point along it.
        for (int k = 0; k < 3; ++k) {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            const float at = edge[u] * from[v] - edge[v] * from[u], opposite = edge[u] * other[v] - edge[v] * other[u];
            const float reach = std::abs(edge[u]) * half[v] + std::abs(edge[v]) * half[u];
            if (std::min(at, opposite) > reach || std::max(at, opposite) < -reach) return false;
        }
    }
    return true;
}

}  // namespace talus::detail
