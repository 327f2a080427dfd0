#include "narrowphase/nonconvex/orientation_graph.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

using glm::dvec3;
using Index = std::uint32_t;

using std::numbers::pi;
constexpr double arc_step = 0.08;  ///< between the samples of an arc, rad

/// How far the local hull of a vertex may be from being pointed for the vertex to have a region, cosine.
constexpr double region_slack = 1e-3;

/// Finds a cap around the region of a vertex, which the corners of the polar cone of its edges' directions span.
/// Returns false if there are no corners.
bool cap_of_region(std::span<const dvec3> directions, dvec3& center, double& cosine) {
    const std::vector<dvec3> corners = polar_corners(directions);
    if (corners.empty()) return false;
    dvec3 sum(0.0);
    for (const dvec3& c : corners) sum += c;
    const double length = glm::length(sum);
    cosine = whole_sphere;
    if (length < 1e-6) return true;
    center = sum / length;
    double least = 1.0;
    for (const dvec3& c : corners) least = std::min(least, glm::dot(center, c));
    if (least > 0.05) cosine = least - 1e-6;  // a cap of less than 90 degrees is convex, so it contains their span
    return true;
}

/// Makes a grid with about as many cells as items.
int grid_side(std::size_t items) {
    const int side = static_cast<int>(std::sqrt(static_cast<double>(items) / 6.0));
    return std::clamp(2 * side, 8, 32);
}

dvec3 cell_center(int side, Index cell) {
    const int face = static_cast<int>(cell) / (side * side), rest = static_cast<int>(cell) % (side * side);
    dvec3 v;
    const int axis = face / 2;
    v[axis] = face % 2 == 0 ? 1.0 : -1.0;
    v[(axis + 1) % 3] = (2 * (rest % side) + 1.0) / side - 1.0;
    v[(axis + 2) % 3] = (2 * (rest / side) + 1.0) / side - 1.0;
    return glm::normalize(v);
}

/// Lists each item in the cells for whose centre near(item, centre, reach) holds; reach: the cell's radius, rad.
template <class Near>
SphereGrid make_grid(std::size_t items, Near&& near) {
    SphereGrid grid;
    grid.side = grid_side(items);
    const double reach = std::sqrt(2.0) / grid.side;  // on the side of the cube; it is less on the sphere
    const Index cells = static_cast<Index>(6 * grid.side * grid.side);
    for (Index c = 0; c < cells; ++c) {
        grid.start.push_back(static_cast<Index>(grid.items.size()));
        const dvec3 center = cell_center(grid.side, c);
        for (Index i = 0; i < items; ++i) {
            if (near(i, center, reach)) grid.items.push_back(i);
        }
    }
    grid.start.push_back(static_cast<Index>(grid.items.size()));
    return grid;
}

void add_arc(OrientationGraph& graph, const PolyhedronEdge& edge, Index index) {
    OrientationArc arc;
    arc.from = graph.nodes[edge.faces[0]];
    arc.to = graph.nodes[edge.faces[1]];
    arc.axis = edge.direction;
    arc.edge = index;
    arc.faces = edge.faces;
    // The angle of two unit vectors, exact for small angles and near 180 degrees, too.
    const double angle = 2.0 * std::atan2(glm::length(arc.to - arc.from), glm::length(arc.to + arc.from));
    arc.half_angle = 0.5 * angle;
    const dvec3 ahead = glm::cross(arc.axis, arc.from);
    const auto at = [&](double phi) { return glm::normalize(std::cos(phi) * arc.from + std::sin(phi) * ahead); };
    arc.middle = at(arc.half_angle);
    arc.first_sample = static_cast<Index>(graph.samples.size());
    graph.arc_of_edge[index] = static_cast<Index>(graph.arcs.size());
    arc.samples = static_cast<Index>(std::ceil(angle / arc_step)) + (angle == 0.0);
    for (Index k = 0; k < arc.samples; ++k) graph.samples.push_back(at(angle * (k + 0.5) / arc.samples));
    graph.arcs.push_back(arc);
}

