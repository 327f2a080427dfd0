#include <talus/narrowphase/nonconvex/face_orientation_graph.h>

#include "narrowphase/casts/double_rotation.h"
#include "narrowphase/nonconvex/orientation_graph.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

using glm::dvec3;
using Index = std::uint32_t;
using Graph = FaceOrientationGraph;

/// Corners nearer than this to each other are one.
constexpr double same_corner = 1e-9;

class Linker {
public:
    Linker(const Polyhedron& p, Graph& graph) : p_(p), graph_(graph) {}

    void link() {
        for (const PolyhedronFace& f : p_.faces) graph_.nodes.push_back({f.normal, nowhere});
        for (Index e = 0; e < p_.edges.size(); ++e) {
            const PolyhedronEdge& edge = p_.edges[e];
            graph_.arcs.push_back({edge.faces, edge.vertices, edge.direction, edge.convex});
            // Counter-clockwise around its first vertex, the edge is crossed from its right face to its left one.
            graph_.half_arcs.push_back({edge.faces[1], edge.faces[0], edge.vertices[0], nowhere});
            graph_.half_arcs.push_back({edge.faces[0], edge.faces[1], edge.vertices[1], nowhere});
            for (Index k = 0; k < 2; ++k) graph_.nodes[edge.faces[k]].first_half = 2 * e + 1 - k;
        }
        graph_.node_arcs = p_.face_edges;
        graph_.node_start = p_.face_start;
        graph_.region_arcs = p_.vertex_edges;
        graph_.region_start = p_.vertex_start;
        graph_.convex = p_.shells.size() == 1;
        for (Index v = 0; v < p_.vertices.size(); ++v) {
            link_cycles(v);
            add_region(v);
        }
    }

private:
    /// Sets `next` of the half-arcs of a vertex: which edge follows each around it. Between two edges that follow each
    /// other lies a corner of a face, from an edge that leaves the vertex on the face's boundary counter-clockwise to
    /// the first one that arrives.
    void link_cycles(Index v) {
        const std::span<const Index> edges = p_.edges_of_vertex(v);
        for (const Index e : edges) {
            const bool first = p_.edges[e].vertices[0] == v;
            const Index half = 2 * e + (first ? 0 : 1);
            const Index face = graph_.half_arcs[half].to;
            const Index next = arriving(v, e, face);
            graph_.half_arcs[half].next = 2 * next + (p_.edges[next].vertices[0] == v ? 0 : 1);
        }
    }

    dvec3 away(Index edge, Index v) const {
        return p_.edges[edge].vertices[0] == v ? p_.edges[edge].direction : -p_.edges[edge].direction;
    }

    /// Returns the edge that ends the corner of `face` at v that starts with the edge `leaving`.
    Index arriving(Index v, Index leaving, Index face) const {
        const dvec3 x = away(leaving, v), y = glm::cross(p_.faces[face].normal, x);
        Index best = leaving;
        double least = 5.0;
        for (const Index e : p_.edges_of_vertex(v)) {
            const PolyhedronEdge& edge = p_.edges[e];
            // It arrives at v on the boundary of this face: as its left face with its end here, or as its right face
            // with its start here.
            if (edge.faces[edge.vertices[0] == v ? 1 : 0] != face || e == leaving) continue;
            const dvec3 d = away(e, v);
            const double turn = quarter_turns(glm::dot(d, x), glm::dot(d, y));
            if (turn < least) least = turn, best = e;
        }
        return best;
    }

    /// Returns a number in [0, 4) that grows with the angle of (x, y).
    static double quarter_turns(double x, double y) {
        const double r = std::abs(x) + std::abs(y);
        if (y >= 0.0) return x >= 0.0 ? y / r : 1.0 - x / r;
        return x < 0.0 ? 2.0 - y / r : 3.0 + x / r;
    }

    /// Adds the corners of a vertex's region, in order: those of the polar cone of its edges' directions.
    void add_region(Index v) {
        const std::span<const Index> edges = p_.edges_of_vertex(v);
        Graph::Region region{};
        region.first = static_cast<Index>(graph_.corners.size());
        region.first_half = 2 * edges[0] + (p_.edges[edges[0]].vertices[0] == v ? 0 : 1);
        region.convex = std::all_of(edges.begin(), edges.end(), [&](Index e) { return p_.edges[e].convex; });
        graph_.convex = graph_.convex && region.convex;
        if (region.convex && cycle_length(region.first_half) == edges.size()) {
            add_cycle(region.first_half);
        } else if (edges.size() <= most_edges_for_corners) {
            add_polar_corners(v, edges);
        }
        region.corners = static_cast<Index>(graph_.corners.size()) - region.first;
        graph_.regions.push_back(region);
    }

    std::size_t cycle_length(Index first) const {
        std::size_t n = 1;
        for (Index h = graph_.half_arcs[first].next; h != first; h = graph_.half_arcs[h].next) ++n;
        return n;
    }

    /// The cycle of a convex vertex is the boundary of its region.
    void add_cycle(Index first) {
        Index h = first;
        do {
            const Graph::HalfArc& half = graph_.half_arcs[h];
            graph_.corners.push_back(graph_.nodes[half.from].direction);
            graph_.sides.push_back(h / 2);
            h = half.next;
        } while (h != first);
    }

    void add_polar_corners(Index v, std::span<const Index> edges) {
        struct Corner {
            dvec3 direction;
            double turn;
        };
        std::vector<dvec3> directions;
        for (const Index e : edges) directions.push_back(away(e, v));
        std::vector<Corner> found;
        for (const dvec3& corner : polar_corners(directions)) {
            const auto same = [&](const Corner& c) {
                return glm::dot(c.direction - corner, c.direction - corner) < same_corner * same_corner;
            };
            if (!std::any_of(found.begin(), found.end(), same)) found.push_back({corner, 0.0});
        }
        if (found.empty()) return;
        dvec3 middle(0.0);
        for (const Corner& c : found) middle += c.direction;
        const dvec3 x =
            glm::cross(middle, std::abs(middle.x) < 0.6 * detail::length(middle) ? dvec3(1, 0, 0) : dvec3(0, 1, 0));
        const dvec3 y = glm::cross(middle, x);
        const double scale = detail::length(middle);
        for (Corner& c : found) c.turn = quarter_turns(scale * glm::dot(c.direction, x), glm::dot(c.direction, y));
        std::stable_sort(found.begin(), found.end(), [](const Corner& a, const Corner& b) { return a.turn < b.turn; });
        for (std::size_t k = 0; k < found.size(); ++k) {
            const dvec3 &from = found[k].direction, &to = found[(k + 1) % found.size()].direction;
            // The edge whose great circle has both corners.
            Index side = edges[0];
            double least = 4.0;
            for (const Index e : edges) {
                const dvec3 d = away(e, v);
                const double off = std::max(std::abs(glm::dot(d, from)), std::abs(glm::dot(d, to)));
                if (off < least) least = off, side = e;
            }
            graph_.corners.push_back(from);
            graph_.sides.push_back(side);
        }
    }

    const Polyhedron& p_;
    Graph& graph_;
};

}  // namespace

FaceOrientationGraph make_face_orientation_graph(const Polyhedron& polyhedron) {
    FaceOrientationGraph graph;
    Linker(polyhedron, graph).link();
    return graph;
}

}  // namespace talus
