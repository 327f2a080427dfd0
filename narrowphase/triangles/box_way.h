#pragma once
/// Internal: the way of a box that moves along a line, for tests against boxes in lanes. They find each touch, and some
/// that are none.

#include <talus/aabb.h>
#include "common/lanes/float4.h"

#include <algorithm>
#include <cstdint>

namespace talus::detail {

/// Returns a point as the lanes x, y, z, 0.
inline Float4 xyz0(const vec3& p) { return load_three(&p.x); }
inline Float4 magnitude(Float4 v) { return reinterpret_cast<Float4>(reinterpret_cast<Int4>(v) & 0x7fffffff); }

using Bytes16 = std::uint8_t __attribute__((vector_size(16)));

/// Along each axis, the box touches a plane at x from the fraction (x - origin) * inverse - reach of its way to
/// (x - origin) * inverse + reach. These are right up to `rounding` times their size, and at most 1e37.
struct BoxWay {
    static constexpr float rounding = 1e-6f;
    static constexpr float cell_rounding = 0.01f;  ///< and up to this, in cells of a TriangleNode

    /// The planes will be those of boxes inside `bounds`.
    BoxWay(const vec3& from, const vec3& translation, const vec3& half_extents, const Aabb& bounds)
        : origin(xyz0(from)) {
        const Float4 move = xyz0(translation), half = xyz0(half_extents);
        const Float4 farthest =
            max_lanes(magnitude(xyz0(bounds.lower) - origin), magnitude(xyz0(bounds.upper) - origin)) + half;
        // Where it moves less than floats can tell, it is inside a slab all the time or never. On a plane of the slab
        // it is inside: the reach is more than the whole way.
        const Float4 least = max_lanes(1e-30f * farthest, splat<Float4>(1e-37f));
        const Int4 moves = magnitude(move) > least;
        inverse = 1.0f / (moves ? move : least);
        cell_slack = cell_rounding * magnitude(inverse);
        reach = min_lanes((1.0f + rounding) * half * magnitude(inverse), splat<Float4>(1e36f)) +
                (moves ? Float4{} : splat<Float4>(2.0f));
        backward = reinterpret_cast<Bytes16>(inverse < 0.0f);
    }

    /// Returns whether it may touch a box up to the fraction `most`. The corners are x, y, z, 0.
    bool touches(Float4 low, Float4 high, float most) const {
        const Float4 a = (low - origin) * inverse, b = (high - origin) * inverse;
        const Float4 slack = rounding * (magnitude(a) + magnitude(b)) + reach;
        const Float4 first = min_lanes(a, b) - slack, last = max_lanes(a, b) + slack;
        const float enter = std::max(std::max(first[0], first[1]), std::max(first[2], 0.0f));
        return enter <= std::min(std::min(last[0], last[1]), std::min(last[2], most));
    }

    Float4 origin, inverse, reach;
    Float4 cell_slack;  ///< cell_rounding as fractions, per metre of a cell's width
    Bytes16 backward;   ///< by axis, four times: 255 if it moves down the axis
};

}  // namespace talus::detail
