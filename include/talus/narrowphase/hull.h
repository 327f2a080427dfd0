#pragma once
/// A convex polyhedron with everything that the narrowphase needs: vertices for support search, faces with their
/// planes and neighbours for manifolds, exact mass properties.
///
/// It is built once from points (quickhull), then immutable. Shapes share it through `std::shared_ptr<const Hull>`.

#include <talus/aabb.h>
#include <talus/math.h>
#include <talus/result.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace talus {

/// One polygonal face. Its corners are `Hull::face_vertices[first .. first + count)`, counter-clockwise seen from
/// outside.
struct alignas(32) HullFace {
    vec3 normal;               ///< outward, unit
    float offset;              ///< dot(normal, x) = offset on the face, m
    std::uint32_t first;       ///< into face_vertices and face_neighbours
    std::uint32_t count;       ///< corners, at least 3
    std::uint16_t corners[4];  ///< copies of the first four corners, for speed; a triangle repeats its first one
};

/// A convex polyhedron. Only make_hull makes one, so every hull is a proper solid. Vertices are indexed with 16 bits,
/// faces (up to twice as many) and edges with 32.
struct Hull {
    static constexpr std::size_t max_vertices = 65535;              ///< the most vertices that a hull can have
    static constexpr std::size_t max_faces = 2 * max_vertices - 4;  ///< reached if all faces are triangles (Euler)

    std::vector<vec3> vertices;  ///< in the frame the points were given in, m

    std::vector<HullFace> faces;               ///< coplanar triangles merged
    std::vector<std::uint16_t> face_vertices;  ///< corner i of a face starts its edge i, which ends at corner i + 1

    std::vector<std::uint32_t> face_neighbours;  ///< the face on the other side of edge i
    std::vector<std::uint32_t> vertex_first;     ///< vertices.size() + 1 offsets into the two arrays below
    /// The vertices joined to a vertex by an edge, at least 3, counter-clockwise seen from outside, the lowest first.
    std::vector<std::uint16_t> vertex_neighbours;
    /// The faces that meet at a vertex, as many as its neighbours: face i lies between the edges to neighbours i and
    /// i + 1.
    std::vector<std::uint32_t> vertex_faces;

    Aabb bounds;                   ///< the box around the vertices, m
    float bounding_radius = 0.0f;  ///< of the bounding sphere around the frame's origin, m
    float volume = 0.0f;           ///< m^3
    float thickness = 0.0f;        ///< as `thickness` of a Shape (shape.h), m
    vec3 centroid{0.0f};           ///< of the solid, m
    mat3 unit_inertia{0.0f};       ///< about the centroid, for a solid of mass 1, m^2

    Hull(const Hull&) = delete;
    Hull& operator=(const Hull&) = delete;

    std::size_t bytes() const;  ///< heap memory held, including tables that only the narrowphase uses

protected:
    Hull() = default;  // by make_hull alone: there is no other hull
    ~Hull() = default;
};

/// Returns the convex hull of `points` (m), in their own frame. Points inside, duplicates (the first stays) and points
/// on a face or an edge are left out; the others keep their order. Faces that are coplanar to within the builder's
/// tolerance are merged. Along each axis, the tolerance is a millionth of the points' extent plus the rounding of their
/// coordinates (quickhull.h). No point lies more than three tolerances outside a face. The same points give the same
/// bits.
///
/// Refused: fewer than four points, non-finite points, points that span no volume (flat, collinear, coincident), sizes
/// outside 1e-6 to 1e6 m, more than 65,535 vertices.
///
/// Cost (hull.cpp has the table): 0.03 ms for 24 points, 0.4 ms for 200 on a sphere.
Result<std::shared_ptr<const Hull>> make_hull(std::span<const vec3> points);

}  // namespace talus
