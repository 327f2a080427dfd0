/// Contacts of bodies that turn far within a step, found anew in each sub-step.
///
/// The solver takes a contact's levers, and the inertia of its bodies, from the start of the step. That is as good as
/// the bodies turn little. A broomstick that lands at 5 m/s rolls off at 500 rad/s, 2 rad in a sub-step, and tumbles at
/// 10 rad/s: what were the lever and the inertia at its tip contradict each other after 0.01 rad. A tilt by d makes an
/// impulse at the lever l look as if it spun the stick about its own axis by l d / I, and I is a two-hundredth of what
/// it is across. Impulses that are worked out with one and take effect with the other raise the energy: such sticks
/// rose to 180 m. So when a body has turned farther than that bears (Body::stale_by_tilt, stale_by_spin), its contacts
/// are tested anew where it is by then, between the sub-step's motion and its relaxation, and written into the lanes
/// that they have: normal, levers, effective masses, friction; impulses go on by feature ids. Contact points of round
/// and of edged things are then where they are, whatever has turned.
///
///     solve -> integrate_positions -> [renew_contacts] -> relax -> restitution -> the next sub-step's warm start
///
/// Separations remain s0 + J q with q since the start of the step: s0 is what makes that true now.
///
/// Left as they are: contacts that a modifier has changed; those of bodies that joints hold, since joints solve such
/// contacts with levers of their own (contact_groups.h); and those of stiff groups (stiff_groups.h). Of a ton on a
/// pebble, two impulses that cancel along the old levers would throw the pebble off at hundreds of m/s along new ones.

#include "engine/settings.h"
#include "engine/world/world_state.h"

#include <algorithm>