void add_region(OrientationGraph& graph, const Polyhedron& p, Index vertex) {
    OrientationRegion region{};
    region.vertex = vertex;
    region.first = static_cast<Index>(graph.directions.size());
    for (const Index e : p.edges_of_vertex(vertex)) {
        const bool leaves = p.edges[e].vertices[0] == vertex;
        graph.directions.push_back(leaves ? p.edges[e].direction : -p.edges[e].direction);
        graph.edge_of.push_back(e);
        graph.leaves.push_back(leaves ? 1 : -1);
    }
    region.count = static_cast<Index>(graph.directions.size()) - region.first;
    region.center = dvec3(1, 0, 0);
    region.cap_cosine = whole_sphere;
    if (region.count <= most_edges_for_corners) {
        const std::span<const dvec3> directions(graph.directions.data() + region.first, region.count);
        if (!cap_of_region(directions, region.center, region.cap_cosine)) {
            graph.directions.resize(region.first);
            graph.edge_of.resize(region.first);
            graph.leaves.resize(region.first);
            return;
        }
    }
    graph.region_of_vertex[vertex] = static_cast<Index>(graph.regions.size());
    graph.regions.push_back(region);
}

/// Returns whether a direction may lie in a cap, or within the slack of it.
bool near_cap(const dvec3& center, double cosine, const dvec3& v, double slack) {
    return glm::dot(center, v) >= cosine - slack;  // a change of an angle by the slack changes its cosine by less
}

}  // namespace

std::vector<dvec3> polar_corners(std::span<const dvec3> directions) {
    std::vector<dvec3> corners;
    for (std::size_t i = 0; i < directions.size(); ++i) {
        for (std::size_t j = i + 1; j < directions.size(); ++j) {
            const dvec3 cross = glm::cross(directions[i], directions[j]);
            const double length = glm::length(cross);
            if (length < 1e-9) continue;
            for (const double sign : {1.0, -1.0}) {
                const dvec3 corner = cross * (sign / length);
                const bool inside = std::all_of(directions.begin(), directions.end(),
                                                [&](const dvec3& d) { return glm::dot(d, corner) <= region_slack; });
                if (inside) corners.push_back(corner);
            }
        }
    }
    return corners;
}

bool node_in_region(const OrientationGraph& graph, const OrientationRegion& region, const dvec3& node, double slack) {
    if (!near_cap(region.center, region.cap_cosine, node, slack)) return false;
    for (Index k = region.first; k < region.first + region.count; ++k) {
        if (glm::dot(graph.directions[k], node) > slack) return false;
    }
    return true;
}

std::uint32_t SphereGrid::cell(const glm::dvec3& d) const {
    const glm::dvec3 m = absolute(d);
    const int axis = m.x >= m.y && m.x >= m.z ? 0 : m.y >= m.z ? 1 : 2;
    const double scale = 0.5 * side / m[axis];
    const auto along = [&](double x) { return std::clamp(static_cast<int>(x * scale + 0.5 * side), 0, side - 1); };
    const int face = 2 * axis + (d[axis] < 0.0);
    return static_cast<Index>((face * side + along(d[(axis + 2) % 3])) * side + along(d[(axis + 1) % 3]));
}

OrientationGraph make_orientation_graph(const Polyhedron& p) {
    OrientationGraph graph;
    graph.skew = p.skew;
    graph.edges = p.edges.size();
    graph.links = make_face_orientation_graph(p);
    graph.arc_of_edge.assign(p.edges.size(), nowhere);
    graph.region_of_vertex.assign(p.vertices.size(), nowhere);
    for (const PolyhedronFace& f : p.faces) graph.nodes.push_back(f.normal);
    for (Index e = 0; e < p.edges.size(); ++e) {
        for (int k = 0; k < 3; ++k) graph.axes[k].push_back(static_cast<float>(p.edges[e].direction[k]));
        if (p.edges[e].convex) add_arc(graph, p.edges[e], e);
    }
    for (Index v = 0; v < p.vertices.size(); ++v) add_region(graph, p, v);
    const double margin = grid_slack + 2.0 * graph.skew;
    graph.arc_grid = make_grid(graph.arcs.size(), [&](Index i, const dvec3& center, double cell) {
        const OrientationArc& arc = graph.arcs[i];
        const double reach = cell + 0.5 * arc_step + margin;
        return std::abs(glm::dot(center, arc.axis)) <= reach &&
               (arc.half_angle + reach >= pi || glm::dot(center, arc.middle) >= std::cos(arc.half_angle + reach));
    });
    graph.region_grid = make_grid(graph.regions.size(), [&](Index i, const dvec3& center, double cell) {
        return node_in_region(graph, graph.regions[i], center, cell + margin);
    });
    return graph;
}

}  // namespace talus
