#include <talus/broadphase/box_scan.h>

#include <talus/broadphase/box_lanes.h>

namespace talus::detail {

unsigned box_scan_sse2(const BoxWindow& window, unsigned* out) {
    Float4 high, minus_low;
    std::memcpy(&high, window.high, sizeof high);
    std::memcpy(&minus_low, window.minus_low, sizeof minus_low);
    return scan_window(window, out, [&](const BoxEntry* e, unsigned* to, unsigned count) {
        for (unsigned k = 0; k < scan_step; ++k) {
            Float4 low, minus_high;
            std::memcpy(&low, e[k].low, sizeof low);
            std::memcpy(&minus_high, e[k].minus_high, sizeof minus_high);
            to[count] = e[k].id;
            count += (lane_bits((low <= high) & (minus_high <= minus_low)) & 7) == 7;
        }
        return count;
    });
}

BoxScan* best_box_scan() {
#if defined(TALUS_AVX2)
    static BoxScan* const best = __builtin_cpu_supports("avx2") ? box_scan_avx2 : box_scan_sse2;
    return best;
#else
    return box_scan_sse2;
#endif
}

}  // namespace talus::detail
