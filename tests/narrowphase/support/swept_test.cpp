/// The swept tests of Ericson's section 4, compared with the engine's shape cast, which has tests of its own.

#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/oracle/judge.h"
#include "tests/narrowphase/shapes/some_hull.h"

#include <talus/narrowphase/shape_cast.h>
#include <talus/narrowphase/swept.h>

#include <doctest/doctest.h>

#include <algorithm>

using namespace talus;
using test::Random;
using test::some_hull;
using test::somewhere;

namespace {

constexpr SweptMethod methods[] = {SweptMethod::folded, SweptMethod::halving, SweptMethod::brent,
                                   SweptMethod::clipping};

float separation_at(const Shape& a, const Shape& b, MatrixTransform f, const vec3& way, float t) {
    SimplexCache cache;
    f.position += t * way;
    return separation(a, b, f, cache).separation;
}

struct Counts {
    int hits = 0, misses = 0, queries = 0, iterations = 0;
};

}  // namespace

TEST_CASE("all swept methods agree with the shape cast on whether and when") {
    Random random(71);
    Counts counts[swept_method_count];
    for (int i = 0; i < 1500; ++i) {
        const auto type_a = static_cast<ShapeType>(random.below(shape_type_count));
        const auto type_b = static_cast<ShapeType>(random.below(shape_type_count));
        const double size_b = random.scale(0.1, 1.0);
        const Shape a = test::random_shape(random, type_a, 1.0, some_hull(random, 1.0));
        const Shape b = test::random_shape(random, type_b, size_b, some_hull(random, size_b));
        const vec3 from = somewhere(random, 0.5, 5.0), aim = somewhere(random, 0.0, 1.3);
        const MatrixTransform f{from, test::mixed_turn(random)};
        const vec3 way = (aim - from) * static_cast<float>(random.between(0.4, 2.5));
        const ShapeCastResult truth = shape_cast(a, b, f, way);
        // The greatest depth decides whether the motion counts as grazing.
        float deepest = 1e30f;
        for (int k = 0; k <= 64; ++k) deepest = std::min(deepest, separation_at(a, b, f, way, float(k) / 64.0f));
        for (SweptMethod method : methods) {
            const SweptResult r = swept_test(a, b, f, way, method);
            INFO(test::reproduce(a, b, f), name_of(method), " hit ", r.hit, " at ", r.fraction, " queries ", r.queries,
                 " iterations ", r.iterations, ": cast ", int(truth.status), " at ", truth.fraction, " deepest ",
                 deepest, " way ", way.x, " ", way.y, " ", way.z);
            Counts& c = counts[int(method)];
            (r.hit ? c.hits : c.misses)++;
            c.queries += r.queries;
            c.iterations += r.iterations;
            if (r.hit != bool(truth)) {
                CHECK(std::abs(deepest) <= 1e-3f);
                continue;
            }
            if (!r.hit) {
                CHECK(r.fraction == 1.0f);
                continue;
            }
            CHECK(r.fraction >= 0.0f);
            CHECK(r.fraction <= 1.0f);
            if (method == SweptMethod::folded) {
                // Some time at which the two overlap, not before the first.
                CHECK(separation_at(a, b, f, way, r.fraction) <= 1e-5f);
                CHECK(r.fraction >= truth.fraction - 1e-5f);
                CHECK(r.queries == 1);
            } else {
                // In a grazing contact a tiny difference in distance makes a large one in time.
                const float steep = truth.fraction > 0.0f ? -glm::dot(truth.normal, way) : 1.0f;
                CHECK(std::abs(r.fraction - truth.fraction) <= 2e-7f + 1e-5f / std::max(steep, 0.02f));
            }
        }
    }
    for (SweptMethod method : methods) {
        const Counts& c = counts[int(method)];
        INFO(name_of(method), ": hits ", c.hits, " misses ", c.misses, " queries ", c.queries, " iterations ",
             c.iterations);
        CHECK(c.hits > 700);
        CHECK(c.misses > 200);
    }
    // The simplices that halving carries over are worth having: less than 1.5 support pairs a query.
    const Counts& halving = counts[int(SweptMethod::halving)];
    CHECK(halving.queries > 10000);
    CHECK(halving.iterations < 2 * halving.queries);
    CHECK(counts[int(SweptMethod::brent)].queries < 20 * 1500);
    CHECK(counts[int(SweptMethod::clipping)].iterations < counts[int(SweptMethod::brent)].iterations);
}

