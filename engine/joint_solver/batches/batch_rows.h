#pragma once
/// Internal: the numbers of rows at the present poses, and the residuals of their equations, in lanes. The files in
/// rows/ do the same for one articulation and say why.

#include "engine/bodies/middle_spin.h"
#include "engine/joint_solver/batches/batch_geometry.h"
#include "engine/joint_solver/batches/batch_matrix.h"

namespace talus::TALUS_LANES {

constexpr double infinite = __builtin_huge_val();

typedef float F4 __attribute__((vector_size(16)));
typedef float F __attribute__((vector_size(4 * lane_count)));  // one number per lane

/// Returns four lanes, from `first` on.
TALUS_INLINE F4 four_of(const F& v, unsigned first) {
    F4 four;
    __builtin_memcpy(&four, reinterpret_cast<const char*>(&v) + 4 * first, sizeof(F4));
    return four;
}
TALUS_INLINE void set_four(F& v, unsigned first, const F4& four) {
    __builtin_memcpy(reinterpret_cast<char*>(&v) + 4 * first, &four, sizeof(F4));
}

TALUS_INLINE void transpose(F4& a, F4& b, F4& c, F4& d) {
    const F4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const F4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

/// Reads a vector of each lane's body; at(lane) returns the address of its four floats.
template <class At>
TALUS_INLINE V3 gather(At&& at) {
    F x, y, z;
    for (unsigned first = 0; first < lane_count; first += 4) {
        F4 rows[4];
        for (unsigned k = 0; k < 4; ++k) __builtin_memcpy(&rows[k], at(first + k), sizeof(F4));
        transpose(rows[0], rows[1], rows[2], rows[3]);
        set_four(x, first, rows[0]);
        set_four(y, first, rows[1]);
        set_four(z, first, rows[2]);
    }
    return {__builtin_convertvector(x, D), __builtin_convertvector(y, D), __builtin_convertvector(z, D)};
}

static void update_link(const Batch& b, unsigned l) {
    Link& link = b.links[l];
    Motion& motion = b.motions[l];
    const BatchBodies& bodies = b.view.bodies[l];
    link.displacement = gather([&](unsigned k) { return bodies.body[k]->displacement; });
    F x, y, z, w;
    for (unsigned k = 0; k < lane_count; ++k) {
        const float* const p = bodies.turn[k];
        const unsigned stride = bodies.stride[k];
        x[k] = p[0], y[k] = p[stride], z[k] = p[2 * stride], w[k] = p[3 * stride];
    }
    const Q4 turn = {__builtin_convertvector(w, D), __builtin_convertvector(x, D), __builtin_convertvector(y, D),
                     __builtin_convertvector(z, D)};
    link.rotation = turn * link.start_rotation;
    motion.axes = to_matrix(link.rotation);
    motion.max_stiffness = zero();
    if (b.layout.dynamic[l] == 0) return;
    const M3 principal = to_matrix(turn * link.start_axes);
    link.inertia = with_principal(principal, link.moments);
    link.inverse_inertia = with_principal(principal, link.inverse_moments);
    motion.response = link.inverse_inertia;
}

static void update_pose(const Batch& b, unsigned j) {
    const BatchJointLayout& layout = b.layout.joints[j];
    Joint& joint = b.joints[j];
    Pose& pose = b.poses[j];
    const unsigned la = layout.link[0], lb = layout.link[1];
    Motion &link_a = b.motions[la], &link_b = b.motions[lb];
    const V3 arm_a = link_a.axes * joint.frame_arm[0], arm_b = link_b.axes * joint.frame_arm[1];
    joint.apart = joint.center_offset + b.links[lb].displacement - b.links[la].displacement + arm_b - arm_a;
    joint.lever[0] = -(arm_a + joint.apart);
    joint.lever[1] = arm_b;
    pose.apart = joint.apart;
    if (layout.axes) {
        pose.a = link_a.axes * joint.frame_axes[0];
        pose.b = link_b.axes * joint.frame_axes[1];
    } else if (layout.is_distance) {
        pose.a.x = link_a.axes * joint.frame_axes[0].x;
    }
    if (layout.swing) {
        pose.relative = conjugate(b.links[la].rotation * joint.frame_rotation[0]) *
                        (b.links[lb].rotation * joint.frame_rotation[1]);
    }
    const bool twist = layout.twist || layout.counts;
    find_coordinates(layout, pose, joint.angle, twist);
    if (twist) joint.angle = pose.coordinates[3];

    joint.load = joint.next_load;
    const I grown = dot(joint.new_load, joint.new_load) > dot(joint.load, joint.load);
    if (any(grown)) joint.load = joint.next_load = select(grown, link_a.axes * joint.new_load, joint.load);
    const D pull = bound_of(joint.load);
    link_a.max_stiffness += bound_of(joint.lever[0]) * pull;
    link_b.max_stiffness += bound_of(joint.lever[1]) * pull;
}

/// See rotation_stiffness() in implicit_rotation.cpp. With the unit vectors u along r and v along f, the sums there are
///
///     n 1 + part (u u^T + v v^T) + mixed (u v^T + v u^T)
///
/// which needs two divisions and one root.
static inline S3 rotation_stiffness(const V3& r, const V3& f) {
    const D r2 = dot(r, r), f2 = dot(f, f), along = dot(r, f), size = sqrt(r2 * f2);
    const I nothing = (size <= zero()) | (along <= -0.999 * size);
    const D per_size2 = 1.0 / (nothing ? one() : r2 * f2);
    const D n = max(along, zero()), e = 0.5 * (size + along);
    // Squares of the lengths of u + v and u - v, times half of `size`.
    const D middle = size + along, across = size - along;
    const I bent = across > 0.5e-12 * size;
    const D per_both = 0.5 * size / (nothing ? one() : bent ? middle * across : middle);
    const D of_middle = n * (bent ? across * per_both : per_both), of_across = where(bent, (e - n) * middle * per_both);
    const D part = of_across - of_middle, mixed = -of_across - of_middle;
    const D rr = part * f2 * per_size2, ff = part * r2 * per_size2, rf = mixed * size * per_size2;
    const V3 rr_r = rr * r, ff_f = ff * f, rf_r = rf * r;
    const S3 k = {n + rr_r.x * r.x + ff_f.x * f.x + 2.0 * rf_r.x * f.x,
                  n + rr_r.y * r.y + ff_f.y * f.y + 2.0 * rf_r.y * f.y,
                  n + rr_r.z * r.z + ff_f.z * f.z + 2.0 * rf_r.z * f.z,
                  rr_r.x * r.y + ff_f.x * f.y + (rf_r.x * f.y + rf_r.y * f.x),
                  rr_r.x * r.z + ff_f.x * f.z + (rf_r.x * f.z + rf_r.z * f.x),
                  rr_r.y * r.z + ff_f.y * f.z + (rf_r.y * f.z + rf_r.z * f.y)};
    return select(nothing, scaled_identity(zero()), k);
}

/// Returns the inverse inertia that the rows of a link use: less than it has where it is integrated implicitly.
TALUS_INLINE S3 response_of(const Link& link) {
    const I implicit = is_set(link.implicit);
    if (!any(implicit)) return link.inverse_inertia;
    const M3 slowed = link.swing_damping * full(link.inverse_inertia);
    // Symmetric except for rounding.
    const S3 symmetric = {slowed.x.x,
                          slowed.y.y,
                          slowed.z.z,
                          0.5 * (slowed.x.y + slowed.y.x),
                          0.5 * (slowed.x.z + slowed.z.x),
                          0.5 * (slowed.y.z + slowed.z.y)};
    return select(implicit, symmetric, link.inverse_inertia);
}

/// Returns the `swing` of link l, which has a pivot. See add_swing_about_pivot() in implicit_rotation.cpp.
static D swing_about_pivot(const Batch& b, unsigned l) {
    const Link& link = b.links[l];
    const Motion& motion = b.motions[l];
    const S3& i = link.inertia;
    const V3& r = motion.pivot;
    const V3 m = link.mass * r;
    const D square = dot(m, r);
    const S3 about = {i.xx + (square - m.x * r.x),
                      i.yy + (square - m.y * r.y),
                      i.zz + (square - m.z * r.z),
                      i.xy - m.x * r.y,
                      i.xz - m.x * r.z,
                      i.yz - m.y * r.z};
    const M3 response = inverse(full(about));
    const D trace = response.x.x + response.y.y + response.z.z;
    D swing = zero();
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        const Joint& joint = b.joints[j];
        for (unsigned side = 0; side < 2; ++side) {
            if (b.layout.joints[j].link[side] != l) continue;
            const V3 &arm = joint.lever[side], &f = joint.load;
            swing = swing + max(zero(), dot(f, arm) * trace - dot(f, response * arm));
        }
    }
    return swing;
}

/// See implicit_rotation.h.
static void integrate_implicitly(const Batch& b) {
    const D h = splat(b.view.substep);
    const double most = settings::joint_turn_rate * settings::joint_turn_rate;
    // A link may swing too fast if the upper bound of its stiffness is above `most`.
    bool any_fast = false;
    for (unsigned l = 0; l < b.layout.links; ++l) {
        Motion& motion = b.motions[l];
        b.links[l].implicit = zero();
        motion.stiffness = scaled_identity(zero());
        motion.pivots = false;
        if (b.layout.dynamic[l] == 0) continue;
        const D bound = h * motion.max_stiffness * (motion.response.xx + motion.response.yy + motion.response.zz);
        motion.max_stiffness = bound;
        any_fast = any_fast || any(bound > most);
    }
    if (!any_fast) return;
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        const BatchJointLayout& layout = b.layout.joints[j];
        const Joint& joint = b.joints[j];
        for (unsigned side = 0; side < 2; ++side) {
            const unsigned l = layout.link[side];
            Motion& motion = b.motions[l];
            if (b.layout.dynamic[l] == 0 || !any(motion.max_stiffness > most)) continue;
            // At A both the arm and the force are the opposite, which gives the same stiffness.
            motion.stiffness = motion.stiffness + rotation_stiffness(joint.lever[side], joint.load);
            if (!layout.anchored || b.layout.dynamic[layout.link[1 - side]] != 0) continue;
            motion.pivot = joint.lever[side];
            motion.pivots = true;
        }
    }
    for (unsigned l = 0; l < b.layout.links; ++l) {
        Motion& motion = b.motions[l];
        Link& link = b.links[l];
        if (b.layout.dynamic[l] == 0 || !any(motion.max_stiffness > most)) continue;
        const M3 product = full(motion.response) * full(motion.stiffness);
        const M3 g = {h * product.x, h * product.y, h * product.z};
        // At least the largest (omega h)^2.
        const D swing = motion.pivots ? h * swing_about_pivot(b, l) : g.x.x + g.y.y + g.z.z;
        const I implicit = swing > most;
        if (!any(implicit)) continue;
        link.implicit = flag(implicit);
        const D share = where(implicit, min(one(), swing / most - 1.0));
        link.swing_damping = inverse({{1.0 + share * g.x.x, share * g.x.y, share * g.x.z},
                                      {share * g.y.x, 1.0 + share * g.y.y, share * g.y.z},
                                      {share * g.z.x, share * g.z.y, 1.0 + share * g.z.z}});
        motion.response = response_of(link);
    }
}

