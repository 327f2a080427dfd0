#pragma once
/// Rays, moving shapes, overlaps and nearest points against sets of triangles, in the set's frame.
///
/// /// From behind, a one-sided set lets everything pass: a ray in the direction of a triangle's normal misses the
/// triangle, and so does a moving shape whose middle is behind the triangle's plane at the start. Overlaps and nearest
/// points do not depend on sides.

#include <talus/narrowphase/shape_cast.h>
#include <talus/narrowphase/triangles/triangle_set.h>

#include <limits>

namespace talus {

struct TriangleRayHit {
    bool hit = false;
    float fraction = 1.0f;       ///< along the translation, 0 to 1
    vec3 normal{0.0f};           ///< of the triangle, unit, against the ray
    std::uint32_t triangle = 0;  ///< of the set
};

/// The first triangle that the ray `origin + t * translation`, 0 <= t <= 1, meets. No ray slips through an edge or a
/// corner between triangles (Woop, Benthin and Wald 2013, "Watertight ray/triangle intersection", in double). A zero
/// translation and anything not finite misses.
TriangleRayHit ray_cast(const TriangleSet& set, const vec3& origin, const vec3& translation);

struct TriangleCastResult {
    ShapeCastResult cast;        ///< A is the set; the normal is a triangle's where an edge inside the surface was met
    std::uint32_t triangle = 0;  ///< of the set
    explicit operator bool() const { return static_cast<bool>(cast); }
};

/// /// As shape_cast() of two shapes (shape_cast.h): returns the triangle that the shape reaches first; of those that
/// it touches at the start, the one with the deepest overlap.
TriangleCastResult shape_cast(const TriangleSet& set, const Shape& shape, const Frame& shape_in_set,
                              const vec3& translation, float target_distance = 0.0f);

/// True if the shape touches a triangle. False if the shape has no hull or a negative size, or the pose is not finite.
bool overlaps(const TriangleSet& set, const Shape& shape, const Frame& shape_in_set);

struct NearestOnTriangles {
    bool found = false;  ///< within the distance asked for
    vec3 point{0.0f};    ///< on the surface, m
    float distance = 0.0f;
    std::uint32_t triangle = 0;
};

/// The point of the surface nearest to `point`. Nothing is found if `point` is not finite or the distance is negative
/// or NaN.
NearestOnTriangles nearest(const TriangleSet& set, const vec3& point,
                           float max_distance = std::numeric_limits<float>::infinity());

}  // namespace talus
