#pragma once
/// Internal: the sizes in a pair's record, which scale its tolerances.

#include <talus/narrowphase/collide.h>

namespace talus::detail {

/// Sets the record's bounding radii, size and thickness from its shapes as they are now.
void update_sizes(const Colliders& colliders, PairRecord& record);

}  // namespace talus::detail
