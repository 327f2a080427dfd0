#include <talus/aabb.h>
#include <talus/function_ref.h>
#include "tests/support/random.h"

#include <doctest/doctest.h>

#include <limits>

using namespace talus;
using namespace talus::test;

TEST_CASE("boxes that only touch overlap, and equal boxes contain each other") {
    const Aabb unit{vec3(0.0f), vec3(1.0f)};
    for (int axis = 0; axis < 3; ++axis) {
        Aabb beside = unit;
        beside.lower[axis] = 1.0f;
        beside.upper[axis] = 2.0f;
        CHECK(overlaps(unit, beside));
        CHECK(overlaps(beside, unit));
        beside.lower[axis] = std::nextafter(1.0f, 2.0f);
        CHECK_FALSE(overlaps(unit, beside));
        CHECK_FALSE(overlaps(beside, unit));
        CHECK_FALSE(contains(unit, beside));
    }
    CHECK(contains(unit, unit));
    CHECK(contains(unit, Aabb{vec3(0.5f), vec3(0.5f)}));
    CHECK(overlaps(unit, Aabb{vec3(1.0f), vec3(1.0f)}));  // a point is a box
}

TEST_CASE("a box is never nearer than a box that contains it, and the distance is finite") {
    Random random(3);
    int outside = 0;
    for (int i = 0; i < 20000; ++i) {
        const vec3 corner = random.point(-10.0f, 10.0f);
        const Aabb inner{corner, corner + random.point(0.0f, 3.0f)};
        const Aabb outer = merge(inner, {random.point(-10.0f, 10.0f), vec3(10.0f)});
        const vec3 point = random.point(-30.0f, 30.0f);
        REQUIRE(contains(outer, inner));
        REQUIRE(distance_to(outer, point) <= distance_to(inner, point));
        const bool inside = overlaps(inner, {point, point});
        REQUIRE((distance_to(inner, point) == 0.0f) == inside);
        outside += !inside;
    }
    CHECK(outside > 1000);
    constexpr float huge = std::numeric_limits<float>::max();
    CHECK(distance_to({vec3(huge), vec3(huge)}, vec3(-huge)) == huge);
    CHECK(distance_to({vec3(0.0f), vec3(1.0f)}, vec3(4.0f, 5.0f, 0.5f)) == 5.0f);
}

TEST_CASE("a reference to a function calls that function") {
    int calls = 0;
    const auto add = [&calls](int x) { return calls += x; };
    const FunctionRef<int(int)> reference = add;
    const FunctionRef<int(int)> copy = reference;
    CHECK(reference(2) == 2);
    CHECK(copy(3) == 5);
    CHECK(calls == 5);
}
