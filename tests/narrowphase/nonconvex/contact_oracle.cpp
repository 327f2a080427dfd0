#include "tests/narrowphase/nonconvex/contact_oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::test {

namespace {

using glm::cross;
using glm::dot;
using glm::dvec3;

/// A local minimum may be missed by this angle (rad): the surfaces are parallel for all practical purposes.
constexpr double level = 1e-6;
/// Nearer than this a point is on a triangle, in lengths of the box of a surface.
constexpr double on_surface = 1e-9;

struct NearestPoints {
    dvec3 on_a{0.0}, on_b{0.0};
    double squared = std::numeric_limits<double>::infinity();
    void add(const dvec3& p, const dvec3& q) {
        const dvec3 between = q - p;
        const double s = dot(between, between);
        if (s < squared) *this = {p, q, s};
    }
};

/// Ericson 2005, section 5.1.5.
dvec3 nearest_on_triangle(const dvec3& p, const OracleTriangle& t) {
    const dvec3 ab = t[1] - t[0], ac = t[2] - t[0], ap = p - t[0];
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0) return t[0];
    const dvec3 bp = p - t[1];
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0.0 && d4 <= d3) return t[1];
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return t[0] + d1 / (d1 - d3) * ab;
    const dvec3 cp = p - t[2];
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0.0 && d5 <= d6) return t[2];
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return t[0] + d2 / (d2 - d6) * ac;
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0)
        return t[1] + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (t[2] - t[1]);
    const double sum = va + vb + vc;
    return t[0] + vb / sum * ab + vc / sum * ac;
}

/// The nearest points of two segments. If they are parallel, both ends of the part that they have in common.
template <class Add>
void nearest_on_segments(const dvec3& p0, const dvec3& p1, const dvec3& q0, const dvec3& q1, const Add& add) {
    // Inside of both, or at an end of one of them.
    const dvec3 d = p1 - p0, e = q1 - q0, r = p0 - q0;
    const double a = dot(d, d), b = dot(d, e), c = dot(e, e), f = dot(d, r), g = dot(e, r), det = a * c - b * b;
    if (det > 1e-24 * a * c) {
        const double s = (b * g - c * f) / det, t = (a * g - b * f) / det;
        if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) add(p0 + s * d, q0 + t * e);
    }
    const auto on = [](const dvec3& x, const dvec3& from, const dvec3& along, double squared) {
        return from + std::clamp(dot(x - from, along) / squared, 0.0, 1.0) * along;
    };
    add(p0, on(p0, q0, e, c));
    add(p1, on(p1, q0, e, c));
    add(on(q0, p0, d, a), q0);
    add(on(q1, p0, d, a), q1);
}

/// Calls add(p, q) for all pairs of points that can be the nearest ones of two triangles that do not cross.
template <class Add>
void candidates_of(const OracleTriangle& a, const OracleTriangle& b, const Add& add) {
    for (std::size_t i = 0; i < 3; ++i) {
        add(a[i], nearest_on_triangle(a[i], b));
        add(nearest_on_triangle(b[i], a), b[i]);
        for (std::size_t k = 0; k < 3; ++k) nearest_on_segments(a[i], a[(i + 1) % 3], b[k], b[(k + 1) % 3], add);
    }
}

double volume(const dvec3& a, const dvec3& b, const dvec3& c, const dvec3& d) {
    return dot(b - a, cross(c - a, d - a));
}

bool passes(const dvec3& from, const dvec3& to, const OracleTriangle& t) {
    const double start = volume(t[0], t[1], t[2], from), end = volume(t[0], t[1], t[2], to);
    if ((start > 0.0) == (end > 0.0)) return false;
    const double x = volume(from, to, t[0], t[1]), y = volume(from, to, t[1], t[2]), z = volume(from, to, t[2], t[0]);
    return (x > 0.0) == (y > 0.0) && (y > 0.0) == (z > 0.0);
}

bool cross_each_other(const OracleTriangle& a, const OracleTriangle& b) {
    for (std::size_t i = 0; i < 3; ++i) {
        if (passes(a[i], a[(i + 1) % 3], b) || passes(b[i], b[(i + 1) % 3], a)) return true;
    }
    return false;
}

OracleBox box_of(const OracleTriangle& t) {
    OracleBox box;
    for (const dvec3& p : t) box.add(p);
    return box;
}

