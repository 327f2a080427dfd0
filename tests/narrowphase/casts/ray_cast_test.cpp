/// Ray casts against closed forms, and against marching along the ray with `separation`.

#include "tests/narrowphase/ladder/random_pairs.h"

#include <talus/narrowphase/mass_properties.h>
#include <talus/narrowphase/ray_cast.h>
#include <talus/narrowphase/separation.h>

#include <doctest/doctest.h>

#include <algorithm>

using namespace talus;
using glm::dvec3;
using test::Random;
using test::somewhere;

namespace {

/// A point so far from the origin. In two statements: the order of two draws in one expression is the compiler's
/// choice.
double distance_to(const Shape& shape, const vec3& p) {
    SimplexCache cache;
    Shape point = sphere(0.0f);
    return separation(shape, point, {p, mat3(1.0f)}, cache).separation;
}

std::vector<Shape> shapes(Random& random) {
    std::vector<vec3> points;
    for (int i = 0; i < 30; ++i) points.push_back(vec3(random.direction()) * vec3(1.0f, 0.6f, 0.8f));
    auto made = make_hull(points);
    REQUIRE(made);
    return {sphere(0.7f),
            capsule(0.8f, 0.3f),
            segment({0.1f, -1.0f, 0.3f}, {0.5f, 0.7f, -0.2f}, 0.2f),
            triangle({1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.2f}, {-0.5f, -0.5f, 1.0f}),
            triangle({1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.2f}, {-0.5f, -0.5f, 1.0f}, 0.1f),
            box({0.5f, 1.0f, 0.3f}),
            cylinder(0.8f, 0.6f),
            cone(0.9f, 0.5f),
            hull(*made)};
}

void check_hit(const Shape& shape, const vec3& origin, const vec3& translation, float fraction, const vec3& normal) {
    const RayHit hit = ray_cast(shape, origin, translation);
    INFO(name_of(shape.type), " fraction ", hit.fraction, " normal ", hit.normal.x, " ", hit.normal.y, " ",
         hit.normal.z);
    REQUIRE(hit.hit);
    CHECK(std::abs(hit.fraction - fraction) <= 1e-6f);
    CHECK(glm::length(hit.normal - normal) <= 1e-4f);
}

}  // namespace

TEST_CASE("rays hit every kind of shape where the closed form says") {
    const float h = std::sqrt(0.5f);
    check_hit(sphere(1.0f), {-3, 0, 0}, {4, 0, 0}, 0.5f, {-1, 0, 0});
    check_hit(sphere(1.0f), {-3, h, 0}, {4, 0, 0}, (3 - h) / 4, {-h, h, 0});
    check_hit(box({1, 2, 3}), {0.5f, 5, 0.5f}, {0, -6, 0}, 0.5f, {0, 1, 0});
    check_hit(box({1, 2, 3}), {3, 0, 6}, {-4, 0, -4}, 0.75f, {0, 0, 1});
    check_hit(capsule(1.0f, 0.5f), {-2.5f, 0.9f, 0}, {4, 0, 0}, 0.5f, {-1, 0, 0});
    check_hit(capsule(1.0f, 0.5f), {0, 4.5f, 0}, {0, -4, 0}, 0.75f, {0, 1, 0});
    check_hit(capsule(1.0f, 0.5f), {-2, 1.0f + 0.5f * h, 0}, {4, 0, 0}, (2 - 0.5f * h) / 4, {-h, h, 0});
    check_hit(cylinder(1.0f, 0.5f), {-2.5f, 0.9f, 0}, {4, 0, 0}, 0.5f, {-1, 0, 0});
    check_hit(cylinder(1.0f, 0.5f), {0.3f, 3, 0.2f}, {0, -4, 0}, 0.5f, {0, 1, 0});
    check_hit(cylinder(1.0f, 0.5f), {-2, 0.3f, 0.5f * h}, {4, 0, 0}, (2 - 0.5f * h) / 4, {-h, 0, h});
    // The side of a cone of half height 1 and radius 1 leans outward: at y = 0 its radius is a half.
    check_hit(cone(1.0f, 1.0f), {-2.5f, 0, 0}, {4, 0, 0}, 0.5f, {-2 / std::sqrt(5.0f), 1 / std::sqrt(5.0f), 0});
    check_hit(cone(1.0f, 1.0f), {0.4f, -3, 0.4f}, {0, 4, 0}, 0.5f, {0, -1, 0});
    check_hit(triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), {0, 2, 0}, {0, -4, 0}, 0.5f, {0, 1, 0});
    check_hit(triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), {0, -2, 0}, {0, 4, 0}, 0.5f, {0, -1, 0});
    check_hit(triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, 0.5f), {0, 2.5f, 0}, {0, -4, 0}, 0.5f, {0, 1, 0});
    check_hit(segment({0, 0, -1}, {0, 0, 1}, 0.5f), {-2.5f, 0, 0.3f}, {4, 0, 0}, 0.5f, {-1, 0, 0});

    std::vector<vec3> corners;
    for (int i = 0; i < 8; ++i) corners.push_back({i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f});
    auto cube = make_hull(corners);
    REQUIRE(cube);
    check_hit(hull(*cube), {-3, 0.9f, -0.9f}, {4, 0, 0}, 0.5f, {-1, 0, 0});
}

