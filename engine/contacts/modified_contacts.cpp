#include "engine/contacts/modified_contacts.h"

namespace talus {

bool ModifiedContacts::modify(const BodyStore& bodies, const ContactEvent& names, const WorldTransform& pose_a,
                              const WorldTransform& pose_b, Manifold& manifold, float& friction, float& restitution,
                              bool touched) const {
    const Body &a = bodies[names.body_a.slot], &b = bodies[names.body_b.slot];
    ContactModification m;
    m.body_a = names.body_a;
    m.body_b = names.body_b;
    m.shape_a = names.shape_a;
    m.shape_b = names.shape_b;
    m.user_data_a = a.user_data;
    m.user_data_b = b.user_data;
    m.normal = rotate(pose_a.rotation, manifold.normal);
    m.touching = touched;
    m.friction = friction;
    m.restitution = restitution;
    m.point_count = manifold.count;
    vec3 middle(0.0f);  // as seen from the centre of A
    for (int i = 0; i < manifold.count; ++i) {
        const ManifoldPoint& p = manifold.points[i];
        m.points[i].position = midway(transform_point(pose_a, p.on_a), transform_point(pose_b, p.on_b));
        m.points[i].separation = p.separation;
        middle += vec3(m.points[i].position - a.center) / static_cast<float>(manifold.count);
    }
    m.velocity = b.linear_velocity + glm::cross(b.angular_velocity, middle - vec3(b.center - a.center)) -
                 a.linear_velocity - glm::cross(a.angular_velocity, middle);
    modifier_(m, user_);
    if (m.friction >= 0.0f && is_finite(m.friction)) friction = m.friction;
    if (m.restitution >= 0.0f && m.restitution <= 1.0f) restitution = m.restitution;
    int kept = 0;
    for (int i = 0; i < manifold.count; ++i) {
        if (m.enabled && m.points[i].enabled) manifold.points[kept++] = manifold.points[i];
    }
    manifold.count = kept;
    return kept != 0;
}

void ModifiedContacts::begin_step(const ContactWorld& world) {
    for (const std::uint32_t c : modified_) {
        ContactState& state = world.contacts.states[c];
        if (!state.modified) continue;  // the contact was removed, and another one has its slot
        state.modified = false;
        world.mix_materials(c);
    }
    modified_.clear();
}

void ModifiedContacts::apply(const ContactWorld& world, std::vector<std::uint32_t>& touching) {
    if (modifier_ == nullptr) return;
    ContactTable& contacts = world.contacts;
    std::size_t kept = 0;
    for (const std::uint32_t c : touching) {
        ContactState& state = contacts.states[c];
        bool stays = true;
        if (state.modifiable && !state.modified && !state.sensor) {
            modified_.push_back(c);
            state.modified = true;
            const PairRecord& record = contacts.records[c];
            stays = modify(world.bodies, world.view().event_of(c), world.colliders.poses[record.a],
                           world.colliders.poses[record.b], contacts.replace_manifold(c), state.friction,
                           state.restitution, state.touching);
        }
        if (stays) touching[kept++] = c;
    }
    touching.resize(kept);
}

}  // namespace talus
