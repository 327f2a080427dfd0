#include "narrowphase/analytic/closed_forms.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

using glm::dmat3;
using glm::dvec3;

/// Cores nearer than this * (their length) count as touching. At this distance the rounding of the direction from one
/// to the other causes the same error as a fixed normal across them, about 1e-8 of the length.
constexpr double touching = 1e-8, touching2 = touching * touching;

/// Segments whose directions differ by less (rad) are parallel.
constexpr double parallel = 1e-14, parallel2 = parallel * parallel;

double length(const dvec3& v) { return std::sqrt(glm::dot(v, v)); }

double clamp_to_unit(double t) { return t < -1.0 ? -1.0 : t > 1.0 ? 1.0 : t; }

/// Returns a unit vector at right angles to v, made with the axis along which v is shortest; +y if v is zero.
dvec3 perpendicular_to(const dvec3& v) {
    const dvec3 a = absolute(v);
    const dvec3 axis = a.x <= a.y && a.x <= a.z ? dvec3(1, 0, 0) : a.y <= a.z ? dvec3(0, 1, 0) : dvec3(0, 0, 1);
    const dvec3 p = glm::cross(v, axis);
    const double l = length(p);
    return l > 0.0 ? p / l : dvec3(0.0, 1.0, 0.0);
}

/// Returns n or -n, whichever does not point against v; n in a tie.
dvec3 turned_along(const dvec3& n, const dvec3& v) { return glm::dot(n, v) < 0.0 ? -n : n; }

/// The pose of B in A's frame. The caller's matrix is rounded to float, so it is not quite a rotation. Points are taken
/// back by the matrix's true inverse, so that a small shape touches a large one in the same place as for GJK.
struct Pose {
    dmat3 rotation;
    dvec3 position;

    explicit Pose(const MatrixTransform& f) : rotation(f.rotation), position(f.position) {}

    dvec3 to_a(const dvec3& y) const { return rotation * y + position; }
    dvec3 direction_to_b(const dvec3& x) const {
        const dvec3 y = x * rotation;
        return y + (x - rotation * y) * rotation;
    }
    dvec3 to_b(const dvec3& x) const { return direction_to_b(x - position); }
};

/// The nearest points of two cores, or the deepest.
struct Cores {
    double distance;  ///< negative when the cores overlap, m
    dvec3 normal;     ///< unit, from the first to the second
    dvec3 on_a;       ///< the first core's point; the second's is on_a + distance * normal
};

ClosedForm with_radii(const Cores& cores, float radius_a, float radius_b) {
    const double separation = cores.distance - (double(radius_a) + double(radius_b));
    const dvec3 point_a = cores.on_a + double(radius_a) * cores.normal;
    return {static_cast<float>(separation), vec3(cores.normal), vec3(point_a),
            vec3(point_a + separation * cores.normal)};
}

/// Exchanges the two cores.
Cores swapped(const Cores& c) { return {c.distance, -c.normal, c.on_a + c.distance * c.normal}; }

/// Moves the pair.
Cores moved(const Cores& c, const dvec3& by) { return {c.distance, c.normal, c.on_a + by}; }

/// Takes a result from B's frame to A's.
Cores from_b(const Cores& seen, const Pose& pose) {
    const dvec3 n = -(pose.rotation * seen.normal);
    const double scale = length(n);
    return {seen.distance * scale, n / scale, pose.to_a(seen.on_a + seen.distance * seen.normal)};
}

// ---- Points and segments --------------------------------------------------------------------------------------------

struct Line {
    dvec3 middle, half;
};

Line core_line(const Shape& shape) {
    if (shape.type == ShapeType::capsule) return {dvec3(0.0), dvec3(0.0, shape.half_extents.y, 0.0)};
    const dvec3 p(shape.points[0]), q(shape.points[1]);
    return {0.5 * (p + q), 0.5 * (q - p)};
}

Line core_line(const Shape& shape, const MatrixTransform& f) {
    if (shape.type == ShapeType::capsule)
        return {dvec3(f.position), dvec3(f.rotation[1]) * double(shape.half_extents.y)};
    const Line line = core_line(shape);
    const Pose pose(f);
    return {pose.to_a(line.middle), pose.rotation * line.half};
}

Cores point_point(const dvec3& a, const dvec3& b) {
    const dvec3 v = b - a;
    const double distance = length(v);
    return {distance, distance > 0.0 ? v / distance : dvec3(0.0, 1.0, 0.0), a};
}

