#pragma once
/// Quickhull (Barber, Dobkin, Huhdanpaa 1996): the triangulated convex hull of a cloud of points.
///
/// Why not plain floating point: a hull builder dies of one wrong sign. A point that rounding puts above one of two
/// coplanar triangles and below the other gives a horizon that is no loop, and from there on repairs breed repairs. So
/// every decision about *topology* is exact here: the cloud is laid on an integer grid of 2^30 steps along each axis (a
/// thousandth of the tolerance below), and "is this point above that triangle" is a 3 x 3 determinant of integers,
/// settled in double when it is clearly not zero and in 128 bits when it is not. Ties are real ties; the mesh is a
/// closed, strictly oriented surface at every moment, for any input.
///
/// Decisions about *worth* are in double: a point becomes a vertex only while it stands more than a tolerance above
/// some triangle, the farthest point of all first. That is what keeps the noise of nearly flat faces out of the hull.
///
/// The tolerance is a box, because float rounding is one: so much along x, so much along y, so much along z. We divide
/// each coordinate by it; in these *tolerance units* a plane n.x = d is one unit thick when |nx| + |ny| + |nz| = 1.
/// Convexity doesn't mind the stretching, and needles and plates along the axes become ordinary clouds.
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

/// And as a part of the largest coordinate along it: four units in the last place of a float, since that is how
/// well a cloud far from its origin knows its own shape.
inline constexpr double tolerance_of_coordinate = 4.0 / 8388608.0;

/// A cloud is flat when all its points lie within this part of its largest extent of one plane (no unit), or within
/// `flat_tolerances` tolerance units. Smaller: hulls whose volume and inertia are rounding noise.
inline constexpr double flat_of_extent = 1e-6;
inline constexpr double flat_tolerances = 4.0;

/// The points twice over: integers for the exact tests, the same places in tolerance units for measuring.
struct Cloud {
    struct GridPoint {
        std::int32_t x, y, z;
    };
    std::vector<GridPoint> grid;
    std::vector<glm::dvec3> points;  ///< tolerance units, about the middle of the cloud's box
    glm::dvec3 tolerance{1.0};       ///< a tolerance unit along each axis, m
    glm::dvec3 grid_step{1.0};       ///< a grid step along each axis, tolerance units
    double extent = 0.0;             ///< the largest of the three, m

    /// A vector at right angles to a plane (an area) in tolerance units, turned into one in metres.
    glm::dvec3 area_in_metres(const glm::dvec3& area) const {
        return area * glm::dvec3(tolerance.y * tolerance.z, tolerance.z * tolerance.x, tolerance.x * tolerance.y);
    }
};

/// Checks the points (finite, within size_limits.h, with some extent along each axis) and lays them on the grid.
Result<Cloud> make_cloud(std::span<const vec3> points);

/// Counter-clockwise seen from outside; neighbour[i] lies across the edge from vertex[i] to vertex[(i + 1) % 3].
struct Triangle {
    Index vertex[3];     ///< into the cloud
    Index neighbour[3];  ///< into the mesh
    glm::dvec3 area;     ///< outward, in tolerance units: exact but for its last rounding, for slivers too
};
using TriangleMesh = std::vector<Triangle>;

/// The hull of the cloud's points named in `subset` (ascending). All of them lie at most `tolerance` units above each
/// triangle's plane. Refused: fewer than 4 points, or all of them on one plane.
Result<TriangleMesh> quickhull(const Cloud& cloud, std::span<const Index> subset, double tolerance);

}  // namespace talus::hull_builder
