#pragma once
/// The load of a contact with a triangle, which another contact of the same shape takes over.

#include "engine/contacts/contact_world.h"

#include <cstdint>

namespace talus {

/// The impulses of a contact in the last sub-step.
struct ContactLoad {
    float normal = 0.0f;   ///< N s
    vec3 friction{0.0f};   ///< on the shape, world, N s
    float substep = 0.0f;  ///< length of that sub-step, s; 0: there is no load
};

/// The load of a contact that was removed.
struct LostLoad {
    std::uint32_t mesh_contact = 0;  ///< its number; it may have been removed as well
    std::uint32_t shape = 0;         ///< pool index
    vec3 normal{0.0f};               ///< from the mesh to the shape, world
    ContactLoad load;
};

/// True if the triangle of a contact with a mesh is its first collider.
inline bool triangle_is_a(const ContactWorld& world, std::uint32_t contact) {
    return world.shapes.is_triangle(world.contacts.records[contact].a);
}

/// Returns the collider of a contact with a mesh that is the triangle.
inline std::uint32_t triangle_slot(const ContactWorld& world, std::uint32_t contact) {
    const PairRecord& record = world.contacts.records[contact];
    return world.shapes.is_triangle(record.a) ? record.a : record.b;
}

/// Returns the normal of a contact's present or last manifold, from the mesh to the shape, world.
inline vec3 normal_from_mesh(const ContactWorld& world, std::uint32_t contact) {
    const vec3 n = rotate(world.colliders.poses[world.contacts.records[contact].a].rotation,
                          world.contacts.manifold(contact).normal);
    return triangle_is_a(world, contact) ? n : -n;
}

/// Removes the load of a contact and returns it.
inline ContactLoad take_load(const ContactWorld& world, std::uint32_t contact) {
    ContactState& state = world.contacts.states[contact];
    ContactLoad load;
    load.substep = state.substep;
    for (int i = 0; i < state.point_count; ++i) load.normal += state.impulses[i];
    load.friction = triangle_is_a(world, contact) ? state.friction_impulse : -state.friction_impulse;
    state.point_count = 0;
    state.substep = 0.0f;
    state.friction_impulse = vec3(0.0f);
    state.twist_impulse = 0.0f;
    return load;
}

}  // namespace talus
