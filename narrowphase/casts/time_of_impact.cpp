#include <talus/narrowphase/time_of_impact.h>

#include "narrowphase/casts/clip_cast.h"
#include "narrowphase/casts/conservative_advancement.h"
#include "narrowphase/casts/double_rotation.h"
#include "narrowphase/casts/mover.h"
#include "narrowphase/shapes/usable.h"
#include "narrowphase/support/finite_mapping.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

using namespace detail;

/// A motion that rotates by more than this (rad) is refused, because double could not represent where it ends.
constexpr double largest_turn = 1e9;

bool is_finite(const RigidMotion& m) {
    const quat& q = m.start.rotation;
    return talus::is_finite(m.start.position) && talus::is_finite(q) &&
           q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z > 1e-12f && talus::is_finite(m.center) &&
           talus::is_finite(m.linear_velocity) && talus::is_finite(m.angular_velocity);
}

bool usable(const RigidMotion& a, const RigidMotion& b, const ToiSettings& s) {
    if (!is_finite(a) || !is_finite(b) || !talus::is_finite(s.duration) || !(s.duration >= 0.0f)) return false;
    if (!talus::is_finite(s.target_distance) || !talus::is_finite(s.tolerance)) return false;
    const double turn_a = length(dvec3(a.angular_velocity)), turn_b = length(dvec3(b.angular_velocity));
    return std::max(turn_a, turn_b) * double(s.duration) <= largest_turn;
}

/// Converts the result of a cast to a time of impact of two bodies that do not rotate.
TimeOfImpact from_cast(const ShapeCastResult& cast, const Mover& a) {
    TimeOfImpact result;
    switch (cast.status) {
        case CastStatus::miss:
        case CastStatus::bad_input:  // was refused before the cast
            return result;
        case CastStatus::hit:
            result.status = ToiStatus::hit;
            break;
        case CastStatus::initially_overlapping:
            result.status = ToiStatus::initially_overlapping;
            break;
        case CastStatus::iteration_cap:
            result.status = ToiStatus::iteration_cap;
            break;
    }
    const auto to_world = [&](const vec3& p) {
        return vec3(a.at_start + double(cast.fraction) * a.velocity + turned(a.start, dvec3(p) - a.center));
    };
    result.time = cast.fraction;
    result.separation = cast.separation;
    result.normal = vec3(turned(a.start, dvec3(cast.normal)));
    result.point_a = to_world(cast.point_a);
    result.point_b = to_world(cast.point_b);
    return result;
}

TimeOfImpact run(MinkowskiDifference& difference, const Mover& a, const Mover& b, double radius_a, double radii,
                 const ToiSettings& settings) {
    const double target = double(settings.target_distance);
    // GJK's own error and the rounding of coordinates set the least tolerance that makes sense.
    const double tolerance = std::max(
        double(settings.tolerance) * difference.size,
        10.0 * tolerance::gjk_gap * std::min(std::max(radii + target, 0.0), difference.size) +
            1e3 * tolerance::cast_rounding * (length(b.at_start - a.at_start) + length(b.velocity - a.velocity)));
    TimeOfImpact result;
    if (a.rate > 0.0 || b.rate > 0.0 || radii + target < 0.0) {
        result = advance(difference, a, b, radius_a, radii, target, tolerance);
    } else {
        set_pose(difference, a, b, 0.0);
        const dquat to_a = inverse(a.start);
        const ShapeCastResult c =
            difference.core_a.type == ShapeType::sphere && difference.core_b.type == ShapeType::sphere
                ? cast_spheres(difference.position, turned(to_a, b.velocity - a.velocity), target, radius_a,
                               radii - radius_a)
                : cast(difference, turned(to_a, b.velocity - a.velocity), target, radius_a, radii);
        result = from_cast(c, a);
        result.queries = 1;
        result.iterations = c.iterations;
    }
    result.time = result.status == ToiStatus::separated ? settings.duration
                                                        : round_down(double(result.time) * double(settings.duration));
    return result;
}

}  // namespace

