/// Boxes around turned shapes, compared with the shapes' support points along the axes.

#include "narrowphase/shapes/turned_bounds.h"
#include "tests/narrowphase/ladder/random_pairs.h"

#include <talus/narrowphase/hull.h>
#include <talus/narrowphase/support.h>

#include <doctest/doctest.h>

#include <algorithm>

using namespace talus;
using namespace talus::test;

namespace {

/// How far a turned shape reaches along a direction of the world, m.
float reach(const Shape& shape, const quat& rotation, const vec3& direction) {
    const vec3 d = inverse_rotate(rotation, direction);
    return glm::dot(support(shape, d, 0).point, d) + shape.radius;
}

vec3 world_axis(int k, float sign) {
    vec3 v(0.0f);
    v[k] = sign;
    return v;
}

std::shared_ptr<const Hull> random_hull(Random& random, int points) {
    std::vector<vec3> cloud;
    for (int i = 0; i < points; ++i) cloud.push_back(vec3(random.direction() * glm::dvec3(0.6, 0.4, 0.5)));
    return *make_hull(cloud);
}

}  // namespace

TEST_CASE("the box around a turned shape contains it, and is the smallest one") {
    Random random(2401);
    const ShapeType types[] = {ShapeType::sphere, ShapeType::capsule, ShapeType::box,      ShapeType::cylinder,
                               ShapeType::cone,   ShapeType::segment, ShapeType::triangle, ShapeType::hull};
    for (int i = 0; i < 4000; ++i) {
        const ShapeType type = types[i % 8];
        const auto pooled = type == ShapeType::hull ? random_hull(random, 4 + i / 8 % 60) : nullptr;
        const Shape shape = random_shape(random, type, 1.0, pooled);
        const quat rotation = i % 5 == 0 ? quat(1.0f, 0.0f, 0.0f, 0.0f)
                                         : turned(random.direction(), random.between(0.0, 6.283185307179586));
        const Aabb box = detail::turned_bounds(shape, rotation);
        for (int k = 0; k < 3; ++k) {
            CHECK(box.upper[k] == doctest::Approx(reach(shape, rotation, world_axis(k, 1.0f))).epsilon(1e-5));
            CHECK(-box.lower[k] == doctest::Approx(reach(shape, rotation, world_axis(k, -1.0f))).epsilon(1e-5));
        }
    }
}

TEST_CASE("a ball that turns keeps the size of its box") {
    const Aabb box = detail::turned_bounds(sphere(0.5f), turned(glm::normalize(glm::dvec3(1, 2, 3)), 0.7));
    CHECK(box.lower == vec3(-0.5f));
    CHECK(box.upper == vec3(0.5f));
}

TEST_CASE(
    "the box around a turned hull of many vertices contains it, and reaches no farther than its local box or ball") {
    Random random(2402);
    const auto pooled = random_hull(random, 500);
    REQUIRE(pooled->vertices.size() > detail::most_bounds_vertices);
    const Shape shape = hull(pooled);
    for (int i = 0; i < 200; ++i) {
        const quat rotation = turned(random.direction(), random.between(0.0, 6.283185307179586));
        const Aabb box = detail::turned_bounds(shape, rotation), turned_local = turned_box(rotation, bounds(shape));
        for (int k = 0; k < 3; ++k) {
            CHECK(box.upper[k] >= reach(shape, rotation, world_axis(k, 1.0f)) - 1e-5f);
            CHECK(-box.lower[k] >= reach(shape, rotation, world_axis(k, -1.0f)) - 1e-5f);
            CHECK(box.upper[k] <= std::min(turned_local.upper[k], bounding_radius(shape)));
            CHECK(box.lower[k] >= std::max(turned_local.lower[k], -bounding_radius(shape)));
        }
    }
}
