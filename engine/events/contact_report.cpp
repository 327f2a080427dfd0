#include "engine/events/contact_report.h"

namespace talus {

std::optional<Contact> contact_of(const ContactView& world, std::uint32_t c, std::span<const Impact> impacts) {
    const ContactTable& contacts = world.contacts;
    const ContactState& state = contacts.states[c];
    if (!state.touching || state.sensor) return std::nullopt;
    if (state.mesh_contact != null_index && !contacts.mesh_contacts[state.mesh_contact].touching) return std::nullopt;
    const PairRecord& record = contacts.records[c];
    const WorldTransform &pose_a = world.colliders.poses[record.a], &pose_b = world.colliders.poses[record.b];
    const Manifold& manifold = contacts.manifold(c);
    const ContactEvent event = world.event_of(c);
    Contact contact;
    contact.body_a = event.body_a;
    contact.body_b = event.body_b;
    contact.shape_a = event.shape_a;
    contact.shape_b = event.shape_b;
    contact.triangle = world.touched_triangle(c);
    contact.normal = rotate(pose_a.rotation, manifold.normal);
    contact.friction_impulse = state.step_friction_impulse;
    if (manifold.count == 0) {
        for (const Impact& impact : impacts) {
            const bool forward = impact.other_shape == record.a && impact.shape == record.b;
            const bool backward = impact.shape == record.a && impact.other_shape == record.b;
            if (impact.sensor || (!forward && !backward)) continue;
            contact.normal = forward ? impact.normal : -impact.normal;
            contact.point_count = 1;
            contact.points[0] = {impact.point, 0.0f, impact.impulse, 0, true};
            break;
        }
        return contact;
    }
    contact.point_count = manifold.count;
    for (int i = 0; i < manifold.count; ++i) {
        const ManifoldPoint& point = manifold.points[i];
        const dvec3 a = transform_point(pose_a, point.on_a), b = transform_point(pose_b, point.on_b);
        contact.points[i] = {midway(a, b), glm::dot(vec3(b - a), contact.normal), state.step_impulses[i], point.id,
                             (state.continued >> i & 1u) == 0};
    }
    return contact;
}

}  // namespace talus
