#pragma once
/// What the tests of the broadphase share: seeded worlds, and the comparison of events with those of brute force.

#include "brute_force.h"

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

/// The events of the last update are those of the definition, in order.
inline void check_events(const Broadphase& broadphase, const PairOracle& oracle) {
    REQUIRE(broadphase.ended().size() == oracle.ended.size());
    REQUIRE(broadphase.begun().size() == oracle.begun.size());
    REQUIRE(std::ranges::equal(broadphase.ended(), oracle.ended));
    REQUIRE(std::ranges::equal(broadphase.begun(), oracle.begun));
    REQUIRE(broadphase.pair_count() == oracle.pair_count());
}

}  // namespace talus::test