TALUS_INLINE D row_coordinate(const BatchRowLayout& layout, const Row& row, const Pose& pose) {
    switch (layout.axis) {
        case RowAxis::small_rotation:
            return lock_coordinate(pose, layout.axis_index);
        case RowAxis::twist: {
            const I upper = is_set(row.upper);
            return (upper ? row.limit[1] : row.limit[0]) + twist_beyond(twist_of(layout, row, pose.relative),
                                                                        upper ? row.cosine[1] : row.cosine[0],
                                                                        upper ? row.sine[1] : row.sine[0]);
        }
        case RowAxis::cone:
            return cone_angle(pose);
        default:
            return pose.coordinates[layout.axis_index];
    }
}

/// Sets which of its two limits a row stands for. The row starts without an impulse where that changes.
TALUS_INLINE void set_side(Row& row, D& impulse, I upper) {
    const I changed = upper ^ is_set(row.upper);
    if (!any(changed)) return;
    row.upper = flag(upper);
    row.low = changed ? (upper ? splat(-infinite) : zero()) : row.low;
    row.high = changed ? (upper ? zero() : splat(infinite)) : row.high;
    impulse = changed ? zero() : impulse;
    row.free = changed ? zero() : row.free;
}

/// Returns the part of a position error that the sub-step leaves.
TALUS_INLINE D goal_of(D error, double most) {
    return (1.0 - settings::joint_push_share) * (error - max(min(error, splat(most)), splat(-most)));
}