TEST_CASE("the folded test is the separation of the swept mapping") {
    Random random(72);
    int hits = 0;
    for (int i = 0; i < 400; ++i) {
        const Shape a = hull(some_hull(random, 1.0)), b = i % 2 == 0 ? box({0.3f, 0.2f, 0.4f}) : capsule(0.3f, 0.2f);
        const vec3 from = somewhere(random, 2.0, 4.0), aim = somewhere(random, 0.0, 2.0), way = (aim - from) * 2.0f;
        const MatrixTransform f{from, test::any_turn(random)};
        const SeparationResult r = separation(ShapeSupport(a), swept(posed(ShapeSupport(b), f), dvec3(way)));
        const SweptResult s = swept_test(a, b, f, way, SweptMethod::folded);
        const SweptResult m = swept_test(ShapeSupport(a), posed(ShapeSupport(b), f), way, SweptMethod::folded);
        INFO(i, ": separation of the swept volume ", r.separation, " hit ", s.hit);
        if (std::abs(r.separation) > 1e-5f) {
            CHECK(s.hit == (r.separation < 0.0f));
            CHECK(m.hit == s.hit);
        }
        hits += s.hit;
    }
    CHECK(hits > 100);
    CHECK(hits < 390);
}

TEST_CASE("swept methods give closed-form times for shapes and for mappings") {
    const Shape cube = box({1, 1, 1}), ball = sphere(0.5f);
    const MatrixTransform f{{8, 0.5f, 0.25f}, mat3(1.0f)};
    for (SweptMethod method : methods) {
        const SweptResult boxes = swept_test(cube, cube, f, {-12, 0, 0}, method);
        const SweptResult balls = swept_test(cube, ball, f, {-12, 0, 0}, method);
        const SweptResult mapped = swept_test(ShapeSupport(cube), posed(ShapeSupport(cube), f), {-12, 0, 0}, method);
        INFO(name_of(method), " ", boxes.fraction, " ", balls.fraction, " ", mapped.fraction);
        CHECK(boxes.hit);
        CHECK(balls.hit);
        CHECK(mapped.hit);
        if (method == SweptMethod::folded) {
            CHECK(boxes.fraction >= 0.5f - 1e-6f);
            CHECK(boxes.fraction <= 10.0f / 12.0f + 1e-6f);
        } else {
            CHECK(std::abs(boxes.fraction - 0.5f) <= 3e-7f);
            CHECK(std::abs(balls.fraction - 6.5f / 12.0f) <= 3e-7f);
            CHECK(std::abs(mapped.fraction - 0.5f) <= 3e-7f);
        }
        CHECK_FALSE(swept_test(cube, cube, f, {-5.9f, 0, 0}, method).hit);
        CHECK_FALSE(swept_test(cube, cube, f, {12, 0, 0}, method).hit);
        CHECK_FALSE(swept_test(cube, cube, f, {-12, 9, 0}, method).hit);
        // Through and out on the other side: both ends apart.
        const SweptResult through = swept_test(cube, cube, f, {-100, 0, 0}, method);
        CHECK(through.hit);
        if (method != SweptMethod::folded) CHECK(std::abs(through.fraction - 0.06f) <= 1e-6f);
        const SweptResult inside = swept_test(cube, cube, {{0.5f, 0, 0}, mat3(1.0f)}, {-12, 0, 0}, method);
        CHECK(inside.hit);
        if (method != SweptMethod::folded) CHECK(inside.fraction == 0.0f);
        const float nan = std::numeric_limits<float>::quiet_NaN();
        CHECK_FALSE(swept_test(cube, cube, f, {nan, 0, 0}, method).hit);
    }
}

TEST_CASE("a thin plate crossed within a thousandth of the motion is not missed") {
    const Shape plate = box({2, 2, 1e-4f}), pellet = box({0.01f, 0.02f, 0.01f});
    Random random(73);
    for (int i = 0; i < 200; ++i) {
        const vec3 from{float(random.between(-1, 1)), float(random.between(-1, 1)), float(random.between(5, 50))};
        const MatrixTransform f{from, test::any_turn(random)};
        const vec3 way(0.0f, 0.0f, -2.0f * from.z);
        const ShapeCastResult truth = shape_cast(plate, pellet, f, way);
        REQUIRE(truth.status == CastStatus::hit);
        for (SweptMethod method : {SweptMethod::folded, SweptMethod::halving, SweptMethod::brent}) {
            const SweptResult r = swept_test(plate, pellet, f, way, method);
            INFO(i, " ", name_of(method), " ", r.fraction, " cast ", truth.fraction, " queries ", r.queries);
            CHECK(r.hit);
            if (method != SweptMethod::folded) CHECK(std::abs(r.fraction - truth.fraction) <= 1e-6f);
        }
    }
}

TEST_CASE("a motion that ends where B has just come out on the other side is a hit where it went in") {
    // Brent's method took the touch at the end for the first one.
    const Shape cube = box({1, 1, 1});
    for (const float start : {3.0f, 4.0f, 10.0f}) {
        const MatrixTransform f{{start, 0.25f, 0.5f}, mat3(1.0f)};
        const vec3 way(-(start + 2.0f), 0.0f, 0.0f);
        for (SweptMethod method : {SweptMethod::halving, SweptMethod::brent, SweptMethod::clipping}) {
            const SweptResult r = swept_test(cube, cube, f, way, method);
            INFO(name_of(method), " from ", start, ": ", r.fraction);
            CHECK(r.hit);
            CHECK(std::abs(r.fraction - (start - 2.0f) / (start + 2.0f)) <= 1e-6f);
        }
    }
}
