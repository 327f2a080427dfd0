#include "engine/solve/solver_bodies.h"

#include "common/assert.h"
#include "engine/bodies/free_turn.h"
#include "engine/contacts/substep_contacts.h"
#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

[[maybe_unused]] bool is_sound(const Body& body) {  // for asserts
    const quat& q = body.rotation;
    return is_finite(body.center) && is_finite(body.linear_velocity) && is_finite(body.angular_velocity) &&
           std::abs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0f) < 1e-3f &&
           (!body.is_dynamic() || (body.mass > 0.0f && body.inverse_mass > 0.0f));
}

/// Returns the torque, shortened so that in a sub-step it turns the body by no more than from the highest angular speed
/// in one direction to the highest in the other. The result of a larger one would be limited anyway, but on the way to
/// that a tiny body would be given an angular velocity that is not finite. (Inlined, it would cost bodies without a torque
/// 6% of begin(), because its variables take registers.)
[[gnu::noinline]] vec3 limited_torque(const vec3& torque, const mat3& inverse_inertia, float most_spin, float substep) {
    const glm::dvec3 gained = glm::dmat3(inverse_inertia) * (static_cast<double>(substep) * glm::dvec3(torque));
    const double size = std::sqrt(glm::dot(gained, gained)), most = 2.0 * static_cast<double>(most_spin);
    return size > most ? vec3(most / size * glm::dvec3(torque)) : torque;
}

float max_speed_of(const Body& body, const SolverStep& step) { return std::min(body.max_speed, step.max_speed); }

/// Returns the largest angular velocity that a body may have, rad/s. It is smaller for a jointed body in a sub-step,
/// because the joint solver can represent less rotation.
float max_spin_of(const Body& body, const SolverStep& step, bool jointed) {
    const float most = jointed ? settings::max_joint_rotation : settings::max_rotation_per_substep;
    return std::min(body.max_spin, most / step.substep);
}

}  // namespace

void put_inverse_inertia(SolverMass& mass, const mat3& m) {
    const float entries[6] = {m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]};
    std::copy(entries, entries + 6, mass.inverse_inertia);
}

void SolverBodies::reset(std::size_t count, const SolverStep& step) {
    step_ = step;
    bodies_.resize(count);
    masses_.resize(count);
    centers_.resize(count + 1);  // the kernels read one number more than the last centre has
    motions_.reset(count, step.finds_stale);
}

void SolverBodies::begin(std::uint32_t i, const SolverIndices& indices, BodyStore& store) {
    bodies_[i] = SolverBody{};
    masses_[i] = SolverMass{};
    if (!indices.is_body(i)) {
        motions_.set(i, BodyMotion{});
        return;
    }
    const std::uint32_t slot = indices.slot(i);
    Body& body = store[slot];
    TALUS_ASSERT(is_sound(body));
    SolverBody& sb = bodies_[i];
    SolverMass& mass = masses_[i];
    const float substep = step_.substep;
    body.linear_velocity = limited(body.linear_velocity, max_speed_of(body, step_));
    BodyMotion motion;
    motion.jointed = indices.has_joint(slot);
    motion.max_spin = max_spin_of(body, step_, motion.jointed);
    body.angular_velocity = limited(body.angular_velocity, motion.max_spin);
    if (quat(body.exact_rotation) != body.rotation) body.exact_rotation = glm::dquat(body.rotation);
    if (vec3(body.exact_spin) != body.angular_velocity) body.exact_spin = glm::dvec3(body.angular_velocity);
    centers_[i] = body.center;
    if (body.is_dynamic()) {
        const auto [inverse_mass, inverse_inertia] = response_of(body, body.rotation);
        drop_locked_motion(body);
        if (body.torque != vec3(0.0f))
            body.torque = limited_torque(body.torque, inverse_inertia, motion.max_spin, substep);
        const bool falls = inverse_mass != vec3(0.0f);
        const vec3 gravity =
            body.gravity_scale * step_.gravity * (falls ? inverse_mass / body.inverse_mass : vec3(0.0f));
        store3(mass.gravity, gravity);
        store3(mass.inverse_mass, inverse_mass);
        mass.least_response = least_response(body);
        put_inverse_inertia(mass, inverse_inertia);
        motion.mass = 1.0f / body.inverse_mass;
        motion.torque = body.torque;
        motion.acceleration = gravity + inverse_mass * body.force;
        motion.angular_acceleration = inverse_inertia * body.torque;
        motion.linear_damping = 1.0f / (1.0f + substep * body.linear_damping);
        motion.angular_damping = 1.0f / (1.0f + substep * body.angular_damping);
        const bool constrained = i < indices.constrained_end();
        motion.gyroscopic = constrained && !body.isotropic && (body.locks & lock_turning) == 0;
        if (step_.finds_stale) {
            const float strict = SubstepContacts::strictness(indices, slot);
            motion.stale_by_spin = strict * body.stale_by_spin;
            motion.stale_by_tilt = strict * body.stale_by_tilt;
            motion.own_axis = rotate(body.rotation, vec3(body.principal.x_axis));
        }
        motion.moments = vec3(body.principal.moments);
        if (constrained && !body.isotropic) {
            const glm::dquat axes = principal_rotation(body, body.exact_rotation);
            motion.axes = quat(axes);
            if (motion.gyroscopic) {
                motion.inverse_moments = vec3(1.0 / body.principal.moments);
                motion.momentum = vec3(rotate(axes, body.principal.moments * inverse_rotate(axes, body.exact_spin)));
                motion.spin = body.angular_velocity;
            }
        }
    }
    store3(sb.velocity, body.linear_velocity);
    store3(sb.angular_velocity, body.angular_velocity);
    motions_.set(i, motion);
}

