/// GJK: closed-form distances, the documented properties of its result, and warm starts.

#include "tests/narrowphase/ladder/random_pairs.h"

#include <talus/narrowphase/gjk.h>

#include <doctest/doctest.h>

#include <algorithm>

using namespace talus;
using glm::dvec3;
using test::Random;
using test::somewhere;

namespace {

/// A point so far from the origin. In two statements: the order of two draws in one expression is the compiler's
/// choice.
const mat3 unturned(1.0f);

std::shared_ptr<const Hull> hull_of(Random& random, int count, double size = 1.0, const vec3& offset = vec3(0.0f)) {
    std::vector<vec3> points;
    for (int i = 0; i < count; ++i) points.push_back(vec3(size * random.direction()) + offset);
    auto made = make_hull(points);
    REQUIRE(made);
    return *made;
}

GjkResult cold(const Shape& a, const Shape& b, const MatrixTransform& f) {
    SimplexCache cache;
    return gjk(a, b, f, cache);
}

void check_distance(const Shape& a, const Shape& b, const MatrixTransform& f, double distance, const vec3& normal,
                    double tolerance = 1e-6) {
    const GjkResult r = cold(a, b, f);
    INFO(name_of(a.type), " and ", name_of(b.type), ": ", r.distance, " should be ", distance, ", normal ", r.normal.x,
         " ", r.normal.y, " ", r.normal.z);
    CHECK(r.status == GjkStatus::separated);
    CHECK(std::abs(r.distance - distance) <= tolerance);
    CHECK(glm::length(r.normal - normal) <= 2e-3f);
    CHECK(glm::length(r.point_b - r.point_a - r.distance * r.normal) <= tolerance + 1e-7 * glm::length(r.point_a));
}

/// B somewhere around A, apart or not, turned anyhow.
MatrixTransform any_frame(Random& random, double reach) {
    return {somewhere(random, 0.0, reach), test::mixed_turn(random)};
}

std::vector<Shape> zoo(Random& random) {
    std::vector<Shape> shapes;
    for (int type = 0; type < shape_type_count; ++type) {
        for (int i = 0; i < 3; ++i) {
            shapes.push_back(test::random_shape(random, static_cast<ShapeType>(type), 1.0, hull_of(random, 20)));
        }
    }
    return shapes;
}

}  // namespace

TEST_CASE("distances between cores agree with closed forms") {
    const float h = std::sqrt(0.5f);
    check_distance(sphere(1), sphere(2), {{3, 4, 0}, unturned}, 5,
                   {0.6f, 0.8f, 0});  // of the cores: radii are not GJK's
    check_distance(box({1, 1, 1}), box({1, 1, 1}), {{2.001f, 0.3f, -0.2f}, unturned}, 0.001, {1, 0, 0});
    check_distance(box({1, 1, 1}), box({1, 1, 1}), {{3, 3, 0}, unturned}, std::sqrt(2.0), {h, h, 0});
    check_distance(box({1, 1, 1}), box({1, 1, 1}), {{3, 3, 3}, unturned}, std::sqrt(3.0), vec3(std::sqrt(1.0f / 3)));
    check_distance(box({1, 1, 1}), sphere(0.5f), {{0.3f, 2, 0.1f}, unturned}, 1, {0, 1, 0});
    check_distance(box({2, 0.5f, 2}), cylinder(1, 0.5f), {{0.2f, 1.75f, 0.1f}, unturned}, 0.25, {0, 1, 0});
    check_distance(box({2, 0.5f, 2}), cone(1, 0.5f), {{0.2f, 1.75f, 0.1f}, unturned}, 0.25, {0, 1, 0});
    const mat3 on_its_side = test::turn({0, 0, 1}, 1.5707963267948966),
               upside_down = test::turn({0, 0, 1}, 3.141592653589793);
    check_distance(box({2, 0.5f, 2}), cylinder(1, 0.5f), {{0, 1.25f, 0}, on_its_side}, 0.25, {0, 1, 0});
    check_distance(box({2, 0.5f, 2}), cone(1, 0.5f), {{0, 1.75f, 0}, upside_down}, 0.25, {0, 1, 0});
    check_distance(capsule(1, 0.1f), capsule(1, 0.1f), {{0, 0, 0.5f}, on_its_side}, 0.5, {0, 0, 1});
    check_distance(segment({-1, 0, 0}, {1, 0, 0}), segment({0, 1, -1}, {0, 1, 1}), {{0, 0, 0}, unturned}, 1, {0, 1, 0});
    check_distance(triangle({0, 0, 0}, {1, 0, 0}, {0, 0, 1}), triangle({0, 0, 0}, {1, 0, 0}, {0, 0, 1}),
                   {{0.1f, 0.25f, 0.1f}, unturned}, 0.25, {0, 1, 0});
    check_distance(triangle({0, 0, 0}, {1, 0, 0}, {0, 0, 1}), triangle({0, 0, 0}, {-1, 0, 0}, {0, 0, -1}),
                   {{-0.5f, 0, -0.5f}, unturned}, std::sqrt(0.5), {-h, 0, -h});
    // Two cylinders side by side: nearest along their axes' common perpendicular, with a whole line of nearest points.
    check_distance(cylinder(1, 0.5f), cylinder(2, 0.25f), {{0.6f, 0.3f, 0.8f}, unturned}, 0.25, {0.6f, 0, 0.8f});
    check_distance(sphere(0.1f), cylinder(1, 0.5f), {{0.6f, 0, 0.8f}, unturned}, 0.5, {0.6f, 0, 0.8f});
}

