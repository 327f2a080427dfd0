#include "engine/solve/solver_bodies.h"

#include "common/assert.h"
#include "engine/bodies/free_turn.h"
#include "engine/contacts/substep_contacts.h"
#include "engine/settings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

/// Limits the velocities of a body before a step, and takes over a rotation and an angular velocity that were set.
void make_ready(Body& body, float max_spin, const SolverStep& step) {
    body.linear_velocity = limited(body.linear_velocity, max_speed_of(body, step));
    body.angular_velocity = limited(body.angular_velocity, max_spin);
    if (quat(body.exact_rotation) != body.rotation) body.exact_rotation = glm::dquat(body.rotation);
    if (vec3(body.exact_spin) != body.angular_velocity) body.exact_spin = glm::dvec3(body.angular_velocity);
}

MotionLimit motion_limit(const Body& body) {
    const float most = settings::continuous_motion * body.inner_radius;
    if (!body.is_dynamic()) return {body.radius, -1.0f};
    return {body.radius, body.continuous == Continuous::off ? std::numeric_limits<float>::infinity() : most * most};
}

/// Returns the gravitational acceleration of a dynamic body, m/s^2: none along locked axes.
vec3 gravity_on(const Body& body, const vec3& inverse_mass, const SolverStep& step) {
    const bool falls = inverse_mass != vec3(0.0f);
    return body.gravity_scale * step.gravity * (falls ? inverse_mass / body.inverse_mass : vec3(0.0f));
}

/// The linear motion of a body on which no impulses act.
struct Fall {
    vec3 velocity;    ///< at first, m/s
    vec3 gain;        ///< of velocity per sub-step, m/s
    float damping;    ///< factor per sub-step
    float max_speed;  ///< m/s
};

/// Returns the velocity and the displacement after `substeps` sub-steps.
std::pair<vec3, vec3> fall(const Fall& body, int substeps, float substep) {
    // The velocities lie on a line, so none is larger than both the first and the last. (Their last one is no single
    // sum: it would round otherwise than sub-steps with contacts, and elastic balls lose half as much energy again.)
    vec3 velocity = body.velocity, displacement(0.0f);
    for (int k = 0; k < substeps; ++k) {
        velocity = (velocity + body.gain) * body.damping;
        displacement += substep * velocity;
    }
    const float largest2 = std::max(length_squared(body.velocity), length_squared(velocity));
    if (largest2 < body.max_speed * body.max_speed) return {velocity, displacement};
    velocity = body.velocity, displacement = vec3(0.0f);
    for (int k = 0; k < substeps; ++k) {
        velocity = limited((velocity + body.gain) * body.damping, body.max_speed);
        displacement += substep * velocity;
    }
    return {velocity, displacement};
}

}  // namespace

void put_inverse_inertia(SolverMass& mass, const mat3& m) {
    const float entries[6] = {m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]};
    std::copy(entries, entries + 6, mass.inverse_inertia);
}

void SolverBodies::reset(const SolverIndices& indices, const SolverStep& step) {
    const std::size_t constrained = indices.constrained_end();
    step_ = step;
    bodies_.resize(indices.size());
    limits_.resize(indices.size());
    masses_.resize(constrained);
    start_velocities_.resize(constrained);
    centers_.resize(constrained + 1);  // the kernels read one number more than the last centre has
    motions_.reset(constrained, step.finds_stale);
}

