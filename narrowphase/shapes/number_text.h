#pragma once
/// Internal: floats in messages.

#include <array>
#include <charconv>
#include <string>

namespace talus::detail {

/// Returns the shortest text that names this float and no other, such as "1e-07" or "1000001".
inline std::string text(float x) {
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr};
}

}  // namespace talus::detail
