#pragma once
/// A cast as its tests want it: exactly, in double, and as a sieve for many boxes at a time, in float.
///
/// A swept box meets a box when the ray of its centre meets that box, grown by its half edges.

#include <talus/broadphase/column_grid.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace talus {

/// Relative rounding allowed to a ray that grazes a box.
inline constexpr double fraction_slack = 1e-14;
/// Widening of what is computed in float, relative to its coordinates, and at least so much, m.
inline constexpr double bound_slack = 1e-6, least_slack = double{std::numeric_limits<float>::min()};

inline float clamp_to_float(double x) {
    constexpr double limit = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(x, -limit, limit));
}

struct Interval {
    double enter, exit;
    bool empty() const { return !(enter <= exit); }
};

class Way {
    using Double2 = double __attribute__((vector_size(16)));

public:
    explicit Way(const BoxCast& cast) {
        for (int i = 0; i < 4; ++i) {  // x, y, z and z once more
            const int axis = std::min(i, 2);
            center[i] = double{cast.center[axis]};
            translation[i] = double{cast.translation[axis]};
            half[i] = double{cast.half[axis]};
            // Along an axis on which it stands still it touches for ever, or never, or just so: then what is a little
            // wider decides.
            const bool still = translation[i] == 0.0;
            inverse[i] = still ? 1e200 : 1.0 / translation[i];  // times any difference of floats it is finite
            wider_[i] = still ? 1e-60 : 0.0;  // below all differences of floats; times the inverse beyond all fractions
            above_[i] = center[i] + half[i];
            below_[i] = center[i] - half[i];
        }
    }

    /// The part of t in which the swept box touches [lower, upper] along the axis. Errs on the side of touching.
    Interval clip(Interval t, int axis, double lower, double upper) const {
        const double a = (lower - above_[axis] - wider_[axis]) * inverse[axis];
        const double b = (upper - below_[axis] + wider_[axis]) * inverse[axis];
        const double enter = std::min(a, b), exit = std::max(a, b);
        return {std::max(t.enter, enter - fraction_slack * std::abs(enter)),
                std::min(t.exit, exit + fraction_slack * std::abs(exit))};
    }
    /// The same on all axes.
    Interval clip(Interval t, const Aabb& box) const {
        const Interval2 xy = clip(Double2{double{box.lower.x}, double{box.lower.y}},
                                  Double2{double{box.upper.x}, double{box.upper.y}}, 0);
        const Interval2 zz = clip(Double2{} + double{box.lower.z}, Double2{} + double{box.upper.z}, 2);
        const Double2 enter = max(xy.enter, zz.enter), exit = min(xy.exit, zz.exit);
        return {std::max(t.enter, std::max(enter[0], enter[1])), std::min(t.exit, std::min(exit[0], exit[1]))};
    }

    /// How far off float may be anywhere on the way, and more, m.
    double slack(int axis) const {
        return bound_slack * (std::abs(center[axis]) + std::abs(translation[axis]) + half[axis]) + least_slack;
    }

    /// Grown by more than float's rounding: subtracting bounds costs no more than the way's own coordinates have.
    detail::RayProbe probe() const {
        detail::RayProbe probe;
        for (int axis = 0; axis < 3; ++axis) {
            const double grown = half[axis] + slack(axis);
            // Where it hardly moves it is outside from before its begin to behind its end, or inside for as long.
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
    // As that of one axis, of this one and the next.
    Interval2 clip(Double2 lower, Double2 upper, int axis) const {
        const Double2 by = load(inverse + axis), wider = load(wider_ + axis);
        const Double2 a = (lower - load(above_ + axis) - wider) * by, b = (upper - load(below_ + axis) + wider) * by;
        const Double2 enter = min(a, b), exit = max(a, b);
        return {enter - fraction_slack * max(enter, -enter), exit + fraction_slack * max(exit, -exit)};
    }

    double wider_[4], above_[4], below_[4];
};

}  // namespace talus
