#pragma once
/// Internal: `gjk` as the library itself calls it.

#include <talus/narrowphase/gjk.h>

namespace talus::detail {

class GjkObserver;

/// The same as `gjk` for usable shapes (usable.h), at a finite pose.
GjkResult gjk_unchecked(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, SimplexCache& cache,
                        float max_distance);

/// The same; `observer` is called at each step (observer.h).
GjkResult gjk_observed(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, SimplexCache& cache,
                       float max_distance, GjkObserver& observer);

}  // namespace talus::detail
