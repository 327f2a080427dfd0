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

std::vector<dvec3> points_of(const std::vector<vec3>& vertices, const MatrixTransform& pose) {
    std::vector<dvec3> points;
    for (const vec3& v : vertices) points.push_back(dvec3(pose.position) + dmat3(pose.rotation) * dvec3(v));
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

/// How far p is from the point, segment or triangle between a feature's vertices. That is in the hull, however the hull
/// builder's faces are rounded.
double off_feature(const dvec3& p, const ClosestFeature& feature, const std::vector<dvec3>& points) {
    const auto corner = [&](int i) { return points[feature.vertices[i]]; };
    const dvec3 ap = p - corner(0);
    if (feature.count == 1) return glm::length(ap);
    const dvec3 ab = corner(1) - corner(0);
    if (feature.count == 2) {
        const double t = std::clamp(glm::dot(ap, ab) / glm::dot(ab, ab), 0.0, 1.0);
        return glm::length(ap - t * ab);
    }
    const dvec3 ac = corner(2) - corner(0), n = glm::cross(ab, ac);
    const double nn = glm::dot(n, n);
    const double wb = std::max(0.0, glm::dot(glm::cross(ap, ac), n) / nn);
    const double wc = std::max(0.0, glm::dot(glm::cross(ab, ap), n) / nn), sum = std::max(1.0, wb + wc);
    return glm::length(ap - (wb / sum) * ab - (wc / sum) * ac);
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
    s.points = points_of(hull.vertices, pose);
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
    : a_(*make_polytope_graph(pair.a)), b_(*make_polytope_graph(pair.b)) {}

DistanceBounds DistanceOracle::operator()(const MatrixTransform& pose) const {
    const GjkMethods methods{.simplex = SimplexMethod::johnson, .gap = 1e-12};
    GjkVariantMemory cold;
    const GjkVariantResult answer = gjk_variant(a_, b_, pose, methods, cold);
    const dvec3 between = answer.point_b - answer.point_a;
    if (answer.feature_a.count == 0 || answer.feature_b.count == 0) return {};
    const std::vector<dvec3> a = points_of(a_.vertices, {}), b = points_of(b_.vertices, pose);
    const double off =
        off_feature(answer.point_a, answer.feature_a, a) + off_feature(answer.point_b, answer.feature_b, b);
    const double length = glm::length(between);
    if (!(length > 0.0)) return {0.0, off};
    const dvec3 n = between / length;
    double lower = -farthest(b, -n) - farthest(a, n);
    // The difference of two points far from the origin is rounded, and a plane turned by that may lose more than the
    // search did. The normal is at right angles to the edges of both closest features, which are not.
    std::vector<dvec3> edges;
    for (int i = 1; i < answer.feature_a.count; ++i)
        edges.push_back(a[answer.feature_a.vertices[i]] - a[answer.feature_a.vertices[0]]);
    for (int i = 1; i < answer.feature_b.count; ++i)
        edges.push_back(b[answer.feature_b.vertices[i]] - b[answer.feature_b.vertices[0]]);
    const auto enter = [&](dvec3 normal) {
        const double size = glm::length(normal);
        if (!(size > 0.0)) return;
        normal *= (glm::dot(normal, n) < 0.0 ? -1.0 : 1.0) / size;
        lower = std::max(lower, -farthest(b, -normal) - farthest(a, normal));
    };
    for (std::size_t i = 0; i < edges.size(); ++i) {
        enter(n - glm::dot(n, edges[i]) / glm::dot(edges[i], edges[i]) * edges[i]);
        for (std::size_t j = i + 1; j < edges.size(); ++j) enter(glm::cross(edges[i], edges[j]));
    }
    return {lower, length + off};
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
