/// What a world says of itself: contacts and events of the last step, its profile, memory and hash.

#include "engine/world/world_state.h"
#include "narrowphase/triangles/surface_contact.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace talus {

std::vector<Contact> World::contacts() const {
    std::vector<Contact> all;
    for (std::uint32_t c = 0; c < state_->contacts.states.size(); ++c) state_->append_contact(c, all);
    return all;
}

std::vector<Contact> World::contacts(BodyId id) const {
    std::vector<Contact> of_body;
    const State& s = *state_;
    if (!s.check_handle(id, "contacts")) return of_body;
    std::vector<std::uint32_t> slots;
    for_each_pair(s.contacts, s.bodies, id.slot, [&](std::uint32_t p) {
        for_each_contact(s.contacts, p, [&](std::uint32_t c) { slots.push_back(c); });
    });
    std::sort(slots.begin(), slots.end());
    for (const std::uint32_t c : slots) s.append_contact(c, of_body);
    return of_body;
}

void World::State::append_contact(std::uint32_t c, std::vector<Contact>& out) const {
    const ContactState& state = contacts.states[c];
    const Manifold& manifold = contacts.caches[c].manifold;
    if (!state.touching || state.sensor) return;
    if (state.patch != null_index && !contacts.patches[state.patch].touching) return;
    const Transform &pose_a = colliders.poses[contacts.records[c].a], &pose_b = colliders.poses[contacts.records[c].b];
    const ContactEvent event = event_of(c);
    Contact contact;
    contact.body_a = event.body_a;
    contact.body_b = event.body_b;
    contact.shape_a = event.shape_a;
    contact.shape_b = event.shape_b;
    contact.triangle = triangle_of(c);
    contact.normal = rotate(pose_a.rotation, manifold.normal);
    contact.friction_impulse = state.step_friction_impulse;
    if (manifold.count == 0) {  // a swept body met the other on its way
        for (const Impact& impact : continuous.impacts()) {
            const bool forward = impact.other_shape == contacts.records[c].a && impact.shape == contacts.records[c].b;
            const bool backward = impact.shape == contacts.records[c].a && impact.other_shape == contacts.records[c].b;
            if (impact.sensor || (!forward && !backward)) continue;
            contact.normal = forward ? impact.normal : -impact.normal;
            contact.point_count = 1;
            contact.points[0] = {impact.point, 0.0f, impact.impulse, 0, true};
            break;
        }
        out.push_back(contact);
        return;
    }
    contact.point_count = manifold.count;
    for (int i = 0; i < manifold.count; ++i) {
        const ManifoldPoint& point = manifold.points[i];
        const vec3 a = transform_point(pose_a, point.on_a), b = transform_point(pose_b, point.on_b);
        contact.points[i] = {0.5f * a + 0.5f * b, glm::dot(b - a, contact.normal), state.step_impulses[i], point.id,
                             (state.continued >> i & 1u) == 0};
    }
    out.push_back(contact);
}

std::uint32_t World::State::triangle_of(std::uint32_t c) const {
    for (const std::uint32_t i : {contacts.records[c].a, contacts.records[c].b}) {
        if (shapes.is_triangle(i)) return shapes.triangles[i].triangle;
    }
    return no_triangle;
}

ConvexPart convex_part(const ShapeDef& shape, std::uint32_t triangle) {
    if (!shape.mesh) return {shape.shape, shape.pose};
    const std::uint32_t known = triangle < shape.mesh->size() ? triangle : 0;
    const detail::PlacedTriangle placed = detail::place_triangle(*shape.mesh, known);
    return {placed.shape, multiply(shape.pose, Transform{placed.middle})};
}

