#pragma once
/// Support mappings of the cores (Jovanoski 2008, section 4): the core's farthest point along a direction.
///
/// Every core point that a support mapping returns has a 16-bit *index*, from which `core_point` gives the very same point
/// back. That is what lets a simplex be cached as indices and re-posed next frame, for curved shapes too: a point on
/// a cylinder's or cone's rim is indexed by its angle, quantised to 2^14 steps (`rim_direction`).

#include <talus/narrowphase/shape.h>

#include <cstdint>

namespace talus {

struct SupportVertex {
    vec3 point;           ///< in the shape's frame, on the core
    std::uint16_t index;  ///< of a vertex, or of a rim point
};

/// The core's point farthest along `direction` (any length, not zero; shape frame). Ties go to the lowest index.
/// `hint` is a vertex index to start from when the search walks; any value is safe. On a quantised rim the
/// answer is the nearest indexed point: at most radius * 4e-8 short of the true support plane.
SupportVertex support(const Shape& shape, const vec3& direction, std::uint16_t hint = 0);

/// The core point with this index (indices from elsewhere are safe: out of range gives index 0's point).
vec3 core_point(const Shape& shape, std::uint16_t index);

/// How many indices `core_point` knows for this shape.
std::uint32_t core_point_count(const Shape& shape);

}  // namespace talus
