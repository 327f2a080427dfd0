#include <talus/engine/integrate.h>

#include <talus/engine/settings.h>

#include <algorithm>

namespace talus {

namespace {

/// The rotation matrix of q, times |q|^2 (1 to rounding).
glm::dmat3 matrix_of(const glm::dquat& q) {
    const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, ww = q.w * q.w;
    const double xy = 2.0 * q.x * q.y, xz = 2.0 * q.x * q.z, yz = 2.0 * q.y * q.z;
    const double wx = 2.0 * q.w * q.x, wy = 2.0 * q.w * q.y, wz = 2.0 * q.w * q.z;
    return glm::dmat3(ww + xx - yy - zz, xy + wz, xz - wy,  // first column
                      xy - wz, ww - xx + yy - zz, yz + wx,  // second column
                      xz + wy, yz - wx, ww - xx - yy + zz);
}

/// transpose(r) * v.
glm::dvec3 to_local(const glm::dmat3& r, const glm::dvec3& v) {
    return glm::dvec3(glm::dot(r[0], v), glm::dot(r[1], v), glm::dot(r[2], v));
}

}  // namespace

vec3 limited(const vec3& v, float limit) {
    if (!is_finite(v)) return vec3(0.0f);
    const vec3 a = glm::abs(v);
    const float largest = std::max(a.x, std::max(a.y, a.z));
    if (largest > limit) {
        const vec3 scaled = v / largest;
        return scaled * (limit / std::sqrt(glm::dot(scaled, scaled)));
    }
    const float l2 = glm::dot(v, v);
    return l2 > limit * limit ? v * (limit / std::sqrt(l2)) : v;
}

void turn_freely(FreeTurn& body, const mat3& inertia_float, int substeps, float substep) {
    const glm::dmat3 inertia(inertia_float), inverse_inertia = glm::inverse(inertia);
    const double h = substep, max_spin = static_cast<double>(settings::max_rotation_per_substep) / h;
    const auto within = [&](const glm::dvec3& w) {
        const double size = std::sqrt(glm::dot(w, w));
        return size <= max_spin ? w : w * (max_spin / size);
    };
    const auto start = matrix_of(body.rotation);
    glm::dvec3 momentum = start * (inertia * to_local(start, within(body.spin)));
    const auto spin_at = [&](const glm::dquat& q) {
        const glm::dmat3 r = matrix_of(q);
        return within(r * (inverse_inertia * to_local(r, momentum)));
    };
    for (int i = 0; i < substeps; ++i) {
        momentum = static_cast<double>(body.damping) * (momentum + h * glm::dvec3(body.torque));
        glm::dvec3 turning = spin_at(body.rotation);
        // Fixed-point rounds for the spin at the middle: each takes the error down by a factor of half the turn.
        for (int round = 0; round < 3; ++round) turning = spin_at(integrate_rotation(body.rotation, 0.5 * h * turning));
        body.rotation = integrate_rotation(body.rotation, h * turning);
        body.turned += h * turning;
    }
    body.spin = spin_at(body.rotation);
}

}  // namespace talus
