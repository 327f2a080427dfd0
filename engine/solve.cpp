/// Stages `graph` and `solve`: touching contacts become coloured constraints, constraints become velocities and poses.

#include <talus/engine/integrate.h>
#include <talus/engine/settings.h>
#include <talus/engine/world_state.h>

namespace talus {

namespace {

/// Groups of lanes, records and bodies that are worth a block of a stage.
constexpr std::uint32_t group_block = 8, record_block = 4, free_block = 16;

void put(float* out, const vec3& v) {
    for (int k = 0; k < 3; ++k) out[k] = v[k];
}

vec3 take(const float* v) { return vec3(v[0], v[1], v[2]); }

/// The response to torques of a body that cannot turn about some of the world's axes: the inverse of its inertia about the others.
mat3 without_axes(const mat3& inertia, const bool (&locked)[3]) {
    mat3 result(0.0f);
    int free[3], count = 0;
    for (int k = 0; k < 3; ++k) {
        if (!locked[k]) free[count++] = k;
    }
    if (count == 1) result[free[0]][free[0]] = 1.0f / inertia[free[0]][free[0]];
    if (count == 2) {
        const int i = free[0], j = free[1];
        const float scale = 1.0f / (inertia[i][i] * inertia[j][j] - inertia[i][j] * inertia[i][j]);
        result[i][i] = scale * inertia[j][j];
        result[j][j] = scale * inertia[i][i];
        result[i][j] = result[j][i] = -scale * inertia[i][j];
    }
    return result;
}

}  // namespace

void World::State::build_graph() {
    // A sleeping island that something awake touches joins the step with the manifolds it fell asleep with.
    const std::size_t awake_before = awake.size();
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
    }

    edges.clear();
    constrained.assign(bodies.slot_count(), 0);
    for (const std::uint32_t c : touching) {
        if (contacts.states[c].sensor) continue;
        const int count = contacts.caches[c].manifold.count;
        const ContactBodies& pair = contacts.bodies[c];
        const bool pushes_a = bodies[pair.a].inverse_mass > 0.0f, pushes_b = bodies[pair.b].inverse_mass > 0.0f;
        edges.push_back({c, pair.a, pair.b, static_cast<std::uint32_t>(count), pushes_a, pushes_b,
                         contacts.states[c].special_surface, contacts.states[c].color});
        constrained[pair.a] = constrained[pair.b] = 1;
    }
    index_bodies();

    const auto total = static_cast<std::uint32_t>(solver_slots.size());
    islands.reset(total);
    for (ConstraintGraph::Edge& edge : edges) {
        edge.a = solver_index[edge.a];
        edge.b = solver_index[edge.b];
        if (edge.pushes_a && edge.pushes_b) islands.join(edge.a, edge.b);
    }
    graph.build(edges, total);
    for (const ConstraintGraph::Edge& edge : edges) contacts.states[edge.contact].color = edge.color;
    profile.colors = static_cast<std::uint32_t>(graph.colors().size());
}

