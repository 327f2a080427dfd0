#pragma once
/// Internal: floats in messages.

#include <talus/math.h>

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <string>

namespace talus::detail {

/// Returns the shortest text that names this float or double and no other, such as "1e-07" or "1000001".
template <std::floating_point Number>
std::string text(Number x) {
    if (std::isnan(x)) return "nan";  // never "-nan"
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr};
}

inline std::string text(const dvec3& v) { return "(" + text(v.x) + ", " + text(v.y) + ", " + text(v.z) + ")"; }
inline std::string text(const vec3& v) { return "(" + text(v.x) + ", " + text(v.y) + ", " + text(v.z) + ")"; }

}  // namespace talus::detail
