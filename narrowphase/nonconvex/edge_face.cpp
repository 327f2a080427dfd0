#include "narrowphase/nonconvex/edge_face.h"

#include <algorithm>

namespace talus {

namespace {

using glm::dvec3;
using Index = std::uint32_t;

/// Sines below which lines count as parallel: their common normal, and B with it, would be rounding.
constexpr double parallel = 1e-6;

double magnitude_xor(double a, double b) {
    const double least = std::min(std::abs(a), std::abs(b));
    return (a < 0.0) != (b < 0.0) ? least : -least;
}

/// Returns the normal of the auxiliary plane fe: at right angles to the edge, and to the face's normal unless the two
/// are parallel.
dvec3 auxiliary_normal(const dvec3& direction, const dvec3& face_normal) {
    dvec3 m = glm::cross(direction, face_normal);
    if (glm::dot(m, m) < parallel * parallel) {
        m = glm::cross(direction, std::abs(direction.x) < 0.6 ? dvec3(1, 0, 0) : dvec3(0, 1, 0));
    }
    return glm::normalize(m);
}

/// Returns whether a point of the face's plane lies in the face, by counting the edges that cross one half of a line
/// through it.
bool point_in_face(const dvec3& point, const Polyhedron& p, Index face) {
    const dvec3 n = absolute(p.faces[face].normal);
    const int drop = n.x >= n.y && n.x >= n.z ? 0 : n.y >= n.z ? 1 : 2;
    const int x = (drop + 1) % 3, y = (drop + 2) % 3;
    bool inside = false;
    for (const Index e : p.edges_of_face(face)) {
        const dvec3& u = p.vertices[p.edges[e].vertices[0]];
        const dvec3& v = p.vertices[p.edges[e].vertices[1]];
        if ((u[y] > point[y]) == (v[y] > point[y])) continue;
        const double t = (point[y] - u[y]) / (v[y] - u[y]);
        inside ^= u[x] + t * (v[x] - u[x]) > point[x];
    }
    return inside;
}

double squared(const dvec3& v) { return glm::dot(v, v); }

/// Returns the distance of two segments. Their nearest points are those of the lines if these are inside both segments;
/// otherwise one of them is an end.
double squared_distance(const dvec3& p0, const dvec3& p1, const dvec3& q0, const dvec3& q1) {
    const dvec3 u = p1 - p0, v = q1 - q0, w = p0 - q0;
    const double uu = glm::dot(u, u), uv = glm::dot(u, v), vv = glm::dot(v, v), uw = glm::dot(u, w),
                 vw = glm::dot(v, w);
    const auto to_segment = [](const dvec3& point, const dvec3& start, const dvec3& along, double length2) {
        const double t = std::clamp(glm::dot(point - start, along) / length2, 0.0, 1.0);
        return squared(point - start - t * along);
    };
    double best = std::min(std::min(to_segment(p0, q0, v, vv), to_segment(p1, q0, v, vv)),
                           std::min(to_segment(q0, p0, u, uu), to_segment(q1, p0, u, uu)));
    const double det = uu * vv - uv * uv;
    if (det > parallel * parallel * uu * vv) {
        const double s = (uv * vw - vv * uw) / det, t = (uu * vw - uv * uw) / det;
        if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) best = std::min(best, squared(w + s * u - t * v));
    }
    return best;
}

}  // namespace

double edge_face_distance(const Segment& edge, const Polyhedron& p, std::uint32_t face) {
    const PolyhedronFace& f = p.faces[face];
    const double a0 = vertex_face_distance(edge.ends[0], f), a1 = vertex_face_distance(edge.ends[1], f);
    if ((a0 < 0.0) != (a1 < 0.0)) {
        const dvec3 crossing = edge.ends[0] + (a0 / (a0 - a1)) * (edge.ends[1] - edge.ends[0]);
        if (point_in_face(crossing, p, face)) return 0.0;
    }
    double best = std::numeric_limits<double>::infinity();
    for (const auto& [end, height] : {std::pair(edge.ends[0], a0), std::pair(edge.ends[1], a1)}) {
        if (point_in_face(end - height * f.normal, p, face)) best = std::min(best, height * height);
    }
    for (const Index g : p.edges_of_face(face)) {
        const PolyhedronEdge& other = p.edges[g];
        best = std::min(best, squared_distance(edge.ends[0], edge.ends[1], p.vertices[other.vertices[0]],
                                               p.vertices[other.vertices[1]]));
    }
    return std::sqrt(best);
}

