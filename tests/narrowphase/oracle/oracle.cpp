#include "tests/narrowphase/oracle/oracle.h"

#include <talus/narrowphase/mapping_solid.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace talus::oracle {

namespace {

/// Points this close to a facet's plane (in sizes of the cloud) count as its corners. It is for exact data only: a
/// float vertex that misses a plane by rounding (6e-8) makes a facet of its own, as it should.
constexpr double coplanar_tolerance = 1e-10;

dvec3 any_perpendicular(const dvec3& n) {
    const dvec3 a = glm::abs(n);
    const dvec3 axis = a.x <= a.y && a.x <= a.z ? dvec3(1, 0, 0) : a.y <= a.z ? dvec3(0, 1, 0) : dvec3(0, 0, 1);
    return glm::normalize(glm::cross(n, axis));
}

void add_edge(std::set<std::array<int, 2>>& edges, int i, int j) { edges.insert({std::min(i, j), std::max(i, j)}); }

/// All facets of the convex hull of the solid's vertices: a triple spans one when no vertex lies above its plane.
void find_facets(Solid& solid) {
    const std::vector<dvec3>& v = solid.vertices;
    const int count = static_cast<int>(v.size());
    double extent = 0.0;
    for (const dvec3& p : v) extent = std::max(extent, glm::length(p - solid.center));
    const double tolerance = coplanar_tolerance * extent;
    std::set<std::vector<int>> known;
    std::set<std::array<int, 2>> edges;
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            for (int k = j + 1; k < count; ++k) {
                dvec3 n = glm::cross(v[j] - v[i], v[k] - v[i]);
                const double area = glm::length(n);
                if (area <= tolerance * extent) continue;
                n /= area;
                bool above = false, below = false;
                for (int m = 0; m < count && !(above && below); ++m) {
                    const double d = glm::dot(n, v[m] - v[i]);
                    above = above || d > tolerance;
                    below = below || d < -tolerance;
                }
                if (above && below) continue;
                if (above) n = -n;
                std::vector<int> corners;
                for (int m = 0; m < count; ++m) {
                    if (std::abs(glm::dot(n, v[m] - v[i])) <= tolerance) corners.push_back(m);
                }
                if (!known.insert(corners).second) continue;
                dvec3 middle(0.0);
                for (int m : corners) middle += v[m] / static_cast<double>(corners.size());
                const dvec3 x = glm::normalize(v[corners[0]] - middle), y = glm::cross(n, x);
                std::sort(corners.begin(), corners.end(), [&](int p, int q) {
                    const dvec3 dp = v[p] - middle, dq = v[q] - middle;
                    return std::atan2(glm::dot(dp, y), glm::dot(dp, x)) < std::atan2(glm::dot(dq, y), glm::dot(dq, x));
                });
                for (std::size_t c = 0; c < corners.size(); ++c) {
                    add_edge(edges, corners[c], corners[(c + 1) % corners.size()]);
                }
                solid.faces.push_back({n, std::move(corners)});
            }
        }
    }
    solid.edges.assign(edges.begin(), edges.end());
}

/// A box's features by their numbers (corner i has coordinate k negative where bit k of i is not set): trying triples
/// would miss the faces of needles and plates, whose area is too small beside their length.
void name_box_features(Solid& solid) {
    for (int k = 0; k < 3; ++k) {
        const int u = 1 << (k + 1) % 3, v = 1 << (k + 2) % 3;
        for (const int side : {0, 1 << k}) {
            dvec3 n(0.0);
            n[k] = side != 0 ? 1.0 : -1.0;
            std::vector<int> corners = {side, side + u, side + u + v, side + v};
            if (side == 0) std::reverse(corners.begin(), corners.end());
            solid.faces.push_back({n, std::move(corners)});
        }
        for (const int i : {0, u, v, u + v}) solid.edges.push_back({i, i + (1 << k)});
    }
}

void set_bounds(Solid& solid) {
    dvec3 lower(0.0), upper(0.0);
    if (solid.ellipsoid.x > 0.0) {
        upper = solid.ellipsoid;
        lower = -upper;
    } else if (solid.is_curved()) {
        upper = dvec3(solid.rim_radius, solid.half_height, solid.rim_radius);
        lower = -upper;
    } else {
        lower = upper = solid.vertices[0];
        for (const dvec3& p : solid.vertices) lower = glm::min(lower, p), upper = glm::max(upper, p);
    }
    solid.center = 0.5 * (lower + upper);
    double reach = 0.0;
    for (const dvec3& p : solid.vertices) reach = std::max(reach, glm::length(p - solid.center));
    if (solid.rim_radius > 0.0) reach = std::hypot(solid.rim_radius, solid.half_height);
    for (int k = 0; k < 3; ++k) reach = std::max(reach, solid.ellipsoid[k]);
    solid.size = reach + solid.radius;
}

}  // namespace

