#pragma once
/// Support mappings of the cores (Jovanoski 2008, section 4): the core's farthest point along a direction.
///
/// Every core point that `support` returns has a 16-bit *index*, from which `core_point` gives the very same point
/// back, bit for bit. That is what lets a simplex be cached as indices and re-posed next frame, for curved shapes too:
/// a point on a cylinder's or cone's rim is indexed by its angle, quantised to 2^14 steps (`rim_direction`).
///
/// Indices: segment and triangle: the point's number. Capsule: 0 the upper end, 1 the lower. Box: bit i set where
/// coordinate i is negative. Cylinder: rim step, plus 2^14 on the lower rim. Cone: rim step, and 2^14 the apex. Hull:
/// the vertex.
///
/// GJK and EPA iterate with exact rim points and quantise only what they leave in a cache; see core_support.h.

#include <talus/narrowphase/shape.h>

#include <cstdint>

namespace talus {

struct SupportVertex {
    vec3 point;           ///< in the shape's frame, on the core
    std::uint16_t index;  ///< of a vertex, or of a rim point
};

/// The core's point farthest along `direction` (any length, not zero; shape frame). Ties go to the lowest index, except
/// on hulls of more than 64 vertices, where the search climbs from `hint` (any value is safe) and may end at any of
/// them. On a quantised rim the answer is the nearest indexed point: at most radius * 4e-8 short of the true support
/// plane.
SupportVertex support(const Shape& shape, const vec3& direction, std::uint16_t hint = 0);

/// The core point with this index (indices from elsewhere are safe: out of range gives index 0's point).
vec3 core_point(const Shape& shape, std::uint16_t index);

/// How many indices `core_point` knows for this shape.
std::uint32_t core_point_count(const Shape& shape);

/// Steps of a full rim, and the unit direction (x, 0, z) of step `code` < rim_steps, from +x towards +z. Each quadrant
/// is cut into equal steps of t in normalise(1 - t, t): at most 4.9e-4 rad wide, no trigonometry, and the axes are
/// exact.
inline constexpr std::uint16_t rim_steps = 1u << 14;
vec3 rim_direction(std::uint16_t code);

}  // namespace talus
