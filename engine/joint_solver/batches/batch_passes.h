#pragma once
/// Internal: the two passes of a sub-step over a batch. The files in passes/ do the same for one articulation and say
/// why. Here each lane runs until its own rounds end; the others then go on without it.

#include "engine/joint_solver/batches/batch_momentum.h"

namespace talus::TALUS_LANES {

static void read_velocities(const Batch& b) {
    for (unsigned l = 0; l < b.layout.links; ++l) {
        Motion& motion = b.motions[l];
        const BatchBodies& bodies = b.view.bodies[l];
        motion.velocity = motion.velocity_before = gather([&](unsigned k) { return bodies.body[k]->velocity; });
        motion.spin = motion.spin_before = gather([&](unsigned k) { return bodies.body[k]->angular_velocity; });
    }
}

/// Adds the effect of the rows' changes to the velocities.
static void apply_changes(const Batch& b) {
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        const BatchJointLayout& layout = b.layout.joints[j];
        const Joint& joint = b.joints[j];
        const unsigned la = layout.link[0], lb = layout.link[1];
        Motion &link_a = b.motions[la], &link_b = b.motions[lb];
        V3 turn_a = link_a.spin, turn_b = link_b.spin, impulse = no_vector();
        unsigned r = layout.first_row;
        if (layout.anchored) {
            impulse = {b.changes[r], b.changes[r + 1], b.changes[r + 2]};
            turn_a += joint.point_response[0] * impulse;
            turn_b += joint.point_response[1] * impulse;
            r += 3;
        }
        for (; r < layout.first_row + layout.row_count; ++r) {
            const Row& row = b.record(r);
            const D change = b.changes[r];
            turn_a += change * row.turn_response[0];
            turn_b += change * row.turn_response[1];
            if (is_along_axis(b.layout.rows[r].axis)) impulse += change * row.axis;
        }
        link_a.velocity = link_a.velocity - b.links[la].inverse_mass * impulse;
        link_b.velocity += b.links[lb].inverse_mass * impulse;
        link_a.spin = turn_a;
        link_b.spin = turn_b;
    }
}

/// Calls visit(row, its record) for the rows that may be limits or motors.
template <class Visit>
TALUS_INLINE void for_each_bounded(const Batch& b, Visit&& visit) {
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        const BatchJointLayout& layout = b.layout.joints[j];
        for (unsigned r = layout.first_row + layout.first_bounded; r < layout.first_row + layout.row_count; ++r)
            visit(r, b.record(r));
    }
}

/// See leads_away() in articulations.h.
TALUS_INLINE I leads_away(const Row& motor, const Row& limit) {
    return is_set(motor.free) & (is_set(limit.upper) ? motor.target < zero() : motor.target > zero());
}

/// See presses() in articulations.h.
TALUS_INLINE I presses(const Row& motor, const Row& limit, double h) {
    const D end = limit.position + h * motor.target;
    return is_set(motor.free) & (is_set(limit.upper) ? (motor.target > zero()) & (end >= zero())
                                                     : (motor.target < zero()) & (end <= zero()));
}

/// See motor_part() in articulations.h.
TALUS_INLINE D motor_part(const Row& limit, D impulse) {
    return is_set(limit.upper) ? max(impulse, zero()) : min(impulse, zero());
}

/// See leave_limits() in joint_passes.cpp.
static void leave_limits(const Batch& b, I running) {
    for_each_bounded(b, [&](unsigned r, Row& motor) {
        if (!b.layout.rows[r].has_limit) return;
        Row& limit = b.record(r - 1);
        const I away = running & is_set(limit.free) & leads_away(motor, limit);
        if (!any(away)) return;
        limit.free = away ? zero() : limit.free;
        b.impulses[r - 1] = away ? zero() : b.impulses[r - 1];
        b.view.factored = JointPass::none;
    });
}