double size_of(const OracleBox& box) {
    const dvec3 d = box.upper - box.lower;
    return std::max({d.x, d.y, d.z, 0.0});
}

}  // namespace

void OracleBox::add(const dvec3& p) {
    lower = glm::min(lower, p);
    upper = glm::max(upper, p);
}

void OracleBox::add(const OracleBox& other) {
    lower = glm::min(lower, other.lower);
    upper = glm::max(upper, other.upper);
}

bool OracleBox::is_near(const OracleBox& other, double distance) const {
    for (int k = 0; k < 3; ++k) {
        if (lower[k] > other.upper[k] + distance || other.lower[k] > upper[k] + distance) return false;
    }
    return true;
}

OracleSurface::OracleSurface(std::vector<OracleTriangle> triangles) : triangles_(std::move(triangles)) {
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
        boxes_.push_back(box_of(triangles_[t]));
        if (t % run_length == 0) runs_.emplace_back();
        runs_.back().add(boxes_.back());
        box_.add(boxes_.back());
    }
}

namespace {

std::vector<OracleTriangle> placed(const samples::MeshFile& mesh, const dvec3& position, const glm::dquat& rotation) {
    const glm::dmat3 turn = glm::mat3_cast(rotation);
    std::vector<dvec3> places;
    places.reserve(mesh.vertices.size());
    for (const vec3& v : mesh.vertices) places.push_back(position + turn * dvec3(v));
    std::vector<OracleTriangle> all;
    all.reserve(mesh.triangles.size() / 3);
    for (std::size_t i = 0; i + 2 < mesh.triangles.size(); i += 3)
        all.push_back({places[mesh.triangles[i]], places[mesh.triangles[i + 1]], places[mesh.triangles[i + 2]]});
    return all;
}

}  // namespace

OracleSurface::OracleSurface(const samples::MeshFile& mesh, const dvec3& position, const glm::dquat& rotation)
    : OracleSurface(placed(mesh, position, rotation)) {}

OracleSurface OracleSurface::moved(const dvec3& by) const {
    std::vector<OracleTriangle> all = triangles_;
    for (OracleTriangle& t : all) {
        for (dvec3& p : t) p += by;
    }
    return OracleSurface(std::move(all));
}

double OracleSurface::distance_to(const dvec3& point, double most) const {
    double least = most * 1.0000001 + 1e-300;
    OracleBox box;
    box.add(point);
    for_each_near(box, most, [&](std::size_t t) {
        least = std::min(least, glm::length(nearest_on_triangle(point, triangles_[t]) - point));
    });
    return least;
}

double OracleSurface::winding(const dvec3& point) const {
    double sum = 0.0;
    for (const OracleTriangle& t : triangles_) {
        const dvec3 a = t[0] - point, b = t[1] - point, c = t[2] - point;
        const double x = glm::length(a), y = glm::length(b), z = glm::length(c);
        sum += 2.0 * std::atan2(dot(a, cross(b, c)), x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y);
    }
    return sum / (4.0 * 3.14159265358979323846);
}

bool OracleSurface::is_passed_by(const dvec3& from, const dvec3& to) const {
    OracleBox box;
    box.add(from);
    box.add(to);
    bool result = false;
    for_each_near(box, 0.0, [&](std::size_t t) { result = result || passes(from, to, triangles_[t]); });
    return result;
}

OracleSurface OracleSurface::part(const dvec3& middle, double half_edge) const {
    OracleBox cube;
    cube.add(middle - half_edge);
    cube.add(middle + half_edge);
    std::vector<OracleTriangle> pieces;
    std::vector<dvec3> polygon, cut;
    for_each_near(cube, 0.0, [&](std::size_t t) {
        polygon.assign(triangles_[t].begin(), triangles_[t].end());
        for (int side = 0; side < 6 && !polygon.empty(); ++side) {
            const int axis = side / 2;
            const auto beyond = [&](const dvec3& p) {
                return side % 2 == 0 ? p[axis] - cube.upper[axis] : cube.lower[axis] - p[axis];
            };
            cut.clear();
            for (std::size_t k = 0; k < polygon.size(); ++k) {
                const dvec3 &p = polygon[k], &q = polygon[(k + 1) % polygon.size()];
                const double x = beyond(p), y = beyond(q);
                if (x <= 0.0) cut.push_back(p);
                if ((x < 0.0 && y > 0.0) || (x > 0.0 && y < 0.0)) cut.push_back(p + x / (x - y) * (q - p));
            }
            polygon.swap(cut);
        }
        for (std::size_t k = 2; k < polygon.size(); ++k) pieces.push_back({polygon[0], polygon[k - 1], polygon[k]});
    });
    return OracleSurface(std::move(pieces));
}

