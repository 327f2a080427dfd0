#include <talus/engine/contact_solver.h>

#include <talus/engine/settings.h>

#include <algorithm>

namespace talus {

namespace {

using F = Float4;
using Record = ContactLanes<F>;
using Point = ContactPointLanes<F>;
using V3 = Vec3Lanes<F>;
constexpr int width = lane_count<F>;
constexpr float pi = 3.14159265358979f;

/// Writes one lane of a wide field.
void put(F& field, int lane, float value) { field[lane] = value; }

void put(V3& field, int lane, const vec3& v) {
    field.x[lane] = v.x;
    field.y[lane] = v.y;
    field.z[lane] = v.z;
}

mat3 symmetric(const float* m) { return mat3(m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]); }

/// Implicit spring-damper of `hertz` and damping ratio as factors of a velocity constraint over a sub-step of h seconds
/// (Catto 2014): bias velocity = bias_rate * s, effective mass times mass_scale, accumulated impulse times impulse_scale.
ContactSolver::Softness softness(float hertz, float damping_ratio, float h) {
    const float omega = 2.0f * pi * hertz;
    const float a1 = 2.0f * damping_ratio + h * omega;
    const float a2 = h * omega * a1;
    const float a3 = 1.0f / (1.0f + a2);
    return {omega / a1, a2 * a3, a3};
}

/// Carries the impulses of points whose feature pair was there in the last step over to the new manifold.
void match_impulses(ContactState& state, const Manifold& manifold) {
    float carried[max_manifold_points] = {};
    for (int i = 0; i < manifold.count; ++i) {
        for (int k = 0; k < state.point_count; ++k) {
            if (state.ids[k] == manifold.points[i].id) carried[i] = state.impulses[k];
        }
    }
    for (int i = 0; i < manifold.count; ++i) {
        state.impulses[i] = carried[i];
        state.ids[i] = manifold.points[i].id;
    }
    state.point_count = manifold.count;
}

/// Velocity of b relative to a along the point's normal row.
F normal_speed(const V3& n, const Point& p, const VelocityLanes<F>& a, const VelocityLanes<F>& b) {
    return dot(n, b.linear - a.linear) + dot(p.angular_b, b.angular) - dot(p.angular_a, a.angular);
}

void apply_normal(const Record& r, const Point& p, F impulse, VelocityLanes<F>& a, VelocityLanes<F>& b) {
    a.linear = a.linear - (impulse * r.inverse_mass_a) * r.normal;
    a.angular = a.angular - impulse * p.turn_a;
    b.linear = b.linear + (impulse * r.inverse_mass_b) * r.normal;
    b.angular = b.angular + impulse * p.turn_b;
}

/// A tangential impulse (world vector) at the manifold's centre and a twist about the normal.
void apply_friction(const Record& r, const V3& impulse, F twist, VelocityLanes<F>& a, VelocityLanes<F>& b) {
    const V3 spin = twist * r.normal;
    a.linear = a.linear - r.inverse_mass_a * impulse;
    a.angular = a.angular - r.inertia_a * (cross(r.center_a, impulse) + spin);
    b.linear = b.linear + r.inverse_mass_b * impulse;
    b.angular = b.angular + r.inertia_b * (cross(r.center_b, impulse) + spin);
}

/// The normal rows of one record. With `soft`, overlap is worked off as a spring; without, only approach is stopped.
template <bool soft>
void solve_normals(const Record& r, Point* points, const ContactSolver::Softness& softness, F inverse_substep,
                   const VelocityLanes<F>& motion_a, const VelocityLanes<F>& motion_b, VelocityLanes<F>& a,
                   VelocityLanes<F>& b) {
    const F zero = {};
    for (std::uint32_t i = 0; i < r.point_count; ++i) {
        Point& p = points[i];
        const F s = p.separation + normal_speed(r.normal, p, motion_a, motion_b);
        const auto apart = s > zero;
        F bias, mass_scale = splat<F>(1.0f), impulse_scale = zero;
        if constexpr (soft) {
            const F push = max(softness.bias_rate * min(s + r.slop, zero), splat<F>(-settings::max_push_speed));
            bias = apart ? s * inverse_substep : push;
            mass_scale = apart ? mass_scale : splat<F>(softness.mass_scale);
            impulse_scale = apart ? zero : splat<F>(softness.impulse_scale);
        } else {
            bias = apart ? s * inverse_substep : zero;
        }
        const F speed = normal_speed(r.normal, p, a, b);
        const F wanted = p.impulse - p.mass * mass_scale * (speed + bias) - impulse_scale * p.impulse;
        const F impulse = max(wanted, zero);
        apply_normal(r, p, impulse - p.impulse, a, b);
        p.impulse = impulse;
    }
}

/// Tangential rows as one: the 2D impulse is projected on the friction disc, so that no direction is favoured.
/// The centre's levers are turned to where they are by now, with the body whose face makes the contact: on a turntable, the slip of
/// one step's turn matters; below a ball or a top, the contact does not turn with it.
void solve_friction(Record& r, const Point* points, const VelocityLanes<F>& motion_a, const VelocityLanes<F>& motion_b,
                    VelocityLanes<F>& a, VelocityLanes<F>& b) {
    const F zero = {};
    F normal_impulse = zero, twist_arm = zero;
    for (std::uint32_t i = 0; i < r.point_count; ++i) {
        normal_impulse += points[i].impulse;
        twist_arm += points[i].impulse * points[i].arm;
    }
    const V3 tangent_2 = cross(r.normal, r.tangent);
    const V3 turn = r.turns_with_a * motion_a.angular + r.turns_with_b * motion_b.angular;
    const V3 center_a = r.center_a + cross(turn, r.center_a);
    const V3 center_b = r.center_b + cross(turn, r.center_b);
    const V3 slip = (b.linear + cross(b.angular, center_b)) - (a.linear + cross(a.angular, center_a));
    const F slip_1 = dot(slip, r.tangent), slip_2 = dot(slip, tangent_2);
    const F limit = r.friction * normal_impulse;
    // Sticking: the impulse that stops the slip. Where that exceeds the limit the contact slides, and the 2x2 matrix would turn
    // the answer off the slip's direction; a step along the slip itself, projected on the disc, ends at -limit slip / |slip|.
    F f1 = r.friction_1 - (r.friction_mass_11 * slip_1 + r.friction_mass_12 * slip_2);
    F f2 = r.friction_2 - (r.friction_mass_12 * slip_1 + r.friction_mass_22 * slip_2);
    const auto slides = f1 * f1 + f2 * f2 > limit * limit;
    f1 = slides ? r.friction_1 - r.slide_mass * slip_1 : f1;
    f2 = slides ? r.friction_2 - r.slide_mass * slip_2 : f2;
    const F size2 = f1 * f1 + f2 * f2;
    const auto outside = size2 > limit * limit;
    const F scale = outside ? limit / sqrt_lanes(outside ? size2 : splat<F>(1.0f)) : splat<F>(1.0f);
    f1 *= scale;
    f2 *= scale;

    const F twist_speed = dot(r.normal, b.angular - a.angular);
    const F twist_limit = r.friction * twist_arm;
    const F twist = clamp(r.twist - r.twist_mass * twist_speed, -twist_limit, twist_limit);

    const V3 impulse = (f1 - r.friction_1) * r.tangent + (f2 - r.friction_2) * tangent_2;
    apply_friction(r, impulse, twist - r.twist, a, b);
    r.friction_1 = f1;
    r.friction_2 = f2;
    r.twist = twist;
    r.step_friction_1 += f1;
    r.step_friction_2 += f2;
}

/// Inverse of the 2x2 tangent mass matrix at the manifold's centre, and of the twist row's mass.
void put_friction_masses(Record& r, int lane, const vec3& n, const vec3& t1, const vec3& t2, const vec3& ra,
                         const vec3& rb, const mat3& ia, const mat3& ib, float inverse_mass) {
    const vec3 a1 = glm::cross(ra, t1), a2 = glm::cross(ra, t2), b1 = glm::cross(rb, t1), b2 = glm::cross(rb, t2);
    const float k11 = inverse_mass + glm::dot(a1, ia * a1) + glm::dot(b1, ib * b1);
    const float k22 = inverse_mass + glm::dot(a2, ia * a2) + glm::dot(b2, ib * b2);
    const float k12 = glm::dot(a1, ia * a2) + glm::dot(b1, ib * b2);
    const float determinant = k11 * k22 - k12 * k12;
    const float inverse = determinant > 0.0f ? 1.0f / determinant : 0.0f;
    put(r.friction_mass_11, lane, k22 * inverse);
    put(r.friction_mass_22, lane, k11 * inverse);
    put(r.friction_mass_12, lane, -k12 * inverse);
    const float half_gap = 0.5f * (k11 - k22);
    const float largest = 0.5f * (k11 + k22) + std::sqrt(half_gap * half_gap + k12 * k12);  // eigenvalue
    put(r.slide_mass, lane, largest > 0.0f ? 1.0f / largest : 0.0f);
    const float k_twist = glm::dot(n, ia * n) + glm::dot(n, ib * n);
    put(r.twist_mass, lane, k_twist > 0.0f ? 1.0f / k_twist : 0.0f);
}

void put_inertia(SymmetricLanes<F>& field, int lane, const float* m) {
    field.xx[lane] = m[0], field.yy[lane] = m[1], field.zz[lane] = m[2];
    field.xy[lane] = m[3], field.xz[lane] = m[4], field.yz[lane] = m[5];
}

}  // namespace

