#pragma once
/// Internal: the supporting feature of a support mapping, which names no faces: it is found from support points along
/// directions beside the contact normal.
///
/// Where a surface is curved with a radius R, a direction that is tilted by a small angle e has its support point R e
/// away. Where the surface has a facet, that point is on the facet's far side, however small e is. So a ring of tilted
/// directions finds the facet's corners, and its ends if it is only a line. Points that lie off the plane through them
/// belong to another part of the surface and are dropped. The plane itself is a support plane.
///
/// A surface so nearly flat that the ring's plane is within `mapping_flatness` of it counts as a facet: its points are
/// as far apart as the curved body would rock. If it is not as flat, smaller rings are tried.

#include "narrowphase/support/supporting_feature.h"

#include <talus/narrowphase/mapping_solid.h>

#include <cstdint>

namespace talus::detail {

/// Directions of a ring, and so the greatest number of corners of a facet.
inline constexpr int mapping_ring = 16;

/// The corners of a facet, on the core, counter-clockwise seen from outside, each with the number of its direction.
struct MappingFacet {
    int count = 0;
    vec3 points[mapping_ring];
    std::uint16_t ids[mapping_ring];
};

/// Returns the feature of the solid along the unit `direction` (shape frame), where `top` is its core's support point:
/// a polygon if it has a facet there, a segment, or a point.
SupportingFeature mapping_feature(const MappingSolid& solid, const vec3& direction, const vec3& top);

inline constexpr int most_points_around = 4;

/// Finds other points of the surface that a body may touch with soon, if it touches with the support point along the unit
/// `direction` (shape frame), and returns their number:
///
///     on a gently curved dome           around it, in directions tilted by tolerance::mapping_tilt
///     at the round edge of a flat part  on the far side of that part, in directions tilted by mapping_far_tilt
///
/// With one point alone, the body would rotate past all of the dome, or onto the far side, in a step. Finds none on
/// ellipsoids, which are curved everywhere.
int mapping_points_around(const MappingSolid& solid, const vec3& direction, vec3 (&points)[most_points_around]);

/// Finds the corners of the facet with the normal `normal` (unit, shape frame), seen along directions that are tilted
/// by `tilt` (rad).
MappingFacet mapping_facet(const MappingSolid& solid, const vec3& normal, float tilt);

}  // namespace talus::detail
