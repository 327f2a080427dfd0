#pragma once
/// The sign of a sum of three products that 64 bits cannot hold.

#include <cstdint>

namespace talus::detail {

/// Returns the sign of n . d, exactly: 1, 0 or -1. Sizes: |n[i]| <= 2^61 and |d[i]| <= 2^30.
inline int sign_of_dot(const std::int64_t n[3], const std::int64_t d[3]) {
    constexpr int bits = 30;
    constexpr std::int64_t mask = (std::int64_t{1} << bits) - 1;
    std::int64_t high = 0, low = 0;  // n . d = high 2^30 + low
    for (int i = 0; i < 3; ++i) {
        high += (n[i] >> bits) * d[i];
        low += (n[i] & mask) * d[i];
    }
    high += low >> bits;
    low &= mask;
    return high > 0 ? 1 : high < 0 ? -1 : low > 0 ? 1 : 0;
}

}  // namespace talus::detail