Solid make_solid(const Shape& shape) {
    Solid solid;
    solid.type = shape.type;
    solid.radius = shape.radius;
    const dvec3 h(shape.half_extents);
    const auto point = [&](int i) { return dvec3(shape.points[i]); };
    switch (shape.type) {
        case ShapeType::sphere:
            solid.vertices = {dvec3(0.0)};
            break;
        case ShapeType::capsule:
            solid.vertices = {dvec3(0, -h.y, 0), dvec3(0, h.y, 0)};
            if (h.y == 0.0) solid.vertices.pop_back();
            break;
        case ShapeType::segment:
            solid.vertices = {point(0), point(1)};
            break;
        case ShapeType::triangle:
            solid.vertices = {point(0), point(1), point(2)};
            break;
        case ShapeType::box:
            for (int i = 0; i < 8; ++i) {
                solid.vertices.emplace_back((i & 1) != 0 ? h.x : -h.x, (i & 2) != 0 ? h.y : -h.y,
                                            (i & 4) != 0 ? h.z : -h.z);
            }
            break;
        case ShapeType::cylinder:
        case ShapeType::cone:
            solid.radius = 0.0;
            solid.rim_radius = h.x;
            solid.half_height = h.y;
            break;
        case ShapeType::hull:
            for (const vec3& p : shape.hull->vertices) solid.vertices.emplace_back(p);
            break;
        case ShapeType::mapping:
            solid.radius = 0.0;
            solid.ellipsoid = dvec3(shape.mapping->radii);
            break;
    }
    set_bounds(solid);
    if (solid.vertices.size() == 1) solid.edges = {{0, 0}};
    if (solid.vertices.size() == 2) solid.edges = {{0, 1}};
    if (solid.vertices.size() == 3) {
        solid.edges = {{0, 1}, {1, 2}, {0, 2}};
        const std::vector<dvec3>& v = solid.vertices;
        const dvec3 n = glm::normalize(glm::cross(v[1] - v[0], v[2] - v[0]));
        solid.faces = {{n, {0, 1, 2}}, {-n, {0, 2, 1}}};
    }
    if (shape.type == ShapeType::box)
        name_box_features(solid);
    else if (solid.vertices.size() > 3)
        find_facets(solid);
    return solid;
}

namespace {

/// Leaves the two ends of points on one line, or the corners, in order, of points in one plane (gift wrapping). Returns
/// how many dimensions the points span.
int reduce_flat(std::vector<dvec3>& points) {
    std::vector<dvec3> distinct;
    for (const dvec3& p : points) {
        if (std::find(distinct.begin(), distinct.end(), p) == distinct.end()) distinct.push_back(p);
    }
    points = distinct;
    const auto farthest = [&](const auto& height) {
        return *std::max_element(points.begin(), points.end(),
                                 [&](const dvec3& p, const dvec3& q) { return height(p) < height(q); });
    };
    const dvec3 far = farthest([&](const dvec3& p) { return glm::length(p - points[0]); });
    const dvec3 origin = farthest([&](const dvec3& p) { return glm::length(p - far); });
    const double extent = glm::length(far - origin);
    if (points.size() == 1) return 0;
    const dvec3 along = (far - origin) / extent;
    const dvec3 side = farthest([&](const dvec3& p) { return glm::length(glm::cross(p - origin, along)); });
    dvec3 n = glm::cross(along, side - origin);
    if (glm::length(n) <= coplanar_tolerance * extent) {
        points = {origin, far};
        return 1;
    }
    n = glm::normalize(n);
    for (const dvec3& p : points) {
        if (std::abs(glm::dot(n, p - origin)) > coplanar_tolerance * extent) return 3;
    }
    std::vector<dvec3> loop = {origin};  // `origin` is extreme along -along
    while (loop.size() <= points.size()) {
        dvec3 next = loop.back();
        for (const dvec3& p : points) {
            const dvec3 to = p - loop.back(), best = next - loop.back();
            const double left = glm::dot(n, glm::cross(best, to));
            // Everything stays on the left; of points on one line the farthest.
            if (p != loop.back() &&
                (next == loop.back() || left < 0.0 || (left == 0.0 && glm::length(to) > glm::length(best))))
                next = p;
        }
        if (next == origin) break;
        loop.push_back(next);
    }
    points = loop;
    return 2;
}

}  // namespace

