#pragma once
/// From the triangles of quickhull to polygonal faces.
///
/// Contact manifolds want one face where the user sees one face, although rounding has bent it by a few millionths.
/// Merging in floating point is where hull builders usually break their topology, so here it is kept apart from
/// building, and it can always say no:
///
///  1. `groups`: triangles are gathered, largest first, as long as their corners stay within one tolerance unit under
///     the support plane of the group. A group says which edges *may* go.
///  2. Vertices inside a group carry nothing: they are left out and the hull is built again from the others (hull.cpp).
///  3. `merge_groups`: edges between two faces of one group are removed one chain at a time, only where the union is
///     one loop and stays convex at the two ends of the chain. What cannot be merged stays apart: still a valid hull.
///  4. `is_valid` checks the outcome; hull.cpp falls back to the bare triangles, which are valid by construction.

#include "narrowphase/shapes/quickhull.h"

namespace talus::hull_builder {

/// How far a corner may lie inside its face's polygon (a dent), in tolerance units; larger dents keep faces apart.
inline constexpr double merge_dent = 1.0;

/// And how far the outline may bend inward there (sine). The line of a side must leave the face on its inner side,
/// since that is how contacts are clipped: a short side that bends more cuts off more of the face than its dent is
/// deep, up to all of it. Smaller: noise on the outline keeps faces apart.
inline constexpr double merge_bend = 1e-3;

/// And how much of the face's area the triangle at the dent may have. On faces that are hardly wider than a tolerance
/// unit larger ones make outlines that cross themselves.
inline constexpr double merge_share = 1e-3;

/// What `is_valid` lets pass, in tolerance units: a few merges' worth of dents, and corners under their face's plane.
inline constexpr double valid_dent = 3.0;
inline constexpr double valid_bend = 3.0 * merge_bend;
inline constexpr double valid_share = 3.0 * merge_share;
inline constexpr double valid_area = 0.5;   ///< what a face must keep of its triangles' area (no unit)
inline constexpr double valid_depth = 2.5;  ///< float normals add to it; 3 is what make_hull promises

struct PolygonFace {
    std::uint32_t first, count;  ///< into corners and neighbours
    glm::dvec3 area;             ///< the sum over its triangles, outward
};

/// The boundary of a polyhedron; corners counter-clockwise seen from outside, edge i runs from corner i to i + 1.
struct PolygonMesh {
    std::vector<PolygonFace> faces;
    std::vector<Index> corners;     ///< into the cloud
    std::vector<Index> neighbours;  ///< the face across edge i
};

/// The group of each triangle, numbered from 0.
std::vector<Index> coplanar_groups(const Cloud& cloud, const TriangleMesh& mesh);

/// Vertices all of whose triangles belong to one group, ascending.
std::vector<Index> vertices_inside_groups(const TriangleMesh& mesh, std::span<const Index> group);

PolygonMesh merge_groups(const Cloud& cloud, const TriangleMesh& mesh, std::span<const Index> group);

/// The triangles as they are.
PolygonMesh keep_triangles(const TriangleMesh& mesh);

/// Whether every face has at least 3 corners that are planar and convex to within the tolerances above and looks
/// outward, every vertex at least 3 faces, every edge two faces that name each other, and V - E + F = 2.
bool is_valid(const Cloud& cloud, const PolygonMesh& mesh);

}  // namespace talus::hull_builder
