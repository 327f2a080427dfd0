#include "narrowphase/ladder/reuse.h"

#include "narrowphase/support/surface_curvature.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus::detail {
namespace {

/// True if the shape is round where it faces along `direction` (unit, shape frame). A contact point there moves over
/// the body as it rolls. A rounded box or hull, or a mapping, lies on a face if its manifold has an area.
bool is_round_along(const Shape& shape, const vec3& direction, const Manifold& manifold) {
    if (shape.radius > 0.0f) {
        constexpr unsigned may_lie_flat =
            1u << unsigned(ShapeType::box) | 1u << unsigned(ShapeType::hull) | 1u << unsigned(ShapeType::mapping);
        return (may_lie_flat >> unsigned(shape.type) & 1u) == 0 || manifold.count <= 2;
    }
    if (shape.type == ShapeType::cylinder) return !(std::abs(direction.y) > tolerance::flat_cap);
    if (shape.type == ShapeType::cone) return !(direction.y < -tolerance::flat_cap);
    if (shape.type == ShapeType::mapping) return manifold.count <= 2;
    return false;
}

/// Returns the point of the axis of a sphere, capsule or cylinder to which a point of its surface belongs (shape frame)
/// while the surface's normal there is `out`.
vec3 on_axis(const Shape& shape, const vec3& point, const vec3& out) {
    if (shape.type == ShapeType::sphere) return vec3(0.0f);
    if (shape.type == ShapeType::cylinder) return {0.0f, point.y, 0.0f};
    const float half = shape.half_extents.y;
    return {0.0f, std::clamp(point.y - shape.radius * out.y, -half, half), 0.0f};
}

/// The same for a contact with a sphere around `center` (shape frame): the point of the axis nearest to it.
vec3 on_axis_near(const Shape& shape, const vec3& center) {
    if (shape.type == ShapeType::sphere) return vec3(0.0f);
    const float half = shape.half_extents.y;
    return {0.0f, std::clamp(center.y, -half, half), 0.0f};
}

/// Returns where a point of the surface goes that belongs to `axis`, a point of the axis, when the normal there becomes
/// `out`.
vec3 rolled(const Shape& shape, const vec3& point, const vec3& axis, const vec3& out) {
    if (shape.type != ShapeType::cylinder) return axis + shape.radius * out;
    const float across2 = out.x * out.x + out.z * out.z;
    if (!(across2 > 0.0f)) return point;
    const float scale = std::sqrt((point.x * point.x + point.z * point.z) / across2);
    return {scale * out.x, axis.y, scale * out.z};
}

/// True if the shape is a sphere, capsule or cylinder, and the manifold's points are where it is nearest to the other
/// shape. The points of a cap that is not quite level are not: they are all around its rim.
bool can_roll(const Manifold& manifold, const Shape& shape, vec3 ManifoldPoint::*on, const vec3& out, float most) {
    if (shape.type != ShapeType::sphere && shape.type != ShapeType::capsule && shape.type != ShapeType::cylinder)
        return false;
    for (int i = 0; i < manifold.count; ++i) {
        const vec3& p = manifold.points[i].*on;
        if (!(length_squared(rolled(shape, p, on_axis(shape, p, out), out) - p) <= most * most)) return false;
    }
    return true;
}

/// Where the line between the axes of two shapes, of which one is a sphere, begins and ends: each in its shape's frame.
struct AxisPoints {
    vec3 on_a, on_b;
    vec3 between(const MatrixTransform& b_in_a) const { return transform_point(b_in_a, on_b) - on_a; }
};
AxisPoints axis_points(const Shape& a, const Shape& b, const MatrixTransform& b_in_a) {
    return {on_axis_near(a, b_in_a.position), on_axis_near(b, transpose_mul(b_in_a.rotation, -b_in_a.position))};
}

/// Returns the shape that rolls on the other one while the manifold is reused. `round_a`, `round_b`: whether the two are
/// round where they touch.
RollingShape rolling_shape(const Manifold& manifold, const Shape& a, const Shape& b, bool round_a, bool round_b,
                           const MatrixTransform& b_in_a, const vec3& normal_in_b, float thickness) {
    const vec3& n = manifold.normal;
    for (int i = 0; i < manifold.count; ++i) {
        if (!(manifold.points[i].separation >= -tolerance::axis_depth * thickness)) return RollingShape::none;
    }
    const float most = tolerance::rolling_point * thickness;
    if (round_a && !can_roll(manifold, a, &ManifoldPoint::on_a, n, most)) return RollingShape::none;
    if (round_b && !can_roll(manifold, b, &ManifoldPoint::on_b, -normal_in_b, most)) return RollingShape::none;
    if (!round_b) {
        const bool on_face = manifold.face_owner == FaceOwner::b || is_across_face(b, normal_in_b);
        return on_face ? RollingShape::a : RollingShape::none;
    }
    if (!round_a) {
        const bool on_face = manifold.face_owner == FaceOwner::a || is_across_face(a, n);
        return on_face ? RollingShape::b : RollingShape::none;
    }
    // Beside a rim, the way between the axes is not along the normal, or not for long.
    for (const auto& [shape, height] : {std::pair(&a, n.y), std::pair(&b, normal_in_b.y)}) {
        if (shape->type == ShapeType::cylinder && !(std::abs(height) <= tolerance::rolling_side))
            return RollingShape::none;
    }
    // Two lines slide along each other as well, and their nearest points move.
    if ((a.type != ShapeType::sphere && b.type != ShapeType::sphere) || manifold.count != 1) return RollingShape::none;
    const vec3 between = axis_points(a, b, b_in_a).between(b_in_a);
    const float along = glm::dot(between, n);
    const bool is_along = along * along >= tolerance::rolling_normal * length_squared(between);
    return is_along && along >= tolerance::rolling_axes_apart * thickness ? RollingShape::both : RollingShape::none;
}

}  // namespace

