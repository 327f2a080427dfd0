#pragma once
/// The ray of a cast's centre, with the tests of boxes against it: exact ones in double, and the data for a test of
/// many boxes at a time in float.
///
/// A moving box touches a box if the ray of its centre touches that box grown by the half edges of the moving one.

#include <talus/broadphase/box_cast.h>
#include "broadphase/columns/box_scan.h"
#include "common/lanes.h"

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

class CastRay {
    using Double2 = double __attribute__((vector_size(16)));

public:
    explicit CastRay(const BoxCast& cast) {
        for (int i = 0; i < 4; ++i) {  // x, y, z and z again
            const int axis = std::min(i, 2);
            center[i] = double{cast.center[axis]};
            translation[i] = double{cast.translation[axis]};
            half[i] = double{cast.half[axis]};
            // Along an axis without motion, the box is touched always or never. Bounds that are equal would give a
            // fraction of 0, so the boxes are widened there by less than any difference of two floats.
            const bool still = translation[i] == 0.0;
            inverse[i] = still ? 1e200 : 1.0 / translation[i];  // finite times any difference of two floats
            wider_[i] = still ? 1e-60 : 0.0;                    // times the inverse, larger than any fraction
            above_[i] = center[i] + half[i];
            below_[i] = center[i] - half[i];
        }
    }

    /// The part of t in which the moving box touches [lower, upper] along the axis. Rounding errors make it longer,
    /// never shorter.
    Interval clip(Interval t, int axis, double lower, double upper) const {
        const double a = (lower - above_[axis] - wider_[axis]) * inverse[axis];
        const double b = (upper - below_[axis] + wider_[axis]) * inverse[axis];
        const double enter = std::min(a, b), exit = std::max(a, b);
        return {std::max(t.enter, enter - fraction_slack * std::abs(enter)),
                std::min(t.exit, exit + fraction_slack * std::abs(exit))};
    }
    /// The same on all three axes.
    Interval clip(Interval t, const Aabb& box) const {
        const Interval2 xy = clip(Double2{double{box.lower.x}, double{box.lower.y}},
                                  Double2{double{box.upper.x}, double{box.upper.y}}, 0);
        const Interval2 zz = clip(Double2{} + double{box.lower.z}, Double2{} + double{box.upper.z}, 2);
        const Double2 enter = max(xy.enter, zz.enter), exit = min(xy.exit, zz.exit);
        return {std::max(t.enter, std::max(enter[0], enter[1])), std::min(t.exit, std::min(exit[0], exit[1]))};
    }

    /// An upper bound of float's rounding error anywhere along the cast, m.
    double slack(int axis) const {
        return bound_slack * (std::abs(center[axis]) + std::abs(translation[axis]) + half[axis]) + least_slack;
    }

    /// For the test in float. The boxes are grown by more than its rounding errors.
    RayProbe probe() const {
        RayProbe probe;
        for (int axis = 0; axis < 3; ++axis) {
            const double grown = half[axis] + slack(axis);
            // Along an axis with hardly any motion, the box is touched during the whole cast or never.
            const bool moves = std::abs(translation[axis]) > 0.5 * slack(axis);
            const float by = clamp_to_float(moves ? inverse[axis] : 4.0 / slack(axis));
            probe.to_low[axis] = clamp_to_float(-center[axis] - grown);
            probe.to_high[axis] = clamp_to_float(center[axis] - grown);
            probe.inverse[axis] = by;
            probe.minus_inverse[axis] = -by;
        }
        return probe;
    }

    double center[4], translation[4], inverse[4], half[4];

private:
    struct Interval2 {
        Double2 enter, exit;
    };
    static Double2 load(const double* from) {
        Double2 lanes;
        std::memcpy(&lanes, from, sizeof lanes);
        return lanes;
    }
    // The clip of this axis and the next one.
    Interval2 clip(Double2 lower, Double2 upper, int axis) const {
        const Double2 by = load(inverse + axis), wider = load(wider_ + axis);
        const Double2 a = (lower - load(above_ + axis) - wider) * by, b = (upper - load(below_ + axis) + wider) * by;
        const Double2 enter = min(a, b), exit = max(a, b);
        return {enter - fraction_slack * max(enter, -enter), exit + fraction_slack * max(exit, -exit)};
    }

    double wider_[4], above_[4], below_[4];
};

}  // namespace talus::detail
