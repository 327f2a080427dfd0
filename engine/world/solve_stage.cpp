/// Stage `solve`: computes new velocities and poses of bodies, and the impulses of contacts and joints.

#include "engine/world/world_state.h"

#include <algorithm>

namespace talus {

void World::State::solve(float dt, const Jobs& jobs) {
    substeps.choose({edges, indices.slots(), indices.movable_end(), bodies, contacts, colliders},
                    indices.contact_counts(), islands, dt, def);
    profile.substeps = static_cast<std::uint32_t>(substeps.count());
    const float substep = dt / static_cast<float>(substeps.count());
    const SolveInput in = solve_input();
    const ContactWorld world = contact_world();
    supports.find(in, islands, contacts.states);
    driven_loads.limit(in, def.gravity, substep, contacts.states);
    island_momentum.find_islands(in, supports);
    const bool renews = substep_contacts.may_renew();
    moving.reset(indices, {def.gravity, def.max_speed, substep, substeps.count(), renews});
    solver.begin(graph, edges, substep, substeps.count(), substeps.contact_hertz(), renews ? contacts.states.size() : 0,
                 substeps.hardness(), &substeps.crowded());
    island_momentum.find_contacts(in, solver);

    const auto work_on = [&](std::size_t stage, std::uint32_t first, std::uint32_t last) {
        do_work(plan.work(stage), in, first, last);
    };
    const SolvePlan::Input planned{.indices = indices,
                                   .contacts = solver,
                                   .joints = joint_solver,
                                   .stiff_groups = stiff_groups.group_count(),
                                   .unsupported_islands = island_momentum.island_count(),
                                   .any_contact = !edges.empty(),
                                   .renews_contacts = renews,
                                   .substeps = substeps.count()};
    plan.begin(planned);
    plan.plan_begin(planned);
    if (joints.slot_count() != 0) {
        // The articulations are known only after the bodies are ready, so the first stages run now.
        stage_team.run(jobs, plan.stages(), work_on);
        joint_solver.prepare(joints, bodies, indices.index_by_slot(), moving.masses(),
                             {moving.bodies(), &moving.motions(), indices.slots(), &bodies, def.max_speed}, substep,
                             {def.timing, def.enable_joint_batches, jobs});
        joint_solver.prepare_contacts(solver, edges, islands);
        stiff_groups.prepare_joints(joint_solver);
        plan.drop_done();
    }
    plan.plan_substeps(planned);
    stage_team.run(jobs, plan.stages(), work_on);
    substep_contacts.restore_colliders(world);
    solver.end();
    profile.stiff_groups = stiff_groups.group_count();
    profile.stiff_work = stiff_groups.work();
    if (joints.slot_count() != 0) {
        joint_solver.store(joints, dt, jobs);
        profile.joints = joint_solver.profile(bodies, profile.narrowphase.clock_reads);
    }
    kinematic_targets.arrive(bodies);
}

/// Does one stage of the plan on its parts `first` up to `last`: fields, groups of bodies, islands or articulations.
void World::State::do_work(const SolvePlan::Work& work, const SolveInput& in, std::uint32_t first, std::uint32_t last) {
    using Kind = SolvePlan::Work::Kind;
    constexpr std::uint32_t group_size = SolverIndices::group_size;
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
            stiff_groups.prepare(solver, moving.masses(), moving.motions(), moving.step().substep, edges, first, last);
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
            (substep_contacts.*work.renewal)(
                {contact_world(), in, moving, solver, mesh_contacts, solid_contacts, collide_settings(), any_locked},
                first, last);
            if (work.renewal == &SubstepContacts::list) profile.renewed_contacts += substep_contacts.renewed_count();
            break;
        case Kind::bound_iterations:
            energy_bound.bound_iterations(in, moving, solver, joint_solver);
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
}

void World::State::do_field_work(const SolvePlan::FieldWork& work, std::uint32_t field) {
    using Kind = SolvePlan::FieldWork::Kind;
    // The contacts inside a group are read and written together with those between this group and the next one.
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
            const ContactSolver::Input input{
                edges, contacts, colliders, shapes, moving.masses(), moving.start_velocities(), moving.centers()};
            for_fields_of(field, [&](const ContactSolver::Field& own) { solver.prepare(own, input); });
            break;
        }
        case Kind::contacts:
            solver.run(work.pass, solver.field(work.phase, field), moving.bodies());
            break;
        case Kind::bounces:
            solver.bounce(work.phase, field, work.bounce, moving.bodies());
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
