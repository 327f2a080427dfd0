/// In place of this folder's contacts, and of the sweeps of solids, in a library that is built without meshes
/// (TALUS_MESHES). World::add_body refuses all meshes there, so update() and update_side() are not called, and merge(),
/// collide() and stop() have nothing to do.

#include "engine/continuous/swept_solids.h"
#include "engine/mesh_contacts/merged_contacts.h"
#include "engine/mesh_contacts/mesh_contacts.h"
#include "engine/mesh_contacts/seams.h"
#include "engine/mesh_contacts/solid_contacts.h"

#include <exception>

namespace talus {

void MeshContacts::update(const ContactWorld&, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                          std::uint32_t, std::uint32_t) {
    std::terminate();
}

bool MeshContacts::update_side(const ContactWorld&, std::uint32_t) { std::terminate(); }

void MergedContacts::merge(const ContactWorld&, std::vector<std::uint32_t>&, std::span<const std::uint32_t>,
                           std::span<const LostLoad>) {}

void Seams::remove_points(const ContactWorld&, std::vector<std::uint32_t>&, std::vector<LostLoad>&) {}

bool other_mesh_rises(const ContactView&, const Body&, std::uint32_t, std::uint32_t, const dvec3&, const vec3&, float,
                      std::vector<std::uint32_t>&) {
    std::terminate();
}

bool meets_by_features(const ShapePool&, const BodyStore&, std::uint32_t, std::uint32_t, std::uint32_t) {
    std::terminate();
}

void SolidContacts::collide(const ContactWorld&, std::span<const Task>, const Jobs&, bool, NarrowphaseProfile&) {}

bool SolidContacts::can_find_again(const ShapePool&, const MeshContact&) { std::terminate(); }
void SolidContacts::begin_again(std::size_t) {}
void SolidContacts::find_again(const ContactWorld&, const Task&, std::size_t) {}
void SolidContacts::put_again(const ContactWorld&, const Task&, std::size_t) {}

std::size_t SolidContacts::bytes() const { return 0; }

SweptSolids::Hit SweptSolids::first_hit(const ContinuousInput&, const CcdSweep&, const Path&, bool, float,
                                        std::span<const ShapePair>) {
    return {};
}
void SweptSolids::stop(const ContinuousInput&, ContinuousOutput&, const Path&, const Hit&) {}

float seam_tolerance(float, float) { std::terminate(); }

}  // namespace talus
