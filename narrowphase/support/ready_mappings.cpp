#include "narrowphase/support/ready_mappings.h"

#include "common/bit_cast.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

/// Returns the logarithm of x > 0 (normal) to the base 2.
static double binary_logarithm(double x) {
    const auto bits = bit_cast<std::uint64_t>(x);
    int exponent = static_cast<int>(bits >> 52) - 1023;
    double m = bit_cast<double>((bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++exponent;
    }
    // log(m) = 2 artanh(t), |t| < 0.172: the series is exact to 2^-53 after eleven terms. Those of even and odd number
    // are added up side by side.
    const double t = (m - 1.0) / (m + 1.0), square = t * t, fourth = square * square;
    const double even =
        1.0 + fourth * (1.0 / 5 + fourth * (1.0 / 9 + fourth * (1.0 / 13 + fourth * (1.0 / 17 + fourth * (1.0 / 21)))));
    const double odd = 1.0 / 3 + fourth * (1.0 / 7 + fourth * (1.0 / 11 + fourth * (1.0 / 15 + fourth * (1.0 / 19))));
    return exponent + 2.8853900817779268 * t * (even + square * odd);  // 2 / log(2)
}

/// Returns 2 to the power of x; 0 if that is below the normal numbers.
static double binary_power(double x) {
    if (!(x > -1022.0)) return 0.0;
    const double whole = std::floor(std::min(x, 1023.0) + 0.5);
    const double rest = (x - whole) * 0.69314718055994531, square = rest * rest;
    constexpr double f2 = 1.0 / 2, f3 = f2 / 3, f4 = f3 / 4, f5 = f4 / 5, f6 = f5 / 6, f7 = f6 / 7, f8 = f7 / 8,
                     f9 = f8 / 9, f10 = f9 / 10, f11 = f10 / 11, f12 = f11 / 12, f13 = f12 / 13, f14 = f13 / 14;
    const double even =
        f2 + square * (f4 + square * (f6 + square * (f8 + square * (f10 + square * (f12 + square * f14)))));
    const double odd = f3 + square * (f5 + square * (f7 + square * (f9 + square * (f11 + square * f13))));
    return (1.0 + (rest + square * (even + rest * odd))) *
           bit_cast<double>(static_cast<std::uint64_t>(static_cast<int>(whole) + 1023) << 52);
}

double power(double x, double y) {
    if (!(x > 1e-300)) return 0.0;
    if (y == 1.0) return x;
    return binary_power(y * binary_logarithm(x));
}

dvec3 EllipsoidCore::support(const dvec3& d) const {
    const dvec3 scaled = squares_ * d;
    const double height2 = glm::dot(d, scaled), length2 = glm::dot(d, d);
    return scaled * (1.0 / std::sqrt(height2)) - d * (inset_ / std::sqrt(length2));
}

SuperellipsoidCore::SuperellipsoidCore(const dvec3& radii, double around, double along)
    : radii_(radii), around_(around), along_(along) {}

SuperellipsoidCore::Corner SuperellipsoidCore::corner(double u, double v, double exponent) {
    const double most = std::max(u, v);
    if (!(most > 0.0)) return {1.0, 0.0, 0.0};
    if (exponent == 1.0) return u >= v ? Corner{1.0, 0.0, u} : Corner{0.0, 1.0, v};
    if (exponent == 2.0) {
        const double x = u / most, y = v / most, height = std::sqrt(x * x + y * y);
        return {x / height, y / height, height * most};
    }
    // With x = 1 the larger of the two, y = the other one and the sum s = 1 + y^e', the height is s^(1/e') = s s^(-1/e),
    // and the point is (1, y^(e' - 1)) s^(-1/e).
    const double y = std::min(u, v) / most, side = power(y, 1.0 / (exponent - 1.0)), sum = 1.0 + y * side;
    const double scale = power(sum, -1.0 / exponent);
    return {u >= v ? scale : side * scale, u >= v ? side * scale : scale, sum * scale * most};
}

dvec3 SuperellipsoidCore::support(const dvec3& d) const {
    const dvec3 scaled = absolute(radii_ * d);
    const Corner ring = corner(scaled.x, scaled.z, around_);
    const Corner side = corner(ring.height, scaled.y, along_);
    const dvec3 p = radii_ * dvec3(side.u * ring.u, side.v, side.u * ring.v);
    return {d.x < 0.0 ? -p.x : p.x, d.y < 0.0 ? -p.y : p.y, d.z < 0.0 ? -p.z : p.z};
}

/// The shape without its radius.
static Shape core_shape(Shape shape) {
    shape.radius = 0.0f;
    return shape;
}

SumCore::SumCore(const Shape& a, const Shape& b) : a_(core_shape(a)), b_(core_shape(b)) {}

}  // namespace talus::detail