/// Returns the line's parameter, -1 to 1, nearest to x.
double nearest_on(const Line& line, double half2, const dvec3& x) {
    return half2 > 0.0 ? clamp_to_unit(glm::dot(x - line.middle, line.half) / half2) : 0.0;
}

Cores line_point(const Line& line, const dvec3& x) {
    const double half2 = glm::dot(line.half, line.half);
    const dvec3 foot = line.middle + nearest_on(line, half2, x) * line.half;
    const dvec3 v = x - foot;
    const double vv = glm::dot(v, v), distance = std::sqrt(vv);
    if (vv > touching2 * half2) return {distance, v / distance, foot};
    return {distance, turned_along(perpendicular_to(line.half), v), foot};
}

Cores line_line(const Line& a, const Line& b) {
    const double aa = glm::dot(a.half, a.half), bb = glm::dot(b.half, b.half);
    const dvec3 r = b.middle - a.middle, n = glm::cross(a.half, b.half);
    const double nn = glm::dot(n, n);
    double s, t;
    bool inside = false;
    if (nn > parallel2 * aa * bb) {
        // By cross products, because aa bb - (a b)^2 cancels for nearly parallel lines.
        s = glm::dot(glm::cross(r, b.half), n) / nn;
        t = glm::dot(glm::cross(r, a.half), n) / nn;
        inside = std::abs(s) < 1.0 && std::abs(t) < 1.0;
    } else if (aa > 0.0) {
        // The middle of the stretch beside b, or the nearer end.
        const double at = glm::dot(r, a.half) / aa, reach = std::abs(glm::dot(b.half, a.half)) / aa;
        s = 0.5 * (std::max(-1.0, at - reach) + std::min(1.0, at + reach));
    } else {
        s = 0.0;
    }
    if (!inside) {
        s = clamp_to_unit(s);
        const double along = bb > 0.0 ? glm::dot(s * a.half - r, b.half) / bb : 0.0;
        t = clamp_to_unit(along);
        if (t != along) s = nearest_on(a, aa, b.middle + t * b.half);
    } else {
        // For nearly parallel lines n gives s and t with large errors, but the same for both.
        s = nearest_on(a, aa, b.middle + t * b.half);
    }
    const dvec3 on_a = a.middle + s * a.half, v = b.middle + t * b.half - on_a;
    const double vv = glm::dot(v, v), distance = std::sqrt(vv), shorter = std::min(aa, bb), longer = std::max(aa, bb);
    // Takes the direction with the smaller rounding error: for lines that pass each other closely v is short, for
    // nearly parallel ones n is.
    const bool by_cross = inside ? nn > vv * shorter : vv <= touching2 * longer && nn > touching2 * aa * bb;
    if (by_cross) return {distance, turned_along(n / std::sqrt(nn), v), on_a};
    if (vv > touching2 * longer) return {distance, v / distance, on_a};
    return {distance, turned_along(perpendicular_to(aa >= bb ? a.half : b.half), v), on_a};
}

// ---- Triangles ------------------------------------------------------------------------------------------------------

struct Triangle {
    dvec3 a, b, c;
    dvec3 normal;    ///< not unit
    double normal2;  ///< its squared length

    Triangle(const dvec3& p, const dvec3& q, const dvec3& r)
        : a(p), b(q), c(r), normal(glm::cross(q - p, r - p)), normal2(glm::dot(normal, normal)) {}

    explicit Triangle(const Shape& s) : Triangle(dvec3(s.points[0]), dvec3(s.points[1]), dvec3(s.points[2])) {}
    Triangle(const Shape& s, const dmat3& turn)
        : Triangle(turn * dvec3(s.points[0]), turn * dvec3(s.points[1]), turn * dvec3(s.points[2])) {}

    const dvec3& corner(int i) const { return i == 0 ? a : i == 1 ? b : c; }
    Line edge(int i) const {
        const dvec3 &p = corner(i), &q = corner(i == 2 ? 0 : i + 1);
        return {0.5 * (p + q), 0.5 * (q - p)};
    }

