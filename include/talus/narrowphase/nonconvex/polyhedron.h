#pragma once
/// Closed polyhedra with any faces: nonconvex, with holes, of any genus, of several shells.
///
/// The decomposition-free test of Jimenez and Torras (1999) needs little of a polyhedron: vertices, edges, and faces. A
/// face is a plane and the *set* of its edges. Whether a point lies in a face follows from the parity of the edges on
/// one side of it. So loops, their order and their nesting are not needed, and a face with holes is no special case.
/// Coplanar neighbours of the input are merged to one face, so that only true edges of the solid remain:
///
///     input: 8 triangles          polyhedron: 1 face of 8 edges
///     +-------+                   +-------+
///     |\     /|                   |       |
///     | +---+ |                   | +---+ |
///     | |   | |        ->         | |   | |      each edge: two faces (left, right), a direction, convex or concave
///     | +---+ |                   | +---+ |
///     |/     \|                   |       |
///     +-------+                   +-------+
///
/// Coordinates come in as float and are kept in double: everything in this folder computes in double.

#include <talus/math.h>
#include <talus/result.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// How far the corners of a face may lie from its plane, in radii of the polyhedron: a few units in the last place of
/// the input's floats. Larger: gently curved surfaces are flattened. Smaller: flat faces fall into pieces.
inline constexpr double planarity_tolerance = 4e-7;

/// How far the normals of polygons that are merged to one face may differ (rad). It bounds the error in the directions
/// of short edges relative to their face; the search for applicable pairs allows for it.
inline constexpr double coplanar_angle = 1e-5;

/// An edge of a polyhedron, between two different faces.
struct PolyhedronEdge {
    std::array<std::uint32_t, 2> vertices;  ///< its two ends
    /// Its two faces. On the boundary of the first face (counter-clockwise seen from outside) it runs from the first
    /// vertex to the second, on that of the second face from the second vertex to the first.
    std::array<std::uint32_t, 2> faces;
    glm::dvec3 direction;  ///< unit, first vertex to second
    bool convex;           ///< the angle inside the solid between the two faces is less than 180 degrees
};

/// The plane of a face. Its edges are Polyhedron::edges_of_face.
struct PolyhedronFace {
    glm::dvec3 normal;  ///< unit, outward
    double offset;      ///< normal . x of its points, m
};

/// Made by make_polyhedron; read-only in use.
struct Polyhedron {
    std::vector<glm::dvec3> vertices;   ///< the vertices that have edges, m
    std::vector<PolyhedronEdge> edges;  ///< each edge once
    std::vector<PolyhedronFace> faces;  ///< after the merging of coplanar neighbours

    std::vector<std::uint32_t> face_edges;    ///< edges of face f: [face_start[f], face_start[f + 1])
    std::vector<std::uint32_t> face_start;    ///< faces.size() + 1
    std::vector<std::uint32_t> vertex_edges;  ///< edges at vertex v: [vertex_start[v], vertex_start[v + 1])
    std::vector<std::uint32_t> vertex_start;  ///< vertices.size() + 1
    std::vector<std::uint32_t> shells;        ///< a vertex of each connected part of the boundary

    glm::dvec3 center{0.0};  ///< of its box
    double radius = 0.0;     ///< of the bounding sphere around `center`, m
    double tolerance = 0.0;  ///< how far rounding may have moved an edge off the plane of its face, m
    double skew = 0.0;       ///< the largest |edge direction . normal| of an edge and its face, due to rounding

    /// Returns the edges on the boundary of face f.
    std::span<const std::uint32_t> edges_of_face(std::uint32_t f) const {
        return {face_edges.data() + face_start[f], face_start[f + 1] - face_start[f]};
    }
    /// Returns the edges that end at vertex v.
    std::span<const std::uint32_t> edges_of_vertex(std::uint32_t v) const {
        return {vertex_edges.data() + vertex_start[v], vertex_start[v + 1] - vertex_start[v]};
    }
};

/// Makes a polyhedron from indexed polygons, counter-clockwise seen from outside: polygon i has the next `sizes[i]` of
/// `corners`. A polygon must be flat and one loop, which may be nonconvex. A face with holes is given as several
/// polygons that share edges. The boundary of a cavity is a shell of its own, with its front toward the cavity.
///
/// Refused, with an error that names the edge or vertex: coordinates that are not finite, indices out of range, fewer
/// than 3 corners, boundaries that are not closed, edges of more than two polygons, neighbours that are oriented
/// against each other, shells turned inside out, no volume, bent polygons. Boundaries that cross themselves are not
/// detected.
Result<Polyhedron> make_polyhedron(std::span<const vec3> vertices, std::span<const std::uint32_t> corners,
                                   std::span<const std::uint32_t> sizes);

/// The same from indexed triangles, three indices each.
Result<Polyhedron> make_polyhedron(std::span<const vec3> vertices, std::span<const std::uint32_t> triangles);

/// Returns whether a point (m, in the polyhedron's frame) lies in the solid. A point within planarity_tolerance of the
/// boundary may count as inside or outside.
bool contains(const Polyhedron& polyhedron, const glm::dvec3& point);

}  // namespace talus
