/// Stages `graph` and `solve`: touching contacts become coloured constraints, constraints become velocities and poses.

#include "engine/bodies/integrate.h"
#include "engine/settings.h"
#include "engine/world/world_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace talus {

namespace {

constexpr std::uint32_t group_block = 24;    ///< groups of bodies that a thread takes at a time
constexpr std::uint32_t floating_block = 8;  ///< islands that nothing bears

static_assert(most_slabs <= StageTeam::most_local_items);

}  // namespace

void World::State::build_graph(float dt, const Jobs& jobs) {
    merge_patches();
    modify_contacts();
    // A sleeping island that something awake touches joins the step with the manifolds it fell asleep with.
    const std::size_t awake_before = awake.size();
    // A joint holds its bodies in the step, all or none.
    for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
        const JointBodies ends = joints.bodies(j);
        if (ends.b == null_index || awake.contains(ends.a) == awake.contains(ends.b)) continue;
        wake(awake.contains(ends.a) ? ends.b : ends.a);
    }
    for (const std::uint32_t c : touching) {
        if (contacts.states[c].sensor) continue;
        const ContactBodies& pair = contacts.bodies[c];
        if (!awake.contains(pair.a)) wake(pair.a);
        if (!awake.contains(pair.b)) wake(pair.b);
    }
    if (awake.size() != awake_before) {
        awake.compact();
        gather_active(active_and_woken);
        touching.clear();
        for (const std::uint32_t c : active_and_woken) {
            if (has_manifold(c)) touching.push_back(c);
        }
        merge_patches();  // those of the island
        modify_contacts();
    }

    constexpr std::size_t least_contacts = 1024;
    edges.resize(touching.size());
    jobs.for_each_run(touching.size(), least_contacts,
                      [&](std::size_t first, std::size_t last) { make_edges(first, last); });
    constrained.resize(bodies.slot_count(), 0);
    loads.resize(bodies.slot_count(), 0);
    for (const std::uint32_t slot : awake.list()) constrained[slot] = 0, loads[slot] = 1;  // nobody asks about others
    std::erase_if(edges, [](const ConstraintGraph::Edge& edge) { return edge.point_count == 0; });
    for (const CompoundPair& compound : compound_pairs) contacts.pairs[compound.pair].edges = 0;
    for (const ConstraintGraph::Edge& edge : edges) {
        if (edge.pair != null_index) ++contacts.pairs[edge.pair].edges;
        const std::uint8_t how = edge.bounces ? by_contact | by_bounce : by_contact;
        constrained[edge.a] |= how;
        constrained[edge.b] |= how;
        ++loads[edge.a];
        ++loads[edge.b];
    }
    for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
        const JointBodies ends = joints.bodies(j);
        if (ends.b == null_index) continue;
        constrained[ends.a] |= by_joint;
        constrained[ends.b] |= by_joint;
    }
    index_bodies(dt, jobs);

    const bool any_joints = joints.live_count() != 0;
    for (ConstraintGraph::Edge& edge : edges) {
        if (any_joints) {
            edge.jointed = (edge.pushes_a && (constrained[edge.a] & by_joint) != 0) ||
                           (edge.pushes_b && (constrained[edge.b] & by_joint) != 0);
        }
        edge.a = solver_index[edge.a];
        edge.b = solver_index[edge.b];
    }
    const bool in_groups = slab_groups.back() != 0;
    const auto join_islands = [&] {
        islands.reset(static_cast<std::uint32_t>(solver_slots.size()));
        for (const ConstraintGraph::Edge& edge : edges) {
            if (edge.pushes_a && edge.pushes_b) islands.join(edge.a, edge.b);
        }
        joint_edges.clear();
        for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
            const JointBodies ends = joints.bodies(j);
            if (ends.b == null_index) continue;
            const auto index_of = [&](std::uint32_t slot) {
                return bodies[slot].is_dynamic() ? solver_index[slot] : 0;
            };
            const std::uint32_t a = index_of(ends.a), b = index_of(ends.b);
            if (a != 0 || b != 0) joint_edges.push_back({a, b, joints[j].kind != JointKind::gear});
            if (a != 0 && b != 0) islands.join(a, b);
        }
        stiff_groups.find({edges, solver_slots, held_end, bodies, contacts, colliders}, edges, joint_edges, def.gravity,
                          dt, dt / static_cast<float>(def.substeps), islands);
    };
    const auto color_contacts = [&] {
        graph.build(edges, solver_slabs, slab_groups);
        for (std::size_t i = 0; i < edges.size(); ++i) contacts.states[edges[i].contact].color = graph.edge_colors()[i];
    };
    // Neither reads what the other writes.
    if (in_groups) {
        jobs.for_each(2, [&](int i) { i == 0 ? color_contacts() : join_islands(); });
    } else {
        join_islands();
        color_contacts();
    }
    profile.colors = graph.color_count();
    profile.slabs = in_groups ? slabs.count() : 1;
}

