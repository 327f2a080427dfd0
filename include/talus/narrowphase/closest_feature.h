#pragma once
/// On which feature of each shape the closest points lie, taken from GJK's final simplex (Liu et al., section 3).

#include <talus/narrowphase/gjk.h>

#include <cstdint>
#include <span>

namespace talus {

/// The kind of feature that a closest point lies on.
enum class FeatureKind : std::uint8_t {
    none,    ///< no simplex, or one that encloses the origin: the shapes overlap
    vertex,  ///< the closest point is a vertex
    edge,    ///< it lies between two vertices, on an edge or on a diagonal of a face
    face,    ///< it lies between three vertices of a face
};

/// A feature of one shape, given by the vertices that span it. The closest point lies between them.
struct ClosestFeature {
    FeatureKind kind = FeatureKind::none;  ///< vertex, edge or face
    std::uint8_t count = 0;                ///< number of vertices, 0 to 3
    std::uint16_t vertices[3] = {};        ///< support indices (support.h), ascending
};

/// Returns the feature that these support indices span (0 to 4 of them, in any order, repeated or not).
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

/// The features of both shapes.
struct ClosestFeatures {
    ClosestFeature a;  ///< of shape A
    ClosestFeature b;  ///< of shape B
};

/// Returns the features on which the closest points lie, from the cache of a `gjk` query with the status `separated`.
/// Meant for polytopes; a point on the rim of a cylinder or cone counts as a vertex. There are no features if the
/// simplex has four vertices, because then it encloses the origin.
inline ClosestFeatures closest_features(const SimplexCache& cache) {
    if (cache.count > 3) return {};
    return {closest_feature({cache.a, cache.count}), closest_feature({cache.b, cache.count})};
}

}  // namespace talus
