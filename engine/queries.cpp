/// World's questions: rays, overlaps, contacts, memory and the state's hash.

#include <talus/engine/world_state.h>

#include <talus/narrowphase/epa.h>
#include <talus/narrowphase/ray_cast.h>
#include <talus/narrowphase/size_limits.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace talus {

WorldRayHit World::ray_cast(const vec3& origin, const vec3& translation, const Filter& filter) const {
    const State& s = *state_;
    WorldRayHit best;
    if (!is_finite(origin) || !is_finite(translation)) {
        s.error.set({ErrorCode::not_finite, "ray_cast: origin or translation has a NaN or an infinity"});
        return best;
    }
    s.broadphase.ray_cast(origin, translation, [&](std::uint32_t slot, float max_fraction) {
        const Body& body = s.bodies[slot];
        for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
            const ShapeDef& def = s.shapes.defs[i];
            if (def.sensor || !should_collide(filter, def.filter)) continue;
            const Transform& pose = s.colliders.poses[i];
            const RayHit hit = talus::ray_cast(def.shape, inverse_transform_point(pose, origin),
                                               inverse_rotate(pose.rotation, translation));
            // Of two hits at the same place the lower slot wins, whatever order the broadphase visits them in.
            const bool nearer = hit.fraction < best.fraction || (hit.fraction == best.fraction && slot < best.body.slot);
            if (!hit.hit || !nearer) continue;
            best.body = s.bodies.id_of(slot);
            best.shape = i - body.first_shape;
            best.fraction = hit.fraction;
            best.position = origin + hit.fraction * translation;
            best.normal = rotate(pose.rotation, hit.normal);
            max_fraction = hit.fraction;
        }
        return max_fraction;
    });
    return best;
}

std::vector<BodyId> World::overlap(const Shape& shape, const Transform& pose, const Filter& filter) const {
    const State& s = *state_;
    std::vector<BodyId> found;
    if (Error error = check(shape)) {
        s.error.set(std::move(error));
        return found;
    }
    const float q2 = pose.rotation.w * pose.rotation.w + pose.rotation.x * pose.rotation.x +
                     pose.rotation.y * pose.rotation.y + pose.rotation.z * pose.rotation.z;
    if (!is_finite(pose.position) || !is_finite(pose.rotation) || !(q2 > 1e-12f)) {
        s.error.set({ErrorCode::not_finite, "overlap: the pose must be finite, its rotation a unit quaternion"});
        return found;
    }
    const Transform placed{pose.position, normalized(pose.rotation)};
    const Aabb box = transform_box(to_frame(placed), talus::bounds(shape));
    s.broadphase.query(box, [&](std::uint32_t slot) {
        const Body& body = s.bodies[slot];
        for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
            const ShapeDef& def = s.shapes.defs[i];
            if (def.sensor || !should_collide(filter, def.filter) || !overlaps(box, s.shapes.world_boxes[i])) continue;
            SimplexCache cache;
            const SeparationResult r =
                separation(shape, def.shape, to_frame(relative(placed, s.colliders.poses[i])), cache, 0.0f);
            if (r.beyond_limit || r.separation > 0.0f) continue;
            found.push_back(s.bodies.id_of(slot));
            return;
        }
    });
    std::sort(found.begin(), found.end(), [](BodyId a, BodyId b) { return a.slot < b.slot; });
    return found;
}

std::vector<BodyId> World::overlap(const Aabb& box, const Filter& filter) const {
    if (!is_finite(box.lower) || !is_finite(box.upper)) {
        state_->error.set({ErrorCode::not_finite, "overlap: the box has a NaN or an infinity"});
        return {};
    }
    if (!(box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z)) {
        state_->error.set({ErrorCode::bad_argument, "overlap: the box needs lower <= upper on each axis"});
        return {};
    }
    // A flat box, or a point, is as thick as the thinnest shape there is.
    const vec3 half = glm::max(half_extents(box), vec3(smallest_size));
    return overlap(talus::box(half), {center(box), quat(1.0f, 0.0f, 0.0f, 0.0f)}, filter);
}

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
    if (!state.touching || state.sensor) return;
    const Manifold& manifold = contacts.caches[c].manifold;
    const Transform &pose_a = colliders.poses[contacts.records[c].a], &pose_b = colliders.poses[contacts.records[c].b];
    const ContactEvent event = event_of(c);
    Contact contact;
    contact.body_a = event.body_a;
    contact.body_b = event.body_b;
    contact.shape_a = event.shape_a;
    contact.shape_b = event.shape_b;
    contact.normal = rotate(pose_a.rotation, manifold.normal);
    contact.friction_impulse = state.step_friction_impulse;
    contact.point_count = manifold.count;
    for (int i = 0; i < manifold.count; ++i) {
        const ManifoldPoint& point = manifold.points[i];
        const vec3 a = transform_point(pose_a, point.on_a), b = transform_point(pose_b, point.on_b);
        contact.points[i] = {0.5f * (a + b), glm::dot(b - a, contact.normal), state.step_impulses[i], point.id};
    }
    out.push_back(contact);
}

std::span<const ContactEvent> World::contacts_begun() const { return state_->begun; }
std::span<const ContactEvent> World::contacts_ended() const { return state_->ended; }
const FrameProfile& World::profile() const { return state_->profile; }
const Error& World::last_error() const { return state_->error.get(); }

MemoryStats World::memory() const {
    const State& s = *state_;
    MemoryStats m;
    m.bodies = s.bodies.bytes() + s.awake.bytes() + s.proxy_body.capacity() * sizeof(std::uint32_t);
    m.shapes = s.shapes.bytes() + s.colliders.bytes();
    m.broadphase = s.broadphase.bytes();
    m.contacts = s.contacts.bytes() + s.collide_scratch.bytes() +
                 (s.active.capacity() + s.compound_pairs.capacity()) * sizeof(std::uint32_t);
    m.solver = s.solver.bytes() + s.graph.bytes() + s.islands.bytes() +
               s.solver_bodies.capacity() * sizeof(SolverBody) + s.solver_masses.capacity() * sizeof(SolverMass) +
               s.motions.capacity() * sizeof(Motion) + s.edges.capacity() * sizeof(ConstraintGraph::Edge) +
               s.island_still_time.capacity() * sizeof(float) +
               (s.solver_index.capacity() + s.stack.capacity()) * sizeof(std::uint32_t);
    std::set<const Hull*> hulls;  // shared ones count once
    for (const ShapeDef& def : s.shapes.defs) {
        if (def.shape.hull && hulls.insert(def.shape.hull.get()).second) m.hulls += def.shape.hull->bytes();
    }
    return m;
}

std::uint64_t World::hash() const {
    std::uint64_t h = 14695981039346656037ull;  // FNV-1a over 32-bit words
    const auto mix = [&h](float x) { h = (h ^ std::bit_cast<std::uint32_t>(x)) * 1099511628211ull; };
    for (std::uint32_t slot = 0; slot < state_->bodies.slot_count(); ++slot) {
        const Body& b = state_->bodies[slot];
        if (!b.in_use) continue;
        for (int i = 0; i < 3; ++i) mix(b.center[i]);
        mix(b.rotation.w), mix(b.rotation.x), mix(b.rotation.y), mix(b.rotation.z);
        for (int i = 0; i < 3; ++i) mix(b.linear_velocity[i]);
        for (int i = 0; i < 3; ++i) mix(b.angular_velocity[i]);
    }
    return h;
}

}  // namespace talus
