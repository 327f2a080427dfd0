/// World::step as a list of stages, each from named data to named data:
///
///   pairs    broadphase events -> pairs and contacts
///   collide  collider poses -> manifolds of the active contacts
///   graph    touching contacts -> woken islands, edges, colours
///   solve    edges, bodies -> velocities, poses
///   finish   poses -> colliders, boxes, proxies; islands fall asleep
///   publish  manifolds, impulses -> events, profile

#include <talus/engine/settings.h>
#include <talus/engine/world_state.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace talus {

namespace {

class StageClock {
public:
    /// Microseconds since the last call.
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        const double since = std::chrono::duration<double, std::micro>(now - last_).count();
        last_ = now;
        return since;
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

bool World::step(float dt) {
    State& s = *state_;
    if (!(dt > 0.0f) || !(dt <= 1.0f)) {
        s.error.set({ErrorCode::bad_argument, "step: dt must be above 0 and at most 1 second; nothing was moved"});
        return false;
    }
    FrameProfile profile;
    profile.frame = s.profile.frame + 1;
    s.profile = profile;
    StageClock clock, whole;
    s.update_pairs();
    s.profile.pairs = clock.lap();
    s.collide_active();
    s.profile.collide = clock.lap();
    s.build_graph();
    s.profile.graph = clock.lap();
    s.solve(dt);
    s.profile.solve = clock.lap();
    s.finish(dt);
    s.profile.finish = clock.lap();
    s.publish();
    s.profile.publish = clock.lap();
    s.profile.total = whole.lap();
    return true;
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

void World::State::update_pairs() {
    begun.clear();
    ended.clear();
    ended.swap(ended_outside_step);
    StageClock clock;
    broadphase.update();
    profile.broadphase = clock.lap();
    for (const ProxyPair& pair : broadphase.ended()) {
        const std::uint32_t a = proxy_body[pair.a], b = proxy_body[pair.b];
        if (a == null_index || b == null_index) continue;  // removed: its pairs went with it
        const std::uint32_t p = contacts.find_pair(bodies, a, b);
        if (p != null_index) drop_pair(p, ended);
    }
    for (const ProxyPair& pair : broadphase.begun()) begin_pair(proxy_body[pair.a], proxy_body[pair.b]);

    std::size_t kept = 0;
    for (const std::uint32_t p : compound_pairs) {
        if (!contacts.pairs[p].in_use || !contacts.pairs[p].compound) continue;
        compound_pairs[kept++] = p;
    }
    compound_pairs.resize(kept);
    for (const std::uint32_t p : compound_pairs) {
        const Pair& pair = contacts.pairs[p];
        if (awake.contains(pair.body[0]) || awake.contains(pair.body[1])) update_compound_pair(p);
    }
}

void World::State::begin_pair(std::uint32_t a, std::uint32_t b) {
    const Body &body_a = bodies[a], &body_b = bodies[b];
    if (!body_a.is_dynamic() && !body_b.is_dynamic()) return;
    const std::uint32_t p = contacts.begin_pair(bodies, a, b);
    if (body_a.shape_count == 1 && body_b.shape_count == 1) {
        add_contact(p, body_a.first_shape, a, body_b.first_shape, b);
    } else {
        contacts.pairs[p].compound = true;
        compound_pairs.push_back(p);
        update_compound_pair(p);
    }
}

void World::State::add_contact(std::uint32_t pair, std::uint32_t shape_a, std::uint32_t body_a, std::uint32_t shape_b,
                               std::uint32_t body_b) {
    const ShapeDef &a = shapes.defs[shape_a], &b = shapes.defs[shape_b];
    if (!should_collide(a.filter, b.filter)) return;
    if (a.sensor && b.sensor) return;
    const std::uint32_t c = contacts.add_contact(pair, colliders, shape_a, body_a, shape_b, body_b);
    ContactState& state = contacts.states[c];
    state.friction = std::sqrt(a.material.friction * b.material.friction);
    state.restitution = std::max(a.material.restitution, b.material.restitution);
    state.sensor = a.sensor || b.sensor;
    // Uniform pressure on a disc of radius R gives friction a mean lever of 2/3 R.
    const float round_radius = std::max(a.shape.radius, b.shape.radius);
    state.patch_arm = (2.0f / 3.0f) * std::sqrt(2.0f * round_radius * settings::patch_depth);
}

void World::State::update_compound_pair(std::uint32_t p) {
    // A contact stays while the two shapes' boxes, grown by the contact margin, overlap.
    const std::uint32_t slot_a = contacts.pairs[p].body[0], slot_b = contacts.pairs[p].body[1];
    const Body &a = bodies[slot_a], &b = bodies[slot_b];
    const auto near = [&](std::uint32_t i, std::uint32_t j) {
        return overlaps(expand(shapes.world_boxes[i], colliders.sweeps[i].reach + colliders.sweeps[j].reach),
                        shapes.world_boxes[j]);
    };
    for_each_contact(contacts, p, [&](std::uint32_t c) {
        if (near(contacts.records[c].a, contacts.records[c].b)) return;
        if (contacts.states[c].touching) ended.push_back(event_of(c));
        contacts.remove_contact(c);
    });
    for (std::uint32_t i = a.first_shape; i < a.first_shape + a.shape_count; ++i) {
        for (std::uint32_t j = b.first_shape; j < b.first_shape + b.shape_count; ++j) {
            if (!near(i, j)) continue;
            bool known = false;
            for_each_contact(contacts, p, [&](std::uint32_t c) {
                const PairRecord& r = contacts.records[c];
                known = known || (r.a == i && r.b == j) || (r.a == j && r.b == i);
            });
            if (!known) add_contact(p, i, slot_a, j, slot_b);
        }
    }
}

void World::State::drop_pair(std::uint32_t p, std::vector<ContactEvent>& events) {
    for_each_contact(contacts, p, [&](std::uint32_t c) {
        if (contacts.states[c].touching) events.push_back(event_of(c));
        contacts.remove_contact(c);
    });
    contacts.end_pair(bodies, p);
}

// ---- collide --------------------------------------------------------------------------------------------------------

void World::State::gather_active() {
    active.clear();
    for (std::uint32_t c = 0; c < contacts.bodies.size(); ++c) {
        const ContactBodies& pair = contacts.bodies[c];
        if (awake.contains(pair.a) || awake.contains(pair.b)) active.push_back(c);
    }
}

void World::State::collide_active() {
    awake.compact();
    gather_active();
    const CollideSettings settings{.skip = def.enable_skip,
                                   .reuse = def.enable_reuse,
                                   .closed_form = def.enable_closed_form,
                                   .axis = def.enable_axis,
                                   .warm_gjk = def.enable_warm_gjk,
                                   .warm_epa = def.enable_warm_epa,
                                   .drop_slivers = true};
    collide(colliders, contacts.records, contacts.caches, active, settings, collide_scratch, profile.narrowphase);
}

// ---- graph ----------------------------------------------------------------------------------------------------------

void World::State::build_graph() {
    // A sleeping island that something awake touches joins the step with the manifolds it fell asleep with.
    const std::size_t awake_before = awake.size();
    for (const std::uint32_t c : active) {
        if (contacts.caches[c].manifold.count == 0 || contacts.states[c].sensor) continue;
        const ContactBodies& pair = contacts.bodies[c];
        if (!awake.contains(pair.a)) wake(pair.a);
        if (!awake.contains(pair.b)) wake(pair.b);
    }
    if (awake.size() != awake_before) {
        awake.compact();
        gather_active();
    }

    solver_index.assign(bodies.slot_count(), 0);
    std::uint32_t next = 1;
    for (const std::uint32_t slot : awake.list()) solver_index[slot] = next++;

    islands.reset(next);
    touches.assign(next, 0);
    edges.clear();
    for (const std::uint32_t c : active) {
        const int count = contacts.caches[c].manifold.count;
        if (count == 0 || contacts.states[c].sensor) continue;
        const ContactBodies& pair = contacts.bodies[c];
        const bool pushes_a = bodies[pair.a].inverse_mass > 0.0f, pushes_b = bodies[pair.b].inverse_mass > 0.0f;
        const std::uint32_t a = solver_index[pair.a], b = solver_index[pair.b];
        edges.push_back({c, a, b, static_cast<std::uint32_t>(count), pushes_a, pushes_b});
        touches[a] = touches[b] = 1;
        if (pushes_a && pushes_b) islands.join(a, b);
    }
    graph.build(edges, next);
    profile.colors = static_cast<std::uint32_t>(graph.colors().size());
}

// ---- solve ----------------------------------------------------------------------------------------------------------

void World::State::solve(float dt) {
    const float substep = dt / static_cast<float>(def.substeps);
    const std::size_t count = awake.list().size() + 1;
    solver_bodies.assign(count, SolverBody{});
    solver_masses.assign(count, SolverMass{});
    motions.assign(count, Motion{});
    for (std::size_t i = 1; i < count; ++i) {
        Body& body = bodies[awake.list()[i - 1]];
        SolverBody& sb = solver_bodies[i];
        SolverMass& mass = solver_masses[i];
        Motion& motion = motions[i];
        for (int k = 0; k < 3; ++k) {
            sb.velocity[k] = body.linear_velocity[k];
            sb.angular_velocity[k] = body.angular_velocity[k];
        }
        if (quat(body.exact_rotation) != body.rotation) body.exact_rotation = glm::dquat(body.rotation);
        if (vec3(body.exact_spin) != body.angular_velocity) body.exact_spin = glm::dvec3(body.angular_velocity);
        motion.rotation = body.exact_rotation;
        mass.center = body.center;
        if (!body.is_dynamic()) continue;
        const mat3 r = to_matrix(body.rotation);
        const mat3 inverse_inertia = r * body.inverse_inertia * glm::transpose(r);
        mass.inverse_mass = body.inverse_mass;
        mass.inverse_inertia[0] = inverse_inertia[0][0];
        mass.inverse_inertia[1] = inverse_inertia[1][1];
        mass.inverse_inertia[2] = inverse_inertia[2][2];
        mass.inverse_inertia[3] = inverse_inertia[0][1];
        mass.inverse_inertia[4] = inverse_inertia[0][2];
        mass.inverse_inertia[5] = inverse_inertia[1][2];
        mass.gravity = body.gravity_scale * def.gravity;
        motion.acceleration = mass.gravity + body.inverse_mass * body.force;
        motion.angular_acceleration = inverse_inertia * body.torque;
        motion.linear_damping = 1.0f / (1.0f + substep * body.linear_damping);
        motion.angular_damping = 1.0f / (1.0f + substep * body.angular_damping);
        if (!body.isotropic) start_gyroscopic(motion, body.inertia, body.exact_spin);
        body.force = body.torque = vec3(0.0f);
    }

    solver.prepare(graph, edges, contacts, colliders, solver_masses, substep);
    for (int i = 0; i < def.substeps; ++i) {
        integrate_velocities(solver_bodies, motions, substep);
        solver.begin_restitution(solver_bodies);
        solver.warm_start(solver_bodies);
        solver.solve(solver_bodies);
        integrate_positions(solver_bodies, motions, substep);
        solver.relax(solver_bodies);
        solver.end_restitution(solver_bodies);
    }
    solver.store(contacts);

    for (std::size_t i = 1; i < count; ++i) {
        Body& body = bodies[awake.list()[i - 1]];
        const SolverBody& sb = solver_bodies[i];
        body.linear_velocity = vec3(sb.velocity[0], sb.velocity[1], sb.velocity[2]);
        const glm::dvec3 spin(sb.angular_velocity[0], sb.angular_velocity[1], sb.angular_velocity[2]);
        body.exact_spin = motions[i].gyroscopic ? end_gyroscopic(motions[i], sb) : spin;
        body.angular_velocity = vec3(body.exact_spin);
        body.center += vec3(sb.displacement[0], sb.displacement[1], sb.displacement[2]);
        body.exact_rotation = motions[i].rotation;
        body.rotation = quat(body.exact_rotation);
    }
}

// ---- finish ---------------------------------------------------------------------------------------------------------

void World::State::finish(float dt) {
    moved_proxies.clear();
    moved_boxes.clear();
    moved_ways.clear();
    for (const std::uint32_t slot : awake.list()) {
        Aabb box;
        set_colliders(slot, box, dt);
        moved_proxies.push_back(bodies[slot].proxy);
        moved_boxes.push_back(box);
        moved_ways.push_back(dt * bodies[slot].linear_velocity);
    }
    put_islands_to_sleep(dt);
    StageClock clock;
    broadphase.move(moved_proxies, moved_boxes, moved_ways);
    broadphase.refresh();  // queries between steps find it sorted; the next update has that much less to do
    profile.broadphase += clock.lap();
}

void World::State::place(std::uint32_t slot, float dt) {
    Aabb box;
    set_colliders(slot, box, dt);
    broadphase.move(bodies[slot].proxy, box, dt * bodies[slot].linear_velocity);
}

void World::State::set_colliders(std::uint32_t slot, Aabb& box, float dt) {
    const Body& body = bodies[slot];
    const Transform pose = body.pose();
    const float speed = std::sqrt(length_squared(body.linear_velocity));
    const float spin = std::sqrt(length_squared(body.angular_velocity));
    const float reach = (speed + spin * body.radius) * dt;
    for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
        colliders.poses[i] = multiply(pose, shapes.defs[i].pose);
        const vec3 arm = colliders.poses[i].position - body.center;
        colliders.sweeps[i] = {dt * (body.linear_velocity + glm::cross(body.angular_velocity, arm)),
                               dt * body.angular_velocity, reach};
        shapes.world_boxes[i] = transform_box(to_frame(colliders.poses[i]), shapes.local_boxes[i]);
        box = i == body.first_shape ? shapes.world_boxes[i] : merge(box, shapes.world_boxes[i]);
    }
}

void World::State::put_islands_to_sleep(float dt) {
    const auto list = awake.list();
    island_still_time.assign(list.size() + 1, settings::time_to_sleep);
    for (std::size_t i = 0; i < list.size(); ++i) {
        Body& body = bodies[list[i]];
        const float v2 = length_squared(body.linear_velocity), w2 = length_squared(body.angular_velocity);
        if (!body.is_dynamic()) continue;
        // What is being pushed out of an overlap moves without velocity: the way it went counts as well.
        const float* way = solver_bodies[i + 1].displacement;
        const float moved = std::sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) / dt;
        const float speed = std::max(std::sqrt(v2), moved), spin_speed = std::sqrt(w2) * body.radius;
        const bool may_sleep = def.allow_sleep && body.allow_sleep;
        // Still is what hardly gets anywhere, though it may tremble: its way since it last stopped, not its speed, is held
        // against the sleep speed.
        const quat &q = body.rotation, &p = body.still_rotation;
        const float sign = q.w * p.w + q.x * p.x + q.y * p.y + q.z * p.z < 0.0f ? -1.0f : 1.0f;
        const vec3 v = vec3(q.x, q.y, q.z) - sign * vec3(p.x, p.y, p.z);
        const float turned = 2.0f * std::sqrt(glm::dot(v, v) + (q.w - sign * p.w) * (q.w - sign * p.w));
        const float drift = std::sqrt(length_squared(body.center - body.still_place)) + turned * body.radius;
        const bool still = may_sleep && drift < settings::sleep_speed * settings::time_to_sleep &&
                           speed + spin_speed < settings::tremble * settings::sleep_speed;
        if (!still) {
            body.still_place = body.center;
            body.still_rotation = body.rotation;
        }
        const bool in_place = length_squared(body.center - body.settle_place) < body.radius * body.radius;
        const bool slow = may_sleep && touches[i + 1] && in_place && speed < settings::settle_speed &&
                          spin_speed < settings::settle_spin;
        body.still_time = still ? body.still_time + dt : 0.0f;
        body.slow_time = slow ? body.slow_time + dt : 0.0f;
        if (!in_place) body.settle_place = body.center;
        if (body.slow_time > settings::time_to_settle && spin_speed > 0.0f) {
            body.angular_velocity *= std::max(0.0f, 1.0f - dt * settings::settle_deceleration / spin_speed);
        }
        float& least = island_still_time[islands.find(static_cast<std::uint32_t>(i + 1))];
        least = std::min(least, body.still_time);
        const vec3 spin = inverse_rotate(body.rotation, body.angular_velocity);
        profile.kinetic_energy += 0.5 * (body.mass * v2 + glm::dot(spin, body.inertia * spin));
    }
    // What rests on a moving kinematic body stays awake.
    for (const ConstraintGraph::Edge& edge : edges) {
        if (edge.a != 0 && !edge.pushes_a) island_still_time[islands.find(edge.b)] = 0.0f;
        if (edge.b != 0 && !edge.pushes_b) island_still_time[islands.find(edge.a)] = 0.0f;
    }
    std::uint32_t roots = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const Body& body = bodies[list[i]];
        const std::uint32_t root = islands.find(static_cast<std::uint32_t>(i + 1));
        if (body.is_dynamic()) {
            if (root == i + 1) ++roots;
            if (island_still_time[root] >= settings::time_to_sleep) sleep(list[i]);
        } else if (body.linear_velocity == vec3(0.0f) && body.angular_velocity == vec3(0.0f)) {
            awake.erase(list[i]);
            broadphase.set_moving(body.proxy, false);
        }
    }
    profile.islands = roots;
}

