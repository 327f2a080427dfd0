#pragma once
/// Slivers: contacts of two faces whose common region is a strip too narrow to bear a load.

#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/shape.h>

namespace talus::detail {

/// Returns whether the manifold is the contact of two faces whose common region is a strip narrower than `width` (m),
/// and narrower than half of the thinner shape across the strip.
bool is_sliver(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const Manifold& manifold, float width);

}  // namespace talus::detail