void SolverBodies::end(std::uint32_t i, const SolverIndices& indices, BodyStore& store) const {
    if (!indices.is_body(i)) return;
    Body& body = store[indices.slot(i)];
    const SolverBody& sb = bodies_[i];
    body.force = body.torque = vec3(0.0f);
    // Adding 0 turns -0 into +0: which of the two an unused lane holds depends on its neighbours. The velocities are
    // limited again, because a sub-step ends with contacts, and these may give a light body between heavy ones any
    // velocity.
    body.linear_velocity = limited(load3(sb.velocity) + vec3(0.0f), max_speed_of(body, step_));
    body.center = displaced(body.center, load3(sb.displacement));
    if (i >= indices.coasting_end()) return;  // move_freely() has written the rotation
    const glm::dquat q = rotation(i, body);
    // Its length is nearly 1, so one step of Newton's method normalises it.
    body.exact_rotation = q * (1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z));
    body.rotation = quat(body.exact_rotation);
    body.angular_velocity = limited(load3(sb.angular_velocity) + vec3(0.0f), max_spin_of(body, step_, false));
    body.exact_spin = glm::dvec3(body.angular_velocity);
    TALUS_ASSERT(is_sound(body));
}

void SolverBodies::move_freely(std::uint32_t i, const SolverIndices& indices, BodyStore& store) {
    if (!indices.is_body(i)) return;
    Body& body = store[indices.slot(i)];
    SolverBody& sb = bodies_[i];
    const float substep = step_.substep;
    const vec3 gain = substep * (body.gravity_scale * step_.gravity + body.inverse_mass * body.force);
    const float damping = 1.0f / (1.0f + substep * body.linear_damping);
    vec3 velocity = body.linear_velocity, displacement(0.0f);
    for (int k = 0; k < step_.substeps; ++k) {
        velocity = limited((velocity + gain) * damping, max_speed_of(body, step_));
        displacement += substep * velocity;
    }
    FreeTurn turn{body.torque, 1.0f / (1.0f + substep * body.angular_damping), body.exact_rotation, body.exact_spin};
    turn_freely(turn, body.principal, step_.substeps, substep);
    store3(sb.velocity, velocity);
    store3(sb.displacement, displacement);
    store3(sb.turn, vec3(turn.turned));
    // Torques may raise the angular velocity, and so may tumbling, which conserves energy but not the angular velocity.
    const vec3 spin(turn.spin);
    body.angular_velocity = limited(spin, max_spin_of(body, step_, false));
    body.exact_spin = body.angular_velocity == spin ? turn.spin : glm::dvec3(body.angular_velocity);
    store3(sb.angular_velocity, body.angular_velocity);
    body.exact_rotation = turn.rotation;
    body.rotation = quat(turn.rotation);
}

glm::dvec3 SolverBodies::angular_momentum(std::uint32_t i, const Body& body, const glm::dvec3& spin) const {
    if (body.isotropic) return body.principal.moments * spin;
    const glm::dmat3 axes = principal_axes(body, glm::normalize(rotation(i, body)));
    return axes * (body.principal.moments * (spin * axes));
}

std::size_t SolverBodies::bytes() const {
    return bodies_.capacity() * sizeof(SolverBody) + masses_.capacity() * sizeof(SolverMass) +
           centers_.capacity() * sizeof(dvec3) + motions_.bytes();
}

}  // namespace talus
