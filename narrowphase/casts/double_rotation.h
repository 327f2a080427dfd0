#pragma once
/// Internal: rotations in double, without libm: the same bits on every system.

#include <talus/math.h>

#include <glm/gtc/quaternion.hpp>
#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include <cmath>

namespace talus::detail {

using glm::dmat3;
using glm::dquat;
using glm::dvec3;

struct SinCos {
    double sine, cosine;
};

/// Returns sine and cosine of an angle (rad). Good to double rounding for |x| <= 1e5, to 1e-6 at 1e9. From 1e15 on it is
/// the angle 0, and NaN for infinity and NaN.
SinCos sin_cos(double x);

/// Returns the angle in [0, pi/2] with this sine and cosine (both >= 0, squares summing to 1).
double angle_of(double sine, double cosine);

/// Returns the product a b: the rotation by b, then by a.
inline dquat times(const dquat& a, const dquat& b) {
    return dquat(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                 a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}

/// Returns the inverse of a unit quaternion.
inline dquat inverse(const dquat& q) { return dquat(q.w, -q.x, -q.y, -q.z); }

/// Rotates v by the unit quaternion q.
inline dvec3 turned(const dquat& q, const dvec3& v) {
    const dvec3 u(q.x, q.y, q.z), t = 2.0 * glm::cross(u, v);
    return v + q.w * t + glm::cross(u, t);
}

inline dmat3 matrix_of(const dquat& q) {
    const double x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    const double xx = q.x * x2, yy = q.y * y2, zz = q.z * z2, xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    const double wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    return dmat3(1.0 - (yy + zz), xy + wz, xz - wy,  // columns
                 xy - wz, 1.0 - (xx + zz), yz + wx,  //
                 xz + wy, yz - wx, 1.0 - (xx + yy));
}

/// Returns q normalised in double.
inline dquat unit(const quat& q) {
    const dquat d(double(q.w), double(q.x), double(q.y), double(q.z));
    const double s = 1.0 / std::sqrt(d.w * d.w + d.x * d.x + d.y * d.y + d.z * d.z);
    return dquat(d.w * s, d.x * s, d.y * s, d.z * s);
}

inline double length(const dvec3& v) { return std::sqrt(glm::dot(v, v)); }

}  // namespace talus::detail
