#include "engine/events/hit_events.h"

#include "engine/events/contact_report.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace talus {

void HitEvents::note_approaches(const ContactView& world, std::span<const ConstraintGraph::Edge> edges,
                                float least_speed) {
    const ContactTable& contacts = world.contacts;
    const BodyStore& bodies = world.bodies;
    const Colliders& colliders = world.colliders;
    approaches_.clear();
    for (const ConstraintGraph::Edge& edge : edges) {
        if (!contacts.states[edge.contact].hit_events) continue;
        const ContactBodies& pair = contacts.bodies[edge.contact];
        const Body &a = bodies[pair.a], &b = bodies[pair.b];
        const PairRecord& record = contacts.records[edge.contact];
        const WorldTransform &pose_a = colliders.poses[record.a], &pose_b = colliders.poses[record.b];
        const Manifold& manifold = contacts.manifold(edge.contact);
        const vec3 normal = rotate(pose_a.rotation, manifold.normal);
        float speed = 0.0f;
        for (int i = 0; i < manifold.count; ++i) {
            const vec3 arm_a = rotate(pose_a.rotation, manifold.points[i].on_a) + vec3(pose_a.position - a.center),
                       arm_b = rotate(pose_b.rotation, manifold.points[i].on_b) + vec3(pose_b.position - b.center);
            const vec3 velocity = b.linear_velocity + glm::cross(b.angular_velocity, arm_b) - a.linear_velocity -
                                  glm::cross(a.angular_velocity, arm_a);
            speed = std::max(speed, -glm::dot(normal, velocity));
        }
        if (speed >= least_speed) approaches_.push_back({edge.contact, speed});
    }
}

void HitEvents::report(const ContactView& world, std::span<const Impact> impacts, float least_speed) {
    // The approach speed of two very fast bodies may exceed the largest float.
    const auto in_range = [](float speed) { return std::min(speed, std::numeric_limits<float>::max()); };
    for (const Approach& approach : approaches_) {
        const ContactState& state = world.contacts.states[approach.contact];
        if (!(state.last_impulse > 0.0f)) continue;
        const std::optional<Contact> contact = contact_of(world, approach.contact, impacts);
        if (!contact) continue;
        const ContactPoint* strongest = &contact->points[0];
        for (int i = 1; i < contact->point_count; ++i) {
            if (contact->points[i].normal_impulse > strongest->normal_impulse) strongest = &contact->points[i];
        }
        hits_.push_back({contact->body_a, contact->body_b, contact->shape_a, contact->shape_b, strongest->position,
                         contact->normal, in_range(approach.speed), state.last_impulse});
    }
    for (const Impact& impact : impacts) {
        const bool asked =
            world.shapes.defs[impact.shape].hit_events || world.shapes.defs[impact.other_shape].hit_events;
        if (impact.sensor || !asked || impact.approach_speed < least_speed) continue;
        hits_.push_back({world.bodies.id_of(impact.other), world.bodies.id_of(impact.body),
                         impact.other_shape - world.bodies[impact.other].first_shape,
                         impact.shape - world.bodies[impact.body].first_shape, impact.point, impact.normal,
                         in_range(impact.approach_speed), impact.impulse});
    }
}

}  // namespace talus
