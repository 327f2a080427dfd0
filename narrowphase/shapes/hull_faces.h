#pragma once
/// From the triangles of quickhull to polygonal faces.
///
/// Contact manifolds need one face where the user sees one face, although rounding has bent it by a few millionths.
/// Merging in floating point can easily break the topology of a hull. So it is separate from building, and it may
/// refuse any merge:
///
///  1. `coplanar_groups`: triangles are gathered, largest first, as long as their corners stay within one tolerance
///     unit under the support plane of the group. Only edges inside a group *may* be removed.
///  2. Vertices inside a group are not needed: they are left out, and the hull is built again from the others
///     (hull.cpp).
///  3. `merge_groups`: edges between two faces of one group are removed one chain at a time, only if the union is one
///     loop and stays convex at the two ends of the chain. Faces that cannot be merged stay as they are, so the hull is
///     valid in any case.
///  4. `is_valid` checks the result; if it fails, hull.cpp uses the triangles, which are valid by construction.

#include "narrowphase/shapes/quickhull.h"

namespace talus::hull_builder {

/// How far a corner may lie inside its face's polygon (a dent), in tolerance units; larger dents keep faces apart.
inline constexpr double merge_dent = 1.0;

/// How far the outline may bend inward at a dent (sine). Contacts are clipped by the lines of the sides, so the face
/// must lie on the inner side of each line. A short side that bends by more cuts off more of the face than its dent is
/// deep, up to all of it. Smaller: noise on the outline keeps faces apart.
inline constexpr double merge_bend = 1e-3;

/// The largest area of the triangle at a dent, as a fraction of the face's area. On faces that are hardly wider than a
/// tolerance unit, larger values make outlines that cross themselves.
inline constexpr double merge_share = 1e-3;

/// The limits of `is_valid`, in tolerance units: a few merges' worth of dents, and corners under their face's plane.
inline constexpr double valid_dent = 3.0;
inline constexpr double valid_bend = 3.0 * merge_bend;
inline constexpr double valid_share = 3.0 * merge_share;
inline constexpr double valid_area = 0.5;   ///< a face must keep this fraction of its triangles' area (no unit)
inline constexpr double valid_depth = 2.5;  ///< float normals add to it; make_hull promises 3

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

/// Returns the group of each triangle, numbered from 0.
std::vector<Index> coplanar_groups(const Cloud& cloud, const TriangleMesh& mesh);

/// Returns the vertices all of whose triangles belong to one group, ascending.
std::vector<Index> vertices_inside_groups(const TriangleMesh& mesh, std::span<const Index> group);

PolygonMesh merge_groups(const Cloud& cloud, const TriangleMesh& mesh, std::span<const Index> group);

/// Returns the triangles as they are, without merging.
PolygonMesh keep_triangles(const TriangleMesh& mesh);

/// Returns whether the mesh is a valid polyhedron: every face has at least 3 corners, is planar and convex to within
/// the tolerances above, and faces outward; every vertex has at least 3 faces; every edge has two faces that are each
/// other's neighbours; and V - E + F = 2.
bool is_valid(const Cloud& cloud, const PolygonMesh& mesh);

}  // namespace talus::hull_builder
