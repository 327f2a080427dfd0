#pragma once
/// The origins from which boxes are seen in float.
///
/// Floats resolve 2^-24 of their distance from the origin: 1 mm at 8 km, 1 m at 10,000 km. A box that is small for its
/// distance grows by the rounding (box_lanes.h), which costs time where boxes are close together, and nothing else. So
/// each crowd has an origin within it. The origins are places of boxes: a world that is moved has the same ones, moved,
/// and is searched in the same way.

#include <talus/broadphase/proxy.h>

#include <cstddef>
#include <span>
#include <vector>

namespace talus::detail {

inline constexpr std::size_t max_origins = 8;

/// Chooses origins for these boxes: one in a world of 16 km, or if the boxes are large enough for their distances; in
/// larger worlds one for each crowd that has a 32nd of the boxes or more, as long as there are not too many. `members`
/// must not be empty.
std::vector<dvec3> choose_origins(std::span<const ProxyIndex> members, std::span<const WorldAabb> boxes);

/// The largest distance along an axis, m.
inline double distance_along_axes(const dvec3& a, const dvec3& b) {
    const dvec3 d = glm::abs(a - b);
    return d.x > d.y ? (d.x > d.z ? d.x : d.z) : (d.y > d.z ? d.y : d.z);
}

/// The index of the origin of a box with this lower corner.
inline std::size_t nearest_origin(std::span<const dvec3> origins, const dvec3& lower) {
    std::size_t nearest = 0;
    double least = 0.0;
    for (std::size_t i = 0; i < origins.size() && origins.size() > 1; ++i) {
        const double distance = distance_along_axes(origins[i], lower);
        if (i != 0 && !(distance < least)) continue;
        nearest = i;
        least = distance;
    }
    return nearest;
}

}  // namespace talus::detail
