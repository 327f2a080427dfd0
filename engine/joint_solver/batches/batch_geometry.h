#pragma once
/// Internal: the coordinates of joints and their Jacobians, in lanes. joint_geometry.h has the same functions for one
/// joint and says what they mean.

#include "engine/joint_solver/batches/batch_math.h"
#include "engine/settings.h"

namespace talus::TALUS_LANES {

constexpr double pi = 3.14159265358979323846;

/// See angle_of() in joint_geometry.h.
static inline D angle_of(D x, D y) {
    const D ax = abs(x), ay = abs(y);
    const I steep = ay > ax, nowhere = (ax == zero()) & (ay == zero());
    const D n = steep ? ax : ay, d = nowhere ? one() : steep ? ay : ax;
    D angle = zero(), c = zero();
    const auto from = [&](double threshold, double quarter, double at) {
        const I beyond = n > threshold * d;
        c = beyond ? splat(quarter) : c;
        angle = beyond ? splat(at) : angle;
    };
    from(0.125, 0.25, 0.24497866312686415);
    from(0.375, 0.5, 0.4636476090008061);
    from(0.625, 0.75, 0.6435011087932844);
    from(0.875, 1.0, 0.7853981633974483);
    const D t = (n - c * d) / (d + c * n), t2 = t * t, t4 = t2 * t2;
    const D even = 1.0 + t4 * (1.0 / 5 + t4 * (1.0 / 9 + t4 * (1.0 / 13 + t4 * (1.0 / 17))));
    const D odd = 1.0 / 3 + t4 * (1.0 / 7 + t4 * (1.0 / 11 + t4 * (1.0 / 15)));
    angle += t * (even - t2 * odd);
    angle = steep ? 0.5 * pi - angle : angle;
    angle = x < zero() ? pi - angle : angle;
    angle = y < zero() ? -angle : angle;
    return nowhere ? zero() : angle;
}

TALUS_INLINE D unwound(D angle, D near) { return angle + 2.0 * pi * floor((near - angle) / (2.0 * pi) + 0.5); }

/// Returns the rotation vector of the swing of q; its x is 0.
static inline V3 swing_of(const Q4& q) {
    const D size = sqrt(q.w * q.w + q.x * q.x);
    const I half_turn = size < splat(1e-9);
    const D safe = half_turn ? one() : size, c = q.w / safe, s = q.x / safe;
    const D w = half_turn ? zero() : size;
    const D y = half_turn ? q.y : q.y * c - q.z * s, z = half_turn ? q.z : q.y * s + q.z * c;
    const D sine = sqrt(y * y + z * z);
    const I small = sine < splat(1e-9);
    const D stretch = small ? splat(2.0) : 2.0 * angle_of(w, sine) / (small ? one() : sine);
    return {zero(), stretch * y, stretch * z};
}

TALUS_INLINE D cone_angle(const Pose& f) {
    const V3 n = cross(f.a.x, f.b.x);
    return angle_of(dot(f.a.x, f.b.x), sqrt(dot(n, n)));
}

/// Finds the coordinates that the joint's rows read. `twist` says whether that about x is one of them.
static inline void find_coordinates(const BatchJointLayout& joint, Pose& f, D last_angle, bool twist) {
    D* const q = f.coordinates;
    if (joint.is_distance) {
        q[0] = sqrt(dot(f.apart, f.apart));
        return;
    }
    if (joint.axes) {
        for (unsigned i = 0; i < 3; ++i) q[i] = dot(column(f.a, i), f.apart);
    }
    if (joint.is_wheel) {
        if (!twist) return;
        const V3 &y = f.a.y, &axle = f.b.x;
        q[3] = unwound(angle_of(dot(y, f.b.y), -dot(y, f.b.z)), last_angle);
        q[4] = angle_of(dot(axle, f.a.x), -dot(axle, f.a.z));
        q[5] = dot(axle, y);
        return;
    }
    if (twist) {
        const D angle = angle_of(dot(f.a.y, f.b.y) + dot(f.a.z, f.b.z), dot(f.a.z, f.b.y) - dot(f.a.y, f.b.z));
        q[3] = joint.is_ball ? angle : unwound(angle, last_angle);
    }
    if (joint.swing) {
        const V3 swing = swing_of(f.relative);
        q[4] = swing.y;
        q[5] = swing.z;
    }
}

TALUS_INLINE D lock_coordinate(const Pose& f, unsigned axis) {
    if (axis == 3) return 0.5 * (dot(f.a.z, f.b.y) - dot(f.a.y, f.b.z));
    return axis == 4 ? -dot(f.a.z, f.b.x) : dot(f.a.y, f.b.x);
}

TALUS_INLINE V3 lock_jacobian(const Pose& f, unsigned axis) {
    if (axis == 3) return splat(0.5) * (cross(f.b.y, f.a.z) + cross(f.a.y, f.b.z));
    return axis == 4 ? cross(f.a.z, f.b.x) : cross(f.b.x, f.a.y);
}

/// Returns the lanes whose locked rotations are too large for lock_coordinate.
TALUS_INLINE I beyond_locks(const Pose& f, bool twist) {
    const D least = splat(0.5);  // cosine of a sixth of a turn
    I near = dot(f.a.x, f.b.x) > least;
    if (twist) near &= dot(f.a.y, f.b.y) + dot(f.a.z, f.b.z) > 2.0 * least;
    return ~near;
}

/// Returns swing_rate() of joint_geometry.cpp.
static inline V3 swing_rate(const Pose& f, const V3& axis) {
    const V3 swing = swing_of(f.relative);
    const D angle = sqrt(swing.y * swing.y + swing.z * swing.z);
    const I straight = angle < splat(1e-7);
    const D safe = straight ? one() : angle;
    const V3 n = select(straight, f.a.y, (1.0 / safe) * (swing.y * f.a.y + swing.z * f.a.z));
    const V3 e = cross(n, f.a.x);
    const D cosine = dot(f.a.x, f.b.x), sine = dot(f.b.x, e);
    const D stretch = angle / max(sine, splat(1e-3));
    const V3 rate = dot(n, axis) * n + stretch * dot(e, axis) * (cosine * e - sine * f.a.x);
    return select(angle < splat(1e-6), axis, rate);
}

/// Returns the axis of a rotation row.
static inline V3 rotation_axis(const BatchJointLayout& joint, const BatchRowLayout& row, const Pose& f) {
    if (row.axis == RowAxis::small_rotation) return lock_jacobian(f, row.axis_index);
    if (row.axis == RowAxis::cone) {
        const V3 n = cross(f.a.x, f.b.x);
        const D sine = sqrt(dot(n, n));
        const I straight = sine < splat(1e-7);
        return select(straight, f.a.y, (1.0 / (straight ? one() : sine)) * n);
    }
    if (joint.is_wheel) return row.axis_index == 3 ? f.b.x : row.axis_index == 4 ? f.a.y : cross(f.b.x, f.a.y);
    if (row.axis_index == 3) return (1.0 / max(1.0 + dot(f.a.x, f.b.x), splat(1e-3))) * (f.a.x + f.b.x);
    return swing_rate(f, row.axis_index == 4 ? f.a.y : f.a.z);
}

// Twists whose swing may reach half a turn (twist_beyond() in joint_geometry.h).

/// Returns the relative rotation or its negative, whichever a row reads.
TALUS_INLINE Q4 twist_of(const BatchRowLayout& layout, const Row& row, const Q4& relative) {
    if (layout.kind == RowKind::lock) return relative;
    const I far = relative.w * row.middle_cosine + relative.x * row.middle_sine < zero();
    return select(far, {-relative.w, -relative.x, -relative.y, -relative.z}, relative);
}
TALUS_INLINE D twist_beyond(const Q4& q, D cosine, D sine) { return 2.0 * (q.x * cosine - q.w * sine); }
TALUS_INLINE V3 twist_axis(const M3& a, const Q4& q, D c, D s) {
    return a * V3{q.w * c + q.x * s, q.z * c + q.y * s, q.z * s - q.y * c};
}

}  // namespace talus::TALUS_LANES
