#pragma once
/// Internal: EPA on a Minkowski difference, for shapes and support mappings alike.

#include <talus/narrowphase/epa.h>
#include "narrowphase/gjk/simplex.h"

namespace talus::detail {

class EpaObserver;

/// Runs EPA from the simplex that GJK left, and leaves its polytope in `cache` if one is given.
EpaResult expand(const MinkowskiDifference& difference, const Simplex& simplex, PolytopeCache* cache = nullptr);

/// Runs EPA from the polytope of an earlier pose. Returns false if that polytope does not contain the origin any more,
/// or cannot be expanded to the end.
bool expand_again(const MinkowskiDifference& difference, PolytopeCache& cache, EpaResult& result);

/// The same as `epa` for usable shapes (usable.h), at a finite pose.
EpaResult epa_unchecked(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const SimplexCache& simplex);

/// The same; `observer` is called at each step (observer.h).
EpaResult epa_observed(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const SimplexCache& simplex,
                       EpaObserver& observer);

/// Finds a local minimum of the depth by a descent from the face of an earlier pose's result (polytopes only). It is
/// the depth, unless another direction has a smaller one now; EpaResult::other_depth and a bound of the motion can
/// exclude that. Costs about two warm GJK queries. Returns false if the descent fails; then run `epa`.
bool epa_again(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const SimplexCache& face,
               EpaResult& result);

/// The same at a fifth of the cost, if the minimum is still on that face. Returns false if it is on another face.
bool epa_on_face(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const SimplexCache& face,
                 EpaResult& result);

/// The same for shapes with rims, from the normal and the simplex of an earlier pose, for cores that are apart, too:
/// then EpaResult::depth is their distance, negative. Replaces the simplex. Returns false if the descent fails.
bool epa_along(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const vec3& normal, SimplexCache& simplex,
               EpaResult& result);

}  // namespace talus::detail
