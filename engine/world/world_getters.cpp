/// World's getters of contacts and events of the last step, of the profile, and of memory.

#include "engine/events/contact_report.h"
#include "engine/world/world_state.h"
#include "narrowphase/triangles/surface_contact.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace talus {

std::vector<Contact> World::contacts() const {
    std::vector<Contact> all;
    for (std::uint32_t c = 0; c < state_->contacts.states.size(); ++c) {
        if (const auto contact = contact_of(state_->contact_view(), c, state_->continuous.impacts()))
            all.push_back(*contact);
    }
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
    for (const std::uint32_t c : slots) {
        if (const auto contact = contact_of(s.contact_view(), c, s.continuous.impacts())) of_body.push_back(*contact);
    }
    return of_body;
}

ConvexPart convex_part(const ShapeDef& shape, std::uint32_t triangle) {
    if (!shape.mesh) return {shape.shape, shape.pose};
    const std::uint32_t known = triangle < shape.mesh->size() ? triangle : 0;
    const detail::PlacedTriangle placed = detail::place_triangle(*shape.mesh, known);
    return {placed.shape, multiply(shape.pose, Transform{placed.middle})};
}

ConvexPart convex_part(const ShapeDef& shape, const PairInfo& pair) {
    const bool is_facet = shape.mesh && pair.triangle < shape.mesh->size() && pair.facet_reach > 0.0f;
    if (!is_facet) return convex_part(shape, pair.triangle);
    const detail::PlacedTriangle placed =
        detail::place_facet(*shape.mesh, pair.triangle, pair.facet_middle, pair.facet_reach);
    return {placed.shape, multiply(shape.pose, Transform{placed.middle})};
}

std::vector<PairInfo> World::pairs() const {
    const State& s = *state_;
    std::vector<PairInfo> all;
    all.reserve(s.contacts.live_contacts());
    const ContactView view = s.contact_view();
    const auto all_active = s.active_contacts.active();
    auto active = all_active.begin();
    for (std::uint32_t c = 0; c < s.contacts.bodies.size(); ++c) {
        const bool was_active = active != all_active.end() && *active == c;
        if (was_active) ++active;
        if (s.contacts.bodies[c].a == null_index) continue;
        const PairRecord& record = s.contacts.records[c];
        const PairCache& cache = s.contacts.caches[c];
        PairInfo info;
        const ContactEvent names = view.event_of(c);
        info.body_a = names.body_a;
        info.body_b = names.body_b;
        info.shape_a = names.shape_a;
        info.shape_b = names.shape_b;
        // A contact that came apart within the step was one in it, with the points that it had.
        const bool came_apart = record.state != PairState::touching && s.contacts.has_manifold(c);
        info.state = came_apart ? PairState::touching : record.state;
        info.rung = record.rung;
        info.active = was_active && record.state != PairState::unknown;  // else the slot is another's since the step
        if (info.active && info.rung > Rung::reuse) info.microseconds = microseconds_of(record);
        if (info.state == PairState::separated) {
            const vec3 between(s.colliders.poses[record.b].position - s.colliders.poses[record.a].position);
            info.separation = is_finite(record.distance)
                                  ? record.distance
                                  : std::sqrt(length_squared(between)) - record.radius_a - record.radius_b;
        }
        // As the narrowphase found it: the solver may have another one.
        const Manifold& manifold = came_apart ? s.contacts.manifold(c) : cache.manifold;
        for (int i = 0; i < manifold.count; ++i) {
            const float separation = manifold.points[i].separation;
            info.separation = i == 0 ? separation : std::min(info.separation, separation);
        }
        info.b_in_a = record.reference;
        info.simplex = cache.simplex;
        info.triangle = view.triangle_of(c);
        if (const TrianglePlace* const facet = view.facet_of(c)) {
            info.facet_reach = facet->facet_reach;
            info.facet_middle = facet->middle;
        }
        all.push_back(info);
    }
    return all;
}

std::uint32_t World::State::island_of(std::uint32_t slot) const {
    if (!bodies[slot].is_dynamic() || !awake().contains(slot)) return no_island;
    const std::uint32_t index = indices.find(slot);
    return index != 0 && index < indices.movable_end() ? indices.slot(islands.root(index)) : no_island;
}

std::uint32_t World::island(BodyId id) const {
    const State& s = *state_;
    if (!s.check_handle(id, "island")) return no_island;
    return s.island_of(id.slot);
}

std::span<const ContactEvent> World::contacts_begun() const { return state_->contact_events.begun(); }
std::span<const ContactEvent> World::contacts_ended() const { return state_->contact_events.ended(); }
std::span<const HitEvent> World::contacts_hit() const { return state_->hit_events.hits(); }
const FrameProfile& World::profile() const { return state_->profile; }
const Error& World::last_error() const { return state_->error.get(); }
void World::clear_error() const { state_->error.set({}); }

std::span<const MovedBody> World::moved_bodies() const { return state_->moved_bodies.list(); }

MemoryStats World::memory() const {
    const State& s = *state_;
    MemoryStats m;
    m.bodies = s.moved_bodies.bytes() + s.bodies.bytes() + s.sleeping.bytes() + s.proxies.bytes() -
               s.proxies.broadphase().bytes();
    m.shapes = s.shapes.bytes() + s.colliders.bytes();
    m.broadphase = s.proxies.broadphase().bytes();
    m.contacts = s.contacts.bytes() + s.body_pairs.bytes() + s.active_contacts.bytes() + s.substep_contacts.bytes() +
                 s.solid_contacts.bytes();
    m.joints = s.joints.bytes() + s.joint_solver.bytes();
    m.solver = s.solver.bytes() + s.graph.bytes() + s.stiff_groups.bytes() + s.substeps.bytes() + s.islands.bytes() +
               s.indices.bytes() + s.moving.bytes() + s.supports.bytes() + s.driven_loads.bytes() +
               s.energy_bound.bytes() + s.island_momentum.bytes() + s.plan.bytes() +
               s.edges.capacity() * sizeof(ConstraintGraph::Edge);
    std::set<const void*> seen;  // shared hulls and meshes count once
    for (const ShapeDef& def : s.shapes.defs) {
        if (def.shape.hull && seen.insert(def.shape.hull.get()).second) m.hulls += def.shape.hull->bytes();
        if (def.mesh && seen.insert(def.mesh.get()).second) m.meshes += def.mesh->bytes();
    }
    return m;
}

}  // namespace talus