/// See begin_solve() in joint_passes.cpp.
static void begin_solve(const Batch& b, const NotedMomentum& noted, I running) {
    const I floating = mask_of(b.view.floating);
    for (unsigned l = 0; l < b.layout.links; ++l) {
        Link& link = b.links[l];
        Motion& motion = b.motions[l];
        motion.axes = to_matrix(link.rotation);
        const V3 mean = link.mean_spin + splat(settings::joint_usual_spin) * (motion.spin_before - link.mean_spin);
        link.mean_spin = select(running, mean, link.mean_spin);
        const I implicit = is_set(link.implicit);
        if (!any(implicit)) continue;
        const double angle = b.view.substep / settings::joint_steady_turn;
        const D fast = angle * angle * dot(link.mean_spin, link.mean_spin);
        const V3 steady = select(floating, noted.angular_velocity, max(zero(), 1.0 - fast) * link.mean_spin);
        const V3 damped = steady + link.swing_damping * (motion.spin_before - steady);
        motion.spin = motion.spin_before = select(implicit, damped, motion.spin_before);
    }
    leave_limits(b, running);
    I acts = none();
    for (unsigned r = 0; r < b.layout.row_count; ++r) {
        D impulse = zero();
        if (b.layout.rows[r].kind != RowKind::lock) {
            const Row& row = b.record(r);
            impulse = where(~is_set(row.free), min(max(b.impulses[r], row.low), row.high));
            acts |= impulse != zero();
        }
        b.changes[r] = impulse;
        b.impulses[r] = running ? impulse : b.impulses[r];
    }
    if (any(acts)) apply_changes(b);
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        b.joints[j].old_force = b.joints[j].force;
        b.joints[j].old_torque = b.joints[j].torque;
    }
}

/// See release_rows() in active_rows.h. Returns the lanes where a row was freed.
static I release_rows(const Batch& b, I running) {
    I released = none();
    for_each_bounded(b, [&](unsigned r, Row& row) {
        const D residual = b.residuals[r], impulse = b.impulses[r];
        if (b.pass == JointPass::relax && b.layout.rows[r].kind == RowKind::spring) return;
        I off = running & ~is_set(row.free) & ~is_set(row.clamped) & (row.response > zero()) &
                ~(abs(residual) < settings::joint_release_speed);
        if (!any(off)) return;
        const D wanted = impulse - residual / row.response;
        const I at_low = impulse <= row.low, at_high = impulse >= row.high;
        off &= (at_low & (wanted > row.low)) | (~at_low & at_high & (wanted < row.high)) | ~(at_low | at_high);
        if (b.layout.rows[r].has_motor) off &= ~leads_away(b.record(r + 1), row);
        row.free = off ? one() : row.free;
        released |= off;
    });
    return released;
}

/// See clamp_rows() in active_rows.h. Returns the lanes where a row was clamped.
static I clamp_rows(const Batch& b, I solved) {
    I clamped = none();
    for_each_bounded(b, [&](unsigned r, Row& row) {
        const I takes = takes_part(b, r) & solved;
        if (!any(takes)) return;
        const D wanted = b.impulses[r] + b.changes[r];
        I beyond = takes & ~((wanted >= row.low) & (wanted <= row.high));
        if (!any(beyond)) return;
        if (b.layout.rows[r].has_motor) {
            Row& motor = b.record(r + 1);
            const I upper = is_set(row.upper), pressed = beyond & presses(motor, row, b.view.substep);
            const D rest = (upper ? motor.high : motor.low) - b.impulses[r + 1];
            const I given_way = pressed & ~(upper ? wanted <= rest : wanted >= rest);
            beyond &= ~pressed;
            b.changes[r] = given_way ? -b.impulses[r] : b.changes[r];
            b.changes[r + 1] = given_way ? rest : b.changes[r + 1];
            row.free = given_way ? zero() : row.free;
            motor.free = given_way ? zero() : motor.free;
            row.clamped = given_way ? one() : row.clamped;
            motor.clamped = given_way ? one() : motor.clamped;
            clamped |= given_way;
        }
        b.changes[r] = beyond ? min(max(wanted, row.low), row.high) - b.impulses[r] : b.changes[r];
        row.free = beyond ? zero() : row.free;
        row.clamped = beyond ? one() : row.clamped;
        clamped |= beyond;
    });
    return clamped;
}

