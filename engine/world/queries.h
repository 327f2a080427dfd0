#pragma once
/// The world's queries about one shape: a ray, a shape that moves or stands still, a point. Each query type gives the
/// box (or the moving box) for the broadphase, and the narrowphase's answer for a body's shape at its pose, in world
/// coordinates.

#include <talus/broadphase/broadphase.h>
#include <talus/engine/world.h>
#include <talus/narrowphase/gjk.h>
#include <talus/narrowphase/ray_cast.h>
#include <talus/narrowphase/shape_cast.h>
#include <talus/narrowphase/triangles/queries.h>
#include "engine/world/error_text.h"
#include "narrowphase/analytic/closed_forms.h"
#include "narrowphase/shapes/size_limits.h"

namespace talus {

struct RayQuery {
    dvec3 origin;  ///< on the grid
    vec3 translation;

    RayQuery(const dvec3& from, const vec3& way) : origin(on_grid(from)), translation(way) {}

    Error check() const {
        if (Error error = check_position("origin", origin)) return error;
        return check_finite("translation", translation, "m");
    }
    BoxCast box_cast() const { return {origin, translation}; }
    CastHit meet(const Shape& target, const WorldTransform& at, BodyId body) const {
        const vec3 from = inverse_transform_point(at, origin), way = inverse_rotate(at.rotation, translation);
        const RayHit hit = talus::ray_cast(target, from, way);
        if (!hit.hit) return {};
        return {
            body,        0, no_triangle, displaced(origin, hit.fraction * translation), rotate(at.rotation, hit.normal),
            hit.fraction};
    }
    CastHit meet(const TriangleSet& target, const WorldTransform& at, BodyId body) const {
        const vec3 from = inverse_transform_point(at, origin), way = inverse_rotate(at.rotation, translation);
        const TriangleRayHit hit = talus::ray_cast(target, from, way);
        if (!hit.hit) return {};
        return {body,
                0,
                hit.triangle,
                displaced(origin, hit.fraction * translation),
                rotate(at.rotation, hit.normal),
                hit.fraction};
    }
};

struct ShapeQuery {
    const Shape& shape;
    const WorldTransform& asked_pose;
    WorldTransform pose;  ///< its rotation normalised
    vec3 translation;

    ShapeQuery(const Shape& asked, const WorldTransform& placed, const vec3& way = vec3(0.0f))
        : shape(asked),
          asked_pose(placed),
          pose{on_grid(placed.position), normalized(placed.rotation)},
          translation(way) {}

    Error check() const {
        if (Error error = talus::check(shape)) return within("shape: ", std::move(error));
        if (Error error = check_position("pose.position", pose.position)) return error;
        if (Error error = check_finite("translation", translation, "m")) return error;
        // A zero quaternion, or one with a NaN, is still no unit quaternion after it was normalised.
        const quat& q = pose.rotation;
        if (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z > 0.5f) return {};
        return out_of_range(ErrorCode::not_finite, "pose.rotation", text(asked_pose.rotation), unit_quaternion);
    }
    WorldAabb box() const { return translated(turned_box(pose.rotation, bounds(shape)), pose.position); }
    BoxCast box_cast() const {
        const Aabb around = turned_box(pose.rotation, bounds(shape));
        return {displaced(pose.position, center(around)), translation, half_extents(around)};
    }
    CastHit meet(const Shape& target, const WorldTransform& at, BodyId body) const {
        const vec3 way = inverse_rotate(at.rotation, translation);
        const ShapeCastResult hit = talus::shape_cast(target, shape, to_matrix_transform(relative(at, pose)), way);
        if (!hit) return {};
        return {body, 0, no_triangle, transform_point(at, hit.point_a), rotate(at.rotation, hit.normal), hit.fraction};
    }
    CastHit meet(const TriangleSet& target, const WorldTransform& at, BodyId body) const {
        const vec3 way = inverse_rotate(at.rotation, translation);
        const TriangleCastResult hit = talus::shape_cast(target, shape, to_matrix_transform(relative(at, pose)), way);
        if (!hit) return {};
        return {body,
                0,
                hit.triangle,
                transform_point(at, hit.cast.point_a),
                rotate(at.rotation, hit.cast.normal),
                hit.cast.fraction};
    }
    bool overlaps(const TriangleSet& target, const WorldTransform& at) const {
        return talus::overlaps(target, shape, to_matrix_transform(relative(at, pose)));
    }
    /// Returns whether the separation is at most 0. The depth is not computed, which would be most of the work for
    /// shapes that overlap.
    bool overlaps(const Shape& target, const WorldTransform& at) const {
        const MatrixTransform frame = to_matrix_transform(relative(at, pose));
        if (has_closed_form(target.type, shape.type)) return closed_form(target, shape, frame).separation <= 0.0f;
        const float radii = target.radius + shape.radius;
        SimplexCache cache;
        const GjkResult near = gjk(target, shape, frame, cache, radii);
        return near.status == GjkStatus::overlapping || near.distance <= radii;
    }
};

struct PointQuery {
    dvec3 point;  ///< on the grid

    explicit PointQuery(const dvec3& asked) : point(on_grid(asked)) {}

    Error check() const { return check_position("point", point); }
    WorldAabb box() const { return {point, point}; }
    bool overlaps(const Shape& target, const WorldTransform& at) const {
        return talus::ray_cast(target, inverse_transform_point(at, point), vec3(0.0f)).hit;
    }
    bool overlaps(const TriangleSet&, const WorldTransform&) const { return false; }  // a surface has no inside
    NearHit meet(const TriangleSet& target, const WorldTransform& at, BodyId body) const {
        const NearestOnTriangles near = talus::nearest(target, inverse_transform_point(at, point));
        return {body, 0, transform_point(at, near.point), near.distance};
    }
    NearHit meet(const Shape& target, const WorldTransform& at, BodyId body) const {
        const MatrixTransform local{inverse_transform_point(at, point)};
        const Shape dot;
        float distance;
        vec3 nearest;
        if (has_closed_form(target.type, dot.type)) {
            const ClosedForm form = closed_form(target, dot, local);
            distance = form.separation;
            nearest = form.point_a;
        } else {
            SimplexCache cache;
            const GjkResult gap = gjk(target, dot, local, cache);
            distance = gap.distance - target.radius;
            nearest = gap.point_a + target.radius * gap.normal;
        }
        if (distance <= 0.0f) return {body, 0, point, 0.0f};
        return {body, 0, transform_point(at, nearest), distance};
    }
};

inline Error check(const WorldAabb& box) {
    if (Error error = check_position("box.lower", box.lower)) return error;
    if (Error error = check_position("box.upper", box.upper)) return error;
    if (glm::all(glm::lessThanEqual(box.lower, box.upper))) return {};
    return {ErrorCode::bad_argument, "box.lower is " + text(box.lower) + " and box.upper is " + text(box.upper) +
                                         "; lower must be <= upper on each axis."};
}

/// Returns the box as a shape, to be placed at pose_of(box). A flat box or a point gets the smallest size that shapes
/// may have.
inline Shape shape_of(const WorldAabb& box) { return talus::box(glm::max(half_extents(box), vec3(smallest_size))); }
inline WorldTransform pose_of(const WorldAabb& box) {
    return {displaced(box.lower, half_extents(box)), quat(1.0f, 0.0f, 0.0f, 0.0f)};
}

}  // namespace talus
