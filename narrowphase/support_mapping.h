#pragma once
/// The open set of convex shapes: anything that can say which of its points is farthest along a direction.
///
/// `Shape` is the closed set that bodies are made of. Here is the other one: images under any affine map, Minkowski sums,
/// hulls of collections, point clouds that span no volume, and what users write themselves, all composable (Jovanoski
/// 2008, section 4). Distance, depth, ray and shape casts work on them alike.

#include <talus/narrowphase/epa.h>

#include <glm/vec3.hpp>

namespace talus {

using glm::dvec3;

/// A convex set, by its support mapping. In double, so that compositions lose nothing that floats had.
class SupportMapping {
public:
    virtual ~SupportMapping() = default;

    /// A point of the set that is farthest along `direction` (any length but zero).
    virtual dvec3 support(const dvec3& direction) const = 0;

    /// True when every support point is one of finitely many: then distance and depth are exact, not to a tolerance.
    virtual bool is_polytope() const { return false; }
};

/// Signed distance between two convex sets that stand in one frame: as `separation` of shapes, without a cache.
SeparationResult separation(const SupportMapping& a, const SupportMapping& b,
                            float max_separation = std::numeric_limits<float>::infinity());

}  // namespace talus
