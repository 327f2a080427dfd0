#include <talus/narrowphase/nonconvex/polyhedron.h>

#include "common/number_text.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace talus {

namespace {

using glm::dvec3;
using Index = std::uint32_t;

constexpr Index none = ~Index(0);

/// A side of an input polygon, from one vertex to the next.
struct HalfEdge {
    Index from, to, polygon;
};

std::string edge_name(Index a, Index b) { return std::to_string(a) + "-" + std::to_string(b); }

Error refuse(ErrorCode code, const std::string& why) { return {code, "make_polyhedron: " + why}; }

class PolyhedronBuilder {
public:
    PolyhedronBuilder(std::span<const vec3> vertices, std::span<const Index> corners, std::span<const Index> sizes)
        : corners_(corners), sizes_(sizes) {
        for (const vec3& v : vertices) points_.emplace_back(v);
    }

    Result<Polyhedron> build() {
        if (Error error = read_polygons()) return error;
        if (Error error = pair_half_edges()) return error;
        if (Error error = measure()) return error;
        merge_coplanar();
        if (Error error = collect_edges()) return error;
        if (Error error = drop_unused_vertices()) return error;
        if (Error error = check_shells()) return error;
        return std::move(out_);
    }

private:
    Error read_polygons() {
        for (std::size_t i = 0; i < points_.size(); ++i) {
            if (!is_finite(vec3(points_[i]))) {
                return refuse(ErrorCode::not_finite, "vertex " + std::to_string(i) + " is " +
                                                         detail::text(vec3(points_[i])) +
                                                         ", which is not finite; check the file.");
            }
        }
        std::size_t first = 0;
        for (Index p = 0; p < sizes_.size(); ++p) {
            const Index n = sizes_[p];
            if (n < 3) {
                return refuse(ErrorCode::bad_argument, "polygon " + std::to_string(p) + " has " + std::to_string(n) +
                                                           " corners; it needs at least 3.");
            }
            if (n > corners_.size() - first) {
                return refuse(ErrorCode::bad_argument,
                              "polygon " + std::to_string(p) + " has " + std::to_string(n) + " corners, but only " +
                                  std::to_string(corners_.size() - first) + " are left in `corners`.");
            }
            for (Index k = 0; k < n; ++k) {
                const Index a = corners_[first + k], b = corners_[first + (k + 1) % n];
                if (a >= points_.size()) {
                    return refuse(ErrorCode::bad_argument, "polygon " + std::to_string(p) + " has the index " +
                                                               std::to_string(a) + ", but there are " +
                                                               std::to_string(points_.size()) +
                                                               " vertices; indices must be less than that.");
                }
                if (a == b) {
                    return refuse(ErrorCode::bad_argument, "polygon " + std::to_string(p) + " has vertex " +
                                                               std::to_string(a) +
                                                               " twice in a row; remove one of the two corners.");
                }
                half_.push_back({a, b, p});
            }
            start_.push_back(static_cast<Index>(first));
            first += n;
        }
        if (first != corners_.size()) {
            return refuse(ErrorCode::bad_argument, "there are " + std::to_string(corners_.size()) +
                                                       " corners, but the polygons have " + std::to_string(first) +
                                                       " together; the two must be equal.");
        }
        start_.push_back(static_cast<Index>(first));
        if (sizes_.size() < 4) {
            return refuse(ErrorCode::degenerate_shape, "there are " + std::to_string(sizes_.size()) +
                                                           " polygons, and fewer than four polygons enclose no "
                                                           "volume.");
        }
        return {};
    }

