#pragma once
/// Internal: conservation of the angular momentum of floating articulations, in lanes. joint_momentum.h says why.

#include "engine/joint_solver/batches/batch_rows.h"

namespace talus::TALUS_LANES {

TALUS_INLINE D kinetic_energy(const Link& link, const V3& velocity, const V3& spin) {
    return 0.5 * (link.mass * dot(velocity, velocity) + dot(spin, link.inertia * spin));
}

/// The motion of an articulation as a whole.
struct CommonMotion {
    V3 center, velocity;  ///< of the centre of mass
    V3 angular_momentum;  ///< about the centre of mass
    S3 inertia;           ///< of the whole about the centre of mass
    D mass;

    explicit CommonMotion(const Batch& b)
        : center(no_vector()),
          velocity(no_vector()),
          angular_momentum(no_vector()),
          inertia(scaled_identity(zero())),
          mass(zero()) {
        for (unsigned l = 0; l < b.layout.links; ++l) {
            const D m = b.links[l].mass;
            mass += m;
            center += m * center_of(b.links[l]);
            velocity += m * b.motions[l].velocity;
        }
        center = (1.0 / mass) * center;
        velocity = (1.0 / mass) * velocity;
        for (unsigned l = 0; l < b.layout.links; ++l) {
            const Link& link = b.links[l];
            const Motion& motion = b.motions[l];
            const V3 arm = center_of(link) - center;
            angular_momentum += link.mass * cross(arm, motion.velocity - velocity) + link.inertia * motion.spin;
            inertia = inertia + link.inertia + link.mass * (scaled_identity(dot(arm, arm)) + -one() * outer(arm));
        }
    }

    static V3 center_of(const Link& link) { return link.start_center + link.displacement; }

    /// Returns the angular velocity of a rigid body with this inertia and angular momentum; 0 if it has none.
    V3 angular_velocity(const V3& momentum) const {
        const M3 m = full(inertia);
        const D size = inertia.xx + inertia.yy + inertia.zz, determinant = dot(m.x, cross(m.y, m.z));
        const I sound = determinant > 1e-12 * size * size * size;  // else the inverse is rounding
        if (!any(sound)) return no_vector();
        return select(sound, inverse(m) * momentum, no_vector());
    }
};

/// What a pass over floating articulations with implicit links starts from.
struct NotedMomentum {
    I lanes = none();  ///< the lanes of such articulations
    V3 center = no_vector(), angular_momentum = no_vector(), angular_velocity = no_vector();
    D energy = zero();  ///< kinetic

    NotedMomentum(const Batch& b, I running) {
        lanes = running & mask_of(b.view.floating) & implicit_lanes(b);
        if (!any(lanes)) return;
        const CommonMotion whole(b);
        center = whole.center;
        angular_momentum = whole.angular_momentum;
        angular_velocity = select(lanes, whole.angular_velocity(whole.angular_momentum), no_vector());
        note_energy(b);
    }
    void note_energy(const Batch& b) {
        energy = zero();
        for (unsigned l = 0; l < b.layout.links; ++l)
            energy += kinetic_energy(b.links[l], b.motions[l].velocity, b.motions[l].spin);
    }
};

TALUS_INLINE V3 to_lanes(const double (&v)[3]) { return {splat(v[0]), splat(v[1]), splat(v[2])}; }

/// Adds the velocities that pushes give to links without joints.
static void add_pushes(const Batch& b, const BatchPush* pushes, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
        const BatchPush& push = pushes[i];
        const Link& link = b.links[push.link];
        Motion& motion = b.motions[push.link];
        const I lane = mask_of(1u << push.lane);
        motion.velocity = select(lane, motion.velocity + link.inverse_mass * to_lanes(push.impulse), motion.velocity);
        motion.spin = select(lane, motion.spin + response_of(link) * to_lanes(push.moment), motion.spin);
    }
}