/// Sets the responses of an anchored joint's first three rows.
static void evaluate_point(const Batch& b, const BatchJointLayout& layout, Joint& joint) {
    D* const slacks = b.slacks + layout.first_row;
    V3 response = no_vector();
    for (unsigned side = 0; side < 2; ++side) {
        const unsigned l = layout.link[side];
        if (b.layout.dynamic[l] == 0) continue;
        const V3& r = joint.lever[side];
        const M3 m = full(b.motions[l].response);
        M3& turn = joint.point_response[side];
        turn = {r.z * m.y - r.y * m.z, r.x * m.z - r.z * m.x, r.y * m.x - r.x * m.y};
        const D mass = b.links[l].inverse_mass;
        response.x += mass + (r.z * turn.x.y - r.y * turn.x.z);
        response.y += mass + (r.x * turn.y.z - r.z * turn.y.x);
        response.z += mass + (r.y * turn.z.x - r.x * turn.z.y);
    }
    slacks[0] = settings::joint_slack * response.x;
    slacks[1] = settings::joint_slack * response.y;
    slacks[2] = settings::joint_slack * response.z;
}

/// Sets the Jacobian and the responses of a row that is not along RowAxis::point.
static void set_numbers(const Batch& b, const BatchJointLayout& layout, const BatchRowLayout& row_layout,
                        const Joint& joint, const Pose& pose, Row& row) {
    D response = zero();
    const bool rotation = is_rotation(row_layout.axis);
    if (rotation) {
        if (row_layout.axis == RowAxis::twist) {
            const I upper = is_set(row.upper);
            row.axis = twist_axis(pose.a, twist_of(row_layout, row, pose.relative),
                                  upper ? row.cosine[1] : row.cosine[0], upper ? row.sine[1] : row.sine[0]);
        } else {
            row.axis = rotation_axis(layout, row_layout, pose);
        }
    } else {
        if (row_layout.axis == RowAxis::length) {
            const D length = sqrt(dot(pose.apart, pose.apart));
            const I long_enough = length > splat(settings::joint_point_length);
            row.axis = select(long_enough, (1.0 / (long_enough ? length : one())) * pose.apart, pose.a.x);
        } else {
            row.axis = column(pose.a, row_layout.axis_index);
        }
        for (unsigned side = 0; side < 2; ++side) row.turn[side] = cross(joint.lever[side], row.axis);
    }
    const D along2 = dot(row.axis, row.axis);
    for (unsigned side = 0; side < 2; ++side) {
        const unsigned l = layout.link[side];
        if (b.layout.dynamic[l] == 0) continue;
        const V3 turn = turn_of(row_layout, row, side);
        row.turn_response[side] = b.motions[l].response * turn;
        response += dot(turn, row.turn_response[side]);
        if (!rotation) response += b.links[l].inverse_mass * along2;
    }
    row.response = response;
}

