#pragma once
/// The origins from which boxes are seen in float.
///
/// Floats resolve 2^-24 of their distance from the origin: 1 mm at 8 km, 1 m at 10,000 km. A box that is small for its
/// distance grows by the rounding (box_lanes.h), which costs time where boxes are close together, and nothing else. So
/// each crowd has an origin within it. The origins are places of boxes: a world that is moved has the same ones, moved,
/// and is searched in the same way.

#include <talus/broadphase/proxy.h>
#include "broadphase/columns/box_lanes.h"

#include <cstddef>
#include <span>
#include <vector>

namespace talus::detail {

inline constexpr std::size_t max_origins = 8;
inline constexpr float least_range = 8192.0f;  ///< an origin serves the boxes within this distance, m

/// Chooses origins for these boxes: one in a world of 16 km, or if the boxes are large enough for their distances; in
/// larger worlds one for each crowd that has a 32nd of the boxes or more, as long as there are not too many. `members`
/// must not be empty.
std::vector<Double4> choose_origins(std::span<const ProxyIndex> members, std::span<const WorldAabb> boxes);

/// The largest distance along an axis, m.
inline double distance_along_axes(const Double4& a, const Double4& b) {
    const Double4 d = a - b;
    const Double2 both = max(max(d.xy, -d.xy), max(d.zz, -d.zz));
    return both[0] > both[1] ? both[0] : both[1];
}

/// The index of the origin of a box with this lower corner.
inline std::size_t nearest_origin(std::span<const Double4> origins, const Double4& lower) {
    std::size_t nearest = 0;
    if (origins.size() == 1) return nearest;
    double least = distance_along_axes(origins[0], lower);
    for (std::size_t i = 1; i < origins.size(); ++i) {
        const double distance = distance_along_axes(origins[i], lower);
        nearest = distance < least ? i : nearest;
        least = distance < least ? distance : least;
    }
    return nearest;
}

}  // namespace talus::detail
