#pragma once
/// The documented meaning of the broadphase, written down the slow way: every pair of proxies, each update.

#include <doctest/doctest.h>
#include <talus/broadphase/broadphase.h>

#include <algorithm>
#include <cstdint>
#include <set>
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

/// All pairs that exist after an update, given those before it.
inline std::set<ProxyPair> expected_pairs(const std::vector<OracleProxy>& proxies, const std::set<ProxyPair>& before) {
    std::set<ProxyPair> now;
    for (ProxyIndex a = 0; a < proxies.size(); ++a) {
        if (!proxies[a].alive) continue;
        for (ProxyIndex b = a + 1; b < proxies.size(); ++b) {
            if (!proxies[b].alive || !overlaps(proxies[a].box, proxies[b].box)) continue;
            if (!should_collide(proxies[a].filter, proxies[b].filter)) continue;
            if (proxies[a].moving || proxies[b].moving || before.contains({a, b})) now.insert({a, b});
        }
    }
    return now;
}

/// Applies the events to `pairs`, checking that each makes sense and that they are sorted and unique.
inline void apply_events(const Broadphase& broadphase, std::set<ProxyPair>& pairs) {
    const auto strictly_ascending = [](std::span<const ProxyPair> events) {
        return std::adjacent_find(events.begin(), events.end(), [](auto x, auto y) { return !(x < y); }) ==
               events.end();
    };
    CHECK(strictly_ascending(broadphase.ended()));
    CHECK(strictly_ascending(broadphase.begun()));
    std::size_t unknown = 0, known = 0, disordered = 0;
    for (const ProxyPair pair : broadphase.ended()) unknown += pairs.erase(pair) != 1;
    for (const ProxyPair pair : broadphase.begun()) {
        known += !pairs.insert(pair).second;
        disordered += pair.a >= pair.b;
    }
    CHECK(unknown == 0);     // ended without having begun
    CHECK(known == 0);       // begun twice
    CHECK(disordered == 0);  // a < b
    CHECK(broadphase.pair_count() == pairs.size());
}

}  // namespace talus::test
