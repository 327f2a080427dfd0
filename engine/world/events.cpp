#include <talus/engine/events.h>

#include "engine/world/world_state.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace talus {

namespace {

/// Whichever of the two is A.
bool same_shapes(const ContactEvent& x, const ContactEvent& y) {
    const auto side_a = [](const ContactEvent& e) { return std::tie(e.body_a.slot, e.body_a.generation, e.shape_a); };
    const auto side_b = [](const ContactEvent& e) { return std::tie(e.body_b.slot, e.body_b.generation, e.shape_b); };
    return (side_a(x) == side_a(y) && side_b(x) == side_b(y)) || (side_a(x) == side_b(y) && side_b(x) == side_a(y));
}

}  // namespace

ContactEvent World::State::event_of(std::uint32_t c) const {
    const ContactBodies& pair = contacts.bodies[c];
    const ContactState& state = contacts.states[c];
    return {bodies.id_of(pair.a),
            bodies.id_of(pair.b),
            shapes.shape_of(contacts.records[c].a) - bodies[pair.a].first_shape,
            shapes.shape_of(contacts.records[c].b) - bodies[pair.b].first_shape,
            state.sensor,
            state.last_impulse};
}

ContactEvent World::State::event_of_patch(std::uint32_t k) const {
    const MeshPatch& patch = contacts.patches[k];
    return {bodies.id_of(patch.mesh_body),
            bodies.id_of(patch.shape_body),
            patch.mesh - bodies[patch.mesh_body].first_shape,
            patch.shape - bodies[patch.shape_body].first_shape,
            patch.sensor,
            patch.last_impulse};
}

/// As last reported to the user. Pool indices of the shapes.
bool World::State::are_touching(std::uint32_t body_a, std::uint32_t shape_a, std::uint32_t body_b,
                                std::uint32_t shape_b) const {
    const std::uint32_t p = contacts.find_pair(bodies, body_a, body_b);
    if (p == null_index) return false;
    const std::uint32_t k = contacts.find_patch(p, shape_a, shape_b);
    if (k != null_index) return contacts.patches[k].touching;
    const std::uint32_t c = contacts.find_contact(p, shape_a, shape_b);
    return c != null_index && contacts.states[c].touching;
}

void World::State::set_touching(std::uint32_t c, bool now) {
    if (contacts.states[c].touching == now || (now && contacts.states[c].held_back)) return;
    contacts.set_touching(c, now);
    const std::uint32_t k = contacts.states[c].patch;
    if (k == null_index) {
        (now ? begun : ended).push_back(event_of(c));
        return;
    }
    MeshPatch& patch = contacts.patches[k];
    const bool first = now && patch.touches == 1;
    patch.last_impulse = contacts.states[c].last_impulse + (now && !first ? patch.last_impulse : 0.0f);
}

/// A shape touches a mesh while it touches a triangle of it.
void World::State::report_patches() {
    for (const std::uint32_t k : contacts.changed_patches) {
        MeshPatch& patch = contacts.patches[k];
        patch.changed = false;
        if (patch.shape == null_index || patch.touching == (patch.touches != 0) || patch.held_back) continue;
        patch.touching = !patch.touching;
        (patch.touching ? begun : ended).push_back(event_of_patch(k));
    }
    contacts.changed_patches.clear();
}

/// What touches by then begins in the next step.
void World::State::end_holding_back() {
    for (const std::uint32_t c : held_back_contacts) contacts.states[c].held_back = false;
    for (const std::uint32_t k : held_back_patches) {
        contacts.patches[k].held_back = false;
        contacts.mark_changed(k);
    }
    held_back_contacts.clear();
    held_back_patches.clear();
}

/// How fast contacts with hit events close in, before anything is solved.
void World::State::note_approaches() {
    approaches.clear();
    for (const ConstraintGraph::Edge& edge : edges) {
        if (!contacts.states[edge.contact].hit_events) continue;
        const ContactBodies& pair = contacts.bodies[edge.contact];
        const Body &a = bodies[pair.a], &b = bodies[pair.b];
        const PairRecord& record = contacts.records[edge.contact];
        const Transform &pose_a = colliders.poses[record.a], &pose_b = colliders.poses[record.b];
        const Manifold& manifold = contacts.caches[edge.contact].manifold;
        const vec3 normal = rotate(pose_a.rotation, manifold.normal);
        float speed = 0.0f;
        for (int i = 0; i < manifold.count; ++i) {
            const vec3 on_a = transform_point(pose_a, manifold.points[i].on_a),
                       on_b = transform_point(pose_b, manifold.points[i].on_b);
            const vec3 velocity = b.linear_velocity + glm::cross(b.angular_velocity, on_b - b.center) -
                                  a.linear_velocity - glm::cross(a.angular_velocity, on_a - a.center);
            speed = std::max(speed, -glm::dot(normal, velocity));
        }
        if (speed >= def.hit_speed) approaches.push_back({edge.contact, speed});
    }
}

