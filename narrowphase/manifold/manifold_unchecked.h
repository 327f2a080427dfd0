#pragma once
/// Internal: `make_manifold` as the library itself calls it.

#include <talus/narrowphase/manifold.h>

namespace talus::detail {

/// The same as `make_manifold` for usable shapes (usable.h) and finite numbers.
Manifold make_manifold_unchecked(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const vec3& normal,
                                 const vec3& on_a, const vec3& on_b, float margin, FaceHints& hints);

}  // namespace talus::detail
