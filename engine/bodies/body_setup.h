#pragma once
/// What makes a body of what a user says: checks, and what follows from its shapes.

#include <talus/result.h>
#include "engine/bodies/body_store.h"

#include <span>
#include <string>
#include <vector>

namespace talus {

// An empty error means: nothing to complain about.
Error refuse(ErrorCode code, std::string message);
Error check_type(BodyType type);
Error check_continuous(Continuous continuous);
Error check_finite(const char* call, const char* what, const vec3& v);
Error check_at_least_zero(const char* what, float x);
/// A place in a body's frame: finite, and no farther off than a shape's own points may be (size_limits.h).
Error check_place(const char* call, const char* what, const vec3& v);
Error check_rotation(const quat& q);
Error check_material(const Material& material);
Error check_shape(const ShapeDef& shape, BodyType type);
Error check_body(const BodyDef& def);
/// Of a dynamic body: one that floats can compute with, and not none.
Error check_mass(const Body& body);

/// The shapes of a body, however they were given.
std::vector<ShapeDef> shapes_of(const BodyDef& def);
Surface surface_of(const Material& material);

/// Centre of mass of all the shapes together, in the body's frame; and mass and inertia, if it is dynamic.
void set_mass(Body& body, std::span<const ShapeDef> shapes);
/// What a user may ask for in place of them.
Error check_mass_properties(const MassProperties& properties);
/// Those, of a dynamic body: mass, centre of mass, inertia.
void set_mass(Body& body, const MassProperties& properties);
/// Mass and inertia about the centre of mass, body frame.
void set_inertia(Body& body, double mass, const glm::dmat3& inertia);
/// How far the shapes reach from the centre of mass, and the ball in the thinnest.
void set_extent(Body& body, std::span<const ShapeDef> shapes);

}  // namespace talus
