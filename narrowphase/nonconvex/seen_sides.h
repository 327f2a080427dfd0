#pragma once
/// Internal: from which side a solid sees the triangles of a two-sided surface (surface_features.h).

#include <talus/narrowphase/triangles/triangle_set.h>

#include <cstdint>
#include <span>
#include <vector>

namespace talus::detail {

/// Returns for each of these triangles of a set whether `from` is on its back.
///
/// The plane of a triangle does not tell: beyond a fold, a point in front of the surface is behind the plane. So triangles
/// that share an edge, but with no third one, have the same side towards the point, and the nearest of all that hang
/// together tells which. Sheets that cross each other, or meet at an edge of three triangles, have sides of their own.
std::vector<bool> seen_from_behind(const TriangleSet& set, std::span<const std::uint32_t> triangles, const vec3& from);

}  // namespace talus::detail
