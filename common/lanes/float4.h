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

/// Returns three floats and 0.
inline Float4 load_three(const float* p) {
#if defined(__SSE2__)  // two loads; from its elements, g++ makes three
    const auto xy = reinterpret_cast<__m128>(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    return _mm_movelh_ps(xy, _mm_load_ss(p + 2));
#else
    return Float4{p[0], p[1], p[2], 0.0f};
#endif
}

#if defined(__SSE2__)
inline Float4 min_lanes(Float4 a, Float4 b) { return _mm_min_ps(a, b); }
inline Float4 max_lanes(Float4 a, Float4 b) { return _mm_max_ps(a, b); }
#elif defined(__wasm_simd128__)
// Its pmin(b, a) is a < b ? a : b.
inline Float4 min_lanes(Float4 a, Float4 b) { return (Float4)wasm_f32x4_pmin((v128_t)b, (v128_t)a); }
inline Float4 max_lanes(Float4 a, Float4 b) { return (Float4)wasm_f32x4_pmax((v128_t)b, (v128_t)a); }
#else
inline Float4 min_lanes(Float4 a, Float4 b) { return a < b ? a : b; }
inline Float4 max_lanes(Float4 a, Float4 b) { return a > b ? a : b; }
#endif

/// Each lane, but at least -limit and at most limit, which is above 0. (g++ 12 compiles clamp() to five times as many
/// instructions if the limit is a constant.)
inline Float4 within(Float4 a, float limit) {
    return max_lanes(min_lanes(a, splat<Float4>(limit)), splat<Float4>(-limit));
}

}  // namespace talus::detail
