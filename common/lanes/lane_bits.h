#pragma once
/// The masks that comparisons of vectors give, as bits of an integer.
///
/// Files that are compiled for one instruction set include this header. So it includes nothing of the standard library,
/// and its functions are static: the linker must not take the copy of such a file for the others.

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace talus {

/// Returns a bit per lane of a vector of integers: the lane's sign, which is set where a comparison is true.
template <class Mask>
[[gnu::always_inline]] static inline unsigned lane_bits(Mask mask) {
    constexpr int lane_size = sizeof(mask[0]), count = sizeof(Mask) / lane_size;
#if defined(__SSE2__)
    if constexpr (sizeof(Mask) == 16 && lane_size == 4) return static_cast<unsigned>(_mm_movemask_ps((__m128)mask));
    if constexpr (sizeof(Mask) == 16 && lane_size == 8) return static_cast<unsigned>(_mm_movemask_pd((__m128d)mask));
#endif
#if defined(__AVX__)
    if constexpr (sizeof(Mask) == 32 && lane_size == 4) return static_cast<unsigned>(_mm256_movemask_ps((__m256)mask));
    if constexpr (sizeof(Mask) == 32 && lane_size == 8) return static_cast<unsigned>(_mm256_movemask_pd((__m256d)mask));
#endif
#if defined(__AVX512DQ__)
    if constexpr (sizeof(Mask) == 64 && lane_size == 8)
        return static_cast<unsigned>(_mm512_movepi64_mask((__m512i)mask));
#endif
#if defined(__ARM_NEON) && defined(__aarch64__)
    if constexpr (sizeof(Mask) == 16 && lane_size == 4) {
        const uint32x4_t bit = {1, 2, 4, 8};
        return vaddvq_u32(vandq_u32(vreinterpretq_u32_s32(vshrq_n_s32((int32x4_t)mask, 31)), bit));
    }
#endif
#if defined(__wasm_simd128__)
    if constexpr (sizeof(Mask) == 16 && lane_size == 4) return wasm_i32x4_bitmask((v128_t)mask);
    if constexpr (sizeof(Mask) == 16 && lane_size == 8) return wasm_i64x2_bitmask((v128_t)mask);
#endif
    unsigned bits = 0;
    for (int i = 0; i < count; ++i) bits |= (mask[i] < 0 ? 1u : 0u) << i;
    return bits;
}

}  // namespace talus