Solid make_solid(std::vector<dvec3> points) {
    Solid solid;
    solid.type = ShapeType::hull;
    const int dimensions = reduce_flat(points);
    solid.vertices = std::move(points);
    set_bounds(solid);
    const int count = static_cast<int>(solid.vertices.size());
    if (dimensions == 0) solid.edges = {{0, 0}};
    if (dimensions == 1) solid.edges = {{0, 1}};
    if (dimensions == 2) {
        std::vector<int> loop, reversed;
        for (int i = 0; i < count; ++i) {
            loop.push_back(i);
            solid.edges.push_back({i, (i + 1) % count});
        }
        reversed.assign(loop.rbegin(), loop.rend());
        dvec3 n(0.0);
        for (int i = 1; i + 1 < count; ++i)
            n += glm::cross(solid.vertices[i] - solid.vertices[0], solid.vertices[i + 1] - solid.vertices[0]);
        n = glm::normalize(n);
        solid.faces = {{n, loop}, {-n, reversed}};
    }
    if (dimensions == 3) find_facets(solid);
    return solid;
}

dvec3 core_support(const Solid& solid, const dvec3& d) {
    if (solid.ellipsoid.x > 0.0) {
        // The image of the unit ball: the support point of the ball along the transformed direction, transformed.
        const dvec3 seen = solid.ellipsoid * d;
        return glm::length(seen) > 0.0 ? solid.ellipsoid * (seen / glm::length(seen)) : dvec3(0.0);
    }
    if (solid.is_curved()) {
        const double across = std::sqrt(d.x * d.x + d.z * d.z);
        const double r = across > 0.0 ? solid.rim_radius / across : 0.0;
        const dvec3 rim(r * d.x, 0.0, r * d.z);
        if (solid.type == ShapeType::cylinder)
            return rim + dvec3(0.0, d.y < 0.0 ? -solid.half_height : solid.half_height, 0.0);
        const bool apex = solid.half_height * d.y >= solid.rim_radius * across - solid.half_height * d.y;
        return apex ? dvec3(0.0, solid.half_height, 0.0) : rim + dvec3(0.0, -solid.half_height, 0.0);
    }
    std::size_t best = 0;
    double most = -1e300;
    for (std::size_t i = 0; i < solid.vertices.size(); ++i) {
        const double along = glm::dot(d, solid.vertices[i]);
        if (along > most) most = along, best = i;
    }
    return solid.vertices[best];
}

double separation_along(const Solid& a, const Solid& b, const Pose& b_in_a, const dvec3& direction) {
    const dvec3 n = glm::normalize(direction);
    const dvec3 n_in_b = n * b_in_a.rotation;  // row vector times matrix: the transpose applied
    const double b_low = glm::dot(n, b_in_a.position) + glm::dot(n_in_b, core_support(b, -n_in_b));
    return b_low - glm::dot(n, core_support(a, n)) - a.radius - b.radius;
}

void Contest::enter(const dvec3& n, double s) {
    ++evaluations_;
    if (s > best_ - margin_) contenders_.push_back({n, s});
    if (s > best_) best_ = s, normal_ = n;
}

SignedDistance Contest::result(double radii) const {
    SignedDistance answer;
    answer.separation = best_ - radii;
    answer.normal = normal_;
    answer.evaluations = evaluations_;
    double second = best_ - margin_;
    for (const Entry& e : contenders_) {
        if (e.s <= second || glm::dot(e.n, normal_) > std::cos(distinct_angle)) continue;
        second = e.s;
        answer.has_runner_up = true;
    }
    answer.runner_up = second - radii;
    return answer;
}

