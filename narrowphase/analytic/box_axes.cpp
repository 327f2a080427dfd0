#include "narrowphase/analytic/box_axes.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

using glm::dmat3;
using glm::dvec3;

constexpr int next[] = {1, 2, 0};

/// Two edges at a smaller angle (rad) than this make no plane of their own: the error of leaving it out, the angle
/// times their length, is less than the plane's rounding, 1e-16 / angle.
constexpr double parallel_edges = 1e-8, parallel_edges2 = parallel_edges * parallel_edges;

/// A plane replaces an earlier one only if it is better by this * (the sizes), because planes that differ only by
/// rounding are the same.
constexpr double better = 1e-12;

/// Axes of the other box that rise over a face by less than this * (their length) count as parallel to it.
constexpr double flat = 1e-9;

/// A box as an affine image of the unit cube: columns `axis` times `half`, about `center`, in the other box's frame.
struct Posed {
    dvec3 center;
    dmat3 axis;
    const dvec3& half;
};

/// The plane that separates the two best, or has the least depth.
struct Plane {
    double separation = -std::numeric_limits<double>::infinity();
    dvec3 normal{0.0};             ///< unit, from the first shape to the second
    int axis_a = -1, axis_b = -1;  ///< whose face (the other is -1), or which edges; of a triangle: face 0, edge 0 to 2
};

/// Clips a polygon to the part in which above(point) <= 0.
template <class Above>
int clip(const dvec3* in, int count, dvec3* out, Above above) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const dvec3 &p = in[i], &q = in[i + 1 == count ? 0 : i + 1];
        const double above_p = above(p), above_q = above(q);
        if (above_p <= 0.0) out[kept++] = p;
        if ((above_p < 0.0 && above_q > 0.0) || (above_p > 0.0 && above_q < 0.0))
            out[kept++] = p + (above_p / (above_p - above_q)) * (q - p);
    }
    return kept;
}

constexpr int most_corners = 12;

dvec3 mean(const dvec3* points, int count) {
    dvec3 sum = points[0];
    for (int i = 1; i < count; ++i) sum += points[i];
    return sum / static_cast<double>(count);
}

/// Returns the middle of the overlap of a polygon with the projection of a box's face. If there is no overlap, returns
/// false and gives the polygon's own middle.
bool middle_over_face(const dvec3& half, int axis, dvec3* polygon, int count, dvec3& point) {
    const int j = next[axis], k = next[j];
    point = mean(polygon, count);
    dvec3 clipped[most_corners];
    count = clip(polygon, count, clipped, [&](const dvec3& p) { return p[j] - half[j]; });
    count = clip(clipped, count, polygon, [&](const dvec3& p) { return -p[j] - half[j]; });
    count = clip(polygon, count, clipped, [&](const dvec3& p) { return p[k] - half[k]; });
    count = clip(clipped, count, polygon, [&](const dvec3& p) { return -p[k] - half[k]; });
    if (count == 0) return false;
    point = mean(polygon, count);
    return true;
}

/// Returns the corner, edge or face of a box that is lowest along a direction. It is given by how much each of the
/// box's axes rises along that direction.
int lowest_feature(const Posed& box, const dvec3& rise, dvec3* polygon) {
    dvec3 corner = box.center;
    int level[3], levels = 0;
    for (int i = 0; i < 3; ++i) {
        if (std::abs(rise[i]) <= flat && levels < 2) {
            level[levels++] = i;
        } else {
            corner += (rise[i] > 0.0 ? -box.half[i] : box.half[i]) * box.axis[i];
        }
    }
    polygon[0] = corner;
    if (levels == 0) return 1;
    const dvec3 u = box.half[level[0]] * box.axis[level[0]];
    polygon[0] = corner + u;
    polygon[1] = corner - u;
    if (levels == 1) return 2;
    const dvec3 v = box.half[level[1]] * box.axis[level[1]];
    polygon[2] = polygon[1] - v;
    polygon[3] = polygon[0] - v;
    polygon[0] += v;
    polygon[1] += v;
    return 4;
}

/// Finds the point of the other box that is lowest over the face `sign * axis` of a box; the middle of them if there
/// are many. Returns false if the lowest corner, edge or face is entirely beside that face.
bool lowest_over_face(const dvec3& half, int axis, double sign, const Posed& other, dvec3& point) {
    dvec3 polygon[most_corners];
    const dvec3 rise = sign * dvec3(other.axis[0][axis], other.axis[1][axis], other.axis[2][axis]);
    const int count = lowest_feature(other, rise, polygon);
    return middle_over_face(half, axis, polygon, count, point);
}