namespace talus {

/// How many times less a body may turn. What bounces gives back what a lever that is a little off makes too much.
float World::State::strictness(std::uint32_t slot) const {
    if ((constrained[slot] & by_joint) != 0) return 0.0f;
    return (constrained[slot] & by_bounce) != 0 ? settings::bouncing_strictness : 1.0f;
}

/// Whether some body may turn so far in a step of dt seconds that its contacts have to be found anew: by its spin, or
/// by what its speed becomes at an impact.
static inline bool may_turn_far(const Body& body, float strictness, float dt) {
    const float most = strictness * std::max(body.stale_by_spin, body.stale_by_tilt);
    if (most == 0.0f) return false;
    const float per_speed = body.stale_by_tilt * settings::stale_turn;
    const float v2 = length_squared(body.linear_velocity), w2 = length_squared(body.angular_velocity);
    // Most need no root: (a + b)^2 is no more than 2 (a^2 + b^2).
    const float square = (dt * most) * (dt * most), radius2 = body.radius * body.radius;
    if (2.0f * square * (w2 * radius2 + per_speed * per_speed * v2) < 0.249f * radius2) return false;
    const float gained = per_speed * std::sqrt(v2);
    const float spin = std::sqrt(w2) + (body.radius > 0.0f ? gained / body.radius : 0.0f);
    return dt * spin * most > 0.5f;
}

/// How far a body's surface may slide before a contact is found anew. The thinnest shape of a compound says nothing of
/// the whole: its levers matter by its radius of gyration. Going by the thickness of their walls, the contacts of bowls
/// that lie in each other were found anew wherever one slid by .2 mm. What is found anew forgets its load
/// (ContactLanes::kept), so that these stacks lost theirs all the time and never rested.
static float slide_room(const Body& body) {
    const float size = body.shape_count > 1 ? std::max(body.inner_radius, body.gyration) : body.inner_radius;
    return settings::stale_slide * size;
}

/// Whether a body moves so far in a step of dt seconds that a contact of it may be somewhere else by the time it is
/// struck.
static inline bool may_move_far(const Body& body, float dt) {
    const float room = slide_room(body);
    if (dt * dt * length_squared(body.linear_velocity) > room * room) return true;
    const float w2 = length_squared(body.angular_velocity), reach = dt * body.radius;
    if (reach * reach * w2 < 0.999f * (room * room)) return false;
    return reach * std::sqrt(w2) > room;
}

/// Which of the held bodies may move far, which of their contacts are fast, and whether any contact may have to be found
/// anew in this step.
void World::State::find_far_movers(float dt) {
    any_fast_contact = renews = false;
    bool any_far = false;
    for (const std::uint32_t slot : held) {
        renews = renews || may_turn_far(bodies[slot], strictness(slot), dt);
        if (!may_move_far(bodies[slot], dt)) continue;
        constrained[slot] |= moves_far;
        any_far = true;
    }
    if (any_far) find_fast_contacts(dt);
}

/// Of the bodies that move far, the contacts whose surfaces move far along each other. Between body slots still. Not
/// those that bounce: their speeds before the blow belong to the levers that they had (216 elastic balls gained 2% so).
void World::State::find_fast_contacts(float dt) {
    for (ConstraintGraph::Edge& edge : edges) {
        const unsigned either = constrained[edge.a] | constrained[edge.b];
        if ((either & moves_far) == 0 || (either & by_joint) != 0 || edge.bounces) continue;
        const Body &a = bodies[edge.a], &b = bodies[edge.b];
        const ContactState& state = contacts.states[edge.contact];
        if (state.merged || state.modified) continue;
        const float room = std::min(slide_room(edge.pushes_a ? a : b), slide_room(edge.pushes_b ? b : a));
        const float speed = std::sqrt(length_squared(b.linear_velocity - a.linear_velocity)) +
                            a.radius * std::sqrt(length_squared(a.angular_velocity)) +
                            b.radius * std::sqrt(length_squared(b.angular_velocity));
        if (!(dt * speed > room)) continue;
        edge.slide_room = room;
        any_fast_contact = renews = true;
    }
}

/// To where the body is in the solve.
void World::State::move_colliders(std::uint32_t slot) {
    if (moved_at.size() < bodies.slot_count()) moved_at.resize(bodies.slot_count(), 0);
    const std::uint32_t i = solver_index[slot];
    if (i == 0 || moved_at[slot] == renewal) return;
    moved_at[slot] = renewal;
    const Body& body = bodies[slot];
    const quat rotation = normalized(quat(glm::dquat(body_motions.turn(i)) * body.exact_rotation));
    const vec3 center = body.center + load3(solver_bodies[i].displacement);
    const Transform pose{center - rotate(rotation, body.local_center), rotation};
    for (std::uint32_t k = body.first_shape; k < body.first_shape + body.shape_count; ++k) {
        first_poses.push_back({slot, k, colliders.poses[k]});
        colliders.poses[k] = multiply(pose, shapes.defs[k].pose);
        if (shapes.defs[k].mesh) place_triangles(slot, k);
    }
    store3(solver_masses[i].center, center);
}

/// A manifold that is not the narrowphase's own goes with the bodies: its points stay on either surface.
void World::State::keep_points(std::uint32_t contact) {
    Manifold& manifold = contacts.caches[contact].manifold;
    const PairRecord& record = contacts.records[contact];
    const Transform &pose_a = colliders.poses[record.a], &pose_b = colliders.poses[record.b];
    const vec3 normal = rotate(pose_a.rotation, manifold.normal);
    for (int i = 0; i < manifold.count; ++i) {
        ManifoldPoint& p = manifold.points[i];
        p.separation = glm::dot(normal, pose_b.position - pose_a.position + rotate(pose_b.rotation, p.on_b) -
                                            rotate(pose_a.rotation, p.on_a));
    }
}

/// Takes an impulse and a moment from a body that has moved with them for a sub-step.
///
/// Its angular momentum must not simply be what it was before: a thin body has another energy, many times as much, with
/// the same momentum at another pose, and impulses have turned it to where it would not have gone by itself. So the
/// momentum goes along with what lies between the two poses, and energy is what it was.
void World::State::take_back(std::uint32_t i, const glm::dvec3& impulse, const glm::dvec3& moment, float substep) {
    SolverBody& sb = solver_bodies[i];
    const float* m = solver_masses[i].inverse_inertia;
    const glm::dmat3 inverse_inertia(m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]);
    store3(sb.velocity,
           vec3(glm::dvec3(load3(sb.velocity)) - glm::dvec3(load3(solver_masses[i].inverse_mass)) * impulse));
    const glm::dvec3 spin(load3(sb.angular_velocity));
    if (!body_motions.is_gyroscopic(i)) {
        store3(sb.angular_velocity, vec3(spin - inverse_inertia * moment));
        return;
    }
    const Body& body = bodies[solver_slots[i]];
    const glm::dquat now = glm::normalize(glm::dquat(body_motions.turn(i)) * body.exact_rotation);
    FreeTurn back{.rotation = now, .spin = -spin};
    turn_freely(back, body.principal, 1, substep);
    const glm::dmat3 axes = principal_axes(body, now), axes_before = principal_axes(body, back.rotation);
    const glm::dvec3 momentum = axes * (body.principal.moments * (spin * axes)) - moment;
    FreeTurn on{.rotation = back.rotation, .spin = axes_before * (momentum * axes_before / body.principal.moments)};
    turn_freely(on, body.principal, 1, substep);
    const vec3 alone(now * (glm::conjugate(on.rotation) * on.spin));
    store3(sb.angular_velocity, alone);
    body_motions.set_spin(i, alone);
}