TEST_CASE("touching counts as overlapping, and a gap of a millionth does not") {
    for (float gap : {1e-6f, 1e-5f, 1e-3f}) {
        check_distance(box({0.5f, 0.5f, 0.5f}), box({0.25f, 0.25f, 0.25f}), {{0.1f, 0.75f + gap, 0.1f}, unturned},
                       double(0.75f + gap) - 0.75, {0, 1, 0}, 1e-9);
        check_distance(cylinder(0.5f, 0.5f), cylinder(0.5f, 0.5f), {{1.0f + gap, 0.2f, 0}, unturned},
                       double(1.0f + gap) - 1.0, {1, 0, 0}, 1e-9);
    }
    CHECK(cold(box({0.5f, 0.5f, 0.5f}), box({0.25f, 0.25f, 0.25f}), {{0.1f, 0.75f, 0.1f}, unturned}).status ==
          GjkStatus::overlapping);
    CHECK(cold(sphere(1), sphere(1), {{0, 0, 0}, unturned}).status == GjkStatus::overlapping);
    CHECK(cold(capsule(1, 1), sphere(1), {{0, 0.3f, 0}, unturned}).status == GjkStatus::overlapping);
}

TEST_CASE("a needle of 1:10000, a pair of 1:100000 and vertices a kilometre away keep their distance") {
    check_distance(box({1e-4f, 1, 1}), box({1, 1e-4f, 1e-4f}), {{1.0f + 1e-4f + 0.01f, 0, 0}, unturned}, 0.01,
                   {1, 0, 0});
    check_distance(box({1e5f, 1e5f, 1e5f}), box({1, 1, 1}), {{300, 1e5f + 1.5f, -700}, unturned}, 0.5, {0, 1, 0});
    check_distance(box({1e3f, 1e3f, 1e3f}), box({0.01f, 0.01f, 0.01f}), {{30, 1e3f + 0.125f, -70}, unturned}, 0.115,
                   {0, 1, 0}, 2e-6);
    std::vector<vec3> corners;
    for (int i = 0; i < 8; ++i) {
        corners.push_back(vec3(1024, -512, 768) + vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
    }
    auto far_cube = make_hull(corners);
    REQUIRE(far_cube);
    check_distance(hull(*far_cube), box({1, 1, 1}), {{1024.25f, -509.75f, 768.25f}, unturned}, 0.25, {0, 1, 0});
    check_distance(hull(*far_cube), hull(*far_cube), {{0, 2.25f, 0.5f}, unturned}, 0.25, {0, 1, 0});
}

TEST_CASE("whatever the pair, the result keeps its promises") {
    Random random(31);
    const std::vector<Shape> shapes = zoo(random);
    int separated = 0, overlapping = 0;
    for (const Shape& a : shapes) {
        for (const Shape& b : shapes) {
            for (int i = 0; i < 12; ++i) {
                const MatrixTransform f = any_frame(random, 3.5);
                const GjkResult r = cold(a, b, f);
                INFO(name_of(a.type), " and ", name_of(b.type), " ", i, " distance ", r.distance, " bound ",
                     r.lower_bound);
                CHECK(r.status != GjkStatus::iteration_cap);
                CHECK(r.lower_bound <= r.distance);
                CHECK(r.support_evaluations == 2 * r.iterations);
                if (r.status == GjkStatus::overlapping) {
                    ++overlapping;
                    CHECK(r.distance == 0.0f);
                    CHECK(r.normal == vec3(0.0f));
                    CHECK(glm::length(r.point_a - r.point_b) <= 1e-6f);
                } else {
                    ++separated;
                    CHECK(std::abs(glm::length(r.normal) - 1.0f) <= 1e-6f);
                    CHECK(r.distance - r.lower_bound <= 1.1e-6f + 2e-7f * r.distance);
                    CHECK(glm::length(r.point_b - r.point_a - r.distance * r.normal) <= 2e-6f * (1.0f + r.distance));
                    // The plane through the witness point separates: no point of either core is beyond it.
                    const double to_a = glm::dot(dvec3(r.normal), dvec3(support(a, r.normal).point) - dvec3(r.point_a));
                    const vec3 in_b = transpose_mul(f.rotation, -r.normal);
                    const vec3 low = transform_point(f, support(b, in_b).point);
                    const double to_b = glm::dot(dvec3(r.normal), dvec3(r.point_b) - dvec3(low));
                    CHECK(to_a <= 5e-6);
                    CHECK(to_b <= 5e-6);
                }
            }
        }
    }
    MESSAGE(separated, " separated, ", overlapping, " overlapping");
    CHECK(separated > 1000);
    CHECK(overlapping > 1000);
}

TEST_CASE("beyond a limit the answer is a proved lower bound above it, in fewer iterations") {
    Random random(32);
    const std::vector<Shape> shapes = zoo(random);
    int stopped = 0, fewer = 0;
    for (const Shape& a : shapes) {
        for (const Shape& b : shapes) {
            const MatrixTransform f = any_frame(random, 8.0);
            const GjkResult full = cold(a, b, f);
            const float limit = static_cast<float>(random.between(0.0, 6.0));
            SimplexCache cache;
            const GjkResult r = gjk(a, b, f, cache, limit);
            INFO(name_of(a.type), " and ", name_of(b.type), " distance ", full.distance, " limit ", limit, " got ",
                 r.distance);
            CHECK(r.iterations <= full.iterations);
            if (full.distance > limit * 1.0001f + 1e-5f) {
                CHECK(r.status == GjkStatus::beyond_limit);
                CHECK(r.distance > limit * 0.999999f);
                CHECK(r.distance <= full.distance * 1.000001f);
                CHECK(std::abs(glm::length(r.normal) - 1.0f) <= 1e-6f);
                ++stopped;
                fewer += r.iterations < full.iterations;
            } else if (full.distance < limit) {
                CHECK(r.status == full.status);
                CHECK(r.distance == full.distance);
            }
        }
    }
    CHECK(stopped > 100);
    CHECK(fewer > stopped / 3);
}

TEST_CASE("along a motion, small steps or large, a warm answer is the cold one in one or two iterations") {
    Random random(33);
    const std::vector<Shape> shapes = zoo(random);
    for (double angle : {0.002, 0.02, 0.2}) {
        double warm_total = 0, cold_total = 0, polytope_warm = 0;
        int steps = 0, polytope_steps = 0, warm_starts = 0;
        for (int track = 0; track < 300; ++track) {
            const Shape& a = shapes[static_cast<std::size_t>(random.below(static_cast<int>(shapes.size())))];
            const Shape& b = shapes[static_cast<std::size_t>(random.below(static_cast<int>(shapes.size())))];
            Transform pose{vec3(random.direction() * 2.6), quat(1, 0, 0, 0)};
            const vec3 spin(random.direction() * angle);
            const vec3 move(random.direction() * angle);
            const auto is_polytope = [](const Shape& shape) {
                return shape.type != ShapeType::cylinder && shape.type != ShapeType::cone &&
                       shape.type != ShapeType::mapping;
            };
            const bool polytopes = is_polytope(a) && is_polytope(b);
            SimplexCache cache;
            for (int step = 0; step < 20; ++step) {
                pose.position += 0.3f * move;
                pose.rotation = integrate_rotation(pose.rotation, spin);
                const MatrixTransform f = to_matrix_transform(pose);
                const bool had_cache = cache.count > 0;
                const GjkResult w = gjk(a, b, f, cache), c = cold(a, b, f);
                INFO(name_of(a.type), " and ", name_of(b.type), " track ", track, " step ", step, ": ", w.distance, " ",
                     c.distance);
                CHECK((had_cache || !w.warm));  // a simplex gone stale is not used
                CHECK_FALSE(c.warm);
                CHECK((w.status == GjkStatus::overlapping) == (c.status == GjkStatus::overlapping));
                CHECK(std::abs(w.distance - c.distance) <= 2e-6f);
                if (!w.warm) continue;
                ++warm_starts;
                if (c.status == GjkStatus::overlapping) continue;
                ++steps;
                warm_total += w.iterations;
                cold_total += c.iterations;
                if (polytopes) {
                    ++polytope_steps;
                    polytope_warm += w.iterations;
                }
            }
        }
        MESSAGE("steps of ", angle, " rad: ", warm_total / steps, " iterations warm (polytopes ",
                polytope_warm / polytope_steps, "), ", cold_total / steps, " cold");
        CHECK(warm_starts > 4000);
        CHECK(warm_total < 0.8 * cold_total);
        CHECK(polytope_warm / polytope_steps < (angle < 0.1 ? 1.5 : 2.5));
    }
}

TEST_CASE("the same pose again takes one iteration, and polytopes return the same bits for ever") {
    Random random(34);
    const Shape shapes[] = {hull(hull_of(random, 24)), box({0.5f, 0.3f, 0.7f}),
                            triangle({1, 0, 0}, {0, 1, 0.2f}, {0, 0, 1})};
    for (const Shape& a : shapes) {
        for (const Shape& b : shapes) {
            const MatrixTransform f{vec3(random.direction() * 3.0), test::any_turn(random)};
            SimplexCache cache;
            const GjkResult first = gjk(a, b, f, cache);
            REQUIRE(first.status == GjkStatus::separated);
            for (int i = 0; i < 5; ++i) {
                const GjkResult again = gjk(a, b, f, cache);
                CHECK(again.warm);
                CHECK(again.iterations == 1);
                CHECK(again.distance == first.distance);
                CHECK(again.normal == first.normal);
                CHECK(again.point_a == first.point_a);
            }
        }
    }
}

TEST_CASE("a cache full of rubbish changes no answer") {
    Random random(35);
    const std::vector<Shape> shapes = zoo(random);
    for (const Shape& a : shapes) {
        for (const Shape& b : shapes) {
            for (int i = 0; i < 6; ++i) {
                const MatrixTransform f = any_frame(random, 3.5);
                SimplexCache cache;
                cache.count = static_cast<std::uint8_t>(random.below(256));
                for (int k = 0; k < 4; ++k) {
                    // Out of range, in range, and one point four times over.
                    cache.a[k] = static_cast<std::uint16_t>(i < 2 ? random.bits() : i < 4 ? random.bits() % 24 : 3);
                    cache.b[k] = static_cast<std::uint16_t>(i < 2 ? random.bits() : i < 4 ? random.bits() % 24 : 3);
                }
                const GjkResult r = gjk(a, b, f, cache), c = cold(a, b, f);
                INFO(name_of(a.type), " and ", name_of(b.type), " ", r.distance, " ", c.distance);
                CHECK(std::abs(r.distance - c.distance) <= 2e-6f);
                CHECK((r.status == GjkStatus::overlapping) == (c.status == GjkStatus::overlapping));
                CHECK(cache.count <= 4);
            }
        }
    }
}

TEST_CASE("no finite pose gives a NaN, a zero matrix and positions at the end of the floats included") {
    Random random(36);
    const std::vector<Shape> shapes = zoo(random);
    const MatrixTransform frames[] = {{{0, 0, 0}, mat3(0.0f)},    {{1, 2, 3}, mat3(0.0f)},
                                      {{1e30f, 0, 0}, unturned},  {{3e38f, -3e38f, 3e38f}, unturned},
                                      {{1e-38f, 0, 0}, unturned}, {{0, 0, 0}, mat3(1e-20f)}};
    for (const Shape& a : shapes) {
        for (const Shape& b : shapes) {
            for (const MatrixTransform& f : frames) {
                const GjkResult r = cold(a, b, f);
                INFO(name_of(a.type), " and ", name_of(b.type), " at ", f.position.x, " status ", int(r.status));
                CHECK_FALSE(std::isnan(r.distance));
                CHECK_FALSE(std::isnan(r.lower_bound));
                CHECK(is_finite(r.normal));
                CHECK_FALSE(glm::any(glm::isnan(r.point_a)));
                CHECK_FALSE(glm::any(glm::isnan(r.point_b)));
            }
        }
    }
}