    /// Finds for each half-edge the one in the opposite direction.
    Error pair_half_edges() {
        std::vector<Index> order(half_.size());
        std::iota(order.begin(), order.end(), Index(0));
        const auto key = [&](Index h) {
            const auto [low, high] = std::minmax(half_[h].from, half_[h].to);
            return (std::uint64_t(low) << 32) | high;
        };
        std::sort(order.begin(), order.end(),
                  [&](Index a, Index b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
        twin_.assign(half_.size(), none);
        for (std::size_t i = 0; i < order.size();) {
            std::size_t end = i + 1;
            while (end < order.size() && key(order[end]) == key(order[i])) ++end;
            const HalfEdge& h = half_[order[i]];
            const std::string edge = "edge " + edge_name(h.from, h.to);
            if (end - i == 1) {
                return refuse(ErrorCode::bad_argument,
                              edge +
                                  " bounds only one polygon: the surface is not closed there; fill the hole, and "
                                  "weld vertices at the same place.");
            }
            if (end - i > 2) {
                return refuse(ErrorCode::bad_argument, edge + " bounds " + std::to_string(end - i) +
                                                           " polygons: two may meet there; pull the parts apart.");
            }
            if (half_[order[i + 1]].from == h.from) {
                return refuse(ErrorCode::bad_argument, edge +
                                                           " runs the same way round both its polygons: one of them "
                                                           "is turned over; orient all outward.");
            }
            twin_[order[i]] = order[i + 1];
            twin_[order[i + 1]] = order[i];
            i = end;
        }
        return {};
    }

    /// Computes the box, the bounding sphere, and the polygons' areas.
    Error measure() {
        dvec3 lower = points_[half_[0].from], upper = lower;
        for (const HalfEdge& h : half_) {
            lower = glm::min(lower, points_[h.from]);
            upper = glm::max(upper, points_[h.from]);
        }
        out_.center = 0.5 * (lower + upper);
        for (const HalfEdge& h : half_) {
            out_.radius = std::max(out_.radius, glm::length(points_[h.from] - out_.center));
        }
        flatness_ = planarity_tolerance * out_.radius;
        // Vertices far from the origin have larger rounding errors than the size alone would suggest.
        grain_ = 2e-7 * std::max(glm::length(lower), glm::length(upper));
        flatness_ += grain_;
        out_.tolerance = flatness_;
        double volume = 0.0;
        for (Index p = 0; p < sizes_.size(); ++p) {
            dvec3 area(0.0);
            const dvec3 first = points_[half_[start_[p]].from];
            for (Index k = start_[p]; k < start_[p + 1]; ++k) {
                area += 0.5 * glm::cross(points_[half_[k].from] - first, points_[half_[k].to] - first);
                volume += glm::dot(first - out_.center,
                                   glm::cross(points_[half_[k].from] - first, points_[half_[k].to] - first)) /
                          6.0;
            }
            areas_.push_back(area);
        }
        if (!(std::abs(volume) > 1e-12 * out_.radius * out_.radius * out_.radius)) {
            return refuse(ErrorCode::degenerate_shape, "the polygons enclose no volume.");
        }
        if (volume < 0.0) {
            return refuse(ErrorCode::bad_argument, "the polygons look inward; reverse the order of their corners.");
        }
        return {};
    }

    bool near_plane(Index polygon, const dvec3& normal, const dvec3& point) const {
        for (Index k = start_[polygon]; k < start_[polygon + 1]; ++k) {
            if (std::abs(glm::dot(normal, points_[half_[k].from] - point)) > flatness_) return false;
        }
        return true;
    }

    /// Makes faces from the largest polygons and their neighbours in the same plane. A polygon without area (its
    /// corners lie on one line) is merged with any neighbour whose plane it fits.
    void merge_coplanar() {
        std::vector<Index> order(areas_.size());
        std::iota(order.begin(), order.end(), Index(0));
        std::vector<double> size;
        for (const dvec3& a : areas_) size.push_back(glm::length(a));
        std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return size[a] > size[b]; });
        face_of_.assign(areas_.size(), none);
        std::vector<Index> stack;
        for (const Index seed : order) {
            if (face_of_[seed] != none) continue;
            const auto face = static_cast<Index>(out_.faces.size());
            const dvec3 normal = size[seed] > 0.0 ? areas_[seed] / size[seed] : dvec3(0.0, 1.0, 0.0);
            const dvec3 point = points_[half_[start_[seed]].from];
            out_.faces.push_back({normal, glm::dot(normal, point)});
            face_of_[seed] = face;
            stack.assign(1, seed);
            while (!stack.empty()) {
                const Index p = stack.back();
                stack.pop_back();
                for (Index k = start_[p]; k < start_[p + 1]; ++k) {
                    const Index q = half_[twin_[k]].polygon;
                    if (face_of_[q] != none || !near_plane(q, normal, point)) continue;
                    const double along = glm::dot(areas_[q], normal);
                    const double across = glm::length(glm::cross(areas_[q], normal));
                    const bool flat = size[q] <= flatness_ * flatness_;
                    const double angle = coplanar_angle + grain_ / std::sqrt(std::max(size[q], 1e-300));
                    if (!flat && (along <= 0.0 || across > angle * along)) continue;
                    face_of_[q] = face;
                    stack.push_back(q);
                }
            }
        }
    }

