#pragma once
/// A convex polytope as the papers see it: vertices, and which of them are joined by an edge. Made once per shape.

#include <talus/narrowphase/papers/vertex_hierarchy.h>
#include <talus/narrowphase/shape.h>

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

struct PolytopeGraph {
    std::vector<vec3> vertices;             ///< in the shape's frame, m; numbered as by `support` (support.h)
    std::vector<std::uint32_t> first;       ///< vertices.size() + 1 offsets into `neighbours`
    std::vector<std::uint16_t> neighbours;  ///< joined to the vertex by an edge
    glm::dvec3 centroid{0.0};               ///< mean of the vertices, m
    VertexHierarchy hierarchy;

    std::span<const std::uint16_t> neighbours_of(std::size_t v) const {
        return {neighbours.data() + first[v], neighbours.data() + first[v + 1]};
    }
};

/// Of a hull, box, triangle or segment, whose radius is left out. Other shapes are no polytopes: bad_argument. So are
/// shapes that `check` objects to, with its error.
Result<PolytopeGraph> make_polytope_graph(const Shape& shape);

}  // namespace talus
