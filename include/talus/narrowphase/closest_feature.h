#pragma once
/// On which feature of each shape the closest points lie: what Liu et al. (section 3) read off the final simplex.

#include <talus/narrowphase/gjk.h>

#include <cstdint>
#include <span>

namespace talus {

enum class FeatureKind : std::uint8_t {
    none,    ///< no simplex, or one that encloses the origin: the shapes overlap
    vertex,  ///< the closest point is a vertex
    edge,    ///< it lies between two vertices, on an edge or on a diagonal of a face
    face,    ///< it lies between three vertices of a face
};

/// A feature of one shape, named by the vertices that carry the closest point.
struct ClosestFeature {
    FeatureKind kind = FeatureKind::none;
    std::uint8_t count = 0;          ///< of vertices: 0 to 3
    std::uint16_t vertices[3] = {};  ///< support indices (support.h), ascending
};

/// The feature that these support indices (0 to 4 of them, in any order, repeated or not) span.
inline ClosestFeature closest_feature(std::span<const std::uint16_t> indices) {
    ClosestFeature feature;
    for (const std::uint16_t index : indices) {
        int at = 0;
        while (at < feature.count && feature.vertices[at] < index) ++at;
        if (at < feature.count && feature.vertices[at] == index) continue;
        if (feature.count == 3) return {};
        for (int i = feature.count; i > at; --i) feature.vertices[i] = feature.vertices[i - 1];
        feature.vertices[at] = index;
        ++feature.count;
    }
    feature.kind = static_cast<FeatureKind>(feature.count);
    return feature;
}

struct ClosestFeatures {
    ClosestFeature a, b;
};

/// Of both shapes, from the cache that `gjk` left behind when it said `separated`. Meant for polytopes; a point on the
/// rim of a cylinder or cone counts as a vertex. Four vertex pairs enclose the origin: no features.
inline ClosestFeatures closest_features(const SimplexCache& cache) {
    if (cache.count > 3) return {};
    return {closest_feature({cache.a, cache.count}), closest_feature({cache.b, cache.count})};
}

}  // namespace talus
