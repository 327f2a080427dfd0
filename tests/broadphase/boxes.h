#pragma once
/// Random boxes, and the comparison of a broadphase's events with those of brute force.

#include "brute_force.h"
#include "tests/support/random.h"
#include "tests/support/same_elements.h"

#include <doctest/doctest.h>
#include <talus/broadphase/broadphase.h>

#include <algorithm>
#include <vector>

namespace talus::test {

inline WorldAabb box_at(const dvec3& centre, const vec3& half) { return {centre - dvec3(half), centre + dvec3(half)}; }

/// A box with its centre within +-range and half edges from min_half to max_half.
inline WorldAabb random_box(Random& random, float range, float min_half, float max_half) {
    const vec3 centre = random.point(-range, range), half = random.point(min_half, max_half);
    return box_at(centre, half);
}

inline WorldAabb moved_by(const WorldAabb& box, const dvec3& way) { return {box.lower + way, box.upper + way}; }

/// Checks that the events of the last update are those of the oracle, in order.
inline void check_events(const Broadphase& broadphase, const PairOracle& oracle) {
    REQUIRE(broadphase.ended().size() == oracle.ended.size());
    REQUIRE(broadphase.begun().size() == oracle.begun.size());
    REQUIRE(same_elements(broadphase.ended(), oracle.ended));
    REQUIRE(same_elements(broadphase.begun(), oracle.begun));
    REQUIRE(broadphase.pair_count() == oracle.pair_count());
}

}  // namespace talus::test