    Error collect_edges() {
        for (Index h = 0; h < half_.size(); ++h) {
            const Index left = face_of_[half_[h].polygon], right = face_of_[half_[twin_[h]].polygon];
            if (h > twin_[h] || left == right) continue;
            PolyhedronEdge edge{{half_[h].from, half_[h].to}, {left, right}, {}, false};
            const dvec3 along = points_[edge.vertices[1]] - points_[edge.vertices[0]];
            if (!(glm::length(along) > 0.0)) {
                return refuse(ErrorCode::degenerate_shape, "edge " + edge_name(half_[h].from, half_[h].to) +
                                                               " has no length; weld vertices at the same place.");
            }
            edge.direction = glm::normalize(along);
            const dvec3 n0 = out_.faces[left].normal, n1 = out_.faces[right].normal;
            edge.convex = glm::dot(glm::cross(n0, n1), edge.direction) > 0.0;
            out_.skew =
                std::max({out_.skew, std::abs(glm::dot(n0, edge.direction)), std::abs(glm::dot(n1, edge.direction))});
            out_.edges.push_back(edge);
        }
        const double most = 0.02;  // bent input exceeds this; merged faces stay far below
        for (const PolyhedronEdge& e : out_.edges) {
            for (const Index f : e.faces) {
                if (std::abs(glm::dot(out_.faces[f].normal, e.direction)) > most ||
                    std::abs(glm::dot(out_.faces[f].normal, points_[e.vertices[0]]) - out_.faces[f].offset) >
                        4.0 * flatness_) {
                    return refuse(
                        ErrorCode::degenerate_shape,
                        "edge " + edge_name(e.vertices[0], e.vertices[1]) +
                            " does not lie in the plane of its polygon; cut bent polygons into triangles, and "
                            "collapse triangles without area.");
                }
            }
        }
        return {};
    }

    static void invert(std::size_t count, const std::vector<PolyhedronEdge>& edges,
                       std::array<Index, 2> PolyhedronEdge::*ends, std::vector<Index>& start,
                       std::vector<Index>& list) {
        start.assign(count + 1, 0);
        for (const PolyhedronEdge& e : edges) {
            for (const Index x : e.*ends) ++start[x + 1];
        }
        std::partial_sum(start.begin(), start.end(), start.begin());
        list.resize(2 * edges.size());
        std::vector<Index> next(start.begin(), start.end() - 1);
        for (Index e = 0; e < edges.size(); ++e) {
            for (const Index x : edges[e].*ends) list[next[x]++] = e;
        }
    }

    Error drop_unused_vertices() {
        original_.clear();
        std::vector<Index> renumbered(points_.size(), none);
        for (PolyhedronEdge& e : out_.edges) {
            for (Index& v : e.vertices) {
                if (renumbered[v] == none) {
                    renumbered[v] = static_cast<Index>(out_.vertices.size());
                    out_.vertices.push_back(points_[v]);
                    original_.push_back(v);
                }
                v = renumbered[v];
            }
        }
        invert(out_.vertices.size(), out_.edges, &PolyhedronEdge::vertices, out_.vertex_start, out_.vertex_edges);
        invert(out_.faces.size(), out_.edges, &PolyhedronEdge::faces, out_.face_start, out_.face_edges);
        for (Index f = 0; f < out_.faces.size(); ++f) {
            if (out_.edges_of_face(f).size() < 3) {
                return refuse(ErrorCode::degenerate_shape, "a face has fewer than three edges: it encloses nothing.");
            }
        }
        return {};
    }

    Index root(Index p) {
        while (parent_[p] != p) p = parent_[p] = parent_[parent_[p]];
        return p;
    }

    /// A shell that faces outward must lie outside the solid of the others, one that faces inward (a cavity) inside it.
    Error check_shells() {
        parent_.resize(areas_.size());
        std::iota(parent_.begin(), parent_.end(), Index(0));
        for (Index h = 0; h < half_.size(); ++h) parent_[root(half_[h].polygon)] = root(half_[twin_[h]].polygon);

        std::vector<double> volume(areas_.size(), 0.0);
        for (Index p = 0; p < areas_.size(); ++p) {
            volume[root(p)] += glm::dot(areas_[p], points_[half_[start_[p]].from] - out_.center) / 3.0;
        }
        std::vector<Index> shell_roots;
        std::vector<Index> shell_of_vertex(points_.size(), none);
        for (const HalfEdge& h : half_) shell_of_vertex[h.from] = root(h.polygon);
        for (Index v = 0; v < out_.vertices.size(); ++v) {
            const Index r = shell_of_vertex[original_[v]];
            if (std::find(shell_roots.begin(), shell_roots.end(), r) != shell_roots.end()) continue;
            shell_roots.push_back(r);
            out_.shells.push_back(v);
        }
        if (shell_roots.size() < 2) return {};
        for (std::size_t i = 0; i < shell_roots.size(); ++i) {
            Polyhedron others = out_;
            others.edges.clear();
            for (const PolyhedronEdge& e : out_.edges) {
                if (shell_of_vertex[original_[e.vertices[0]]] != shell_roots[i]) others.edges.push_back(e);
            }
            invert(others.faces.size(), others.edges, &PolyhedronEdge::faces, others.face_start, others.face_edges);
            const bool inside = contains(others, out_.vertices[out_.shells[i]]);
            if (inside != (volume[shell_roots[i]] < 0.0)) {
                return refuse(ErrorCode::bad_argument,
                              "the shell of vertex " + std::to_string(original_[out_.shells[i]]) +
                                  (inside ? " lies inside another and looks outward, too; remove it, or reverse it to "
                                            "make it a cavity."
                                          : " looks inward and lies in no other; reverse the order of its corners."));
            }
        }
        return {};
    }

