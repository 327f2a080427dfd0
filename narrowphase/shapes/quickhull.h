#pragma once
/// Quickhull (Barber, Dobkin, Huhdanpaa 1996): the triangulated convex hull of a cloud of points.
///
/// Plain floating point is not enough, because one wrong sign breaks a hull builder. If rounding puts a point above one
/// of two coplanar triangles and below the other, the horizon is no loop, and each repair makes others necessary. So
/// every decision about *topology* is exact here. The points are moved to an integer grid of 2^30 steps along each axis
/// (a step is a thousandth of the tolerance below). Whether a point is above a triangle is the sign of a 3 x 3
/// determinant of integers. It is computed in double if that is clearly not zero, and else in 128 bits. Ties are real
/// ties, and the mesh is a closed, strictly oriented surface at all times, for any input.
///
/// Decisions about *size* are in double: a point becomes a vertex only if it is more than a tolerance above some
/// triangle, and the farthest point of all goes first. This keeps the noise of nearly flat faces out of the hull.
///
/// The tolerance differs along x, y and z, because float rounding does. Each coordinate is divided by its tolerance; in
/// these *tolerance units* a plane n.x = d is one unit thick if |nx| + |ny| + |nz| = 1. The scaling does not affect
/// convexity, and needles and plates along the axes become ordinary clouds.
///
/// Cost: O(n log n) in practice, 6 triangles made per vertex; see the table in hull.cpp.

#include <talus/math.h>
#include <talus/result.h>

#include <cstdint>
#include <span>
#include <vector>

namespace talus::hull_builder {

using Index = std::uint32_t;
inline constexpr Index none = 0xffffffffu;

/// The builder's tolerance along an axis, as a part of the cloud's extent along it (no unit). Smaller: float noise on
/// flat faces makes slivers and stray vertices. Larger: details of that size are flattened.
inline constexpr double tolerance_of_extent = 1e-6;

/// This fraction of the largest coordinate along the axis is added: four units in the last place of a float, because
/// the points of a cloud far from its origin are no more accurate than that.
inline constexpr double tolerance_of_coordinate = 4.0 / 8388608.0;

/// A cloud is flat when all its points lie within this part of its largest extent of one plane (no unit), or within
/// `flat_tolerances` tolerance units. Smaller: hulls whose volume and inertia are rounding noise.
inline constexpr double flat_of_extent = 1e-6;
inline constexpr double flat_tolerances = 4.0;

/// The points in two forms: integers for the exact tests, and in tolerance units for measuring.
struct Cloud {
    struct GridPoint {
        std::int32_t x, y, z;
    };
    std::vector<GridPoint> grid;
    std::vector<glm::dvec3> points;  ///< tolerance units, about the middle of the cloud's box
    glm::dvec3 tolerance{1.0};       ///< a tolerance unit along each axis, m
    glm::dvec3 grid_step{1.0};       ///< a grid step along each axis, tolerance units
    double extent = 0.0;             ///< the largest of the three, m

    /// Converts an area vector (at right angles to a plane) from tolerance units to m^2.
    glm::dvec3 area_in_metres(const glm::dvec3& area) const {
        return area * glm::dvec3(tolerance.y * tolerance.z, tolerance.z * tolerance.x, tolerance.x * tolerance.y);
    }
};

/// Checks the points (finite, within size_limits.h, with some extent along each axis) and moves them to the grid.
Result<Cloud> make_cloud(std::span<const vec3> points);

/// A triangle, counter-clockwise seen from outside; neighbour[i] lies across the edge from vertex[i] to
/// vertex[(i + 1) % 3].
struct Triangle {
    Index vertex[3];     ///< into the cloud
    Index neighbour[3];  ///< into the mesh
    glm::dvec3 area;     ///< outward, in tolerance units: exact except for its last rounding, even for thin triangles
};
using TriangleMesh = std::vector<Triangle>;

/// Returns the hull of the cloud's points whose indices are in `subset` (ascending). All of them lie at most
/// `tolerance` units above each triangle's plane. Refused: fewer than 4 points, or all of them in one plane.
Result<TriangleMesh> quickhull(const Cloud& cloud, std::span<const Index> subset, double tolerance);

}  // namespace talus::hull_builder
