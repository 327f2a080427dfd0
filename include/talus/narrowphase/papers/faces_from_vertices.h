#pragma once
/// The faces and edges of a convex polyhedron from its vertices alone, as in the appendix of Liu, Chien, Shiang and
/// Lee: every triple of vertices is a candidate, and it is a face if all vertices lie on the centroid's side of its
/// plane. The method shares no idea with quickhull, so it serves as an oracle for make_hull, and to check the paper's
/// remark on its cost. To make hulls, use make_hull.
///
///     triples    whose plane has no vertex beyond it, and the centroid not on it    IsFace: O(n) for each of n^3
///     faces      the union of triples in one plane, larger triangles first          (the paper: in any order)
///     edges      neighbours in a face, its corners sorted by their angle about its centre
///
/// Two things are not in the paper, which uses real numbers. A vertex counts as on a plane within the hull builder's
/// tolerance. And unions start from large triangles, because the plane of three nearly collinear corners is mostly
/// rounding; three corners of a face that has been found already are no face of their own.

#include <talus/math.h>
#include <talus/result.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// The faces and edges of a convex polyhedron, by the numbers of its vertices.
struct PolyhedronFaces {
    /// Corners of each face, counter-clockwise seen from outside, the lowest first; faces in ascending order.
    std::vector<std::vector<std::uint16_t>> faces;
    /// Each edge once, its lower end first; in ascending order.
    std::vector<std::array<std::uint16_t, 2>> edges;
};

/// Returns the faces of the polyhedron with exactly these vertices (m). A vertex counts as on a plane within
/// `tolerances` times the hull builder's tolerance, which is, along each axis, a millionth of the vertices' extent and
/// four units in the last place of their coordinates.
///
/// Refused: fewer than four points, more than 65,535, non-finite ones, points that span no volume; points that are not
/// vertices, because they lie inside, on a face, on an edge, or twice in one place; and vertices so near to the planes
/// of other faces that faces do not close.
///
/// Costs O(n^3) triples. Most of those that are no faces fail early; each that is a face costs O(n). So two n-gons cost
/// O(n^4), as the paper says. `talus-profile papers --faces` has the times.
Result<PolyhedronFaces> faces_from_vertices(std::span<const vec3> vertices, double tolerances = 1.0);

}  // namespace talus
