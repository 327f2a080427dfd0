#pragma once

#include <talus/aabb.h>
#include <talus/narrowphase/shape.h>

namespace talus::detail {

/// Returns the axis-aligned box around a shape that `rotation` has turned about the origin of its frame, m: the smallest
/// one, except for hulls of many vertices. The box around the shape's turned local box is up to sqrt(3) times as large.
Aabb turned_bounds(const Shape& shape, const quat& rotation);

/// Vertices up to which the bounds of a hull are found from all of them. For larger hulls they are those of the local
/// box or of a ball, along each axis the nearer ones.
inline constexpr std::size_t most_bounds_vertices = 64;

}  // namespace talus::detail