    std::span<const Index> corners_, sizes_;
    std::vector<dvec3> points_;
    std::vector<HalfEdge> half_;  ///< in the order of corners_
    std::vector<Index> twin_;
    std::vector<Index> start_;  ///< of each polygon in half_
    std::vector<dvec3> areas_;  ///< of each polygon, outward, m^2
    std::vector<Index> face_of_;
    std::vector<Index> original_;  ///< the input's number of each vertex kept
    std::vector<Index> parent_;    ///< polygons joined to shells
    double flatness_ = 0.0;        ///< m
    double grain_ = 0.0;           ///< of the vertices' coordinates, m
    Polyhedron out_;
};

/// Counts how often a ray from `point` along `ray` crosses the boundary. Returns false if it passes too near to an edge
/// to tell.
bool count_crossings(const Polyhedron& p, const dvec3& point, const dvec3& ray, bool& odd) {
    const double near_edge = 1e-9 * p.radius;
    const dvec3 across_ray = glm::cross(ray, std::abs(ray.x) < 0.6 ? dvec3(1, 0, 0) : dvec3(0, 1, 0));
    const dvec3 m = glm::normalize(across_ray);
    for (Index f = 0; f < p.faces.size(); ++f) {
        const std::span<const Index> boundary = p.edges_of_face(f);
        if (boundary.empty()) continue;
        const double height = p.faces[f].offset - glm::dot(p.faces[f].normal, point);
        const double slope = glm::dot(p.faces[f].normal, ray);
        if (std::abs(slope) < 1e-6) {
            if (std::abs(height) < 1e-5 * p.radius) return false;
            continue;
        }
        if (height / slope < 0.0) continue;
        // Seen along the ray: on which side of an edge the point lies, by a plane through ray and point.

        bool inside = false;
        for (const Index e : boundary) {
            const dvec3 u = p.vertices[p.edges[e].vertices[0]] - point, v = p.vertices[p.edges[e].vertices[1]] - point;
            const double su = glm::dot(m, u), sv = glm::dot(m, v);
            if ((su >= 0.0) == (sv >= 0.0)) continue;
            const dvec3 across = glm::cross(ray, p.edges[e].direction);
            const double side = glm::dot(u, across);
            if (std::abs(side) <= near_edge * glm::length(across)) return false;
            inside ^= (side > 0.0) == (sv >= 0.0);
        }
        odd ^= inside;
    }
    return true;
}

}  // namespace

Result<Polyhedron> make_polyhedron(std::span<const vec3> vertices, std::span<const std::uint32_t> corners,
                                   std::span<const std::uint32_t> sizes) {
    return PolyhedronBuilder(vertices, corners, sizes).build();
}

Result<Polyhedron> make_polyhedron(std::span<const vec3> vertices, std::span<const std::uint32_t> triangles) {
    if (triangles.size() % 3 != 0) {
        return refuse(ErrorCode::bad_argument,
                      "there are " + std::to_string(triangles.size()) + " indices; give three for each triangle.");
    }
    return make_polyhedron(vertices, triangles, std::vector<std::uint32_t>(triangles.size() / 3, 3));
}

bool contains(const Polyhedron& polyhedron, const glm::dvec3& point) {
    if (glm::length(point - polyhedron.center) > polyhedron.radius * (1.0 + 1e-9)) return false;
    // Directions that no model is likely to be aligned with. If one passes near an edge, the next is tried.
    dvec3 ray = glm::normalize(dvec3(0.5377, 0.2843, 0.7938));
    bool odd = false;
    for (int attempt = 0; attempt < 16; ++attempt) {
        odd = false;
        if (count_crossings(polyhedron, point, ray, odd)) break;
        ray = glm::normalize(dvec3(0.31 - ray.z, ray.x + 0.17 * ray.y, 0.73 * ray.y - 0.41));
    }
    return odd;
}

}  // namespace talus
