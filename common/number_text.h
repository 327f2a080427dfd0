#pragma once
/// Internal: floats in messages.

#include <talus/math.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace talus::detail {

/// Returns the shortest text that names this float and no other, such as "1e-07" or "1000001".
inline std::string text(float x) {
    if (std::isnan(x)) return "nan";  // never "-nan"
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr};
}

/// The same for a double.
inline std::string text(double x) {
    if (std::isnan(x)) return "nan";
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr};
}

inline std::string text(const dvec3& v) { return "(" + text(v.x) + ", " + text(v.y) + ", " + text(v.z) + ")"; }
inline std::string text(const vec3& v) { return "(" + text(v.x) + ", " + text(v.y) + ", " + text(v.z) + ")"; }

}  // namespace talus::detail