void World::State::sleep(std::uint32_t slot) {
    Body& body = bodies[slot];
    body.linear_velocity = body.angular_velocity = body.force = body.torque = vec3(0.0f);
    for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) colliders.sweeps[i] = {};
    awake.erase(slot);
    broadphase.set_moving(body.proxy, false);
}

void World::State::wake(std::uint32_t slot) {
    stack.assign(1, slot);
    while (!stack.empty()) {
        const std::uint32_t s = stack.back();
        stack.pop_back();
        Body& body = bodies[s];
        if (!body.is_dynamic()) continue;
        body.still_time = 0.0f;
        if (awake.contains(s)) continue;
        awake.insert(s);
        broadphase.set_moving(body.proxy, true);
        for_each_pair(contacts, bodies, s, [&](std::uint32_t p) {
            for_each_contact(contacts, p, [&](std::uint32_t c) {
                if (contacts.caches[c].manifold.count == 0 || contacts.states[c].sensor) return;
                const ContactBodies& pair = contacts.bodies[c];
                const std::uint32_t other = pair.a == s ? pair.b : pair.a;
                if (!awake.contains(other)) stack.push_back(other);
            });
        });
    }
}

void World::State::wake_overlapping(std::uint32_t slot) {
    std::vector<std::uint32_t> found;
    broadphase.query(broadphase.fat_box(bodies[slot].proxy), [&](std::uint32_t other) { found.push_back(other); });
    for (const std::uint32_t other : found) {
        if (other != slot) wake(other);
    }
}