TEST_CASE("rays that stop short, point away or pass by miss") {
    Random random(21);
    for (const Shape& shape : shapes(random)) {
        INFO(name_of(shape.type));
        CHECK_FALSE(ray_cast(shape, {-10, 0.01f, 0.02f}, {5, 0, 0}).hit);
        CHECK_FALSE(ray_cast(shape, {-10, 0.01f, 0.02f}, {-50, 0, 0}).hit);
        CHECK_FALSE(ray_cast(shape, {-10, 5.0f, 0.02f}, {50, 0, 0}).hit);
        CHECK_FALSE(ray_cast(shape, {-10, 0, 0}, {0, 0, 0}).hit);
        const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
        CHECK_FALSE(ray_cast(shape, {nan, 0, 0}, {1, 0, 0}).hit);
        CHECK_FALSE(ray_cast(shape, {-10, 0, 0}, {inf, 0, 0}).hit);
    }
}

TEST_CASE("a ray that starts inside hits at once, with no normal") {
    Random random(22);
    for (const Shape& shape : shapes(random)) {
        if (!is_solid(shape)) continue;
        const MassProperties mass = mass_properties(shape, 1.0f);
        const RayHit moving = ray_cast(shape, mass.center, {3, 1, 2}), still = ray_cast(shape, mass.center, {0, 0, 0});
        INFO(name_of(shape.type));
        CHECK(moving.hit);
        CHECK(moving.fraction == 0.0f);
        CHECK(moving.normal == vec3(0.0f));
        CHECK(still.hit);
        CHECK(still.fraction == 0.0f);
    }
}

TEST_CASE("a ray ends on the surface, has gone through nothing before, and misses only what marching misses") {
    Random random(23);
    int hits = 0, misses = 0;
    for (const Shape& shape : shapes(random)) {
        for (int i = 0; i < 300; ++i) {
            const vec3 origin = somewhere(random, 1.5, 20.0), target = somewhere(random, 0.0, 1.2);
            const vec3 translation = (target - origin) * static_cast<float>(random.between(0.9, 1.6));
            const double length = glm::length(dvec3(translation));
            const RayHit hit = ray_cast(shape, origin, translation);

            // March: a step of the distance can never jump the surface.
            double t = 0.0, gap = 0.0;
            for (int step = 0; step < 4000 && t <= 1.0; ++step) {
                gap = distance_to(shape, vec3(dvec3(origin) + t * dvec3(translation)));
                if (gap <= 2e-6) break;
                t += std::max(gap, 1e-6) / length;
            }
            INFO(name_of(shape.type), " ray ", i, " marched to ", t, " gap ", gap, " cast ", hit.hit, " ",
                 hit.fraction);
            if (hit.hit) {
                ++hits;
                const vec3 p = origin + hit.fraction * translation;
                CHECK(std::abs(distance_to(shape, p)) <= 1e-5);
                // Grazing rays spread the march's 2e-6 over its square root.
                CHECK(std::abs(t - hit.fraction) * length <= 5e-3);
                CHECK(std::abs(glm::length(hit.normal) - 1.0f) <= 1e-5f);
                CHECK(glm::dot(hit.normal, translation) < 1e-4f * glm::length(translation));
            } else {
                ++misses;
                CHECK(t > 1.0 - 1e-5 / length);
            }
        }
    }
    CHECK(hits > 800);
    CHECK(misses > 300);
}

