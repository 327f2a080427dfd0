#include <talus/narrowphase/papers/polytope_graph.h>

#include <talus/narrowphase/support.h>

#include <algorithm>

namespace talus {

namespace {

/// Corners of a box that differ in one coordinate are joined; of a segment and a triangle, all.
bool joined(ShapeType type, unsigned i, unsigned j) {
    const unsigned difference = i ^ j;
    return type == ShapeType::box ? difference == 1 || difference == 2 || difference == 4 : i != j;
}

}  // namespace

Result<PolytopeGraph> make_polytope_graph(const Shape& shape) {
    if (Error error = check(shape)) return error;
    PolytopeGraph graph;
    switch (shape.type) {
        case ShapeType::hull:
            graph.vertices = shape.hull->vertices;
            graph.first = shape.hull->vertex_first;
            graph.neighbours = shape.hull->vertex_neighbours;
            graph.hierarchy = VertexHierarchy(*shape.hull);
            break;
        case ShapeType::box:
        case ShapeType::triangle:
        case ShapeType::segment: {
            const std::uint32_t count = core_point_count(shape);
            graph.first.push_back(0);
            for (std::uint32_t i = 0; i < count; ++i) {
                graph.vertices.push_back(core_point(shape, static_cast<std::uint16_t>(i)));
                for (std::uint32_t j = 0; j < count; ++j) {
                    if (joined(shape.type, i, j)) graph.neighbours.push_back(static_cast<std::uint16_t>(j));
                }
                graph.first.push_back(static_cast<std::uint32_t>(graph.neighbours.size()));
            }
            graph.hierarchy = VertexHierarchy(count);
            break;
        }
        default:
            return Error{ErrorCode::bad_argument, "make_polytope_graph: a " + std::string(name_of(shape.type)) +
                                                      " has no vertices; use a hull, box, triangle or segment."};
    }
    for (const vec3& v : graph.vertices) graph.centroid += glm::dvec3(v);
    graph.centroid /= double(graph.vertices.size());
    graph.planar = std::all_of(graph.vertices.begin(), graph.vertices.end(), [](const vec3& v) { return v.z == 0.0f; });
    return graph;
}

}  // namespace talus