void ContactSolver::prepare(const ConstraintGraph& graph, std::span<const ConstraintGraph::Edge> edges,
                            ContactTable& contacts, const Colliders& colliders, std::span<const SolverMass> masses,
                            float substep) {
    substep_ = substep;
    inverse_substep_ = 1.0f / substep;
    const float hertz = std::min(settings::contact_hertz, 0.25f * inverse_substep_);
    soft_ = softness(hertz, settings::contact_damping_ratio, substep);
    soft_immovable_ =
        softness(settings::fixed_contact_stiffening * hertz, settings::contact_damping_ratio, substep);
    records_.clear();
    points_.clear();
    any_bounce_ = false;
    max_penetration_ = 0.0f;
    real_points_ = 0;
    double penetration_sum = 0.0;

    const auto order = graph.order();
    for (const ContactColor& color : graph.colors()) {
        const std::uint32_t step = color.parallel ? width : 1;
        for (std::uint32_t first = 0; first < color.count; first += step) {
            const int used = static_cast<int>(std::min(step, color.count - first));
            Record& r = records_.emplace_back();
            r.first_point = static_cast<std::uint32_t>(points_.size());
            r.point_count = edges[order[color.first + first]].point_count;
            r.soft_pair = !color.immovable;
            points_.resize(points_.size() + r.point_count);
            for (int lane = used; lane < width; ++lane) r.contact[lane] = null_index;

            for (int lane = 0; lane < used; ++lane) {
                const ConstraintGraph::Edge& edge = edges[order[color.first + first + static_cast<std::uint32_t>(lane)]];
                ContactState& state = contacts.states[edge.contact];
                const PairRecord& pair = contacts.records[edge.contact];
                const Manifold& manifold = contacts.caches[edge.contact].manifold;
                match_impulses(state, manifold);
                const SolverMass &ma = masses[edge.a], &mb = masses[edge.b];
                const Transform &pose_a = colliders.poses[pair.a], &pose_b = colliders.poses[pair.b];
                const mat3 ia = symmetric(ma.inverse_inertia), ib = symmetric(mb.inverse_inertia);
                const float inverse_mass = ma.inverse_mass + mb.inverse_mass;
                const vec3 n = rotate(pose_a.rotation, manifold.normal);
                const vec3 center_a = edge.a != 0 ? ma.center : pose_a.position;
                const vec3 center_b = edge.b != 0 ? mb.center : pose_b.position;

                r.a[lane] = edge.a;
                r.b[lane] = edge.b;
                r.contact[lane] = edge.contact;
                put(r.normal, lane, n);
                put(r.inverse_mass_a, lane, ma.inverse_mass);
                put(r.inverse_mass_b, lane, mb.inverse_mass);
                put_inertia(r.inertia_a, lane, ma.inverse_inertia);
                put_inertia(r.inertia_b, lane, mb.inverse_inertia);
                put(r.turns_with_a, lane, manifold.face_owner == FaceOwner::a ? 1.0f : 0.0f);
                put(r.turns_with_b, lane, manifold.face_owner == FaceOwner::b ? 1.0f : 0.0f);
                put(r.slop, lane, std::min(settings::linear_slop, settings::relative_slop * pair.size));
                put(r.friction, lane, state.friction);
                put(r.restitution, lane, state.restitution);
                put(r.gravity, lane, glm::dot(n, mb.gravity - ma.gravity));
                if (state.restitution > 0.0f) r.bounces = any_bounce_ = true;

                vec3 positions[max_manifold_points];
                vec3 middle(0.0f);
                for (int i = 0; i < manifold.count; ++i) {
                    const ManifoldPoint& mp = manifold.points[i];
                    positions[i] =
                        0.5f * (transform_point(pose_a, mp.on_a) + transform_point(pose_b, mp.on_b));
                    middle += positions[i];
                }
                middle *= 1.0f / static_cast<float>(manifold.count);

                for (int i = 0; i < manifold.count; ++i) {
                    Point& p = points_[r.first_point + static_cast<std::uint32_t>(i)];
                    const float separation = manifold.points[i].separation;
                    const vec3 ja = glm::cross(positions[i] - center_a, n), jb = glm::cross(positions[i] - center_b, n);
                    const vec3 ta = ia * ja, tb = ib * jb;
                    const float k = inverse_mass + glm::dot(ja, ta) + glm::dot(jb, tb);
                    put(p.angular_a, lane, ja);
                    put(p.angular_b, lane, jb);
                    put(p.turn_a, lane, ta);
                    put(p.turn_b, lane, tb);
                    put(p.separation, lane, separation);
                    put(p.mass, lane, k > 0.0f ? 1.0f / k : 0.0f);
                    put(p.impulse, lane, state.impulses[i]);
                    const vec3 arm = positions[i] - middle;
                    put(p.arm, lane, std::sqrt(glm::dot(arm, arm)) + state.patch_arm);
                    max_penetration_ = std::max(max_penetration_, -separation);
                    penetration_sum += std::max(0.0f, -separation);
                }
                real_points_ += static_cast<std::uint32_t>(manifold.count);

                const vec3 t1 = any_perpendicular(n), t2 = glm::cross(n, t1);
                const vec3 ra = middle - center_a, rb = middle - center_b;
                put(r.tangent, lane, t1);
                put(r.center_a, lane, ra);
                put(r.center_b, lane, rb);
                put_friction_masses(r, lane, n, t1, t2, ra, rb, ia, ib, inverse_mass);
                put(r.friction_1, lane, glm::dot(state.friction_impulse, t1));
                put(r.friction_2, lane, glm::dot(state.friction_impulse, t2));
                put(r.twist, lane, state.twist_impulse);
            }
        }
    }
    mean_penetration_ =
        real_points_ != 0 ? static_cast<float>(penetration_sum / static_cast<double>(real_points_)) : 0.0f;
    if (any_bounce_) bounce_speed_.assign(points_.size(), F{});
}