void set_reuse(const CollideCall& call, const PairTest& test, bool exact) {
    PairRecord& record = *test.record;
    PairCache& cache = *test.cache;
    const Manifold& manifold = cache.manifold;
    const Shape &a = call.shape_a(test), &b = call.shape_b(test);
    const vec3 normal_in_b = transpose_mul(test.b_in_a.rotation, manifold.normal);
    const bool round_a = is_round_along(a, manifold.normal, manifold),
               round_b = is_round_along(b, -normal_in_b, manifold);
    float motion = manifold.face_owner == FaceOwner::none ? tolerance::reuse_motion_edges : tolerance::reuse_motion;
    cache.rolling = RollingShape::none;
    if (round_a || round_b) {
        cache.rolling = rolling_shape(manifold, a, b, round_a, round_b, test.b_in_a, normal_in_b, record.thickness);
        if (cache.rolling == RollingShape::a) {
            cache.axis = normal_in_b;
            cache.axis_in_b = true;
        }
        const bool cheap = manifold.face_owner != FaceOwner::none || call.is_closed_form(test);
        motion = cache.rolling == RollingShape::none && cheap ? 0.0f : tolerance::reuse_motion_round;
    }
    record.reuse_motion = exact ? motion * record.thickness : 0.0f;
}

void reuse_manifold(const CollideCall& call, const PairRecord& record, PairCache& cache, const Transform& b_in_a) {
    Manifold& manifold = cache.manifold;
    if (cache.rolling == RollingShape::none) {
        for (int i = 0; i < manifold.count; ++i) {
            ManifoldPoint& p = manifold.points[i];
            p.separation = glm::dot(transform_point(b_in_a, p.on_b) - p.on_a, manifold.normal);
        }
        return;
    }
    const MatrixTransform pose = to_matrix_transform(b_in_a);
    const Shape &a = call.colliders.shapes[record.a], &b = call.colliders.shapes[record.b];
    if (cache.rolling == RollingShape::both) {
        ManifoldPoint& p = manifold.points[0];
        const AxisPoints axes = axis_points(a, b, pose);
        const vec3 between = axes.between(pose);
        const float length = std::sqrt(length_squared(between));
        if (length > 0.0f) manifold.normal = between / length;
        p.on_a = rolled(a, p.on_a, axes.on_a, manifold.normal);
        p.on_b = rolled(b, p.on_b, axes.on_b, -transpose_mul(pose.rotation, manifold.normal));
        p.separation = glm::dot(transform_point(pose, p.on_b) - p.on_a, manifold.normal);
        return;
    }
    const bool rolls_a = cache.rolling == RollingShape::a;
    const vec3 before = manifold.normal;
    if (rolls_a) manifold.normal = pose.rotation * cache.axis;
    const vec3 before_in_b = transpose_mul(pose.rotation, before);
    const vec3 normal_in_b = transpose_mul(pose.rotation, manifold.normal);
    const float least = tolerance::rolling_step * record.thickness;
    for (int i = 0; i < manifold.count; ++i) {
        ManifoldPoint& p = manifold.points[i];
        if (rolls_a) p.on_a = rolled(a, p.on_a, on_axis(a, p.on_a, before), manifold.normal);
        if (!rolls_a) p.on_b = rolled(b, p.on_b, on_axis(b, p.on_b, -before_in_b), -normal_in_b);
        const vec3 to_b = transform_point(pose, p.on_b) - p.on_a;
        p.separation = glm::dot(to_b, manifold.normal);
        // The point on the face stays opposite to the one that rolls. At rest it keeps its place: each sum is rounded.
        const vec3 beside = to_b - p.separation * manifold.normal;
        if (!(length_squared(beside) > least * least)) continue;
        if (!rolls_a) p.on_a += beside;
        if (rolls_a) p.on_b -= transpose_mul(pose.rotation, beside);
    }
}

}  // namespace talus::detail
