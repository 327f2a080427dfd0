#pragma once
/// The innermost loops of the broadphase: one box, or one ray, against what stands in a window of cells, hits packed;
/// and one ray through a tree. Compiled twice, for SSE2 and for AVX2, to the same bits; which one runs is chosen at run
/// time.
///
/// Plain data only: a file that is compiled for AVX2 includes neither glm nor the standard library.

namespace talus::detail {

/// A box and whose it is. Upper bounds are negated, so that all six conditions of an overlap are "less or equal" and
/// one comparison of eight floats tests them; the two lanes left over hold no bounds.
struct alignas(32) BoxEntry {
    float low[3];
    unsigned id;
    float minus_high[3];
    unsigned unused;
};

/// Entries are tested this many at a time, so a scan may look at (and report) up to this many less one behind the end
/// of a run; as many must be there to be looked at behind the last.
inline constexpr unsigned scan_step = 4;

/// The cells (i, j), i < size_u, j < size_v, each with the `length` cells from it on, of a grid whose cells wrap
/// around.
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

/// A segment grown on all sides. It enters an entry at the fractions (low + to_low) * inverse and leaves it at
/// (minus_high + to_high) * minus_inverse, along each axis, or the other way round where it runs backwards.
struct alignas(32) RayProbe {
    float to_low[3], lane_3 = 0.0f;
    float to_high[3], lane_7 = 0.0f;
    float inverse[3], lane_11 = 0.0f;
    float minus_inverse[3], lane_15 = 0.0f;
    float max_fraction;
};

/// Boxes side by side, with bounds as entries have them, and what each is around: another node, or in a leaf whose it
/// is.
struct alignas(32) BoxNode {
    static constexpr unsigned width = 16;
    static constexpr unsigned leaf = 0x80000000u;  ///< added to the index of a node that is one
    float bounds[6][width];  ///< low x, y, z, minus_high x, y, z; all infinite where there is none
    unsigned child[width];
};

/// A ray on its way through a tree of nodes. It enters what is in a row of bounds at the fractions (bound + to) * by,
/// or leaves it.
struct alignas(32) RayWalk {
    static constexpr unsigned lanes = 8;         ///< of a node that are tested at once
    static constexpr unsigned most_items = 128;  ///< 15 a level of the tree, and its roots
    float to[6][lanes], by[6][lanes];            ///< a row's are all equal
    unsigned enters_by[3], leaves_by[3];         ///< which rows
    float max_fraction;
    const BoxNode* nodes;
    /// The bits of the fraction at which a node or a box is entered, or a lesser one, at least 0, above its index: the
    /// nearer the smaller.
    using Item = unsigned long long;
    unsigned count = 0;
    Item items[most_items];  ///< nodes that are still to be looked at, the last one next
    Item found[BoxNode::width];
};

/// Write the ids of the entries in the window that meet the probe; return how many. `out` needs room for as many as
/// there are in the window, and scan_step more a run. Hits are written without a branch: nobody can predict them.
using BoxScan = unsigned(const CellWindow& window, const BoxProbe& probe, unsigned* out);
using RayScan = unsigned(const CellWindow& window, const RayProbe& probe, unsigned* out);
BoxScan box_scan_sse2, box_scan_avx2;
RayScan ray_scan_sse2, ray_scan_avx2;

/// Walks on to the next leaf in which boxes are met up to max_fraction. Their number, or 0 at the end; `found` are
/// their indices in the leaf, the nearest last, and `leaf` is which.
using RayStep = unsigned(RayWalk& walk, const BoxNode*& leaf);
RayStep ray_step_sse2, ray_step_avx2;

/// The better ones that this processor has.
BoxScan* best_box_scan();
RayScan* best_ray_scan();
RayStep* best_ray_step();

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

/// The scan with a test of four entries, `unsigned test(const BoxEntry*, unsigned* out, unsigned count)`, that gives
/// the new count.
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

/// The walk with a test of a node, `unsigned test(const BoxNode&, unsigned* enter)`, that gives a bit for each child
/// that is met, and the bits of their fractions.
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
        // The nearest last; the others' order is not worth the mispredicted branches of a sort.
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