RigidMotion motion_between(const Transform& start, const Transform& end, const vec3& center, float duration,
                           const vec3& expected_turn) {
    RigidMotion motion;
    motion.start = start;
    motion.center = center;
    if (!(duration > 0.0f)) return motion;
    const double per_second = 1.0 / double(duration);
    const dquat from = unit(start.rotation), to = unit(end.rotation);
    const dvec3 c(center);
    motion.linear_velocity =
        vec3((dvec3(end.position) - dvec3(start.position) + turned(to, c) - turned(from, c)) * per_second);
    dquat turn = times(to, inverse(from));
    if (turn.w < 0.0) turn = dquat(-turn.w, -turn.x, -turn.y, -turn.z);
    const dvec3 v(turn.x, turn.y, turn.z);
    const double sine = length(v);
    // Near whole turns the two rotations hardly determine the axis.
    constexpr double full_turn = 6.28318530717958647693, least_sine = 1e-4;
    const dvec3 expected(expected_turn);
    const double expected_angle = length(expected);
    const bool by_rotations = sine > 0.0 && (sine > least_sine || expected_angle < 0.5 * full_turn);
    const dvec3 about = by_rotations ? v / sine : expected_angle > 0.0 ? expected / expected_angle : dvec3(0.0);
    double angle = by_rotations ? 2.0 * angle_of(sine, turn.w) : 2.0 * glm::dot(v, about);
    angle += full_turn * std::floor((glm::dot(expected, about) - angle) / full_turn + 0.5);
    motion.angular_velocity = vec3(about * (angle * per_second));
    return motion;
}

Transform pose_at(const RigidMotion& motion, float time) {
    const Mover mover(motion, double(time));
    const dquat q = mover.rotation(1.0);
    const dvec3 position = mover.at_start + mover.velocity - turned(q, mover.center);
    return {vec3(position), quat(float(q.w), float(q.x), float(q.y), float(q.z))};
}

TimeOfImpact time_of_impact(const Shape& a, const RigidMotion& motion_a, const Shape& b, const RigidMotion& motion_b,
                            const ToiSettings& settings) {
    TimeOfImpact bad;
    bad.status = ToiStatus::bad_input;
    if (!is_usable(a) || !is_usable(b) || !usable(motion_a, motion_b, settings)) return bad;
    Mover mover_a(motion_a, double(settings.duration)), mover_b(motion_b, double(settings.duration));
    mover_a.reach = reach_of(a, mover_a.center, mover_a.axis_in_shape());
    mover_b.reach = reach_of(b, mover_b.center, mover_b.axis_in_shape());
    mover_a.settle();
    mover_b.settle();
    MinkowskiDifference difference(a, b, MatrixTransform{});
    return run(difference, mover_a, mover_b, double(a.radius), double(a.radius) + double(b.radius), settings);
}

namespace {

struct Extent {
    dvec3 middle, half;
};

Extent extent_of(const SupportMapping& mapping) {
    Extent e;
    for (int i = 0; i < 3; ++i) {
        dvec3 d(0.0);
        d[i] = 1.0;
        const double high = mapping.support(d)[i], low = mapping.support(-d)[i];
        e.middle[i] = 0.5 * (high + low);
        e.half[i] = 0.5 * (high - low);
    }
    return e;
}

}  // namespace

TimeOfImpact time_of_impact(const SupportMapping& a, const RigidMotion& motion_a, const SupportMapping& b,
                            const RigidMotion& motion_b, const ToiSettings& settings) {
    TimeOfImpact bad;
    bad.status = ToiStatus::bad_input;
    if (!usable(motion_a, motion_b, settings)) return bad;
    Mover mover_a(motion_a, double(settings.duration)), mover_b(motion_b, double(settings.duration));
    const FiniteMapping finite_a(a), finite_b(b);
    const Extent box_a = extent_of(finite_a), box_b = extent_of(finite_b);
    mover_a.reach.add_box(box_a.middle - mover_a.center, box_a.half, mover_a.axis_in_shape());
    mover_b.reach.add_box(box_b.middle - mover_b.center, box_b.half, mover_b.axis_in_shape());
    MinkowskiDifference difference(finite_a, finite_b);
    // The difference was made of sets in one frame; the position of B decides where the first search starts.
    const dquat to_a = inverse(mover_a.start);
    difference.open_between_middles =
        turned(to_a, mover_b.at_start - mover_a.at_start + turned(mover_b.start, box_b.middle - mover_b.center)) -
        (box_a.middle - mover_a.center);
    const TimeOfImpact result = run(difference, mover_a, mover_b, 0.0, 0.0, settings);
    return finite_a.is_valid() && finite_b.is_valid() ? result : bad;
}

}  // namespace talus
