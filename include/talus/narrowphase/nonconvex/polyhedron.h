#pragma once
/// Closed polyhedra with any faces: nonconvex, with holes, of any genus, of several shells.
///
/// What the decomposition-free test of Jimenez and Torras (1999) needs of a polyhedron is little: vertices, edges, and
/// faces that are a plane and the *set* of their edges. Whether a point lies in a face is the parity of the edges on
/// one side of it, so loops, their order and their nesting are never asked for, and a face with holes is no special
/// case. Coplanar neighbours of the input are merged to one face, so that no edge is there that the solid does not
/// have:
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
/// the floats they came as. Larger: gently curved surfaces are flattened. Smaller: flat faces fall into pieces.
inline constexpr double planarity_tolerance = 4e-7;

/// And how far the normals of what is merged may differ (rad). It bounds what the directions of short edges say falsely
/// about the face they bound; the search for applicable pairs allows for it.
inline constexpr double coplanar_angle = 1e-5;

/// An edge of a polyhedron: between two faces that differ.
struct PolyhedronEdge {
    std::array<std::uint32_t, 2> vertices;
    /// The face on whose boundary it runs from the first vertex to the second (counter-clockwise seen from outside),
    /// and the one where it runs back.
    std::array<std::uint32_t, 2> faces;
    glm::dvec3 direction;  ///< unit, first vertex to second
    bool convex;           ///< the solid takes less than half a turn around it
};

struct PolyhedronFace {
    glm::dvec3 normal;  ///< unit, outward
    double offset;      ///< normal . x of its points, m
};

/// Made by make_polyhedron; read-only in use.
struct Polyhedron {
    std::vector<glm::dvec3> vertices;  ///< those with edges; m
    std::vector<PolyhedronEdge> edges;
    std::vector<PolyhedronFace> faces;

    std::vector<std::uint32_t> face_edges;    ///< edges of face f: [face_start[f], face_start[f + 1])
    std::vector<std::uint32_t> face_start;    ///< faces.size() + 1
    std::vector<std::uint32_t> vertex_edges;  ///< edges at vertex v: [vertex_start[v], vertex_start[v + 1])
    std::vector<std::uint32_t> vertex_start;  ///< vertices.size() + 1
    std::vector<std::uint32_t> shells;        ///< a vertex of each connected part of the boundary

    glm::dvec3 center{0.0};  ///< of its box
    double radius = 0.0;     ///< of the bounding sphere around `center`, m
    double tolerance = 0.0;  ///< how far its faces may be from its edges: rounding of the input, m
    double skew = 0.0;       ///< the largest |edge direction . normal| of an edge and a face it bounds: rounding

    std::span<const std::uint32_t> edges_of_face(std::uint32_t f) const {
        return {face_edges.data() + face_start[f], face_start[f + 1] - face_start[f]};
    }
    std::span<const std::uint32_t> edges_of_vertex(std::uint32_t v) const {
        return {vertex_edges.data() + vertex_start[v], vertex_start[v + 1] - vertex_start[v]};
    }
};

/// From indexed polygons, counter-clockwise seen from outside: polygon i has the next `sizes[i]` of `corners`. A
/// polygon is flat and is one loop, which may be nonconvex; a face with holes is given as several polygons that share
/// edges. Cavities are shells that look into the hollow. Refused, with the edge or vertex it happens at: coordinates
/// that are not finite, indices out of range, fewer than 3 corners, boundaries that are not closed, edges of more than
/// two polygons, neighbours that are oriented against each other, shells turned inside out, no volume, bent polygons.
/// Not looked for: boundaries that cross themselves.
Result<Polyhedron> make_polyhedron(std::span<const vec3> vertices, std::span<const std::uint32_t> corners,
                                   std::span<const std::uint32_t> sizes);

/// From indexed triangles, three indices each.
Result<Polyhedron> make_polyhedron(std::span<const vec3> vertices, std::span<const std::uint32_t> triangles);

/// Whether a point (m, in the polyhedron's frame) lies in the solid; either answer for points on the boundary, to
/// within planarity_tolerance.
bool contains(const Polyhedron& polyhedron, const glm::dvec3& point);

}  // namespace talus
