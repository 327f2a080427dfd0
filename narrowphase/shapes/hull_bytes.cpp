#include "narrowphase/shapes/hull_bytes.h"

#include <talus/narrowphase/shape.h>
#include "narrowphase/shapes/hull_data.h"
#include "narrowphase/shapes/size_limits.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

template <class Bytes>
void visit_fields(Bytes& bytes, HullParts::Face& face) {
    auto& [normal, count] = face;
    bytes(normal, count);
}

template <class Bytes>
void visit_fields(Bytes& bytes, HullParts& parts) {
    auto& [vertices, faces, corners, neighbours] = parts;
    bytes(vertices, faces, corners, neighbours);
}

namespace {

using glm::dvec3;

/// The edge that begins at a corner of a face.
struct Edge {
    std::uint32_t from, to, face, neighbour;
};

/// Returns what is wrong with the lists, or null: whether each face is a loop of distinct vertices, whether each edge
/// is shared by two faces that are each other's neighbours, and whether the faces at each vertex form one ring.
const char* problem_of_lists(const HullParts& parts) {
    const std::size_t vertices = parts.vertices.size();
    if (vertices < 4 || vertices > Hull::max_vertices) return "a hull has too few or too many vertices";
    if (parts.faces.size() < 4 || parts.faces.size() > Hull::max_faces) return "a hull has too few or too many faces";
    std::size_t corners = 0;
    for (const HullParts::Face& face : parts.faces) {
        if (face.count < 3 || face.count > vertices) return "a face of a hull has too few or too many corners";
        corners += face.count;
    }
    if (corners != parts.corners.size() || corners != parts.neighbours.size())
        return "a hull has too few or too many corners";
    if (vertices + parts.faces.size() != corners / 2 + 2) return "a hull is not a polyhedron";  // Euler

    std::vector<Edge> edges(corners);
    std::vector<std::uint32_t> last_face(vertices, ~0u), degree(vertices, 0);
    std::uint32_t first = 0;
    for (std::uint32_t f = 0; f < parts.faces.size(); ++f) {
        const std::uint32_t count = parts.faces[f].count;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t from = parts.corners[first + i], to = parts.corners[first + (i + 1) % count];
            if (from >= vertices || to >= vertices) return "a hull has no such vertex";
            if (last_face[from] == f) return "a face of a hull has a corner twice";
            last_face[from] = f;
            ++degree[from];
            edges[first + i] = {from, to, f, parts.neighbours[first + i]};
        }
        first += count;
    }
    const auto less = [](const Edge& a, const Edge& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; };
    std::sort(edges.begin(), edges.end(), less);
    const auto find = [&](std::uint32_t from, std::uint32_t to) -> const Edge* {
        const auto edge = std::lower_bound(edges.begin(), edges.end(), Edge{from, to, 0, 0}, less);
        return edge != edges.end() && edge->from == from && edge->to == to ? &*edge : nullptr;
    };
    for (std::size_t i = 0; i < corners; ++i) {
        if (i > 0 && !less(edges[i - 1], edges[i])) return "a hull has an edge twice";
        const Edge* const opposite = find(edges[i].to, edges[i].from);
        if (opposite == nullptr || opposite->face != edges[i].neighbour) return "two faces of a hull do not fit";
    }
    // Around each vertex: from an edge that leaves it to the edge of the same face that ends there, and across.
    std::vector<std::uint32_t> first_corner(parts.faces.size() + 1, 0);
    for (std::size_t f = 0; f < parts.faces.size(); ++f) first_corner[f + 1] = first_corner[f] + parts.faces[f].count;
    for (std::size_t at = 0; at < corners; at += degree[edges[at].from]) {
        const std::uint32_t v = edges[at].from;
        if (degree[v] < 3) return "a vertex of a hull has too few faces";
        const Edge* edge = &edges[at];
        std::uint32_t steps = 0;
        do {
            const auto begin = parts.corners.begin() + first_corner[edge->face];
            const auto end = parts.corners.begin() + first_corner[edge->face + 1];
            const auto corner = std::find(begin, end, v);
            edge = find(v, corner == begin ? *(end - 1) : *(corner - 1));
        } while (edge != nullptr && edge != &edges[at] && ++steps < degree[v]);
        if (edge != &edges[at] || steps + 1 != degree[v]) return "the faces at a vertex of a hull form no ring";
    }
    for (const std::uint32_t count : degree) {
        if (count == 0) return "a vertex of a hull has no faces";
    }
    return nullptr;
}

/// Returns what is wrong with the numbers, or null. The lists are right.
const char* problem_of_numbers(const HullParts& parts) {
    for (const vec3& v : parts.vertices) {
        if (!is_finite(v) || glm::any(glm::greaterThan(absolute(v), vec3(largest_size))))
            return "a vertex of a hull is too far out";
    }
    const dvec3 origin(parts.vertices[0]);
    double volume = 0.0;
    std::size_t first = 0;
    for (const HullParts::Face& face : parts.faces) {
        const auto corner = [&](std::size_t i) { return dvec3(parts.vertices[parts.corners[first + i]]) - origin; };
        dvec3 area(0.0);
        for (std::size_t i = 2; i < face.count; ++i) {
            area += glm::cross(corner(i - 1) - corner(0), corner(i) - corner(0));
            volume += glm::dot(corner(0), glm::cross(corner(i - 1), corner(i)));
        }
        first += face.count;
        const dvec3 n(face.normal);
        if (!(std::abs(glm::dot(n, n) - 1.0) < 1e-4)) return "a normal of a hull is no unit vector";
        if (!(glm::dot(n, area) > 0.5 * std::sqrt(glm::dot(area, area)))) return "a face of a hull has another normal";
    }
    return volume > 0.0 ? nullptr : "a hull encloses no volume";
}

}  // namespace

void write_hull(ByteWriter& bytes, const Hull& hull) {
    HullParts parts{hull.vertices, {}, hull.face_vertices, hull.face_neighbours};
    for (const HullFace& face : hull.faces) parts.faces.push_back({face.normal, face.count});
    bytes(parts);
}

std::shared_ptr<const Hull> read_hull(ByteReader& bytes) {
    HullParts parts;
    bytes(parts);
    if (bytes.failed()) return nullptr;
    const char* problem = problem_of_lists(parts);
    if (problem == nullptr) problem = problem_of_numbers(parts);
    if (problem != nullptr) {
        bytes.fail(problem);
        return nullptr;
    }
    std::shared_ptr<const HullData> hull = assemble_hull(std::move(parts));
    if (check(talus::hull(hull))) {
        bytes.fail("a hull is no solid");
        return nullptr;
    }
    return hull;
}

}  // namespace talus::detail
