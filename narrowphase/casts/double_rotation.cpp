#include "narrowphase/casts/double_rotation.h"

#include <cstdint>

namespace talus::detail {

SinCos sin_cos(double x) {
    if (!(std::abs(x) < 1e15)) return {x - x, 1.0 + (x - x)};
    // x - n pi/2, with pi/2 in two parts. The first has enough trailing zeros that n times it is exact.
    const double n = std::floor(x * 0.63661977236758134308 + 0.5);
    const double r = (x - n * 1.57079632673412561417) - n * 6.07710050650619224932e-11, z = r * r;
    const double s =
        r + r * z *
                (-1.0 / 6 +
                 z * (1.0 / 120 +
                      z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800 +
                                                                  z * (1.0 / 6227020800.0 - z / 1307674368000.0))))));
    const double c =
        1.0 +
        z * (-0.5 + z * (1.0 / 24 + z * (-1.0 / 720 +
                                         z * (1.0 / 40320 + z * (-1.0 / 3628800 + z * (1.0 / 479001600.0 -
                                                                                       z * (1.0 / 87178291200.0 -
                                                                                            z / 20922789888000.0)))))));
    switch (static_cast<int>(static_cast<std::int64_t>(n) & 3)) {
        case 0:
            return {s, c};
        case 1:
            return {c, -s};
        case 2:
            return {-s, -c};
        default:
            return {-c, s};
    }
}

double angle_of(double sine, double cosine) {
    // A rough guess, then two steps that each add the sine of the remaining error.
    constexpr double quarter = 0.78539816339744830962;
    const auto rough = [](double t) { return t * (quarter + 0.273 * (1.0 - t)); };  // to 4e-3
    double angle = sine <= cosine ? rough(sine / cosine) : 2.0 * quarter - rough(cosine / sine);
    for (int i = 0; i < 2; ++i) {
        const SinCos g = sin_cos(angle);
        const double d = sine * g.cosine - cosine * g.sine;
        angle += d + d * d * d / 6.0;
    }
    return angle;
}

}  // namespace talus::detail