    /// Barycentric coordinates of x's projection, times normal2: of the corners opposite to edges 0 (c), 1 (a), 2 (b).
    dvec3 weights(const dvec3& x) const {
        const dvec3 d = x - a;
        const double of_c = glm::dot(glm::cross(b - a, d), normal), of_b = glm::dot(glm::cross(d, c - a), normal);
        return {of_c, normal2 - of_b - of_c, of_b};
    }
    bool has_face() const { return normal2 > 0.0; }
    /// Returns whether a point with these weights is over the face, or on the inner side of edge i. A triangle that is
    /// a line has no face, and its edges have no inner sides.
    bool over_face(const dvec3& w) const { return has_face() && w.x >= 0.0 && w.y >= 0.0 && w.z >= 0.0; }
    bool inside(const dvec3& w, int i) const { return has_face() && w[i] >= 0.0; }
    /// For a triangle that is a line: one of the normals at right angles to it.
    dvec3 unit_normal() const {
        if (has_face()) return normal / std::sqrt(normal2);
        const dvec3 ab = b - a, ac = c - a;
        return perpendicular_to(glm::dot(ab, ab) > glm::dot(ac, ac) ? ab : ac);
    }
};

Cores triangle_point(const Triangle& triangle, const dvec3& x) {
    const dvec3 weights = triangle.weights(x);
    const dvec3 n = triangle.unit_normal();
    if (triangle.over_face(weights)) {
        const double height = glm::dot(n, x - triangle.a);
        return {std::abs(height), height < 0.0 ? -n : n, x - height * n};
    }
    // The nearest point is on an edge that has x on its outer side.
    dvec3 foot(0.0), v(0.0);
    double vv = -1.0, scale2 = 0.0;
    for (int i = 0; i < 3; ++i) {
        if (triangle.inside(weights, i)) continue;
        const Line edge = triangle.edge(i);
        const double half2 = glm::dot(edge.half, edge.half);
        const dvec3 p = edge.middle + nearest_on(edge, half2, x) * edge.half, d = x - p;
        const double dd = glm::dot(d, d);
        if (vv >= 0.0 && !(dd < vv)) continue;
        foot = p;
        v = d;
        vv = dd;
        scale2 = half2;
    }
    const double distance = std::sqrt(vv);
    return {distance, vv > touching2 * scale2 ? v / distance : turned_along(n, v), foot};
}

/// Reduces [low, high] to the values of the line's parameter t for which value0 + t * slope >= 0.
void cut(double value0, double slope, double& low, double& high) {
    if (slope > 0.0) low = std::max(low, -value0 / slope);
    if (slope < 0.0) high = std::min(high, -value0 / slope);
}

/// Returns the middle of [low, high]; also if rounding has made low > high, but then within the line.
double middle_of(double low, double high) { return clamp_to_unit(0.5 * (low + high)); }

/// Lines that rise over a face by less than this * (their length) count as parallel to it: any of their points is
/// deepest.
constexpr double flat_line = 1e-9;

/// The facets of the Minkowski difference of a triangle and a segment are parallel to the triangle, or to an edge and
/// the segment. The plane that separates best, or has the least depth, gives the result.
Cores overlapping_triangle_line(const Triangle& triangle, const Line& line) {
    const dvec3 m = line.middle - triangle.a;
    const dvec3 unit = triangle.unit_normal();
    const double height = glm::dot(unit, m), rise = glm::dot(unit, line.half);
    double best = std::abs(height) - std::abs(rise);
    dvec3 normal = height < 0.0 ? -unit : unit;
    int winner = -1;
    // If the line is in the triangle's plane, edges can only give the same plane again, so they must be better.
    const double better = 1e-12 * (length(triangle.b - triangle.a) + length(triangle.c - triangle.a));
    for (int i = 0; i < 3; ++i) {
        const Line edge = triangle.edge(i);
        dvec3 n = glm::cross(edge.half, line.half);
        const double size = length(n);
        if (!(size > 0.0)) continue;
        // Outward: in the opposite direction only the opposite corner and the line touch the plane, which is no facet.
        if (glm::dot(n, triangle.corner(i == 0 ? 2 : i - 1) - edge.middle) > 0.0) n = -n;
        const double s = glm::dot(n, line.middle - edge.middle) / size;
        if (!(s > best + better)) continue;
        best = s;
        normal = n / size;
        winner = i;
    }
    if (winner >= 0) {
        const Line edge = triangle.edge(winner);
        const dvec3 n = glm::cross(edge.half, line.half);
        const double at = glm::dot(glm::cross(line.middle - edge.middle, line.half), n) / glm::dot(n, n);
        return {best, normal, edge.middle + clamp_to_unit(at) * edge.half};
    }
    double t = glm::dot(normal, line.half) > 0.0 ? -1.0 : 1.0;
    if (rise * rise <= flat_line * flat_line * glm::dot(line.half, line.half)) {
        double low = -1.0, high = 1.0;
        const dvec3 value0 = triangle.weights(line.middle);
        const dvec3 slope = triangle.weights(line.middle + line.half) - value0;
        for (int i = 0; i < 3; ++i) cut(value0[i], slope[i], low, high);
        t = middle_of(low, high);
    }
    return {best, normal, line.middle + t * line.half - best * normal};
}

