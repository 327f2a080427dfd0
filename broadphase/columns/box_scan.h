#pragma once
/// The innermost loops of the broadphase: the test of one box or one ray against the boxes in a window of cells, and of
/// one ray against the nodes of a tree. Each is compiled twice, for every processor and for AVX2, and gives the same
/// bits; the processor decides at run time which of the two runs.
///
/// Plain data only: a file that is compiled for AVX2 includes neither glm nor the standard library.

namespace talus::detail {

/// A box and its proxy. The upper bounds are negated: then all six conditions of an overlap are "less or equal", and
/// one comparison of eight floats tests them. The two other lanes hold no bounds.
struct alignas(32) BoxEntry {
    float low[3];
    unsigned id;
    float minus_high[3];
    unsigned cell;  ///< its index, for the sort by cell
};

/// Entries are tested this many at a time. So a scan may read, and report, up to scan_step - 1 entries after the end of
/// a run, and as many must exist after the last entry.
inline constexpr unsigned scan_step = 4;

/// A part of a ring of cells: size_u x size_v runs of `length` cells each.
struct CellWindow {
    const BoxEntry* entries;
    const unsigned* cell_first;  ///< mask + 2 indices of entries: the first one of each cell, and the end of the last
    unsigned mask;               ///< number of cells - 1; the number is a power of two
    unsigned first, stride_u, stride_v;  ///< run (i, j) begins at cell (first + i * stride_u + j * stride_v) & mask
    unsigned size_u, size_v, length;     ///< length <= mask + 1
};

/// A box to be tested: an entry overlaps it if low <= high and minus_high <= minus_low on all axes.
struct alignas(32) BoxProbe {
    float high[3], lane_3 = 0.0f;
    float minus_low[3], lane_7 = 0.0f;
};

/// A ray to be tested. Along each axis it crosses the bounds of an entry at the fractions (low + to_low) * inverse and
/// (minus_high + to_high) * minus_inverse; the smaller one is where it enters.
struct alignas(32) RayProbe {
    float to_low[3], lane_3 = 0.0f;
    float to_high[3], lane_7 = 0.0f;
    float inverse[3], lane_11 = 0.0f;
    float minus_inverse[3], lane_15 = 0.0f;
    float max_fraction;
};

/// A node of a tree: up to 16 boxes, with bounds as in BoxEntry. Each box surrounds another node or, in a leaf, is the
/// box of a proxy.
struct alignas(32) BoxNode {
    static constexpr unsigned width = 16;
    static constexpr unsigned leaf = 0x80000000u;  ///< added to the index of a node that is a leaf
    float bounds[6][width];  ///< low x, y, z, minus_high x, y, z; all infinite where there is no box
    unsigned child[width];   ///< index of a node, or of a proxy in a leaf
};

/// The state of a ray's walk through a tree. The ray crosses the bounds of a row at the fractions (bound + to) * by.
struct alignas(32) RayWalk {
    static constexpr unsigned lanes = 8;         ///< boxes of a node that are tested at once
    static constexpr unsigned most_items = 128;  ///< 15 per level of the tree, and its roots
    float to[6][lanes], by[6][lanes];            ///< equal in all lanes of a row
    unsigned enters_by[3], leaves_by[3];         ///< the rows at which the ray enters a box, and at which it leaves it
    float max_fraction;
    const BoxNode* nodes;
    /// An index of a node or a box in the lower half. The upper half has the bits of the fraction at which the ray
    /// enters it (or of a smaller fraction, at least 0): nearer items are smaller.
    using Item = unsigned long long;
    unsigned count = 0;
    Item items[most_items];  ///< nodes that are still to be tested, the next one last
    Item found[BoxNode::width];
};

/// Write the ids of the entries in the window that the probe overlaps, and return their number. `out` needs room for
/// all entries in the window and scan_step more per run. Hits are written without a branch, because they cannot be
/// predicted.
using BoxScan = unsigned(const CellWindow& window, const BoxProbe& probe, unsigned* out);
using RayScan = unsigned(const CellWindow& window, const RayProbe& probe, unsigned* out);
BoxScan box_scan_base, box_scan_avx2;
RayScan ray_scan_base, ray_scan_avx2;

/// Walks on to the next leaf with boxes that the ray touches up to max_fraction. Returns their number, or 0 at the end.
/// Sets `leaf`, and walk.found to their places in the leaf, the nearest one last.
using RayStep = unsigned(RayWalk& walk, const BoxNode*& leaf);
RayStep ray_step_base, ray_step_avx2;

/// The fastest ones that this processor supports.
BoxScan* best_box_scan();
RayScan* best_ray_scan();
RayStep* best_ray_step();

/// Calls run(begin, end) for the runs of cells in a window. A run that wraps around the ring is two.
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

/// A scan of a window. `unsigned test(const BoxEntry*, unsigned* out, unsigned count)` tests scan_step entries and
/// returns the new count.
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

/// A walk to the next leaf. `unsigned test(const BoxNode&, unsigned* enter)` tests a node: it returns one bit per child
/// that the ray touches, and the bits of the fractions at which it enters them.
template <class Test>
inline unsigned next_leaf(RayWalk& walk, const BoxNode*& leaf, Test&& test) {
    unsigned count = walk.count, found = 0;
    while (found == 0 && count > 0) {
        const RayWalk::Item item = walk.items[--count];
        const unsigned bits = static_cast<unsigned>(item >> 32);
        float enter;
        __builtin_memcpy(&enter, &bits, sizeof enter);
        if (!(enter <= walk.max_fraction)) continue;
        const unsigned index = static_cast<unsigned>(item);
        const bool is_leaf = (index & BoxNode::leaf) != 0;
        const BoxNode& node = walk.nodes[index & ~BoxNode::leaf];
        alignas(32) unsigned enters[BoxNode::width];
        unsigned hits = test(node, enters);
        if (hits == 0) continue;
        // The nearest one last. Sorting the others would cost more in mispredicted branches than it saves.
        static constexpr unsigned places[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        static_assert(sizeof places == sizeof node.child);
        const unsigned* const children = is_leaf ? places : node.child;
        const auto first_hit = [&] {
            const int k = __builtin_ctz(hits);
            return static_cast<RayWalk::Item>(enters[k]) << 32 | children[k];
        };
        RayWalk::Item* const list = is_leaf ? walk.found : walk.items + count;
        RayWalk::Item nearest = first_hit();
        unsigned size = 0;
        while ((hits &= hits - 1) != 0) {
            const RayWalk::Item next = first_hit();
            list[size++] = nearest > next ? nearest : next;
            nearest = nearest > next ? next : nearest;
        }
        list[size++] = nearest;
        if (is_leaf) {
            leaf = &node;
            found = size;
        } else {
            count += size;
        }
    }
    walk.count = count;
    return found;
}

}  // namespace talus::detail
