#pragma once
/// Internal: where the surfaces of two sets of triangles meet, such as the tiles of a large ground.
///
/// A tile knows its own triangles only, so at its border each edge looks like the end of the surface. A box that slides
/// on from the next tile would hit that edge. The rule of surface_contact.h holds for both tiles together: a normal is
/// valid at a point if no triangle there rises above the plane through the point across the normal.

#include <talus/narrowphase/triangles/triangle_set.h>

#include <cstdint>
#include <vector>

namespace talus::detail {

/// True if a triangle of the set goes through `point` (m), to `tolerance` (m), and rises above the plane through it
/// across `normal` (unit, from another surface to a shape). Triangles of one-sided sets that the shape comes to from
/// behind do not count. All is in the set's frame. `found` is scratch memory.
bool rises_at(const TriangleSet& set, const vec3& point, const vec3& normal, float tolerance,
              std::vector<std::uint32_t>& found);

}  // namespace talus::detail
