#include "narrowphase/triangles/triangle_tree.h"

#include "common/bit_cast.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::detail {

void TriangleNode::place_grid(const Aabb& box) {
    for (int axis = 0; axis < 3; ++axis) {
        const float extent = std::max(box.upper[axis] - box.lower[axis], 1e-30f);
        origin[axis] = box.lower[axis];
        cells[axis] = bit_cast<float>(bit_cast<std::uint32_t>(254.99f / extent) & 0x7f800000u);
    }
}

void TriangleNode::set(std::uint32_t child, const Aabb& box, std::uint32_t code) {
    const Int4 low = cells_of(xyz0(box.lower));
    const Int4 high = cells_of(xyz0(box.upper));
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
        lower[4 * axis + child] = static_cast<std::uint8_t>(low[axis]);
        upper[4 * axis + child] = static_cast<std::uint8_t>(high[axis] + 1);
    }
    children[child] = code;
}

class TriangleTree::Builder {
    static constexpr int bins = 12;
    /// Up to so many triangles are divided into halves, which fills the leaves. Larger: less suitable boxes.
    static constexpr std::uint32_t few_items = 4 * TriangleTree::leaf_size;

    /// A triangle's box, with its number in the lane that is left over.
    struct Item {
        Float4 lower, upper;
        std::uint32_t number() const { return bit_cast<std::uint32_t>(lower[3]); }
        Float4 middle2() const { return lower + upper; }  ///< twice its middle
    };

    struct Box {
        Float4 lower = splat<Float4>(std::numeric_limits<float>::max());
        Float4 upper = splat<Float4>(std::numeric_limits<float>::lowest());
        void add(Float4 low, Float4 high) {
            lower = min_lanes(lower, low);
            upper = max_lanes(upper, high);
        }
        Aabb box() const { return {{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}}; }
        float area() const {
            const Float4 e = upper - lower;
            return e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
        }
    };

public:
    Builder(TriangleTree& tree, std::span<const Aabb> boxes) : tree_(tree), items_(boxes.size()), moved_(boxes.size()) {
        for (std::uint32_t i = 0; i < boxes.size(); ++i) {
            const auto& [low, high] = boxes[i];
            items_[i] = {Float4{low.x, low.y, low.z, bit_cast<float>(i)}, Float4{high.x, high.y, high.z, 0.0f}};
        }
        tree_.nodes_.clear();
        tree_.nodes_.reserve(boxes.size() / 6 + 1);
        const Range all = range_of(0, static_cast<std::uint32_t>(boxes.size()));
        tree_.bounds_ = all.box.box();
        tree_.root_ = code_of(all, 0);
        tree_.nodes_.shrink_to_fit();
    }

    std::vector<std::uint32_t> order() const {
        std::vector<std::uint32_t> numbers(items_.size());
        for (std::size_t i = 0; i < items_.size(); ++i) numbers[i] = items_[i].number();
        return numbers;
    }

private:
    struct Range {
        std::uint32_t first = 0, last = 0;
        Box box, middles2;  ///< of the items' boxes, and of twice their middles
        std::uint32_t count() const { return last - first; }
    };

    Range range_of(std::uint32_t first, std::uint32_t last) const {
        Range range{first, last, {}, {}};
        for (std::uint32_t i = first; i < last; ++i) {
            const Item& item = items_[i];
            range.box.add(item.lower, item.upper);
            range.middles2.add(item.middle2(), item.middle2());
        }
        return range;
    }

