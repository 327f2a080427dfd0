#include "broadphase/fat_box.h"

namespace talus::detail {

bool still_fits(const WorldAabb& fat, const WorldAabb& tight, const vec3& displacement) {
    constexpr FatBoxSettings s = fat_box_settings;
    const WorldLanes inner = lanes_of(tight), outer = lanes_of(fat);
    const Float4 below = to_float(inner.lower - outer.lower), above = to_float(outer.upper - inner.upper);
    const Float4 longest = largest(to_float(inner.upper - inner.lower)),
                 step = largest(absolute(lanes_of(displacement)));
    const Float4 margin =
        min(max(splat<Float4>(s.margin) * longest, splat<Float4>(s.min_margin)), splat<Float4>(s.max_margin));
    const Float4 gap = splat<Float4>(s.shrink_factor) * (margin + stretch_of(longest, step, s.steps_ahead));
    return all_lanes((below >= splat<Float4>(0.0f)) & (above >= splat<Float4>(0.0f)) & (below <= gap) & (above <= gap));
}

}  // namespace talus::detail
