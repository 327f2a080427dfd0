#pragma once
/// Contacts of bodies that are locked to a plane or a line: their normals lie in it.
///
/// Two sprites 2 cm thick that overlap by 5 cm in their plane have their shortest way out across the plane. The locks forbid
/// that motion, no impulse has an effect along such a normal, and the two stayed in each other. What counts is the cross-section
/// of the Minkowski difference with the plane. Stretching both shapes across the plane leaves that section as it is and makes
/// every way out across the plane long, so the ordinary distance and depth of the stretched shapes give the answer.

#include "engine/contacts/contact_world.h"

#include <cstdint>
#include <span>

namespace talus {

/// Gives each contact whose normal is nearly along a locked axis of both bodies a manifold for this step whose normal lies in their
/// plane or along their line. Leaves alone: bodies that cannot move against each other at all, bodies in neighbouring layers whose
/// faces overlap slightly, sensors, and triangles of meshes and height fields, which have their own rule for normals.
void turn_into_plane(const ContactWorld& world, std::span<const std::uint32_t> contacts);

}  // namespace talus