std::vector<PairInfo> World::pairs() const {
    const State& s = *state_;
    std::vector<PairInfo> all;
    all.reserve(s.contacts.live_contacts());
    std::vector<const Manifold*> found(s.contacts.caches.size(), nullptr);  // by those that were merged since
    for (const State::Merged& m : s.merged) found[m.contact] = &m.manifold;
    auto active = s.active.begin();
    for (std::uint32_t c = 0; c < s.contacts.bodies.size(); ++c) {
        const bool was_active = active != s.active.end() && *active == c;
        if (was_active) ++active;
        if (s.contacts.bodies[c].a == null_index) continue;
        const PairRecord& record = s.contacts.records[c];
        const PairCache& cache = s.contacts.caches[c];
        PairInfo info;
        const ContactEvent names = s.event_of(c);
        info.body_a = names.body_a;
        info.body_b = names.body_b;
        info.shape_a = names.shape_a;
        info.shape_b = names.shape_b;
        info.state = record.state;
        info.rung = record.rung;
        info.active = was_active && record.state != PairState::unknown;  // else the slot is another's since the step
        if (info.active && info.rung > Rung::reuse) info.microseconds = microseconds_of(record);
        if (record.state == PairState::separated) {
            const vec3 between = s.colliders.poses[record.b].position - s.colliders.poses[record.a].position;
            info.separation = is_finite(record.distance)
                                  ? record.distance
                                  : std::sqrt(length_squared(between)) - record.radius_a - record.radius_b;
        }
        const bool was_merged = s.contacts.states[c].merged && found[c] != nullptr;
        const Manifold& manifold = was_merged ? *found[c] : cache.manifold;
        for (int i = 0; i < manifold.count; ++i) {
            const float separation = manifold.points[i].separation;
            info.separation = i == 0 ? separation : std::min(info.separation, separation);
        }
        info.b_in_a = record.reference;
        info.simplex = cache.simplex;
        info.triangle = s.triangle_of(c);
        all.push_back(info);
    }
    return all;
}

std::uint32_t World::State::island_of(std::uint32_t slot) const {
    if (!bodies[slot].is_dynamic() || !awake.contains(slot) || slot >= solver_index.size()) return no_island;
    const std::uint32_t index = solver_index[slot];
    return index != 0 && index < held_end ? solver_slots[islands.root(index)] : no_island;
}

std::uint32_t World::island(BodyId id) const {
    const State& s = *state_;
    if (!s.check_handle(id, "island")) return no_island;
    return s.island_of(id.slot);
}

std::span<const ContactEvent> World::contacts_begun() const { return state_->begun; }
std::span<const ContactEvent> World::contacts_ended() const { return state_->ended; }
std::span<const HitEvent> World::contacts_hit() const { return state_->hits; }
const FrameProfile& World::profile() const { return state_->profile; }
const Error& World::last_error() const { return state_->error.get(); }

MemoryStats World::memory() const {
    const State& s = *state_;
    MemoryStats m;
    m.bodies = s.bodies.bytes() + s.awake.bytes() + s.balls.capacity() * sizeof(State::Ball) +
               s.proxy_body.capacity() * sizeof(std::uint32_t);
    m.shapes = s.shapes.bytes() + s.colliders.bytes();
    m.broadphase = s.broadphase.bytes();
    std::size_t collide_bytes = 0;
    for (const State::CollideTask& task : s.collide_tasks)
        collide_bytes += sizeof task + task.scratch.bytes() +
                         (task.touching.capacity() + task.changed.capacity()) * sizeof(std::uint32_t);
    for (const State::NearTask& task : s.near_tasks)
        collide_bytes += sizeof task + task.near.capacity() * sizeof(std::uint32_t);
    m.contacts = s.contacts.bytes() + collide_bytes +
                 (s.active.capacity() + s.active_and_woken.capacity()) * sizeof(std::uint32_t) +
                 s.compound_pairs.capacity() * sizeof(State::CompoundPair);
    m.joints = s.joints.bytes() + s.joint_solver.bytes();
    m.solver = s.solver.bytes() + s.graph.bytes() + s.stiff_groups.bytes() + s.slender_islands.bytes() +
               s.crowded_contacts.bytes() + s.slabs.bytes() + s.islands.bytes() +
               s.solver_bodies.capacity() * sizeof(SolverBody) + s.solver_masses.capacity() * sizeof(SolverMass) +
               s.body_motions.bytes() + s.edges.capacity() * sizeof(ConstraintGraph::Edge) +
               s.island_still_time.capacity() * sizeof(float) + s.solver_slabs.capacity() +
               (s.solver_index.capacity() + s.solver_slots.capacity() + s.held.capacity() + s.loads.capacity() +
                s.stack.capacity()) *
                   sizeof(std::uint32_t);
    std::set<const void*> seen;  // shared ones count once
    for (const ShapeDef& def : s.shapes.defs) {
        if (def.shape.hull && seen.insert(def.shape.hull.get()).second) m.hulls += def.shape.hull->bytes();
        if (def.mesh && seen.insert(def.mesh.get()).second) m.meshes += def.mesh->bytes();
    }
    return m;
}

}  // namespace talus
