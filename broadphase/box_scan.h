#pragma once
/// The innermost loops of the broadphase: one box, or one ray, against what stands in a window of cells, hits packed. Compiled twice, for SSE2 and for
/// AVX2, to the same bits; which one runs is chosen at run time.
///
/// Plain data only: a file that is compiled for AVX2 includes neither glm nor the standard library.

namespace talus::detail {

/// A box and whose it is. Upper bounds are negated, so that all six conditions of an overlap are "less or equal" and one comparison of
/// eight floats tests them; the two lanes left over hold no bounds.
struct alignas(32) BoxEntry {
    float low[3];
    unsigned id;
    float minus_high[3];
    unsigned unused;
};

/// Entries are tested this many at a time, so a scan may look at (and report) up to this many less one behind the end of a run; as many
/// must be there to be looked at behind the last.
inline constexpr unsigned scan_step = 4;

/// The cells (i, j), i < size_u, j < size_v, each with the `length` cells from it on, of a grid whose cells wrap around.
struct CellWindow {
    const BoxEntry* entries;
    const unsigned* cell_first;  ///< into entries, mask + 2 of them: the last is the end of the last cell
    unsigned mask;               ///< number of cells - 1; the number is a power of two
    unsigned first, stride_u, stride_v;
    unsigned size_u, size_v, length;  ///< length <= mask + 1
};

/// What an entry meets if low <= high and minus_high <= minus_low, on all axes.
struct alignas(32) BoxProbe {
    float high[3], lane_3 = 0.0f;
    float minus_low[3], lane_7 = 0.0f;
};

/// A segment grown on all sides. It enters an entry at the fractions (low + to_low) * inverse and leaves it at (minus_high + to_high) *
/// minus_inverse, along each axis, or the other way round where it runs backwards.
struct alignas(32) RayProbe {
    float to_low[3], lane_3 = 0.0f;
    float to_high[3], lane_7 = 0.0f;
    float inverse[3], lane_11 = 0.0f;
    float minus_inverse[3], lane_15 = 0.0f;
    float max_fraction;
};

/// Write the ids of the entries in the window that meet the probe; return how many. `out` needs room for as many as there are in the
/// window, and scan_step more a run. Hits are written without a branch: nobody can predict them.
using BoxScan = unsigned(const CellWindow& window, const BoxProbe& probe, unsigned* out);
using RayScan = unsigned(const CellWindow& window, const RayProbe& probe, unsigned* out);
BoxScan box_scan_sse2, box_scan_avx2;
RayScan ray_scan_sse2, ray_scan_avx2;

/// The better ones that this processor has.
BoxScan* best_box_scan();
RayScan* best_ray_scan();

/// Calls run(begin, end) for the runs of cells that a window is made of.
template <class Run>
inline void for_each_run(const CellWindow& w, Run&& run) {
    for (unsigned j = 0, row = w.first; j < w.size_v; ++j, row += w.stride_v) {
        for (unsigned i = 0, column = row; i < w.size_u; ++i, column += w.stride_u) {
            const unsigned begin = column & w.mask, end = begin + w.length;
            if (end > w.mask + 1) [[unlikely]] {
                run(0u, end - (w.mask + 1));
                run(begin, w.mask + 1);
            } else {
                run(begin, end);
            }
        }
    }
}

/// The scan with a test of four entries, `unsigned test(const BoxEntry*, unsigned* out, unsigned count)`, that gives the new count.
template <class Test>
inline unsigned scan_window(const CellWindow& w, unsigned* out, Test&& test) {
    unsigned count = 0;
    for_each_run(w, [&](unsigned begin, unsigned end) {
        const BoxEntry* entry = w.entries + w.cell_first[begin];
        const BoxEntry* const last = w.entries + w.cell_first[end];
        for (; entry < last; entry += scan_step) count = test(entry, out, count);
    });
    return count;
}

}  // namespace talus::detail