bool triangles_cross(const OracleSurface& a, const OracleSurface& b) {
    bool result = false;
    a.for_each_near_pair(b, 0.0, [&](std::size_t t, std::size_t u) {
        result = result || cross_each_other(a.triangles()[t], b.triangles()[u]);
    });
    return result;
}

double distance_of(const OracleSurface& a, const OracleSurface& b, double most) {
    if (triangles_cross(a, b)) return 0.0;
    NearestPoints least;
    least.squared = most * most;
    a.for_each_near_pair(b, most, [&](std::size_t t, std::size_t u) {
        candidates_of(a.triangles()[t], b.triangles()[u], [&](const dvec3& p, const dvec3& q) { least.add(p, q); });
    });
    return std::sqrt(least.squared);
}

namespace {

/// Whether a surface that has a point, and lies along some directions there, leads ahead along a normal; and whether it
/// does not fall away from the plane along others: those are added to `along`.
bool leads_ahead(const OracleSurface& surface, const dvec3& point, const dvec3& normal, double near,
                 std::vector<dvec3>& along) {
    OracleBox box;
    box.add(point);
    bool result = false;
    surface.for_each_near(box, near, [&](std::size_t t) {
        const OracleTriangle& triangle = surface.triangles()[t];
        if (result || glm::length(nearest_on_triangle(point, triangle) - point) > near) return;
        // The triangle's directions at the point are between those to its corners.
        for (const dvec3& corner : triangle) {
            const dvec3 way = corner - point;
            const double length = glm::length(way);
            if (length <= near) continue;
            const double rise = dot(way, normal) / length;
            if (rise > level) result = true;
            if (rise >= -level) along.push_back(way / length);
        }
    });
    return result;
}

/// Whether a point of a surface is on a corner (0), an edge (1) or a face (2): by how many independent normals the
/// triangles have that it is on.
int feature_at(const OracleSurface& surface, const dvec3& point, double near) {
    constexpr double least = 1e-3;  // of the sine of an angle between faces
    std::vector<dvec3> normals;
    OracleBox box;
    box.add(point);
    surface.for_each_near(box, near, [&](std::size_t t) {
        const OracleTriangle& triangle = surface.triangles()[t];
        if (glm::length(nearest_on_triangle(point, triangle) - point) > near) return;
        normals.push_back(glm::normalize(cross(triangle[1] - triangle[0], triangle[2] - triangle[0])));
    });
    int feature = 2;
    for (const dvec3& x : normals) {
        for (const dvec3& y : normals) {
            const dvec3 along = cross(x, y);
            if (glm::length(along) > least) feature = std::min(feature, 1);
            for (const dvec3& z : normals) {
                if (std::abs(dot(along, z)) > least * glm::length(along) && glm::length(along) > least) return 0;
            }
        }
    }
    return feature;
}

/// Whether no direction is in both of two sets of cones in a plane: of each set, the directions found are the bounds of
/// convex cones. Conservative: two directions that are not the same can be apart only if each set has one at most.
bool are_apart(const std::vector<dvec3>& x, const std::vector<dvec3>& y) {
    if (x.empty() || y.empty()) return true;
    const auto one = [](const std::vector<dvec3>& of) {
        return std::all_of(of.begin(), of.end(),
                           [&](const dvec3& d) { return glm::length(cross(d, of.front())) < 1e-3; });
    };
    return one(x) && one(y) && glm::length(cross(x.front(), y.front())) > 2e-3;
}

}  // namespace