Cores triangle_line(const Triangle& triangle, const Line& line) {
    const dvec3 ends[2] = {line.middle - line.half, line.middle + line.half};
    const dvec3 weights[2] = {triangle.weights(ends[0]), triangle.weights(ends[1])};
    const dvec3 n = triangle.unit_normal();
    const double height[2] = {glm::dot(n, ends[0] - triangle.a), glm::dot(n, ends[1] - triangle.a)};
    if (height[0] * height[1] <= 0.0 && height[0] != height[1]) {
        // Barycentric coordinates of the point at which the line crosses the plane, times a positive number.
        const dvec3 through = std::abs(height[1]) * weights[0] + std::abs(height[0]) * weights[1];
        if (triangle.over_face(through)) return overlapping_triangle_line(triangle, line);
    }
    Cores best{std::numeric_limits<double>::infinity(), dvec3(0.0), dvec3(0.0)};
    for (int i = 0; i < 2; ++i) {
        if (!triangle.over_face(weights[i])) continue;
        if (!(std::abs(height[i]) < best.distance)) continue;
        best = {std::abs(height[i]), height[i] < 0.0 ? -n : n, ends[i] - height[i] * n};
    }
    double longest2 = glm::dot(line.half, line.half);
    for (int i = 0; i < 3; ++i) {
        // An edge with the whole line on its inner side is no nearer than the face or the other edges.
        if (triangle.inside(weights[0], i) && triangle.inside(weights[1], i)) continue;
        const Line edge = triangle.edge(i);
        const Cores beside = line_line(edge, line);
        longest2 = std::max(longest2, glm::dot(edge.half, edge.half));
        if (beside.distance < best.distance) best = beside;
    }
    if (best.distance * best.distance <= touching2 * longest2)
        best.normal = overlapping_triangle_line(triangle, line).normal;
    return best;
}

// ---- Boxes ----------------------------------------------------------------------------------------------------------

Cores box_point(const dvec3& half, const dvec3& x) {
    const dvec3 nearest = glm::clamp(x, -half, half), v = x - nearest;
    const double vv = glm::dot(v, v);
    if (vv > 0.0) {
        const double distance = std::sqrt(vv);
        return {distance, v / distance, nearest};
    }
    const dvec3 over = absolute(x) - half;
    const int axis = over.x >= over.y && over.x >= over.z ? 0 : over.y >= over.z ? 1 : 2;
    const double sign = x[axis] < 0.0 ? -1.0 : 1.0;
    Cores inside{over[axis], dvec3(0.0), x};
    inside.normal[axis] = sign;
    inside.on_a[axis] = sign * half[axis];
    return inside;
}

/// The facets of the Minkowski difference of a box and a segment: three pairs of faces, three of edges times segment.
Cores overlapping_box_line(const dvec3& half, const Line& line) {
    const dvec3 &m = line.middle, &d = line.half;
    const dvec3 over = absolute(m) - half - absolute(d);
    int axis = over.x >= over.y && over.x >= over.z ? 0 : over.y >= over.z ? 1 : 2;
    Cores best{over[axis], dvec3(0.0), dvec3(0.0)};
    best.normal[axis] = m[axis] < 0.0 ? -1.0 : 1.0;
    bool edge = false;
    // If the line is parallel to an axis, edges can only give the planes of faces again, so they must be better.
    const double better = 1e-12 * (half.x + half.y + half.z);
    for (int i = 0; i < 3; ++i) {
        const int j = i == 2 ? 0 : i + 1, k = i == 0 ? 2 : i - 1;
        const double size = std::sqrt(d[j] * d[j] + d[k] * d[k]);
        if (!(size > 0.0)) continue;
        const double at = m[k] * d[j] - m[j] * d[k];  // along (axis i) x d
        const double s = (std::abs(at) - half[j] * std::abs(d[k]) - half[k] * std::abs(d[j])) / size;
        if (!(s > best.distance + better)) continue;
        const double sign = (at < 0.0 ? -1.0 : 1.0) / size;
        best.distance = s;
        best.normal = dvec3(0.0);
        best.normal[j] = -sign * d[k];
        best.normal[k] = sign * d[j];
        axis = i;
        edge = true;
    }
    const int j = axis == 2 ? 0 : axis + 1, k = axis == 0 ? 2 : axis - 1;
    double t;
    if (edge) {
        // The common perpendicular of both lines meets the segment where it is nearest to the box's edge.
        const double cj = best.normal[j] < 0.0 ? -half[j] : half[j], ck = best.normal[k] < 0.0 ? -half[k] : half[k];
        t = clamp_to_unit(((cj - m[j]) * d[j] + (ck - m[k]) * d[k]) / (d[j] * d[j] + d[k] * d[k]));
        best.on_a[j] = cj;
        best.on_a[k] = ck;
        best.on_a[axis] = std::clamp(m[axis] + t * d[axis], -half[axis], half[axis]);
        return best;
    }
    t = best.normal[axis] * d[axis] > 0.0 ? -1.0 : 1.0;
    if (d[axis] * d[axis] <= flat_line * flat_line * glm::dot(d, d)) {
        double low = -1.0, high = 1.0;
        for (const int i : {j, k}) {
            cut(half[i] - m[i], -d[i], low, high);
            cut(half[i] + m[i], d[i], low, high);
        }
        t = middle_of(low, high);
    }
    best.on_a = glm::clamp(m + t * d, -half, half);
    best.on_a[axis] = best.normal[axis] * half[axis];
    return best;
}

