#pragma once
/// A convex polytope or polygon as a graph, as the papers use it: vertices, and which of them an edge joins. Made once
/// per shape.

#include <talus/narrowphase/papers/vertex_hierarchy.h>
#include <talus/narrowphase/shape.h>

#include <glm/vec2.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// The vertices of a convex polytope and its edges.
struct PolytopeGraph {
    std::vector<vec3> vertices;             ///< in the shape's frame, m; numbered as by `support` (support.h)
    std::vector<std::uint32_t> first;       ///< vertices.size() + 1 offsets into `neighbours`
    std::vector<std::uint16_t> neighbours;  ///< the vertices that an edge joins to vertex v: neighbours_of(v)
    glm::dvec3 centroid{0.0};               ///< mean of the vertices, m
    VertexHierarchy hierarchy;              ///< for SupportMethod::hierarchical
    bool planar = false;                    ///< all vertices have z = 0: a polygon, or a triangle or segment there

    /// Returns the vertices that an edge joins to vertex v.
    std::span<const std::uint16_t> neighbours_of(std::size_t v) const {
        return {neighbours.data() + first[v], neighbours.data() + first[v + 1]};
    }
};

/// Returns the graph of a hull, box, triangle or segment; its radius is ignored. Refuses other shapes with
/// bad_argument, and shapes that `check` refuses with its error.
Result<PolytopeGraph> make_polytope_graph(const Shape& shape);

/// Returns the graph of the convex hull of planar points (m), in the plane z = 0, for the two-dimensional case of Liu
/// et al., section 3.1. Vertices are numbered counter-clockwise from the leftmost (of several the lowest). Points
/// inside the hull, on its edges or given twice are left out, within rounding in double. Refused: fewer than three
/// points, more than 65,535, points that are not finite, points on one line.
Result<PolytopeGraph> make_polygon_graph(std::span<const glm::vec2> points);

}  // namespace talus