class Boxes {
public:
    Boxes(const Shape& a, const Shape& b, const MatrixTransform& f)
        : a_(a.half_extents), b_(b.half_extents), r_(f.rotation), p_(f.position) {
        // The normals of B's faces. The matrix is not quite a rotation, so they are not quite its columns.
        for (int i = 0; i < 3; ++i) dual_[i] = glm::cross(r_[next[i]], r_[next[next[i]]]);
        volume_ = glm::dot(r_[0], dual_[0]);
        better_ = better * (a_.x + a_.y + a_.z + b_.x + b_.y + b_.z);
    }

    /// Ends early once a plane separates the two by more than `limit`, and returns that.
    bool apart_by_more_than(double limit) {
        try_faces_of_a();
        if (best_.separation > limit) return true;
        try_faces_of_b();
        if (best_.separation > limit) return true;
        try_edges();
        return best_.separation > limit;
    }

    const Plane& best() const { return best_; }

    /// Finds the nearest or deepest points on the features that touch the best plane. Returns false if these features
    /// are not over each other.
    bool find_points(dvec3& on_a) const {
        const dvec3& n = best_.normal;
        if (best_.axis_b < 0) {
            const int i = best_.axis_a;
            const bool over = lowest_over_face(a_, i, n[i], {p_, r_, b_}, on_a);
            on_a -= best_.separation * n;
            return over;
        }
        if (best_.axis_a < 0) {
            const int i = best_.axis_b;
            const dmat3 inverse = glm::transpose(dual_) / volume_;
            dvec3 y;
            const bool over =
                lowest_over_face(b_, i, glm::dot(n, r_[i]) > 0.0 ? -1.0 : 1.0, {-(inverse * p_), inverse, a_}, y);
            on_a = r_ * y + p_;
            return over;
        }
        // Two edges: the points are where the common perpendicular meets them.
        const int i = best_.axis_a, j = best_.axis_b, i1 = next[i], i2 = next[i1], j1 = next[j], j2 = next[j1];
        dvec3 edge_a(0.0), edge_b = p_;
        edge_a[i1] = n[i1] < 0.0 ? -a_[i1] : a_[i1];
        edge_a[i2] = n[i2] < 0.0 ? -a_[i2] : a_[i2];
        for (const int k : {j1, j2}) edge_b -= (glm::dot(n, r_[k]) < 0.0 ? -b_[k] : b_[k]) * r_[k];
        const dvec3 between = edge_b - edge_a, &r = r_[j];
        const double nn = r[i1] * r[i1] + r[i2] * r[i2];
        const double y = -(between[i1] * r[i1] + between[i2] * r[i2]) / nn;
        const double x = between[i] + y * r[i];
        on_a = edge_a;
        on_a[i] = std::clamp(x, -a_[i], a_[i]);
        return std::abs(x) <= a_[i] && std::abs(y) <= b_[j];
    }

private:
    void try_faces_of_a() {
        for (int i = 0; i < 3; ++i) {
            const double reach = b_.x * std::abs(r_[0][i]) + b_.y * std::abs(r_[1][i]) + b_.z * std::abs(r_[2][i]);
            const double s = std::abs(p_[i]) - a_[i] - reach;
            if (!(s > best_.separation + (i > 0 ? better_ : 0.0))) continue;
            dvec3 n(0.0);
            n[i] = p_[i] < 0.0 ? -1.0 : 1.0;
            best_ = {s, n, i, -1};
        }
    }

    void try_faces_of_b() {
        for (int i = 0; i < 3; ++i) {
            const dvec3& n = dual_[i];
            const double at = glm::dot(n, p_), size = std::sqrt(glm::dot(n, n));
            const double s = (std::abs(at) - glm::dot(a_, absolute(n)) - b_[i] * volume_) / size;
            if (s > best_.separation + better_) best_ = {s, n * ((at < 0.0 ? -1.0 : 1.0) / size), -1, i};
        }
    }

