#pragma once
/// Pairs as integers, for sorting.

#include <talus/broadphase/proxy.h>

namespace talus::detail {

/// The pair (a, b) with a in the upper half: keys order as pairs do.
using PairKey = std::uint64_t;
inline PairKey key_of(ProxyIndex a, ProxyIndex b) { return PairKey{a} << 32 | b; }
inline ProxyPair pair_of(PairKey key) {
    return {static_cast<ProxyIndex>(key >> 32), static_cast<ProxyIndex>(key & 0xffffffffu)};
}

}  // namespace talus::detail
