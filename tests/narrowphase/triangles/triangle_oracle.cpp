#include "tests/narrowphase/triangles/triangle_oracle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace talus::test {

namespace {

using glm::dvec3;
using Triangle = std::array<dvec3, 3>;

constexpr double pi = 3.14159265358979323846;

/// Does the segment pq cross the triangle? Moeller and Trumbore's barycentric test.
bool segment_crosses(const dvec3& p, const dvec3& q, const Triangle& t) {
    const dvec3 along = q - p, u = t[1] - t[0], v = t[2] - t[0], h = glm::cross(along, v);
    const double det = glm::dot(u, h);
    if (det == 0.0) return false;
    const dvec3 s = p - t[0], w = glm::cross(s, u);
    const double x = glm::dot(s, h) / det, y = glm::dot(along, w) / det, z = glm::dot(v, w) / det;
    return x >= 0.0 && y >= 0.0 && x + y <= 1.0 && z >= 0.0 && z <= 1.0;
}

/// The nearest point of a triangle by the regions of its corners and sides: projected, or on a side.
double point_distance2(const dvec3& p, const Triangle& t) {
    const dvec3 n = glm::cross(t[1] - t[0], t[2] - t[0]);
    bool within = glm::dot(n, n) > 0.0;
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) {
        const dvec3 a = t[i], side = t[(i + 1) % 3] - a;
        within = within && glm::dot(glm::cross(n, side), p - a) >= 0.0;
        const double s = std::clamp(glm::dot(p - a, side) / glm::dot(side, side), 0.0, 1.0);
        const dvec3 d = p - (a + s * side);
        best = std::min(best, glm::dot(d, d));
    }
    if (!within) return best;
    const double height = glm::dot(n, p - t[0]);
    return height * height / glm::dot(n, n);
}

/// Returns the squared distance of two segments. Alternating projections converge even if a closed form divides by 0;
/// they start at the best of the clamped closed form.
double segment_distance2(const dvec3& p, const dvec3& q, const dvec3& r, const dvec3& s) {
    const dvec3 u = q - p, v = s - r;
    const auto nearest = [](const dvec3& x, const dvec3& a, const dvec3& d) {
        return std::clamp(glm::dot(x - a, d) / glm::dot(d, d), 0.0, 1.0);
    };
    double best = std::numeric_limits<double>::infinity();
    const dvec3 n = glm::cross(u, v);
    const double n2 = glm::dot(n, n);
    const double middle = n2 > 0.0 ? std::clamp(glm::dot(glm::cross(r - p, v), n) / n2, 0.0, 1.0) : 0.5;
    for (const double start : {0.0, middle, 1.0}) {
        double a = start, b = 0.0;
        for (int k = 0; k < 3; ++k) {
            b = nearest(p + a * u, r, v);
            a = nearest(r + b * v, p, u);
        }
        const dvec3 d = (p + a * u) - (r + b * v);
        best = std::min(best, glm::dot(d, d));
    }
    return best;
}

struct Box {
    dvec3 lower, upper;
};

Box box_of(const Triangle& t) { return {glm::min(t[0], glm::min(t[1], t[2])), glm::max(t[0], glm::max(t[1], t[2]))}; }

double box_gap2(const Box& a, const Box& b) {
    const dvec3 gap = glm::max(dvec3(0.0), glm::max(a.lower - b.upper, b.lower - a.upper));
    return glm::dot(gap, gap);
}

bool triangles_cross(const Triangle& a, const Triangle& b) {
    for (int i = 0; i < 3; ++i) {
        if (segment_crosses(a[i], a[(i + 1) % 3], b) || segment_crosses(b[i], b[(i + 1) % 3], a)) return true;
    }
    return false;
}

}  // namespace

TriangleSoup soup_of(const samples::MeshFile& mesh, const Transform& pose) {
    const glm::dquat q = glm::normalize(glm::dquat(pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z));
    TriangleSoup soup;
    for (std::size_t i = 0; i < mesh.triangles.size(); i += 3) {
        Triangle t;
        for (std::size_t k = 0; k < 3; ++k) {
            t[k] = dvec3(pose.position) + q * dvec3(mesh.vertices[mesh.triangles[i + k]]);
        }
        soup.triangles.push_back(t);
    }
    return soup;
}

bool surfaces_cross(const TriangleSoup& a, const TriangleSoup& b) {
    for (const Triangle& s : a.triangles) {
        const Box box = box_of(s);
        for (const Triangle& t : b.triangles) {
            if (box_gap2(box, box_of(t)) <= 0.0 && triangles_cross(s, t)) return true;
        }
    }
    return false;
}

double surface_distance(const TriangleSoup& a, const TriangleSoup& b) {
    double best = std::numeric_limits<double>::infinity();
    for (const Triangle& s : a.triangles) {
        const Box box = box_of(s);
        for (const Triangle& t : b.triangles) {
            const double gap2 = box_gap2(box, box_of(t));
            if (gap2 >= best) continue;
            if (gap2 <= 0.0 && triangles_cross(s, t)) return 0.0;
            for (int i = 0; i < 3; ++i) {
                best = std::min(best, std::min(point_distance2(s[i], t), point_distance2(t[i], s)));
                for (int j = 0; j < 3; ++j) {
                    best = std::min(best, segment_distance2(s[i], s[(i + 1) % 3], t[j], t[(j + 1) % 3]));
                }
            }
        }
    }
    return std::sqrt(best);
}

double winding(const TriangleSoup& soup, const glm::dvec3& point) {
    double sum = 0.0;
    for (const Triangle& t : soup.triangles) {
        const dvec3 a = t[0] - point, b = t[1] - point, c = t[2] - point;
        const double x = glm::length(a), y = glm::length(b), z = glm::length(c);
        sum += 2.0 * std::atan2(glm::dot(a, glm::cross(b, c)),
                                x * y * z + glm::dot(a, b) * z + glm::dot(b, c) * x + glm::dot(c, a) * y);
    }
    return sum / (4.0 * pi);
}

}  // namespace talus::test
