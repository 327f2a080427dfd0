#pragma once
/// The broadphase's vocabulary: proxies, collision filters and pairs.

#include <talus/aabb.h>

#include <compare>
#include <cstdint>

namespace talus {

/// The layers an object belongs to (`category`) and the layers it collides with (`mask`), one bit per layer. Two
/// objects collide if the mask of each contains a category of the other. If both have the same non-zero group, only
/// the group counts: a positive group always collides, a negative group never does.
struct Filter {
    std::uint32_t category = 1;                                      ///< the layers it belongs to
    std::uint32_t mask = 0xffffffffu;                                ///< the layers it collides with
    std::int32_t group = 0;                                          ///< 0: none
    friend bool operator==(const Filter&, const Filter&) = default;  ///< compares all fields
};

/// Returns whether two objects with these filters collide.
inline bool should_collide(const Filter& a, const Filter& b) {
    if (a.group != 0 && a.group == b.group) return a.group > 0;
    return (a.mask & b.category) != 0 && (b.mask & a.category) != 0;
}

/// The index of a proxy: one box in the broadphase. After the proxy is removed, the index is given to a later one.
using ProxyIndex = std::uint32_t;
/// The index that a refused call returns. No proxy has it.
inline constexpr ProxyIndex null_proxy = 0xffffffffu;

/// The definition of a proxy, as passed to Broadphase::add().
struct ProxyDef {
    WorldAabb box;                ///< the tight box: finite, lower <= upper on each axis, m
    std::uint32_t user_data = 0;  ///< passed to the visitors of queries: the index of the proxy's owner, for example
    Filter filter{};              ///< which other proxies it can have pairs with
    bool moving = true;  ///< false for a fixed or sleeping object. Two proxies that do not move never begin a pair.
};

/// Two proxies, a < b.
struct ProxyPair {
    ProxyIndex a;                                                           ///< the lower index
    ProxyIndex b;                                                           ///< the higher index
    friend bool operator==(const ProxyPair&, const ProxyPair&) = default;   ///< compares both
    friend auto operator<=>(const ProxyPair&, const ProxyPair&) = default;  ///< by a, then by b
};

}  // namespace talus
