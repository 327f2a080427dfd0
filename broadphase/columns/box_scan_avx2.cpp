#include "broadphase/columns/box_scan.h"

#if defined(__AVX2__)
#include <immintrin.h>

namespace talus::detail {

unsigned box_scan_avx2(const CellWindow& window, const BoxProbe& probe, unsigned* out) {
    const __m256 bounds = _mm256_load_ps(probe.high),
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

unsigned ray_scan_avx2(const CellWindow& window, const RayProbe& probe, unsigned* out) {
    const __m256 to_bounds = _mm256_load_ps(probe.to_low), inverse = _mm256_load_ps(probe.inverse);
    const __m128 zero = _mm_setzero_ps(), all = _mm_set1_ps(probe.max_fraction);
    return scan_window(window, out, [&](const BoxEntry* e, unsigned* to, unsigned count) {
        const auto fractions = [&](unsigned k) {
            return _mm256_mul_ps(_mm256_add_ps(_mm256_load_ps(e[k].low), to_bounds), inverse);
        };
        // Transposes both halves: to x, y, z of four entries' lower bounds, and of their upper bounds.
        const __m256 f0 = fractions(0), f1 = fractions(1), f2 = fractions(2), f3 = fractions(3);
        const __m256 xy01 = _mm256_unpacklo_ps(f0, f1), xy23 = _mm256_unpacklo_ps(f2, f3);
        const __m256 z01 = _mm256_unpackhi_ps(f0, f1), z23 = _mm256_unpackhi_ps(f2, f3);
        const __m256 x = _mm256_shuffle_ps(xy01, xy23, 0x44), y = _mm256_shuffle_ps(xy01, xy23, 0xee),
                     z = _mm256_shuffle_ps(z01, z23, 0x44);
        const __m128 ax = _mm256_castps256_ps128(x), ay = _mm256_castps256_ps128(y), az = _mm256_castps256_ps128(z);
        const __m128 bx = _mm256_extractf128_ps(x, 1), by = _mm256_extractf128_ps(y, 1),
                     bz = _mm256_extractf128_ps(z, 1);
        const __m128 enter =
            _mm_max_ps(_mm_max_ps(_mm_min_ps(ax, bx), _mm_min_ps(ay, by)), _mm_max_ps(_mm_min_ps(az, bz), zero));
        const __m128 exit =
            _mm_min_ps(_mm_min_ps(_mm_max_ps(ax, bx), _mm_max_ps(ay, by)), _mm_min_ps(_mm_max_ps(az, bz), all));
        const unsigned hits = static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(enter, exit)));
        for (unsigned k = 0; k < scan_step; ++k) {
            to[count] = e[k].id;
            count += (hits >> k) & 1;
        }
        return count;
    });
}

unsigned ray_step_avx2(RayWalk& walk, const BoxNode*& leaf) {
    const __m256 zero = _mm256_setzero_ps(), all = _mm256_set1_ps(walk.max_fraction);
    return next_leaf(walk, leaf, [&](const BoxNode& node, unsigned* enters) {
        unsigned hits = 0;
        for (unsigned first = 0; first < BoxNode::width; first += RayWalk::lanes) {
            const auto fraction = [&](unsigned row) {
                return _mm256_mul_ps(
                    _mm256_add_ps(_mm256_load_ps(node.bounds[row] + first), _mm256_load_ps(walk.to[row])),
                    _mm256_load_ps(walk.by[row]));
            };
            const __m256 enter = _mm256_max_ps(_mm256_max_ps(fraction(walk.enters_by[0]), fraction(walk.enters_by[1])),
                                               _mm256_max_ps(fraction(walk.enters_by[2]), zero));
            const __m256 exit = _mm256_min_ps(_mm256_min_ps(fraction(walk.leaves_by[0]), fraction(walk.leaves_by[1])),
                                              _mm256_min_ps(fraction(walk.leaves_by[2]), all));
            _mm256_store_si256(reinterpret_cast<__m256i*>(enters + first), _mm256_castps_si256(enter));
            hits |= static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(enter, exit, _CMP_LE_OQ))) << first;
        }
        return hits;
    });
}

}  // namespace talus::detail
#endif
