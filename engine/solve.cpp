/// Stages `graph` and `solve`: touching contacts become coloured constraints, constraints become velocities and poses.

#include <talus/engine/integrate.h>
#include <talus/engine/settings.h>
#include <talus/engine/world_state.h>

#include <algorithm>
#include <array>
#include <limits>

namespace talus {

namespace {

/// Bodies are counted in groups of the widest lanes. Groups and records that are taken by a thread at a time: with a sixth of that,
/// a pyramid of 820 boxes gains 1.1 times from a second thread, not 1.3.
constexpr std::uint32_t group_size = 8, group_block = 24, record_block = 24;

}  // namespace

void World::State::build_graph(const Jobs& jobs) {
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
        gather_active();
        touching.clear();
        for (const std::uint32_t c : active) {
            if (has_manifold(c)) touching.push_back(c);
        }
        modify_contacts();  // those of the island
    }

    edges.clear();
    constrained.resize(bodies.slot_count(), 0);
    for (const std::uint32_t slot : awake.list()) constrained[slot] = 0;  // nobody asks about others
    for (const std::uint32_t c : touching) {
        if (contacts.states[c].sensor) continue;
        const int count = contacts.caches[c].manifold.count;
        const ContactBodies& pair = contacts.bodies[c];
        const bool pushes_a = bodies[pair.a].inverse_mass > 0.0f, pushes_b = bodies[pair.b].inverse_mass > 0.0f;
        edges.push_back({c, pair.a, pair.b, static_cast<std::uint32_t>(count), pushes_a, pushes_b,
                         contacts.states[c].special_surface, contacts.states[c].restitution > 0.0f, contacts.states[c].color});
        constrained[pair.a] = constrained[pair.b] = by_contact;
    }
    for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
        const JointBodies ends = joints.bodies(j);
        if (ends.b == null_index) continue;
        constrained[ends.a] |= by_joint;
        constrained[ends.b] |= by_joint;
    }
    index_bodies(jobs);

    const auto total = static_cast<std::uint32_t>(solver_slots.size());
    islands.reset(total);
    for (ConstraintGraph::Edge& edge : edges) {
        edge.a = solver_index[edge.a];
        edge.b = solver_index[edge.b];
        if (edge.pushes_a && edge.pushes_b) islands.join(edge.a, edge.b);
    }
    for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
        const JointBodies ends = joints.bodies(j);
        if (ends.b == null_index || !bodies[ends.a].is_dynamic() || !bodies[ends.b].is_dynamic()) continue;
        islands.join(solver_index[ends.a], solver_index[ends.b]);
    }
    columns.find(edges, solver_slots, bodies);
    graph.build(edges, total, static_cast<std::uint32_t>(jobs.tasks_for(total, 2 * least_bodies)));
    for (const ConstraintGraph::Edge& edge : edges) contacts.states[edge.contact].color = edge.color;
    profile.colors = static_cast<std::uint32_t>(graph.colors().size());
}

/// The awake bodies in the order in which they are to get their indices: any will do, as far as the result is concerned. Threads want
/// what is near to have indices that are near: then they write to bodies that others seldom read. So they go in slices along the longest
/// side of the box around all.
std::span<const std::uint32_t> World::State::ordered_bodies(const Jobs& jobs) {
    const auto list = awake.list();
    if (jobs.tasks_for(list.size(), 2 * least_bodies) == 1) return list;
    Aabb box{vec3(std::numeric_limits<float>::infinity()), vec3(-std::numeric_limits<float>::infinity())};
    for (const std::uint32_t slot : list) {
        box.lower = glm::min(box.lower, bodies[slot].center);
        box.upper = glm::max(box.upper, bodies[slot].center);
    }
    const vec3 size = box.upper - box.lower;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    constexpr std::uint32_t slices = 256;
    const float scale = size[axis] > 0.0f ? static_cast<float>(slices) / size[axis] : 0.0f;
    std::array<std::uint32_t, slices + 1> places{};
    const auto slice_of = [&](std::uint32_t slot) {
        const float at = scale * (bodies[slot].center[axis] - box.lower[axis]);
        return at > 0.0f ? std::min(static_cast<std::uint32_t>(at), slices - 1) : 0u;
    };
    for (const std::uint32_t slot : list) ++places[slice_of(slot) + 1];
    for (std::uint32_t i = 0; i < slices; ++i) places[i + 1] += places[i];
    sliced.resize(list.size());
    for (const std::uint32_t slot : list) sliced[places[slice_of(slot)]++] = slot;
    return sliced;
}

