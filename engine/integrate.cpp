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
glm::dvec3 spin_at(const glm::dquat& q, const Motion& m) {
    const glm::dmat3 r = matrix_of(q);
    return r * (m.inverse_inertia * to_local(r, m.momentum));
}

/// What the solver changed since the spin was handed out goes to the momentum.
void collect_impulses(Motion& m, const vec3& spin) {
    const glm::dvec3 change = glm::dvec3(spin) - glm::dvec3(m.handed_out);
    m.momentum += m.start_rotation * (m.inertia * to_local(m.start_rotation, change));
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

void start_gyroscopic(Motion& m, const mat3& inertia, const glm::dvec3& spin) {
    m.gyroscopic = true;
    m.inertia = glm::dmat3(inertia);
    m.inverse_inertia = glm::inverse(m.inertia);
    m.start_rotation = matrix_of(m.rotation);
    m.momentum = m.start_rotation * (m.inertia * to_local(m.start_rotation, spin));
    m.handed_out = vec3(spin);
}

glm::dvec3 end_gyroscopic(Motion& m, const SolverBody& body) {
    collect_impulses(m, load(body.angular_velocity));
    return spin_at(m.rotation, m);
}

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

        const vec3 w = limited(load(body.angular_velocity), max_spin);
        glm::dvec3 turning(w);
        if (m.gyroscopic) {
            collect_impulses(m, w);
            turning = spin_at(m.rotation, m);
            // Fixed-point rounds for the spin at the middle: each takes the error down by a factor of half the turn.
            for (int round = 0; round < 3; ++round) turning = spin_at(integrate_rotation(m.rotation, 0.5 * h * turning), m);
            m.rotation = integrate_rotation(m.rotation, h * turning);
            m.handed_out = vec3(spin_at(m.rotation, m));
            store(body.angular_velocity, m.handed_out);
        } else {
            m.rotation = integrate_rotation(m.rotation, h * turning);
            store(body.angular_velocity, w);
        }
        store(body.turn, load(body.turn) + substep * vec3(turning));
    }
}

}  // namespace talus