/// Sets a row's position error, and the part of it that this sub-step leaves.
static void set_position(const Batch& b, const BatchRowLayout& layout, Row& row, D& impulse, D coordinate) {
    if (layout.kind == RowKind::limit) {
        set_side(row, impulse,
                 (row.limit[0] == -infinite) |
                     ((row.limit[1] != infinite) & (2.0 * coordinate > row.limit[0] + row.limit[1])));
    }
    if (layout.kind == RowKind::motor || layout.kind == RowKind::spring) {
        row.position = layout.kind == RowKind::motor ? coordinate : coordinate - row.target;
        return;
    }
    const I upper = is_set(row.upper);
    row.position = coordinate - (upper ? row.limit[1] : row.limit[0]);
    const D error =
        layout.kind == RowKind::lock ? row.position : (upper ? max(row.position, zero()) : min(row.position, zero()));
    const double speed = is_rotation(layout.axis) ? settings::joint_turn_speed : settings::joint_push_speed;
    row.goal = goal_of(error, b.view.substep * speed);
}

/// Sets the slacks of a joint's springs (spring_rows.h). Here no body has locked axes.
static void soften_springs(const Batch& b, const BatchJointLayout& layout, const Joint& joint) {
    constexpr unsigned most = 6;
    const auto coupling = [&](unsigned r, unsigned other) {
        D sum = zero();
        for (unsigned side = 0; side < 2; ++side)
            sum += product(b, joint, r, side, joint, other, side, b.links[layout.link[side]].inverse_mass);
        return sum;
    };
    unsigned locks[most], count = 0;
    for (unsigned r = layout.first_row; r < layout.first_row + layout.row_count; ++r) {
        if (b.layout.rows[r].kind == RowKind::lock && count < most) locks[count++] = r;
    }
    // L L^T of the locks' block, with the reciprocals of the diagonal on the diagonal.
    D factor[most][most];
    for (unsigned k = 0; k < count; ++k) {
        const D before = coupling(locks[k], locks[k]);
        D pivot = before;
        for (unsigned l = 0; l < k; ++l) pivot -= factor[k][l] * factor[k][l];
        const I sound = pivot > lost_pivot * before;
        factor[k][k] = where(sound, 1.0 / sqrt(sound ? pivot : one()));
        for (unsigned i = k + 1; i < count; ++i) {
            D sum = coupling(locks[i], locks[k]);
            for (unsigned l = 0; l < k; ++l) sum -= factor[i][l] * factor[k][l];
            factor[i][k] = sum * factor[k][k];
        }
    }
    for (unsigned r = layout.first_row; r < layout.first_row + layout.row_count; ++r) {
        if (b.layout.rows[r].kind != RowKind::spring) continue;
        const Row& spring = b.record(r);
        D left = spring.response, x[most];
        for (unsigned k = 0; k < count; ++k) {
            x[k] = coupling(r, locks[k]);
            for (unsigned l = 0; l < k; ++l) x[k] -= factor[k][l] * x[l];
            x[k] *= factor[k][k];
            left -= x[k] * x[k];
        }
        b.slacks[r] = max(left, 1e-6 * spring.response) * spring.softness;
    }
}

