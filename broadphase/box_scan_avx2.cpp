#include <talus/broadphase/box_scan.h>

#if defined(__AVX2__)
#include <immintrin.h>

namespace talus::detail {

unsigned box_scan_avx2(const CellWindow& window, const BoxProbe& probe, unsigned* out) {
    const __m256 bounds = _mm256_load_ps(probe.high), axes = _mm256_castsi256_ps(_mm256_setr_epi32(-1, -1, -1, 0, -1, -1, -1, 0));
    return scan_window(window, out, [&](const BoxEntry* e, unsigned* to, unsigned count) {
        for (unsigned k = 0; k < scan_step; ++k) {
            const __m256 meets = _mm256_cmp_ps(_mm256_load_ps(e[k].low), bounds, _CMP_LE_OQ);
            to[count] = e[k].id;
            count += static_cast<unsigned>(_mm256_testc_ps(meets, axes));
        }
        return count;
    });
}

unsigned ray_scan_avx2(const CellWindow& window, const RayProbe& probe, unsigned* out) {
    const __m256 to_bounds = _mm256_load_ps(probe.to_low), inverse = _mm256_load_ps(probe.inverse);
    const __m256 axes = _mm256_castsi256_ps(_mm256_setr_epi32(-1, -1, -1, 0, -1, -1, -1, 0));
    const __m128 whole = _mm_setr_ps(0.0f, 0.0f, 0.0f, probe.max_fraction), minus = _mm_set1_ps(-0.0f);
    return scan_window(window, out, [&](const BoxEntry* e, unsigned* to, unsigned count) {
        for (unsigned k = 0; k < scan_step; ++k) {
            const __m256 t = _mm256_and_ps(_mm256_mul_ps(_mm256_add_ps(_mm256_load_ps(e[k].low), to_bounds), inverse), axes);
            const __m128 a = _mm256_castps256_ps128(t), b = _mm256_extractf128_ps(t, 1);
            // Minus the fractions of leaving, so that the largest of both kinds are what counts; in the last lane the whole segment.
            const __m128 enter = _mm_min_ps(a, b), stay = _mm_xor_ps(_mm_add_ps(_mm_max_ps(a, b), whole), minus);
            const __m256 both = _mm256_insertf128_ps(_mm256_castps128_ps256(enter), stay, 1);
            const __m256 pairs = _mm256_max_ps(both, _mm256_permute_ps(both, 0xb1));
            const __m256 all = _mm256_max_ps(pairs, _mm256_permute_ps(pairs, 0x4e));
            to[count] = e[k].id;
            count += static_cast<unsigned>(_mm_comile_ss(_mm256_castps256_ps128(all), _mm_xor_ps(_mm256_extractf128_ps(all, 1), minus)));
        }
        return count;
    });
}

}  // namespace talus::detail
#endif