std::array<dvec3, 2> nearest_on_segments(const dvec3& p0, const dvec3& p1, const dvec3& q0, const dvec3& q1) {
    const dvec3 u = p1 - p0, v = q1 - q0, w = p0 - q0;
    const double uu = glm::dot(u, u), uv = glm::dot(u, v), vv = glm::dot(v, v), uw = glm::dot(u, w),
                 vw = glm::dot(v, w);
    std::array<dvec3, 2> best{p0, q0};
    double least = std::numeric_limits<double>::infinity();
    const auto offer = [&](double s, double t) {
        const dvec3 p = p0 + s * u, q = q0 + t * v;
        const double d = squared(p - q);
        if (d < least) least = d, best = {p, q};
    };
    offer(0.0, std::clamp(vw / vv, 0.0, 1.0));
    offer(1.0, std::clamp((vw + uv) / vv, 0.0, 1.0));
    offer(std::clamp(-uw / uu, 0.0, 1.0), 0.0);
    offer(std::clamp((uv - uw) / uu, 0.0, 1.0), 1.0);
    const double det = uu * vv - uv * uv;
    if (det > parallel * parallel * uu * vv) {
        const double s = (uv * vw - vv * uw) / det, t = (uu * vw - uv * uw) / det;
        if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) offer(s, t);
    }
    return best;
}

dvec3 nearest_on_face(const dvec3& point, const Polyhedron& p, std::uint32_t face) {
    const dvec3 foot = point - vertex_face_distance(point, p.faces[face]) * p.faces[face].normal;
    if (point_in_face(foot, p, face)) return foot;
    dvec3 best = foot;
    double least = std::numeric_limits<double>::infinity();
    for (const Index e : p.edges_of_face(face)) {
        const dvec3& from = p.vertices[p.edges[e].vertices[0]];
        const dvec3 along = p.vertices[p.edges[e].vertices[1]] - from;
        const double t = std::clamp(glm::dot(point - from, along) / glm::dot(along, along), 0.0, 1.0);
        const dvec3 q = from + t * along;
        if (squared(q - point) < least) least = squared(q - point), best = q;
    }
    return best;
}

double point_face_distance(const dvec3& point, const Polyhedron& p, std::uint32_t face) {
    return std::sqrt(squared(nearest_on_face(point, p, face) - point));
}

bool edge_meets_face(const Segment& edge, const Polyhedron& p, std::uint32_t face, double band) {
    const PolyhedronFace& f = p.faces[face];
    const double a0 = vertex_face_distance(edge.ends[0], f), a1 = vertex_face_distance(edge.ends[1], f);
    if ((a0 > band && a1 > band) || (a0 < -band && a1 < -band)) return false;
    if (std::abs(a0) <= band || std::abs(a1) <= band) return edge_face_distance(edge, p, face) <= band;

    const dvec3 m = auxiliary_normal(edge.direction, f.normal);
    bool odd = false;
    for (const Index g : p.edges_of_face(face)) {
        const PolyhedronEdge& other = p.edges[g];
        const dvec3 u = p.vertices[other.vertices[0]] - edge.ends[0], v = p.vertices[other.vertices[1]] - edge.ends[0];
        const double au = glm::dot(m, u), av = glm::dot(m, v);
        if ((au > band && av > band) || (au < -band && av < -band)) continue;
        const dvec3 normal = glm::cross(edge.direction, other.direction);
        const double b = glm::dot(u, normal);
        // An end in the plane fe matters only if the edges themselves come near each other.
        if (b * b <= band * band * glm::dot(normal, normal)) return edge_face_distance(edge, p, face) <= band;
        odd ^= (au < 0.0) != (av < 0.0) && (av < 0.0) == (b < 0.0);
    }
    return odd;
}

double edge_face_bound(const Segment& edge, const Polyhedron& p, std::uint32_t face, double band, double enough) {
    const PolyhedronFace& f = p.faces[face];
    const double a0 = vertex_face_distance(edge.ends[0], f), a1 = vertex_face_distance(edge.ends[1], f);
    const double across = magnitude_xor(a0, a1);
    if (-across >= enough) return -across;
    if (std::abs(glm::dot(edge.direction, f.normal)) < parallel) return edge_face_distance(edge, p, face);

    const dvec3 m = auxiliary_normal(edge.direction, f.normal);
    bool odd = false;
    double least = std::numeric_limits<double>::infinity();
    for (const Index g : p.edges_of_face(face)) {
        const PolyhedronEdge& other = p.edges[g];
        const dvec3 u = p.vertices[other.vertices[0]] - edge.ends[0], v = p.vertices[other.vertices[1]] - edge.ends[0];
        const double au = glm::dot(m, u), av = glm::dot(m, v);
        double term = magnitude_xor(au, av);
        const dvec3 normal = glm::cross(edge.direction, other.direction);
        const double sine2 = glm::dot(normal, normal);
        if (sine2 > parallel * parallel) {
            const double b = glm::dot(u, normal) / std::sqrt(sine2);
            term = std::min(term, -magnitude_xor(av, b));
        } else if (term > 0.0) {
            return edge_face_distance(edge, p, face);
        }
        odd ^= term > 0.0;
        least = std::min(least, std::abs(term));
    }
    const double value = std::min(across, odd ? least : -least);
    return value < -band ? -value : edge_face_distance(edge, p, face);
}

}  // namespace talus
