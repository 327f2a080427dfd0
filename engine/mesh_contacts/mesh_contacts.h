#pragma once
/// Adds and removes the contacts of shapes with the triangles of meshes, and tracks on which side of a mesh each shape
/// belongs.
///
/// The triangles in a box around a shape have contacts. Where several of them lie in one plane, one contact with a facet
/// takes the place of theirs (narrowphase/triangles/facets.h). The mesh is searched again only when the shape has left
/// that box, which is larger than the shape. Triangles and facets that are in both the old and the new box keep their
/// contacts and caches. The state of one shape against one mesh is a MeshContact (contact_table.h).

#include "engine/mesh_contacts/contact_load.h"
#include "engine/mesh_contacts/solid_contacts.h"
#include "narrowphase/triangles/facets.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class MeshContacts {
public:
    /// At the start of the stage `pairs`.
    void begin_step() {
        any_pressed_through_ = false;
        lost_loads_.clear();
        solid_tasks_.clear();
    }
    /// Returns the pairs of shapes whose contacts SolidContacts finds in this step, each once. (A new pair is updated
    /// twice.)
    std::span<const SolidContacts::Task> solid_tasks() {
        const auto in_order = [](const auto& x, const auto& y) { return x.mesh_contact < y.mesh_contact; };
        const auto same = [](const auto& x, const auto& y) { return x.mesh_contact == y.mesh_contact; };
        std::sort(solid_tasks_.begin(), solid_tasks_.end(), in_order);
        solid_tasks_.erase(std::unique(solid_tasks_.begin(), solid_tasks_.end(), same), solid_tasks_.end());
        return solid_tasks_;
    }
    /// The loads of contacts that were removed in this step, and are not passed on yet.
    std::vector<LostLoad>& lost_loads() { return lost_loads_; }
    /// Adds and removes the contacts of a shape with the triangles of a mesh. `shape` and `mesh` are pool indices,
    /// `shape_body` and `mesh_body` their body slots, `mesh_contact` their mesh contact or null_index if there is none.
    void update(const ContactWorld& world, std::uint32_t pair, std::uint32_t shape, std::uint32_t shape_body,
                std::uint32_t mesh, std::uint32_t mesh_body, std::uint32_t mesh_contact);
    /// Updates on which side of a mesh a shape belongs, and writes this to the triangles of its contacts. Returns false
    /// if nothing can have changed.
    ///
    /// Heavy bodies can press a thin body into a surface by more than half of its thickness for a moment. Every
    /// triangle that it reaches then would treat it as a body that comes from behind: a one-sided triangle would let it
    /// pass, a two-sided one push it out on the wrong side. The triangles that it touched before do not help, since it
    /// slides on. So the side is tracked: when the shape's middle passes through the surface, MeshContact::side_point
    /// stays in front of it, as near to the middle as the surface allows, until the middle has come back or has gone
    /// around the surface.
    bool update_side(const ContactWorld& world, std::uint32_t mesh_contact);
    /// Returns whether some shape was found on the wrong side in this step (MeshContact::pressed_through).
    bool any_pressed_through() const { return any_pressed_through_; }

    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(any_pressed_through_);
    }

private:
    struct NearTriangle {
        vec3 points[3];  ///< mesh frame, m
        vec3 normal;
    };
    struct KnownTriangle {
        std::uint32_t triangle, contact;
    };
    struct KnownFacet {
        std::uint32_t slot, contact;
        bool kept = false;
    };
    void set_triangles(const ContactWorld& world, std::uint32_t mesh_contact, std::uint32_t pair, const Aabb& box,
                       float size);
    void update_facets(const ContactWorld& world, std::uint32_t mesh_contact, std::uint32_t pair, const Aabb& box,
                       float flatness);
    void add(const ContactWorld& world, std::uint32_t mesh_contact, std::uint32_t pair, std::uint32_t slot);
    void remove(const ContactWorld& world, std::uint32_t mesh_contact, std::uint32_t contact);
    float find_triangles_around(const ContactWorld& world, std::uint32_t mesh_contact, const vec3& middle, float probe);

    bool any_pressed_through_ = false;
    // Scratch.
    std::vector<std::uint32_t> found_triangles_;
    detail::FacetSearch facets_;
    std::vector<KnownTriangle> known_triangles_;
    std::vector<KnownFacet> known_facets_;
    std::vector<LostLoad> lost_loads_;  ///< of this step
    std::vector<SolidContacts::Task> solid_tasks_;
    std::vector<NearTriangle> triangles_around_;  ///< around the middle of a shape
};

}  // namespace talus