void SolverBodies::begin(std::uint32_t i, const SolverIndices& indices, BodyStore& store) {
    bodies_[i] = SolverBody{};
    masses_[i] = SolverMass{};
    start_velocities_[i] = StartVelocity{};
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
    BodyMotion motion;
    motion.jointed = indices.has_joint(slot);
    motion.max_spin = max_spin_of(body, step_, motion.jointed);
    make_ready(body, motion.max_spin, step_);
    limits_[i] = motion_limit(body);
    centers_[i] = body.center;
    if (body.is_dynamic()) {
        const auto [inverse_mass, inverse_inertia] = response_of(body, body.rotation);
        drop_locked_motion(body);
        if (body.torque != vec3(0.0f))
            body.torque = limited_torque(body.torque, inverse_inertia, motion.max_spin, substep);
        const vec3 gravity = gravity_on(body, inverse_mass, step_);
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
        motion.gyroscopic = !body.isotropic && (body.locks & lock_turning) == 0;
        if (step_.finds_stale) {
            const float strict = SubstepContacts::strictness(indices, slot);
            motion.stale_by_spin = strict * body.stale_by_spin;
            motion.stale_by_tilt = strict * body.stale_by_tilt;
            motion.own_axis = rotate(body.rotation, vec3(body.principal.x_axis));
        }
        motion.moments = vec3(body.principal.moments);
        if (!body.isotropic) {
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
    store3(start_velocities_[i].linear, body.linear_velocity);
    store3(start_velocities_[i].angular, body.angular_velocity);
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
    const glm::dquat q = rotation(i, body);
    // Its length is nearly 1, so one step of Newton's method normalises it.
    body.exact_rotation = q * (1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z));
    body.rotation = quat(body.exact_rotation);
    body.angular_velocity = limited(load3(sb.angular_velocity) + vec3(0.0f), max_spin_of(body, step_, false));
    body.exact_spin = glm::dvec3(body.angular_velocity);
    TALUS_ASSERT(is_sound(body));
}

void SolverBodies::move_freely(std::uint32_t i, const SolverIndices& indices, BodyStore& store) {
    SolverBody& sb = bodies_[i];
    sb = SolverBody{};
    if (!indices.is_body(i)) return;
    Body& body = store[indices.slot(i)];
    TALUS_ASSERT(is_sound(body));
    const float substep = step_.substep;
    const float max_speed = max_speed_of(body, step_), max_spin = max_spin_of(body, step_, false);
    make_ready(body, max_spin, step_);
    limits_[i] = motion_limit(body);
    vec3 gain(0.0f), angular_acceleration(0.0f);
    float damping = 1.0f;
    FreeTurn turn;
    if (body.is_dynamic()) {
        drop_locked_motion(body);
        vec3 inverse_mass(body.inverse_mass);
        if (body.locks != 0 || body.torque != vec3(0.0f)) {
            const Response response = response_of(body, body.rotation);
            inverse_mass = response.inverse_mass;
            body.torque = limited_torque(body.torque, response.inverse_inertia, max_spin, substep);
            angular_acceleration = response.inverse_inertia * body.torque;
        }
        gain = substep * (gravity_on(body, inverse_mass, step_) + inverse_mass * body.force);
        damping = 1.0f / (1.0f + substep * body.linear_damping);
        turn.damping = 1.0f / (1.0f + substep * body.angular_damping);
    }
    auto [velocity, displacement] = fall({body.linear_velocity, gain, damping, max_speed}, step_.substeps, substep);
    turn.torque = body.torque;
    turn.rotation = body.exact_rotation;
    turn.spin = body.exact_spin;
    const bool tumbles = body.is_dynamic() && !body.isotropic && body.locks == 0;
    if (tumbles) {
        turn_freely(turn, body.principal, step_.substeps, substep);
    } else {
        turn_steadily(turn, angular_acceleration, step_.substeps, substep);
    }
    body.force = body.torque = vec3(0.0f);
    body.linear_velocity = velocity;
    body.center = displaced(body.center, displacement);
    // Torques may raise the angular velocity, and so may tumbling, which conserves energy but not the angular velocity.
    const vec3 spin(turn.spin);
    body.angular_velocity = limited(spin, max_spin);
    body.exact_spin = body.angular_velocity == spin ? turn.spin : glm::dvec3(body.angular_velocity);
    body.exact_rotation = turn.rotation;
    body.rotation = quat(turn.rotation);
    store3(sb.velocity, body.linear_velocity);
    store3(sb.angular_velocity, body.angular_velocity);
    store3(sb.displacement, displacement);
    store3(sb.turn, vec3(turn.turned));
    TALUS_ASSERT(is_sound(body));
}

glm::dvec3 SolverBodies::angular_momentum(std::uint32_t i, const Body& body, const glm::dvec3& spin) const {
    if (body.isotropic) return body.principal.moments * spin;
    const glm::dmat3 axes = principal_axes(body, glm::normalize(rotation(i, body)));
    return axes * (body.principal.moments * (spin * axes));
}

std::size_t SolverBodies::bytes() const {
    return bodies_.capacity() * sizeof(SolverBody) + limits_.capacity() * sizeof(MotionLimit) +
           masses_.capacity() * sizeof(SolverMass) + start_velocities_.capacity() * sizeof(StartVelocity) +
           centers_.capacity() * sizeof(dvec3) + motions_.bytes();
}

}  // namespace talus