void World::State::index_bodies(const Jobs& jobs) {
    for (const std::uint32_t slot : solver_slots) {  // of the last step
        if (slot != null_index) solver_index[slot] = 0;
    }
    solver_index.resize(bodies.slot_count(), 0);
    solver_slots.assign(1, null_index);
    const auto order = ordered_bodies(jobs);
    const auto add = [&](auto&& wanted) {
        for (const std::uint32_t slot : order) {
            if (!wanted(slot)) continue;
            solver_index[slot] = static_cast<std::uint32_t>(solver_slots.size());
            solver_slots.push_back(slot);
        }
        // Whole groups of lanes.
        while (solver_slots.size() % group_size != 0) solver_slots.push_back(null_index);
        return static_cast<std::uint32_t>(solver_slots.size());
    };
    const auto turns_freely = [&](std::uint32_t slot) {
        const Body& body = bodies[slot];
        return body.is_dynamic() && !body.isotropic && body.locks == 0;
    };
    constrained_end = add([&](std::uint32_t slot) { return constrained[slot] != 0; });
    coasting_end = add([&](std::uint32_t slot) { return constrained[slot] == 0 && !turns_freely(slot); });
    add([&](std::uint32_t slot) { return constrained[slot] == 0 && turns_freely(slot); });
}

// ---- solve ----------------------------------------------------------------------------------------------------------

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
    body.linear_velocity = limited(body.linear_velocity, body.max_speed);
    body.angular_velocity = limited(body.angular_velocity, body.max_spin);
    if (quat(body.exact_rotation) != body.rotation) body.exact_rotation = glm::dquat(body.rotation);
    if (vec3(body.exact_spin) != body.angular_velocity) body.exact_spin = glm::dvec3(body.angular_velocity);
    store3(mass.center, body.center);
    BodyMotion motion;
    if (body.is_dynamic()) {
        const auto [inverse_mass, inertia, inverse_inertia] = response_of(body, body.rotation);
        for (int k = 0; k < 3; ++k) {
            if ((body.locks & (lock_x << k)) != 0) body.linear_velocity[k] = 0.0f;
            if ((body.locks & (lock_turn_x << k)) != 0) body.angular_velocity[k] = 0.0f;
        }
        const bool falls = inverse_mass != vec3(0.0f);
        const vec3 gravity = body.gravity_scale * def.gravity * (falls ? inverse_mass / body.inverse_mass : vec3(0.0f));
        store3(mass.gravity, gravity);
        store3(mass.inverse_mass, inverse_mass);
        const float entries[6] = {inverse_inertia[0][0], inverse_inertia[1][1], inverse_inertia[2][2],
                                  inverse_inertia[0][1], inverse_inertia[0][2], inverse_inertia[1][2]};
        std::copy(entries, entries + 6, mass.inverse_inertia);
        motion.acceleration = gravity + inverse_mass * body.force;
        motion.angular_acceleration = inverse_inertia * body.torque;
        motion.linear_damping = 1.0f / (1.0f + substep * body.linear_damping);
        motion.angular_damping = 1.0f / (1.0f + substep * body.angular_damping);
        motion.gyroscopic = i < constrained_end && !body.isotropic && (body.locks & lock_turning) == 0;
        motion.inertia = inertia;
        motion.inverse_inertia = inverse_inertia;
        motion.spin = body.angular_velocity;
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
    body.linear_velocity = limited(load3(sb.velocity) + vec3(0.0f), body.max_speed);
    body.center += load3(sb.displacement);
    if (i >= coasting_end) return;  // turned freely
    body.angular_velocity = limited(load3(sb.angular_velocity) + vec3(0.0f), body.max_spin);
    body.exact_spin = glm::dvec3(body.angular_velocity);
    const glm::dquat q = glm::dquat(body_motions.turn(i)) * body.exact_rotation;
    body.exact_rotation = q * (1.0 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z));
    body.rotation = quat(body.exact_rotation);
}

