/// In place of surface_pair.cpp in a library that is built without meshes (TALUS_MESHES): no collider is a triangle of a
/// surface there, so nobody calls this.

#include "narrowphase/triangles/surface_pair.h"

#include <exception>

namespace talus::detail {

bool is_surface_contact(const PairTest&, const SurfacePair&, const vec3&) { std::terminate(); }

void touch_by_face(const CollideCall&, const PairTest&, const SurfacePair&, float) { std::terminate(); }

}  // namespace talus::detail