void ContactSolver::warm_start(std::span<SolverBody> bodies) {
    for (Record& r : records_) {
        VelocityLanes<F> a = gather_velocities(bodies.data(), r.a), b = gather_velocities(bodies.data(), r.b);
        const V3 friction = r.friction_1 * r.tangent + r.friction_2 * cross(r.normal, r.tangent);
        apply_friction(r, friction, r.twist, a, b);
        for (std::uint32_t i = 0; i < r.point_count; ++i) {
            const Point& p = points_[r.first_point + i];
            apply_normal(r, p, p.impulse, a, b);
        }
        scatter_velocities(bodies.data(), r.a, a);
        scatter_velocities(bodies.data(), r.b, b);
    }
}

void ContactSolver::solve(std::span<SolverBody> bodies) {
    const F inverse_substep = splat<F>(inverse_substep_);
    for (Record& r : records_) {
        VelocityLanes<F> a = gather_velocities(bodies.data(), r.a), b = gather_velocities(bodies.data(), r.b);
        solve_normals<true>(r, &points_[r.first_point], r.soft_pair ? soft_ : soft_immovable_, inverse_substep,
                            gather_motion(bodies.data(), r.a), gather_motion(bodies.data(), r.b), a, b);
        scatter_velocities(bodies.data(), r.a, a);
        scatter_velocities(bodies.data(), r.b, b);
    }
}

