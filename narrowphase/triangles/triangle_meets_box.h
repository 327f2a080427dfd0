#pragma once
/// Internal: whether a triangle has a point in a box, by their separating axes (Akenine-Moeller 2001, "Fast 3D
/// Triangle-Box Overlap Testing").

#include <talus/aabb.h>
#include <talus/math.h>
#include "common/lanes/lanes.h"
#include "narrowphase/triangles/box_way.h"

#include <cmath>

namespace talus::detail {

/// The same lanes, one place and two places on: y z x and z x y.
inline Float4 yzx(Float4 v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3); }
inline Float4 zxy(Float4 v) { return __builtin_shufflevector(v, v, 2, 0, 1, 3); }

/// True unless the planes of the box, the triangle's plane or a plane along an edge of each separate the two. Rounding
/// makes the box larger, by 1e-6 of the numbers from which it comes.
inline bool triangle_meets_box(const vec3 (&points)[3], const vec3& normal, const Aabb& box) {
    const Float4 low = xyz0(box.lower), high = xyz0(box.upper), half_way = splat<Float4>(0.5f);
    const Float4 room = half_way * (high - low), middle = low + room;
    const Float4 half = room + splat<Float4>(1e-6f) * (max_lanes(magnitude(low), magnitude(high)) + room);
    const Float4 p[3] = {xyz0(points[0]) - middle, xyz0(points[1]) - middle, xyz0(points[2]) - middle};
    const auto are_apart = [](Float4 least, Float4 most, Float4 reach) {
        return (lane_bits((least > reach) | (most < -reach)) & 7u) != 0;
    };
    if (are_apart(min_lanes(min_lanes(p[0], p[1]), p[2]), max_lanes(max_lanes(p[0], p[1]), p[2]), half)) return false;
    const Float4 n = xyz0(normal), height = n * p[0], reach = magnitude(n) * half;
    if (std::abs(height[0] + height[1] + height[2]) > reach[0] + reach[1] + reach[2]) return false;
    const Float4 half_yzx = yzx(half), half_zxy = zxy(half);
    for (int i = 0; i < 3; ++i) {
        // Lane k is the axis across the edge and the box's axis k. Along it, the edge is a point.
        const Float4 edge = p[(i + 1) % 3] - p[i], u = yzx(edge), v = zxy(edge);
        const auto along = [&](Float4 q) { return u * zxy(q) - v * yzx(q); };
        const Float4 at = along(p[i]), opposite = along(p[(i + 2) % 3]);
        if (are_apart(min_lanes(at, opposite), max_lanes(at, opposite),
                      magnitude(u) * half_zxy + magnitude(v) * half_yzx))
            return false;
    }
    return true;
}

}  // namespace talus::detail