    void try_edges() {
        for (int j = 0; j < 3; ++j) {
            const dvec3& r = r_[j];
            const int j1 = next[j], j2 = next[j1];
            for (int i = 0; i < 3; ++i) {
                const int i1 = next[i], i2 = next[i1];
                const double nn = r[i1] * r[i1] + r[i2] * r[i2];
                // Along (axis i of A) x (axis j of B).
                const double at = r[i1] * p_[i2] - r[i2] * p_[i1];
                const double reach_a = a_[i1] * std::abs(r[i2]) + a_[i2] * std::abs(r[i1]);
                const double reach_b = b_[j1] * std::abs(dual_[j2][i]) + b_[j2] * std::abs(dual_[j1][i]);
                const double least = best_.separation + better_, over = std::abs(at) - reach_a - reach_b;
                // over / size > least, without the root: both sides squared, signs kept.
                if (!(over * std::abs(over) > least * std::abs(least) * nn) || !(nn > parallel_edges2)) continue;
                const double size = std::sqrt(nn), sign = (at < 0.0 ? -1.0 : 1.0) / size;
                best_.separation = over / size;
                best_.normal = dvec3(0.0);
                best_.normal[i1] = -sign * r[i2];
                best_.normal[i2] = sign * r[i1];
                best_.axis_a = i;
                best_.axis_b = j;
            }
        }
    }

    const dvec3 a_, b_;
    const dmat3 r_;
    const dvec3 p_;
    dmat3 dual_;
    double volume_, better_;
    Plane best_;
};

/// A box and a triangle in the box's frame; normals from the box to the triangle.
class BoxTriangle {
public:
    BoxTriangle(const dvec3& half, const dvec3& p, const dvec3& q, const dvec3& r)
        : half_(half), corner_{p, q, r}, edge_{q - p, r - q, p - r}, normal_(glm::cross(edge_[0], edge_[1])) {
        better_ = better * (half.x + half.y + half.z + glm::length(edge_[0]) + glm::length(edge_[1]));
    }

    bool apart_by_more_than(double limit) {
        try_faces();
        if (best_.separation > limit) return true;
        try_triangle();
        if (best_.separation > limit) return true;
        try_edges();
        return best_.separation > limit;
    }

    const Plane& best() const { return best_; }

    bool find_points(dvec3& on_box) const {
        const dvec3& n = best_.normal;
        const double s = best_.separation;
        dvec3 polygon[most_corners], clipped[most_corners];
        if (best_.axis_b < 0) {
            const int i = best_.axis_a;
            double low = std::numeric_limits<double>::infinity();
            for (const dvec3& p : corner_) low = std::min(low, n[i] * p[i]);
            int count = 0;
            for (const dvec3& p : corner_) {
                if (n[i] * p[i] <= low + flat * glm::length(edge_[0])) polygon[count++] = p;
            }
            const bool over = middle_over_face(half_, i, polygon, count, on_box);
            on_box[i] = n[i] * half_[i];
            return over;
        }
        if (best_.axis_a < 0) {
            int count = lowest_feature({dvec3(0.0), dmat3(1.0), half_}, -n, polygon);
            on_box = mean(polygon, count);
            for (int k = 0; k < 3; ++k) {
                const dvec3 outward = glm::cross(edge_[k], normal_);
                count = clip(polygon, count, clipped,
                             [&](const dvec3& p) { return glm::dot(outward, p + s * n - corner_[k]); });
                std::copy_n(clipped, count, polygon);
            }
            if (count == 0) return false;
            on_box = mean(polygon, count);
            return true;
        }
        const int i = best_.axis_a, k = best_.axis_b, i1 = next[i], i2 = next[i1];
        const dvec3 &e = edge_[k], &p = corner_[k];
        on_box[i1] = n[i1] < 0.0 ? -half_[i1] : half_[i1];
        on_box[i2] = n[i2] < 0.0 ? -half_[i2] : half_[i2];
        const double y =
            ((on_box[i1] - p[i1]) * e[i1] + (on_box[i2] - p[i2]) * e[i2]) / (e[i1] * e[i1] + e[i2] * e[i2]);
        const double x = p[i] + y * e[i];
        on_box[i] = std::clamp(x, -half_[i], half_[i]);
        return std::abs(x) <= half_[i] && y >= 0.0 && y <= 1.0;
    }

private:
    void try_faces() {
        for (int i = 0; i < 3; ++i) {
            const double low = std::min(corner_[0][i], std::min(corner_[1][i], corner_[2][i]));
            const double high = std::max(corner_[0][i], std::max(corner_[1][i], corner_[2][i]));
            const double s = std::max(low, -high) - half_[i];
            if (!(s > best_.separation + (i > 0 ? better_ : 0.0))) continue;
            dvec3 n(0.0);
            n[i] = low >= -high ? 1.0 : -1.0;
            best_ = {s, n, i, -1};
        }
    }

