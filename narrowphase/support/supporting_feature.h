#pragma once
/// Internal: the part of a shape that faces a contact, and its shadow on the contact plane.
///
/// A manifold is the overlap of two shadows. For a contact normal n, each shape offers its *supporting feature*: the
/// face that looks most along n and contains the support point, or an edge, a side line, a vertex where no face does.
/// The feature is projected along n onto the plane (u, v) at right angles to n; there it is a point, a segment, a
/// convex polygon or a disc, with its height above the plane as an affine function of (u, v):
///
///          n
///     B  \_|___/      height_b(u, v)          separation(u, v) = height_b - height_a
///          |
///     A  __|_____     height_a(u, v)          contact region   = shadow of A's feature  x  shadow of B's feature
///          +----> u
///
/// So nothing depends on which shape is the reference, separations along n are exact for faces at any angle to n, and
/// each pair of kinds needs one overlap routine (clip.h), not each pair of shapes.

#include <talus/narrowphase/shape.h>
#include "common/lanes.h"

#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace talus::detail {

// What the vector extensions lack, or compilers do not find in them.
inline Float4 load_lanes(const float* p) {
    Float4 v;
    std::memcpy(&v, p, sizeof v);
    return v;
}
#ifdef __SSE2__
inline Float4 min_lanes(Float4 a, Float4 b) { return _mm_min_ps(a, b); }
inline Float4 max_lanes(Float4 a, Float4 b) { return _mm_max_ps(a, b); }
/// A bit a lane that is true (all ones).
inline unsigned lane_bits(Int4 lanes) { return static_cast<unsigned>(_mm_movemask_ps((Float4)lanes)); }
#else
inline Float4 min_lanes(Float4 a, Float4 b) { return a < b ? a : b; }
inline Float4 max_lanes(Float4 a, Float4 b) { return a > b ? a : b; }
inline unsigned lane_bits(Int4 l) { return static_cast<unsigned>((l[0] & 1) | (l[1] & 2) | (l[2] & 4) | (l[3] & 8)); }
#endif

enum class FeatureKind : std::uint8_t { point, segment, polygon, disc };

/// A feature in its shape's own frame. Its surface is the true one: radii are in it.
struct Feature {
    FeatureKind kind = FeatureKind::point;
    std::uint16_t ids[2] = {};  ///< point and segment: their vertices; polygon of a hull: its support vertex first
    std::uint32_t face = 0;     ///< hull: index; box: 2 * axis + negative; triangle: side; disc: 0 top, 1 base
    float height = 0.0f;        ///< polygon, disc: of the whole shape along the direction that was asked for, m
    float curvature[2] = {};    ///< segment: radius of the surface across the line at its ends, 0 for a sharp edge, m
    vec3 normal{0.0f};          ///< polygon, disc: outward, unit
    float offset = 0.0f;        ///< polygon, disc: dot(normal, x) = offset, m
    vec3 points[2] = {};        ///< point, segment: on the surface; disc: centre, and direction to its lowest rim point

    bool has_face() const { return kind == FeatureKind::polygon || kind == FeatureKind::disc; }
};

/// The feature of `shape` that is farthest along the unit `direction` (shape frame). It always contains the support
/// point (rounded triangles: to within tolerance::rounded_face). `vertex_hint` is where the search on a large hull
/// starts; any value is safe.
Feature supporting_feature(const Shape& shape, const vec3& direction, std::uint32_t vertex_hint);

/// The same in two steps, because the height is often all that is asked for: a hull is only searched for its support
/// vertex at first, for the other shapes the feature is found at once.
struct FeatureSearch {
    void start(const Shape& shape, const vec3& direction, std::uint32_t vertex_hint);
    /// Fills in `feature`; `shape` and `direction` as before.
    void finish(const Shape& shape, const vec3& direction);

    float height = 0.0f;  ///< of the whole shape along the direction, m
    Feature feature;      ///< after finish()

private:
    std::uint32_t vertex_ = 0;  ///< hull: the support vertex
};

/// The polygon of hull face `face`, which must exist; without `height`.
void set_hull_face(const Hull& hull, std::uint32_t face, Feature& feature);

/// How a shape's frame is seen from the contact. Lanes 0 to 2 of `axis[i]` are the components u[i], v[i], n[i] of the
/// contact's axes in the shape's frame, so the coordinates (u.p, v.p, n.p) of a point p are those lanes of
/// p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2] + origin.
struct View {
    Float4 axis[3];
    Float4 origin;
    bool mirrored;  ///< seen from inside (shape B): polygons run the other way round

    Float4 turn(const vec3& d) const { return d.x * axis[0] + d.y * axis[1] + d.z * axis[2]; }
    Float4 place(const vec3& p) const { return turn(p) + origin; }
};

inline constexpr int max_patch_corners = 64;  ///< faces with more are thinned out, see supporting_feature.cpp
inline constexpr int rim_points = 16;  ///< sample points on a disc's rim; the first four are a quarter turn apart

/// A feature's shadow on the contact plane. Polygons run counter-clockwise. Left uninitialised beyond what `kind` uses.
struct Patch {
    FeatureKind kind;
    int count;             ///< corners; of a disc: rim points
    float h0, gx, gy;      ///< height along n at (x, y) is h0 + gx * x + gy * y
    float curvature[2];    ///< segment: as in Feature
    float sharpness;       ///< polygon: sine of its sharpest corner, 1 when that is 60 degrees or more
    float cx, cy, radius;  ///< disc
    /// Corners or rim points, then corner 0 again until the end of the last group of 4 and once more.
    alignas(16) float x[max_patch_corners + 8];
    alignas(16) float y[max_patch_corners + 8];
    std::uint16_t vertex[max_patch_corners];  ///< the number of each corner in its shape

    float height(float px, float py) const { return h0 + gx * px + gy * py; }
    bool has_area() const { return kind == FeatureKind::polygon || kind == FeatureKind::disc; }
};

/// `patch` becomes the shadow of `feature`.
void project(const Shape& shape, const Feature& feature, const View& view, Patch& patch);

/// `patch` becomes the shadow of the segment between two points that are given in view coordinates.
void make_segment(const vec3& p0, const vec3& p1, std::uint16_t id0, std::uint16_t id1, const float (&curvature)[2],
                  Patch& patch);

/// The polygon of a disc's rim points. What it loses of the radius is 1 - cos(pi / 16) = 1.9%.
Patch disc_to_polygon(const Patch& disc);

}  // namespace talus::detail
