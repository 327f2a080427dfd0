#pragma once
/// Internal: eight floats, and the few operations that support search needs of them. As in double4.h, they are one AVX
/// register if the file is compiled for AVX2, else two SSE2 registers, with the same bits.

#include "common/lanes/double4.h"

namespace talus::detail::TALUS_LANES {

static inline F4 load4(const float* p) {
    F4 v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

template <int I>
static inline F4 repeat4(F4 v) {
    return __builtin_shufflevector(v, v, I, I, I, I);
}

#ifdef __AVX2__

typedef float F8 __attribute__((vector_size(32)));
typedef int I8 __attribute__((vector_size(32)));

static inline F8 load8(const float* p) {
    F8 v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

static inline F8 splat8(float x) { return F8{} + x; }

/// Returns lane I of v in all lanes.
template <int I>
static inline F8 repeat8(F4 v) {
    const F8 twice = _mm256_insertf128_ps(_mm256_castps128_ps256(v), v, 1);
    return __builtin_shufflevector(twice, twice, I, I, I, I, I + 4, I + 4, I + 4, I + 4);
}

static inline F8 max_of(F8 a, F8 b) { return _mm256_max_ps(a, b); }
static inline F8 absolute(F8 v) { return (F8)((I8)v & 0x7fffffff); }

/// Returns v in the lanes in which it is more than `floor`, else 0.
static inline F8 above(F8 v, F8 floor) {
    const I8 more = v > floor;
    return (F8)((I8)v & more);
}

/// Bit i is set where a[i] == b[i].
static inline unsigned equal(F8 a, F8 b) { return lane_bits(a == b); }

/// Returns the largest lane of v in all lanes.
static inline F8 all_most(F8 v) {
    v = max_of(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
    v = max_of(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
    return max_of(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));
}

#else

struct F8 {
    F4 lo, hi;
    float operator[](int i) const { return i < 4 ? lo[i] : hi[i - 4]; }
};

static inline F8 operator+(F8 a, F8 b) { return {a.lo + b.lo, a.hi + b.hi}; }
static inline F8 operator*(F8 a, F8 b) { return {a.lo * b.lo, a.hi * b.hi}; }

static inline F8 load8(const float* p) { return {load4(p), load4(p + 4)}; }
static inline F8 splat8(float x) {
    const F4 v = F4{} + in_register(x);
    return {v, v};
}

template <int I>
static inline F8 repeat8(F4 v) {
    return {repeat4<I>(v), repeat4<I>(v)};
}

#if defined(__SSE2__)
static inline F4 max_of(F4 a, F4 b) { return _mm_max_ps(a, b); }
#else
static inline F4 max_of(F4 a, F4 b) { return a > b ? a : b; }
#endif

static inline F8 max_of(F8 a, F8 b) { return {max_of(a.lo, b.lo), max_of(a.hi, b.hi)}; }
static inline F8 absolute(F8 v) { return {(F4)((I4)v.lo & 0x7fffffff), (F4)((I4)v.hi & 0x7fffffff)}; }

static inline F8 above(F8 v, F8 floor) {
    const I4 lo = v.lo > floor.lo, hi = v.hi > floor.hi;
    return {(F4)((I4)v.lo & lo), (F4)((I4)v.hi & hi)};
}

static inline unsigned equal(F8 a, F8 b) {
    const I4 lo = a.lo == b.lo, hi = a.hi == b.hi;
    return lane_bits(lo) | lane_bits(hi) << 4;
}

static inline F8 all_most(F8 v) {
    F4 most = max_of(v.lo, v.hi);
    most = max_of(most, __builtin_shufflevector(most, most, 2, 3, 0, 1));
    most = max_of(most, __builtin_shufflevector(most, most, 1, 0, 3, 2));
    return {most, most};
}

#endif

}  // namespace talus::detail::TALUS_LANES
