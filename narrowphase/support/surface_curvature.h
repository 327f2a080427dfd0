#pragma once
/// Internal: how the point of a shape that touches moves over its surface as the normal there changes.
///
/// The tensor of the radii of curvature says how far the point with the outward normal n moves if n changes by a small
/// vector along the tangents: R dn. It is 0 at a corner, r on a ball. Across an edge it is 0, along it infinite; at a
/// face it is infinite. A radius swept around a core adds itself to the core's radii. These functions are about cores.

#include <talus/narrowphase/shape.h>

namespace talus::detail {

/// A symmetric tensor in a plane, in the axes of two tangents.
struct PlaneTensor {
    double xx = 0.0, xy = 0.0, yy = 0.0;
};

/// True if `normal` (unit, shape frame) is across a face of the shape or a cap, to rounding.
bool is_across_face(const Shape& shape, const vec3& normal);

/// Returns the radii of curvature of a core where its outward normal is `out`, m, in the axes of two unit tangents (all
/// in the shape's frame). Infinite ones are large: the length of the edge or face times 500.
PlaneTensor core_curvature(const Shape& shape, const vec3& out, const vec3& tangent_1, const vec3& tangent_2);

/// The same in the direction `across` alone (unit, shape frame), m.
double core_curvature_along(const Shape& shape, const vec3& out, const vec3& across);

/// True if the point of a core that touches a face may move over the core. The point of a polytope or capsule stays: it
/// is a corner, or the end of an edge.
inline bool has_curved_core(ShapeType type) {
    return type == ShapeType::cylinder || type == ShapeType::cone || type == ShapeType::mapping;
}

/// Returns how far the farthest point of a polytope moves along `change` if its outward normal `out` changes by that, as
/// half of the way from out - change to out + change, m. Zero if it passes fewer than two edges on that way: then the
/// polytope is a corner or an edge, and not round. `farthest(direction)`: a point of the polytope.
template <class Farthest>
vec3 moved_over_facets(const Farthest& farthest, const vec3& out, const vec3& change) {
    const float size2 = length_squared(change);
    if (!(size2 > 0.0f)) return vec3(0.0f);
    const vec3 before = farthest(out - change), at = farthest(out), after = farthest(out + change);
    const float way = glm::dot(after - before, change), to_middle = glm::dot(at - before, change);
    // Corners of one edge are not exactly at right angles to the change.
    constexpr float least = 0.05f;
    if (!(to_middle > least * way && way - to_middle > least * way)) return vec3(0.0f);
    return 0.5f * way / size2 * change;
}

/// The same for a hull (in its frame).
vec3 moved_over_facets(const Shape& hull, const vec3& out, const vec3& change);

/// Returns how far `point` of the core moves if the outward normal there, `out`, changes by `change` (all in the
/// shape's frame, m). Zero unless has_curved_core().
vec3 moved_over_core(const Shape& shape, const vec3& point, const vec3& out, const vec3& change);

}  // namespace talus::detail
