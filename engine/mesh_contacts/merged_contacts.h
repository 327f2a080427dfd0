#pragma once
/// Merges the contacts of one shape with triangles of the same normal into one contact for the solver.
///
/// So the solver supports a box on a floor of 100 triangles at four points, as on one flat face, and a tower stands
/// equally firm on both. The merged manifold replaces the manifold of the contact with the largest load
/// (ContactTable::manifold); the other contacts have no points in this step. A shape that slides or rolls to the next
/// triangle, facet or mesh keeps its load.

#include "engine/mesh_contacts/contact_load.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class MergedContacts {
public:
    /// Merges the touching contacts that were not merged in this step yet, and removes the ones without points from the
    /// list. `lost`: the loads of contacts that were removed since the last step.
    void merge(const ContactWorld& world, std::vector<std::uint32_t>& touching,
               std::span<const std::uint32_t> last_touching, std::span<const LostLoad> lost);

private:
    struct TriangleContact {
        std::uint32_t mesh_contact = null_index, contact = null_index;
        // Set by merge_mesh_contact().
        std::uint32_t material = 0;
        vec3 normal{0.0f};  ///< from the mesh to the shape, world
    };
    /// A point of a contact with a triangle.
    struct TrianglePoint {
        vec3 on_mesh;   ///< m, mesh frame
        vec3 on_other;  ///< m, the other shape's frame
        float separation;
        std::uint32_t id;
    };
    void pass_on(const ContactWorld& world, const LostLoad& lost);
    bool pass_on_to(const ContactWorld& world, std::uint32_t mesh_contact, const LostLoad& lost);
    void list_by_mesh_contact(const ContactWorld& world, std::span<const std::uint32_t> touching);
    std::span<TriangleContact> triangle_contacts_of(std::uint32_t mesh_contact) {
        const std::uint32_t first = mesh_contact == 0 ? 0 : ends_[mesh_contact - 1];
        return std::span(triangle_contacts_).subspan(first, ends_[mesh_contact] - first);
    }
    void merge_mesh_contact(const ContactWorld& world, std::span<TriangleContact> list);
    void merge_facing_alike(const ContactWorld& world, const vec3& normal);

    // Scratch.
    std::vector<TriangleContact> triangle_contacts_;  ///< mesh contact by mesh contact
    std::vector<std::uint32_t> ends_;                 ///< in that list, by mesh contact
    std::vector<std::uint32_t> facing_alike_;  ///< contacts of one mesh contact whose triangles have the same normal
    std::vector<TrianglePoint> triangle_points_;
};

}  // namespace talus