static void evaluate_rows(const Batch& b, unsigned j) {
    const BatchJointLayout& layout = b.layout.joints[j];
    Joint& joint = b.joints[j];
    const Pose& pose = b.poses[j];
    if (layout.anchored) evaluate_point(b, layout, joint);
    for (unsigned r = layout.first_row + (layout.anchored ? 3 : 0); r < layout.first_row + layout.row_count; ++r) {
        const BatchRowLayout& row_layout = b.layout.rows[r];
        Row& row = b.record(r);
        if (row_layout.axis == RowAxis::twist && row_layout.kind == RowKind::limit) {
            set_side(
                row, b.impulses[r],
                twist_beyond(twist_of(row_layout, row, pose.relative), row.middle_cosine, row.middle_sine) > zero());
        }
        set_numbers(b, layout, row_layout, joint, pose, row);
        b.slacks[r] = settings::joint_slack * row.response;
        set_position(b, row_layout, row, b.impulses[r], row_coordinate(row_layout, row, pose));
    }
    if (layout.springs) soften_springs(b, layout, joint);
}

/// Returns the lanes that need the general solver, because joints have rotated beyond their locks.
static I evaluate_batch(const Batch& b) {
    for (unsigned l = 0; l < b.layout.links; ++l) update_link(b, l);
    for (unsigned j = 0; j < b.layout.joint_count; ++j) update_pose(b, j);
    integrate_implicitly(b);
    I refused = none();
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        evaluate_rows(b, j);
        const BatchJointLayout& layout = b.layout.joints[j];
        if (layout.locks_swing) refused |= beyond_locks(b.poses[j], layout.locks_twist);
    }
    b.view.factored = JointPass::none;
    return refused;
}

/// Returns the lanes with implicit links.
static I implicit_lanes(const Batch& b) {
    I implicit = none();
    for (unsigned l = 0; l < b.layout.links; ++l) implicit |= is_set(b.links[l].implicit);
    return implicit;
}

/// Returns the opening of each lane's worst joint, m.
static D opening_of(const Batch& b) {
    D most2 = zero();
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        const BatchJointLayout& layout = b.layout.joints[j];
        if (layout.anchored) {
            most2 = max(most2, dot(b.joints[j].apart, b.joints[j].apart));
            continue;
        }
        if (!layout.is_distance) continue;
        for (unsigned r = layout.first_row; r < layout.first_row + layout.row_count; ++r) {
            const Row& row = b.record(r);
            const RowKind kind = b.layout.rows[r].kind;
            if (kind != RowKind::lock && kind != RowKind::limit) continue;
            const I passed = is_set(row.upper) ? row.position > zero() : row.position < zero();
            most2 = max(most2, where(kind == RowKind::lock ? ~none() : passed, row.position * row.position));
        }
    }
    return sqrt(most2);
}

