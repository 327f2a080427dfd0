#pragma once
/// Internal: what a test writes into a pair's record and cache: separated by a distance, or touching with a manifold.

#include "narrowphase/analytic/closed_forms.h"
#include "narrowphase/ladder/collide_call.h"

namespace talus::detail {

/// Stores a unit axis of a's frame as the one to try first next time.
inline void set_axis(PairCache& cache, const vec3& axis_in_a) {
    cache.axis = axis_in_a;
    cache.axis_in_b = false;
    cache.axis_is_face = false;
}

inline void clear_contact(PairCache& cache) {
    cache.manifold.count = 0;
    cache.axis_is_face = false;
    cache.epa.face.count = 0;
}

/// Records that the shapes are at least `distance` (m) apart.
void set_separated(const CollideCall& call, const PairTest& test, float distance);

/// Records the manifold as the pair's contact, and how far the pair may move before it must be tested again. A sliver
/// (sliver.h) is dropped if the settings say so.
void set_touching(const CollideCall& call, const PairTest& test, const Manifold& manifold);

/// Records a contact of one point.
void set_touching_at_point(const CollideCall& call, const PairTest& test, const ClosedForm& contact);

/// Records a contact along `normal` at a pair of closest or deepest points. For shapes that are apart and not about to
/// meet, that pair of points is enough, in case other bodies push them together; no faces are clipped.
void set_touching_along(const CollideCall& call, const PairTest& test, const vec3& normal, const vec3& on_a,
                        const vec3& on_b);

/// Returns the contact margin along a direction (unit, from a to b, a's frame), m.
float margin_along(const CollideCall& call, const PairTest& test, const vec3& normal);

/// True if shapes that are `separation` (m) apart along the normal, and reach as far as the two points, stay apart
/// until the next collide.
bool will_stay_apart(const CollideCall& call, const PairTest& test, float separation, const vec3& normal,
                     const vec3& on_a, const vec3& on_b);

}  // namespace talus::detail