/// Edges of these of the touching contacts, between body slots; those of sensors have no points.
void World::State::make_edges(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
        constexpr std::size_t ahead = 8;
        if (i + ahead < last) {
            const std::uint32_t next = touching[i + ahead];
            __builtin_prefetch(&contacts.caches[next].manifold.count);
            __builtin_prefetch(&contacts.states[next].restitution);
            __builtin_prefetch(&contacts.states[next].color);
            __builtin_prefetch(&bodies[contacts.bodies[next].a].inverse_mass);
            __builtin_prefetch(&bodies[contacts.bodies[next].b].inverse_mass);
        }
        const std::uint32_t c = touching[i];
        const ContactState& state = contacts.states[c];
        const ContactBodies& pair = contacts.bodies[c];
        const int count = state.sensor ? 0 : contacts.caches[c].manifold.count;
        const bool pushes_a = bodies[pair.a].inverse_mass > 0.0f, pushes_b = bodies[pair.b].inverse_mass > 0.0f;
        edges[i] = {c,
                    pair.a,
                    pair.b,
                    static_cast<std::uint32_t>(count),
                    pushes_a,
                    pushes_b,
                    state.special_surface,
                    state.restitution > 0.0f,
                    state.color};
        if (state.of_compound) edges[i].pair = state.pair;
    }
}

/// Puts neighbouring slabs together, so that each group has as much to solve.
void World::State::group_slabs(std::size_t groups) {
    slab_groups = {};
    std::uint64_t all = 0, before = 0;
    for (const std::uint32_t load : slab_loads) all += load;
    for (std::uint32_t i = 1, group = 0; i < slabs.count(); ++i) {
        before += slab_loads[i - 1];
        // A new one where more of the slab lies beyond its begin, and where as many slabs are left as groups.
        const std::uint64_t middle = 2 * before + slab_loads[i];
        const bool is_next = middle * groups >= 2 * all * (group + 1) || slabs.count() - i == groups - 1 - group;
        if (is_next && group + 1 < groups) ++group;
        slab_groups[i] = static_cast<std::uint8_t>(group);
    }
    for (std::uint32_t i = slabs.count(); i < most_slabs; ++i) slab_groups[i] = slab_groups[i - 1];
}

