#pragma once
/// The faces and edges of a convex polyhedron from its vertices alone, as in the appendix of Liu, Chien, Shiang and
/// Lee: every triple of vertices is a candidate, and a face is what has all vertices on the centroid's side. It shares
/// no idea with quickhull (make_hull is what to use); it is there as its oracle, and for the paper's remark on what it
/// costs.
///
///     triples    whose plane has no vertex beyond it, and the centroid not on it    IsFace: O(n) for each of n^3
///     faces      the union of triples in one plane, larger triangles first          (the paper: in any order)
///     edges      neighbours in a face, its corners sorted by their angle about its centre
///
/// Two things are not in the paper, which counts in real numbers. A vertex counts as on a plane within a tolerance, the
/// hull builder's. And unions start from large triangles, since the plane of three corners that are nearly on a line is
/// mostly rounding; three corners of a face found already are no face of their own.

#include <talus/math.h>
#include <talus/result.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

struct PolyhedronFaces {
    /// Corners of each face, counter-clockwise seen from outside, from the lowest on; faces in ascending order.
    std::vector<std::vector<std::uint16_t>> faces;
    /// Each edge once, its lower end first; ascending.
    std::vector<std::array<std::uint16_t, 2>> edges;
};

/// Of the polyhedron with exactly these vertices (m). A vertex is on a plane within so many of the hull builder's
/// tolerances: a millionth of the vertices' extent and four units in the last place of their coordinates, along each
/// axis.
///
/// Refused: fewer than four points, more than 65,535, non-finite ones, points that span no volume; points that are no
/// vertices, because they lie inside, on a face or on an edge, or twice at one place; and vertices so near to other
/// planes than theirs that faces do not close.
///
/// Costs O(n^3) triples, of which those that are no faces mostly fail early, and O(n) for each that is one: the paper's
/// O(n^4) for two n-gons. `talus-profile papers --faces` has the times.
Result<PolyhedronFaces> faces_from_vertices(std::span<const vec3> vertices, double tolerances = 1.0);

}  // namespace talus
