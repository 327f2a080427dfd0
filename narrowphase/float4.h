#pragma once
/// Internal: operations on four floats that lanes.h does not have, because the vector extensions lack them or compilers
/// translate them badly.

#include "common/lanes.h"

#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace talus::detail {

inline Float4 load_lanes(const float* p) {
    Float4 v;
    std::memcpy(&v, p, sizeof v);
    return v;
}
#ifdef __SSE2__
inline Float4 min_lanes(Float4 a, Float4 b) { return _mm_min_ps(a, b); }
inline Float4 max_lanes(Float4 a, Float4 b) { return _mm_max_ps(a, b); }
/// One bit per lane, set if the lane is true (all ones).
inline unsigned lane_bits(Int4 lanes) { return static_cast<unsigned>(_mm_movemask_ps((Float4)lanes)); }
#else
inline Float4 min_lanes(Float4 a, Float4 b) { return a < b ? a : b; }
inline Float4 max_lanes(Float4 a, Float4 b) { return a > b ? a : b; }
inline unsigned lane_bits(Int4 l) { return static_cast<unsigned>((l[0] & 1) | (l[1] & 2) | (l[2] & 4) | (l[3] & 8)); }
#endif

}  // namespace talus::detail