void World::State::index_bodies(float dt, const Jobs& jobs) {
    for (const std::uint32_t slot : solver_slots) {  // of the last step
        if (slot != null_index) solver_index[slot] = 0;
    }
    solver_index.resize(bodies.slot_count(), 0);
    const auto is_held = [&](std::uint32_t slot) { return constrained[slot] != 0 && bodies[slot].inverse_mass > 0.0f; };
    held.clear();
    for (const std::uint32_t slot : awake.list()) {
        if (is_held(slot)) held.push_back(slot);
    }
    find_far_movers(dt);
    slabs.cut(held, loads, bodies);
    const auto whole_groups = [](std::uint32_t count) { return (count + group_size - 1) / group_size * group_size; };
    std::array<std::uint32_t, most_slabs> places{};
    slab_loads = {};
    for (const std::uint32_t slot : held) {
        ++places[slabs.of(slot)];
        slab_loads[slabs.of(slot)] += loads[slot];
    }
    group_slabs(
        std::min<std::size_t>(slabs.count(), static_cast<std::size_t>(jobs.tasks_for(held.size(), least_bodies))));
    held_end = group_size;
    group_begins = {group_size};
    for (std::uint32_t i = 0; i < most_slabs; ++i) {
        const std::uint32_t count = whole_groups(places[i]);
        places[i] = held_end;
        held_end += count;
        group_begins[slab_groups[i] + 1u] = held_end;
    }
    solver_slots.assign(held_end, null_index);
    solver_slabs.assign(held_end, 0);
    for (const std::uint32_t slot : held) {
        const std::uint8_t slab = slabs.of(slot);
        const std::uint32_t i = places[slab]++;
        solver_index[slot] = i;
        solver_slots[i] = slot;
        solver_slabs[i] = slab;
    }
    const auto add = [&](auto&& wanted) {
        for (const std::uint32_t slot : awake.list()) {
            if (!wanted(slot)) continue;
            solver_index[slot] = static_cast<std::uint32_t>(solver_slots.size());
            solver_slots.push_back(slot);
        }
        while (solver_slots.size() % group_size != 0) solver_slots.push_back(null_index);
        return static_cast<std::uint32_t>(solver_slots.size());
    };
    const auto turns_freely = [&](std::uint32_t slot) {
        const Body& body = bodies[slot];
        return body.is_dynamic() && !body.isotropic && body.locks == 0;
    };
    constrained_end = add([&](std::uint32_t slot) { return constrained[slot] != 0 && !is_held(slot); });
    coasting_end = add([&](std::uint32_t slot) { return constrained[slot] == 0 && !turns_freely(slot); });
    add([&](std::uint32_t slot) { return constrained[slot] == 0 && turns_freely(slot); });
    solver_slabs.resize(solver_slots.size(), 0);
}

// ---- solve ----------------------------------------------------------------------------------------------------------

void put_inverse_inertia(SolverMass& mass, const mat3& m) {
    const float entries[6] = {m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]};
    std::copy(entries, entries + 6, mass.inverse_inertia);
}

