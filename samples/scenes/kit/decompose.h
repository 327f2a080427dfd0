#pragma once
/// Convex parts for bodies that are not convex: an approximation by cuts, made before a scene begins.
///
/// A mesh is cut by planes along the axes, each time where the hulls of the two halves are smallest together, until
/// there are enough parts or none is worth a cut. What the hulls hold beyond the mesh is the price: it is said beside
/// the parts. (No library for it is packaged for Debian; V-HACD and CoACD do better.)

#include <talus/narrowphase/hull.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace talus::samples {

struct Decomposition {
    std::vector<std::shared_ptr<const Hull>> parts;
    float volume = 0.0f;  ///< of all parts together, m^3; where they overlap twice
};

/// Of a mesh by indexed triangles (three indices each). `most_parts` at least 1; a cut must take `least_gain` (0 to 1) of
/// a part's hull away. Refused: what make_hull refuses.
Result<Decomposition> decompose(std::span<const vec3> points, std::span<const std::uint32_t> triangles,
                                std::size_t most_parts, float least_gain = 0.03f);

}  // namespace talus::samples
