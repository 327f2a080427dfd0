#include <talus/broadphase/box_scan.h>

#include <talus/broadphase/box_lanes.h>

namespace talus::detail {

namespace {

Float4 load(const float* from) {
    Float4 lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

#if defined(TALUS_AVX2)
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
#endif

}  // namespace

unsigned box_scan_sse2(const CellWindow& window, const BoxProbe& probe, unsigned* out) {
    const Float4 high = load(probe.high), minus_low = load(probe.minus_low);
    return scan_window(window, out, [&](const BoxEntry* e, unsigned* to, unsigned count) {
        for (unsigned k = 0; k < scan_step; ++k) {
            to[count] = e[k].id;
            count += (lane_bits((load(e[k].low) <= high) & (load(e[k].minus_high) <= minus_low)) & 7) == 7;
        }
        return count;
    });
}

unsigned ray_scan_sse2(const CellWindow& window, const RayProbe& probe, unsigned* out) {
    const Float4 to_low = load(probe.to_low), to_high = load(probe.to_high);
    const Float4 inverse = load(probe.inverse), minus_inverse = load(probe.minus_inverse);
    const Int4 axes = {-1, -1, -1, 0};
    const Float4 whole = {0.0f, 0.0f, 0.0f, probe.max_fraction};
    const auto axes_of = [&](Float4 a) { return reinterpret_cast<Float4>(reinterpret_cast<Int4>(a) & axes); };
    return scan_window(window, out, [&](const BoxEntry* e, unsigned* to, unsigned count) {
        for (unsigned k = 0; k < scan_step; ++k) {
            const Float4 a = axes_of((load(e[k].low) + to_low) * inverse), b = axes_of((load(e[k].minus_high) + to_high) * minus_inverse);
            const Float4 enter = min(a, b), exit = max(a, b) + whole;  // in the last lane the whole segment
            to[count] = e[k].id;
            count += (lane_bits(largest(enter) <= -largest(-exit)) & 1) != 0;
        }
        return count;
    });
}

#if defined(TALUS_AVX2)
BoxScan* best_box_scan() { return has_avx2() ? box_scan_avx2 : box_scan_sse2; }
RayScan* best_ray_scan() { return has_avx2() ? ray_scan_avx2 : ray_scan_sse2; }
#else
BoxScan* best_box_scan() { return box_scan_sse2; }
RayScan* best_ray_scan() { return ray_scan_sse2; }
#endif

}  // namespace talus::detail
