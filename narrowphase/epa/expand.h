#pragma once
/// Internal: EPA on a Minkowski difference, for shapes and support mappings alike.

#include <talus/narrowphase/epa.h>
#include "narrowphase/gjk/simplex.h"

namespace talus::detail {

class EpaObserver;

/// Runs EPA from the simplex that GJK left, and leaves its polytope in `cache` if one is given.
EpaResult expand(const MinkowskiDifference& difference, const Simplex& simplex, PolytopeCache* cache = nullptr);

/// Runs EPA from the polytope of an earlier pose. False if that polytope does not hold the origin any more, or cannot be
/// grown to the end.
bool expand_again(const MinkowskiDifference& difference, PolytopeCache& cache, EpaResult& result);

/// The same as `epa`, telling `observer` what it does (observer.h).
EpaResult epa_observed(const Shape& a, const Shape& b, const Frame& b_in_a, const SimplexCache& simplex,
                       EpaObserver& observer);

}  // namespace talus::detail
