#pragma once
/// Internal: supporting features projected onto the contact plane.
///
/// A manifold is the overlap of two projections. For a contact normal n, the supporting feature of each shape
/// (supporting_feature.h) is projected along n onto the plane (u, v) at right angles to n. The projection is a point, a
/// segment, a convex polygon or a disc, with its height above the plane as an affine function of (u, v):
///
///          n
///     B  \_|___/      height_b(u, v)          separation(u, v) = height_b - height_a
///          |
///     A  __|_____     height_a(u, v)          contact region   = projection of A's feature  x  projection of B's
///          +----> u
///
/// So nothing depends on which shape is the reference, separations along n are exact for faces at any angle to n, and
/// each pair of kinds needs one overlap routine (clip.h), not each pair of shapes.

#include "common/lanes/float4.h"
#include "narrowphase/support/supporting_feature.h"

#include <cstdint>

namespace talus::detail {

/// Takes points and directions from a shape's frame to the contact's axes u, v and n. Lanes 0 to 2 of `axis[i]` are the
/// components u[i], v[i], n[i] of these axes in the shape's frame. So the coordinates (u.p, v.p, n.p) of a point p are
/// those lanes of p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2] + origin.
struct View {
    Float4 axis[3];
    Float4 origin;
    bool mirrored;  ///< seen from inside (shape B): polygons run in the opposite direction

    Float4 turn(const vec3& d) const { return d.x * axis[0] + d.y * axis[1] + d.z * axis[2]; }
    Float4 place(const vec3& p) const { return turn(p) + origin; }
};

inline constexpr int max_projected_corners = 64;  ///< faces with more are thinned out, see supporting_feature.cpp
inline constexpr int rim_points = 16;  ///< sample points on a disc's rim; the first four are 90 degrees apart

/// A feature's projection on the contact plane. Polygons run counter-clockwise. Members that `kind` does not use are
/// uninitialised.
struct ProjectedFeature {
    SupportingFeatureKind kind;
    int count;             ///< corners; of a disc: rim points
    float h0, gx, gy;      ///< height along n at (x, y) is h0 + gx * x + gy * y
    float curvature[2];    ///< segment: as in SupportingFeature
    float sharpness;       ///< polygon: sine of its sharpest corner, 1 if that is 60 degrees or more
    float cx, cy, radius;  ///< disc
    /// Corners or rim points, then copies of corner 0 to the end of the last group of 4, and one more.
    alignas(16) float x[max_projected_corners + 8];
    alignas(16) float y[max_projected_corners + 8];
    std::uint16_t vertex[max_projected_corners];  ///< the number of each corner in its shape

    float height(float px, float py) const { return h0 + gx * px + gy * py; }
    bool has_area() const { return kind == SupportingFeatureKind::polygon || kind == SupportingFeatureKind::disc; }
};

/// Sets `projected` to the projection of `feature`.
void project(const Shape& shape, const SupportingFeature& feature, const View& view, ProjectedFeature& projected);

/// Sets `projected` to the projection of the segment between two points that are given in view coordinates.
void make_segment(const vec3& p0, const vec3& p1, std::uint16_t id0, std::uint16_t id1, const float (&curvature)[2],
                  ProjectedFeature& projected);

/// A corner of a feature, or one of four points of a disc's rim, in the shape's frame.
struct FeatureCorner {
    vec3 at;
    std::uint16_t number;  ///< of the corner in its shape
};
/// Sets `corners` to those of a feature that is farthest along the unit `out` (shape frame), counter-clockwise as seen
/// from outside, and returns their number.
int corners_of(const Shape& shape, const SupportingFeature& feature, const vec3& out,
               FeatureCorner (&corners)[max_projected_corners]);

/// Returns the polygon of a disc's rim points. Its edges are up to 1 - cos(pi / 16) = 1.9% of the radius inside the
/// rim.
ProjectedFeature disc_to_polygon(const ProjectedFeature& disc);

}  // namespace talus::detail
