#include <talus/narrowphase/shape_cast.h>

#include "common/assert.h"
#include "narrowphase/casts/cast_unchecked.h"
#include "narrowphase/casts/clip_cast.h"
#include "narrowphase/shapes/usable.h"
#include "narrowphase/support/finite_mapping.h"

#include <algorithm>
#include <cmath>

namespace talus {

using namespace detail;

ShapeCastResult shape_cast(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const vec3& translation,
                           float target_distance) {
    if (!is_usable(a, b, b_in_a) || !is_finite(translation) || !is_finite(target_distance))
        return {.status = CastStatus::bad_input};
    return cast_unchecked(a, b, b_in_a, translation, target_distance);
}

ShapeCastResult detail::cast_unchecked(const Shape& a, const Shape& b, const MatrixTransform& b_in_a,
                                       const vec3& translation, float target_distance, float most) {
    TALUS_ASSERT(is_usable(a, b, b_in_a) && is_finite(translation));
    const dvec3 move(translation);
    const double target = std::max(double(target_distance), 0.0), radius_a(a.radius), radius_b(b.radius);
    if (a.type == ShapeType::sphere && b.type == ShapeType::sphere) {
        return cast_spheres(dvec3(b_in_a.position), move, target, radius_a, radius_b);
    }
    MinkowskiDifference difference(a, b, b_in_a);
    return cast(difference, move, target, radius_a, radius_a + radius_b, double{most});
}

ShapeCastResult shape_cast(const SupportMapping& a, const SupportMapping& b, const vec3& translation,
                           float target_distance) {
    if (!is_finite(translation) || !is_finite(target_distance)) return {.status = CastStatus::bad_input};
    const FiniteMapping finite_a(a), finite_b(b);
    MinkowskiDifference difference(finite_a, finite_b);
    const ShapeCastResult result =
        cast(difference, dvec3(translation), std::max(double(target_distance), 0.0), 0.0, 0.0);
    return finite_a.is_valid() && finite_b.is_valid() ? result : ShapeCastResult{.status = CastStatus::bad_input};
}

}  // namespace talus
