#pragma once
/// The broadphase's vocabulary: what stands for a thing, and which two things may meet.

#include <compare>
#include <cstdint>

namespace talus {

/// Which layers a thing belongs to and which it meets. Two things meet when each one's mask holds a category of the
/// other; unless they share a non-zero group: then a positive group always meets, a negative one never.
struct Filter {
    std::uint32_t category = 1;
    std::uint32_t mask = 0xffffffffu;
    std::int32_t group = 0;
    friend bool operator==(const Filter&, const Filter&) = default;
};

inline bool should_collide(const Filter& a, const Filter& b) {
    if (a.group != 0 && a.group == b.group) return a.group > 0;
    return (a.mask & b.category) != 0 && (b.mask & a.category) != 0;
}

using ProxyIndex = std::uint32_t;

/// A pair of proxies, a < b.
struct ProxyPair {
    ProxyIndex a, b;
    friend bool operator==(const ProxyPair&, const ProxyPair&) = default;
    friend auto operator<=>(const ProxyPair&, const ProxyPair&) = default;
};

}  // namespace talus
