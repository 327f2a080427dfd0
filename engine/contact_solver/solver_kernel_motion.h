#pragma once
/// Internal: the solver's loops over bodies. They work on as many bodies at a time as there are lanes.

#include "engine/bodies/free_rotation.h"
#include "engine/bodies/middle_spin.h"
#include "engine/contact_solver/solver_kernel_lanes.h"

namespace talus::TALUS_LANES {

/// Returns v, shortened to `limit` if it is longer. It accepts any v that impulses may have made: a vector whose square
/// overflows keeps its direction, and a vector that is not finite becomes zero.
static inline V3 limited(const V3& v, F limit) {
    const F size2 = dot(v, v), limit2 = limit * limit;
    if (__builtin_expect(all(size2 <= limit2), 1)) return v;
    const F zero = {}, one = splat<F>(1.0f), most = splat<F>(3.0e38f);
    const F x = max(v.x, -v.x), y = max(v.y, -v.y), z = max(v.z, -v.z);
    const I finite = (x <= most) & (y <= most) & (z <= most);
    const F largest = finite ? max(x, max(y, z)) : one;
    const F scale = one / max(largest, one);
    const V3 scaled = {finite ? scale * v.x : zero, finite ? scale * v.y : zero, finite ? scale * v.z : zero};
    const F length = sqrt_lanes(dot(scaled, scaled));
    const I fits = size2 <= limit2;
    return chosen(fits, v, (limit / (length > zero ? length : one)) * scaled);
}

static inline Velocity load(const float* linear, const float* angular) {
    constexpr int stride = sizeof(SolverBody) / sizeof(float);
    return {xyz(load_rows([&](int i) { return linear + stride * i; })),
            xyz(load_rows([&](int i) { return angular + stride * i; }))};
}

static inline void store(float* linear, float* angular, const Velocity& v) {
    constexpr int stride = sizeof(SolverBody) / sizeof(float);
    F4 rows[width];
    store_rows(rows, {v.linear.x, v.linear.y, v.linear.z, F{}});
    for (int i = 0; i < width; ++i) store_row(linear + stride * i, rows[i]);
    store_rows(rows, {v.angular.x, v.angular.y, v.angular.z, F{}});
    for (int i = 0; i < width; ++i) store_row(angular + stride * i, rows[i]);
}

static inline Rows multiplied(const Rows& a, const Rows& b) {
    return {a.w * b.x + b.w * a.x + a.y * b.z - a.z * b.y, a.w * b.y + b.w * a.y + a.z * b.x - a.x * b.z,
            a.w * b.z + b.w * a.z + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline Rows conjugate(const Rows& q) { return {-q.x, -q.y, -q.z, q.w}; }

/// The cosine of half an angle, and the sine of half the angle over the angle.
struct HalfTurn {
    F cosine, sine_over_angle;
};

/// Returns these for an angle whose square is given, up to max_rotation_per_substep. Taylor polynomials give sine and
/// cosine of a quarter of the angle, to float rounding up to 0.75 rad; their double angle is the result.
static inline HalfTurn half_turn(F angle2) {
    static_assert(settings::max_rotation_per_substep <= 3.0f);
    const F q2 = splat<F>(1.0f / 16) * angle2;
    const F c = splat<F>(1.0f) + q2 * (-1.0f / 2 + q2 * (1.0f / 24 + q2 * (-1.0f / 720 + q2 * (1.0f / 40320))));
    const F s =
        splat<F>(0.25f) * (1.0f + q2 * (-1.0f / 6 + q2 * (1.0f / 120 + q2 * (-1.0f / 5040 + q2 * (1.0f / 362880)))));
    const F two_s = s + s;
    return {splat<F>(1.0f) - two_s * s * angle2, two_s * c};
}

/// Returns q rotated by the rotation vector w.
static inline Rows turned(const Rows& q, const V3& w) {
    const HalfTurn half = half_turn(dot(w, w));
    const V3 v = half.sine_over_angle * w;
    return multiplied({v.x, v.y, v.z, half.cosine}, q);
}

/// Returns the angular velocity of an angular momentum about the principal axes. `axes` rotates these to world axes.
static inline V3 spin_of(const Rows& axes, const V3& momentum, const Motion& m) {
    return rotated(axes, by_axes(m.inverse_moments, momentum));
}

/// Rotation of a body's principal axes in h seconds without torques (free_rotation.h), except for the rotation about
/// its angular momentum, which is the same for all stages and applied separately.
struct FreeRotation {
    V3 l;      ///< angular momentum about the principal axes
    Rows own;  ///< product of the rotations about them; the quaternion of the axes is multiplied by it from the right

    FreeRotation(const V3& momentum, const Motion& m, F h) : l(momentum), own{F{}, F{}, F{}, splat<F>(1.0f)} {
        const F half = splat<F>(0.5f) * h, one = splat<F>(1.0f);
        const F x_rate = half * (m.inverse_moments.x - m.inverse_moments.y);
        const F z_rate = half * (m.inverse_moments.z - m.inverse_moments.y);
        // No half angle is larger than the rate times the length of the momentum, which is constant. If that is less
        // than 1, no rotation reaches half a turn.
        const F rate2 = max(x_rate * x_rate, z_rate * z_rate);
        if (all(dot(l, l) * rate2 < one)) {
            follow<false>(x_rate, z_rate);
        } else {
            follow<true>(x_rate, z_rate);
        }
    }

    /// Applies the stages. `goes_round` says that some rotation may be half a turn or more.
    template <bool goes_round>
    void follow(F x_rate, F z_rate) {
        for (int i = 0; i < free_rotation_stages; ++i) {
            turn_x<goes_round>(static_cast<float>(free_rotation_x[i]) * x_rate);
            turn_z<goes_round>(static_cast<float>(free_rotation_z[i]) * z_rate);
        }
        turn_x<goes_round>(static_cast<float>(free_rotation_x[free_rotation_stages]) * x_rate);
    }

    /// A rotation about one axis. Thin bodies may rotate by several turns per sub-step. The sign of a quaternion does
    /// not matter, so multiples of half a turn are subtracted from the half angle.
    struct Turn {
        F s, c;          ///< sine and cosine of the half angle
        F sine, cosine;  ///< of the angle
        template <bool goes_round>
        static F rest_of(F unlimited) {
            if constexpr (!goes_round) return unlimited;  // the result has the same bits
            const F round = splat<F>(12582912.0f);        // adding this rounds to a whole number
            // Beyond this limit, a float does not resolve the angle within a turn, and the polynomials below would
            // overflow.
            const F half = clamp(unlimited, splat<F>(-2e5f), splat<F>(2e5f));
            const F turns = half * 0.318309886f + round - round;
            return half - turns * 3.140625f - turns * 9.67653590e-4f;
        }
        explicit Turn(F a) {
            const F a2 = a * a;
            c = 1.0f / 40320 + a2 * (-1.0f / 3628800 + a2 * (1.0f / 479001600));
            c = splat<F>(1.0f) + a2 * (-1.0f / 2 + a2 * (1.0f / 24 + a2 * (-1.0f / 720 + a2 * c)));
            s = -1.0f / 5040 + a2 * (1.0f / 362880 + a2 * (-1.0f / 39916800));
            s = a * (1.0f + a2 * (-1.0f / 6 + a2 * (1.0f / 120 + a2 * s)));
            sine = splat<F>(2.0f) * s * c;
            cosine = splat<F>(1.0f) - splat<F>(2.0f) * s * s;
        }
    };
    /// These rotate by angles that are proportional to the momentum. `rate` is the factor for the half angle.
    template <bool goes_round>
    void turn_x(F rate) {
        const Turn t(Turn::rest_of<goes_round>(rate * l.x));
        l = {l.x, t.cosine * l.y + t.sine * l.z, t.cosine * l.z - t.sine * l.y};
        own = {own.x * t.c + own.w * t.s, own.y * t.c + own.z * t.s, own.z * t.c - own.y * t.s,
               own.w * t.c - own.x * t.s};
    }
    template <bool goes_round>
    void turn_z(F rate) {
        const Turn t(Turn::rest_of<goes_round>(rate * l.z));
        l = {t.cosine * l.x + t.sine * l.y, t.cosine * l.y - t.sine * l.x, l.z};
        own = {own.x * t.c + own.y * t.s, own.y * t.c - own.x * t.s, own.z * t.c + own.w * t.s,
               own.w * t.c - own.z * t.s};
    }
};

/// Returns the rotation of a jointed body by its angular velocity at the middle of the sub-step (middle_spin.h). Joints
/// predict the same rotation, and find their impulses from it by Newton's method, which does not converge on the rotation
/// of FreeRotation about a thin body's own axis. The integrated and the predicted rotation must not differ. When they
/// differed, a rod on a hinge at its end began to vibrate about its own axis and lost its speed: a rod of 2 m x 10 cm
/// from 40 rad/s on, a rod of 2 m x 2 cm from 10 rad/s on.
static inline Rows turned_as_joints_predict(const Rows& q, const Rows& start, const Motion& m, F h) {
    const Rows axes = multiplied(q, start);
    const V3 spin = limited(by_axes(m.inverse_moments, rotated(conjugate(axes), m.momentum)), m.max_spin);
    const auto round = [&](const V3& w) {
        const V3 torque = cross(by_axes(m.moments, w), w);
        return limited(spin + stretched_half(h, dot(w, w)) * by_axes(m.inverse_moments, torque), m.max_spin);
    };
    const V3 first = round(spin);
    const F share = later_rounds(h, dot(spin, spin));
    const I fast = needs_more_rounds(h, dot(spin, spin));
    V3 middle = first + share * (round(first) - first);
    if (!all(~fast)) {
        V3 more = middle;
        for (int i = 2; i < settings::middle_spin_rounds; ++i) more = first + share * (round(more) - first);
        middle = chosen(fast, more, middle);
    }
    return turned(q, h * rotated(axes, middle));
}

static inline void gain_velocity(const Motion& m, const MotionPassInput& in, Velocity& v) {
    const F h = splat<F>(in.substep);
    // The user's impulses may have made velocities that overflow. They are limited before anything is solved.
    v.linear = limited(m.linear_damping * (v.linear + h * m.acceleration), splat<F>(in.max_speed));
    v.angular = limited(m.angular_damping * (v.angular + h * m.angular_acceleration), m.max_spin);
}

/// Returns the kinetic energy, J.
static inline F kinetic_energy(const Motion& m, const Velocity& v) {
    const Rows axes = multiplied({m.turn_x, m.turn_y, m.turn_z, m.turn_w}, {m.axes_x, m.axes_y, m.axes_z, m.axes_w});
    const V3 spin = rotated(conjugate(axes), v.angular);
    return splat<F>(0.5f) * (m.mass * dot(v.linear, v.linear) + dot(by_axes(m.moments, spin), spin));
}

static void integrate_velocities(const MotionPassInput& in) {
    for (unsigned g = 0; g < in.count; ++g) {
        SolverBody* bodies = in.bodies + g * width;
        Motion& m = static_cast<Motion*>(in.motions)[g];
        Velocity v = load(bodies->velocity, bodies->angular_velocity);
        m.old_velocity = v.linear;
        m.old_spin = v.angular;
        m.old_turn_x = m.turn_x, m.old_turn_y = m.turn_y, m.old_turn_z = m.turn_z, m.old_turn_w = m.turn_w;
        m.old_energy = kinetic_energy(m, v);
        gain_velocity(m, in, v);
        store(bodies->velocity, bodies->angular_velocity, v);
    }
}

static void integrate_positions(const MotionPassInput& in) {
    const F h = splat<F>(in.substep), zero = {}, two = splat<F>(2.0f);
    for (unsigned g = 0; g < in.count; ++g) {
        SolverBody* bodies = in.bodies + g * width;
        Motion& m = static_cast<Motion*>(in.motions)[g];
        Velocity v = load(bodies->velocity, bodies->angular_velocity);
        const Velocity moved = load(bodies->displacement, bodies->turn);
        const F most_turn = min(h * m.max_spin, splat<F>(settings::max_rotation_per_substep));
        v = {limited(v.linear, splat<F>(in.max_speed)), limited(v.angular, m.max_spin)};
        V3 turn = limited(h * v.angular, most_turn);
        const Rows before = {m.turn_x, m.turn_y, m.turn_z, m.turn_w};
        Rows q = turned(before, turn);
        const I gyroscopic = m.gyroscopic > zero;
        if (!all(~gyroscopic)) {
            const Rows start = {m.axes_x, m.axes_y, m.axes_z, m.axes_w},
                       then = {m.then_x, m.then_y, m.then_z, m.then_w};
            const V3 pushed = v.angular - m.handed_out;
            m.momentum = m.momentum + rotated(then, by_axes(m.moments, rotated(conjugate(then), pushed)));
            const I jointed = m.jointed > zero;
            Rows way = before;
            V3 own_momentum = {};
            if (!all(jointed | ~gyroscopic)) {
                const FreeRotation free(rotated(conjugate(multiplied(before, start)), m.momentum), m, h);
                const V3 common = limited((h * m.inverse_moments.y) * m.momentum, most_turn);
                const V3 own = rotated(start, xyz(free.own));
                way = turned(multiplied(before, {own.x, own.y, own.z, free.own.w}), common);
                own_momentum = free.l;
            }
            if (__builtin_expect(!all(~jointed), 0)) {
                const Rows predicted = turned_as_joints_predict(before, start, m, h);
                way = {jointed ? predicted.x : way.x, jointed ? predicted.y : way.y, jointed ? predicted.z : way.z,
                       jointed ? predicted.w : way.w};
                own_momentum =
                    chosen(jointed, rotated(conjugate(multiplied(predicted, start)), m.momentum), own_momentum);
            }
            q = {gyroscopic ? way.x : q.x, gyroscopic ? way.y : q.y, gyroscopic ? way.z : q.z,
                 gyroscopic ? way.w : q.w};
            const V3 spin = limited(spin_of(multiplied(q, start), own_momentum, m), m.max_spin);
            v.angular = chosen(gyroscopic, spin, v.angular);
            m.handed_out = v.angular;
            const Rows change = multiplied(q, conjugate(before));
            turn = chosen(gyroscopic, (change.w < zero ? -two : two) * xyz(change), turn);
        }
        m.turn_x = q.x, m.turn_y = q.y, m.turn_z = q.z, m.turn_w = q.w;
        store(bodies->velocity, bodies->angular_velocity, v);
        const V3 turned_by = moved.angular + turn;
        store(bodies->displacement, bodies->turn, {moved.linear + h * v.linear, turned_by});
        m.moving_velocity = v.linear;
        if (!in.finds_stale) continue;
        const V3 since = turned_by - m.turn_then;
        const F spun = dot(since, m.own_axis), spun2 = spun * spun, tilted2 = max(dot(since, since) - spun2, zero);
        const I stale = m.stale_by_spin2 * spun2 + m.stale_by_tilt2 * tilted2 > splat<F>(1.0f);
        m.any_stale = !all(~stale);
        m.stale = stale ? splat<F>(1.0f) : zero;
    }
}

/// Returns q with unit length, by one step of Newton's method. The length of q must be near 1.
static inline Rows normalized(const Rows& q) {
    const F s = splat<F>(1.5f) - splat<F>(0.5f) * (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return {s * q.x, s * q.y, s * q.z, s * q.w};
}

/// Updates the angular velocities of gyroscopic bodies after the last sub-step, because the last impulses have changed
/// the momentum, and the inertia has rotated since they were found.
static void end_spins(const MotionPassInput& in) {
    for (unsigned g = 0; g < in.count; ++g) {
        SolverBody* bodies = in.bodies + g * width;
        const Motion& m = static_cast<const Motion*>(in.motions)[g];
        const I turns = (m.gyroscopic > F{}) & ~(m.jointed > F{});
        if (all(~turns)) continue;
        Velocity v = load(bodies->velocity, bodies->angular_velocity);
        const Rows then = normalized({m.then_x, m.then_y, m.then_z, m.then_w});
        const Rows now =
            normalized(multiplied({m.turn_x, m.turn_y, m.turn_z, m.turn_w}, {m.axes_x, m.axes_y, m.axes_z, m.axes_w}));
        const V3 pushed = by_axes(m.moments, rotated(conjugate(then), v.angular - m.handed_out));
        const V3 own_momentum = rotated(conjugate(now), m.momentum + rotated(then, pushed));
        v.angular = chosen(turns, limited(spin_of(now, own_momentum, m), m.max_spin), v.angular);
        store(bodies->velocity, bodies->angular_velocity, v);
    }
}

static void find_gains(const MotionPassInput& in) {
    for (unsigned g = 0; g < in.count; ++g) {
        const SolverBody* bodies = in.bodies + g * width;
        Motion& m = static_cast<Motion*>(in.motions)[g];
        const Velocity v = load(bodies->velocity, bodies->angular_velocity);
        F work = splat<F>(in.substep) * (m.mass * dot(m.acceleration, v.linear) + dot(m.torque, v.angular));
        // The velocity of a jointed body rotates within the sub-step, and its forces do work at all velocities in
        // between. If only the last velocity counts, a pendulum seems to gain energy as it swings, and the bound takes
        // energy from it: one of 20 cm lost 27% in 10 s. The first velocity does not count if a blow has stopped the
        // body, because the energy that the blow took would be given back.
        const V3 change = m.old_velocity - v.linear;
        const F pulled = splat<F>(settings::energy_pulled * in.substep), turns = splat<F>(settings::energy_turned);
        const I stopped = dot(change, change) > pulled * pulled * dot(m.acceleration, m.acceleration) +
                                                    turns * turns * dot(m.old_velocity, m.old_velocity);
        const F turned = splat<F>(in.substep) * m.mass * dot(m.acceleration, change);
        work += stopped ? F{} : m.jointed * max(turned, F{});
        constexpr float least = 0.5f * settings::energy_speed * settings::energy_speed;
        const F allowed = splat<F>(1.0f + settings::energy_gain) * m.old_energy + least * m.mass + work;
        m.energy = kinetic_energy(m, v);
        m.gain = m.energy - allowed;
        m.any_gain = !all(m.gain <= F{});
    }
}

static void note_calm(const MotionPassInput& in) {
    for (unsigned g = 0; g < in.count; ++g) {
        const SolverBody* bodies = in.bodies + g * width;
        Motion& m = static_cast<Motion*>(in.motions)[g];
        const Velocity v = load(bodies->velocity, bodies->angular_velocity);
        m.calm_velocity = v.linear;
        m.calm_spin = v.angular;
    }
}

static void find_bounce_gains(const MotionPassInput& in) {
    for (unsigned g = 0; g < in.count; ++g) {
        const SolverBody* bodies = in.bodies + g * width;
        Motion& m = static_cast<Motion*>(in.motions)[g];
        const Velocity v = load(bodies->velocity, bodies->angular_velocity);
        const F half = splat<F>(0.5f) * splat<F>(in.substep);
        const V3 way = m.old_velocity - v.linear + m.moving_velocity + m.moving_velocity;
        const V3 turn = m.old_spin - v.angular + m.calm_spin + m.calm_spin;
        const F work = half * (m.mass * dot(m.acceleration, way) + dot(m.torque, turn));
        constexpr float least = 0.5f * settings::energy_speed * settings::energy_speed;
        const F allowed = splat<F>(1.0f + settings::energy_gain) * m.old_energy + least * m.mass + work;
        m.energy = kinetic_energy(m, v);
        m.gain = m.energy - allowed;
        m.any_gain = !all(m.gain <= F{});
    }
}

}  // namespace talus::TALUS_LANES
