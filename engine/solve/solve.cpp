/// Stages `graph` and `solve`: touching contacts become coloured constraints, constraints become velocities and poses.

#include "engine/settings.h"
#include "engine/world/world_state.h"

#include <algorithm>
#include <cmath>

namespace talus {

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
    indices.clear(bodies.slot_count(), awake);
    std::erase_if(edges, [](const ConstraintGraph::Edge& edge) { return edge.point_count == 0; });
    for (const CompoundPair& compound : compound_pairs) contacts.pairs[compound.pair].edges = 0;
    for (const ConstraintGraph::Edge& edge : edges) {
        if (edge.pair != null_index) ++contacts.pairs[edge.pair].edges;
    }
    indices.add_contacts(edges);
    for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
        const JointBodies ends = joints.bodies(j);
        if (ends.b != null_index) indices.add_joint(ends.a, ends.b);
    }
    indices.assign(bodies, awake, jobs);
    find_far_movers(dt);

    const bool any_joints = joints.live_count() != 0;
    for (ConstraintGraph::Edge& edge : edges) {
        if (any_joints) {
            edge.jointed = (edge.pushes_a && indices.has_joint(edge.a)) || (edge.pushes_b && indices.has_joint(edge.b));
        }
        edge.a = indices.of(edge.a);
        edge.b = indices.of(edge.b);
    }
    const bool in_groups = indices.slab_group_count() > 1;
    const auto join_islands = [&] {
        islands.reset(indices.size());
        for (const ConstraintGraph::Edge& edge : edges) {
            if (edge.pushes_a && edge.pushes_b) islands.join(edge.a, edge.b);
        }
        joint_ties.clear();
        for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
            const JointBodies ends = joints.bodies(j);
            if (ends.b == null_index) continue;
            const auto index_of = [&](std::uint32_t slot) { return bodies[slot].is_dynamic() ? indices.of(slot) : 0; };
            const std::uint32_t a = index_of(ends.a), b = index_of(ends.b);
            if (a != 0 || b != 0) joint_ties.push_back({a, b, joints[j].kind != JointKind::gear});
            if (a != 0 && b != 0) islands.join(a, b);
        }
        stiff_groups.find({edges, indices.slots(), indices.movable_end(), bodies, contacts, colliders}, edges,
                          joint_ties, def.gravity, dt, dt / static_cast<float>(def.substeps), islands);
    };
    const auto color_contacts = [&] {
        graph.build(edges, indices.slabs(), indices.slab_groups());
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
    profile.slabs = in_groups ? indices.slab_count() : 1;
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

// ---- solve ----------------------------------------------------------------------------------------------------------

/// How many sub-steps a step of dt seconds has. At a constant dt of up to settings::longest_plain_step it is what the
/// user wants.
void World::State::choose_substeps(float dt) {
    const float wanted = std::min(dt, settings::longest_plain_step) / static_cast<float>(def.substeps);
    const float remembered = usual_substep * std::max(0.0f, 1.0f - settings::forget_substep * dt);
    usual_substep = std::max(wanted, remembered);
    const float hertz = ContactSolver::usual_hertz(usual_substep);
    const SolverContacts solver_contacts{edges, indices.slots(), indices.movable_end(), bodies, contacts, colliders};
    crowded_contacts.find(solver_contacts, indices.contact_counts());
    slender_islands.find({solver_contacts, crowded_contacts, def.gravity, hertz, dt}, islands);
    // As many as usual, or as stiff contacts need.
    const float hard = slender_islands.most_hardness();
    const float needed = hard > 1.0f ? dt * hertz * std::sqrt(hard) / settings::slender_rate : 0.0f;
    substeps = std::max(1, static_cast<int>(std::ceil(std::max(dt / usual_substep, needed) - settings::substep_slack)));
}

void World::State::solve(float dt, const Jobs& jobs) {
    choose_substeps(dt);
    profile.substeps = static_cast<std::uint32_t>(substeps);
    const float substep = dt / static_cast<float>(substeps);
    const SolveInput in = solve_input();
    supports.find(in, islands, contacts.states);
    driven_loads.limit(in, def.gravity, substep, contacts.states);
    island_momentum.find_islands(in, supports);
    moving.reset(indices.size(), {def.gravity, def.max_speed, substep, substeps, renews});
    solver.begin(graph, edges, substep, usual_substep, renews ? contacts.states.size() : 0, slender_islands.hardness(),
                 &crowded_contacts);
    island_momentum.find_contacts(in, solver);

    using Kind = SolvePlan::Work::Kind;
    const auto work_on = [&](std::size_t stage, std::uint32_t first, std::uint32_t last) {
        constexpr std::uint32_t group_size = SolverIndices::group_size;
        const SolvePlan::Work& work = plan.work(stage);
        const std::uint32_t first_body = work.first + group_size * first, last_body = work.first + group_size * last;
        switch (work.kind) {
            case Kind::fields:
                for (std::uint32_t field = first; field < last; ++field) {
                    for (const SolvePlan::FieldWork& each : plan.field_works(work)) do_field_work(each, field);
                }
                break;
            case Kind::begin_bodies:
                for (std::uint32_t i = first_body; i < last_body; ++i) moving.begin(i, indices, bodies);
                break;
            case Kind::bodies:
                moving.run(work.motion, first_body, last_body);
                break;
            case Kind::free_bodies:
                for (std::uint32_t i = first_body; i < last_body; ++i) moving.move_freely(i, indices, bodies);
                break;
            case Kind::end_bodies:
                for (std::uint32_t i = first_body; i < last_body; ++i) moving.end(i, indices, bodies);
                break;
            case Kind::begin_stiff:
                stiff_groups.prepare(solver, moving.masses(), substep, edges, first, last);
                break;
            case Kind::stiff:
                stiff_groups.solve(StiffGroups::Pass::soft, moving.bodies(), joint_solver, first, last);
                break;
            case Kind::relax_stiff:
                stiff_groups.solve(StiffGroups::Pass::relax, moving.bodies(), joint_solver, first, last);
                break;
            case Kind::joints:
                (joint_solver.*work.joint_pass)(first, last);
                break;
            case Kind::renew_contacts:
                renew_contacts(substep);
                break;
            case Kind::bound_sweeps:
                energy_bound.bound_sweeps(in, moving, solver, joint_solver);
                if (joint_solver.articulation_count() != 0 && solver.any_bounce()) joint_solver.note_impulses();
                break;
            case Kind::bound_bounces:
                energy_bound.bound_bounces(in, moving, solver, joint_solver);
                break;
            case Kind::note_momentum:
                for (std::uint32_t i = first; i < last; ++i) island_momentum.note(i, in, moving);
                break;
            case Kind::restore_momentum:
                for (std::uint32_t i = first; i < last; ++i) island_momentum.restore(i, in, moving, solver);
                break;
        }
    };
    const SolvePlan::Input planned{.indices = indices,
                                   .contacts = solver,
                                   .joints = joint_solver,
                                   .stiff_groups = stiff_groups.group_count(),
                                   .floating_islands = island_momentum.island_count(),
                                   .any_contact = !edges.empty(),
                                   .renews_contacts = renews,
                                   .substeps = substeps};
    plan.begin(planned);
    plan.plan_begin(planned);
    if (joints.slot_count() != 0) {
        // Which articulations there are to solve is known once the bodies are ready.
        stage_team.run(jobs, plan.stages(), work_on);
        joint_solver.prepare(joints, bodies, indices.index_by_slot(), moving.masses(),
                             {moving.bodies(), &moving.motions(), indices.slots(), &bodies, def.max_speed}, substep);
        joint_solver.prepare_contacts(solver, edges, islands);
        stiff_groups.prepare_joints(joint_solver);
        plan.drop_done();
    }
    plan.plan_substeps(planned);
    stage_team.run(jobs, plan.stages(), work_on);
    restore_colliders();
    solver.end();
    if (joints.slot_count() != 0) joint_solver.store(joints, dt);
}

void World::State::do_field_work(const SolvePlan::FieldWork& work, std::uint32_t field) {
    using Kind = SolvePlan::FieldWork::Kind;
    // A group's contacts are read and written back with those between it and the next.
    const auto for_fields_of = [&](std::size_t group, auto&& visit) {
        for (std::size_t phase = 0; phase < contact_phases; ++phase) {
            for (std::size_t i = group; i < std::min(group + 2, most_fields); ++i)
                visit(solver.field(static_cast<ContactPhase>(phase), i));
        }
    };
    const std::uint32_t first = indices.slab_group_begin(field / 2), last = indices.slab_group_begin(field / 2 + 1);
    switch (work.kind) {
        case Kind::begin_bodies:
            for (std::uint32_t i = first; i < last; ++i) moving.begin(i, indices, bodies);
            break;
        case Kind::bodies:
            moving.run(work.motion, first, last);
            break;
        case Kind::end_bodies:
            for (std::uint32_t i = first; i < last; ++i) moving.end(i, indices, bodies);
            break;
        case Kind::begin_contacts: {
            const ContactSolver::Input input{edges, contacts, colliders, shapes.surfaces, moving.masses()};
            for_fields_of(field, [&](const ContactSolver::Field& own) { solver.prepare(own, input); });
            break;
        }
        case Kind::contacts:
            solver.run(work.pass, solver.field(work.phase, field), moving.bodies());
            break;
        case Kind::note_calm:
            for_fields_of(field, [&](const ContactSolver::Field& own) { solver.note_calm(own); });
            break;
        case Kind::end_contacts:
            for_fields_of(field, [&](const ContactSolver::Field& own) { solver.store(own, contacts); });
            break;
    }
}

}  // namespace talus
