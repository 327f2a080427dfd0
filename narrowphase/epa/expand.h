#pragma once
/// Internal: EPA on a Minkowski difference, for shapes and support mappings alike.

#include <talus/narrowphase/epa.h>
#include "narrowphase/gjk/simplex.h"

namespace talus::detail {

class EpaObserver;

/// Runs EPA from the simplex that GJK left, and leaves its polytope in `cache` if one is given.
EpaResult expand(const MinkowskiDifference& difference, const Simplex& simplex, PolytopeCache* cache = nullptr);

/// Runs EPA from the polytope of an earlier pose. False if that polytope does not hold the origin any more, or cannot
/// be grown to the end.
bool expand_again(const MinkowskiDifference& difference, PolytopeCache& cache, EpaResult& result);

/// The same as `epa` for usable shapes (usable.h), at a finite pose.
EpaResult epa_unchecked(const Shape& a, const Shape& b, const Frame& b_in_a, const SimplexCache& simplex);

/// The same, telling `observer` what it does (observer.h).
EpaResult epa_observed(const Shape& a, const Shape& b, const Frame& b_in_a, const SimplexCache& simplex,
                       EpaObserver& observer);

/// Finds the local minimum of the depth that the face of an earlier pose's answer leads to (polytopes only). It is the
/// depth, unless another direction has a smaller one by now; EpaResult::other_depth and a bound on the motion can
/// exclude that. Costs about two warm GJK queries. False if the face leads nowhere: ask `epa`.
bool epa_again(const Shape& a, const Shape& b, const Frame& b_in_a, const SimplexCache& face, EpaResult& result);

/// The same if the minimum is still on that face, at a fifth of the cost. False if the minimum has moved on to another
/// face.
bool epa_on_face(const Shape& a, const Shape& b, const Frame& b_in_a, const SimplexCache& face, EpaResult& result);

}  // namespace talus::detail