/// The squared distance from a box to the point at parameter t of a line is a convex function. Between the values of t
/// at which the line crosses the box's six planes it is a parabola. So the planes bracket its minimum, and one step of
/// Newton's method finds it.
Cores box_line(const dvec3& half, const Line& line) {
    const dvec3 &m = line.middle, &d = line.half;
    const auto outside = [&](double t) {
        const dvec3 x = m + t * d;
        return x - glm::clamp(x, -half, half);
    };
    double low = -1.0, high = 1.0;              // the distance falls at low and rises at high
    double level_low = 2.0, level_high = -2.0;  // the interval in which the distance was found to be constant
    const auto narrow = [&](double t) {
        const double slope = glm::dot(outside(t), d);
        if (slope < 0.0) {
            low = std::max(low, t);
        } else if (slope > 0.0) {
            high = std::min(high, t);
        } else {
            level_low = std::min(level_low, t);
            level_high = std::max(level_high, t);
        }
    };
    double t;
    if (glm::dot(outside(-1.0), d) > 0.0) {
        t = -1.0;
    } else if (glm::dot(outside(1.0), d) < 0.0) {
        t = 1.0;
    } else {
        narrow(-1.0);
        narrow(1.0);
        for (int i = 0; i < 3; ++i) {
            if (d[i] == 0.0) continue;
            for (const double plane : {-half[i], half[i]}) {
                const double at = (plane - m[i]) / d[i];
                if (at > low && at < high) narrow(at);
            }
        }
        if (level_low <= level_high) {
            t = 0.5 * (level_low + level_high);
        } else {
            t = 0.5 * (low + high);
            const dvec3 v = outside(t);
            double curvature = 0.0;
            for (int i = 0; i < 3; ++i) curvature += v[i] != 0.0 ? d[i] * d[i] : 0.0;
            if (curvature > 0.0) t = std::clamp(t - glm::dot(v, d) / curvature, low, high);
        }
    }
    const dvec3 v = outside(t);
    const double vv = glm::dot(v, v), dd = glm::dot(d, d);
    if (!(vv > 0.0)) return overlapping_box_line(half, line);
    const double distance = std::sqrt(vv);
    const bool touch = vv <= touching2 * std::sqrt(dd * (dd + glm::dot(m, m)));
    return {distance, touch ? overlapping_box_line(half, line).normal : v / distance, m + t * d - v};
}

// ---- Cylinders and cones against points -----------------------------------------------------------------------------

/// Returns the unit direction of x across the y axis, and its distance from the axis; +x if x is on the axis.
dvec3 radial_direction(const dvec3& x, double& off_axis) {
    off_axis = std::sqrt(x.x * x.x + x.z * x.z);
    return off_axis > 0.0 ? dvec3(x.x / off_axis, 0.0, x.z / off_axis) : dvec3(1.0, 0.0, 0.0);
}

