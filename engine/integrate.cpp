#include <talus/engine/integrate.h>

#include <talus/engine/settings.h>

#include <algorithm>

namespace talus {

namespace {

vec3 load(const float* v) { return vec3(v[0], v[1], v[2]); }

void store(float* out, const vec3& v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

/// v, no longer than `limit`. Safe on whatever impulses have made of v: sizes whose square overflows keep their direction, and
/// what is not even finite is dropped.
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

/// I^-1 L with the inertia turned to q.
glm::dvec3 angular_velocity_at(const glm::dquat& q, const glm::dmat3& inverse_inertia, const glm::dvec3& momentum) {
    const glm::dmat3 r = matrix_of(q);
    return r * (inverse_inertia * to_local(r, momentum));
}

}  // namespace

void integrate_velocities(std::span<SolverBody> bodies, std::span<const Motion> motions, float substep) {
    const float max_spin = settings::max_rotation_per_substep / substep;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        SolverBody& body = bodies[i];
        const Motion& m = motions[i];
        // What impulses from outside made of the velocity may overflow: it is brought in range before anything is solved.
        store(body.velocity, limited((load(body.velocity) + substep * m.acceleration) * m.linear_damping,
                                     settings::max_speed));
        store(body.angular_velocity,
              limited((load(body.angular_velocity) + substep * m.angular_acceleration) * m.angular_damping, max_spin));
    }
}

void integrate_positions(std::span<SolverBody> bodies, std::span<Motion> motions, float substep) {
    const float max_spin = settings::max_rotation_per_substep / substep;
    const double h = substep;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        SolverBody& body = bodies[i];
        Motion& m = motions[i];
        const vec3 v = limited(load(body.velocity), settings::max_speed);
        store(body.velocity, v);
        store(body.displacement, load(body.displacement) + substep * v);

        const glm::dvec3 w(limited(load(body.angular_velocity), max_spin));
        glm::dvec3 turning = w, after = w;
        if (m.gyroscopic) {
            const glm::dmat3 r = matrix_of(m.rotation);
            const glm::dvec3 momentum = r * (m.inertia * to_local(r, w));
            // Two fixed-point rounds for w at the middle: the error left is of third order in the turn.
            for (int round = 0; round < 2; ++round) {
                turning = angular_velocity_at(integrate_rotation(m.rotation, 0.5 * h * turning), m.inverse_inertia, momentum);
            }
            m.rotation = integrate_rotation(m.rotation, h * turning);
            after = angular_velocity_at(m.rotation, m.inverse_inertia, momentum);
        } else {
            m.rotation = integrate_rotation(m.rotation, h * turning);
        }
        store(body.angular_velocity, vec3(after));
        store(body.turn, load(body.turn) + substep * vec3(turning));
    }
}

}  // namespace talus
