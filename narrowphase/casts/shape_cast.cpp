#include <talus/narrowphase/shape_cast.h>

#include "narrowphase/casts/clip_cast.h"

#include <algorithm>
#include <cmath>

namespace talus {

using namespace detail;

ShapeCastResult shape_cast(const Shape& a, const Shape& b, const Frame& b_in_a, const vec3& translation,
                           float target_distance) {
    const bool finite = is_finite(b_in_a.position) && is_finite(b_in_a.rotation[0]) && is_finite(b_in_a.rotation[1]) &&
                        is_finite(b_in_a.rotation[2]) && is_finite(translation) && is_finite(target_distance);
    if (!finite) return ShapeCastResult{};
    const dvec3 way(translation);
    const double target = std::max(double(target_distance), 0.0), radius_a(a.radius), radius_b(b.radius);
    if (a.type == ShapeType::sphere && b.type == ShapeType::sphere) {
        return cast_spheres(dvec3(b_in_a.position), way, target, radius_a, radius_b);
    }
    MinkowskiDifference difference(a, b, b_in_a);
    return cast(difference, way, target, radius_a, radius_a + radius_b);
}

ShapeCastResult shape_cast(const SupportMapping& a, const SupportMapping& b, const vec3& translation,
                           float target_distance) {
    if (!is_finite(translation) || !is_finite(target_distance)) return ShapeCastResult{};
    MinkowskiDifference difference(a, b);
    return cast(difference, dvec3(translation), std::max(double(target_distance), 0.0), 0.0, 0.0);
}

}  // namespace talus
