#pragma once
/// Mass, centre of mass and inertia of a shape.

#include <talus/math.h>
#include <talus/narrowphase/shape.h>

namespace talus {

/// Mass (kg), centre of mass (m) and inertia about that centre (kg m^2), in the shape's frame.
struct MassProperties {
    float mass = 0.0f;   ///< kg
    vec3 center{0.0f};   ///< centre of mass, in the shape's frame, m
    mat3 inertia{0.0f};  ///< inertia tensor about the centre of mass, in the shape's axes, kg m^2
};

/// Returns the mass properties of a solid of this density (kg/m^3). Exact, radius included; of a mapping, those of its
/// MappingSolid, with the error that is stated there. Segments and triangles
/// without radius have no volume, so their mass is 0. All values are 0 if check(shape) gives an error or the density is
/// not a positive finite number. If the mass or the inertia would be beyond the range of float, both are those of about
/// the largest density for which they are finite. The inertia of a solid is always positive definite; moments.h says
/// how, even if float rounding would make it otherwise (a needle that lies across the axes).
MassProperties mass_properties(const Shape& shape, float density);

}  // namespace talus
