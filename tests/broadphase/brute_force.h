#pragma once
/// The documented behaviour of the broadphase in plain, slow code: it tests every pair of proxies in each update, and
/// every box in each query.

#include <talus/broadphase/broadphase.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace talus::test {

struct OracleProxy {
    bool alive = false, moving = false;
    Filter filter;
    WorldAabb box;  // fat
};

/// The pairs by the definition in broadphase.h: every pair of proxies is tested in every update.
class PairOracle {
public:
    std::vector<OracleProxy> proxies;
    std::vector<ProxyPair> begun, ended;  ///< by the last update, ascending

    void update() {
        begun.clear();
        ended.clear();
        if (stride_ < proxies.size()) grow();
        for (ProxyIndex a = 0; a < proxies.size(); ++a) {
            const OracleProxy& first = proxies[a];
            std::uint8_t* const row = &paired_[a * stride_];
            for (ProxyIndex b = a + 1; b < proxies.size(); ++b) {
                const OracleProxy& second = proxies[b];
                const bool now = first.alive && second.alive && overlaps(first.box, second.box) &&
                                 should_collide(first.filter, second.filter) &&
                                 (row[b] != 0 || first.moving || second.moving);
                if (now == (row[b] != 0)) continue;
                row[b] = now;
                (now ? begun : ended).push_back({a, b});
            }
        }
        count_ = count_ + begun.size() - ended.size();
    }
    std::size_t pair_count() const { return count_; }
    bool has_pair_with(ProxyIndex p) const {
        for (ProxyIndex q = 0; q < stride_ && p < stride_; ++q) {
            if (paired_[std::min(p, q) * stride_ + std::max(p, q)] != 0) return true;
        }
        return false;
    }

private:
    void grow() {
        const std::size_t stride = 2 * proxies.size();
        std::vector<std::uint8_t> paired(stride * stride);
        for (std::size_t a = 0; a < stride_; ++a)
            std::copy_n(paired_.begin() + static_cast<std::ptrdiff_t>(a * stride_), stride_,
                        paired.begin() + static_cast<std::ptrdiff_t>(a * stride));
        paired_ = std::move(paired);
        stride_ = stride;
    }

    std::vector<std::uint8_t> paired_;  // row a, column b, a < b
    std::size_t stride_ = 0, count_ = 0;
};

/// The pairs of thousands of moving proxies, by a sweep along one axis. Ascending.
inline std::vector<ProxyPair> swept_pairs(const std::vector<WorldAabb>& boxes) {
    std::vector<ProxyIndex> order(boxes.size());
    for (ProxyIndex p = 0; p < boxes.size(); ++p) order[p] = p;
    std::sort(order.begin(), order.end(),
              [&](ProxyIndex a, ProxyIndex b) { return boxes[a].lower.x < boxes[b].lower.x; });
    std::vector<ProxyPair> pairs;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const WorldAabb& box = boxes[order[i]];
        for (std::size_t k = i + 1; k < order.size() && boxes[order[k]].lower.x <= box.upper.x; ++k) {
            if (overlaps(box, boxes[order[k]]))
                pairs.push_back({std::min(order[i], order[k]), std::max(order[i], order[k])});
        }
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

// The oracle of casts: separating axes (Ericson 2005, 5.3.3) of the centre's segment and the box grown by the half
// edges, in long double. The library uses slabs instead. `slack` widens the box (m).
inline bool cast_meets(const BoxCast& cast, const WorldAabb& box, long double slack) {
    using Real = long double;
    Real h[3], m[3], d[3];
    for (int i = 0; i < 3; ++i) {
        const Real p = Real{cast.center[i]}, q = p + Real{cast.translation[i]} * Real{cast.max_fraction};
        const Real lower = Real{box.lower[i]} - Real{cast.half[i]}, upper = Real{box.upper[i]} + Real{cast.half[i]};
        h[i] = (upper - lower) / 2 + slack;
        m[i] = (p + q) / 2 - (lower + upper) / 2;
        d[i] = (q - p) / 2;
        if (std::abs(m[i]) > h[i] + std::abs(d[i])) return false;
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        if (std::abs(m[j] * d[k] - m[k] * d[j]) > h[j] * std::abs(d[k]) + h[k] * std::abs(d[j])) return false;
    }
    return true;
}

/// The sum of all coordinates (m): rounding errors are proportional to it.
inline long double reach_of(const BoxCast& cast, const WorldAabb& box) {
    long double sum = 0.0L;
    for (int i = 0; i < 3; ++i) {
        const auto translation = double{cast.translation[i]}, half = double{cast.half[i]};
        for (const double x : {cast.center[i], translation, half, box.lower[i], box.upper[i]})
            sum += std::abs(static_cast<long double>(x));
    }
    return sum;
}

/// Whether a cast surely enters the box, despite the rounding errors of double precision; and whether it may enter it.
inline bool surely_enters(const BoxCast& cast, const WorldAabb& box) {
    return cast_meets(cast, box, -1e-14L * reach_of(cast, box));
}
inline bool may_enter(const BoxCast& cast, const WorldAabb& box) {
    return cast_meets(cast, box, 1e-13L * reach_of(cast, box));
}

inline long double exact_distance_to(const WorldAabb& box, const dvec3& point) {
    long double sum = 0.0L;
    for (int axis = 0; axis < 3; ++axis) {
        const long double x = point[axis];
        const long double away = std::max({box.lower[axis] - x, x - box.upper[axis], 0.0L});
        sum += away * away;
    }
    return std::sqrt(sum);
}

}  // namespace talus::test
