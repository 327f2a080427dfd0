#pragma once
/// Mass, centre of mass and inertia of a shape.

#include <talus/math.h>
#include <talus/narrowphase/shape.h>

namespace talus {

/// Mass (kg), centre of mass (m) and inertia about that centre (kg m^2), in the shape's frame.
struct MassProperties {
    float mass = 0.0f;
    vec3 center{0.0f};
    mat3 inertia{0.0f};
};

/// Exact for every solid, the radius included; `density` in kg/m^3. A segment or triangle without radius has no volume:
/// mass 0. All zeros when check(shape) objects or the density is not a positive finite number. The inertia is always
/// positive definite: where float rounding could make it otherwise (a needle across the axes), see moments.h.
MassProperties mass_properties(const Shape& shape, float density);

}  // namespace talus
