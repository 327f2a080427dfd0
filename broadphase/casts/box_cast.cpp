#include <talus/broadphase/box_cast.h>

#include "broadphase/casts/cast_ray.h"

namespace talus {

double enter_fraction(const BoxCast& cast, const Aabb& box) {
    const detail::Interval t = detail::CastRay(cast).clip({0.0, double{cast.max_fraction}}, box);
    return t.empty() ? -1.0 : t.enter;
}

}  // namespace talus
