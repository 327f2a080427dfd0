#include "engine/joints/joint_geometry.h"

#include "engine/settings.h"
#include "narrowphase/casts/double_rotation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

using detail::inverse;
using detail::times;
using std::numbers::pi;

/// Returns the angle whose tangent is y / x, for 0 <= y <= x, x > 0. Let r be the quarter of 1 (0, 1/4, ... 1) nearest
/// to y / x. The series gives the difference from the angle whose tangent is r, and converges at once.
double arc_tangent(double y, double x) {
    constexpr double angles[] = {0.0, 0.24497866312686415, 0.4636476090008061, 0.6435011087932844, 0.7853981633974483};
    const int quarter = (y > 0.125 * x) + (y > 0.375 * x) + (y > 0.625 * x) + (y > 0.875 * x);
    const double c = 0.25 * quarter, t = (y - c * x) / (x + c * y), t2 = t * t, t4 = t2 * t2;
    const double even = 1.0 + t4 * (1.0 / 5 + t4 * (1.0 / 9 + t4 * (1.0 / 13 + t4 * (1.0 / 17))));
    const double odd = 1.0 / 3 + t4 * (1.0 / 7 + t4 * (1.0 / 11 + t4 * (1.0 / 15)));
    return angles[quarter] + t * (even - t2 * odd);
}

/// Returns the angle nearest to `near` among those that differ from `angle` by whole turns.
double unwound(double angle, double near) {
    const double whole_turns = (near - angle) / (2.0 * pi);
    return angle + 2.0 * pi * std::floor(whole_turns + 0.5);
}

/// Returns the rotation vector of a unit quaternion: its vector part, scaled to the length of the angle, up to pi.
dvec3 stretched(const dquat& q) {
    const dvec3 v(q.x, q.y, q.z);
    const double sine = std::sqrt(glm::dot(v, v));
    const double sign = q.w < 0.0 ? -1.0 : 1.0;
    if (sine < 1e-9) return 2.0 * sign * v;
    return (2.0 * angle_of(sign * q.w, sine) / sine * sign) * v;
}

/// Returns the rotation without its twist about x. It rotates A's x axis to B's along the shortest path.
dquat swing_of(const dquat& q) {
    const double size = std::sqrt(q.w * q.w + q.x * q.x);
    if (size < 1e-9) return dquat(0.0, 0.0, q.y, q.z);  // at a swing of half a turn, any twist is correct
    const double c = q.w / size, s = q.x / size;
    return dquat(size, 0.0, q.y * c - q.z * s, q.y * s + q.z * c);
}

/// The plane of the swing. n is the unit axis of its rotation, and e is perpendicular to n and to A's x axis. B's x
/// axis is cos * x + sin * e.
struct SwingPlane {
    dvec3 n, e;
    double cosine, sine, angle;
};

SwingPlane swing_plane(const JointPose& pose) {
    SwingPlane p;
    const dvec3 swing = stretched(swing_of(pose.relative));
    p.angle = std::sqrt(swing.y * swing.y + swing.z * swing.z);
    p.n = p.angle < 1e-7 ? pose.a[1] : (pose.a[1] * swing.y + pose.a[2] * swing.z) / p.angle;
    p.e = glm::cross(p.n, pose.a[0]);
    p.cosine = glm::dot(pose.a[0], pose.b[0]);
    p.sine = glm::dot(pose.b[0], p.e);
    return p;
}

/// Returns the axis about which a rotation changes one component of the swing's rotation vector: the component along
/// `axis` (A's y or z). For the component along n, that axis is n itself. For the component perpendicular to n, it is
/// the rate at which the plane rotates about x, times the angle.
dvec3 swing_rate(const JointPose& pose, const dvec3& axis) {
    const SwingPlane p = swing_plane(pose);
    if (p.angle < 1e-6) return axis;
    const double stretch = p.angle / std::max(p.sine, 1e-3);
    return glm::dot(p.n, axis) * p.n + stretch * glm::dot(p.e, axis) * (p.cosine * p.e - p.sine * pose.a[0]);
}

}  // namespace

double angle_of(double x, double y) {
    const double ax = std::abs(x), ay = std::abs(y);
    if (ax == 0.0 && ay == 0.0) return 0.0;
    double angle = ay <= ax ? arc_tangent(ay, ax) : 0.5 * pi - arc_tangent(ax, ay);
    if (x < 0.0) angle = pi - angle;
    return y < 0.0 ? -angle : angle;
}

dquat unit(const quat& q) {
    const dquat d(q);
    const double s = 1.0 / std::sqrt(d.w * d.w + d.x * d.x + d.y * d.y + d.z * d.z);
    return dquat(d.w * s, d.x * s, d.y * s, d.z * s);
}

JointPose joint_pose(const JointFrame& frame_a, const Orientation& body_a, const JointFrame& frame_b,
                     const Orientation& body_b, const dvec3& between, const JointParts& parts) {
    JointPose pose;
    pose.arm_a = body_a.axes * frame_a.arm;
    pose.arm_b = body_b.axes * frame_b.arm;
    pose.apart = between + pose.arm_b - pose.arm_a;
    if (parts.axes) {
        pose.a = body_a.axes * frame_a.orientation.axes;
        pose.b = body_b.axes * frame_b.orientation.axes;
    }
    if (parts.swing) {
        pose.relative = times(inverse(times(body_a.rotation, frame_a.orientation.rotation)),
                              times(body_b.rotation, frame_b.orientation.rotation));
    }
    return pose;
}

