#include <talus/broadphase/box_scan.h>

#if defined(__AVX2__)
#include <immintrin.h>

namespace talus::detail {

unsigned box_scan_avx2(const BoxWindow& window, unsigned* out) {
    const __m256 bounds = _mm256_load_ps(window.high),
                 axes = _mm256_castsi256_ps(_mm256_setr_epi32(-1, -1, -1, 0, -1, -1, -1, 0));
    return scan_window(window, out, [&](const BoxEntry* e, unsigned* to, unsigned count) {
        for (unsigned k = 0; k < scan_step; ++k) {
            const __m256 meets = _mm256_cmp_ps(_mm256_load_ps(e[k].low), bounds, _CMP_LE_OQ);
            to[count] = e[k].id;
            count += static_cast<unsigned>(_mm256_testc_ps(meets, axes));
        }
        return count;
    });
}

}  // namespace talus::detail
#endif