void World::State::index_bodies() {
    solver_index.assign(bodies.slot_count(), 0);
    solver_slots.assign(1, null_index);
    const auto add = [&](auto&& wanted) {
        for (const std::uint32_t slot : awake.list()) {
            if (!wanted(slot)) continue;
            solver_index[slot] = static_cast<std::uint32_t>(solver_slots.size());
            solver_slots.push_back(slot);
        }
        // Whole groups of lanes.
        while (solver_slots.size() % 8 != 0) solver_slots.push_back(null_index);
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
    if (solver_slots[i] == null_index) return;
    Body& body = bodies[solver_slots[i]];
    SolverBody& sb = solver_bodies[i];
    SolverMass& mass = solver_masses[i];
    if (quat(body.exact_rotation) != body.rotation) body.exact_rotation = glm::dquat(body.rotation);
    if (vec3(body.exact_spin) != body.angular_velocity) body.exact_spin = glm::dvec3(body.angular_velocity);
    put(mass.center, body.center);
    BodyMotion motion;
    if (body.is_dynamic()) {
        mat3 inverse_inertia = body.inverse_inertia, inertia = body.inertia;
        if (!body.isotropic) {
            const mat3 r = to_matrix(body.rotation), back = glm::transpose(r);
            inverse_inertia = r * inverse_inertia * back;
            inertia = r * inertia * back;
        }
        vec3 inverse_mass(body.inverse_mass);
        if (body.locks != 0) {
            bool turn_locked[3];
            for (int k = 0; k < 3; ++k) {
                turn_locked[k] = (body.locks & (lock_turn_x << k)) != 0;
                if (turn_locked[k]) body.angular_velocity[k] = 0.0f;
                if ((body.locks & (lock_x << k)) == 0) continue;
                inverse_mass[k] = 0.0f;
                body.linear_velocity[k] = 0.0f;
            }
            if (turn_locked[0] || turn_locked[1] || turn_locked[2]) inverse_inertia = without_axes(inertia, turn_locked);
        }
        const bool falls = inverse_mass != vec3(0.0f);
        const vec3 gravity = body.gravity_scale * def.gravity * (falls ? inverse_mass / body.inverse_mass : vec3(0.0f));
        put(mass.gravity, gravity);
        put(mass.inverse_mass, inverse_mass);
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
    put(sb.velocity, body.linear_velocity);
    put(sb.angular_velocity, body.angular_velocity);
    body_motions.set(i, motion);
}

void World::State::end_body(std::uint32_t i) {
    if (solver_slots[i] == null_index) return;
    Body& body = bodies[solver_slots[i]];
    const SolverBody& sb = solver_bodies[i];
    body.force = body.torque = vec3(0.0f);
    // Lanes of zeros beside other ones may have made -0 of 0.
    body.linear_velocity = take(sb.velocity) + vec3(0.0f);
    body.center += take(sb.displacement);
    if (i >= coasting_end) return;  // turned freely
    body.angular_velocity = take(sb.angular_velocity) + vec3(0.0f);
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
        velocity = limited((velocity + gain) * damping, settings::max_speed);
        displacement += substep * velocity;
    }
    FreeTurn turn{body.torque, 1.0f / (1.0f + substep * body.angular_damping), body.exact_rotation, body.exact_spin};
    turn_freely(turn, body.inertia, def.substeps, substep);
    put(sb.velocity, velocity);
    put(sb.displacement, displacement);
    put(sb.turn, vec3(turn.turned));
    body.exact_spin = turn.spin;
    body.angular_velocity = vec3(turn.spin);
    put(sb.angular_velocity, body.angular_velocity);
    body.exact_rotation = turn.rotation;
    body.rotation = quat(turn.rotation);
}

void World::State::solve(float dt, const Jobs& jobs) {
    const float substep = dt / static_cast<float>(def.substeps);
    const auto count = static_cast<std::uint32_t>(solver_slots.size());
    solver_bodies.resize(count);
    solver_masses.resize(count);
    body_motions.reset(count);
    jobs.for_each_run(count, least_bodies, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) begin_body(static_cast<std::uint32_t>(i), substep);
    });
    solver.prepare(graph, edges, contacts, colliders, shapes.surfaces, solver_masses, substep, jobs);
    plan_solve();
    const std::uint32_t lanes = body_motions.lanes();
    stage_team.run(jobs, stages, [&](std::size_t stage, std::uint32_t first, std::uint32_t last) {
        const StageWork& work = stage_works[stage];
        if (work.contacts != nullptr) {
            solver.run(work.contacts, solver.colors()[work.color], first, last - first, solver_bodies);
        } else if (work.motion != nullptr) {
            body_motions.run(work.motion, work.first / lanes + first, last - first, solver_bodies, substep, def.substeps,
                             settings::max_speed);
        } else {
            for (std::uint32_t i = first; i < last; ++i) move_freely(work.first + i, substep);
        }
    });
    solver.store(contacts, jobs);
    jobs.for_each_run(count, least_bodies, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) end_body(static_cast<std::uint32_t>(i));
    });
}

void World::State::plan_solve() {
    stages.clear();
    stage_works.clear();
    const auto add_motion = [&](BodyMotions::Pass pass, std::uint32_t first, std::uint32_t end) {
        stages.push_back({(end - first) / body_motions.lanes(), group_block});
        stage_works.push_back({nullptr, pass, 0, first});
    };
    const auto add_contacts = [&](ContactSolver::Pass pass) {
        for (std::uint32_t color = 0; color < solver.colors().size(); ++color) {
            const ContactSolver::Color& c = solver.colors()[color];
            stages.push_back({c.count, c.parallel ? record_block : c.count});
            stage_works.push_back({pass, nullptr, color, 0});
        }
    };
    add_motion(&SolverKernel::coast, constrained_end, coasting_end);
    stages.push_back({static_cast<std::uint32_t>(solver_slots.size()) - coasting_end, free_block});
    stage_works.push_back({nullptr, nullptr, 0, coasting_end});
    if (edges.empty()) return;
    for (int i = 0; i < def.substeps; ++i) {
        add_motion(&SolverKernel::integrate_velocities, 0, constrained_end);
        if (solver.any_bounce()) add_contacts(&SolverKernel::begin_restitution);
        add_contacts(&SolverKernel::warm_start);
        add_contacts(&SolverKernel::solve);
        add_motion(&SolverKernel::integrate_positions, 0, constrained_end);
        add_contacts(&SolverKernel::relax);
        if (solver.any_bounce()) add_contacts(&SolverKernel::end_restitution);
    }
}

}  // namespace talus