Cores cylinder_point(double radius, double half_height, const dvec3& x) {
    double off_axis;
    const dvec3 radial = radial_direction(x, off_axis);
    const double up = x.y < 0.0 ? -1.0 : 1.0;
    const double beside = off_axis - radius, above = std::abs(x.y) - half_height;
    if (beside > 0.0 && above > 0.0) {
        const double distance = std::sqrt(beside * beside + above * above);
        const dvec3 normal = (beside / distance) * radial + dvec3(0.0, up * above / distance, 0.0);
        return {distance, normal, radius * radial + dvec3(0.0, up * half_height, 0.0)};
    }
    if (above >= beside) return {above, dvec3(0.0, up, 0.0), dvec3(x.x, up * half_height, x.z)};
    return {beside, radial, radius * radial + dvec3(0.0, x.y, 0.0)};
}

Cores cone_point(double radius, double half_height, const dvec3& x) {
    // In the half plane through the axis and x: the apex at (0, h), the rim at (r, -h), the side between them.
    double off_axis;
    const dvec3 radial = radial_direction(x, off_axis);
    const double slant = std::sqrt(radius * radius + 4.0 * half_height * half_height);
    const double across = radius / slant, down = 2.0 * half_height / slant;  // along the side, from the apex
    const double along = across * off_axis + down * (half_height - x.y);
    const double out = down * off_axis - across * (half_height - x.y);
    const double below = -half_height - x.y;
    const Cores base{below, dvec3(0.0, -1.0, 0.0), dvec3(x.x, -half_height, x.z)};
    if (below > 0.0 && off_axis <= radius) return base;
    const dvec3 side = down * radial + dvec3(0.0, across, 0.0);
    if (!(out <= 0.0 && below <= 0.0) && (along <= 0.0 || along >= slant)) {
        const dvec3 corner =
            along <= 0.0 ? dvec3(0.0, half_height, 0.0) : radius * radial - dvec3(0.0, half_height, 0.0);
        const dvec3 v = x - corner;
        const double vv = glm::dot(v, v);
        if (vv > touching2 * slant * slant) {
            const double distance = std::sqrt(vv);
            return {distance, v / distance, corner};
        }
    }
    return below >= out ? base : Cores{out, side, x - out * side};
}

// ---- Which form -----------------------------------------------------------------------------------------------------

bool is_line(ShapeType type) { return type == ShapeType::capsule || type == ShapeType::segment; }

/// Returns the distance of the point x from the core of a shape in its own frame.
Cores core_point(const Shape& shape, const dvec3& x) {
    switch (shape.type) {
        case ShapeType::capsule:
        case ShapeType::segment:
            return line_point(core_line(shape), x);
        case ShapeType::triangle:
            return triangle_point(Triangle(shape), x);
        case ShapeType::box:
            return box_point(dvec3(shape.half_extents), x);
        case ShapeType::cylinder:
            return cylinder_point(shape.half_extents.x, shape.half_extents.y, x);
        case ShapeType::cone:
            return cone_point(shape.half_extents.x, shape.half_extents.y, x);
        default:
            return point_point(dvec3(0.0), x);
    }
}

Cores sphere_first(const Shape& b, const MatrixTransform& f) {
    if (is_line(b.type)) return swapped(line_point(core_line(b, f), dvec3(0.0)));
    const Pose pose(f);
    if (b.type == ShapeType::triangle)
        return moved(swapped(triangle_point(Triangle(b, pose.rotation), -pose.position)), pose.position);
    return from_b(core_point(b, pose.to_b(dvec3(0.0))), pose);
}

Cores line_first(const Line& line, const Shape& b, const MatrixTransform& f) {
    if (is_line(b.type)) return line_line(line, core_line(b, f));
    const Pose pose(f);
    if (b.type == ShapeType::triangle) {
        const Line seen{line.middle - pose.position, line.half};
        return moved(swapped(triangle_line(Triangle(b, pose.rotation), seen)), pose.position);
    }
    const Line in_b{pose.to_b(line.middle), pose.direction_to_b(line.half)};
    return from_b(box_line(dvec3(b.half_extents), in_b), pose);
}

Cores nearest_cores(const Shape& a, const Shape& b, const MatrixTransform& f) {
    if (b.type == ShapeType::sphere) return core_point(a, dvec3(f.position));
    if (a.type == ShapeType::sphere) return sphere_first(b, f);
    if (is_line(a.type)) return line_first(core_line(a), b, f);
    const Line line = core_line(b, f);
    return a.type == ShapeType::box ? box_line(dvec3(a.half_extents), line) : triangle_line(Triangle(a), line);
}

}  // namespace

ClosedForm closed_form(const Shape& a, const Shape& b, const MatrixTransform& b_in_a) {
    return with_radii(nearest_cores(a, b, b_in_a), a.radius, b.radius);
}

}  // namespace talus
