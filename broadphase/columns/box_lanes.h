#pragma once
/// A box as two vectors of four lanes: tests and arithmetic on all three axes at once, without unpredictable branches.

#include <talus/aabb.h>
#include "common/lanes.h"

#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace talus::detail {

/// One bit per lane in which a comparison holds.
inline int lane_bits(Int4 mask) {
#if defined(__SSE2__)
    return _mm_movemask_ps(reinterpret_cast<__m128>(mask));
#else
    return (mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8);
#endif
}

/// Returns whether a comparison is true in all lanes.
inline bool all(Int4 mask) { return lane_bits(mask) == 15; }

inline Float4 absolute(Float4 a) { return max(a, -a); }

/// The largest lane, in all lanes.
inline Float4 largest(Float4 a) {
    a = max(a, __builtin_shufflevector(a, a, 1, 0, 3, 2));
    return max(a, __builtin_shufflevector(a, a, 2, 3, 0, 1));
}

/// The lanes x, y, z and z again: `all` and `largest` of such lanes are those of the three axes.
inline Float4 lanes_of(const vec3& v) { return Float4{v.x, v.y, v.z, v.z}; }

inline void store(Float4 a, float* to) { std::memcpy(to, &a, sizeof a); }

struct BoxLanes {
    Float4 lower, upper;  ///< in the order of lanes_of()
};

inline BoxLanes lanes_of(const Aabb& box) {
    static_assert(sizeof(Aabb) == 24);
    Float4 first, last;  // lower x, y, z, upper x; lower z, upper x, y, z
    std::memcpy(&first, &box, sizeof first);
    std::memcpy(&last, reinterpret_cast<const char*>(&box) + 8, sizeof last);
    return {__builtin_shufflevector(first, first, 0, 1, 2, 2), __builtin_shufflevector(last, last, 1, 2, 3, 3)};
}

inline Aabb aabb_of(const BoxLanes& box) {
    return {{box.lower[0], box.lower[1], box.lower[2]}, {box.upper[0], box.upper[1], box.upper[2]}};
}

inline bool contains(const BoxLanes& outer, const BoxLanes& inner) {
    return all((outer.lower <= inner.lower) & (inner.upper <= outer.upper));
}

inline bool overlaps(const BoxLanes& a, const BoxLanes& b) { return all((a.lower <= b.upper) & (b.lower <= a.upper)); }

}  // namespace talus::detail
