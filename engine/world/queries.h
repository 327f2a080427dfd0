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
#include "narrowphase/shapes/turned_bounds.h"

#include <algorithm>
#include <cmath>

namespace talus {

/// Returns the largest distance of a point of the box from the origin, m.
inline double reach_of(const Aabb& box) { return glm::length(dvec3(glm::max(-box.lower, box.upper))); }

/// The part of a cast's way that is near a target, as seen from the target. A cast may begin 10,000 km away, and floats of
/// that size are a metre apart. So only this part is computed in floats.
struct NearWay {
    vec3 from{0.0f}, way{0.0f};         ///< where the part begins, and how far it goes, the target's frame, m
    double begin = 0.0, length = -1.0;  ///< fractions of the whole way; the length is negative if no part is near

    /// `reach`: the cast meets the target only within this distance of the target's origin, m.
    NearWay(const WorldTransform& target, const dvec3& origin, const vec3& translation, double reach) {
        const dvec3 start = origin - target.position, whole(translation);
        const double length2 = glm::dot(whole, whole), nearest = -glm::dot(start, whole);
        const double half = (1.0 + 1e-6) * reach * std::sqrt(length2);
        begin = length2 > 0.0 ? std::max((nearest - half) / length2, 0.0) : 0.0;
        length = (length2 > 0.0 ? std::min((nearest + half) / length2, 1.0) : 1.0) - begin;
        from = inverse_rotate(target.rotation, vec3(start + begin * whole));
        way = inverse_rotate(target.rotation, vec3(length * whole));
    }
    explicit operator bool() const { return length >= 0.0; }
    double fraction(float of_part) const { return begin + length * double{of_part}; }
};

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
        const NearWay near(at, origin, translation, reach_of(bounds(target)));
        if (!near) return {};
        const RayHit hit = talus::ray_cast(target, near.from, near.way);
        return hit.hit ? result(near, at, body, no_triangle, hit.fraction, hit.normal) : CastHit{};
    }
    CastHit meet(const TriangleSet& target, const WorldTransform& at, BodyId body) const {
        const NearWay near(at, origin, translation, reach_of(target.bounds()));
        if (!near) return {};
        const TriangleRayHit hit = talus::ray_cast(target, near.from, near.way);
        return hit.hit ? result(near, at, body, hit.triangle, hit.fraction, hit.normal) : CastHit{};
    }

private:
    CastHit result(const NearWay& near, const WorldTransform& at, BodyId body, std::uint32_t triangle, float of_part,
                   const vec3& normal) const {
        const double fraction = near.fraction(of_part);
        return {body,
                0,
                triangle,
                origin + on_grid(fraction * dvec3(translation)),  // exact: the same wherever the world is
                rotate(at.rotation, normal),
                static_cast<float>(fraction)};
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
    WorldAabb box() const { return translated(detail::turned_bounds(shape, pose.rotation), pose.position); }
    BoxCast box_cast() const {
        const Aabb around = detail::turned_bounds(shape, pose.rotation);
        return {displaced(pose.position, center(around)), translation, half_extents(around)};
    }
    CastHit meet(const Shape& target, const WorldTransform& at, BodyId body) const {
        const NearWay near(at, pose.position, translation, reach_of(bounds(target)) + reach_of(bounds(shape)));
        if (!near) return {};
        const ShapeCastResult hit = talus::shape_cast(target, shape, start(near, at), near.way);
        return hit ? result(near, at, body, no_triangle, hit) : CastHit{};
    }
    CastHit meet(const TriangleSet& target, const WorldTransform& at, BodyId body) const {
        const NearWay near(at, pose.position, translation, reach_of(target.bounds()) + reach_of(bounds(shape)));
        if (!near) return {};
        const TriangleCastResult hit = talus::shape_cast(target, shape, start(near, at), near.way);
        return hit ? result(near, at, body, hit.triangle, hit.cast) : CastHit{};
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

private:
    /// Where the shape is when the near part of its way begins, as seen from the target.
    MatrixTransform start(const NearWay& near, const WorldTransform& at) const {
        return to_matrix_transform({near.from, multiply(conjugate(at.rotation), pose.rotation)});
    }
    CastHit result(const NearWay& near, const WorldTransform& at, BodyId body, std::uint32_t triangle,
                   const ShapeCastResult& hit) const {
        return {body,
                0,
                triangle,
                transform_point(at, hit.point_a),
                rotate(at.rotation, hit.normal),
                static_cast<float>(near.fraction(hit.fraction))};
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
    const dvec3 size = box.upper - box.lower;
    if (std::max({size.x, size.y, size.z}) > 2.0 * double{largest_size})
        return out_of_range(ErrorCode::bad_size, "box", text(size), "at most 2e6 along each axis (m)");
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