void ContactSolver::relax(std::span<SolverBody> bodies) {
    const F inverse_substep = splat<F>(inverse_substep_);
    for (Record& r : records_) {
        VelocityLanes<F> a = gather_velocities(bodies.data(), r.a), b = gather_velocities(bodies.data(), r.b);
        Point* points = &points_[r.first_point];
        const VelocityLanes<F> motion_a = gather_motion(bodies.data(), r.a), motion_b = gather_motion(bodies.data(), r.b);
        solve_normals<false>(r, points, soft_, inverse_substep, motion_a, motion_b, a, b);
        solve_friction(r, points, motion_a, motion_b, a, b);  // last: the soft rows leave too little for its limit
        for (std::uint32_t i = 0; i < r.point_count; ++i) points[i].step_impulse += points[i].impulse;
        scatter_velocities(bodies.data(), r.a, a);
        scatter_velocities(bodies.data(), r.b, b);
    }
}

void ContactSolver::begin_restitution(std::span<const SolverBody> bodies) {
    if (!any_bounce_) return;
    // Velocities come in after gravity was added for this sub-step. Semi-implicit Euler conserves
    // (v - g h / 2)^2 / 2 + g s, with g the acceleration towards contact: that quantity gives the exact speed at s = 0, before
    // the bounce here and after it in end_restitution, so that a ball with restitution 1 keeps its height whatever part of the
    // sub-step the impact falls in.
    const F zero = {};
    const F half_substep = splat<F>(0.5f * substep_);
    const F threshold = splat<F>(-settings::restitution_threshold);
    for (const Record& r : records_) {
        if (!r.bounces) continue;
        const VelocityLanes<F> a = gather_velocities(bodies.data(), r.a), b = gather_velocities(bodies.data(), r.b);
        const VelocityLanes<F> motion_a = gather_motion(bodies.data(), r.a), motion_b = gather_motion(bodies.data(), r.b);
        for (std::uint32_t i = 0; i < r.point_count; ++i) {
            const Point& p = points_[r.first_point + i];
            const F speed = normal_speed(r.normal, p, a, b);
            const F s = p.separation + normal_speed(r.normal, p, motion_a, motion_b);
            const F true_speed = speed - half_substep * r.gravity;
            const F squared = max(true_speed * true_speed - (s + s) * r.gravity, zero);
            const auto hits = (speed < threshold) & (r.restitution > zero);
            bounce_speed_[r.first_point + i] = hits ? r.restitution * sqrt_lanes(squared) : zero;
        }
    }
}

