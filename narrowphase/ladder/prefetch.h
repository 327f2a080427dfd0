#pragma once
/// Internal: asks the processor for the data of a pair before its test needs it.

#include <talus/narrowphase/shape.h>
#include "narrowphase/shapes/hull_data.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace talus::detail {

/// Fetches the cache lines of `bytes` bytes.
inline void prefetch(const void* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(static_cast<const char*>(from) + i);
}

/// Fetches what support search and make_manifold will probably read of a hull, going by the hints.
inline void prefetch_hull(const Shape& shape, std::uint32_t face, std::uint32_t vertex) {
    if (shape.type != ShapeType::hull) return;
    const HullData& hull = data_of(*shape.hull);
    const std::size_t bytes = std::min<std::size_t>(hull.x.size() * sizeof(float), 128);
    prefetch(hull.x.data(), bytes);
    prefetch(hull.y.data(), bytes);
    prefetch(hull.z.data(), bytes);
    if (face < hull.faces.size()) prefetch(&hull.faces[face], sizeof(HullFace));
    if (vertex < hull.rings.size()) prefetch(&hull.rings[vertex], sizeof(HullRing));
}

}  // namespace talus::detail
