#pragma once
/// Contacts with edges of a mesh where another mesh goes on (narrowphase/triangles/seam.h).

#include "engine/mesh_contacts/contact_load.h"

#include <cstdint>
#include <vector>

namespace talus {

/// Returns by how much two meshes may miss each other at a seam, m. `size`: half the longest side of the box of the
/// shape that touches them, m. `reach`: the largest coordinate of the numbers that are compared, m.
float seam_tolerance(float size, float reach);

/// True if a mesh of the body, other than `mesh`, goes through `point` (world, m) and rises there above the plane across
/// `normal` (world, unit, to `shape`), as rises_at() says. `shape` must be able to collide with it. `found` is scratch
/// memory.
bool other_mesh_rises(const ContactView& world, const Body& body, std::uint32_t mesh, std::uint32_t shape,
                      const dvec3& point, const vec3& normal, float tolerance, std::vector<std::uint32_t>& found);

class Seams {
public:
    /// Removes contact points on the edges of meshes where another mesh goes on, for this step, and the contacts without
    /// points from `touching`. Adds the loads of these to `lost`.
    void remove_points(const ContactWorld& world, std::vector<std::uint32_t>& touching, std::vector<LostLoad>& lost);

private:
    bool has_other_mesh(const ContactWorld& world, const MeshContact& mesh_contact) const;
    bool remove_points(const ContactWorld& world, std::uint32_t mesh_contact, std::uint32_t contact,
                       std::vector<LostLoad>& lost);

    std::vector<std::uint32_t> found_;  ///< scratch
};

}  // namespace talus