void World::State::move_freely(std::uint32_t i, float substep) {
    if (solver_slots[i] == null_index) return;
    Body& body = bodies[solver_slots[i]];
    SolverBody& sb = solver_bodies[i];
    const vec3 gain = substep * (body.gravity_scale * def.gravity + body.inverse_mass * body.force);
    const float damping = 1.0f / (1.0f + substep * body.linear_damping);
    vec3 velocity = body.linear_velocity, displacement(0.0f);
    for (int k = 0; k < def.substeps; ++k) {
        velocity = limited((velocity + gain) * damping, def.max_speed);
        displacement += substep * velocity;
    }
    FreeTurn turn{body.torque, 1.0f / (1.0f + substep * body.angular_damping), body.exact_rotation, body.exact_spin};
    turn_freely(turn, body.inertia, def.substeps, substep);
    store3(sb.velocity, velocity);
    store3(sb.displacement, displacement);
    store3(sb.turn, vec3(turn.turned));
    body.exact_spin = turn.spin;
    body.angular_velocity = vec3(turn.spin);
    store3(sb.angular_velocity, body.angular_velocity);
    body.exact_rotation = turn.rotation;
    body.rotation = quat(turn.rotation);
}

void World::State::solve(float dt, const Jobs& jobs) {
    const float substep = dt / static_cast<float>(def.substeps);
    const std::size_t count = solver_slots.size();
    solver_bodies.resize(count);
    solver_masses.resize(count);
    body_motions.reset(count);
    solver.begin(graph, edges, substep);
    const ContactSolver::Input input{edges, contacts, colliders, shapes.surfaces, solver_masses};
    const auto work_on = [&](std::size_t stage, std::uint32_t first, std::uint32_t last) {
        const StageWork& work = stage_works[stage];
        const std::uint32_t first_body = work.first_body + group_size * first;
        const std::uint32_t end_body_index = work.first_body + group_size * last;
        switch (work.kind) {
            case StageWork::Kind::begin_bodies:
                for (std::uint32_t i = first_body; i < end_body_index; ++i) begin_body(i, substep);
                break;
            case StageWork::Kind::free_bodies:
                for (std::uint32_t i = first_body; i < end_body_index; ++i) move_freely(i, substep);
                break;
            case StageWork::Kind::end_bodies:
                for (std::uint32_t i = first_body; i < end_body_index; ++i) end_body(i);
                break;
            case StageWork::Kind::bodies:
                body_motions.run(work.motion, first_body, end_body_index, solver_bodies, substep, def.substeps, def.max_speed);
                break;
            case StageWork::Kind::begin_columns:
                columns.prepare(solver, first, last);
                break;
            case StageWork::Kind::columns:
                columns.solve(solver_bodies, first, last);
                break;
            case StageWork::Kind::begin_contacts:
                solver.prepare(solver.colors()[work.color], first, last - first, input);
                break;
            case StageWork::Kind::contacts:
                solver.run(work.pass, solver.colors()[work.color], first, last - first, solver_bodies);
                break;
            case StageWork::Kind::joints:
                (joint_solver.*work.joint_pass)(first, last);
                break;
            case StageWork::Kind::end_contacts:
                solver.store(solver.colors()[work.color], first, last - first, contacts);
                break;
        }
    };
    stages.clear();
    stage_works.clear();
    plan_begin();
    if (joints.slot_count() != 0) {
        // Which articulations there are to solve is known once the bodies are ready.
        stage_team.run(jobs, stages, work_on);
        joint_solver.prepare(joints, bodies, solver_index, solver_masses, {solver_bodies, &body_motions, solver_slots, &bodies, def.max_speed},
                             substep);
        stages.clear();
        stage_works.clear();
    }
    plan_substeps();
    stage_team.run(jobs, stages, work_on);
    solver.end();
    if (joints.slot_count() != 0) joint_solver.store(joints, dt);
}

