#pragma once
/// Internal: what <charconv> does with floats and doubles, by functions of C. For number_text.h, on standard libraries
/// whose <charconv> knows integers only.

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace talus::detail::by_c {

/// Returns what printf writes of `format` with this precision, with a point in locales that have a comma.
inline std::string printed(const char* format, int precision, double x) {
    std::array<char, 512> text;  // "%.*f" of the largest double has 309 digits before the point
    const int length = std::snprintf(text.data(), text.size(), format, precision, x);
    std::replace(text.begin(), text.begin() + length, ',', '.');
    return {text.data(), static_cast<std::size_t>(length)};
}

/// Reads the whole text as std::from_chars does: no spaces, no plus sign and no hexadecimal digits before the number.
template <std::floating_point Number>
bool parse_number(std::string_view text, Number& out) {
    const std::string copy(text);  // ends in a zero
    if (copy.find_first_of(" \t\n\v\f\rxX") != copy.npos || copy.empty() || copy[0] == '+') return false;
    char* end = nullptr;
    Number x;
    if constexpr (std::is_same_v<Number, float>) {
        x = std::strtof(copy.c_str(), &end);
    } else {
        x = std::strtod(copy.c_str(), &end);
    }
    const bool overflows = std::isinf(x) && copy.find_first_of("iI") == copy.npos;
    if (end != copy.c_str() + copy.size() || overflows) return false;
    out = x;
    return true;
}

/// Returns the shortest text that names this number and no other. Where std::to_chars finds a text with fewer digits
/// that is not the nearest with so many digits, as for some powers of two, this one has a digit more.
template <std::floating_point Number>
std::string shortest(Number x) {
    if (!std::isfinite(x)) return printed("%.*f", 0, static_cast<double>(x));
    const auto value = static_cast<double>(x);
    std::string scientific;
    int digits = 0;  // behind the point
    for (; digits < std::numeric_limits<Number>::max_digits10; ++digits) {
        scientific = printed("%.*e", digits, value);
        Number back;
        if (parse_number(scientific, back) && back == x) break;
    }
    const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
    const std::string fixed = printed("%.*f", std::max(digits - exponent, 0), value);
    return fixed.size() <= scientific.size() ? fixed : scientific;
}

}  // namespace talus::detail::by_c
