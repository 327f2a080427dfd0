#pragma once
/// Internal: four doubles, and the few operations that GJK's kernel needs of them.
///
/// They are one AVX register if the file is compiled for AVX2, else two SSE2 registers, with the same operations in the
/// same order, and so the same bits. This header includes neither glm nor the standard library, because a file compiled
/// for AVX2 must not emit inline functions of theirs: the linker might keep these copies for all files. For the same
/// reason everything is in a namespace named by TALUS_LANES, which differs for each instruction set.

#ifndef TALUS_LANES
#error "define TALUS_LANES before including this"
#endif

#include "common/lanes/lane_bits.h"
#include "common/lanes/load_splat.h"

namespace talus::detail::TALUS_LANES {

typedef float F4 __attribute__((vector_size(16)));
typedef int I4 __attribute__((vector_size(16)));
typedef double D2 __attribute__((vector_size(16)));
typedef long long L2 __attribute__((vector_size(16)));

#ifdef __AVX2__

typedef double D4 __attribute__((vector_size(32)));
typedef long long L4 __attribute__((vector_size(32)));

static inline D4 splat(double x) { return D4{x, x, x, x}; }
/// In three-vectors the fourth lane is undefined. (With a zero there, g++ clears the half register by an instruction
/// that valgrind 3.19 does not know.)
static inline D4 make(double x, double y, double z, double w) { return D4{x, y, z, w}; }

template <int I, int J, int K, int L>
static inline D4 permute(D4 v) {
    return __builtin_shufflevector(v, v, I, J, K, L);
}

static inline D2 low(D4 v) { return __builtin_shufflevector(v, v, 0, 1); }
static inline D2 high(D4 v) { return __builtin_shufflevector(v, v, 2, 3); }

/// Bit i is set where a[i] > b[i].
static inline int greater(D4 a, D4 b) {
    const L4 more = a > b;
    return static_cast<int>(lane_bits(more));
}

/// Bit i is the sign of v[i].
static inline int signs(D4 v) { return static_cast<int>(lane_bits((L4)v)); }

static inline D4 with_signs(D4 magnitude, D4 sign) {
    const L4 mask = L4{} + static_cast<long long>(0x8000000000000000ull);
    return (D4)(((L4)magnitude & ~mask) | ((L4)sign & mask));
}

static inline D4 to_double(F4 v) {
    return _mm256_cvtps_pd(v);
}  // with __builtin_convertvector g++ 12 makes five instructions
static inline F4 to_float(D4 v) { return __builtin_convertvector(v, F4); }

/// Transposes rows to columns.
static inline void transpose(D4& a, D4& b, D4& c, const D4& d) {
    const D4 ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const D4 cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    a = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
    b = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
    c = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
}

#else

struct D4 {
    D2 lo, hi;
    double operator[](int i) const { return i < 2 ? lo[i] : hi[i - 2]; }
};

static inline D4 operator+(D4 a, D4 b) { return {a.lo + b.lo, a.hi + b.hi}; }
static inline D4 operator-(D4 a, D4 b) { return {a.lo - b.lo, a.hi - b.hi}; }
static inline D4 operator*(D4 a, D4 b) { return {a.lo * b.lo, a.hi * b.hi}; }
static inline D4 operator/(D4 a, D4 b) { return {a.lo / b.lo, a.hi / b.hi}; }
static inline D4 operator-(D4 a) { return {-a.lo, -a.hi}; }

static inline D4 splat(double x) {
    x = in_register(x);
    return {D2{x, x}, D2{x, x}};
}
static inline D4 make(double x, double y, double z, double w) { return {D2{x, y}, D2{z, w}}; }

template <int I, int J, int K, int L>
static inline D4 permute(D4 v) {
    return {__builtin_shufflevector(v.lo, v.hi, I, J), __builtin_shufflevector(v.lo, v.hi, K, L)};
}

static inline D2 low(D4 v) { return v.lo; }
static inline D2 high(D4 v) { return v.hi; }

static inline int signs(D4 v) { return static_cast<int>(lane_bits((L2)v.lo) | lane_bits((L2)v.hi) << 2); }

static inline int greater(D4 a, D4 b) {
    const L2 lo = a.lo > b.lo, hi = a.hi > b.hi;
    return signs(D4{(D2)lo, (D2)hi});
}

static inline D2 with_signs(D2 magnitude, D2 sign) {
    const L2 mask = L2{} + static_cast<long long>(0x8000000000000000ull);
    return (D2)(((L2)magnitude & ~mask) | ((L2)sign & mask));
}
static inline D4 with_signs(D4 magnitude, D4 sign) {
    return {with_signs(magnitude.lo, sign.lo), with_signs(magnitude.hi, sign.hi)};
}

static inline D4 to_double(F4 v) { return {D2{v[0], v[1]}, D2{v[2], v[3]}}; }
static inline F4 to_float(D4 v) {
    return F4{static_cast<float>(v.lo[0]), static_cast<float>(v.lo[1]), static_cast<float>(v.hi[0]),
              static_cast<float>(v.hi[1])};
}

static inline void transpose(D4& a, D4& b, D4& c, const D4& d) {
    const D4 x{__builtin_shufflevector(a.lo, b.lo, 0, 2), __builtin_shufflevector(c.lo, d.lo, 0, 2)};
    const D4 y{__builtin_shufflevector(a.lo, b.lo, 1, 3), __builtin_shufflevector(c.lo, d.lo, 1, 3)};
    const D4 z{__builtin_shufflevector(a.hi, b.hi, 0, 2), __builtin_shufflevector(c.hi, d.hi, 0, 2)};
    a = x;
    b = y;
    c = z;
}

#endif

/// Returns the sum (x + y) + z of the first three lanes' products.
static inline double dot(D4 a, D4 b) {
    const D4 p = a * b;
    const D2 xy = low(p), z = high(p);
    return (xy[0] + xy[1]) + z[0];
}

/// Loads three floats at p, without reading a fourth.
static inline F4 load3(const float* p) {
#ifdef __SSE2__
    double xy;
    __builtin_memcpy(&xy, p, sizeof xy);
    return _mm_movelh_ps(_mm_castpd_ps(_mm_set_sd(xy)), _mm_load_ss(p + 2));
#else
    return F4{p[0], p[1], p[2], 0.0f};
#endif
}

}  // namespace talus::detail::TALUS_LANES