// All of the solve is one list, bodies and contacts written and read back included: so what a thread fills is what it works on.

void World::State::plan_bodies(StageWork::Kind kind, std::uint32_t first, std::uint32_t last, BodyMotions::Pass motion) {
    if (first == last) return;
    stages.push_back({(last - first) / group_size, group_block});
    stage_works.push_back({.kind = kind, .motion = motion, .first_body = first});
}

void World::State::plan_contacts(StageWork::Kind kind, ContactSolver::Pass pass) {
    for (std::uint32_t color = 0; color < solver.colors().size(); ++color) {
        const ContactSolver::Color& c = solver.colors()[color];
        stages.push_back({c.count, c.parallel ? record_block : 5 * c.count});
        stage_works.push_back({.kind = kind, .pass = pass, .color = color});
    }
}

void World::State::plan_columns(StageWork::Kind kind) {
    if (columns.group_count() == 0) return;
    stages.push_back({columns.group_count(), 1});
    stage_works.push_back({.kind = kind});
}

void World::State::plan_joints(StageWork::JointPass pass) {
    if (joint_solver.articulation_count() == 0) return;
    stages.push_back({joint_solver.articulation_count(), 1});
    stage_works.push_back({.kind = StageWork::Kind::joints, .joint_pass = pass});
}

void World::State::plan_begin() {
    const auto end = static_cast<std::uint32_t>(solver_slots.size());
    plan_bodies(StageWork::Kind::begin_bodies, 0, constrained_end);
    plan_bodies(StageWork::Kind::begin_bodies, constrained_end, end);
    plan_bodies(StageWork::Kind::bodies, constrained_end, coasting_end, &SolverKernel::coast);
    plan_bodies(StageWork::Kind::free_bodies, coasting_end, end);
    plan_contacts(StageWork::Kind::begin_contacts);
    plan_columns(StageWork::Kind::begin_columns);
}

/// Contacts have the last word in each pass (joint_solver.h says why).
void World::State::plan_substeps() {
    for (int i = 0; i < def.substeps && (!edges.empty() || joint_solver.articulation_count() != 0); ++i) {
        plan_bodies(StageWork::Kind::bodies, 0, constrained_end, &SolverKernel::integrate_velocities);
        if (solver.any_bounce()) plan_contacts(StageWork::Kind::contacts, &SolverKernel::begin_restitution);
        plan_contacts(StageWork::Kind::contacts, &SolverKernel::warm_start);
        plan_columns(StageWork::Kind::columns);
        plan_joints(&JointSolver::solve);
        plan_contacts(StageWork::Kind::contacts, &SolverKernel::solve);
        plan_bodies(StageWork::Kind::bodies, 0, constrained_end, &SolverKernel::integrate_positions);
        plan_joints(&JointSolver::relax);
        plan_contacts(StageWork::Kind::contacts, &SolverKernel::relax);
        if (!solver.any_bounce()) continue;
        for (int k = 0; k < settings::restitution_passes; ++k) plan_contacts(StageWork::Kind::contacts, &SolverKernel::end_restitution);
        plan_contacts(StageWork::Kind::contacts, &SolverKernel::forget_bounces);
    }
    plan_contacts(StageWork::Kind::end_contacts);
    plan_bodies(StageWork::Kind::end_bodies, 0, constrained_end);
    plan_bodies(StageWork::Kind::end_bodies, constrained_end, static_cast<std::uint32_t>(solver_slots.size()));
}

}  // namespace talus
