#pragma once
/// The stores that describe contacts (bodies, shapes, colliders, contacts), and the functions that need several of
/// them.
///
/// ContactView is for reading: it translates a contact into the ids and indices that the user knows. ContactWorld is
/// for stages that add and remove contacts: a contact with a triangle owns the triangle's slot in the shape pool, and
/// its friction and restitution follow from the materials of both shapes.

#include <talus/engine/events.h>
#include "engine/bodies/body_store.h"
#include "engine/contacts/contact_table.h"

#include <cstdint>

namespace talus {

struct ContactView {
    const BodyStore& bodies;
    const ShapePool& shapes;
    const Colliders& colliders;
    const ContactTable& contacts;

    /// Returns the event of a contact, or of a mesh contact, that begins or ends now.
    ContactEvent event_of(std::uint32_t contact) const;
    ContactEvent event_of_mesh_contact(std::uint32_t mesh_contact) const;
    /// Returns the number of the contact's triangle in its mesh, or no_triangle. Of a facet it is the first one.
    std::uint32_t triangle_of(std::uint32_t contact) const;
    /// Returns the facet with which the contact is, or null.
    const TrianglePlace* facet_of(std::uint32_t contact) const;
    /// Like triangle_of; of a facet it is the one at the deepest point. Allocates memory.
    std::uint32_t touched_triangle(std::uint32_t contact) const;
    /// Returns whether two shapes touch as last reported to the user. Takes body slots and the shapes' pool indices.
    bool are_touching(std::uint32_t body_a, std::uint32_t shape_a, std::uint32_t body_b, std::uint32_t shape_b) const;
    /// Returns whether filters and sensor flags let two colliders have a contact.
    bool may_touch(std::uint32_t collider_a, std::uint32_t collider_b) const;
};

struct ContactWorld {
    BodyStore& bodies;
    ShapePool& shapes;
    Colliders& colliders;
    ContactTable& contacts;

    ContactView view() const { return {bodies, shapes, colliders, contacts}; }

    /// Adds the contact of two colliders that may touch to a body pair. Returns its index.
    std::uint32_t add_contact(std::uint32_t pair, std::uint32_t collider_a, std::uint32_t body_a,
                              std::uint32_t collider_b, std::uint32_t body_b) const;
    /// The same for two colliders with this record. The bodies are in its order.
    std::uint32_t add_contact(std::uint32_t pair, const PairRecord& record, std::uint32_t body_a,
                              std::uint32_t body_b) const;
    /// Removes a contact and the triangle that it owns.
    void remove_contact(std::uint32_t contact) const;
    /// Derives a contact's friction and restitution from the materials of its shapes.
    void mix_materials(std::uint32_t contact) const;
    /// Moves the colliders of triangles that have contacts to the pose of their mesh, which is a shape of the body
    /// `slot`.
    void place_triangles(std::uint32_t slot, std::uint32_t mesh) const;

private:
    void set_up(std::uint32_t contact) const;
};

}  // namespace talus