/// Finds the changes of the impulses that bring the residuals to zero, in the lanes of `solved`; 0 in the others.
static void solve_rows(const Batch& b, I solved) {
    if (b.view.factored == JointPass::none || (b.layout.springs && b.view.factored != b.pass)) {
        factor(b);
        for (unsigned k = 0; k < lane_count; ++k) b.view.factorizations[k] += lane_bits(solved) >> k & 1u;
    }
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        const unsigned first = b.layout.joints[j].first_row;
        D* x = b.right_sides + first;
        for (unsigned bits = b.view.in_matrix[j], r = first; bits != 0; bits >>= 1, ++r) {
            if ((bits & 1u) == 0) continue;
            *x++ = b.layout.rows[r].kind == RowKind::lock ? -b.residuals[r] : where(takes_part(b, r), -b.residuals[r]);
        }
    }
    solve_factored(b);
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        const BatchJointLayout& layout = b.layout.joints[j];
        const D* x = b.right_sides + layout.first_row;
        for (unsigned i = 0; i < layout.row_count; ++i)
            b.changes[layout.first_row + i] = (b.view.in_matrix[j] >> i & 1u) != 0 ? where(solved, *x++) : zero();
    }
}

/// See run_rounds() in joint_passes.h. `running` has the lanes that take part.
static void run_rounds(const Batch& b, bool again, I running) {
    const bool solving = b.pass == JointPass::solve, bounded = b.layout.bounded;
    for (unsigned r = 0; r < b.layout.row_count; ++r) {
        b.newton_impulses[r] = zero();
        if (!again) b.impulses_before[r] = b.impulses[r];
    }
    for_each_bounded(b, [](unsigned, Row& row) { row.clamped = zero(); });
    // Lanes where the set of active rows is settled; where rows were clamped in the last round.
    I settled = none(), clamped = none();
    D before = splat(infinite);
    for (int round = 0; any(running); ++round) {
        for (unsigned k = 0; k < lane_count; ++k) b.view.rounds[k] += lane_bits(running) >> k & 1u;
        const I curved = solving ? settled & running : none();
        const D worst = set_residuals(b, again, curved);
        const bool final = round == settings::joint_rounds;
        const I released = bounded && !final ? release_rows(b, running) : none();
        if (any(released)) b.view.factored = JointPass::none;
        const I quiet = running & ~released & ~clamped;
        // Newton's method diverges: take back what it has added.
        const I diverged = quiet & curved & ~(worst < before);
        running &= ~diverged;
        const I small = quiet & ~diverged & (worst < settings::joint_tolerance);
        running &= ~(solving ? small & settled : small);
        const I solved = running & ~small;
        settled |= small;
        if (final && any(solved)) {
            // The set is not settled. So in this pass active limits stay active, and other bounded rows act as they did
            // before it.
            for (unsigned r = 0; r < b.layout.row_count; ++r) b.changes[r] = zero();
            for_each_bounded(b, [&](unsigned r, Row& row) {
                I held = solved;
                if (b.layout.rows[r].kind == RowKind::limit) held &= ~is_set(row.free);
                if (row.low[0] == -infinite && row.high[0] == infinite) return;
                row.free = held ? zero() : row.free;
                b.changes[r] = where(held, b.impulses_before[r] - b.impulses[r]);
                b.impulses[r] = held ? b.impulses_before[r] : b.impulses[r];
            });
            apply_changes(b);
            set_residuals(b, again, none());
            b.view.factored = JointPass::none;
        }
        clamped = none();
        if (any(solved)) {
            solve_rows(b, solved);
            if (bounded && !final) clamped = clamp_rows(b, solved);
            if (any(clamped)) b.view.factored = JointPass::none;
        } else {
            if (!any(diverged)) continue;
            for (unsigned r = 0; r < b.layout.row_count; ++r) b.changes[r] = zero();
        }
        for (unsigned r = 0; r < b.layout.row_count; ++r) {
            b.changes[r] = diverged ? -b.newton_impulses[r] : b.changes[r];
            b.impulses[r] += b.changes[r];
            b.newton_impulses[r] += where(curved, b.changes[r]);
        }
        apply_changes(b);
        if (final) return;
        if (!bounded) running &= ~(solving ? solved & curved & (worst < settings::joint_quick) : solved);
        before = solved & curved ? ((released | clamped) ? splat(infinite) : 0.5 * worst) : before;
        if (solving || !bounded) settled |= solved & ~clamped;
    }
}

