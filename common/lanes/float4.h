#pragma once
/// Internal: operations on four floats that lanes.h does not have, because the vector extensions lack them or compilers
/// translate them badly.

#include "common/lanes/lane_bits.h"
#include "common/lanes/lanes.h"

#include <cstring>

namespace talus::detail {

inline Float4 load_lanes(const float* p) {
    Float4 v;
    std::memcpy(&v, p, sizeof v);
    return v;
}
#if defined(__SSE2__)
/// The same as clamp(a, -limit, limit). g++ 12 compiles that to five times as many instructions for a constant.
inline Float4 within(Float4 a, float limit) {
    return _mm_max_ps(_mm_min_ps(a, _mm_set1_ps(limit)), _mm_set1_ps(-limit));
}
inline Float4 min_lanes(Float4 a, Float4 b) { return _mm_min_ps(a, b); }
inline Float4 max_lanes(Float4 a, Float4 b) { return _mm_max_ps(a, b); }
#else
inline Float4 within(Float4 a, float limit) { return clamp(a, splat<Float4>(-limit), splat<Float4>(limit)); }
inline Float4 min_lanes(Float4 a, Float4 b) { return a < b ? a : b; }
inline Float4 max_lanes(Float4 a, Float4 b) { return a > b ? a : b; }
#endif

}  // namespace talus::detail
