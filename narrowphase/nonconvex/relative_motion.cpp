#include "narrowphase/nonconvex/relative_motion.h"

namespace talus {

namespace {

using glm::dmat3;
using glm::dquat;
using glm::dvec3;

/// The shortest axis or quaternion that has a direction.
constexpr double shortest = 1e-12;

bool finite(const dquat& q) {
    return std::isfinite(q.w) && std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z);
}

dquat unit_of(const dquat& q) {
    const double s = 1.0 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return dquat(q.w * s, q.x * s, q.y * s, q.z * s);
}

dquat turn_by(const dvec3& axis, double angle) {
    const detail::SinCos half = detail::sin_cos(0.5 * angle);
    return dquat(half.cosine, axis.x * half.sine, axis.y * half.sine, axis.z * half.sine);
}

}  // namespace

CheckedMotion::CheckedMotion(const RelativeMotion& m) : motion(m) {
    const dquat& q = m.rotation;
    if (!finite(q) || !is_finite(m.position) || !is_finite(m.displacement) || !is_finite(m.axis) ||
        !is_finite(m.center) || !(std::abs(m.angle) <= RelativeMotion::max_angle))
        return;
    if (!(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z > shortest)) return;
    const double length = detail::length(m.axis);
    if (length > shortest) {
        motion.axis = m.axis / length;
    } else if (m.angle == 0.0) {
        motion.axis = dvec3(0, 0, 1);
    } else {
        return;
    }
    if (m.angle < 0.0) {
        motion.axis = -motion.axis;
        motion.angle = -m.angle;
    }
    motion.rotation = unit_of(q);
    start = to_matrix(motion.rotation);
    usable = true;
}

dmat3 CheckedMotion::rotation_at(double time) const {
    return to_matrix(detail::times(turn_by(motion.axis, time * motion.angle), motion.rotation));
}

RelativeMotion relative_motion(const Transform& a_start, const Transform& b_start, const Transform& a_end,
                               const Transform& b_end, const vec3& center) {
    const auto place = [](const Transform& a, const Transform& b) {
        const dquat inverse_a = detail::inverse(detail::unit(a.rotation));
        return RelativePlace{detail::times(inverse_a, detail::unit(b.rotation)),
                             detail::turned(inverse_a, dvec3(b.position) - dvec3(a.position))};
    };
    const RelativePlace from = place(a_start, b_start), to = place(a_end, b_end);
    RelativeMotion m;
    m.center = center;
    m.rotation = from.rotation;
    m.position = from.position + detail::turned(from.rotation, m.center);
    m.displacement = to.position + detail::turned(to.rotation, m.center) - m.position;
    dquat turn = detail::times(to.rotation, detail::inverse(from.rotation));
    if (turn.w < 0.0) turn = -turn;
    const dvec3 v(turn.x, turn.y, turn.z);
    const double sine = detail::length(v);
    // Below this the rotation is less than the rounding of the quaternions.
    if (sine > 1e-9) {
        m.axis = v / sine;
        m.angle = 2.0 * detail::angle_of(sine, turn.w);
    } else if (!(sine <= 1e-9)) {
        m.angle = sine;  // NaN
    }
    return m;
}

RelativePlace place_at(const RelativeMotion& motion, double time) {
    const CheckedMotion checked(motion);
    if (!checked.usable) return {};
    const RelativeMotion& m = checked.motion;
    const dquat rotation = detail::times(turn_by(m.axis, time * m.angle), m.rotation);
    return {rotation, checked.center_at(time) - detail::turned(rotation, m.center)};
}

}  // namespace talus
