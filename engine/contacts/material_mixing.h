#pragma once
/// Mixes the materials of two shapes: computes friction, restitution and rolling resistance of their contact.

#include <talus/engine/body.h>
#include <talus/narrowphase/collide.h>
#include "engine/bodies/body_store.h"
#include "engine/contacts/contact_table.h"

#include <algorithm>
#include <cmath>

namespace talus {

/// Returns the geometric mean of the two coefficients.
inline float mixed_friction(const Material& a, const Material& b) { return std::sqrt(a.friction * b.friction); }
/// Returns the greater of the two coefficients.
inline float mixed_restitution(const Material& a, const Material& b) { return std::max(a.restitution, b.restitution); }

/// Sets the fields of `state` that depend on the materials and surfaces of the two colliders in `record`.
void mix_materials(const ShapePool& shapes, const Colliders& colliders, const PairRecord& record, ContactState& state);

}  // namespace talus
