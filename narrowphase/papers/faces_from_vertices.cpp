#include <talus/narrowphase/papers/faces_from_vertices.h>

#include <glm/geometric.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace talus {

namespace {

using glm::dvec3;
using VertexIndex = std::uint16_t;

constexpr std::size_t most_vertices = 65535;
constexpr double share_of_extent = 1e-6;
constexpr double coordinate_rounding = 4.8e-7;  // four units in the last place of a float, relative

Error refusal(ErrorCode code, const std::string& what) { return {code, "faces_from_vertices: " + what}; }

/// A triple of vertices that is a face or part of one.
struct Triple {
    VertexIndex corners[3];
    dvec3 normal;  ///< outward, unit
    double area2;  ///< twice its area, m^2
};

class FacesBuilder {
public:
    FacesBuilder(std::span<const vec3> vertices, double tolerances) : points_(vertices.begin(), vertices.end()) {
        dvec3 lower = points_[0], upper = points_[0], reach(0.0);
        for (const dvec3& p : points_) {
            lower = glm::min(lower, p);
            upper = glm::max(upper, p);
            reach = glm::max(reach, absolute(p));
            centroid_ += p;
        }
        centroid_ /= static_cast<double>(points_.size());
        tolerance_ = tolerances * (share_of_extent * (upper - lower) + coordinate_rounding * reach);
    }

    Result<PolyhedronFaces> build() {
        find_triples();
        if (triples_.empty()) {
            return refusal(ErrorCode::degenerate_shape,
                           "no plane through three of the points has the others on one side of it and their middle off "
                           "it; give the vertices of a convex polyhedron that has a volume.");
        }
        unite();
        if (Error error = check_vertices()) return error;
        return trace_edges();
    }

private:
    std::vector<dvec3> points_;
    dvec3 centroid_{0.0};
    dvec3 tolerance_;  ///< along each axis, m
    std::vector<Triple> triples_;
    std::vector<Triple> planes_;  ///< of each face, the largest of its triples
    std::vector<std::vector<VertexIndex>> corners_;

    double height(const Triple& plane, const dvec3& p) const {
        return glm::dot(plane.normal, p - points_[plane.corners[0]]);
    }
    double tolerance_along(const dvec3& unit) const { return glm::dot(absolute(unit), tolerance_); }

    /// The paper's IsFace. Flips the normal if it points inward.
    bool is_face(Triple& triple) const {
        const dvec3& a = points_[triple.corners[0]];
        const dvec3 cross = glm::cross(points_[triple.corners[1]] - a, points_[triple.corners[2]] - a);
        triple.area2 = glm::length(cross);
        if (triple.area2 == 0.0) return false;
        triple.normal = cross / triple.area2;
        const double tolerance = tolerance_along(triple.normal);
        const double middle = height(triple, centroid_);
        if (std::abs(middle) <= tolerance) return false;
        if (middle > 0.0) triple.normal = -triple.normal;
        return std::none_of(points_.begin(), points_.end(),
                            [&](const dvec3& p) { return height(triple, p) > tolerance; });
    }