/// Those that came in fast and were pushed back.
void World::State::report_hits() {
    // Two bodies at half the largest float close in at more than it.
    const auto in_range = [](float speed) { return std::min(speed, std::numeric_limits<float>::max()); };
    std::vector<Contact>& seen = hit_contacts;
    for (const Approach& approach : approaches) {
        const ContactState& state = contacts.states[approach.contact];
        seen.clear();
        append_contact(approach.contact, seen);
        if (!(state.last_impulse > 0.0f) || seen.empty()) continue;
        const Contact& contact = seen.front();
        int strongest = 0;
        for (int i = 1; i < contact.point_count; ++i) {
            if (contact.points[i].normal_impulse > contact.points[strongest].normal_impulse) strongest = i;
        }
        hits.push_back({contact.body_a, contact.body_b, contact.shape_a, contact.shape_b,
                        contact.points[strongest].position, contact.normal, in_range(approach.speed),
                        state.last_impulse});
    }
    for (const Impact& impact : continuous.impacts()) {
        const bool asked = shapes.defs[impact.shape].hit_events || shapes.defs[impact.other_shape].hit_events;
        if (impact.sensor || !asked || impact.approach_speed < def.hit_speed) continue;
        hits.push_back({bodies.id_of(impact.other), bodies.id_of(impact.body),
                        impact.other_shape - bodies[impact.other].first_shape,
                        impact.shape - bodies[impact.body].first_shape, impact.point, impact.normal,
                        in_range(impact.approach_speed), impact.impulse});
    }
}

/// What a swept body met is a contact from now on, to be found ended by the next step; what it met where there is no
/// contact to go on, or a sensor that it went through, has begun and ended.
void World::State::report_impact(const Impact& impact) {
    const std::uint32_t p = contacts.find_pair(bodies, impact.body, impact.other);
    const std::uint32_t k = p != null_index ? contacts.find_patch(p, impact.shape, impact.other_shape) : null_index;
    if (k != null_index) {
        report_impact(impact, k);
        return;
    }
    const std::uint32_t c = contacts.find_contact(bodies, impact.body, impact.shape, impact.other, impact.other_shape);
    if (c != null_index && !impact.sensor) contacts.states[c].last_impulse += impact.impulse;
    if (c != null_index && (contacts.states[c].touching || contacts.states[c].held_back)) return;
    const ContactEvent event = c != null_index ? event_of(c)
                                               : ContactEvent{bodies.id_of(impact.other),
                                                              bodies.id_of(impact.body),
                                                              impact.other_shape - bodies[impact.other].first_shape,
                                                              impact.shape - bodies[impact.body].first_shape,
                                                              impact.sensor,
                                                              impact.impulse};
    const auto known =
        std::find_if(ended.begin(), ended.end(), [&](const ContactEvent& e) { return same_shapes(e, event); });
    const bool over = known != ended.end();  // a moment ago, by the poses that the step began with
    if (!over) begun.push_back(event);
    if (c == null_index || impact.sensor) {
        if (!over) ended.push_back(event);
        return;
    }
    if (over) ended.erase(known);
    contacts.states[c].touching = true;
    if (!has_manifold(c)) touching.push_back(c);  // the next step looks whether it still is
}

/// The same where what it met is a mesh.
void World::State::report_impact(const Impact& impact, std::uint32_t k) {
    MeshPatch& patch = contacts.patches[k];
    patch.last_impulse = impact.impulse + (patch.touching ? patch.last_impulse : 0.0f);
    if (patch.touching || patch.held_back) return;
    const ContactEvent event = event_of_patch(k);
    const auto known =
        std::find_if(ended.begin(), ended.end(), [&](const ContactEvent& e) { return same_shapes(e, event); });
    const bool over = known != ended.end();
    if (!over) begun.push_back(event);
    if (impact.sensor) {
        if (!over) ended.push_back(event);
        return;
    }
    if (over) ended.erase(known);
    patch.touching = true;
    contacts.mark_changed(k);
}

}  // namespace talus