TEST_CASE("rays from far away, on tiny and on huge shapes hit as exactly as their floats allow") {
    for (float size : {1e-3f, 1.0f, 1e3f}) {
        const Shape round[] = {sphere(size), capsule(size, size), cylinder(size, size), box({size, size, size})};
        for (const Shape& shape : round) {
            for (float away : {3.0f, 1e3f, 1e5f}) {
                const RayHit hit = ray_cast(shape, {-away * size, 0.1f * size, 0}, {2 * away * size, 0, 0});
                INFO(name_of(shape.type), " size ", size, " from ", away);
                REQUIRE(hit.hit);
                const double side = shape.type == ShapeType::sphere ? std::sqrt(0.99) : 1.0;
                CHECK(std::abs(2.0 * away * hit.fraction - (away - side)) <= 3e-7 * away + 1e-6);
                CHECK(hit.normal.x < -0.99f);
            }
        }
    }
}

TEST_CASE("rays against support mappings hit what rays against shapes hit") {
    Random random(24);
    int hits = 0;
    for (const Shape& shape : shapes(random)) {
        const MatrixTransform pose{somewhere(random, 0.0, 2.0), test::any_turn(random)};
        const auto mapping = posed(ShapeSupport(shape), pose);
        for (int i = 0; i < 200; ++i) {
            const vec3 origin = somewhere(random, 1.5, 20.0), target = somewhere(random, 0.0, 1.2);
            const vec3 way = (target - origin) * 1.3f;
            const RayHit s = ray_cast(shape, origin, way);
            const RayHit m = ray_cast(mapping, transform_point(pose, origin), pose.rotation * way);
            INFO(name_of(shape.type), " ray ", i, ": ", s.hit, " at ", s.fraction, " and ", m.hit, " at ", m.fraction);
            if (s.hit != m.hit) {
                // The pose rounds: only a ray that grazes may differ.
                CHECK(std::abs(distance_to(shape, origin + (s.hit ? s : m).fraction * way)) <= 1e-5);
                const dvec3 normal(s.hit ? s.normal : transpose_mul(pose.rotation, m.normal));
                CHECK(std::abs(glm::dot(normal, dvec3(way))) <= 0.02 * glm::length(dvec3(way)));
                continue;
            }
            if (!s.hit) continue;
            ++hits;
            const double steep = -glm::dot(dvec3(s.normal), dvec3(way));
            CHECK(std::abs(s.fraction - m.fraction) <= 1e-6 + 1e-5 / std::max(steep, 0.2));
            if (steep > 0.3 * glm::length(dvec3(way)) && s.fraction > 0.0f) {
                // At an edge either face's normal is right.
                const vec3 n = transpose_mul(pose.rotation, m.normal);
                const vec3 p = origin + s.fraction * way;
                const bool same = glm::length(n - s.normal) <= 5e-3f;
                CHECK((same || distance_to(shape, p + 1e-3f * n) > 0.5e-3));
            }
        }
    }
    CHECK(hits > 700);
}