void ContactSolver::end_restitution(std::span<SolverBody> bodies) {
    if (!any_bounce_) return;
    const F zero = {};
    const F half_substep = splat<F>(0.5f * substep_);
    for (Record& r : records_) {
        if (!r.bounces) continue;
        VelocityLanes<F> a = gather_velocities(bodies.data(), r.a), b = gather_velocities(bodies.data(), r.b);
        const VelocityLanes<F> motion_a = gather_motion(bodies.data(), r.a), motion_b = gather_motion(bodies.data(), r.b);
        for (std::uint32_t i = 0; i < r.point_count; ++i) {
            Point& p = points_[r.first_point + i];
            const F bounce = bounce_speed_[r.first_point + i];
            const auto hit = (bounce > zero) & (p.impulse > zero);
            const F s = p.separation + normal_speed(r.normal, p, motion_a, motion_b);
            const F wanted = sqrt_lanes(max(bounce * bounce + (s + s) * r.gravity, zero)) - half_substep * r.gravity;
            const F speed = normal_speed(r.normal, p, a, b);
            const F impulse = hit ? max(p.mass * (wanted - speed), -p.impulse) : zero;
            apply_normal(r, p, impulse, a, b);
            p.step_impulse += impulse;
            // A bounce is no resting load: warm starting the next sub-step with it would push twice.
            p.impulse = hit ? zero : p.impulse;
        }
        scatter_velocities(bodies.data(), r.a, a);
        scatter_velocities(bodies.data(), r.b, b);
    }
}

void ContactSolver::store(ContactTable& contacts) const {
    for (const Record& r : records_) {
        const V3 tangent_2 = cross(r.normal, r.tangent);
        const V3 friction = r.friction_1 * r.tangent + r.friction_2 * tangent_2;
        const V3 step_friction = r.step_friction_1 * r.tangent + r.step_friction_2 * tangent_2;
        for (int lane = 0; lane < width; ++lane) {
            if (r.contact[lane] == null_index) continue;
            ContactState& state = contacts.states[r.contact[lane]];
            for (int i = 0; i < state.point_count; ++i) {
                const Point& p = points_[r.first_point + static_cast<std::uint32_t>(i)];
                state.impulses[i] = p.impulse[lane];
                state.step_impulses[i] = p.step_impulse[lane];
            }
            state.friction_impulse = vec3(friction.x[lane], friction.y[lane], friction.z[lane]);
            state.step_friction_impulse = vec3(step_friction.x[lane], step_friction.y[lane], step_friction.z[lane]);
            state.twist_impulse = r.twist[lane];
        }
    }
}

std::size_t ContactSolver::bytes() const {
    return records_.capacity() * sizeof(Record) + points_.capacity() * sizeof(Point) +
           bounce_speed_.capacity() * sizeof(F);
}

}  // namespace talus
