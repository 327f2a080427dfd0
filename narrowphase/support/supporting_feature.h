#pragma once
/// Internal: the *supporting feature* of a shape for a contact normal: the face that looks most along the normal and
/// contains the support point, or an edge, a side line or a vertex where no face does. projected_feature.h says what it
/// is for.

#include <talus/narrowphase/shape.h>
#include "common/lanes.h"

#include <cstdint>

namespace talus::detail {

enum class SupportingFeatureKind : std::uint8_t { point, segment, polygon, disc };

/// A feature in its shape's own frame. Its surface is the true one: radii are in it.
struct SupportingFeature {
    SupportingFeatureKind kind = SupportingFeatureKind::point;
    std::uint16_t ids[2] = {};  ///< point and segment: their vertices; polygon of a hull: its support vertex first
    std::uint32_t face = 0;     ///< hull: index; box: 2 * axis + negative; triangle: side; disc: 0 top, 1 base
    float height = 0.0f;        ///< polygon, disc: of the whole shape along the direction that was asked for, m
    float curvature[2] = {};    ///< segment: radius of the surface across the line at its ends, 0 for a sharp edge, m
    vec3 normal{0.0f};          ///< polygon, disc: outward, unit
    float offset = 0.0f;        ///< polygon, disc: dot(normal, x) = offset, m
    vec3 points[2] = {};        ///< point, segment: on the surface; disc: centre, and direction to its lowest rim point

    bool has_face() const { return kind == SupportingFeatureKind::polygon || kind == SupportingFeatureKind::disc; }
};

/// The feature of `shape` that is farthest along the unit `direction` (shape frame). It always contains the support
/// point (rounded triangles: to within tolerance::rounded_face). `vertex_hint` is where the search on a large hull
/// starts; any value is safe.
SupportingFeature supporting_feature(const Shape& shape, const vec3& direction, std::uint32_t vertex_hint);

/// The same in two steps, because the height is often all that is asked for: a hull is only searched for its support
/// vertex at first, for the other shapes the feature is found at once.
struct FeatureSearch {
    void start(const Shape& shape, const vec3& direction, std::uint32_t vertex_hint);
    /// Fills in `feature`; `shape` and `direction` as before.
    void finish(const Shape& shape, const vec3& direction);

    float height = 0.0f;        ///< of the whole shape along the direction, m
    SupportingFeature feature;  ///< after finish()

private:
    std::uint32_t vertex_ = 0;  ///< hull: the support vertex
};

/// The polygon of hull face `face`, which must exist; without `height`.
void set_hull_face(const Hull& hull, std::uint32_t face, SupportingFeature& feature);

}  // namespace talus::detail