namespace {

/// A polytope core in A's frame, with the data that the loops below need.
struct Posed {
    std::vector<dvec3> vertices;
    std::vector<dvec3> directions;  ///< of the edges, not unit
    std::vector<dvec3> normals;     ///< of the faces, taken anew from the posed corners
    const Solid* solid;
};

Posed pose(const Solid& solid, const Pose& at) {
    Posed out;
    out.solid = &solid;
    for (const dvec3& p : solid.vertices) out.vertices.push_back(at.position + at.rotation * p);
    for (const auto& e : solid.edges) out.directions.push_back(out.vertices[e[1]] - out.vertices[e[0]]);
    for (const Solid::Face& f : solid.faces) {
        dvec3 n(0.0);  // twice the polygon's area vector
        const dvec3& origin = out.vertices[f.corners[0]];
        for (std::size_t i = 1; i + 1 < f.corners.size(); ++i) {
            n += glm::cross(out.vertices[f.corners[i]] - origin, out.vertices[f.corners[i + 1]] - origin);
        }
        out.normals.push_back(glm::normalize(n));
    }
    return out;
}

/// Offers n and -n as candidates for two cores.
void enter_both_ways(Contest& contest, const Posed& a, const Posed& b, const dvec3& n) {
    double a_low = 1e300, a_high = -1e300, b_low = 1e300, b_high = -1e300;
    for (const dvec3& p : a.vertices) {
        const double d = glm::dot(n, p);
        a_low = std::min(a_low, d), a_high = std::max(a_high, d);
    }
    for (const dvec3& p : b.vertices) {
        const double d = glm::dot(n, p);
        b_low = std::min(b_low, d), b_high = std::max(b_high, d);
    }
    contest.enter(n, b_low - a_high);
    contest.enter(-n, a_low - b_high);
}

struct Closest {
    double squared = 1e300;
    dvec3 offset{0.0};  ///< from A's point to B's
    void offer(const dvec3& d) {
        const double q = glm::dot(d, d);
        if (q < squared) squared = q, offset = d;
    }
};

/// Shortest offset between the segments p + t u and q + t v, 0 <= t <= 1: the interior solution if there is one, and
/// the four ends against the other segment.
void offer_segments(Closest& best, const dvec3& p, const dvec3& u, const dvec3& q, const dvec3& v) {
    const double uu = glm::dot(u, u), vv = glm::dot(v, v), uv = glm::dot(u, v);
    const dvec3 w = q - p;
    const double uw = glm::dot(u, w), vw = glm::dot(v, w);
    const double det = uu * vv - uv * uv;
    if (det > 0.0) {
        const double s = (uw * vv - vw * uv) / det, t = (uw * uv - vw * uu) / det;
        if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) best.offer(w + t * v - s * u);
    }
    const auto clamped = [](double x, double squared) {
        return squared > 0.0 ? std::clamp(x / squared, 0.0, 1.0) : 0.0;
    };
    best.offer(w - clamped(uw, uu) * u);
    best.offer(w + v - clamped(uw + uv, uu) * u);
    best.offer(w + clamped(-vw, vv) * v);
    best.offer(w - u + clamped(uv - vw, vv) * v);
}

/// Offsets from x's faces to y's vertices, where the vertex stands above the inside of the face. `sign` is +1 when x is
/// A.
void offer_face_vertex(Closest& best, const Posed& x, const Posed& y, double sign) {
    for (std::size_t f = 0; f < x.normals.size(); ++f) {
        const std::vector<int>& corners = x.solid->faces[f].corners;
        const dvec3 n = x.normals[f];
        for (const dvec3& p : y.vertices) {
            const double height = glm::dot(n, p - x.vertices[corners[0]]);
            if (height * height >= best.squared) continue;
            bool inside = true;
            for (std::size_t i = 0; i < corners.size() && inside; ++i) {
                const dvec3& from = x.vertices[corners[i]];
                const dvec3& to = x.vertices[corners[(i + 1) % corners.size()]];
                inside = glm::dot(glm::cross(n, to - from), p - from) >= 0.0;
            }
            if (inside) best.offer(sign * height * n);
        }
    }
}

Closest closest_features(const Posed& a, const Posed& b) {
    Closest best;
    offer_face_vertex(best, a, b, 1.0);
    offer_face_vertex(best, b, a, -1.0);
    for (std::size_t i = 0; i < a.directions.size(); ++i) {
        const dvec3& p = a.vertices[a.solid->edges[i][0]];
        const dvec3 middle = p + 0.5 * a.directions[i];
        const double reach = 0.5 * glm::length(a.directions[i]);
        for (std::size_t j = 0; j < b.directions.size(); ++j) {
            const dvec3& q = b.vertices[b.solid->edges[j][0]];
            const dvec3 gap = q + 0.5 * b.directions[j] - middle;
            const double far = reach + 0.5 * glm::length(b.directions[j]) + std::sqrt(best.squared);
            if (glm::dot(gap, gap) <= far * far) offer_segments(best, p, a.directions[i], q, b.directions[j]);
        }
    }
    return best;
}

}  // namespace

