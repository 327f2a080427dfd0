#pragma once
/// Contacts of one shape with triangles that face the same way become one for the solver.
///
/// It then holds a box on a floor of a hundred triangles by four points, as on a slab, and a tower on it stands as firm. The merged
/// manifold replaces that of the contact which bears most (ContactTable::manifold); the other contacts have no points in this step. A
/// shape that slides or rolls on to the next triangle keeps its load.

#include "engine/contacts/contact_world.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class MergedContacts {
public:
    /// Merges the touching contacts that were not merged in this step yet. Those that have no points left leave the list.
    void merge(const ContactWorld& world, std::vector<std::uint32_t>& touching,
               std::span<const std::uint32_t> last_touching);

private:
    struct TriangleContact {
        std::uint32_t mesh_contact, contact;
    };
    /// A point of a contact with a triangle, whichever of the two is A.
    struct TrianglePoint {
        vec3 on_mesh;   ///< m, mesh frame
        vec3 on_other;  ///< m, the other shape's frame
        float separation;
        std::uint32_t id;
    };
    struct Load {
        float normal = 0.0f;   ///< N s
        vec3 friction{0.0f};   ///< on the shape, world, N s
        float substep = 0.0f;  ///< in which it was found, s; 0: there is none
    };
    static bool triangle_is_a(const ContactWorld& world, std::uint32_t contact);
    static vec3 normal_from_mesh(const ContactWorld& world, std::uint32_t contact);
    static Load take_load(const ContactWorld& world, std::uint32_t contact);
    static void give_load(const ContactWorld& world, std::uint32_t contact, const Load& load);
    void merge_mesh_contact(const ContactWorld& world, std::span<TriangleContact> list);
    void merge_facing_alike(const ContactWorld& world, const vec3& normal);

    // Scratch.
    std::vector<TriangleContact> triangle_contacts_;
    std::vector<std::uint32_t> facing_alike_;  ///< contacts of one mesh contact whose triangles face the same way
    std::vector<TrianglePoint> triangle_points_;
};

}  // namespace talus