    void find_triples() {
        const std::size_t n = points_.size();
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = i + 1; j < n; ++j) {
                for (std::size_t k = j + 1; k < n; ++k) {
                    Triple triple{
                        {static_cast<VertexIndex>(i), static_cast<VertexIndex>(j), static_cast<VertexIndex>(k)},
                        {},
                        0.0};
                    if (is_face(triple)) triples_.push_back(triple);
                }
            }
        }
        std::stable_sort(triples_.begin(), triples_.end(),
                         [](const Triple& a, const Triple& b) { return a.area2 > b.area2; });
    }

    /// If the triple's corners all lie on the plane of a face, adds them to that face; else begins a new face.
    void unite() {
        for (const Triple& triple : triples_) {
            const auto on = [&](const Triple& plane) {
                const double tolerance = tolerance_along(plane.normal);
                return glm::dot(plane.normal, triple.normal) > 0.0 &&
                       std::all_of(triple.corners, triple.corners + 3,
                                   [&](VertexIndex v) { return std::abs(height(plane, points_[v])) <= tolerance; });
            };
            const auto found = std::find_if(planes_.begin(), planes_.end(), on);
            const auto face = static_cast<std::size_t>(found - planes_.begin());
            if (found == planes_.end()) {
                planes_.push_back(triple);
                corners_.emplace_back();
            }
            for (const VertexIndex v : triple.corners) {
                std::vector<VertexIndex>& corners = corners_[face];
                if (std::find(corners.begin(), corners.end(), v) == corners.end()) corners.push_back(v);
            }
        }
    }

    /// A corner of a polyhedron belongs to three faces or more, a point on an edge to two, on a face to one.
    Error check_vertices() const {
        std::vector<int> count(points_.size(), 0);
        for (const std::vector<VertexIndex>& face : corners_) {
            for (const VertexIndex v : face) ++count[v];
        }
        const auto bad = std::find_if(count.begin(), count.end(), [](int c) { return c < 3; });
        if (bad == count.end()) return {};
        static constexpr const char* where[] = {"lies inside the others' hull", "lies on a face", "lies on an edge"};
        return refusal(ErrorCode::bad_argument, "point " + std::to_string(bad - count.begin()) + " " + where[*bad] +
                                                    " and is no vertex; leave it out.");
    }

    /// Corners by their angle about the middle of the face, seen from outside.
    void sort_corners(std::vector<VertexIndex>& corners, const dvec3& normal) const {
        dvec3 middle(0.0);
        for (const VertexIndex v : corners) middle += points_[v];
        middle /= static_cast<double>(corners.size());
        std::sort(corners.begin(), corners.end());
        const dvec3 reference = points_[corners[0]] - middle, left = glm::cross(normal, reference);
        std::vector<std::pair<double, VertexIndex>> by_angle;
        for (const VertexIndex v : corners) {
            const dvec3 arm = points_[v] - middle;
            const double angle = std::atan2(glm::dot(arm, left), glm::dot(arm, reference));
            by_angle.push_back({v == corners[0] ? -1.0 : angle < 0.0 ? angle + 6.283185307179586 : angle, v});
        }
        std::sort(by_angle.begin(), by_angle.end());
        for (std::size_t i = 0; i < corners.size(); ++i) corners[i] = by_angle[i].second;
    }

    Result<PolyhedronFaces> trace_edges() {
        PolyhedronFaces result;
        std::vector<std::array<VertexIndex, 2>>
            sides;  // directed; the face on the other side has the opposite direction
        for (std::size_t f = 0; f < corners_.size(); ++f) {
            std::vector<VertexIndex>& corners = corners_[f];
            sort_corners(corners, planes_[f].normal);
            for (std::size_t i = 0; i < corners.size(); ++i)
                sides.push_back({corners[i], corners[(i + 1) % corners.size()]});
        }
        std::sort(sides.begin(), sides.end());
        bool closed = std::adjacent_find(sides.begin(), sides.end()) == sides.end();
        for (const auto& [from, to] : sides) {
            closed = closed && std::binary_search(sides.begin(), sides.end(), std::array<VertexIndex, 2>{to, from});
            if (from < to) result.edges.push_back({from, to});
        }
        if (!closed || points_.size() + corners_.size() != result.edges.size() + 2) {
            return refusal(ErrorCode::degenerate_shape,
                           "some vertices lie so near to the planes of others that the faces do not close; move them "
                           "apart, or use make_hull.");
        }
        result.faces = std::move(corners_);
        std::sort(result.faces.begin(), result.faces.end());
        return result;
    }
};

}  // namespace

Result<PolyhedronFaces> faces_from_vertices(std::span<const vec3> vertices, double tolerances) {
    if (vertices.size() < 4)
        return refusal(ErrorCode::degenerate_shape,
                       "there are " + std::to_string(vertices.size()) + " vertices; a polyhedron has at least four.");
    if (vertices.size() > most_vertices)
        return refusal(ErrorCode::too_complex,
                       "there are " + std::to_string(vertices.size()) + " vertices; there may be at most 65,535.");
    if (!(tolerances >= 0.0 && tolerances < 1e5))
        return refusal(ErrorCode::bad_argument, "`tolerances` is " + std::to_string(tolerances) +
                                                    "; it must be at least 0 and less than 100,000.");
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        if (!is_finite(vertices[i])) {
            return refusal(ErrorCode::not_finite,
                           "vertex " + std::to_string(i) + " is not finite; leave it out or mend it.");
        }
    }
    return FacesBuilder(vertices, tolerances).build();
}

}  // namespace talus
