#pragma once
/// Internal: contact points of a solid of any shape with a convex shape that may be round, by the solid's features: what
/// feature_contacts.h does for two surfaces.
///
///     vertex v     the nearest point of the shape, if the normal there lies in the region of v
///     edge e       the nearest points, if they are between the ends of e and the normal lies between those of its faces
///     face f       the feature of the shape that is farthest against the normal of f, where it is over f
///
/// A shape can have faces, too (the caps of a cylinder, the sides of a rounded box). Where one of them touches, edges
/// that cross its rim have points there: so a bar that lies across a cylinder's cap is held at both sides.
///
/// The signed distance from a convex set is a convex function of the point (it is the largest of the distances from its
/// supporting planes). So an edge has one place that is nearest to the shape, or deepest in it, and its two ends tell
/// whether that is between them.

#include <talus/narrowphase/profile.h>
#include <talus/narrowphase/shape.h>
#include <talus/narrowphase/triangles/triangle_set.h>
#include "narrowphase/nonconvex/feature_contacts.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace talus::detail {

/// The features of a solid, A, that can touch a convex shape, B, while the two move by little.
class RoundCandidates {
public:
    /// Finds the features within `reach` (m) of the shape.
    void find(const TriangleSet& solid, const Shape& shape, const MatrixTransform& shape_in_solid, float reach);
    void clear();
    /// Appends the contact points at this pose with a separation of at most `margin` (m), the deepest ones last. Of
    /// `limits`, `turn_ahead`, `sure` and `room` count.
    void evaluate(const TriangleSet& solid, const Shape& shape, const MatrixTransform& shape_in_solid, float margin,
                  const FeatureLimits& limits, std::vector<FeaturePoint>& points);
    std::size_t size() const { return vertices_.size() + edges_.size() + faces_.size(); }
    /// Returns what find() looked at since the last call.
    FeatureCounts take_counts() { return std::exchange(counts_, {}); }
    std::size_t bytes() const { return size() * sizeof(std::uint32_t); }

private:
    class Evaluation;

    std::vector<std::uint32_t> vertices_, edges_, faces_;  ///< indices in the solid's features, ascending
    FeatureCounts counts_;
};

/// The signed distance of a point from a convex shape.
struct ShapeDistance {
    float separation;  ///< negative inside, m
    vec3 normal;       ///< unit, from the shape to the point
    vec3 on_shape;     ///< the nearest point of the shape's surface, m
};
/// Returns that of a point in the shape's frame (m).
ShapeDistance distance_from_shape(const Shape& shape, const vec3& point);

}  // namespace talus::detail