TEST_CASE("rays meet ellipsoids and flat and thin mappings in closed form") {
    // x^2 + (y/2)^2 + (z/3)^2 = 1 from outside along x at y = 1: x = sqrt(3/4).
    const auto egg = affine_image(ShapeSupport(sphere(1.0f)), dmat3(dvec3(1, 0, 0), dvec3(0, 2, 0), dvec3(0, 0, 3)));
    const RayHit side = ray_cast(egg, {-4, 1, 0}, {8, 0, 0});
    const double x = std::sqrt(0.75);
    INFO("egg ", side.fraction, " normal ", side.normal.x, " ", side.normal.y);
    CHECK(side.hit);
    CHECK(std::abs(8.0 * side.fraction - (4.0 - x)) <= 2e-6);
    const dvec3 normal = glm::normalize(dvec3(-x, 0.25, 0.0));
    CHECK(glm::length(dvec3(side.normal) - normal) <= 1e-3);
    // A flattened sphere is a disc, seen from above and from the side.
    const auto disc = affine_image(ShapeSupport(sphere(1.0f)), dmat3(dvec3(1, 0, 0), dvec3(0, 0, 0), dvec3(0, 0, 1)));
    const RayHit above = ray_cast(disc, {0.6f, 2, 0.7f}, {0, -4, 0});
    CHECK(above.hit);
    CHECK(std::abs(above.fraction - 0.5f) <= 1e-6f);
    CHECK(above.normal.y > 0.9999f);
    CHECK_FALSE(ray_cast(disc, {0.8f, 2, 0.7f}, {0, -4, 0}).hit);
    const RayHit level = ray_cast(disc, {-3, 0, 0}, {6, 0, 0});
    CHECK(level.hit);
    CHECK(std::abs(level.fraction - 1.0f / 3.0f) <= 1e-6f);
    CHECK_FALSE(ray_cast(disc, {-3, 1e-4f, 0}, {6, 0, 0}).hit);
    // A point is hit by the ray that goes through it.
    const std::vector<vec3> one = {{1, 2, 3}};
    CHECK(ray_cast(PointCloud(one), {0, 0, 0}, {2, 4, 6}).hit);
    CHECK(std::abs(ray_cast(PointCloud(one), {0, 0, 0}, {2, 4, 6}).fraction - 0.5f) <= 1e-6f);
    CHECK_FALSE(ray_cast(PointCloud(one), {0, 0, 0}, {2, 4, 6.01f}).hit);
    // Inside, and unusable.
    CHECK(ray_cast(egg, {0, 1, 1}, {5, 0, 0}).fraction == 0.0f);
    CHECK(ray_cast(egg, {0, 1, 1}, {5, 0, 0}).normal == vec3(0.0f));
    CHECK_FALSE(ray_cast(egg, {-4, std::numeric_limits<float>::infinity(), 0}, {8, 0, 0}).hit);
}

TEST_CASE("a ray from a thousand kilometres away hits a grain on the side that it comes from") {
    // Because of rounding the point of the hit was slightly behind the surface, and the normal between the two had the
    // direction of the ray.
    Random random(41);
    int hits = 0;
    for (int i = 0; i < 2000; ++i) {
        const float size = static_cast<float>(random.scale(1e-6, 1e-4));
        const vec3 p = size * vec3(random.direction()), q = size * vec3(random.direction());
        const vec3 r = size * vec3(random.direction());
        const Shape grain = i % 2 == 0 ? segment(p, q) : triangle(p, q, r);
        const vec3 target = 0.5f * (p + q), origin = 5e5f * vec3(random.direction());
        const RayHit hit = ray_cast(grain, origin, target - origin);
        if (!hit.hit || hit.normal == vec3(0.0f)) continue;
        INFO(i, ": normal ", hit.normal.x, " ", hit.normal.y, " ", hit.normal.z);
        CHECK(glm::dot(hit.normal, target - origin) <= 0.0f);
        ++hits;
    }
    CHECK(hits >= 50);
}

TEST_CASE("a ray at a sphere of radius 0 does not hit with a NaN normal") {
    // The normal was the point of the hit, (0, 0, 0), divided by its length.
    for (const float radius : {0.0f, 1e-45f, 1e-40f, 1e-30f, 1e-20f, 1e-17f, 1e-16f, 1e-12f}) {
        for (const vec3& origin : {vec3(-5, 0, 0), vec3(3, 0, 0), vec3(-3, -4, 5), vec3(0.1f, 0.7f, -0.3f)}) {
            const RayHit hit = ray_cast(sphere(radius), origin, -2.0f * origin);
            INFO("radius ", radius, ", normal ", hit.normal.x, " ", hit.normal.y, " ", hit.normal.z);
            REQUIRE(hit.hit);
            CHECK(hit.fraction == doctest::Approx(0.5));
            const vec3 expected = origin / std::sqrt(glm::dot(origin, origin));
            for (int i = 0; i < 3; ++i) CHECK(hit.normal[i] == doctest::Approx(expected[i]).epsilon(5e-3));
        }
    }
    CHECK(ray_cast(sphere(0.0f), {-5, 0, 0}, {10, 0, 0}).normal == vec3(-1, 0, 0));
    CHECK_FALSE(ray_cast(sphere(0.0f), {-5, 1e-3f, 0}, {10, 0, 0}).hit);
    // Off the axis: halfway between the axis and the rim the normal leans by 30 degrees.
    const RayHit side = ray_cast(sphere(1e-20f), {-5, 5e-21f, 0}, {10, 0, 0});
    REQUIRE(side.hit);
    CHECK(side.normal.x == doctest::Approx(-0.8660254));
    CHECK(side.normal.y == doctest::Approx(0.5));
}