void World::State::renew_contacts(float substep) {
    stale.clear();
    body_motions.for_each_stale(group_size, held_end, [&](std::uint32_t i) { stale.push_back(i); });
    struck_aside.clear();
    if (any_fast_contact) {
        solver.find_struck_aside(solver_bodies, struck_aside);
        for (std::uint32_t& c : struck_aside) c = edges[c].contact;
    }
    if (stale.empty() && struck_aside.empty()) return;
    ++renewal;
    if (renewed_at.size() < contacts.bodies.size()) renewed_at.resize(contacts.bodies.size(), 0);
    renewed.clear();
    to_collide.clear();
    for (const std::uint32_t i : stale) {
        const std::uint32_t slot = solver_slots[i];
        move_colliders(slot);
        body_motions.renew(i, load3(solver_bodies[i].turn));
        const quat rotation(glm::dquat(body_motions.turn(i)) * bodies[slot].exact_rotation);
        put_inverse_inertia(solver_masses[i], response_of(bodies[slot], normalized(rotation)).inverse_inertia);
        bool alone = true;
        for_each_pair(contacts, bodies, slot, [&](std::uint32_t p) {
            for_each_contact(contacts, p, [&](std::uint32_t c) {
                const bool counts = alone && bodies[other_body(contacts.pairs[p], slot)].is_dynamic();
                if (counts && solver.sweeps(c)) alone = false;
            });
        });
        for_each_pair(contacts, bodies, slot, [&](std::uint32_t p) {
            for_each_contact(contacts, p, [&](std::uint32_t c) {
                if (renewed_at[c] == renewal || !solver.sweeps(c)) return;
                renewed_at[c] = renewal;
                renewed.push_back({c, alone, false});
                const ContactState& state = contacts.states[c];
                if (!state.merged && !state.modified) to_collide.push_back(c);
                move_colliders(other_body(contacts.pairs[p], slot));
            });
        });
    }
    for (const std::uint32_t c : struck_aside) {
        if (renewed_at[c] == renewal) continue;
        renewed_at[c] = renewal;
        renewed.push_back({c, false, false});
        to_collide.push_back(c);
        move_colliders(contacts.bodies[c].a);
        move_colliders(contacts.bodies[c].b);
    }
    for (const std::uint32_t c : to_collide) {
        const ContactState& state = contacts.states[c];
        if (state.patch == null_index) continue;
        // What the continuous stage may take back is not known to have happened.
        MeshPatch& patch = contacts.patches[state.patch];
        const vec3 place = patch.place;
        const bool through = patch.through;
        if (!follow_place(state.pair, state.patch)) continue;
        patch.place = place;
        patch.through = through;
        patch.clearance = 0.0f;
    }
    CollideSettings settings = collide_settings();
    settings.timing = Timing::off;
    NarrowphaseProfile counts;
    // What its collide did for a pair is what the profile says of the step.
    was_settled.clear();
    for (const std::uint32_t c : to_collide) {
        const PairRecord& record = contacts.records[c];
        was_settled.push_back({record.rung, record.cost, contacts.caches[c].manifold});
    }
    collide_contacts(to_collide, settings, renewal_scratch, counts);
    std::size_t next = 0;
    for (std::size_t k = 0; k < to_collide.size(); ++k) {
        while (renewed[next].contact != to_collide[k]) ++next;  // in the same order
        const std::uint32_t c = to_collide[k];
        const Manifold& before = was_settled[k].manifold;
        for (int i = 0; i < before.count; ++i) {
            if (before.points[i].separation <= 0.0f) contacts.states[c].met = true;
        }
        contacts.records[c].rung = was_settled[k].rung;
        contacts.records[c].cost = was_settled[k].cost;
        if (has_manifold(c)) continue;
        renewed[next].apart = true;
        // What has come apart within the step was a contact in it, and is reported; the next collide tests it anew.
        contacts.caches[c].manifold = before;
        contacts.records[c].state = PairState::touching;
        contacts.records[c].reuse_motion = 0.0f;
        keep_points(c);
    }
    profile.renewed_contacts += static_cast<std::uint32_t>(renewed.size());
    for (const ContactSolver::Renewed& r : renewed) {
        const ContactState& state = contacts.states[r.contact];
        if (state.merged || state.modified) keep_points(r.contact);
    }
    const ContactSolver::Input input{edges, contacts, colliders, shapes.surfaces, solver_masses};
    solver.renew(renewed, input, solver_bodies);
    const std::span<ContactSolver::TakenBack> taken = solver.taken_back();
    std::sort(taken.begin(), taken.end(), [](const auto& x, const auto& y) { return x.body < y.body; });
    for (std::size_t k = 0; k < taken.size();) {
        const std::uint32_t i = taken[k].body;
        glm::dvec3 impulse(0.0), moment(0.0);
        for (; k < taken.size() && taken[k].body == i; ++k)
            impulse += glm::dvec3(taken[k].impulse), moment += glm::dvec3(taken[k].moment);
        take_back(i, impulse, moment, substep);
    }
    solver.begin_bounces(solver_bodies);
}

/// Colliders are where they were before the solve, as what follows it expects.
void World::State::restore_colliders() {
    for (auto at = first_poses.rbegin(); at != first_poses.rend(); ++at) colliders.poses[at->collider] = at->pose;
    for (const auto& first : first_poses) {
        if (const std::uint32_t mesh = first.collider; shapes.defs[mesh].mesh) place_triangles(first.body, mesh);
    }
    first_poses.clear();
}

}  // namespace talus
