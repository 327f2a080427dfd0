#include <talus/engine/integrate.h>

#include <talus/engine/settings.h>

namespace talus {

namespace {

vec3 load(const float* v) { return vec3(v[0], v[1], v[2]); }

void store(float* out, const vec3& v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

vec3 limited(const vec3& v, float limit) {
    const float l2 = glm::dot(v, v);
    return l2 > limit * limit ? v * (limit / std::sqrt(l2)) : v;
}

/// I^-1 L with the inertia turned to q.
vec3 angular_velocity_at(const quat& q, const mat3& inverse_inertia, const vec3& momentum) {
    const mat3 r = to_matrix(q);
    return r * (inverse_inertia * transpose_mul(r, momentum));
}

}  // namespace

void integrate_velocities(std::span<SolverBody> bodies, std::span<const Motion> motions, float substep) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        SolverBody& body = bodies[i];
        const Motion& m = motions[i];
        store(body.velocity, (load(body.velocity) + substep * m.acceleration) * m.linear_damping);
        store(body.angular_velocity,
              (load(body.angular_velocity) + substep * m.angular_acceleration) * m.angular_damping);
    }
}

void integrate_positions(std::span<SolverBody> bodies, std::span<Motion> motions, float substep) {
    const float max_spin = settings::max_rotation_per_substep / substep;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        SolverBody& body = bodies[i];
        Motion& m = motions[i];
        const vec3 v = limited(load(body.velocity), settings::max_speed);
        store(body.velocity, v);
        store(body.displacement, load(body.displacement) + substep * v);

        vec3 w = limited(load(body.angular_velocity), max_spin);
        vec3 turning = w;
        if (m.gyroscopic) {
            const mat3 r = to_matrix(m.rotation);
            const vec3 momentum = r * (m.inertia * transpose_mul(r, w));
            // Two fixed-point rounds for w at the middle: the error left is of third order in the turn.
            for (int round = 0; round < 2; ++round) {
                turning = angular_velocity_at(integrate_rotation(m.rotation, (0.5f * substep) * turning),
                                              m.inverse_inertia, momentum);
            }
            m.rotation = integrate_rotation(m.rotation, substep * turning);
            w = angular_velocity_at(m.rotation, m.inverse_inertia, momentum);
        } else {
            m.rotation = integrate_rotation(m.rotation, substep * turning);
        }
        store(body.angular_velocity, w);
        store(body.turn, load(body.turn) + substep * turning);
    }
}

}  // namespace talus
