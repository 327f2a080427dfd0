#pragma once
/// Checks of body definitions, and the properties of a body that follow from its shapes.

#include <talus/result.h>
#include "engine/bodies/body_store.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

// Checks of the values that users give to bodies. Each returns the first error that it finds, or an empty one: see
// engine/world/error_text.h.
Error check_type(BodyType type);
Error check_continuous(Continuous continuous);
Error check_locks(std::uint8_t locks);
Error check_material(const Material& material);
Error check_shape(const ShapeDef& shape, BodyType type);
Error check_shapes(std::span<const ShapeDef> shapes, BodyType type);
Error check_mass(std::span<const ShapeDef> shapes);  ///< the mass that they give to a dynamic body
Error check_body(const BodyDef& def);
/// Checks mass properties that a user gives in place of those of the shapes.
Error check_mass_properties(const MassProperties& properties);

/// Returns the shapes of a body, whether its definition gives one shape or several.
std::vector<ShapeDef> shapes_of(const BodyDef& def);
Surface surface_of(const Material& material);

/// Sets the centre of mass of all shapes together, in the body's frame; for a dynamic body also its mass and inertia.
void set_mass(Body& body, std::span<const ShapeDef> shapes);
/// Sets the mass, centre of mass and inertia of a dynamic body.
void set_mass(Body& body, const MassProperties& properties);
/// Sets mass and inertia about the centre of mass, in the body's frame.
void set_inertia(Body& body, double mass, const glm::dmat3& inertia);
/// Sets how far the shapes reach from the centre of mass, and the radius of a sphere that fits into the thinnest shape.
void set_extent(Body& body, std::span<const ShapeDef> shapes);

}  // namespace talus
