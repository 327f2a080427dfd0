#include "engine/contacts/contact_world.h"

#include "engine/contacts/material_mixing.h"

#include <algorithm>

namespace talus {

ContactEvent ContactView::event_of(std::uint32_t c) const {
    const ContactBodies& pair = contacts.bodies[c];
    const ContactState& state = contacts.states[c];
    return {bodies.id_of(pair.a),
            bodies.id_of(pair.b),
            shapes.shape_of(contacts.records[c].a) - bodies[pair.a].first_shape,
            shapes.shape_of(contacts.records[c].b) - bodies[pair.b].first_shape,
            state.sensor,
            state.last_impulse};
}

ContactEvent ContactView::event_of_mesh_contact(std::uint32_t k) const {
    const MeshContact& mesh_contact = contacts.mesh_contacts[k];
    return {bodies.id_of(mesh_contact.mesh_body),
            bodies.id_of(mesh_contact.shape_body),
            mesh_contact.mesh - bodies[mesh_contact.mesh_body].first_shape,
            mesh_contact.shape - bodies[mesh_contact.shape_body].first_shape,
            mesh_contact.sensor,
            mesh_contact.last_impulse};
}

std::uint32_t ContactView::triangle_of(std::uint32_t c) const {
    for (const std::uint32_t i : {contacts.records[c].a, contacts.records[c].b}) {
        if (shapes.is_triangle(i)) return shapes.triangles[i].triangle;
    }
    const ContactState& state = contacts.states[c];
    return shapes.defs[contacts.records[c].a].mesh ? state.triangle_a : state.triangle_b;
}

const TrianglePlace* ContactView::facet_of(std::uint32_t c) const {
    for (const std::uint32_t i : {contacts.records[c].a, contacts.records[c].b}) {
        if (shapes.is_triangle(i) && shapes.triangles[i].is_facet()) return &shapes.triangles[i];
    }
    return nullptr;
}

std::uint32_t ContactView::touched_triangle(std::uint32_t c) const {
    const TrianglePlace* const facet = facet_of(c);
    const Manifold& manifold = contacts.manifold(c);
    if (facet == nullptr || manifold.count == 0) return triangle_of(c);
    const ManifoldPoint* deepest = &manifold.points[0];
    for (int i = 1; i < manifold.count; ++i) {
        if (manifold.points[i].separation < deepest->separation) deepest = &manifold.points[i];
    }
    const bool is_a = shapes.is_triangle(contacts.records[c].a);
    const vec3 point = facet->middle + (is_a ? deepest->on_a : deepest->on_b);
    const vec3 half = half_extents(shapes.boxes[is_a ? contacts.records[c].b : contacts.records[c].a]);
    const float flatness = detail::facet_flatness({point, point}, std::max({half.x, half.y, half.z}));
    return detail::triangle_at(*shapes.defs[facet->mesh].mesh, facet->triangle, point, flatness);
}

bool ContactView::are_touching(std::uint32_t body_a, std::uint32_t shape_a, std::uint32_t body_b,
                               std::uint32_t shape_b) const {
    const std::uint32_t p = contacts.find_pair(bodies, body_a, body_b);
    if (p == null_index) return false;
    const std::uint32_t k = contacts.find_mesh_contact(p, shape_a, shape_b);
    if (k != null_index) return contacts.mesh_contacts[k].touching;
    const std::uint32_t c = contacts.find_contact(p, shape_a, shape_b);
    return c != null_index && contacts.states[c].touching;
}

bool ContactView::may_touch(std::uint32_t collider_a, std::uint32_t collider_b) const {
    const ShapeDef &a = shapes.defs[shapes.shape_of(collider_a)], &b = shapes.defs[shapes.shape_of(collider_b)];
    return should_collide(a.filter, b.filter) && !(a.sensor && b.sensor);
}

std::uint32_t ContactWorld::add_contact(std::uint32_t pair, std::uint32_t collider_a, std::uint32_t body_a,
                                        std::uint32_t collider_b, std::uint32_t body_b) const {
    const std::uint32_t c = contacts.add_contact(pair, colliders, collider_a, body_a, collider_b, body_b);
    set_up(c);
    return c;
}

std::uint32_t ContactWorld::add_contact(std::uint32_t pair, const PairRecord& record, std::uint32_t body_a,
                                        std::uint32_t body_b) const {
    const std::uint32_t c = contacts.add_contact(pair, record, {body_a, body_b});
    set_up(c);
    return c;
}

/// Sets what follows from the definitions of a new contact's shapes.
void ContactWorld::set_up(std::uint32_t c) const {
    const PairRecord& record = contacts.records[c];
    const ShapeDef &a = shapes.defs[shapes.shape_of(record.a)], &b = shapes.defs[shapes.shape_of(record.b)];
    ContactState& state = contacts.states[c];
    mix_materials(c);
    state.sensor = a.sensor || b.sensor;
    state.hit_events = a.hit_events || b.hit_events;
    state.modifiable = a.modify_contacts || b.modify_contacts;
}

void ContactWorld::remove_contact(std::uint32_t c) const {
    const PairRecord& record = contacts.records[c];
    for (const std::uint32_t slot : {record.a, record.b}) {
        if (shapes.is_triangle(slot)) shapes.release(slot, 1, colliders);
    }
    contacts.remove_contact(c);
}

void ContactWorld::mix_materials(std::uint32_t c) const {
    talus::mix_materials(shapes, colliders, contacts.records[c], contacts.states[c]);
}

void ContactWorld::place_triangles(std::uint32_t slot, std::uint32_t mesh) const {
    for_each_pair(contacts, bodies, slot, [&](std::uint32_t p) {
        for_each_contact(contacts, p, [&](std::uint32_t c) {
            for (const std::uint32_t i : {contacts.records[c].a, contacts.records[c].b}) {
                if (shapes.is_triangle(i) && shapes.triangles[i].mesh == mesh) shapes.place_triangle(i, colliders);
            }
        });
    });
}

}  // namespace talus