    void try_triangle() {
        const double size = glm::length(normal_), at = glm::dot(normal_, corner_[0]);
        if (!(size > 0.0)) return;
        const double s = (std::abs(at) - glm::dot(half_, absolute(normal_))) / size;
        if (s > best_.separation + better_) best_ = {s, normal_ * ((at < 0.0 ? -1.0 : 1.0) / size), -1, 0};
    }

    void try_edges() {
        for (int k = 0; k < 3; ++k) {
            const dvec3 &e = edge_[k], &p = corner_[k], &inward = edge_[next[next[k]]];  // to p, from the third corner
            const double ee = glm::dot(e, e);
            for (int i = 0; i < 3; ++i) {
                const int i1 = next[i], i2 = next[i1];
                const double nn = e[i1] * e[i1] + e[i2] * e[i2];
                // (Axis i) x edge, with the sign for which the triangle's third corner lies behind the edge.
                const double side = inward[i1] * e[i2] - inward[i2] * e[i1];
                const double sign = side < 0.0 ? -1.0 : 1.0;
                const double at = sign * (e[i1] * p[i2] - e[i2] * p[i1]);
                const double over = at - half_[i1] * std::abs(e[i2]) - half_[i2] * std::abs(e[i1]);
                const double least = best_.separation + better_;
                if (!(over * std::abs(over) > least * std::abs(least) * nn) || !(nn > parallel_edges2 * ee)) continue;
                const double size = std::sqrt(nn);
                best_.separation = over / size;
                best_.normal = dvec3(0.0);
                best_.normal[i1] = -sign * e[i2] / size;
                best_.normal[i2] = sign * e[i1] / size;
                best_.axis_a = i;
                best_.axis_b = k;
            }
        }
    }

    const dvec3 half_, corner_[3], edge_[3], normal_;
    double better_;
    Plane best_;
};

/// Runs the axes, and converts their result from the frame in which they work to A's frame by `place`.
template <class Axes, class Place>
ByAxes answer(Axes axes, double limit, double radii, Place place) {
    ByAxes result;
    dvec3 on_first(0.0);
    if (axes.apart_by_more_than(limit + radii)) {
        result.status = AxesStatus::beyond_limit;
    } else if (axes.find_points(on_first) || !(axes.best().separation > 0.0)) {
        result.status = AxesStatus::exact;
    }
    place(axes.best().separation, axes.best().normal, on_first, result.answer);
    return result;
}

}  // namespace

ByAxes by_axes(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, float max_separation) {
    const double limit = max_separation, radius = double(a.radius) + double(b.radius);
    const auto in_a = [&](double s, const dvec3& n, const dvec3& on_a, ClosedForm& c) {
        const dvec3 point_a = on_a + double(a.radius) * n;
        c = {static_cast<float>(s - radius), vec3(n), vec3(point_a), vec3(point_a + (s - radius) * n)};
    };
    if (a.type == b.type) return answer(Boxes(a, b, b_in_a), limit, radius, in_a);

    const dmat3 r(b_in_a.rotation);
    const dvec3 p(b_in_a.position);
    const Shape& triangle = a.type == ShapeType::triangle ? a : b;
    dvec3 corner[3];
    if (a.type == ShapeType::box) {
        for (int i = 0; i < 3; ++i) corner[i] = r * dvec3(triangle.points[i]) + p;
        return answer(BoxTriangle(dvec3(a.half_extents), corner[0], corner[1], corner[2]), limit, radius, in_a);
    }
    const dmat3 inverse = glm::inverse(r);
    for (int i = 0; i < 3; ++i) corner[i] = inverse * (dvec3(triangle.points[i]) - p);
    return answer(BoxTriangle(dvec3(b.half_extents), corner[0], corner[1], corner[2]), limit, radius,
                  [&](double s, const dvec3& n, const dvec3& on_b, ClosedForm& c) {
                      // Normals transform by the transpose of the inverse; distances are divided by their new length.
                      const dvec3 turned = n * inverse;
                      const double scale = 1.0 / glm::length(turned);
                      in_a(s * scale, -scale * turned, r * (on_b + s * n) + p, c);
                  });
}

}  // namespace talus
