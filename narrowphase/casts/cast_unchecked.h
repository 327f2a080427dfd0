#pragma once
/// Internal: `shape_cast` as the library itself calls it.

#include <talus/narrowphase/shape_cast.h>

namespace talus::detail {

/// The same as `shape_cast` for usable shapes (usable.h) and finite numbers. A contact after the fraction `most` may be
/// missed.
ShapeCastResult cast_unchecked(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const vec3& translation,
                               float target_distance, float most = 1.0f);

}  // namespace talus::detail