void World::State::wake_neighbours(std::uint32_t slot) {
    std::vector<std::uint32_t> touched;
    for_each_pair(contacts, bodies, slot, [&](std::uint32_t p) {
        const Pair& pair = contacts.pairs[p];
        for_each_contact(contacts, p, [&](std::uint32_t c) {
            if (contacts.caches[c].manifold.count != 0 && !contacts.states[c].sensor)
                touched.push_back(pair.body[0] == slot ? pair.body[1] : pair.body[0]);
        });
    });
    for (const std::uint32_t t : touched) wake(t);
}

// ---- publish --------------------------------------------------------------------------------------------------------

ContactEvent World::State::event_of(std::uint32_t c) const {
    const ContactBodies& pair = contacts.bodies[c];
    return {bodies.id_of(pair.a), bodies.id_of(pair.b), contacts.records[c].a - bodies[pair.a].first_shape,
            contacts.records[c].b - bodies[pair.b].first_shape, contacts.states[c].sensor};
}

void World::State::publish() {
    for (const std::uint32_t c : active) {
        ContactState& state = contacts.states[c];
        const Manifold& manifold = contacts.caches[c].manifold;
        if (manifold.count == 0) {
            state.point_count = 0;
            state.friction_impulse = vec3(0.0f);
            state.twist_impulse = 0.0f;
        }
        // Points inside the margin are only candidates: a contact begins when surfaces meet or a force flows, and ends when
        // there is neither force nor overlap.
        bool met = false;
        for (int i = 0; i < manifold.count; ++i) {
            met = met || manifold.points[i].separation <= 0.0f || (!state.sensor && state.step_impulses[i] > 0.0f);
        }
        if (met == state.touching) continue;
        state.touching = met;
        (met ? begun : ended).push_back(event_of(c));
    }

    profile.bodies = bodies.live_count();
    profile.awake_bodies = static_cast<std::uint32_t>(awake.size());
    profile.broadphase_pairs = static_cast<std::uint32_t>(broadphase.pair_count());
    profile.convex_pairs = contacts.live_contacts();
    profile.touching_pairs = static_cast<std::uint32_t>(edges.size());
    profile.contact_points = solver.point_count();
    profile.max_penetration = solver.max_penetration();
    profile.mean_penetration = solver.mean_penetration();
}

}  // namespace talus