std::vector<LocalMinimum> local_minima(const OracleSurface& a, const OracleSurface& b, double most) {
    const double near = on_surface * std::max(size_of(a.box()), size_of(b.box()));
    std::vector<LocalMinimum> all;
    std::vector<std::pair<dvec3, dvec3>> candidates;
    std::vector<dvec3> along_a, along_b;
    a.for_each_near_pair(b, most, [&](std::size_t t, std::size_t u) {
        const OracleTriangle &of_a = a.triangles()[t], &of_b = b.triangles()[u];
        double least = most;
        candidates.clear();
        candidates_of(of_a, of_b, [&](const dvec3& p, const dvec3& q) {
            const double d = glm::length(q - p);
            if (d > least + near) return;
            least = std::min(least, d);
            candidates.emplace_back(p, q);
        });
        for (const auto& [p, q] : candidates) {
            const dvec3 between = q - p;
            const double d = glm::length(between);
            if (d > least + near || d <= near) continue;
            const auto is_same = [&, p = p, q = q](const LocalMinimum& other) {
                return glm::length(other.on_a - p) <= 4.0 * near && glm::length(other.on_b - q) <= 4.0 * near;
            };
            if (std::any_of(all.begin(), all.end(), is_same)) continue;
            const dvec3 n = between / d;
            along_a.clear();
            along_b.clear();
            if (leads_ahead(a, p, n, near, along_a) || leads_ahead(b, q, -n, near, along_b)) continue;
            // Through free space.
            const dvec3 from = p + 0.01 * between, to = q - 0.01 * between, middle = 0.5 * (p + q);
            if (a.is_passed_by(from, to) || b.is_passed_by(from, to)) continue;
            if (std::abs(a.winding(middle)) > 0.5 || std::abs(b.winding(middle)) > 0.5) continue;
            all.push_back({p, q, n, d, are_apart(along_a, along_b), feature_at(a, p, near), feature_at(b, q, near)});
        }
    });
    return all;
}

std::optional<double> way_to_touch(const OracleSurface& a, const OracleSurface& b, const dvec3& direction) {
    // In a frame whose z axis is the direction, both are seen from above.
    const dvec3 other = std::abs(direction.x) < 0.6 ? dvec3(1, 0, 0) : dvec3(0, 1, 0);
    const dvec3 x = glm::normalize(cross(other, direction)), y = cross(direction, x);
    const auto turned = [&](const OracleSurface& surface) {
        std::vector<OracleTriangle> all = surface.triangles();
        for (OracleTriangle& t : all) {
            for (dvec3& p : t) p = dvec3(dot(p, x), dot(p, y), dot(p, direction));
        }
        return OracleSurface(std::move(all));
    };
    const OracleSurface seen_a = turned(a);
    const OracleSurface seen_b = turned(b);
    double least = std::numeric_limits<double>::infinity();
    const auto add = [&](double way) {
        if (way >= 0.0 && way < least) least = way;
    };
    const auto turn = [](const dvec3& p, const dvec3& q, const dvec3& r) {
        return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    };
    // The height of a triangle over or under a point.
    const auto height = [&](const OracleTriangle& t, const dvec3& p) {
        const double u = turn(t[1], t[2], p), v = turn(t[2], t[0], p), w = turn(t[0], t[1], p), sum = u + v + w;
        const bool inside = (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0);
        if (!inside || std::abs(sum) < 1e-14) return std::numeric_limits<double>::quiet_NaN();
        return (u * t[0].z + v * t[1].z + w * t[2].z) / sum;
    };
    const auto visit = [&](std::size_t k, std::size_t m) {
        const OracleTriangle &t = seen_a.triangles()[k], &u = seen_b.triangles()[m];
        const double lowest = std::min({t[0].z, t[1].z, t[2].z}) - std::max({u[0].z, u[1].z, u[2].z});
        if (lowest >= least) return;
        for (std::size_t i = 0; i < 3; ++i) {
            add(height(t, u[i]) - u[i].z);
            add(t[i].z - height(u, t[i]));
            for (std::size_t j = 0; j < 3; ++j) {
                const dvec3 &p = t[i], &q = t[(i + 1) % 3], &r = u[j], &s = u[(j + 1) % 3];
                const double c = turn(p, q, r), d = turn(p, q, s), e = turn(r, s, p), f = turn(r, s, q);
                if ((c > 0.0) == (d > 0.0) || (e > 0.0) == (f > 0.0)) continue;
                add((p.z + e / (e - f) * (q.z - p.z)) - (r.z + c / (c - d) * (s.z - r.z)));
            }
        }
    };
    // Heights do not matter for the boxes.
    const auto flat = [](const OracleSurface& surface) {
        std::vector<OracleTriangle> all = surface.triangles();
        for (OracleTriangle& t : all) {
            for (dvec3& p : t) p.z = 0.0;
        }
        return OracleSurface(std::move(all));
    };
    flat(seen_a).for_each_near_pair(flat(seen_b), 0.0, visit);
    if (least == std::numeric_limits<double>::infinity()) return std::nullopt;
    return least;
}

}  // namespace talus::test