    /// Makes the leaf or the node of a range. Returns its code as a child.
    std::uint32_t code_of(const Range& range, std::size_t depth) {
        if (range.count() <= leaf_size) return range.first << 3 | range.count();
        // Divides the range, then the larger ones of the parts, until there are four.
        Range parts[4] = {range};
        std::uint32_t count = 1;
        while (count < 4) {
            std::uint32_t largest = 0;
            for (std::uint32_t k = 1; k < count; ++k) {
                if (parts[k].count() > parts[largest].count()) largest = k;
            }
            if (parts[largest].count() <= leaf_size) break;
            for (std::uint32_t k = count; k > largest + 1; --k) parts[k] = parts[k - 1];
            const Range whole = parts[largest];
            // A deep tree is divided into halves from here on.
            const std::uint32_t cut = depth < most_depth / 2 ? by_area(whole) : by_number(whole);
            parts[largest] = range_of(whole.first, cut);
            parts[largest + 1] = range_of(cut, whole.last);
            ++count;
        }
        const auto index = static_cast<std::uint32_t>(tree_.nodes_.size());
        tree_.nodes_.emplace_back().place_grid(range.box.box());
        for (std::uint32_t k = 0; k < count; ++k) {
            const std::uint32_t code = code_of(parts[k], depth + 1);
            tree_.nodes_[index].set(k, parts[k].box.box(), code);
        }
        return index << 3;
    }

    static int longest_axis(const Range& range) {
        const Float4 e = range.middles2.upper - range.middles2.lower;
        return e[0] >= e[1] && e[0] >= e[2] ? 0 : e[1] >= e[2] ? 1 : 2;
    }

    /// Orders a range along its longest axis, and returns the middle, such that leaves get full.
    std::uint32_t by_number(const Range& range) {
        const int axis = longest_axis(range);
        std::sort(items_.begin() + range.first, items_.begin() + range.last, [&](const Item& a, const Item& b) {
            const float x = a.middle2()[axis], y = b.middle2()[axis];
            return x != y ? x < y : a.number() < b.number();
        });
        const std::uint32_t half = (range.count() + 1) / 2;
        return range.first + (half + leaf_size - 1) / leaf_size * leaf_size;
    }

    /// Divides a range where the sum of (area times number of items) is least, of the cuts between bins. Items keep
    /// their order within each part.
    std::uint32_t by_area(const Range& range) {
        const int axis = longest_axis(range);
        const float low = range.middles2.lower[axis];
        const float scale = static_cast<float>(bins) / (range.middles2.upper[axis] - low);
        if (range.count() <= few_items || !is_finite(scale)) return by_number(range);
        const auto bin_of = [&](const Item& item) {
            return std::min(static_cast<int>((item.middle2()[axis] - low) * scale), bins - 1);
        };
        Box boxes[bins];
        std::uint32_t counts[bins] = {};
        for (std::uint32_t i = range.first; i < range.last; ++i) {
            const int k = bin_of(items_[i]);
            boxes[k].add(items_[i].lower, items_[i].upper);
            ++counts[k];
        }
        const int cut = best_cut(boxes, counts);
        std::uint32_t left = range.first, right = 0;
        for (std::uint32_t i = range.first; i < range.last; ++i) {
            const Item item = items_[i];
            if (bin_of(item) < cut) {
                items_[left++] = item;
            } else {
                moved_[right++] = item;
            }
        }
        std::copy(moved_.begin(), moved_.begin() + right, items_.begin() + left);
        return left > range.first && right > 0 ? left : by_number(range);
    }

    /// Returns the first bin of the right part.
    static int best_cut(const Box (&boxes)[bins], const std::uint32_t (&counts)[bins]) {
        const auto cost = [](const Box& box, std::uint32_t count) {
            return count == 0 ? 0.0f : box.area() * static_cast<float>(count);
        };
        float right_cost[bins] = {};
        Box right;
        std::uint32_t right_count = 0;
        for (int k = bins - 1; k > 0; --k) {
            right.add(boxes[k].lower, boxes[k].upper);
            right_count += counts[k];
            right_cost[k] = cost(right, right_count);
        }
        Box left;
        std::uint32_t left_count = 0;
        int best = bins / 2;
        float least = std::numeric_limits<float>::infinity();
        for (int k = 1; k < bins; ++k) {
            left.add(boxes[k - 1].lower, boxes[k - 1].upper);
            left_count += counts[k - 1];
            const float both = cost(left, left_count) + right_cost[k];
            if (both < least) least = both, best = k;
        }
        return best;
    }

    TriangleTree& tree_;
    std::vector<Item> items_, moved_;
};

std::vector<std::uint32_t> TriangleTree::build(std::span<const Aabb> boxes) { return Builder(*this, boxes).order(); }

}  // namespace talus::detail