void World::State::begin_body(std::uint32_t i, float substep) {
    solver_bodies[i] = SolverBody{};
    solver_masses[i] = SolverMass{};
    if (solver_slots[i] == null_index) {
        body_motions.set(i, BodyMotion{});
        return;
    }
    Body& body = bodies[solver_slots[i]];
    SolverBody& sb = solver_bodies[i];
    SolverMass& mass = solver_masses[i];
    body.linear_velocity = limited(body.linear_velocity, most_speed(body));
    // Joints solve how far their bodies turn in a sub-step.
    const bool jointed = (constrained[solver_slots[i]] & by_joint) != 0;
    const float most_spin = (jointed ? settings::max_joint_rotation : settings::max_rotation_per_substep) / substep;
    body.angular_velocity = limited(body.angular_velocity, std::min(body.max_spin, most_spin));
    if (quat(body.exact_rotation) != body.rotation) body.exact_rotation = glm::dquat(body.rotation);
    if (vec3(body.exact_spin) != body.angular_velocity) body.exact_spin = glm::dvec3(body.angular_velocity);
    store3(mass.center, body.center);
    BodyMotion motion;
    motion.max_spin = std::min(body.max_spin, most_spin);
    motion.jointed = jointed;
    if (body.is_dynamic()) {
        const auto [inverse_mass, inverse_inertia] = response_of(body, body.rotation);
        drop_locked_motion(body);
        const bool falls = inverse_mass != vec3(0.0f);
        const vec3 gravity = body.gravity_scale * def.gravity * (falls ? inverse_mass / body.inverse_mass : vec3(0.0f));
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
        motion.gyroscopic = i < constrained_end && !body.isotropic && (body.locks & lock_turning) == 0;
        if (renews) {
            const float strict = strictness(solver_slots[i]);
            motion.stale_by_spin = strict * body.stale_by_spin;
            motion.stale_by_tilt = strict * body.stale_by_tilt;
            motion.own_axis = rotate(body.rotation, vec3(body.principal.axes[0]));
        }
        motion.moments = vec3(body.principal.moments);
        if (i < constrained_end && !body.isotropic) {
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
    body_motions.set(i, motion);
}

void World::State::end_body(std::uint32_t i) {
    if (solver_slots[i] == null_index) return;
    Body& body = bodies[solver_slots[i]];
    const SolverBody& sb = solver_bodies[i];
    body.force = body.torque = vec3(0.0f);
    // Lanes of zeros beside other ones may have made -0 of 0.
    // Contacts come after joints in a sub-step: one that squeezes a light body may leave it any velocity.
    body.linear_velocity = limited(load3(sb.velocity) + vec3(0.0f), most_speed(body));
    body.center += load3(sb.displacement);
    if (i >= coasting_end) return;  // turned freely
    const glm::dquat q = glm::dquat(body_motions.turn(i)) * body.exact_rotation;
    // Of nearly unit length: one step of Newton's method.
    body.exact_rotation = q * (1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z));
    body.rotation = quat(body.exact_rotation);
    const vec3 spin = load3(sb.angular_velocity) + vec3(0.0f);
    body.exact_spin = glm::dvec3(spin);
    body.angular_velocity = limited(spin, body.max_spin);
}

void World::State::move_freely(std::uint32_t i, float substep) {
    if (solver_slots[i] == null_index) return;
    Body& body = bodies[solver_slots[i]];
    SolverBody& sb = solver_bodies[i];
    const vec3 gain = substep * (body.gravity_scale * def.gravity + body.inverse_mass * body.force);
    const float damping = 1.0f / (1.0f + substep * body.linear_damping);
    vec3 velocity = body.linear_velocity, displacement(0.0f);
    for (int k = 0; k < substeps; ++k) {
        velocity = limited((velocity + gain) * damping, most_speed(body));
        displacement += substep * velocity;
    }
    FreeTurn turn{body.torque, 1.0f / (1.0f + substep * body.angular_damping), body.exact_rotation, body.exact_spin};
    turn_freely(turn, body.principal, substeps, substep);
    store3(sb.velocity, velocity);
    store3(sb.displacement, displacement);
    store3(sb.turn, vec3(turn.turned));
    body.exact_spin = turn.spin;
    // Torques raise the spin, and so does tumbling: the energy stays, not the spin.
    body.angular_velocity = limited(vec3(turn.spin), body.max_spin);
    store3(sb.angular_velocity, body.angular_velocity);
    body.exact_rotation = turn.rotation;
    body.rotation = quat(turn.rotation);
}

/// How many sub-steps a step of dt seconds has. At a constant dt of up to settings::longest_plain_step it is what the
/// user wants.
void World::State::choose_substeps(float dt) {
    const float wanted = std::min(dt, settings::longest_plain_step) / static_cast<float>(def.substeps);
    const float remembered = usual_substep * std::max(0.0f, 1.0f - settings::forget_substep * dt);
    usual_substep = std::max(wanted, remembered);
    const float hertz = ContactSolver::usual_hertz(usual_substep);
    const SolverContacts solver_contacts{edges, solver_slots, held_end, bodies, contacts, colliders};
    crowded_contacts.find(solver_contacts, loads);
    slender_islands.find({solver_contacts, crowded_contacts, def.gravity, hertz, dt}, islands);
    // As many as usual, or as stiff contacts need.
    const float hard = slender_islands.most_hardness();
    const float needed = hard > 1.0f ? dt * hertz * std::sqrt(hard) / settings::slender_rate : 0.0f;
    substeps = std::max(1, static_cast<int>(std::ceil(std::max(dt / usual_substep, needed) - settings::substep_slack)));
}

void World::State::solve(float dt, const Jobs& jobs) {
    choose_substeps(dt);
    profile.substeps = static_cast<std::uint32_t>(substeps);
    note_supports();
    find_floating_islands();
    const float substep = dt / static_cast<float>(substeps);
    bound_driven_loads(substep);
    const std::size_t count = solver_slots.size();
    solver_bodies.resize(count);
    solver_masses.resize(count);
    body_motions.reset(count, renews);
    solver.begin(graph, edges, substep, usual_substep, renews ? contacts.states.size() : 0, slender_islands.hardness(),
                 &crowded_contacts);
    find_floating_contacts();
    const auto work_on = [&](std::size_t stage, std::uint32_t first, std::uint32_t last) {
        const StageWork& work = stage_works[stage];
        const std::uint32_t first_body = work.first + group_size * first, last_body = work.first + group_size * last;
        switch (work.kind) {
            case StageWork::Kind::fields:
                for (std::uint32_t field = first; field < last; ++field) {
                    for (std::uint32_t k = work.first; k < work.first + work.count; ++k)
                        do_field_work(field_works[k], field, substep);
                }
                break;
            case StageWork::Kind::begin_bodies:
                for (std::uint32_t i = first_body; i < last_body; ++i) begin_body(i, substep);
                break;
            case StageWork::Kind::bodies:
                body_motions.run(work.motion, first_body, last_body, solver_bodies, substep, substeps, def.max_speed);
                break;
            case StageWork::Kind::free_bodies:
                for (std::uint32_t i = first_body; i < last_body; ++i) move_freely(i, substep);
                break;
            case StageWork::Kind::end_bodies:
                for (std::uint32_t i = first_body; i < last_body; ++i) end_body(i);
                break;
            case StageWork::Kind::begin_stiff:
                stiff_groups.prepare(solver, solver_masses, substep, edges, first, last);
                break;
            case StageWork::Kind::stiff:
                stiff_groups.solve(StiffGroups::Pass::soft, solver_bodies, joint_solver, first, last);
                break;
            case StageWork::Kind::relax_stiff:
                stiff_groups.solve(StiffGroups::Pass::relax, solver_bodies, joint_solver, first, last);
                break;
            case StageWork::Kind::joints:
                (joint_solver.*work.joint_pass)(first, last);
                break;
            case StageWork::Kind::renew_contacts:
                renew_contacts(substep);
                break;
            case StageWork::Kind::bound_energy:
                bound_energy(substep);
                if (joint_solver.articulation_count() != 0 && solver.any_bounce()) joint_solver.note_impulses();
                break;
            case StageWork::Kind::bound_bounces:
                bound_bounces(substep);
                break;
            case StageWork::Kind::note_momentum:
                for (std::uint32_t i = first; i < last; ++i) note_momentum(floating[i]);
                break;
            case StageWork::Kind::restore_momentum:
                for (std::uint32_t i = first; i < last; ++i) restore_momentum(floating[i]);
                break;
        }
    };
    weigh_fields();
    clear_plan();
    plan_begin();
    if (joints.slot_count() != 0) {
        // Which articulations there are to solve is known once the bodies are ready.
        stage_team.run(jobs, stages, work_on);
        joint_solver.prepare(joints, bodies, solver_index, solver_masses,
                             {solver_bodies, &body_motions, solver_slots, &bodies, def.max_speed}, substep);
        joint_solver.prepare_contacts(solver, edges, islands);
        stiff_groups.prepare_joints(joint_solver);
        clear_plan();
    }
    plan_substeps();
    stage_team.run(jobs, stages, work_on);
    restore_colliders();
    solver.end();
    if (joints.slot_count() != 0) joint_solver.store(joints, dt);
}

void World::State::do_field_work(const FieldWork& work, std::uint32_t field, float substep) {
    // A group's contacts are read and written back with those between it and the next.
    const auto for_fields_of = [&](std::size_t group, auto&& visit) {
        for (std::size_t phase = 0; phase < contact_phases; ++phase) {
            for (std::size_t i = group; i < std::min(group + 2, most_fields); ++i)
                visit(solver.field(static_cast<ContactPhase>(phase), i));
        }
    };
    const std::uint32_t first = group_begins[field / 2], last = group_begins[field / 2 + 1];
    switch (work.kind) {
        case FieldWork::Kind::begin_bodies:
            for (std::uint32_t i = first; i < last; ++i) begin_body(i, substep);
            break;
        case FieldWork::Kind::bodies:
            body_motions.run(work.motion, first, last, solver_bodies, substep, substeps, def.max_speed);
            break;
        case FieldWork::Kind::end_bodies:
            for (std::uint32_t i = first; i < last; ++i) end_body(i);
            break;
        case FieldWork::Kind::begin_contacts: {
            const ContactSolver::Input input{edges, contacts, colliders, shapes.surfaces, solver_masses};
            for_fields_of(field, [&](const ContactSolver::Field& own) { solver.prepare(own, input); });
            break;
        }
        case FieldWork::Kind::contacts:
            solver.run(work.pass, solver.field(work.phase, field), solver_bodies);
            break;
        case FieldWork::Kind::note_calm:
            for_fields_of(field, [&](const ContactSolver::Field& own) { solver.note_calm(own); });
            break;
        case FieldWork::Kind::end_contacts:
            for_fields_of(field, [&](const ContactSolver::Field& own) { solver.store(own, contacts); });
            break;
    }
}

// All of the solve is one list, bodies and contacts written and read back included: so what a thread fills is what it
// works on. What needs nothing but one slab is one stage, however much it is.

/// So that threads get as much to do in each stage, and wait for nothing that there is not.
void World::State::weigh_fields() {
    std::uint32_t inside = 0, even = 0, odd = 0;
    for (std::size_t i = 0; i < most_fields; ++i) {
        inside_loads[i] = inside += (i % 2 == 0 ? 1 : 0) + solver.field(ContactPhase::inner, i).count +
                                    solver.field(ContactPhase::immovable, i).count;
        even_loads[i] = even += solver.field(ContactPhase::even, i).count;
        odd_loads[i] = odd += solver.field(ContactPhase::odd, i).count;
    }
}

void World::State::clear_plan() {
    stages.clear();
    stage_works.clear();
    field_works.clear();
}

void World::State::plan_stage(const Stage& stage, const StageWork& work) {
    if (stage.items == 0) return;
    stages.push_back(stage);
    stage_works.push_back(work);
}

/// Goes on with the last stage if that is of this kind, too.
void World::State::plan_in_groups(const FieldWork& work) {
    const bool goes_on = !stage_works.empty() && stage_works.back().kind == StageWork::Kind::fields &&
                         field_works[stage_works.back().first].is_inside_groups();
    if (!goes_on) {
        plan_stage({2u * slab_groups.back() + 1, 1, inside_loads.data(), true},
                   {.kind = StageWork::Kind::fields, .first = static_cast<std::uint32_t>(field_works.size())});
    }
    field_works.push_back(work);
    ++stage_works.back().count;
}

void World::State::plan_across(ContactPhase phase, ContactSolver::Pass pass) {
    if (!solver.has(phase)) return;
    const std::uint32_t* const field_loads = phase == ContactPhase::even ? even_loads.data() : odd_loads.data();
    plan_stage(phase == ContactPhase::far ? Stage{1, 1} : Stage{2u * slab_groups.back() + 1, 1, field_loads, true},
               {.kind = StageWork::Kind::fields, .first = static_cast<std::uint32_t>(field_works.size()), .count = 1});
    field_works.push_back({.kind = FieldWork::Kind::contacts, .pass = pass, .phase = phase});
}

void World::State::plan_bodies(StageWork::Kind kind, std::uint32_t first, std::uint32_t last,
                               BodyMotions::Pass motion) {
    plan_stage({(last - first) / group_size, group_block}, {.kind = kind, .first = first, .motion = motion});
}

/// What can't be pushed is read from many slabs: it moves when nobody does.
void World::State::plan_motion(BodyMotions::Pass motion) {
    plan_bodies(StageWork::Kind::bodies, held_end, constrained_end, motion);
    plan_in_groups({.kind = FieldWork::Kind::bodies, .motion = motion});
}

void World::State::plan_contacts(ContactSolver::Pass pass) {
    plan_in_groups({.kind = FieldWork::Kind::contacts, .pass = pass, .phase = ContactPhase::inner});
    for (const ContactPhase phase : {ContactPhase::even, ContactPhase::odd, ContactPhase::far})
        plan_across(phase, pass);
    plan_in_groups({.kind = FieldWork::Kind::contacts, .pass = pass, .phase = ContactPhase::immovable});
}

void World::State::plan_stiff(StageWork::Kind kind) { plan_stage({stiff_groups.group_count(), 1}, {.kind = kind}); }

void World::State::plan_momentum(StageWork::Kind kind) {
    plan_stage({static_cast<std::uint32_t>(floating.size()), floating_block}, {.kind = kind});
}

void World::State::plan_joints(std::uint32_t count, StageWork::JointPass pass) {
    plan_stage({count, 1}, {.kind = StageWork::Kind::joints, .joint_pass = pass});
}

void World::State::plan_begin() {
    const auto end = static_cast<std::uint32_t>(solver_slots.size());
    plan_in_groups({.kind = FieldWork::Kind::begin_bodies});
    // Index 0; a stage of its own, so that nobody prepares contacts before all bodies are ready.
    plan_bodies(StageWork::Kind::begin_bodies, 0, group_size);
    plan_bodies(StageWork::Kind::begin_bodies, held_end, end);
    plan_bodies(StageWork::Kind::bodies, constrained_end, coasting_end, &SolverKernel::coast);
    plan_bodies(StageWork::Kind::free_bodies, coasting_end, end);
    plan_in_groups({.kind = FieldWork::Kind::begin_contacts});
    plan_stiff(StageWork::Kind::begin_stiff);
}

/// Contacts have the last word in each pass (joint_solver.h says why).
void World::State::plan_substeps() {
    for (int i = 0; i < substeps && (!edges.empty() || joint_solver.articulation_count() != 0); ++i) {
        plan_motion(&SolverKernel::integrate_velocities);
        plan_momentum(StageWork::Kind::note_momentum);
        if (solver.any_bounce()) plan_contacts(&SolverKernel::begin_restitution);
        plan_contacts(&SolverKernel::warm_start);
        plan_stiff(StageWork::Kind::stiff);
        plan_joints(joint_solver.articulation_count(), &JointSolver::solve);
        plan_joints(joint_solver.contact_group_count(), &JointSolver::solve_contacts);
        plan_contacts(&SolverKernel::solve);
        plan_motion(&SolverKernel::integrate_positions);
        if (renews) plan_stage({1, 1}, {.kind = StageWork::Kind::renew_contacts});
        plan_joints(joint_solver.articulation_count(), &JointSolver::relax);
        plan_stiff(StageWork::Kind::relax_stiff);
        plan_contacts(&SolverKernel::relax);
        plan_in_groups({.kind = FieldWork::Kind::bodies, .motion = &SolverKernel::find_gains});
        plan_stage({1, 1}, {.kind = StageWork::Kind::bound_energy});
        if (!solver.any_bounce()) {
            plan_momentum(StageWork::Kind::restore_momentum);
            continue;
        }
        plan_in_groups({.kind = FieldWork::Kind::bodies, .motion = &SolverKernel::note_calm});
        plan_in_groups({.kind = FieldWork::Kind::note_calm});
        for (int k = 0; k < settings::restitution_passes; ++k) plan_contacts(&SolverKernel::bounce);
        for (int k = 0; k < settings::joint_bounces && joint_solver.contact_group_count() != 0; ++k) {
            plan_joints(joint_solver.contact_group_count(), &JointSolver::transmit_bounces);
            plan_contacts(&SolverKernel::bounce);
        }
        plan_joints(joint_solver.contact_group_count(), &JointSolver::pass_bounces_on);
        plan_in_groups({.kind = FieldWork::Kind::bodies, .motion = &SolverKernel::find_bounce_gains});
        plan_stage({1, 1}, {.kind = StageWork::Kind::bound_bounces});
        plan_momentum(StageWork::Kind::restore_momentum);
        plan_contacts(&SolverKernel::end_restitution);
    }
    plan_motion(&SolverKernel::end_spins);
    plan_in_groups({.kind = FieldWork::Kind::end_contacts});
    plan_in_groups({.kind = FieldWork::Kind::end_bodies});
    plan_bodies(StageWork::Kind::end_bodies, held_end, static_cast<std::uint32_t>(solver_slots.size()));
}

}  // namespace talus
