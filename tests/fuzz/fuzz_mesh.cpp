#include "tests/fuzz/bytes.h"
#include "tests/fuzz/targets.h"

#include <talus/narrowphase/nonconvex/interference.h>
#include <talus/narrowphase/triangles/mesh.h>
#include <talus/narrowphase/triangles/queries.h>

#include <algorithm>
#include <cmath>

namespace talus::fuzz {

namespace {

using glm::dvec3;

struct Soup {
    std::vector<vec3> vertices;
    std::vector<std::uint32_t> indices;
    float scale;
};

/// Any corners of few vertices, some of them equal or all but equal: most edges are shared, by two or by more.
Soup read_soup(Bytes& bytes) {
    Soup soup;
    soup.scale = bytes.size();
    const int vertices = 3 + bytes.below(14), triangles = 1 + bytes.below(40);
    for (int i = 0; i < vertices; ++i) soup.vertices.push_back(bytes.point(soup.scale));
    for (int i = 0; i < 3 * triangles; ++i) {
        soup.indices.push_back(static_cast<std::uint32_t>(bytes.below(vertices + (i == 7))));  // or one beyond
    }
    return soup;
}

bool finite(const vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

bool boxes_meet(const Aabb& a, const Aabb& b) {
    return glm::all(glm::lessThanEqual(a.lower, b.upper)) && glm::all(glm::lessThanEqual(b.lower, a.upper));
}

std::string check_find(const TriangleSet& set, Bytes& bytes, float scale) {
    const vec3 p = bytes.point(scale), q = bytes.point(scale);
    const Aabb box{glm::min(p, q), glm::max(p, q)};
    std::vector<std::uint32_t> found, expected;
    set.find(box, found);
    for (std::uint32_t i = 0; i < set.size(); ++i) {
        const SetTriangle t = set.triangle(i);
        const Aabb of{glm::min(glm::min(t.points[0], t.points[1]), t.points[2]),
                      glm::max(glm::max(t.points[0], t.points[1]), t.points[2])};
        if (boxes_meet(of, box)) expected.push_back(i);
        if (std::abs(glm::length(t.normal) - 1.0f) > 1e-5f) return "a triangle's normal is not of unit length\n";
    }
    return found == expected ? "" : "a box finds other triangles than brute force\n";
}

/// A ray that passes a triangle well inside of its edges, from the side that holds off, must not get past it.
std::string check_ray(const TriangleSet& set, Bytes& bytes, float scale) {
    const vec3 origin = bytes.point(scale), translation = bytes.point(scale);
    const TriangleRayHit hit = ray_cast(set, origin, translation);
    if (!finite(hit.normal) || !(hit.fraction >= 0.0f && hit.fraction <= 1.0f)) return "a ray's hit is no number\n";
    const dvec3 o(origin), d(translation);
    for (std::uint32_t i = 0; i < set.size(); ++i) {
        const SetTriangle t = set.triangle(i);
        const dvec3 a(t.points[0]), u = dvec3(t.points[1]) - a, v = dvec3(t.points[2]) - a;
        const dvec3 n = glm::cross(u, v);
        const double along = glm::dot(n, d);
        if (std::abs(along) < 1e-2 * glm::length(n) * glm::length(d) || (!set.is_two_sided() && along > 0.0)) continue;
        const double s = glm::dot(n, a - o) / along;
        const dvec3 w = o + s * d - a;
        const double nn = glm::dot(n, n);
        const double y = glm::dot(glm::cross(u, w), n) / nn, x = glm::dot(glm::cross(w, v), n) / nn;
        const double inside = 1e-3;
        if (!(x > inside && y > inside && x + y < 1.0 - inside && s > inside && s < 1.0 - inside)) continue;
        if (!hit.hit) return "a ray misses a triangle that it passes through\n";
        if (hit.fraction > s + 1e-4) return "a ray hits behind a triangle that it passes through\n";
    }
    return "";
}

std::string check_shapes(const TriangleSet& set, Bytes& bytes, float scale) {
    const Shape shape = read_shape(bytes);
    const MatrixTransform frame = to_matrix_transform(bytes.pose(scale));
    const TriangleCastResult cast = shape_cast(set, shape, frame, bytes.point(scale));
    if (!finite(cast.cast.normal) || !(cast.cast.fraction >= 0.0f && cast.cast.fraction <= 1.0f)) {
        return "a shape cast is no number\n";
    }
    if (cast && cast.triangle >= set.size()) return "a shape cast names no triangle\n";
    overlaps(set, shape, frame);
    const vec3 point = bytes.point(scale);
    const NearestOnTriangles near = nearest(set, point);
    if (!near.found || !finite(near.point) || !(near.distance >= 0.0f)) return "a point has no nearest triangle\n";
    const double far = glm::distance(dvec3(near.point), dvec3(point));
    const double reach = std::max(glm::length(dvec3(set.bounds().lower)), glm::length(dvec3(set.bounds().upper)));
    const double rounding = 0x1p-22 * (reach + glm::length(dvec3(point)));
    if (std::abs(far - double(near.distance)) > 1e-5 * far + rounding)
        return "the nearest point is not where it says\n";
    return "";
}

/// As a solid: refused with a reason, or one that answers.
std::string check_solid(const Soup& soup, Bytes& bytes) {
    const Result<NonconvexShape> solid = make_nonconvex(soup.vertices, soup.indices);
    if (!solid) return solid.error().message.empty() ? "a polyhedron is refused without a reason\n" : "";
    const Transform pose = bytes.pose(soup.scale);
    NonconvexPair pair(*solid, *solid);
    for (const DistanceKind kind : {DistanceKind::none, DistanceKind::bound, DistanceKind::exact}) {
        const InterferenceResult r = interference(solid->polyhedron, {}, solid->polyhedron, pose, kind);
        const InterferenceResult tracked = pair.update({}, pose);
        if (!(r.distance >= 0.0)) return "a distance of polyhedra is no number\n";
        if (r.relation != tracked.relation) return "a tracked pair tells another relation\n";
    }
    return "";
}

}  // namespace

std::string fuzz_mesh(Input input) {
    Bytes bytes(input);
    const Soup soup = read_soup(bytes);
    const auto mesh = make_mesh({.vertices = soup.vertices, .indices = soup.indices, .two_sided = bytes.below(2) == 1});
    if (!mesh && mesh.error().message.empty()) return "a mesh is refused without a reason\n";
    std::string complaint;
    for (int i = 0; mesh && i < 3 && complaint.empty(); ++i) {
        complaint = check_find(**mesh, bytes, soup.scale) + check_ray(**mesh, bytes, soup.scale) +
                    check_shapes(**mesh, bytes, soup.scale);
    }
    return complaint + check_solid(soup, bytes);
}

}  // namespace talus::fuzz
