#include "profiling/bench/gjk/gjk_check.h"

#include <talus/narrowphase/gjk_variants.h>

#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>

#include <algorithm>
#include <limits>

namespace talus::profiling {

namespace {

using glm::dmat3;
using glm::dvec3;

std::vector<dvec3> points_of(const Shape& shape, const MatrixTransform& pose) {
    std::vector<dvec3> points;
    for (const vec3& v : shape.hull->vertices) points.push_back(dvec3(pose.position) + dmat3(pose.rotation) * dvec3(v));
    return points;
}

double farthest(const std::vector<dvec3>& points, const dvec3& d) {
    double most = -std::numeric_limits<double>::infinity();
    for (const dvec3& p : points) most = std::max(most, glm::dot(p, d));
    return most;
}

/// The outward unit normal of a face, from its corners in double: the hull's own is rounded to float.
dvec3 normal_of(const Hull& hull, const HullFace& face, const std::vector<dvec3>& points) {
    dvec3 normal(0.0);  // Newell's sum over the corners
    for (std::uint32_t i = 0; i < face.count; ++i) {
        const std::uint32_t next = i + 1 == face.count ? 0 : i + 1;
        normal += glm::cross(points[hull.face_vertices[face.first + i]], points[hull.face_vertices[face.first + next]]);
    }
    return glm::normalize(normal);
}

/// How far p (in the hull's own frame) lies outside the hull's worst plane, at least 0.
double outside(const Hull& hull, const dvec3& p) {
    const std::vector<dvec3> points(hull.vertices.begin(), hull.vertices.end());
    double most = 0.0;
    for (const HullFace& face : hull.faces) {
        const dvec3 on_face = points[hull.face_vertices[face.first]];
        most = std::max(most, glm::dot(normal_of(hull, face, points), p - on_face));
    }
    return most;
}

/// An edge with the outward normals of its two faces.
struct Edge {
    dvec3 from, direction;
    dvec3 left, right;
};

struct Surface {
    std::vector<dvec3> points, normals;
    std::vector<Edge> edges;
};

Surface surface_of(const Shape& shape, const MatrixTransform& pose) {
    const Hull& hull = *shape.hull;
    Surface s;
    s.points = points_of(shape, pose);
    for (const HullFace& face : hull.faces) s.normals.push_back(normal_of(hull, face, s.points));
    for (std::size_t f = 0; f < hull.faces.size(); ++f) {
        const HullFace& face = hull.faces[f];
        for (std::uint32_t i = 0; i < face.count; ++i) {
            const std::size_t other = hull.face_neighbours[face.first + i];
            if (other < f) continue;
            const std::uint32_t next = i + 1 == face.count ? 0 : i + 1;
            const dvec3 from = s.points[hull.face_vertices[face.first + i]];
            const dvec3 to = s.points[hull.face_vertices[face.first + next]];
            s.edges.push_back({from, to - from, s.normals[f], s.normals[other]});
        }
    }
    return s;
}

}  // namespace

double DistanceBounds::error(double distance) const { return std::max(distance - lower, upper - distance); }

DistanceOracle::DistanceOracle(const PosedPair& pair)
    : pair_(&pair), a_(*make_polytope_graph(pair.a)), b_(*make_polytope_graph(pair.b)) {}

DistanceBounds DistanceOracle::operator()(const MatrixTransform& pose) const {
    const GjkMethods methods{.simplex = SimplexMethod::johnson, .gap = 1e-12};
    GjkVariantMemory cold;
    const GjkVariantResult answer = gjk_variant(a_, b_, pose, methods, cold);
    const dvec3 between = answer.point_b - answer.point_a;
    const dvec3 b_local = glm::inverse(dmat3(pose.rotation)) * (answer.point_b - dvec3(pose.position));
    const double off = outside(*pair_->a.hull, answer.point_a) + outside(*pair_->b.hull, b_local);
    const double length = glm::length(between);
    if (!(length > 0.0)) return {0.0, off};
    const dvec3 n = between / length;
    return {-farthest(points_of(pair_->b, pose), -n) - farthest(points_of(pair_->a, {}), n), length + off};
}

double exact_depth(const PosedPair& pair, const MatrixTransform& pose) {
    const Surface a = surface_of(pair.a, {}), b = surface_of(pair.b, pose);
    double depth = std::numeric_limits<double>::infinity();
    for (const dvec3& n : a.normals) depth = std::min(depth, farthest(a.points, n) + farthest(b.points, -n));
    for (const dvec3& n : b.normals) depth = std::min(depth, farthest(a.points, -n) + farthest(b.points, n));
    for (const Edge& e : a.edges) {
        for (const Edge& f : b.edges) {
            // A face of the difference, if the arc between the normals at e crosses the mirrored arc at f: each
            // edge's direction parts the other's two normals, and the arcs lie on the same half of the ball.
            const double l = glm::dot(e.left, f.direction), r = glm::dot(e.right, f.direction);
            if (l * r >= 0.0) continue;
            const double fl = glm::dot(f.left, e.direction), fr = glm::dot(f.right, e.direction);
            if (fl * fr >= 0.0) continue;
            const dvec3 cross = glm::cross(e.direction, f.direction);
            const double length = glm::length(cross);
            if (!(length > 0.0)) continue;
            const dvec3 n = cross / (glm::dot(cross, e.left + e.right) < 0.0 ? -length : length);
            if (glm::dot(n, f.left + f.right) >= 0.0) continue;
            depth = std::min(depth, glm::dot(n, e.from - f.from));
        }
    }
    return depth;
}

}  // namespace talus::profiling
