#pragma once
/// How much larger a fat box is than the tight box in it.

#include <talus/aabb.h>
#include "broadphase/columns/box_lanes.h"

#include <limits>

namespace talus::detail {

/// Larger fat boxes: fewer proxies are compared again, but more pairs that do not touch. Comparing one proxy costs 300
/// ns in all, a pair that does not touch about 7 ns per step, a pair that begins and ends about 400 ns. Measured with
/// (margin, steps_ahead, steps_behind) = (3%, 3, 1), (5%, 2, 1) and the values below: in a crowd whose boxes jitter by
/// up to 5% of their edges per step, 24%, 18% and 12% of the proxies are compared again in each step, and there are
/// 3.3, 3.3 and 3.9 pairs per box; if they fly steadily by as much, 22%, 26% and 20%, and 3.1, 3.2 and 3.6 pairs. Whole
/// steps of the scenes tumble, hullpile and mixed differ by 1%. The box of a proxy that does not move is not fattened.
struct FatBoxSettings {
    float margin = 0.05f;             ///< on each side: fraction of the box's edge along that axis
    float margin_of_longest = 0.01f;  ///< and at least this fraction of the longest edge, since thin bodies tilt
    float min_margin = 1e-4f;         ///< and at least this, m
    float max_margin = 0.1f;          ///< and at most this, m: a platform of 100 m needs no larger margin than a crate
    float steps_ahead = 3.0f;         ///< the box is stretched along this many steps of its expected motion
    float steps_behind = 2.0f;        ///< and against this many, since a jittering body comes back
    float max_stretch = 1.0f;         ///< at most this fraction of the longest edge, or one step if one step is longer
    float shrink_factor = 3.0f;       ///< a stretched box with margins above this times what it needs is replaced, > 1
};
inline constexpr FatBoxSettings fat_box_settings{};

/// How far a box with this longest edge is stretched along so many steps (m).
inline Float4 stretch_of(Float4 longest, Float4 step, float steps) {
    constexpr FatBoxSettings s = fat_box_settings;
    return min(splat<Float4>(steps) * step, max(step, splat<Float4>(s.max_stretch) * longest));
}

/// Lengths, each of them rounded to the grid of world positions.
inline Double4 on_grid(Float4 lengths) {
    const Double2 shift = Double2{} + position_grid / std::numeric_limits<double>::epsilon();
    const Double4 x = to_double(within(lengths, std::numeric_limits<float>::max()));
    return {(x.xy + shift) - shift, (x.zz + shift) - shift};  // large floats are on the grid, and left as they are
}

/// The fat box of a moving proxy. It contains `tight`, and it is finite. How much larger it is depends on the edges and
/// the displacement only: so in a world that is moved, it is the same box, moved.
inline WorldAabb fatten(const WorldAabb& tight, const vec3& displacement) {
    constexpr FatBoxSettings s = fat_box_settings;
    const WorldLanes box = lanes_of(tight);
    const Float4 edges = to_float(box.upper - box.lower), longest = largest(edges), motion = lanes_of(displacement);
    const Float4 least = max(splat<Float4>(s.min_margin), splat<Float4>(s.margin_of_longest) * longest);
    const Float4 margin = within(max(splat<Float4>(s.margin) * edges, least), s.max_margin);
    const Float4 zero{}, ahead = stretch_of(longest, max(motion, zero), s.steps_ahead),
                         behind = stretch_of(longest, max(-motion, zero), s.steps_ahead),
                         back = stretch_of(longest, absolute(motion), s.steps_behind);
    return aabb_of({box.lower - on_grid(margin + max(behind, back)), box.upper + on_grid(margin + max(ahead, back))});
}

/// Returns whether `fat` contains `tight` and its margins are not larger than shrink_factor allows.
bool still_fits(const WorldAabb& fat, const WorldAabb& tight, const vec3& displacement);

}  // namespace talus::detail
