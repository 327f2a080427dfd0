#pragma once
/// Which triangles of a mesh a shape has contacts with.
///
/// A step asks a mesh for the triangles in a box only when the shape has left the box of the last time, which is larger than the
/// shape. Triangles that are in both boxes keep their contacts, with all that their caches know. The state of a shape against a
/// mesh is a MeshContact (contact_table.h).

#include "engine/contacts/contact_world.h"

#include <cstdint>
#include <vector>

namespace talus {

class MeshContacts {
public:
    /// At the start of the stage `pairs`.
    void begin_step() { any_pressed_through_ = false; }
    /// Adds and removes the contacts of a shape with the triangles of a mesh. Pool indices of the shapes, and body slots.
    void update(const ContactWorld& world, std::uint32_t pair, std::uint32_t shape, std::uint32_t shape_body,
                std::uint32_t mesh, std::uint32_t mesh_body);
    /// Keeps account of the side of a mesh on which a shape belongs, and tells the triangles of its contacts if that is not
    /// the side of its middle. Returns false if nothing can have changed.
    bool update_side(const ContactWorld& world, std::uint32_t pair, std::uint32_t mesh_contact);
    /// Whether some shape was found on the wrong side in this step: see MeshContact::pressed_through.
    bool any_pressed_through() const { return any_pressed_through_; }

private:
    struct NearTriangle {
        vec3 points[3];  ///< mesh frame, m
        vec3 normal;
    };
    struct KnownTriangle {
        std::uint32_t triangle, contact;
    };
    float find_triangles_around(const ContactWorld& world, std::uint32_t pair, std::uint32_t mesh_contact,
                                const vec3& middle, float probe);

    bool any_pressed_through_ = false;
    // Scratch.
    std::vector<std::uint32_t> found_triangles_;
    std::vector<KnownTriangle> known_triangles_;
    std::vector<NearTriangle> triangles_around_;  ///< the middle of a shape
};

}  // namespace talus
