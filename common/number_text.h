#pragma once
/// Internal: numbers as text, and texts as numbers, the same in every locale.

#include <talus/math.h>

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <string>
#include <string_view>
#include <system_error>
#include <version>

#if !defined(__cpp_lib_to_chars)
#include "common/number_text_by_c.h"
#endif

namespace talus::detail {

/// Returns the shortest text that names this float or double and no other, such as "1e-07" or "1000001".
template <std::floating_point Number>
std::string text(Number x) {
    if (std::isnan(x)) return "nan";  // never "-nan"
#if defined(__cpp_lib_to_chars)
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr};
#else
    return by_c::shortest(x);
#endif
}

inline std::string text(const dvec3& v) { return "(" + text(v.x) + ", " + text(v.y) + ", " + text(v.z) + ")"; }
inline std::string text(const vec3& v) { return "(" + text(v.x) + ", " + text(v.y) + ", " + text(v.z) + ")"; }

/// Appends a finite number as printf's "%.*g" writes it, with so many digits, at most 17.
inline void append_general(std::string& text, double x, int digits) {
#if defined(__cpp_lib_to_chars)
    std::array<char, 32> room;
    char* const end = room.data() + room.size();
    text.append(room.data(), std::to_chars(room.data(), end, x, std::chars_format::general, digits).ptr);
#else
    text += by_c::printed("%.*g", digits, x);
#endif
}

/// Appends a number from -1e15 to 1e15 as printf's "%.*f" writes it, with so many digits behind the point, at most 9.
inline void append_fixed(std::string& text, double x, int places) {
#if defined(__cpp_lib_to_chars)
    std::array<char, 32> room;
    char* const end = room.data() + room.size();
    text.append(room.data(), std::to_chars(room.data(), end, x, std::chars_format::fixed, places).ptr);
#else
    text += by_c::printed("%.*f", places, x);
#endif
}

/// Reads a number; false unless it is the whole text.
template <class Number>
bool parse_number(std::string_view text, Number& out) {
#if !defined(__cpp_lib_to_chars)
    if constexpr (std::floating_point<Number>) {
        return by_c::parse_number(text, out);
    } else
#endif
    {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
        return error == std::errc() && end == text.data() + text.size();
    }
}

}  // namespace talus::detail
