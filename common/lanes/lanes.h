#pragma once
/// Short vectors of floats for wide kernels: one kernel template, instantiated for each lane count.
///
/// They are vector extensions of GCC and clang, not intrinsics: as fast where it was measured, and portable. The
/// operations are + - * / sqrt, comparisons and selections, so each lane gives the bits that scalar code would give.
///
/// Files compiled for AVX2 include this header and instantiate it for types that no other file uses. So it includes
/// nothing of the standard library.

#include "common/lanes/load_splat.h"

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace talus {

using Float4 = float __attribute__((vector_size(16)));
using Int4 = int __attribute__((vector_size(16)));

template <class F>
inline constexpr int lane_count = sizeof(F) / sizeof(float);

template <class F>
inline F splat(float x) {
    return F{} + detail::in_register(x);
}

template <class F>
inline F min(F a, F b) {
    return a < b ? a : b;
}

template <class F>
inline F max(F a, F b) {
    return a > b ? a : b;
}

template <class F>
inline F clamp(F x, F low, F high) {
    return min(max(x, low), high);
}

template <class F>
inline F sqrt_lanes(F x) {
#if defined(__wasm_simd128__)
    if constexpr (sizeof(F) == 16) return (F)wasm_f32x4_sqrt((v128_t)x);
#endif
    F r = x;
    for (int i = 0; i < lane_count<F>; ++i) r[i] = __builtin_sqrtf(x[i]);
    return r;
}

/// Three-vectors, one per lane.
template <class F>
struct Vec3Lanes {
    F x, y, z;
};

template <class F>
inline Vec3Lanes<F> operator+(const Vec3Lanes<F>& a, const Vec3Lanes<F>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class F>
inline Vec3Lanes<F> operator-(const Vec3Lanes<F>& a, const Vec3Lanes<F>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <class F>
inline Vec3Lanes<F> operator*(F s, const Vec3Lanes<F>& a) {
    return {s * a.x, s * a.y, s * a.z};
}

template <class F>
inline F dot(const Vec3Lanes<F>& a, const Vec3Lanes<F>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class F>
inline Vec3Lanes<F> cross(const Vec3Lanes<F>& a, const Vec3Lanes<F>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Symmetric 3x3 matrices, one per lane.
template <class F>
struct SymmetricLanes {
    F xx, yy, zz, xy, xz, yz;
};

template <class F>
inline Vec3Lanes<F> operator*(const SymmetricLanes<F>& m, const Vec3Lanes<F>& v) {
    return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
            m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

/// Transposes four rows of four floats: they become the x, y, z and w of four lanes.
inline void transpose(Float4& a, Float4& b, Float4& c, Float4& d) {
    const Float4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const Float4 ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Float4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Float4 cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

}  // namespace talus