/// See limit_gain() in joint_energy.h.
static D limit_gain(const Batch& b) {
    D mass = zero(), most_change = zero();
    for (unsigned l = 0; l < b.layout.links; ++l) {
        if (b.layout.dynamic[l] == 0) continue;
        const Link& link = b.links[l];
        const Motion& motion = b.motions[l];
        const V3 change = motion.velocity - motion.velocity_before, spun = motion.spin - motion.spin_before;
        most_change += 0.5 * (link.mass * dot(change, change) + link.max_inertia * dot(spun, spun));
        mass += link.mass;
    }
    const D gain = sqrt(0.5 * mass) * settings::joint_gain_speed;
    const I large = ~(most_change <= gain * gain);
    if (!any(large)) return one();
    D before = zero(), after = zero(), change = zero();
    for (unsigned l = 0; l < b.layout.links; ++l) {
        if (b.layout.dynamic[l] == 0) continue;
        const Link& link = b.links[l];
        const Motion& motion = b.motions[l];
        before += kinetic_energy(link, motion.velocity_before, motion.spin_before);
        after += kinetic_energy(link, motion.velocity, motion.spin);
        change += kinetic_energy(link, motion.velocity - motion.velocity_before, motion.spin - motion.spin_before);
    }
    const I within = ~large | (sqrt(after) <= sqrt(before) + gain);
    if (!any(~within)) return one();
    const I finite = (after < infinite) & (change < infinite);
    const D scale = where(finite, min(one(), gain / sqrt(finite ? change : one())));
    const I some = scale > zero();
    for (unsigned l = 0; l < b.layout.links; ++l) {
        if (b.layout.dynamic[l] == 0) continue;
        Motion& motion = b.motions[l];
        const V3 velocity = motion.velocity_before + scale * (motion.velocity - motion.velocity_before);
        const V3 spin = motion.spin_before + scale * (motion.spin - motion.spin_before);
        motion.velocity = select(within, motion.velocity, select(some, velocity, motion.velocity_before));
        motion.spin = select(within, motion.spin, select(some, spin, motion.spin_before));
    }
    return within ? one() : scale;
}

/// See report_impulses() in joint_reports.h. `part` is the fraction of the impulses that was kept.
static void report_impulses(const Batch& b, bool again, D part, I running) {
    const bool solving = b.pass == JointPass::solve;
    const I counts = running & (part > zero());
    // The impulses of a solve are counted in full, although it began with those of the last sub-step.
    const auto from = [&](unsigned r) { return solving && !again ? zero() : b.impulses_before[r]; };
    const auto counted = [&](const V3& v) { return V3{where(counts, v.x), where(counts, v.y), where(counts, v.z)}; };
    if (any(part != one())) {
        for (unsigned r = 0; r < b.layout.row_count; ++r)
            b.impulses[r] = part > zero() ? from(r) + part * (b.impulses[r] - from(r)) : from(r);
    }
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        const BatchJointLayout& layout = b.layout.joints[j];
        Joint& joint = b.joints[j];
        V3 force = no_vector(), moment = no_vector();
        unsigned r = layout.first_row;
        if (layout.anchored) {
            force = {b.impulses[r] - from(r), b.impulses[r + 1] - from(r + 1), b.impulses[r + 2] - from(r + 2)};
            r += 3;
        }
        bool turns = false;
        for (; r < layout.first_row + layout.row_count; ++r) {
            const D impulse = b.impulses[r] - from(r);
            Row& row = b.record(r);
            if (is_rotation(b.layout.rows[r].axis)) {
                moment += impulse * row.axis;
                turns = true;
            } else {
                force += impulse * row.axis;
            }
            if (b.layout.rows[r].kind == RowKind::motor) row.motor_impulse += where(running, impulse);
            if (b.layout.rows[r].has_motor)
                b.record(r + 1).motor_impulse +=
                    where(running, motor_part(row, b.impulses[r]) - motor_part(row, from(r)));
        }
        force = counted(force);
        joint.force += force;
        joint.demand += force;
        if (turns) joint.torque += counted(moment);
        if (!solving) continue;
        const V3 load = transpose_mul(b.motions[layout.link[0]].axes, force);
        joint.new_load = select(counts, again ? joint.new_load + load : load, joint.new_load);
    }
}