/// The same within a pass: the articulation as a whole gets the momentum of the pushes, although implicit links respond
/// less.
static void add_pushes(const Batch& b, const BatchPush* pushes, unsigned count, NotedMomentum& noted) {
    add_pushes(b, pushes, count);
    if (!any(noted.lanes)) return;
    for (unsigned i = 0; i < count; ++i) {
        const BatchPush& push = pushes[i];
        const V3 arm = CommonMotion::center_of(b.links[push.link]) - noted.center;
        const V3 whole = to_lanes(push.moment) + cross(arm, to_lanes(push.impulse));
        noted.angular_momentum =
            select(mask_of(1u << push.lane), noted.angular_momentum + whole, noted.angular_momentum);
    }
    noted.note_energy(b);
}

/// Limits the links' angular velocities in floating articulations to the largest rotation per sub-step. Lanes in which it
/// changes a velocity are added to `noted`.
static void limit_angular_velocities(const Batch& b, I running, NotedMomentum& noted) {
    const double most = static_cast<double>(settings::max_joint_rotation) / b.view.substep;
    constexpr double largest = 1.7976931348623157e308;
    const auto too_fast = [&](const Motion& motion) {
        const D size2 = dot(motion.spin, motion.spin);
        return (size2 > most * most) & (size2 < largest);
    };
    I fast = none();
    for (unsigned l = 0; l < b.layout.links; ++l) fast |= too_fast(b.motions[l]);
    fast &= running & mask_of(b.view.floating);
    if (!any(fast)) return;
    if (any(fast & ~noted.lanes)) {
        // Up to here the pass has changed neither the momentum nor the energy.
        const CommonMotion whole(b);
        D energy = zero();
        for (unsigned l = 0; l < b.layout.links; ++l)
            energy += kinetic_energy(b.links[l], b.motions[l].velocity_before, b.motions[l].spin_before);
        noted.angular_momentum = select(noted.lanes, noted.angular_momentum, whole.angular_momentum);
        noted.energy = noted.lanes ? noted.energy : energy;
    }
    for (unsigned l = 0; l < b.layout.links; ++l) {
        Motion& motion = b.motions[l];
        const I limited = fast & too_fast(motion);
        if (!any(limited)) continue;
        const D part = most / sqrt(limited ? dot(motion.spin, motion.spin) : one());
        motion.spin = select(limited, part * motion.spin, motion.spin);
    }
    noted.lanes |= fast;
}

/// See restore_momentum() in joint_momentum.cpp.
static void restore_momentum(const Batch& b, const NotedMomentum& noted) {
    if (!any(noted.lanes)) return;
    const CommonMotion whole(b);
    const V3 angular_now = whole.angular_velocity(whole.angular_momentum);
    const V3 angular_velocity = whole.angular_velocity(noted.angular_momentum);
    // Scales by `part` the motion relative to the whole, which rotates by `turning`, and adds the rotation `added`.
    const auto set = [&](I lanes, D part, const V3& turning, const V3& added) {
        for (unsigned l = 0; l < b.layout.links; ++l) {
            Motion& motion = b.motions[l];
            const V3 arm = CommonMotion::center_of(b.links[l]) - whole.center;
            const V3 common = whole.velocity + cross(turning, arm);
            const V3 velocity = common + part * (motion.velocity - common) + cross(added, arm);
            const V3 spin = turning + part * (motion.spin - turning) + added;
            motion.velocity = select(lanes, velocity, motion.velocity);
            motion.spin = select(lanes, spin, motion.spin);
        }
    };
    set(noted.lanes, one(), angular_now, angular_velocity - angular_now);
    // In the solve pass the relative motions must not change, because they end where the joints want them.
    if (b.pass == JointPass::solve) return;
    D energy = zero();
    for (unsigned l = 0; l < b.layout.links; ++l)
        energy += kinetic_energy(b.links[l], b.motions[l].velocity, b.motions[l].spin);
    const D gained = energy - noted.energy;
    const D common =
        0.5 * (whole.mass * dot(whole.velocity, whole.velocity) + dot(angular_velocity, noted.angular_momentum));
    const D within = energy - common;
    const I reduced = noted.lanes & (gained > zero()) & (within > zero());
    if (!any(reduced)) return;
    const I some = reduced & (gained < within);
    const D part = where(some, sqrt(some ? 1.0 - gained / within : one()));
    set(reduced, part, angular_velocity, no_vector());
}

}  // namespace talus::TALUS_LANES
