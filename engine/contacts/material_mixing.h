#pragma once
/// How the materials of two shapes mix to the friction, restitution and rolling resistance of their contact.

#include <talus/engine/body.h>
#include <talus/narrowphase/collide.h>
#include "engine/bodies/body_store.h"
#include "engine/contacts/contact_table.h"

#include <algorithm>
#include <cmath>

namespace talus {

/// The geometric mean of both.
inline float mixed_friction(const Material& a, const Material& b) { return std::sqrt(a.friction * b.friction); }
/// The greater of both.
inline float mixed_restitution(const Material& a, const Material& b) { return std::max(a.restitution, b.restitution); }

/// Derives what the solver needs of both materials, from the colliders that `record` names.
void mix_materials(const ShapePool& shapes, const Colliders& colliders, const PairRecord& record, ContactState& state);

}  // namespace talus
