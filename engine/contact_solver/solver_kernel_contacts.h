#pragma once
/// Internal: the solver's loops over contacts. They work on as many contacts at a time as there are lanes.

#include "engine/contact_solver/solver_kernel_lanes.h"

namespace talus::TALUS_LANES {

/// Returns the velocity of b relative to a along the point's normal row.
[[gnu::always_inline]] static inline F normal_speed(const V3& n, const Point& p, const Sides& v) {
    return dot(n, v.b.linear - v.a.linear) + dot(p.angular_b, v.b.angular) - dot(p.angular_a, v.a.angular);
}

/// The change of the bodies' velocities by a unit impulse along the normal.
struct Push {
    V3 a, b;
    explicit Push(const Record& r) : a(by_axes(r.inverse_mass_a, r.normal)), b(by_axes(r.inverse_mass_b, r.normal)) {}
};

[[gnu::always_inline]] static inline void apply_normal(const Push& push, const Point& p, F impulse, Sides& v) {
    v.a.linear = v.a.linear - impulse * push.a;
    v.a.angular = v.a.angular - impulse * p.turn_a;
    v.b.linear = v.b.linear + impulse * push.b;
    v.b.angular = v.b.angular + impulse * p.turn_b;
}

/// Applies a tangential impulse at the manifold's centre, and a moment, in world axes.
[[gnu::always_inline]] static inline void apply_friction(const Record& r, const V3& impulse, const V3& moment,
                                                         Sides& v) {
    v.a.linear = v.a.linear - by_axes(r.inverse_mass_a, impulse);
    v.a.angular = v.a.angular - r.inertia_a * (cross(r.center_a, impulse) + moment);
    v.b.linear = v.b.linear + by_axes(r.inverse_mass_b, impulse);
    v.b.angular = v.b.angular + r.inertia_b * (cross(r.center_b, impulse) + moment);
}

/// Returns the additional rate at which the soft rows of a contact of four points remove the overlap of a point beyond
/// the mean of the four. A stack of soft contacts bends under its own weight. So a contact gets stiffer against tilting
/// if it carries a large load, measured by the mean overlap over the points' lever.
static inline F tilt_rate(const Record& r, const Point* points, const F* depth, F mean) {
    const F zero = {}, one = splat<F>(1.0f), quarter = splat<F>(0.25f);
    const F shallowest = max(max(depth[0], depth[1]), max(depth[2], depth[3]));
    const F lever = quarter * (points[0].arm + points[1].arm + points[2].arm + points[3].arm);
    const F first = splat<F>(settings::tilt_first_load) * lever;
    const F span = splat<F>(settings::tilt_full_load - settings::tilt_first_load) * lever;
    const F load = clamp((-mean - first) * inverse_or_zero(span), zero, one);
    return shallowest < zero ? load * r.tilt_rate : zero;
}

/// Changes the factors of a soft row in lanes that are `deep`: its compliance is multiplied by the 16th power of
/// `ratio`. Let c be the ratio of the spring's compliance to that of the effective mass in a sub-step. Then the factors
/// are 1 / (1 + c) and c / (1 + c).
static inline void stiffen(I deep, F ratio, F& mass_scale, F& impulse_scale) {
    // at 16^-16 the row is rigid in effect; less would give denormals
    const F one = splat<F>(1.0f), least = splat<F>(1.0f / 16);
    const F base = max(ratio, least), square = base * base, fourth = square * square, eighth = fourth * fourth;
    const F compliance = eighth * eighth * impulse_scale / mass_scale;
    const F stiffer = one / (one + compliance);
    mass_scale = deep ? stiffer : mass_scale;
    impulse_scale = deep ? compliance * stiffer : impulse_scale;
}

/// Notes the loads with which struck contacts continue after a blow.
///
/// The impulse of a blow is no load. If the next sub-step were warm started with it, the impulse would push again, and
/// the part of it that a pass over normals and friction leaves would be a gain of energy (a cylinder that lands on its
/// edge gained 14% of the energy that the impact had left it). A load may double in a sub-step, and grow by the impulse
/// that stops a slow approach; a larger growth is a blow. If a load could not grow it would never be found, because
/// each sub-step would start without it and treat it as the next blow. Lanes that bounce have notes of their own.
static inline void note_blows(Record& r, Point* points, const F* loads, const I* blows) {
    const F zero = {}, no_limit = splat<F>(-3.0e38f);
    for (unsigned i = 0; i < r.point_count; ++i) {
        Point& p = points[i];
        const F load = blows[i] ? -loads[i] : no_limit;
        p.bounce = r.restitution > zero ? p.bounce : (r.struck ? max(p.bounce, load) : load);
    }
    r.struck = true;
}

/// The normal row of a point, for the iterations of one pass over its record.
struct NormalRow {
    F bias, mass_scale, impulse_scale;
};

/// Returns the normal row of a point. If `soft`, it removes overlap like a spring; otherwise it only stops approach.
/// `depth`, `mean`, `tilt` and `stiffer_from` are for soft rows. `some_deep` says that some point of the record may be
/// deeper than stiffer_from.
template <bool soft, bool some_deep>
static inline NormalRow normal_row(const Record& r, F separation, F depth, F mean, F tilt, F stiffer_from,
                                   F inverse_substep) {
    const F zero = {}, one = splat<F>(1.0f);
    const I apart = separation > zero;
    if constexpr (!soft) return {apart ? separation * inverse_substep : zero, one, zero};
    const F speed_back = r.bias_rate * depth + tilt * (depth - mean);
    NormalRow row = {
        apart ? separation * inverse_substep : clamp(speed_back, splat<F>(-settings::max_push_speed), zero),
        apart ? one : r.mass_scale, apart ? zero : r.impulse_scale};
    if constexpr (some_deep) {
        const I deep = depth < -stiffer_from;
        if (!all(~deep)) stiffen(deep, stiffer_from / (deep ? -depth : one), row.mass_scale, row.impulse_scale);
    }
    return row;
}

/// Returns the accumulated impulse that solves a point's row.
[[gnu::always_inline]] static inline F wanted_impulse(const Record& r, const Point& p, const NormalRow& row,
                                                      const Sides& v) {
    const F zero = {}, speed = normal_speed(r.normal, p, v);
    return max(p.impulse - p.mass * row.mass_scale * (speed + row.bias) - row.impulse_scale * p.impulse, zero);
}

/// Iterates over the points of the lanes in `struck`, whose contacts took a blow: an impulse larger than `loads`
/// allows.
///
/// In a struck manifold the first point has taken the blow, and the impulses of the other points have then changed its
/// speed. A box that lands flat would leave with an angular velocity. So the points are solved until they agree.
template <class RowOf>
static inline void sweep_struck(const Record& r, Point* points, const F* loads, I struck, F least_blow,
                                const RowOf& row_of, Sides& v) {
    if (r.point_count == 1) return;
    I active = {};
    const F beyond = splat<F>(settings::strike_rate / settings::blow_rate) * least_blow;
    for (unsigned i = 0; i < r.point_count; ++i) active |= points[i].impulse > loads[i] + points[i].mass * beyond;
    active &= struck & (points[1].mass > F{});
    if (all(~active)) return;
    const Push push(r);
    NormalRow rows[4];
    for (unsigned i = 0; i < r.point_count; ++i) rows[i] = row_of(i);
    for (int sweep = 0; sweep < settings::strike_sweeps && !all(~active); ++sweep) {
        I changed = {};
        for (unsigned k = 0; k < r.point_count; ++k) {
            const unsigned i = sweep % 2 == 0 ? r.point_count - 1 - k : k;
            Point& p = points[i];
            const F impulse = active ? wanted_impulse(r, p, rows[i], v) : p.impulse, change = impulse - p.impulse;
            apply_normal(push, p, change, v);
            p.impulse = impulse;
            changed |= max(change, -change) > p.mass * splat<F>(settings::strike_accuracy);
        }
        active &= changed;
    }
}

/// Solves the normal rows of one record.
template <bool soft>
static inline void solve_normals(Record& r, Point* points, F inverse_substep, F least_blow, const Sides& motion,
                                 Sides& v) {
    const F zero = {}, no_limit = splat<F>(3.0e38f);
    const Push push(r);
    F stiffer_from = r.stiffer_from;
    F separation[4], depth[4] = {}, mean = zero, tilt = zero;  // m; depth: overlap beyond the slop, <= 0
    F loads[4];
    I struck = {}, deep = {};
    if constexpr (soft) {
        F deepest = zero;
        for (unsigned i = 0; i < r.point_count; ++i) {
            separation[i] = points[i].separation + normal_speed(r.normal, points[i], motion);
            depth[i] = min(separation[i] + r.slop, zero);
            deepest = min(deepest, depth[i]);
        }
        if (r.tilts) {
            mean = splat<F>(0.25f) * (depth[0] + depth[1] + depth[2] + depth[3]);
            tilt = tilt_rate(r, points, depth, mean);
            const F shallowest = max(max(depth[0], depth[1]), max(depth[2], depth[3]));
            const I on_face = (shallowest < zero) & (r.tilt_rate > zero);
            stiffer_from = on_face ? r.stiffer_face : stiffer_from;
        }
        deep = deepest < -stiffer_from;
    }
    const auto separation_of = [&](unsigned i) {
        if constexpr (soft) {
            return separation[i];
        } else {
            return points[i].separation + normal_speed(r.normal, points[i], motion);
        }
    };
    const auto solve_row = [&](unsigned i, const NormalRow& row) {
        Point& p = points[i];
        const F before = p.impulse, impulse = wanted_impulse(r, p, row, v);
        apply_normal(push, p, impulse - before, v);
        p.impulse = impulse;
        loads[i] = before + before + p.mass * least_blow;
        struck |= impulse > loads[i];
    };
    if (__builtin_expect(all(~deep), 1)) {
        for (unsigned i = 0; i < r.point_count; ++i)
            solve_row(
                i, normal_row<soft, false>(r, separation_of(i), depth[i], mean, tilt, stiffer_from, inverse_substep));
    } else {
        for (unsigned i = 0; i < r.point_count; ++i)
            solve_row(i,
                      normal_row<soft, true>(r, separation_of(i), depth[i], mean, tilt, stiffer_from, inverse_substep));
    }
    if constexpr (soft) r.struck = false;
    if (__builtin_expect(all(~struck), 1)) return;

    // A point that overlaps by more than twice the slop carries a load, however fast that grows.
    if constexpr (soft) {
        struck = I{};
        for (unsigned i = 0; i < r.point_count; ++i) {
            loads[i] = separation[i] < -(r.slop + r.slop) ? no_limit : loads[i];
            struck |= points[i].impulse > loads[i];
        }
    }
    // Joints and stiff groups find their contacts' impulses themselves.
    const I alone = r.stiffer_from < no_limit;
    struck &= alone;
    if (all(~struck)) return;
    Sides swept = v;  // a copy, so that the compiler can keep v in registers above
    sweep_struck(
        r, points, loads, struck, least_blow,
        [&](unsigned i) {
            return normal_row<soft, true>(r, separation_of(i), depth[i], mean, tilt, stiffer_from, inverse_substep);
        },
        swept);
    v = swept;
    I blows[4];
    for (unsigned i = 0; i < r.point_count; ++i) blows[i] = alone & (points[i].impulse > loads[i]);
    note_blows(r, points, loads, blows);
}

/// Limits friction and twist together, because sliding and rotation about the normal use the same friction. At a
/// contact disc with the relative angular velocity w, each point slides along its own circle. A slip that is slow
/// against w * arm only bends these circles a little: the friction against it grows with the slip like viscous
/// friction, up to the limit. And a disc that slides fast hardly resists rotation (Contensou 1963). Here f and twist /
/// arm are one impulse with three components. It is opposed to (slip, arm * w) and no longer than the limit: the
/// ellipsoid of Howe and Cutkosky (1996). With separate limits, friction would stop the slip of a fast top, which then
/// rolls and never turns over, and friction would stop its rotation however fast it slides.
///
/// Takes impulses that are within their separate limits. If they exceed the common limit, they are replaced: from the
/// last impulses, a step against the motion, projected on the ellipsoid. `slip` has the speeds along the two tangents,
/// m/s, and the angular velocity about the normal, rad/s.
///
/// This holds for contacts of one point only. A manifold of several points has its friction at its centre, and needs
/// two limits: with a common limit, rolling cylinders would be 5 times as far from their correct speed (sb_rolling).
static inline void share_friction(const Record& r, const Surface* surface, I lanes, F limit, F twist_limit,
                                  const V3& slip, F& f1, F& f2, F& twist) {
    const F one = splat<F>(1.0f);
    const F grip_1 = surface != nullptr ? surface->grip_1 : one, grip_2 = surface != nullptr ? surface->grip_2 : one;
    const F to_disc_1 = surface != nullptr ? inverse_or_zero(grip_1) : one,
            to_disc_2 = surface != nullptr ? inverse_or_zero(grip_2) : one;
    const F per_arm = limit * inverse_or_zero(twist_limit), limit2 = limit * limit;
    const F u1 = f1 * to_disc_1, u2 = f2 * to_disc_2, u3 = twist * per_arm;
    const I beyond = lanes & (u1 * u1 + u2 * u2 + u3 * u3 > splat<F>(1.00001f) * limit2);
    if (all(~beyond)) return;
    const F arm = twist_limit * inverse_or_zero(limit);
    const F step = min(r.slide_mass, r.twist_mass * per_arm * per_arm);
    const F d1 = r.friction_1 * to_disc_1 - step * grip_1 * slip.x,
            d2 = r.friction_2 * to_disc_2 - step * grip_2 * slip.y, d3 = r.twist * per_arm - step * arm * slip.z;
    const F size2 = d1 * d1 + d2 * d2 + d3 * d3;
    const I outside = size2 > limit2;
    const F scale = outside ? limit / sqrt_lanes(outside ? size2 : one) : one;
    // If squares of speeds and masses exceed the range of floats, the two separate limits stay.
    const I changes = beyond & (size2 <= splat<F>(3.0e38f));
    f1 = changes ? scale * d1 * grip_1 : f1;
    f2 = changes ? scale * d2 * grip_2 : f2;
    twist = changes ? scale * d3 * arm : twist;
}

/// Solves the two tangential rows together: the 2D impulse is projected on the friction disc, so that no direction is
/// preferred.
///
/// Twist and friction are solved one after the other. Where the contact is beside a body's centre, as at the tip of a
/// leaning card, both rotate the body in the same direction. If both were solved from the same velocities, both would
/// remove the common part, and leave -c of the slip, where c is their coupling (0 to 1). With warm starting the two
/// impulses would then grow per sub-step by the roots of x^2 + 2 c x - c = 0. From c = 1/3 on they would grow without
/// end, with alternating signs, until they reach the friction limit and a contact that should stick creeps. Solved one
/// after the other they leave c^2, which dies out.
///
/// On surfaces whose grip depends on the direction, the disc is an ellipse. In the coordinates f / grip it is a disc
/// again, the slip is grip * slip, and sliding friction has the direction of the greatest dissipation.
///
/// Changes the impulses of `lanes` only.
template <bool special>
static inline void solve_friction(Record& r, Surface* surface, const Point* points, I lanes, Sides& v) {
    const F zero = {};
    F normal_impulse = zero, twist_arm = zero;
    for (unsigned i = 0; i < r.point_count; ++i) {
        normal_impulse += points[i].impulse;
        twist_arm += points[i].impulse * points[i].arm;
    }
    const V3 tangent_2 = cross(r.normal, r.tangent);
    V3 slip = (v.b.linear + cross(v.b.angular, r.center_b)) - (v.a.linear + cross(v.a.angular, r.center_a));
    if constexpr (special) slip = slip + surface->velocity;
    // Twist comes first. The slip that it leaves is linear in it.
    const V3 spin = v.b.angular - v.a.angular;
    const F twist_limit = r.friction * twist_arm;
    F twist = clamp(r.twist - r.twist_mass * dot(r.normal, spin), -twist_limit, twist_limit);
    const F more_twist = twist - r.twist;
    const F slip_1 = dot(slip, r.tangent) + more_twist * r.twist_slip_1;
    const F slip_2 = dot(slip, tangent_2) + more_twist * r.twist_slip_2;
    const F limit = r.friction * normal_impulse, limit2 = limit * limit;
    // Sticking: the impulse that stops the slip. If it exceeds the limit, the contact slides, and the result of the 2x2
    // matrix would not be parallel to the slip. Steps along the slip itself, projected on the disc, converge to -limit
    // slip / |slip|.
    F f1 = r.friction_1 - (r.friction_mass_11 * slip_1 + r.friction_mass_12 * slip_2);
    F f2 = r.friction_2 - (r.friction_mass_12 * slip_1 + r.friction_mass_22 * slip_2);
    if constexpr (special) {
        const F g1 = surface->grip_1, g2 = surface->grip_2;
        const F to_disc_1 = inverse_or_zero(g1), to_disc_2 = inverse_or_zero(g2);
        const F u1 = f1 * to_disc_1, u2 = f2 * to_disc_2;
        // A surface without grip along an axis has no friction along it.
        const I slides = (u1 * u1 + u2 * u2 > limit2) | (g1 <= zero) | (g2 <= zero);
        F d1 = r.friction_1 * to_disc_1 - r.slide_mass * g1 * slip_1,
          d2 = r.friction_2 * to_disc_2 - r.slide_mass * g2 * slip_2;
        d1 = slides ? d1 : u1;
        d2 = slides ? d2 : u2;
        const F size2 = d1 * d1 + d2 * d2;
        const I outside = size2 > limit2;
        const F scale = outside ? limit / sqrt_lanes(outside ? size2 : splat<F>(1.0f)) : splat<F>(1.0f);
        f1 = scale * d1 * g1;
        f2 = scale * d2 * g2;
    } else {
        const I slides = f1 * f1 + f2 * f2 > limit2;
        f1 = slides ? r.friction_1 - r.slide_mass * slip_1 : f1;
        f2 = slides ? r.friction_2 - r.slide_mass * slip_2 : f2;
        const F size2 = f1 * f1 + f2 * f2;
        const I outside = size2 > limit2;
        const F scale = outside ? limit / sqrt_lanes(outside ? size2 : splat<F>(1.0f)) : splat<F>(1.0f);
        f1 *= scale;
        f2 *= scale;
    }

    const I one_point = r.point_count > 1 ? points[1].mass <= zero : zero <= zero;
    if (!all(~one_point)) {
        share_friction(r, special ? surface : nullptr, one_point, limit, twist_limit,
                       {dot(slip, r.tangent), dot(slip, tangent_2), dot(r.normal, spin)}, f1, f2, twist);
    }
    f1 = lanes ? f1 : r.friction_1;
    f2 = lanes ? f2 : r.friction_2;
    twist = lanes ? twist : r.twist;
    apply_friction(r, (f1 - r.friction_1) * r.tangent + (f2 - r.friction_2) * tangent_2, (twist - r.twist) * r.normal,
                   v);
    if constexpr (special) {
        // Rolling: a moment against the relative angular velocity about the tangents, at most the normal impulse times
        // an arm. It comes after friction, because the two act on the same angular velocity, and would oscillate if
        // both were solved from the same velocities.
        const V3 turning = v.b.angular - v.a.angular, rolling_spin = turning - dot(r.normal, turning) * r.normal;
        V3 rolling = surface->rolling - surface->rolling_mass * rolling_spin;
        rolling = rolling - dot(r.normal, rolling) * r.normal;
        const F rolling_limit = surface->rolling_arm * normal_impulse, size2 = dot(rolling, rolling);
        const I outside = size2 > rolling_limit * rolling_limit;
        rolling = (outside ? rolling_limit / sqrt_lanes(outside ? size2 : splat<F>(1.0f)) : splat<F>(1.0f)) * rolling;
        rolling = chosen(lanes, rolling, surface->rolling);
        const V3 moment = rolling - surface->rolling;
        v.a.angular = v.a.angular - r.inertia_a * moment;
        v.b.angular = v.b.angular + r.inertia_b * moment;
        surface->rolling = rolling;
    }
    r.friction_1 = f1;
    r.friction_2 = f2;
    r.twist = twist;
}

/// Ends a sub-step for friction: adds it to the sums of the step, and decides with how much of it the next sub-step is
/// warm started. This sub-step was warm started with (started_1, started_2).
static inline void note_friction(Record& r, const Point* points, F started_1, F started_2) {
    r.step_friction_1 += r.friction_1;
    r.step_friction_2 += r.friction_2;
    if (!r.pushes_a || !r.pushes_b) return;
    const F zero = {};
    F normal_impulse = zero;
    for (unsigned i = 0; i < r.point_count; ++i) normal_impulse += points[i].impulse;
    const F limit = splat<F>(settings::friction_near_limit) * r.friction * normal_impulse;
    const F size2 = r.friction_1 * r.friction_1 + r.friction_2 * r.friction_2;
    const I wavers = (size2 > limit * limit) & (r.tilt_rate <= zero);
    const F kept = wavers ? splat<F>(1.0f - settings::friction_follows) : zero;
    r.friction_1 -= kept * (r.friction_1 - started_1);
    r.friction_2 -= kept * (r.friction_2 - started_2);
}

/// Solves normals and friction again in lanes where a pushing point separates.
///
/// Normals and friction of a contact act on the same velocities. Normals are relaxed against the friction with which
/// the sub-step was warm started. If that was too much, as after a blow, the decrease of friction lifts the points
/// again, and their impulses have added energy: cylinders that land on their rim gained 3% of their energy in the step
/// after the blow.
///
/// `change` is the square of the change of friction, (N s)^2. The inverse mass matrix of a point's rows is positive
/// definite, so friction changes the square of the point's speed by at most change / (mass slide_mass). This excludes
/// most contacts without a test of their points.
template <class Rub>
static inline void settle(Record& r, Point* points, F change, F inverse_substep, const Sides& motion, Sides& v,
                          Rub&& rub) {
    const F zero = {}, lift = splat<F>(settings::settle_lift);
    // Joints and stiff groups find their contacts' impulses themselves.
    I lifted = (r.stiffer_from < splat<F>(3.0e38f)) & (change > lift * lift * points[0].mass * r.slide_mass);
    if (__builtin_expect(all(~lifted), 1)) return;
    for (int sweep = 0; sweep < settings::settle_sweeps; ++sweep) {
        I moves_off = {};
        for (unsigned i = 0; i < r.point_count; ++i)
            moves_off |= (points[i].impulse > zero) & (normal_speed(r.normal, points[i], v) > lift);
        lifted &= moves_off;
        if (__builtin_expect(all(~lifted), 1)) return;
        const Push push(r);
        for (unsigned i = 0; i < r.point_count; ++i) {
            Point& p = points[i];
            const F s = p.separation + normal_speed(r.normal, p, motion);
            const F speed = normal_speed(r.normal, p, v) + max(s, zero) * inverse_substep;
            const F more = lifted ? max(-p.mass * speed, -p.impulse) : zero;
            apply_normal(push, p, more, v);
            p.impulse += more;
        }
        rub(lifted);
    }
}

static inline V3 rotated(const Rows& q, const V3& v) {
    const V3 u = xyz(q), t = splat<F>(2.0f) * cross(u, v);
    return v + q.w * t + cross(u, t);
}

/// Returns a unit vector perpendicular to n: its cross product with the coordinate axis along which n is smallest,
/// normalised.
static inline V3 any_perpendicular(const V3& n) {
    const F zero = {}, one = splat<F>(1.0f);
    const F x = max(n.x, -n.x), y = max(n.y, -n.y), z = max(n.z, -n.z);
    const I along_x = (x <= y) & (x <= z), along_y = ~along_x & (y <= z);
    const V3 axis = {along_x ? one : zero, along_y ? one : zero, (along_x | along_y) ? zero : one};
    const V3 p = cross(n, axis);
    return (one / sqrt_lanes(dot(p, p))) * p;
}

/// Sets the inverse of the 2x2 matrix of the tangential rows at the manifold's centre, and the effective mass of the
/// twist row.
static inline void put_friction_masses(Record& r) {
    const V3 t1 = r.tangent, t2 = cross(r.normal, t1);
    const V3 a1 = cross(r.center_a, t1), a2 = cross(r.center_a, t2), b1 = cross(r.center_b, t1),
             b2 = cross(r.center_b, t2);
    const V3 inverse_mass = r.inverse_mass_a + r.inverse_mass_b;
    const V3 m1 = by_axes(inverse_mass, t1), ia1 = r.inertia_a * a1, ib1 = r.inertia_b * b1;
    const F k11 = dot(t1, m1) + dot(a1, ia1) + dot(b1, ib1);
    const F k22 = dot(t2, by_axes(inverse_mass, t2)) + dot(a2, r.inertia_a * a2) + dot(b2, r.inertia_b * b2);
    const F k12 = dot(t2, m1) + dot(a2, ia1) + dot(b2, ib1);
    const F half = splat<F>(0.5f), half_gap = half * (k11 - k22);
    const F largest = half * (k11 + k22) + sqrt_lanes(half_gap * half_gap + k12 * k12);  // the larger eigenvalue
    // If locks leave the bodies one direction of motion in the contact's plane, the matrix has no inverse, and its
    // determinant is 0 or rounding. An impulse along that direction stops the slip: K / largest^2 is the pseudoinverse.
    const F determinant = k11 * k22 - k12 * k12, largest2 = largest * largest;
    const I regular = determinant > splat<F>(1e-6f) * largest2;
    // If they leave none, because both bodies move along the normal only, K is the rounding of the normal.
    const F most = max(max(inverse_mass.x, inverse_mass.y), inverse_mass.z);
    const I gives = largest > splat<F>(1e-12f) * most;
    const F inverse = gives ? inverse_or_zero(regular ? determinant : largest2) : splat<F>(0.0f);
    r.friction_mass_11 = (regular ? k22 : k11) * inverse;
    r.friction_mass_22 = (regular ? k11 : k22) * inverse;
    r.friction_mass_12 = (regular ? -k12 : k12) * inverse;
    r.slide_mass = gives ? inverse_or_zero(largest) : splat<F>(0.0f);
    const V3 twist_a = r.inertia_a * r.normal, twist_b = r.inertia_b * r.normal;
    r.twist_slip_1 = dot(a1, twist_a) + dot(b1, twist_b);
    r.twist_slip_2 = dot(a2, twist_a) + dot(b2, twist_b);
    r.twist_mass = inverse_or_zero(dot(r.normal, twist_a) + dot(r.normal, twist_b));
}

/// A contact without bodies, for unused lanes.
constexpr double no_place[4] = {0, 0, 0, 0};
constexpr float no_rotation[4] = {0, 0, 0, 1};
constexpr float no_normal[4] = {0, 1, 0, 0};
constexpr float no_points[8 * 4] = {};
constexpr float no_state[12] = {};
constexpr ContactSource no_contact = {0,           0,           0,         no_place,  no_place, no_place, no_place,
                                      no_rotation, no_rotation, no_normal, no_points, no_state, 0,        nullptr};
constexpr float no_motion[16] = {};  ///< a LeverMotion

struct Mass {
    V3 inverse_mass, gravity;
    S3 inertia;
    F least_response;
};

static inline Mass gather(const SolverMass* masses, const unsigned* index) {
    const auto row = [&](int k) {
        return load_rows([&](int i) { return reinterpret_cast<const float*>(masses + index[i]) + 4 * k; });
    };
    const Rows r0 = row(0), r1 = row(1), r2 = row(2), r3 = row(3);
    return {xyz(r1), {r3.y, r3.z, r3.w}, {r1.w, r2.x, r2.y, r2.z, r2.w, r3.x}, r0.x};
}

/// How the levers and the normals of the lanes move (lever_motion.h).
struct LeverMotions {
    bool any;
    I lanes;  ///< those that move
    V3 turn, shift_a, shift_b, tilt;
};

static inline LeverMotions gather_lever_motions(const ContactSource* const* lanes) {
    LeverMotions m = {};
    const float* motions[width];
    for (int i = 0; i < width; ++i) {
        const float* const of_lane = lanes[i]->lever_motion;
        m.any = m.any || of_lane != nullptr;
        m.lanes[i] = of_lane != nullptr ? -1 : 0;
        motions[i] = of_lane != nullptr ? of_lane : no_motion;
    }
    if (!m.any) return m;
    const auto row = [&](int k) { return load_rows([&](int i) { return motions[i] + 4 * k; }); };
    m.turn = xyz(row(0));
    m.shift_a = xyz(row(1));
    m.shift_b = xyz(row(2));
    m.tilt = xyz(row(3));
    return m;
}

static void prepare(void* record, void* point_lanes, const ContactSource* sources, unsigned used,
                    const SolverMass* masses) {
    Record& r = *static_cast<Record*>(record);
    Point* points = static_cast<Point*>(point_lanes);
    const F zero = {}, half = splat<F>(0.5f);
    const ContactSource* lanes[width];
    I count;
    for (int i = 0; i < width; ++i) {
        const ContactSource& s = static_cast<unsigned>(i) < used ? sources[i] : no_contact;
        lanes[i] = &s;
        r.a[i] = s.a;
        r.b[i] = s.b;
        r.contact[i] = s.contact;
        count[i] = static_cast<int>(s.count);
    }
    const Mass a = gather(masses, r.a), b = gather(masses, r.b);
    const Rows turn_a = load_rows([&](int i) { return lanes[i]->rotation_a; });
    const Rows turn_b = load_rows([&](int i) { return lanes[i]->rotation_b; });
    V3 n = rotated(turn_a, xyz(load_rows([&](int i) { return lanes[i]->normal; })));
    const LeverMotions motion = gather_lever_motions(lanes);
    if (motion.any) {
        const V3 tilted = n + motion.tilt;
        n = chosen(motion.lanes, (splat<F>(1.0f) / sqrt_lanes(dot(tilted, tilted))) * tilted, n);
    }
    r.normal = n;
    r.inverse_mass_a = a.inverse_mass;
    r.inverse_mass_b = b.inverse_mass;
    r.inertia_a = a.inertia;
    r.inertia_b = b.inertia;
    r.gravity = dot(n, b.gravity - a.gravity);
    const Rows impulses = load_rows([&](int i) { return lanes[i]->state; });
    const Rows surface = load_rows([&](int i) { return lanes[i]->state + 4; });
    const Rows friction = load_rows([&](int i) { return lanes[i]->state + 8; });
    r.friction = min(surface.x, splat<F>(settings::largest_friction));
    r.restitution = surface.y;
    r.slop = friction.w;
    const F impulse_of[4] = {impulses.x, impulses.y, impulses.z, impulses.w};

    const V3 to_shape_a = xyz(load_rows([&](int i) { return difference(lanes[i]->place_a, lanes[i]->center_a); }));
    const V3 to_shape_b = xyz(load_rows([&](int i) { return difference(lanes[i]->place_b, lanes[i]->center_b); }));
    const V3 apart = xyz(load_rows([&](int i) { return difference(lanes[i]->center_b, lanes[i]->center_a); }));
    const V3 inverse_mass = a.inverse_mass + b.inverse_mass;
    const F linear = dot(n, by_axes(inverse_mass, n));
    const bool any_locked = !all(~((a.least_response > zero) | (b.least_response > zero)));
    F carried = zero;
    V3 arm_a[4], middle_a = {}, middle_b = {};
    for (unsigned i = 0; i < r.point_count; ++i) {
        Point& p = points[i];
        const I real = count > static_cast<int>(i);
        const Rows low = load_rows([&](int k) { return lanes[k]->points + 8 * i; });
        const Rows high = load_rows([&](int k) { return lanes[k]->points + 8 * i + 4; });
        const V3 from_a = to_shape_a + rotated(turn_a, {low.x, low.y, low.z});
        const V3 from_b = to_shape_b + rotated(turn_b, {low.w, high.x, high.y});
        // The point midway between the two surfaces, relative to either body's centre.
        V3 ra = chosen(real, half * (from_a + from_b + apart), V3{}),
           rb = chosen(real, half * (from_a + from_b - apart), V3{});
        if (motion.any) {
            const V3 by = cross(motion.turn, ra);
            ra = chosen(motion.lanes & real, ra + (by + motion.shift_a), ra);
            rb = chosen(motion.lanes & real, rb + (by + motion.shift_b), rb);
        }
        arm_a[i] = ra;
        middle_a = middle_a + ra;
        middle_b = middle_b + rb;
        p.angular_a = cross(ra, n);
        p.angular_b = cross(rb, n);
        p.turn_a = a.inertia * p.angular_a;
        p.turn_b = b.inertia * p.angular_b;
        p.separation = real ? high.z : zero;
        F response = linear + dot(p.angular_a, p.turn_a) + dot(p.angular_b, p.turn_b);
        if (any_locked) {
            const F of_a = dot(n, by_axes(a.inverse_mass, n)) + dot(p.angular_a, p.turn_a);
            const F of_b = dot(n, by_axes(b.inverse_mass, n)) + dot(p.angular_b, p.turn_b);
            // If one of the two yields, the other's smallest response counts as well: the impulse moves both of them.
            const I yields = (of_a > a.least_response) | (of_b > b.least_response);
            response = yields ? response : zero;
        }
        p.mass = real ? inverse_or_zero(response) : zero;
        const I near = high.z <= splat<F>(settings::most_carried_gap);
        p.impulse = (real & near & (response > zero)) ? impulse_of[i] : zero;
        carried = carried + p.impulse;
        p.step_impulse = zero;
        p.bounce = zero;
    }
    const F share = inverse_or_zero(__builtin_convertvector(count, F));
    r.center_a = share * middle_a;
    r.center_b = share * middle_b;
    for (unsigned i = 0; i < r.point_count; ++i) {
        const V3 arm = arm_a[i] - r.center_a;
        points[i].arm = sqrt_lanes(dot(arm, arm)) + surface.z;
    }
    r.tangent = any_perpendicular(n);
    put_friction_masses(r);
    r.friction_1 = carried > zero ? dot(xyz(friction), r.tangent) : zero;
    r.friction_2 = carried > zero ? dot(xyz(friction), cross(n, r.tangent)) : zero;
    r.step_friction_1 = r.step_friction_2 = zero;
    r.twist = carried > zero ? surface.w : zero;
}

/// Returns the inverse of a positive definite matrix by cofactors, or zeros if there is none. The matrix is first
/// divided by its trace, because products of its elements may exceed the range of floats: the inverse inertia of a ball
/// of 0.1 mm has a cube that is too large.
static inline S3 inverse(const S3& a) {
    const F k = inverse_or_zero(a.xx + a.yy + a.zz);
    const S3 m = {k * a.xx, k * a.yy, k * a.zz, k * a.xy, k * a.xz, k * a.yz};
    const F xx = m.yy * m.zz - m.yz * m.yz, xy = m.xz * m.yz - m.xy * m.zz, xz = m.xy * m.yz - m.xz * m.yy;
    const F s = k * inverse_or_zero(m.xx * xx + m.xy * xy + m.xz * xz);
    return {s * xx, s * (m.xx * m.zz - m.xz * m.xz), s * (m.xx * m.yy - m.xy * m.xy), s * xy,
            s * xz, s * (m.xy * m.xz - m.xx * m.yz)};
}

static void prepare_surface(void* record, void* surface_lanes, const float* sources, unsigned used) {
    Record& r = *static_cast<Record*>(record);
    Surface& s = *static_cast<Surface*>(surface_lanes);
    constexpr float plain[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0};
    const auto row = [&](int k) {
        return load_rows([&](int i) { return (static_cast<unsigned>(i) < used ? sources + 16 * i : plain) + 4 * k; });
    };
    s.velocity = xyz(row(0));
    // The tangent is the grip axis, projected on the contact's plane. If the projection is too short, the tangent stays
    // as it is.
    const V3 wished = xyz(row(1)), flat = wished - dot(r.normal, wished) * r.normal;
    const F size2 = dot(flat, flat), one = splat<F>(1.0f);
    const I good = size2 > splat<F>(1e-6f);
    const V3 friction = r.friction_1 * r.tangent + r.friction_2 * cross(r.normal, r.tangent);
    r.tangent = chosen(good, (one / sqrt_lanes(good ? size2 : one)) * flat, r.tangent);
    put_friction_masses(r);
    r.friction_1 = dot(friction, r.tangent);
    r.friction_2 = dot(friction, cross(r.normal, r.tangent));
    s.rolling = xyz(row(2));
    const Rows grip = row(3);
    s.grip_1 = grip.x;
    s.grip_2 = grip.y;
    s.rolling_arm = min(grip.z, splat<F>(settings::largest_friction));
    s.rolling_mass = inverse(r.inertia_a + r.inertia_b);
}

/// Calls visit(record, its points, its surface or null) for each record.
template <class Visit>
static inline void for_each_record(const ContactPassInput& in, Visit&& visit) {
    Record* const records = static_cast<Record*>(in.records);
    for (unsigned i = 0; i < in.count; ++i) {
        Record& r = records[i];
        visit(r, static_cast<Point*>(in.points) + r.first_point,
              r.surface == no_surface ? nullptr : static_cast<Surface*>(in.surfaces) + r.surface);
    }
}

static void warm_start(const ContactPassInput& in) {
    for_each_record(in, [&](Record& r, Point* points, Surface* surface) {
        Sides v = gather<Part::velocity>(r, in.bodies);
        V3 moment = r.twist * r.normal;
        if (surface != nullptr) moment = moment + surface->rolling;
        const V3 friction = r.friction_1 * r.tangent + r.friction_2 * cross(r.normal, r.tangent);
        apply_friction(r, friction, moment, v);
        const Push push(r);
        for (unsigned i = 0; i < r.point_count; ++i) apply_normal(push, points[i], points[i].impulse, v);
        scatter(r, in.bodies, v);
    });
}

static void solve(const ContactPassInput& in) {
    const F inverse_substep = splat<F>(1.0f / in.substep);
    for_each_record(in, [&](Record& r, Point* points, Surface*) {
        Sides v = gather<Part::velocity>(r, in.bodies);
        solve_normals<true>(r, points, inverse_substep, splat<F>(in.least_blow), gather<Part::motion>(r, in.bodies), v);
        scatter(r, in.bodies, v);
    });
}

/// Ends a sub-step for these lanes: adds their impulses to the sums of the step, and reduces them to the impulses with
/// which the next sub-step is warm started. `load_of` returns that part of a point's normal impulse, unless
/// `keeps_all`; friction and twist keep the same share. Lanes whose contacts were tested again in this sub-step keep
/// nothing (r.kept).
///
/// A record may hold contacts with and without restitution. Each lane must get the same result in any record, because
/// the number of threads decides which contacts share a record.
template <class LoadOf>
static inline void end_lanes(Record& r, Point* points, Surface* surface, I lanes, bool keeps_all, LoadOf&& load_of) {
    const F zero = {}, one = splat<F>(1.0f);
    for (unsigned i = 0; i < r.point_count; ++i) points[i].step_impulse += lanes ? points[i].impulse : zero;
    if (!keeps_all) {
        F all_of_it = zero, kept = zero;
        for (unsigned i = 0; i < r.point_count; ++i) {
            Point& p = points[i];
            const F load = lanes ? load_of(p) : p.impulse;
            all_of_it += p.impulse;
            kept += load;
            p.impulse = load;
        }
        const F share = kept < all_of_it ? kept / (all_of_it > zero ? all_of_it : one) : one;
        r.friction_1 *= share;
        r.friction_2 *= share;
        r.twist *= share;
        if (surface != nullptr) surface->rolling = share * surface->rolling;
    }
    if (!r.forgets) return;
    const F part = lanes ? r.kept : one;
    for (unsigned i = 0; i < r.point_count; ++i) points[i].impulse *= part;
    r.friction_1 *= part;
    r.friction_2 *= part;
    r.twist *= part;
}

static void relax(const ContactPassInput& in) {
    const F inverse_substep = splat<F>(1.0f / in.substep);
    for_each_record(in, [&](Record& r, Point* points, Surface* surface) {
        Sides v = gather<Part::velocity>(r, in.bodies);
        const Sides motion = gather<Part::motion>(r, in.bodies);
        solve_normals<false>(r, points, inverse_substep, splat<F>(in.least_blow), motion, v);
        // Friction comes last: after the soft rows alone, normal impulses are too small for its limit.
        const auto rub = [&](I lanes) {
            if (surface == nullptr) {
                solve_friction<false>(r, nullptr, points, lanes, v);
            } else {
                solve_friction<true>(r, surface, points, lanes, v);
            }
        };
        const F started_1 = r.friction_1, started_2 = r.friction_2;
        rub(~I{});
        const F change_1 = r.friction_1 - started_1, change_2 = r.friction_2 - started_2;
        settle(r, points, change_1 * change_1 + change_2 * change_2, inverse_substep, motion, v, rub);
        note_friction(r, points, started_1, started_2);
        // The impulse of a blow is reduced to the load.
        const auto load_of = [](const Point& p) { return min(p.impulse, -p.bounce); };
        end_lanes(r, points, surface, r.bounces ? r.restitution <= F{} : ~I{}, !r.struck, load_of);
        scatter(r, in.bodies, v);
    });
}

// Restitution.
//
// Gravity of this sub-step is already in the velocities that begin_restitution reads. Semi-implicit Euler conserves (v
// - g h / 2)^2 / 2 + g s, where g is the acceleration towards contact. This gives the exact speed at s = 0: before the
// bounce in begin_restitution(), after it in bounce(). So a ball with restitution 1 keeps its height at whatever part
// of the sub-step the impact happens.
//
// If several contacts bounce at once, Newton's law v+ = -e v- for all of them together conserves energy. It takes
// several passes of bounce(). For a contact that was at rest and is only now hit by the bounce of a neighbour, that law
// gives v+ = 0. Applied to a row of balls, the blow would be shared out, and the ball that gave it would rebound. The
// real process conserves energy too: one impact after the other. The relax pass has stopped such a contact as if there
// were no restitution. bounce() reduces that impulse to the load that rested there before, and the contact bounces in
// the next sub-step. For e up to 0.5 the whole impulse is kept instead; above that (2 - 2e)^2 of it. The less of a blow
// is passed on, the better the contacts of falling heaps hold.
//
// A contact with a load passes on only blows faster than the least bounce, so that heaps come to rest. A contact
// without a load passes on each blow whose speed is more than rounding, because the next balls of a row lose what is
// shared out there.

static void begin_restitution(const ContactPassInput& in) {
    const F zero = {}, half_substep = splat<F>(0.5f * in.substep), threshold = splat<F>(in.least_bounce);
    for_each_record(in, [&](Record& r, Point* points, Surface*) {
        if (!r.bounces) return;
        const Sides v = gather<Part::velocity>(r, in.bodies), motion = gather<Part::motion>(r, in.bodies);
        for (unsigned i = 0; i < r.point_count; ++i) {
            Point& p = points[i];
            const F speed = normal_speed(r.normal, p, v);
            const F s = p.separation + normal_speed(r.normal, p, motion);
            const F true_speed = speed - half_substep * r.gravity;
            const F squared = max(true_speed * true_speed - (s + s) * r.gravity, zero);
            const I hits = (speed < -threshold) & (r.restitution > zero);
            p.bounce = hits ? r.restitution * sqrt_lanes(squared) : -(p.impulse + p.mass * max(-speed, zero));
        }
    });
}

/// Reduces the friction of lanes whose normal impulses were reduced, from `had` to `left`, by the same factor. Friction
/// without a load would add energy.
static inline void keep_friction(Record& r, Surface* surface, I taken_back, F had, F left, Sides& v) {
    const F one = splat<F>(1.0f);
    const F kept = taken_back ? min(left * inverse_or_zero(had), one) : one, less = kept - one;
    V3 moment = (less * r.twist) * r.normal;
    if (surface != nullptr) moment = moment + less * surface->rolling;
    const F less_1 = less * r.friction_1, less_2 = less * r.friction_2;
    apply_friction(r, less_1 * r.tangent + less_2 * cross(r.normal, r.tangent), moment, v);
    r.friction_1 += less_1;
    r.friction_2 += less_2;
    r.step_friction_1 += less_1;
    r.step_friction_2 += less_2;
    r.twist *= kept;
    if (surface != nullptr) surface->rolling = kept * surface->rolling;
}

static bool bounce(const ContactPassInput& in) {
    const F zero = {}, one = splat<F>(1.0f), two = splat<F>(2.0f);
    const F half_substep = splat<F>(0.5f * in.substep), threshold = splat<F>(in.least_bounce);
    I changed = {};
    for_each_record(in, [&](Record& r, Point* points, Surface* surface) {
        if (!r.bounces) return;
        Sides v = gather<Part::velocity>(r, in.bodies);
        const Sides motion = gather<Part::motion>(r, in.bodies);
        const Push push(r);
        I taken_back = {};
        F had = zero, left = zero;
        for (unsigned i = 0; i < r.point_count; ++i) {
            Point& p = points[i];
            const F s = p.separation + normal_speed(r.normal, p, motion), speed = normal_speed(r.normal, p, v);
            const I bounces = (p.bounce > zero) & (p.impulse > zero);
            const F after = sqrt_lanes(max(p.bounce * p.bounce + (s + s) * r.gravity, zero)) - half_substep * r.gravity;
            const F loss = two - two * r.restitution, kept = min(loss * loss, one);
            const I unloaded = -p.bounce < splat<F>(settings::knock_load) * threshold * p.mass;
            const F least = unloaded ? threshold * clamp(loss, splat<F>(settings::knock_share), one) : threshold;
            const I knocked =
                (p.bounce <= zero) & (max(speed, -speed) > least) & (p.impulse > -p.bounce) & (r.restitution > zero);
            const F load = kept * p.impulse - (one - kept) * p.bounce;
            p.bounce = knocked ? -load : p.bounce;
            const F impulse = bounces ? max(p.impulse + p.mass * (after - speed), zero) : knocked ? load : p.impulse;
            apply_normal(push, p, impulse - p.impulse, v);
            changed |= impulse != p.impulse;
            taken_back |= knocked;
            had += p.impulse;
            left += impulse;
            p.impulse = impulse;
        }
        if (__builtin_expect(!all(~taken_back), 0)) keep_friction(r, surface, taken_back, had, left, v);
        scatter(r, in.bodies, v);
    });
    return !all(~changed);
}

/// Removes the impulses of bounces before the next warm start, which would push with them twice.
static void end_restitution(const ContactPassInput& in) {
    for_each_record(in, [&](Record& r, Point* points, Surface* surface) {
        if (!r.bounces) return;
        const auto load_of = [](const Point& p) { return p.bounce > F{} ? F{} : p.impulse; };
        end_lanes(r, points, surface, r.restitution > F{}, false, load_of);
    });
}

static void find_struck_after_sliding(const ContactPassInput& in, unsigned* lanes) {
    const F zero = {}, substep = splat<F>(in.substep), blow = splat<F>(-settings::strike_rate * in.substep);
    for_each_record(in, [&](const Record& r, const Point* points, const Surface*) {
        unsigned& struck_lanes = *lanes++;
        struck_lanes = 0;
        if (!r.slides) return;
        const Sides motion = gather<Part::motion>(r, in.bodies);
        const V3 way = motion.b.linear + cross(motion.b.angular, r.center_b) - motion.a.linear -
                       cross(motion.a.angular, r.center_a);
        const V3 along = way - dot(r.normal, way) * r.normal;
        const I aside = (r.slide_limit > zero) & ~(dot(along, along) <= r.slide_limit * r.slide_limit);
        if (all(~aside)) return;
        const Sides v = gather<Part::velocity>(r, in.bodies);
        const F fall = min(substep * r.gravity, zero);
        // The error is the product of the error of the lever (the displacement) and the impulse (proportional to the
        // speed).
        const F least = blow * splat<F>(settings::stale_strike) * r.slide_limit, least2 = least * least;
        I struck = {};
        for (unsigned i = 0; i < r.point_count; ++i) {
            const Point& p = points[i];
            const F speed = normal_speed(r.normal, p, v) + fall;
            const F separation = p.separation + normal_speed(r.normal, p, motion);
            struck |= (p.mass > zero) & (speed < blow) & (separation + substep * speed < zero) &
                      (speed * speed * dot(along, along) > least2);
        }
        struck_lanes = lane_bits(aside & struck);
    });
}

static void store(const ContactPassInput& in, const ContactTargets& out) {
    // Whether a lane holds +0 or -0 depends on the contacts in the other lanes, and so on the number of threads. Adding 0
    // makes both +0, so that a saved world has the same bytes on any number of threads.
    const F zero = {};
    for_each_record(in, [&](const Record& r, const Point* points, const Surface*) {
        F impulses[4] = {}, step_impulses[4] = {};
        for (unsigned i = 0; i < r.point_count; ++i) {
            impulses[i] = points[i].impulse + zero;
            step_impulses[i] = points[i].step_impulse + zero;
        }
        const V3 tangent_2 = cross(r.normal, r.tangent);
        const V3 friction = r.friction_1 * r.tangent + r.friction_2 * tangent_2;
        const V3 step_friction = r.step_friction_1 * r.tangent + r.step_friction_2 * tangent_2;
        F4 impulse_rows[width], step_rows[width], friction_rows[width], step_friction_rows[width];
        store_rows(impulse_rows, {impulses[0], impulses[1], impulses[2], impulses[3]});
        store_rows(step_rows, {step_impulses[0], step_impulses[1], step_impulses[2], step_impulses[3]});
        store_rows(friction_rows, {r.twist + zero, friction.x + zero, friction.y + zero, friction.z + zero});
        store_rows(step_friction_rows, {step_friction.x + zero, step_friction.y + zero, step_friction.z + zero, zero});
        for (unsigned i = 0; i < r.used; ++i) {
            const __UINTPTR_TYPE__ contact = r.contact[i];
            const __UINTPTR_TYPE__ state = out.starts[contact >> out.page_bits] + out.stride * contact;
            const auto at = [&](unsigned offset) { return reinterpret_cast<float*>(state + offset); };
            store_row(at(out.impulses), impulse_rows[i]);
            store_row(at(out.step_impulses), step_rows[i]);
            store_row(at(out.twist_and_friction), friction_rows[i]);
            __builtin_memcpy(at(out.step_friction), &step_friction_rows[i], 3 * sizeof(float));
        }
    });
}

}  // namespace talus::TALUS_LANES
