#include "broadphase/columns/box_scan.h"

#include "broadphase/columns/box_lanes.h"

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
    const Float4 zero{}, all = splat<Float4>(probe.max_fraction);
    return scan_window(window, out, [&](const BoxEntry* e, unsigned* to, unsigned count) {
        Float4 a[scan_step], b[scan_step];
        for (unsigned k = 0; k < scan_step; ++k) {
            a[k] = (load(e[k].low) + to_low) * inverse;
            b[k] = (load(e[k].minus_high) + to_high) * minus_inverse;
        }
        transpose(a[0], a[1], a[2], a[3]);
        transpose(b[0], b[1], b[2], b[3]);
        const Float4 enter = max(max(min(a[0], b[0]), min(a[1], b[1])), max(min(a[2], b[2]), zero));
        const Float4 exit = min(min(max(a[0], b[0]), max(a[1], b[1])), min(max(a[2], b[2]), all));
        const int hits = lane_bits(enter <= exit);
        for (unsigned k = 0; k < scan_step; ++k) {
            to[count] = e[k].id;
            count += (hits >> k) & 1;
        }
        return count;
    });
}

unsigned ray_step_sse2(RayWalk& walk, const BoxNode*& leaf) {
    constexpr unsigned half = lane_count<Float4>;
    const Float4 all = splat<Float4>(walk.max_fraction);
    return next_leaf(walk, leaf, [&](const BoxNode& node, unsigned* enters) {
        unsigned hits = 0;
        for (unsigned first = 0; first < BoxNode::width; first += half) {
            const auto fraction = [&](unsigned row) {
                return (load(node.bounds[row] + first) + load(walk.to[row])) * load(walk.by[row]);
            };
            Float4 enter{}, exit = all;
            for (const unsigned row : walk.enters_by) enter = max(fraction(row), enter);
            for (const unsigned row : walk.leaves_by) exit = min(fraction(row), exit);
            std::memcpy(enters + first, &enter, sizeof enter);
            hits |= static_cast<unsigned>(lane_bits(enter <= exit)) << first;
        }
        return hits;
    });
}

#if defined(TALUS_AVX2)
BoxScan* best_box_scan() { return has_avx2() ? box_scan_avx2 : box_scan_sse2; }
RayScan* best_ray_scan() { return has_avx2() ? ray_scan_avx2 : ray_scan_sse2; }
RayStep* best_ray_step() { return has_avx2() ? ray_step_avx2 : ray_step_sse2; }
#else
BoxScan* best_box_scan() { return box_scan_sse2; }
RayScan* best_ray_scan() { return ray_scan_sse2; }
RayStep* best_ray_step() { return ray_step_sse2; }
#endif

}  // namespace talus::detail
