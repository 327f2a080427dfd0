#pragma once
/// The documented meaning of the broadphase, written down the slow way: every pair of proxies, each update.

#include <doctest/doctest.h>
#include <talus/broadphase/broadphase.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace talus::test {

/// Small seeded generator (splitmix64): the same numbers on every platform.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t bits() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((bits() >> 32) * n >> 32); }
    bool chance(float p) { return real(0.0f, 1.0f) < p; }
    float real(float low, float high) {
        return low + (high - low) * (static_cast<float>(bits() >> 40) * (1.0f / 16777216.0f));
    }
    vec3 point(float low, float high) {
        const float x = real(low, high), y = real(low, high), z = real(low, high);
        return {x, y, z};
    }

private:
    std::uint64_t state_;
};

inline Aabb box_at(const vec3& centre, const vec3& half) { return {centre - half, centre + half}; }

/// Centre within +-range, half sizes between the two. (In this order: that of function arguments is up to the
/// compiler.)
inline Aabb random_box(Random& random, float range, float min_half, float max_half) {
    const vec3 centre = random.point(-range, range), half = random.point(min_half, max_half);
    return box_at(centre, half);
}

struct OracleProxy {
    bool alive = false, moving = false;
    Filter filter;
    Aabb box;  // fat
};

/// The definition, kept up by plain loops: every pair of proxies is looked at in every update.
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

/// The same for thousands of proxies that all move: a sweep along one axis. Ascending.
inline std::vector<ProxyPair> swept_pairs(const std::vector<Aabb>& boxes) {
    std::vector<ProxyIndex> order(boxes.size());
    for (ProxyIndex p = 0; p < boxes.size(); ++p) order[p] = p;
    std::ranges::sort(order, {}, [&](ProxyIndex p) { return boxes[p].lower.x; });
    std::vector<ProxyPair> pairs;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Aabb& box = boxes[order[i]];
        for (std::size_t k = i + 1; k < order.size() && boxes[order[k]].lower.x <= box.upper.x; ++k) {
            if (overlaps(box, boxes[order[k]]))
                pairs.push_back({std::min(order[i], order[k]), std::max(order[i], order[k])});
        }
    }
    std::ranges::sort(pairs);
    return pairs;
}

/// The events of the last update are those of the definition, in order.
inline void check_events(const Broadphase& broadphase, const PairOracle& oracle) {
    REQUIRE(broadphase.ended().size() == oracle.ended.size());
    REQUIRE(broadphase.begun().size() == oracle.begun.size());
    REQUIRE(std::ranges::equal(broadphase.ended(), oracle.ended));
    REQUIRE(std::ranges::equal(broadphase.begun(), oracle.begun));
    REQUIRE(broadphase.pair_count() == oracle.pair_count());
}

}  // namespace talus::test
