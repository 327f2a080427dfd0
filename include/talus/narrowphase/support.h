#pragma once
/// Support mappings of the cores (Jovanoski 2008, section 4): the core's farthest point along a direction.
///
/// Every core point that `support` returns has a 16-bit *index*, from which `core_point` returns the same point, bit
/// for bit. So a simplex can be cached as indices and looked up at the next frame's pose. This holds for curved shapes,
/// too: a point on the rim of a cylinder or cone is indexed by its angle, quantised to 2^14 steps (`rim_direction`).
///
/// Indices: segment and triangle: the point's number. Capsule: 0 the upper end, 1 the lower. Box: bit i is set if
/// coordinate i is negative. Cylinder: rim step, plus 2^14 on the lower rim. Cone: rim step, or 2^14 for the apex.
/// Hull: the vertex. Mapping: a direction, quantised to 64,896 cells; here `support` returns the exact point, and
/// `core_point` the one that is farthest along the middle of the direction's cell (at most 0.014 rad off).
///
/// GJK and EPA iterate with exact rim points and quantise only the points that they leave in a cache.
///
/// These functions are called often and do not check shapes. A hull shape without a hull, and a direction that is not
/// finite, give index 0 (of a missing hull: the origin).

#include <talus/narrowphase/shape.h>

#include <cstdint>

namespace talus {

/// A support point of a core and its index.
struct SupportVertex {
    vec3 point;           ///< in the shape's frame, on the core
    std::uint16_t index;  ///< of a vertex, or of a rim point
};

/// Returns the core's point farthest along `direction` (any length, not zero; shape frame). A tie goes to the lowest
/// index, except on hulls of more than 64 vertices, where the search climbs from `hint` (any value is safe) and may end
/// at any of the tied ones. On a quantised rim the answer is the nearest indexed point: at most radius * 4e-8 short of
/// the true support plane.
SupportVertex support(const Shape& shape, const vec3& direction, std::uint16_t hint = 0);

/// Returns the core point with this index; one that is out of range gives the point of index 0.
vec3 core_point(const Shape& shape, std::uint16_t index);

/// Returns the number of indices that this shape has.
std::uint32_t core_point_count(const Shape& shape);

/// The number of steps of a full rim.
inline constexpr std::uint16_t rim_steps = 1u << 14;
/// Returns the unit direction (x, 0, z) of step `code` < rim_steps, from +x towards +z. Each quadrant is cut into equal
/// steps of t in normalise(1 - t, t): at most 4.9e-4 rad wide, no trigonometry, and the axes are exact.
vec3 rim_direction(std::uint16_t code);

}  // namespace talus