/// Writes v with at most this length, as limited() in free_turn.h does. v may be anything.
static void write_limited(float* v, float most) {
    const auto size = [](float x) { return __builtin_fabsf(x); };
    const auto finite = [&](float x) { return size(x) <= 3.4028235e38f; };
    if (!finite(v[0]) || !finite(v[1]) || !finite(v[2])) {
        v[0] = v[1] = v[2] = 0.0f;
        return;
    }
    float largest = size(v[0]) > size(v[1]) ? size(v[0]) : size(v[1]);
    largest = size(v[2]) > largest ? size(v[2]) : largest;
    const float a = v[0] / largest, b = v[1] / largest, c = v[2] / largest;
    const float part = most / __builtin_sqrtf(a * a + b * b + c * c);
    v[0] = part * a, v[1] = part * b, v[2] = part * c;
}

/// Vectors of floats, one row per lane; the fourth component is 0.
struct FloatRows {
    F4 rows[lane_count];

    /// Rounds v. Components below joint_least_speed become 0.
    explicit FloatRows(const V3& v) {
        const D least = splat(settings::joint_least_speed);
        const auto kept = [&](D x) { return __builtin_convertvector(where(~(abs(x) < least), x), F); };
        const F x = kept(v.x), y = kept(v.y), z = kept(v.z);
        size2_ = x * x + y * y + z * z;
        for (unsigned first = 0; first < lane_count; first += 4) {
            F4* const four = rows + first;
            four[0] = four_of(x, first), four[1] = four_of(y, first), four[2] = four_of(z, first), four[3] = F4{};
            transpose(four[0], four[1], four[2], four[3]);
        }
    }
    void write(unsigned lane, float most, float* out) const {
        __builtin_memcpy(out, &rows[lane], sizeof(F4));
        if (__builtin_expect(!(size2_[lane] <= most * most), 0)) write_limited(out, most);
    }

private:
    F size2_;
};

/// Writes the velocities of the lanes in `lanes`, limited to the speeds that the integrator accepts, and the momenta
/// that belong to them (JointMotions::set_velocities).
static void write_velocities(const Batch& b, unsigned lanes) {
    const float most_speed = b.view.max_speed;
    const float most_spin = settings::max_joint_rotation / static_cast<float>(b.view.substep);
    for (unsigned l = 0; l < b.layout.links; ++l) {
        if (b.layout.dynamic[l] == 0) continue;
        const Motion& motion = b.motions[l];
        const BatchBodies& bodies = b.view.bodies[l];
        const FloatRows velocity(motion.velocity), spin(motion.spin);
        for (unsigned k = 0; k < lane_count; ++k) {
            if ((lanes >> k & 1u) == 0) continue;
            velocity.write(k, most_speed, bodies.body[k]->velocity);
            spin.write(k, most_spin, bodies.body[k]->angular_velocity);
        }
        const V3 momentum = b.links[l].inertia * gather([&](unsigned k) { return bodies.body[k]->angular_velocity; });
        for (unsigned k = 0; k < lane_count; ++k) {
            if ((lanes >> k & 1u) == 0) continue;
            const float* const w = bodies.body[k]->angular_velocity;
            float* const handed_out = bodies.turn[k] + b.view.handed_out;
            float* const out = bodies.turn[k] + b.view.momentum;
            const unsigned stride = bodies.stride[k];
            handed_out[0] = w[0], handed_out[stride] = w[1], handed_out[2 * stride] = w[2];
            out[0] = static_cast<float>(momentum.x[k]);
            out[stride] = static_cast<float>(momentum.y[k]);
            out[2 * stride] = static_cast<float>(momentum.z[k]);
        }
    }
}

/// Ends a pass over the lanes in `running`.
static void finish_pass(const Batch& b, bool again, NotedMomentum& noted, I running) {
    report_impulses(b, again, limit_gain(b), running);
    limit_angular_velocities(b, running, noted);
    restore_momentum(b, noted);
    write_velocities(b, lane_bits(running));
}

