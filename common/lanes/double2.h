#pragma once
/// Two doubles, and what compilers make slow code of without intrinsics. Each function gives the same bits everywhere.

#include "common/lanes/lane_bits.h"
#include "common/lanes/lanes.h"

#include <cstdint>
#include <cstring>

namespace talus::detail {

using Double2 = double __attribute__((vector_size(16)));
using Long2 = std::int64_t __attribute__((vector_size(16)));

inline Double2 load_lanes(const double* p) {
    Double2 v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

/// Two floats as doubles.
inline Double2 to_double(float a, float b) {
#if defined(__SSE2__)
    return _mm_cvtps_pd(_mm_unpacklo_ps(_mm_set_ss(a), _mm_set_ss(b)));
#else
    return Double2{double{a}, double{b}};
#endif
}

#if defined(__SSE2__)
inline Double2 min_lanes(Double2 a, Double2 b) { return _mm_min_pd(a, b); }
inline Double2 max_lanes(Double2 a, Double2 b) { return _mm_max_pd(a, b); }
#else
inline Double2 min_lanes(Double2 a, Double2 b) { return a < b ? a : b; }
inline Double2 max_lanes(Double2 a, Double2 b) { return a > b ? a : b; }
#endif

/// The lanes in which a <= b. As an expression, it is slow: g++ 12 takes the lanes of `(a <= b) & (c <= d)` apart.
inline Long2 at_most(Double2 a, Double2 b) {
#if defined(__SSE2__)
    return reinterpret_cast<Long2>(_mm_cmple_pd(a, b));
#else
    return a <= b;
#endif
}

/// Each lane rounded to float.
inline Float4 to_float(Double2 low, Double2 high) {
#if defined(__SSE2__)
    return reinterpret_cast<Float4>(
        _mm_movelh_ps(_mm_cvtpd_ps(reinterpret_cast<__m128d>(low)), _mm_cvtpd_ps(reinterpret_cast<__m128d>(high))));
#else
    return Float4{static_cast<float>(low[0]), static_cast<float>(low[1]), static_cast<float>(high[0]),
                  static_cast<float>(high[1])};
#endif
}

/// The lower two lanes, and the upper two.
inline Double2 low_double(Float4 a) {
#if defined(__SSE2__)
    return _mm_cvtps_pd(a);
#else
    return Double2{double{a[0]}, double{a[1]}};
#endif
}
inline Double2 high_double(Float4 a) {
#if defined(__SSE2__)
    return _mm_cvtps_pd(_mm_movehl_ps(a, a));
#else
    return Double2{double{a[2]}, double{a[3]}};
#endif
}

}  // namespace talus::detail
