#pragma once
/// Rays, moving shapes, overlaps and nearest points against sets of triangles, in the set's frame.
///
/// A one-sided set lets everything pass from behind: a ray in the direction of a triangle's normal misses the triangle,
/// and so does a moving shape whose centre is behind the triangle's plane at the start. Overlaps and nearest points do
/// not depend on sides.

#include <talus/narrowphase/shape_cast.h>
#include <talus/narrowphase/triangles/triangle_set.h>

#include <limits>

namespace talus {

/// Returns the first triangle that the ray `origin + t * translation`, 0 <= t <= 1, meets. No ray slips through an edge
/// or a corner between triangles (Woop, Benthin and Wald 2013, "Watertight ray/triangle intersection", in double). A
/// ray with a zero translation or a number that is not finite meets nothing.
TriangleRayHit ray_cast(const TriangleSet& set, const vec3& origin, const vec3& translation);

/// How far a shape can move, and which triangle it touches.
struct TriangleCastResult {
    /// A is the set. If the shape meets an edge inside the surface, the normal is the normal of a triangle.
    ShapeCastResult cast;
    std::uint32_t triangle = 0;                                         ///< the number of the triangle in the set
    explicit operator bool() const { return static_cast<bool>(cast); }  ///< true if a triangle stops the shape
};

/// Returns the triangle that a moving shape reaches first, as shape_cast() of two shapes does (shape_cast.h). If the
/// shape touches triangles at the start, returns the one that it penetrates most.
TriangleCastResult shape_cast(const TriangleSet& set, const Shape& shape, const MatrixTransform& shape_in_set,
                              const vec3& translation, float target_distance = 0.0f);

/// Returns whether the shape touches a triangle. False if the shape has no hull or a negative size, or the pose is not
/// finite.
bool overlaps(const TriangleSet& set, const Shape& shape, const MatrixTransform& shape_in_set);

/// The point of a surface that is nearest to a given point.
struct NearestOnTriangles {
    bool found = false;          ///< whether there is one within the greatest distance
    vec3 point{0.0f};            ///< on the surface, m
    float distance = 0.0f;       ///< from the given point, m
    std::uint32_t triangle = 0;  ///< the number of the triangle in the set
};

/// Returns the point of the surface nearest to `point`. Nothing is found if `point` is not finite, or if `max_distance`
/// (m) is negative or NaN.
NearestOnTriangles nearest(const TriangleSet& set, const vec3& point,
                           float max_distance = std::numeric_limits<float>::infinity());

}  // namespace talus