/// See relax_without_gain() in relax_pass.cpp. Here no articulation has a bend.
static void relax_without_gain(const Batch& b, I running) {
    run_rounds(b, false, running);
    const I implicit = implicit_lanes(b) & running;
    if (!any(implicit)) return;
    D gain = zero(), energy = zero();
    for (unsigned l = 0; l < b.layout.links; ++l) {
        if (b.layout.dynamic[l] == 0) continue;
        const Link& link = b.links[l];
        const Motion& motion = b.motions[l];
        const V3 change = motion.velocity - motion.velocity_before, sum = motion.velocity + motion.velocity_before;
        const V3 spun = motion.spin - motion.spin_before, spin_sum = motion.spin + motion.spin_before;
        gain += 0.5 * (link.mass * dot(change, sum) + dot(spun, link.inertia * spin_sum));
        energy += kinetic_energy(link, motion.velocity, motion.spin);
    }
    const I gains = implicit & ~(gain <= zero()) & ~(gain <= settings::joint_energy_gain * (energy - gain));
    if (!any(gains)) return;
    for (unsigned l = 0; l < b.layout.links; ++l) {
        if (b.layout.dynamic[l] == 0) continue;
        const Link& link = b.links[l];
        Motion& motion = b.motions[l];
        const I damped = gains & is_set(link.implicit);
        if (any(damped))
            motion.spin_before = select(damped, link.swing_damping * motion.spin_before, motion.spin_before);
        motion.velocity = select(gains, motion.velocity_before, motion.velocity);
        motion.spin = select(gains, motion.spin_before, motion.spin);
    }
    for (unsigned r = 0; r < b.layout.row_count; ++r) b.impulses[r] = gains ? b.impulses_before[r] : b.impulses[r];
    run_rounds(b, true, gains);
    // Removes from the impulses the part that moves no body, so that it is not reported.
    for (unsigned r = 0; r < b.layout.row_count; ++r) b.residuals[r] = b.slacks[r] * b.impulses[r];
    solve_rows(b, gains);
    for (unsigned r = 0; r < b.layout.row_count; ++r) b.impulses[r] += b.changes[r];
}

static void evaluate(JointBatchView& view) {
    const Batch b(view, JointPass::none);
    view.refused = lane_bits(evaluate_batch(b));
    const D open = opening_of(b);
    for (unsigned k = 0; k < lane_count; ++k) view.open[k] = open[k];
}

/// Returns the lanes that need the general solver. It does nothing for them.
static unsigned solve(JointBatchView& view) {
    const Batch b(view, JointPass::solve);
    const unsigned refused = view.refused & view.used;
    view.refused = 0;
    const I running = mask_of(view.used & ~refused);
    read_velocities(b);
    NotedMomentum noted(b, running);
    note_members(b);
    begin_solve(b, noted, running);
    run_rounds(b, false, running);
    finish_pass(b, false, noted, running);
    return refused;
}

static unsigned relax(JointBatchView& view) {
    const Batch b(view, JointPass::relax);
    const I refused = evaluate_batch(b) & mask_of(view.used);
    const I running = mask_of(view.used) & ~refused;
    read_velocities(b);
    NotedMomentum noted(b, running);
    relax_without_gain(b, running);
    finish_pass(b, false, noted, running);
    const D open = opening_of(b);
    for (unsigned k = 0; k < lane_count; ++k) view.open[k] = open[k];
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        Joint& joint = b.joints[j];
        const V3 kept = splat(settings::joint_load_memory) * joint.load;
        const I larger = dot(joint.demand, joint.demand) > dot(kept, kept);
        joint.next_load = select(running, select(larger, joint.demand, kept), joint.load);
        joint.demand = select(running, no_vector(), joint.demand);
    }
    return lane_bits(refused);
}

static void respond(JointBatchView& view, const BatchPush* pushes, unsigned count) {
    const Batch b(view, JointPass::solve);
    for (unsigned l = 0; l < b.layout.links; ++l) b.motions[l].velocity = b.motions[l].spin = no_vector();
    add_pushes(b, pushes, count);
    set_speeds(b);
    unsigned lanes = 0;
    for (unsigned i = 0; i < count; ++i) lanes |= 1u << pushes[i].lane;
    solve_rows(b, mask_of(lanes));
    apply_changes(b);
}

static void solve_again(JointBatchView& view, const BatchPush* pushes, unsigned count) {
    const Batch b(view, JointPass::solve);
    const I running = mask_of(view.used);
    read_velocities(b);
    NotedMomentum noted(b, running);
    add_pushes(b, pushes, count, noted);
    for (unsigned l = 0; l < b.layout.links; ++l) b.motions[l].axes = to_matrix(b.links[l].rotation);
    note_members(b);
    run_rounds(b, false, running);
    finish_pass(b, true, noted, running);
}

constexpr BatchKernel batch_kernel{lane_count, &evaluate, &solve, &relax, &respond, &solve_again};

}  // namespace talus::TALUS_LANES
