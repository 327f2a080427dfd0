#pragma once
/// Internal: the *supporting feature* of a shape for a contact normal. It is the face that contains the support point
/// and is best aligned with the normal; if there is none, an edge, a side line or a vertex. projected_feature.h says
/// what it is for.

#include <talus/narrowphase/shape.h>
#include "common/lanes/lanes.h"

#include <cstdint>

namespace talus::detail {

enum class SupportingFeatureKind : std::uint8_t { point, segment, polygon, disc };

/// A feature in its shape's own frame, on the true surface: radii are included.
struct SupportingFeature {
    SupportingFeatureKind kind = SupportingFeatureKind::point;
    std::uint16_t ids[2] = {};  ///< point and segment: their vertices; polygon of a hull: its support vertex first
    /// Hull: index; box: 2 * axis + negative; triangle: side; disc: 0 top, 1 base; mapping: code of the normal.
    std::uint32_t face = 0;
    float height = 0.0f;  ///< polygon, disc: of the whole shape along the direction of the search, m
    /// Segment: radius of the surface across the line at its ends, 0 for a sharp edge, m. Polygon of a mapping: the
    /// first one is the tilt of the directions that see its corners, rad.
    float curvature[2] = {};
    vec3 normal{0.0f};    ///< polygon, disc: outward, unit
    float offset = 0.0f;  ///< polygon, disc: dot(normal, x) = offset, m
    vec3 points[2] = {};  ///< point, segment: on the surface; disc: centre, and direction to its lowest rim point

    bool has_face() const { return kind == SupportingFeatureKind::polygon || kind == SupportingFeatureKind::disc; }
};

/// Returns the feature of `shape` that is farthest along the unit `direction` (shape frame). It always contains the
/// support point (rounded polytopes: to within tolerance::rounded_face). `vertex_hint` is where the search on a large
/// hull starts; any value is safe.
SupportingFeature supporting_feature(const Shape& shape, const vec3& direction, std::uint32_t vertex_hint);

/// The same in two steps, because often only the height is needed. The first step finds only the support vertex of a
/// hull or mapping; for other shapes it finds the feature.
struct FeatureSearch {
    void start(const Shape& shape, const vec3& direction, std::uint32_t vertex_hint);
    /// Fills in `feature`; `shape` and `direction` must be those passed to start().
    void finish(const Shape& shape, const vec3& direction) {
        static_assert(ShapeType::hull > ShapeType::cone && ShapeType::mapping > ShapeType::hull);
        if (shape.type >= ShapeType::hull) find_feature(shape, direction);
    }

    float height = 0.0f;        ///< of the whole shape along the direction, m
    SupportingFeature feature;  ///< after finish()

private:
    void find_feature(const Shape& shape, const vec3& direction);

    std::uint32_t vertex_ = 0;  ///< hull: the support vertex
    vec3 top_;                  ///< mapping: its core's support point
};

/// Sets the feature to the polygon of hull face `face`, which must exist; `height` stays as it is.
void set_hull_face(const Hull& hull, std::uint32_t face, SupportingFeature& feature);

}  // namespace talus::detail