/// See predict_poses() in joint_poses.h.
static void predict_poses(const Batch& b) {
    const D h = splat(b.view.substep);
    for (unsigned l = 0; l < b.layout.links; ++l) {
        const Link& link = b.links[l];
        Motion& motion = b.motions[l];
        motion.displacement = link.displacement + h * motion.velocity;
        V3 spin = motion.spin;
        if (b.layout.dynamic[l] != 0) {
            const auto round = [&](const V3& w) {
                return motion.spin + stretched_half(h, dot(w, w)) * (link.inverse_inertia * cross(link.inertia * w, w));
            };
            const V3 first = round(motion.spin);
            const D share = later_rounds(h, dot(motion.spin, motion.spin));
            const I fast = needs_more_rounds(h, dot(motion.spin, motion.spin));
            spin = first + share * (round(first) - first);
            if (any(fast)) {
                V3 more = spin;
                for (int i = 2; i < settings::middle_spin_rounds; ++i) more = first + share * (round(more) - first);
                spin = select(fast, more, spin);
            }
        }
        motion.rotation = rotated_by(link.rotation, h * spin);
        motion.next_axes = to_matrix(motion.rotation);
    }
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        const BatchJointLayout& layout = b.layout.joints[j];
        const Joint& joint = b.joints[j];
        Pose& pose = b.poses[j];
        const Motion &link_a = b.motions[layout.link[0]], &link_b = b.motions[layout.link[1]];
        pose.apart = joint.center_offset + link_b.displacement - link_a.displacement +
                     link_b.next_axes * joint.frame_arm[1] - link_a.next_axes * joint.frame_arm[0];
        if (layout.axes) {
            pose.a = link_a.next_axes * joint.frame_axes[0];
            pose.b = link_b.next_axes * joint.frame_axes[1];
        }
        if (layout.swing) {
            pose.relative =
                conjugate(link_a.rotation * joint.frame_rotation[0]) * (link_b.rotation * joint.frame_rotation[1]);
        }
        find_coordinates(layout, pose, joint.angle, layout.twist);
        if (!layout.anchored) continue;
        const I by_world = b.layout.dynamic[layout.link[1]] != 0 ? mask_of(b.view.floating) : ~none();
        if (any(~by_world))
            pose.apart = select(by_world, pose.apart, link_a.axes * transpose_mul(link_a.next_axes, pose.apart));
        if (any(by_world) && layout.locks_swing && !layout.locks_twist) {
            const M3 before = link_a.axes * joint.frame_axes[0];
            pose.a.y = select(by_world, cross(before.z, pose.a.x), pose.a.y);
            pose.a.z = select(by_world, cross(pose.a.x, before.y), pose.a.z);
        }
    }
}

/// Returns the speeds of an anchored joint's first three rows.
TALUS_INLINE V3 point_speed(const Joint& joint, const Motion& link_a, const Motion& link_b) {
    return link_b.velocity - link_a.velocity + cross(link_a.spin, joint.lever[0]) + cross(link_b.spin, joint.lever[1]);
}

/// Returns the speed of another row. `linear` and `relative` are the relative velocity and angular velocity of its links.
TALUS_INLINE D row_speed(const BatchRowLayout& layout, const Row& row, const V3& linear, const V3& relative,
                         const Motion& link_a, const Motion& link_b) {
    if (is_rotation(layout.axis)) return dot(row.axis, relative);
    return dot(row.axis, linear) + dot(row.turn[0], link_a.spin) + dot(row.turn[1], link_b.spin);
}

/// Sets the residuals to the speeds of the rows.
static void set_speeds(const Batch& b) {
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        const BatchJointLayout& layout = b.layout.joints[j];
        const Motion &link_a = b.motions[layout.link[0]], &link_b = b.motions[layout.link[1]];
        unsigned r = layout.first_row;
        if (layout.anchored) {
            const V3 speed = point_speed(b.joints[j], link_a, link_b);
            b.residuals[r] = speed.x, b.residuals[r + 1] = speed.y, b.residuals[r + 2] = speed.z;
            r += 3;
        }
        const V3 linear = link_b.velocity - link_a.velocity, relative = link_b.spin - link_a.spin;
        for (; r < layout.first_row + layout.row_count; ++r)
            b.residuals[r] = row_speed(b.layout.rows[r], b.record(r), linear, relative, link_a, link_b);
    }
}

