#include "broadphase/fat_box.h"

namespace talus::detail {

bool still_fits(const Aabb& fat, const Aabb& tight, const vec3& displacement) {
    constexpr FatBoxSettings s = fat_box_settings;
    const BoxLanes inner = lanes_of(tight), outer = lanes_of(fat);
    const Float4 below = inner.lower - outer.lower, above = outer.upper - inner.upper;
    const Float4 longest = largest(inner.upper - inner.lower), step = largest(absolute(lanes_of(displacement)));
    const Float4 margin =
        min(max(splat<Float4>(s.margin) * longest, splat<Float4>(s.min_margin)), splat<Float4>(s.max_margin));
    const Float4 gap = splat<Float4>(s.shrink_factor) * (margin + stretch_of(longest, step, s.steps_ahead));
    return all((below >= splat<Float4>(0.0f)) & (above >= splat<Float4>(0.0f)) & (below <= gap) & (above <= gap));
}

}  // namespace talus::detail
