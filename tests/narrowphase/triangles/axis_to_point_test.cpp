/// The guess at an axis that separates a triangle from a point: what it proves is true, and it proves nearly all.

#include "narrowphase/triangles/axis_to_point.h"
#include "narrowphase/analytic/closed_forms.h"
#include "tests/support/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace talus;
using test::Random;

namespace {

/// The distance of a point from a triangle by the closed form, which computes in double.
float distance_from(const vec3 (&corners)[3], const vec3& p) {
    constexpr float radius = 1e-6f;
    return closed_form(triangle(corners[0], corners[1], corners[2]), sphere(radius), MatrixTransform{p}).separation +
           radius;
}

}  // namespace

TEST_CASE("the gap along the axis from a triangle to a point is never above their distance") {
    Random random(3);
    int good = 0, chunky = 0;
    for (int i = 0; i < 200000; ++i) {
        const auto size = float(random.scale(1e-3, 1e3));
        vec3 corners[3] = {random.point(-size, size), random.point(-size, size), random.point(-size, size)};
        const bool narrow = i % 3 == 0;
        if (narrow) {  // a needle, or one with two corners that are nearly one
            const float width = float(random.scale(1e-6, 0.1)) * size;
            const float along = i % 2 == 0 ? random.real(0.0f, 1.0f) : 0.0f;
            corners[2] = corners[0] + along * (corners[1] - corners[0]) + random.point(-width, width);
        }
        const float away = float(random.scale(0.1, 10.0)) * size;
        const vec3 p = random.point(-away, away);
        const vec3 axis = detail::axis_to_point(corners, p);
        const float gap = detail::gap_along(axis, corners, p), distance = distance_from(corners, p);
        CAPTURE(i);
        CHECK(gap <= distance + 1e-6f * (size + distance));
        if (axis != vec3(0.0f)) CHECK(length_squared(axis) == doctest::Approx(1.0).epsilon(1e-6));
        const vec3 normal = glm::cross(corners[1] - corners[0], corners[2] - corners[0]);
        if (narrow || length_squared(normal) < 1e-2f * size * size * size * size) continue;
        ++chunky;
        good += gap >= distance - 1e-4f * (size + distance) ? 1 : 0;
    }
    CHECK(chunky > 100000);
    CHECK(good == chunky);  // so the axis settles what it is used for
}

TEST_CASE("the axis from a triangle to a point on it or of no area is a number") {
    const vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    CHECK(detail::axis_to_point(corners, vec3(0.25f, 0.25f, 0.5f)) == vec3(0, 0, 1));
    CHECK(detail::axis_to_point(corners, vec3(0.25f, 0.25f, -0.5f)) == vec3(0, 0, -1));
    CHECK(detail::axis_to_point(corners, vec3(-1.0f, 0.0f, 0.0f)) == vec3(-1, 0, 0));
    CHECK(detail::axis_to_point(corners, corners[1]) == vec3(0.0f));
    const vec3 point[3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    CHECK(detail::axis_to_point(point, vec3(1, 2, 3)) == vec3(0.0f));
    CHECK(detail::axis_to_point(point, vec3(1, 2, 4)) == vec3(0, 0, 1));
}