SignedDistance signed_distance_by_features(const Solid& a_solid, const Solid& b_solid, const Pose& b_in_a) {
    const Posed a = pose(a_solid, Pose{}), b = pose(b_solid, b_in_a);
    Contest contest(contender_margin * std::min(a_solid.size, b_solid.size));
    // A distance between features is the answer when the plane across it proves it; when the cores overlap it loses.
    const Closest gap = closest_features(a, b);
    const double distance = std::sqrt(gap.squared);
    if (distance > 0.0) enter_both_ways(contest, a, b, gap.offset / distance);
    const bool proved = distance > 0.0 && contest.best() >= distance * (1.0 - 1e-9);
    if (!proved) {
        for (const dvec3& n : a.normals) enter_both_ways(contest, a, b, n);
        for (const dvec3& n : b.normals) enter_both_ways(contest, a, b, n);
        for (const dvec3& u : a.directions) {
            for (const dvec3& v : b.directions) {
                const dvec3 n = glm::cross(u, v);
                const double length = glm::length(n);
                if (length > 1e-12 * glm::length(u) * glm::length(v)) enter_both_ways(contest, a, b, n / length);
            }
        }
        // Points and lines that touch: any direction across them is a facet of their flat difference.
        for (const Posed* side : {&a, &b}) {
            if (!side->normals.empty()) continue;
            const dvec3 along = side->directions[0];
            const bool point = glm::dot(along, along) == 0.0;
            enter_both_ways(contest, a, b, point ? dvec3(0, 1, 0) : any_perpendicular(glm::normalize(along)));
        }
    }
    return contest.result(a_solid.radius + b_solid.radius);
}

SignedDistance signed_distance(const Solid& a, const Solid& b, const Pose& b_in_a, double tolerance) {
    const bool curved = a.is_curved() || b.is_curved();
    return curved ? signed_distance_by_bounds(a, b, b_in_a, tolerance) : signed_distance_by_features(a, b, b_in_a);
}

SignedDistance signed_distance(const Shape& a, const Shape& b, const MatrixTransform& b_in_a) {
    const Solid sa = make_solid(a), sb = make_solid(b);
    return signed_distance(sa, sb, Pose(b_in_a), 1e-7 * std::min(sa.size, sb.size));
}

/// Distance from p to an ellipsoid: the nearest point x has p - x along its normal, so x = p r^2 / (r^2 + t) for the t
/// at which it lies on the surface, found by halving.
static double distance_outside_ellipsoid(const dvec3& r, const dvec3& p) {
    const dvec3 inside = p / r;
    if (glm::length(inside) <= 1.0) return (glm::length(inside) - 1.0) * std::min({r.x, r.y, r.z});
    const auto nearest = [&](double t) { return p * r * r / (r * r + t); };
    double low = 0.0, high = glm::length(p) * std::max({r.x, r.y, r.z});
    for (int i = 0; i < 200; ++i) {
        const double t = 0.5 * (low + high);
        (glm::length(nearest(t) / r) > 1.0 ? low : high) = t;
    }
    return glm::length(p - nearest(high));
}

double distance_outside(const Solid& solid, const dvec3& p) {
    if (solid.ellipsoid.x > 0.0) return distance_outside_ellipsoid(solid.ellipsoid, p);
    if (solid.is_curved()) {
        // In the half plane through the axis the core is a convex polygon: out to `reach` across, `height` up.
        const double across = std::hypot(p.x, p.z), r = solid.rim_radius, h = solid.half_height;
        if (solid.type == ShapeType::cylinder) {
            const double dx = across - r, dy = std::abs(p.y) - h;
            return dx > 0.0 && dy > 0.0 ? std::hypot(dx, dy) : std::max(dx, dy);
        }
        const double base = -h - p.y;                                      // above the base's plane when negative
        const double slope = std::hypot(2.0 * h, r);                       // the side from (r, -h) to (0, h)
        const double side = (2.0 * h * across + r * p.y - r * h) / slope;  // signed distance to the side's line
        const double along = ((r - across) * r + (p.y + h) * 2.0 * h) / slope / slope;  // 0 at the rim, 1 at the apex
        if (base <= 0.0 && side <= 0.0) return std::max(base, side);
        if (base > 0.0 && across <= r) return base;
        if (along >= 1.0) return std::hypot(across, p.y - h);
        if (along <= 0.0) return std::hypot(across - r, p.y + h);
        return side;
    }
    if (solid.vertices.size() > 3) {
        double above = -1e300;
        for (const Solid::Face& f : solid.faces) {
            above = std::max(above, glm::dot(f.normal, p - solid.vertices[f.corners[0]]));
        }
        if (above <= 0.0) return above - solid.radius;
    }
    Solid point;
    point.vertices = {p};
    point.edges = {{0, 0}};
    const Closest gap = closest_features(pose(solid, Pose{}), pose(point, Pose{}));
    return std::sqrt(gap.squared) - solid.radius;
}

}  // namespace talus::oracle