JointPose joint_pose(const Joint& joint, const Body& a, const Body& b) {
    const auto frame_on = [](const Body& body, const Transform& frame) {
        return JointFrame{dvec3(frame.position) - dvec3(body.local_center), Orientation(dquat(frame.rotation))};
    };
    return joint_pose(frame_on(a, joint.frame_a), Orientation(dquat(a.rotation)), frame_on(b, joint.frame_b),
                      Orientation(dquat(b.rotation)), b.center - a.center);
}

Coordinates coordinates(JointKind kind, const JointPose& pose, double angle, const JointParts& parts) {
    Coordinates q{};
    if (kind == JointKind::distance) {
        q[0] = std::sqrt(glm::dot(pose.apart, pose.apart));
        return q;
    }
    if (parts.axes) {
        for (int i = 0; i < 3; ++i) q[static_cast<std::size_t>(i)] = glm::dot(pose.a[i], pose.apart);
    }
    if (kind == JointKind::wheel) {
        if (!parts.twist) return q;
        const dvec3 &y = pose.a[1], &axle = pose.b[0];
        q[3] = unwound(angle_of(glm::dot(y, pose.b[1]), -glm::dot(y, pose.b[2])), angle);
        q[4] = angle_of(glm::dot(axle, pose.a[0]), -glm::dot(axle, pose.a[2]));
        q[5] = glm::dot(axle, y);
        return q;
    }
    if (parts.twist) {
        const double twist = angle_of(glm::dot(pose.a[1], pose.b[1]) + glm::dot(pose.a[2], pose.b[2]),
                                      glm::dot(pose.a[2], pose.b[1]) - glm::dot(pose.a[1], pose.b[2]));
        q[3] = kind == JointKind::ball ? twist : unwound(twist, angle);
    }
    if (parts.swing) {
        const dvec3 swing = stretched(swing_of(pose.relative));
        q[4] = swing.y;
        q[5] = swing.z;
    }
    return q;
}

double cone_angle(const JointPose& pose) {
    const dvec3 n = glm::cross(pose.a[0], pose.b[0]);
    return angle_of(glm::dot(pose.a[0], pose.b[0]), std::sqrt(glm::dot(n, n)));
}

Jacobian translation_along(const dvec3& axis, const JointPose& pose) {
    return {axis, glm::cross(pose.arm_a + pose.apart, axis), glm::cross(pose.arm_b, axis)};
}

Jacobian rotation_about(const dvec3& axis) { return {dvec3(0.0), axis, axis}; }

Jacobian jacobian(JointKind kind, const JointPose& pose, int axis) {
    if (kind == JointKind::distance) {
        const double length = std::sqrt(glm::dot(pose.apart, pose.apart));
        return translation_along(length > settings::joint_point_length ? pose.apart / length : pose.a[0], pose);
    }
    if (axis < 3) return translation_along(pose.a[axis], pose);
    if (kind == JointKind::wheel) {
        if (axis == 3) return rotation_about(pose.b[0]);
        if (axis == 4) return rotation_about(pose.a[1]);
        return rotation_about(glm::cross(pose.b[0], pose.a[1]));
    }
    if (axis == 3) {  // about the line halfway between the x axes
        const double c = 1.0 + glm::dot(pose.a[0], pose.b[0]);
        return rotation_about((pose.a[0] + pose.b[0]) / std::max(c, 1e-3));
    }
    return rotation_about(swing_rate(pose, pose.a[axis - 3]));
}

Jacobian cone_jacobian(const JointPose& pose) {
    const dvec3 n = glm::cross(pose.a[0], pose.b[0]);
    const double sine = std::sqrt(glm::dot(n, n));
    return rotation_about(sine < 1e-7 ? pose.a[1] : n / sine);
}

bool nearly_locked(const JointPose& pose, bool twist) {
    const double least = 0.5;  // cosine of a sixth of a turn
    return glm::dot(pose.a[0], pose.b[0]) > least &&
           (!twist || glm::dot(pose.a[1], pose.b[1]) + glm::dot(pose.a[2], pose.b[2]) > 2.0 * least);
}

double lock_coordinate(const JointPose& pose, int axis) {
    if (axis == 3) return 0.5 * (glm::dot(pose.a[2], pose.b[1]) - glm::dot(pose.a[1], pose.b[2]));
    return axis == 4 ? -glm::dot(pose.a[2], pose.b[0]) : glm::dot(pose.a[1], pose.b[0]);
}

Jacobian lock_jacobian(const JointPose& pose, int axis) {
    if (axis == 3) return rotation_about(0.5 * (glm::cross(pose.b[1], pose.a[2]) + glm::cross(pose.a[1], pose.b[2])));
    return rotation_about(axis == 4 ? glm::cross(pose.a[2], pose.b[0]) : glm::cross(pose.b[0], pose.a[1]));
}

double twist_beyond(const dquat& q, double angle) {
    const auto [s, c] = detail::sin_cos(0.5 * angle);
    return 2.0 * (q.x * c - q.w * s);
}

Jacobian twist_jacobian(const JointPose& pose, const dquat& q, double angle) {
    const auto [s, c] = detail::sin_cos(0.5 * angle);
    return rotation_about(pose.a * dvec3(q.w * c + q.x * s, q.z * c + q.y * s, q.z * s - q.y * c));
}

dquat nearest_twist(const dquat& q, double angle) {
    const auto [s, c] = detail::sin_cos(0.5 * angle);
    return q.w * c + q.x * s < 0.0 ? -q : q;
}

dvec3 rotation_vector(const dquat& from, const dquat& to) { return stretched(times(to, inverse(from))); }

int main_axis(JointKind kind) { return kind == JointKind::slider || kind == JointKind::distance ? 0 : 3; }

}  // namespace talus
