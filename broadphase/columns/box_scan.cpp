#include "broadphase/columns/box_scan.h"

#include "broadphase/columns/box_lanes.h"
#include "common/lanes/processor.h"

namespace talus::detail {

unsigned box_scan_base(const CellWindow& window, const BoxProbe& probe, unsigned* out) {
    const Float4 high = load_lanes(probe.high), minus_low = load_lanes(probe.minus_low);
    return scan_window(window, out, [&](const BoxEntry* e, unsigned* to, unsigned count) {
        for (unsigned k = 0; k < scan_step; ++k) {
            to[count] = e[k].id;
            count += (lane_bits((load_lanes(e[k].low) <= high) & (load_lanes(e[k].minus_high) <= minus_low)) & 7) == 7;
        }
        return count;
    });
}

unsigned ray_scan_base(const CellWindow& window, const RayProbe& probe, unsigned* out) {
    const Float4 to_low = load_lanes(probe.to_low), to_high = load_lanes(probe.to_high);
    const Float4 inverse = load_lanes(probe.inverse), minus_inverse = load_lanes(probe.minus_inverse);
    const Float4 zero{}, all = splat<Float4>(probe.max_fraction);
    return scan_window(window, out, [&](const BoxEntry* e, unsigned* to, unsigned count) {
        Float4 a[scan_step], b[scan_step];
        for (unsigned k = 0; k < scan_step; ++k) {
            a[k] = (load_lanes(e[k].low) + to_low) * inverse;
            b[k] = (load_lanes(e[k].minus_high) + to_high) * minus_inverse;
        }
        transpose(a[0], a[1], a[2], a[3]);
        transpose(b[0], b[1], b[2], b[3]);
        const Float4 enter = max(max(min(a[0], b[0]), min(a[1], b[1])), max(min(a[2], b[2]), zero));
        const Float4 exit = min(min(max(a[0], b[0]), max(a[1], b[1])), min(max(a[2], b[2]), all));
        const unsigned hits = lane_bits(enter <= exit);
        for (unsigned k = 0; k < scan_step; ++k) {
            to[count] = e[k].id;
            count += (hits >> k) & 1;
        }
        return count;
    });
}

unsigned ray_step_base(RayWalk& walk, const BoxNode*& leaf) {
    constexpr unsigned half = lane_count<Float4>;
    const Float4 all = splat<Float4>(walk.max_fraction);
    return next_leaf(walk, leaf, [&](const BoxNode& node, unsigned* enters) {
        unsigned hits = 0;
        for (unsigned first = 0; first < BoxNode::width; first += half) {
            const auto fraction = [&](unsigned row) {
                return (load_lanes(node.bounds[row] + first) + load_lanes(walk.to[row])) * load_lanes(walk.by[row]);
            };
            Float4 enter{}, exit = all;
            for (const unsigned row : walk.enters_by) enter = max(fraction(row), enter);
            for (const unsigned row : walk.leaves_by) exit = min(fraction(row), exit);
            std::memcpy(enters + first, &enter, sizeof enter);
            hits |= lane_bits(enter <= exit) << first;
        }
        return hits;
    });
}

#if defined(TALUS_AVX2)
BoxScan* best_box_scan() { return has_avx2() ? box_scan_avx2 : box_scan_base; }
RayScan* best_ray_scan() { return has_avx2() ? ray_scan_avx2 : ray_scan_base; }
RayStep* best_ray_step() { return has_avx2() ? ray_step_avx2 : ray_step_base; }
#else
BoxScan* best_box_scan() { return box_scan_base; }
RayScan* best_ray_scan() { return ray_scan_base; }
RayStep* best_ray_step() { return ray_step_base; }
#endif

}  // namespace talus::detail
