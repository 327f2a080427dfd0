#pragma once
/// Vectors and poses, on top of glm.
///
/// Everything that a step uses is computed with IEEE + - * / and sqrt only (no libm), so that two compilers give the
/// same bits. Units are SI; frames are right-handed with +y up.
///
/// Positions in the world are double, and Talus keeps them on a grid of 2^-29 m (2 nm). Within 2^24 m (16,777 km) of the
/// origin, sums and differences of such positions have no rounding errors. So a world behaves the same everywhere: if it
/// is moved by a multiple of the grid, such as a whole number of metres, it steps to the same bits relative to its new
/// place. All else is float, and relative: velocities, shapes, points of shapes, displacements.

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace talus {

namespace detail {
/// How glm lays out its types, which macros like GLM_FORCE_QUAT_DATA_WXYZ change. A library and a game that were compiled
/// with different macros would read each other's quaternions wrongly. So each file that includes this header refers to
/// `the_glm_of_talus`, which Talus defines for its own layout only: otherwise the program does not link.
template <std::size_t quat_x, std::size_t quat_size, std::size_t vec3_size, std::size_t vec3_alignment,
          std::size_t mat3_size>
struct GlmLayout {
    static const char the_glm_of_talus;  ///< see above
};
extern template struct GlmLayout<offsetof(glm::quat, x), sizeof(glm::quat), sizeof(glm::vec3), alignof(glm::vec3),
                                 sizeof(glm::mat3)>;
[[gnu::used]] inline const char* const glm_layout =
    &GlmLayout<offsetof(glm::quat, x), sizeof(glm::quat), sizeof(glm::vec3), alignof(glm::vec3),
               sizeof(glm::mat3)>::the_glm_of_talus;
}  // namespace detail

using glm::dvec3;  ///< three doubles
using glm::mat3;   ///< 3 x 3 floats, by columns
using glm::quat;   ///< a quaternion of floats; w first
using glm::vec3;   ///< three floats

/// A rigid pose: rotate by the unit quaternion `rotation`, then translate by `position` (m).
struct Transform {
    vec3 position{0.0f};                    ///< m
    quat rotation{1.0f, 0.0f, 0.0f, 0.0f};  ///< unit
};

/// A rigid pose in the world: rotate by the unit quaternion `rotation`, then translate by `position` (m).
struct WorldTransform {
    dvec3 position{0.0};                    ///< m
    quat rotation{1.0f, 0.0f, 0.0f, 0.0f};  ///< unit
};

/// The grid of world positions, m.
inline constexpr double position_grid = 1.0 / 536870912.0;

/// Returns the nearest multiple of the grid. Numbers of 2^23 and more are multiples already.
inline double on_grid(double x) {
    constexpr double unit = 8388608.0;  // doubles from here to its double are the multiples of the grid
    static_assert(unit * 2.220446049250313e-16 == position_grid);
    const double shift = std::copysign(unit, x);
    return std::abs(x) < unit ? (x + shift) - shift : x;
}
/// Returns the nearest point of the grid.
inline dvec3 on_grid(const dvec3& p) { return {on_grid(p.x), on_grid(p.y), on_grid(p.z)}; }
/// The same for floats, with fewer instructions: floats of 2^22 and more are multiples, and the sum is exact.
inline dvec3 on_grid(const vec3& v) {
    constexpr double shift = 1.5 * 8388608.0;
    return (dvec3(v) + shift) - shift;
}
/// Returns a point of the grid, displaced by `by` (m) to the nearest point of the grid.
inline dvec3 displaced(const dvec3& point, const vec3& by) { return point + on_grid(by); }

/// Returns the point of the grid midway between two points of the grid, to the nearest.
inline dvec3 midway(const dvec3& a, const dvec3& b) { return a + on_grid(0.5 * (b - a)); }

/// A rigid pose whose rotation is a matrix, for inner loops.
struct MatrixTransform {
    vec3 position{0.0f};  ///< m
    mat3 rotation{1.0f};  ///< orthonormal
};

/// Rotates v by the unit quaternion q.
inline vec3 rotate(const quat& q, const vec3& v) {
    const vec3 u(q.x, q.y, q.z);
    const vec3 t = 2.0f * glm::cross(u, v);
    return v + q.w * t + glm::cross(u, t);
}
/// Rotates v by the unit quaternion q, in double.
inline glm::dvec3 rotate(const glm::dquat& q, const glm::dvec3& v) {
    const glm::dvec3 u(q.x, q.y, q.z);
    const glm::dvec3 t = 2.0 * glm::cross(u, v);
    return v + q.w * t + glm::cross(u, t);
}

/// Rotates v by the inverse of the unit quaternion q.
inline vec3 inverse_rotate(const quat& q, const vec3& v) { return rotate(quat(q.w, -q.x, -q.y, -q.z), v); }
/// Rotates v by the inverse of the unit quaternion q, in double.
inline glm::dvec3 inverse_rotate(const glm::dquat& q, const glm::dvec3& v) {
    return rotate(glm::dquat(q.w, -q.x, -q.y, -q.z), v);
}

/// Returns the rotation matrix of a unit quaternion.
template <class T>
glm::mat<3, 3, T> to_matrix(const glm::qua<T>& q) {
    const T x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    const T xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
    const T xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    const T wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    return {T(1) - (yy + zz), xy + wz,          xz - wy,  // first column
            xy - wz,          T(1) - (xx + zz), yz + wx,  // second column
            xz + wy,          yz - wx,          T(1) - (xx + yy)};
}

/// Returns the pose with its rotation as a matrix.
inline MatrixTransform to_matrix_transform(const Transform& t) { return {t.position, to_matrix(t.rotation)}; }

/// Maps the point p from the frame t to t's parent frame.
inline vec3 transform_point(const Transform& t, const vec3& p) { return t.position + rotate(t.rotation, p); }
/// Maps the point p from the frame t to t's parent frame.
inline vec3 transform_point(const MatrixTransform& t, const vec3& p) { return t.position + t.rotation * p; }

/// Maps the point p from the frame t to the world.
inline dvec3 transform_point(const WorldTransform& t, const vec3& p) {
    return displaced(t.position, rotate(t.rotation, p));
}

/// Maps the point p from t's parent frame to the frame t.
inline vec3 inverse_transform_point(const Transform& t, const vec3& p) {
    return inverse_rotate(t.rotation, p - t.position);
}
/// Maps the point p from the world to the frame t.
inline vec3 inverse_transform_point(const WorldTransform& t, const dvec3& p) {
    return inverse_rotate(t.rotation, vec3(p - t.position));
}

/// Returns transpose(m) * v: v in the axes that are m's columns.
inline vec3 transpose_mul(const mat3& m, const vec3& v) {
    return vec3(glm::dot(m[0], v), glm::dot(m[1], v), glm::dot(m[2], v));
}

/// Returns the product of two quaternions: the rotation by b, then by a.
inline quat multiply(const quat& a, const quat& b) {
    return quat(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}

/// Returns the conjugate, which is the inverse of a unit quaternion.
inline quat conjugate(const quat& q) { return quat(q.w, -q.x, -q.y, -q.z); }

/// Returns q divided by its length, which must not be 0.
inline quat normalized(const quat& q) {
    const float s = 1.0f / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return quat(q.w * s, q.x * s, q.y * s, q.z * s);
}

/// Maps the pose b from the frame a to a's parent frame.
inline Transform multiply(const Transform& a, const Transform& b) {
    return {transform_point(a, b.position), multiply(a.rotation, b.rotation)};
}

/// Maps the pose b from the frame a to the world.
inline WorldTransform multiply(const WorldTransform& a, const Transform& b) {
    return {transform_point(a, b.position), multiply(a.rotation, b.rotation)};
}

/// Maps the pose b from the parent frame of both to the frame a: inverse(a) * b.
inline Transform relative(const Transform& a, const Transform& b) {
    const quat inverse = conjugate(a.rotation);
    return {rotate(inverse, b.position - a.position), multiply(inverse, b.rotation)};
}

/// Maps the pose b from the world to the frame a.
inline Transform relative(const WorldTransform& a, const WorldTransform& b) {
    const quat inverse = conjugate(a.rotation);
    return {rotate(inverse, vec3(b.position - a.position)), multiply(inverse, b.rotation)};
}
/// Returns the pose t as seen from `origin`, in the world's axes.
inline Transform relative_to(const dvec3& origin, const WorldTransform& t) {
    return {vec3(t.position - origin), t.rotation};
}
/// Returns the pose in the world that looks like t from `origin`, in the world's axes.
inline WorldTransform translated(const Transform& t, const dvec3& origin) {
    return {displaced(origin, t.position), t.rotation};
}

/// Returns the absolute values of all elements. (glm::abs compares each with zero; the processor mispredicts half of
/// these branches, which takes longer than the rest of a box around a turned shape.)
inline vec3 absolute(const vec3& v) { return {std::abs(v.x), std::abs(v.y), std::abs(v.z)}; }
inline dvec3 absolute(const dvec3& v) { return {std::abs(v.x), std::abs(v.y), std::abs(v.z)}; }       ///< the same
inline mat3 absolute(const mat3& m) { return mat3(absolute(m[0]), absolute(m[1]), absolute(m[2])); }  ///< the same

/// Returns whether the number is neither NaN nor infinite.
inline bool is_finite(float x) { return std::isfinite(x); }
/// Returns whether all components are finite.
inline bool is_finite(const vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
/// Returns whether all components are finite.
inline bool is_finite(const dvec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
/// Returns whether all components are finite.
inline bool is_finite(const quat& q) {
    return std::isfinite(q.w) && std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z);
}

/// Returns the first three floats of an array as a vector.
inline vec3 load3(const float* v) { return vec3(v[0], v[1], v[2]); }
/// Writes a vector to the first three floats of an array.
inline void store3(float* out, const vec3& v) {
    for (int k = 0; k < 3; ++k) out[k] = v[k];
}

/// Returns the square of the length.
inline float length_squared(const vec3& v) { return glm::dot(v, v); }

/// Returns a unit vector at right angles to the unit vector n. The same n gives the same vector.
inline vec3 any_perpendicular(const vec3& n) {
    const vec3 a = absolute(n);
    // Cross with the axis that n leans on least, so that the result is never short.
    const vec3 axis = a.x <= a.y && a.x <= a.z ? vec3(1, 0, 0) : a.y <= a.z ? vec3(0, 1, 0) : vec3(0, 0, 1);
    const vec3 p = glm::cross(n, axis);
    return p * (1.0f / std::sqrt(glm::dot(p, p)));
}

/// Rotates q by the rotation vector w (rad, |w| up to about pi) and returns the normalised result. Sine and cosine of
/// the half angle are Taylor polynomials: exact to 1e-7 for |w| <= pi and to double rounding for |w| <= 0.3.
inline glm::dquat integrate_rotation(const glm::dquat& q, const glm::dvec3& w) {
    const double h2 = 0.25 * glm::dot(w, w);  // squared half angle
    const double cosine =
        1.0 + h2 * (-1.0 / 2 + h2 * (1.0 / 24 + h2 * (-1.0 / 720 + h2 * (1.0 / 40320 + h2 * (-1.0 / 3628800)))));
    const double sine_over_angle =
        1.0 + h2 * (-1.0 / 6 + h2 * (1.0 / 120 + h2 * (-1.0 / 5040 + h2 * (1.0 / 362880 + h2 * (-1.0 / 39916800)))));
    const double s = 0.5 * sine_over_angle;
    const glm::dquat d(cosine, s * w.x, s * w.y, s * w.z);
    const glm::dquat r(d.w * q.w - d.x * q.x - d.y * q.y - d.z * q.z, d.w * q.x + d.x * q.w + d.y * q.z - d.z * q.y,
                       d.w * q.y - d.x * q.z + d.y * q.w + d.z * q.x, d.w * q.z + d.x * q.y - d.y * q.x + d.z * q.w);
    const double scale = 1.0 / std::sqrt(r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z);
    return glm::dquat(r.w * scale, r.x * scale, r.y * scale, r.z * scale);
}

}  // namespace talus