/// Writes the residuals of an anchored joint's first three rows. Returns the largest.
TALUS_INLINE D set_point_residuals(const Batch& b, unsigned j, bool again, I curved, bool any_curved, D per_substep) {
    const BatchJointLayout& layout = b.layout.joints[j];
    const Joint& joint = b.joints[j];
    const V3 speed = point_speed(joint, b.motions[layout.link[0]], b.motions[layout.link[1]]);
    D* const out = b.residuals + layout.first_row;
    if (b.pass == JointPass::relax) {
        const D* const impulse = b.impulses + layout.first_row;
        const D* const slack = b.slacks + layout.first_row;
        out[0] = again ? speed.x : speed.x + slack[0] * impulse[0];
        out[1] = again ? speed.y : speed.y + slack[1] * impulse[1];
        out[2] = again ? speed.z : speed.z + slack[2] * impulse[2];
    } else {
        const double most = b.view.substep * settings::joint_push_speed;
        const V3 goal = {goal_of(joint.apart.x, most), goal_of(joint.apart.y, most), goal_of(joint.apart.z, most)};
        V3 residual = speed + per_substep * (joint.apart - goal);
        if (any_curved) residual = select(curved, per_substep * (b.poses[j].apart - goal), residual);
        out[0] = residual.x, out[1] = residual.y, out[2] = residual.z;
    }
    return max(max(abs(out[0]), abs(out[1])), abs(out[2]));
}

/// Sets the residuals of the rows' equations (set_residuals() in joint_passes.h); in the lanes of `curved` at the
/// predicted poses, else along the tangent of the constraints. Returns the largest residual of the rows that take part,
/// by lane.
static D set_residuals(const Batch& b, bool again, I curved) {
    const D per_substep = splat(1.0 / b.view.substep);
    const bool any_curved = any(curved);
    if (any_curved) predict_poses(b);
    D worst = zero();
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        const BatchJointLayout& layout = b.layout.joints[j];
        const Pose& next = b.poses[j];
        unsigned r = layout.first_row;
        if (layout.anchored) {
            worst = max(worst, set_point_residuals(b, j, again, curved, any_curved, per_substep));
            r += 3;
        }
        const Motion &link_a = b.motions[layout.link[0]], &link_b = b.motions[layout.link[1]];
        const V3 linear = link_b.velocity - link_a.velocity, relative = link_b.spin - link_a.spin;
        for (; r < layout.first_row + layout.row_count; ++r) {
            const BatchRowLayout& row_layout = b.layout.rows[r];
            const Row& row = b.record(r);
            D residual = row_speed(row_layout, row, linear, relative, link_a, link_b);
            if (row_layout.kind == RowKind::motor) {
                // A motor moves its coordinate by speed * h, whatever the curvature of the path.
                if (any_curved)
                    residual = curved ? (row_coordinate(row_layout, row, next) - row.position) * per_substep : residual;
                residual -= row.target;
            } else if (row_layout.kind == RowKind::spring) {
                residual += row.bias_rate * row.position + b.slacks[r] * b.impulses[r];
            } else if (b.pass == JointPass::solve) {
                residual += (row.position - row.goal) * per_substep;
                if (any_curved) {
                    const D at = is_set(row.upper) ? row.limit[1] : row.limit[0];
                    residual =
                        curved ? (row_coordinate(row_layout, row, next) - at - row.goal) * per_substep : residual;
                }
            } else {
                // A limit may be approached at the speed that reaches it at the end of the sub-step.
                if (row_layout.kind == RowKind::limit) {
                    const I upper = is_set(row.upper);
                    residual += (upper ? min(row.position, zero()) : max(row.position, zero())) * per_substep;
                }
                if (!again) residual += b.slacks[r] * b.impulses[r];
            }
            b.residuals[r] = residual;
            worst = max(worst, where(takes_part(b, r), abs(residual)));
        }
    }
    return worst;
}

}  // namespace talus::TALUS_LANES
