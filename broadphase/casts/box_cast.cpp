#include <talus/broadphase/box_cast.h>

#include "broadphase/casts/cast_ray.h"

#include <cmath>

namespace talus {

double enter_fraction(const BoxCast& cast, const WorldAabb& box) {
    const bool box_has_nan = std::isunordered(box.lower.x, box.upper.x) || std::isunordered(box.lower.y, box.upper.y) ||
                             std::isunordered(box.lower.z, box.upper.z);
    if (!detail::is_valid(cast) || box_has_nan) [[unlikely]]
        return -1.0;
    const detail::Interval t = detail::CastRay(cast).clip({0.0, double{cast.max_fraction}}, box);
    return t.empty() ? -1.0 : t.enter;
}

}  // namespace talus
