#pragma once
/// Random numbers for tests: a seed gives the same numbers with every compiler and on every platform.
///
/// C++ does not define the order in which the arguments of a call are evaluated. So draw at most one number per
/// expression, except within braces, which are evaluated in order.

#include <talus/math.h>

#include <cmath>
#include <cstdint>

namespace talus::test {

/// splitmix64 (Steele, Lea and Flood 2014): any seed is good, including consecutive ones.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  ///< in [0, 1)
    double between(double low, double high) { return low + (high - low) * unit(); }
    /// Uniform in the logarithm.
    double scale(double low, double high) { return low * std::pow(high / low, unit()); }
    template <class Integer>
    Integer below(Integer count) {
        return static_cast<Integer>(bits() % static_cast<std::uint64_t>(count));
    }
    bool chance(double p) { return unit() < p; }

    float real(float low, float high) {
        return low + (high - low) * (static_cast<float>(bits() >> 40) * (1.0f / 16777216.0f));
    }
    /// A point with coordinates between `low` and `high`.
    vec3 point(float low, float high) {
        const float x = real(low, high), y = real(low, high), z = real(low, high);
        return {x, y, z};
    }
    /// A unit vector, uniform on the sphere.
    glm::dvec3 direction() {
        for (;;) {
            const glm::dvec3 p{between(-1, 1), between(-1, 1), between(-1, 1)};
            const double q = glm::dot(p, p);
            if (q > 0.01 && q < 1.0) return p / std::sqrt(q);
        }
    }

private:
    std::uint64_t state_;
};

}  // namespace talus::test
