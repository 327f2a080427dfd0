#pragma once
/// Turns the normals of contacts between bodies with locked axes into the plane or line in which the bodies can move.
///
/// Take two sprites 2 cm thick that overlap by 5 cm in their plane. Their direction of least penetration is across the
/// plane. The locks forbid that motion, so no impulse along such a normal has an effect, and the sprites stayed in each
/// other. The result that is needed is the separation in the cross-section of the Minkowski difference with the plane.
/// Stretching both shapes across the plane does not change that section, and makes all displacements across the plane
/// long. So the ordinary distance and depth of the stretched shapes give the result.

#include "engine/contacts/contact_world.h"

#include <cstdint>
#include <span>

namespace talus {

/// Replaces, for this step, the manifold of each contact whose normal is nearly along a locked axis of both bodies. The
/// new normal lies in the bodies' plane or along their line. Does not change contacts of bodies that cannot move
/// relative to each other, of bodies in neighbouring layers whose faces overlap slightly, of sensors, and of triangles
/// of meshes and height fields, which have their own rule for normals.
void turn_into_plane(const ContactWorld& world, std::span<const std::uint32_t> contacts);

}  // namespace talus
