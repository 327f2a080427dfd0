#pragma once
/// The ray of a cast's centre, with the tests of boxes against it: exact ones in double, and the data for a test of
/// many boxes at a time in float.
///
/// A moving box touches a box if the ray of its centre touches that box grown by the half edges of the moving one.
///
/// All tests begin with the differences of bounds and the centre. In the world, these are exact (math.h). So a cast in
/// a world that is moved has the same fractions, to the bit.

#include <talus/broadphase/box_cast.h>
#include "broadphase/columns/box_lanes.h"
#include "broadphase/columns/box_scan.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace talus::detail {

/// Relative rounding that is allowed to a ray that grazes a box.
inline constexpr double fraction_slack = 1e-14;
/// Widening of what is computed in float, relative to its coordinates, and the least widening, m.
inline constexpr double bound_slack = 1e-6, least_slack = double{std::numeric_limits<float>::min()};

inline float clamp_to_float(double x) {
    constexpr double limit = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(x, -limit, limit));
}

/// Returns whether all numbers are finite and `half` is not negative. Other casts touch nothing.
inline bool is_valid(const BoxCast& cast) {
    return is_finite(cast.center) && is_finite(cast.translation) && is_finite(cast.half) &&
           is_finite(cast.max_fraction) && glm::all(glm::greaterThanEqual(cast.half, vec3(0.0f)));
}

/// An interval of fractions of the translation.
struct Interval {
    double enter, exit;
    bool empty() const { return !(enter <= exit); }
};

/// A cast as seen from an origin, for tests in float. What they find contains what the cast touches.
struct NearbyCast {
    Float4 center, translation, grown;  ///< in the order of lanes_of(); grown: half the edges and the rounding errors
    RayProbe probe;

    /// The box around the cast from t.enter to t.exit, but not beyond max_fraction.
    BoxLanes part(const Interval& t, float max_fraction) const {
        const Float4 a = center + splat<Float4>(static_cast<float>(t.enter)) * translation;
        const Float4 b = center + splat<Float4>(std::min(static_cast<float>(t.exit), max_fraction)) * translation;
        return {min(a, b) - grown, max(a, b) + grown};
    }
};

class CastRay {
public:
    explicit CastRay(const BoxCast& cast) {
        for (int i = 0; i < 4; ++i) {  // x, y, z and z again
            const int axis = std::min(i, 2);
            center_[i] = cast.center[axis];
            translation_[i] = double{cast.translation[axis]};
            // Along an axis without motion, the box is touched always or never. Bounds that are equal would give a
            // fraction of 0, so the moving box is widened there by a rounding error.
            const bool still = translation_[i] == 0.0;
            const double half = double{cast.half[axis]};
            half_[i] = still ? half * (1.0 + 1e-15) + 1e-60 : half;
            inverse_[i] = still ? 1e200 : 1.0 / translation_[i];  // times that rounding error, larger than any fraction
        }
    }

    /// From a point to the cast's centre along an axis, m.
    double from(const Double4& point, int axis) const { return center_[axis] - coordinate(point, axis); }

    /// The part of t in which the moving box touches [lower, upper] along the axis, which are relative to its centre.
    /// Rounding errors make it longer, never shorter.
    Interval clip(Interval t, int axis, double lower, double upper) const {
        const double a = (lower - half_[axis]) * inverse_[axis], b = (upper + half_[axis]) * inverse_[axis];
        return {std::max(t.enter, less(std::min(a, b))), std::min(t.exit, more(std::max(a, b)))};
    }
    /// The same on all three axes, for a box in the world.
    Interval clip(Interval t, const WorldAabb& box) const {
        const WorldLanes lanes = lanes_of(box);
        const Interval2 xy = clip(lanes.lower.xy, lanes.upper.xy, 0), zz = clip(lanes.lower.zz, lanes.upper.zz, 2);
        const Double2 enter = max(xy.enter, zz.enter), exit = min(xy.exit, zz.exit);
        return {std::max(t.enter, std::max(enter[0], enter[1])), std::min(t.exit, std::min(exit[0], exit[1]))};
    }

    NearbyCast seen_from(const Double4& origin) const {
        NearbyCast nearby;
        float place[3], way[3], grown[3];
        for (int axis = 0; axis < 3; ++axis) {
            const double center = from(origin, axis), translation = translation_[axis], half = half_[axis];
            const double extent = std::abs(center) + std::abs(translation) + half;
            const double slack = bound_slack * extent + least_slack;
            if (extent > double{far_limit}) [[unlikely]] {
                // Too far for floats: along this axis, the cast touches everything.
                constexpr float everything = std::numeric_limits<float>::max();
                place[axis] = way[axis] = 0.0f;
                grown[axis] = everything;
                nearby.probe.to_low[axis] = nearby.probe.to_high[axis] = -everything;
                nearby.probe.inverse[axis] = 1.0f;
                nearby.probe.minus_inverse[axis] = -1.0f;
                continue;
            }
            place[axis] = static_cast<float>(center);
            way[axis] = static_cast<float>(translation);
            grown[axis] = static_cast<float>(half) + static_cast<float>(slack);
            // Along an axis with hardly any motion, the box is touched during the whole cast or never.
            const bool moves = std::abs(translation) > 0.5 * slack;
            const float by = clamp_to_float(moves ? inverse_[axis] : 4.0 / slack);
            nearby.probe.to_low[axis] = static_cast<float>(-center - (half + slack));
            nearby.probe.to_high[axis] = static_cast<float>(center - (half + slack));
            nearby.probe.inverse[axis] = by;
            nearby.probe.minus_inverse[axis] = -by;
        }
        nearby.center = lanes_of(load3(place));
        nearby.translation = lanes_of(load3(way));
        nearby.grown = lanes_of(load3(grown));
        return nearby;
    }

private:
    struct Interval2 {
        Double2 enter, exit;
    };
    // A little less and more than x, which may be infinite.
    template <class F>
    static F less(F x) {
        const F a = x * (1.0 - fraction_slack), b = x * (1.0 + fraction_slack);
        return a < b ? a : b;
    }
    template <class F>
    static F more(F x) {
        const F a = x * (1.0 - fraction_slack), b = x * (1.0 + fraction_slack);
        return a > b ? a : b;
    }
    // The clip of this axis and the next one.
    Interval2 clip(Double2 lower, Double2 upper, int axis) const {
        const Double2 center = load_lanes(center_ + axis), half = load_lanes(half_ + axis),
                      by = load_lanes(inverse_ + axis);
        const Double2 a = (lower - center - half) * by, b = (upper - center + half) * by;
        return {less(min(a, b)), more(max(a, b))};
    }

    double center_[4], translation_[4], inverse_[4], half_[4];
};

}  // namespace talus::detail
