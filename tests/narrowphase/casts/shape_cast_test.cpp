/// Linear casts. The oracle's signed distance of two convex sets is a convex function of the time of a translation: a
/// hit is right when that function is at the target there and falls, a miss when its minimum is above the target.

#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/oracle/judge.h"
#include "tests/narrowphase/shapes/some_hull.h"

#include <talus/narrowphase/shape_cast.h>

#include <doctest/doctest.h>

#include <algorithm>

using namespace talus;
using test::Random;
using test::some_hull;
using test::somewhere;

namespace {

struct Truth {
    const oracle::Solid a, b;
    const oracle::Pose start;
    const dvec3 way;
    const double tolerance;

    Truth(const Shape& sa, const Shape& sb, const MatrixTransform& f, const vec3& translation, double precision)
        : a(oracle::make_solid(sa)),
          b(oracle::make_solid(sb)),
          start(f),
          way(translation),
          tolerance(precision * std::min(a.size, b.size)) {}

    oracle::Pose pose(double t) const {
        oracle::Pose p = start;
        p.position += t * way;
        return p;
    }
    oracle::SignedDistance at(double t) const { return oracle::signed_distance(a, b, pose(t), tolerance); }

    /// The least signed distance over [0, 1], by golden section.
    double least() const {
        double low = 0.0, high = 1.0;
        double best = std::min(at(0.0).separation, at(1.0).separation);
        for (int i = 0; i < 28; ++i) {
            const double p = low + 0.382 * (high - low), q = low + 0.618 * (high - low);
            const double at_p = at(p).separation, at_q = at(q).separation;
            best = std::min({best, at_p, at_q});
            (at_p < at_q ? high : low) = at_p < at_q ? q : p;
        }
        return best;
    }
};

void check_cast(const ShapeCastResult& r, const Truth& truth, double target, const std::string& what) {
    const double size = std::min(truth.a.size, truth.b.size);
    const double reach = length(truth.start.position) + length(truth.way);
    const double near = 2.0 * truth.tolerance + 2e-6 * size + 3e-7 * truth.a.size;
    INFO(what, "status ", int(r.status), " fraction ", r.fraction, " separation ", r.separation, " iterations ",
         r.iterations, " target ", target, " way ", truth.way.x, " ", truth.way.y, " ", truth.way.z);
    const double at_start = truth.at(0.0).separation;
    if (r.status == CastStatus::miss) {
        const double least = truth.least();
        INFO("comes as near as ", least);
        CHECK(least >= target - near);
        CHECK(r.fraction == 1.0f);
        return;
    }
    CHECK(r.fraction >= 0.0f);
    CHECK(r.fraction <= 1.0f);
    CHECK(std::abs(glm::length(r.normal) - 1.0f) <= 1e-5f);
    const double rounding = 2e-7 * reach;
    const oracle::SignedDistance there = truth.at(double(r.fraction));
    const double proved = separation_along(truth.a, truth.b, truth.pose(double(r.fraction)), dvec3(r.normal));
    INFO("signed distance there ", there.separation, " at the start ", at_start, " the normal proves ", proved);
    if (r.status == CastStatus::initially_overlapping) {
        CHECK(r.fraction == 0.0f);
        CHECK(at_start <= target + near);
        CHECK(std::abs(r.separation - at_start) <= near + 1e-4 * size);
        CHECK(proved >= at_start - near - 1e-4 * size);
        return;
    }
    CHECK(r.status == CastStatus::hit);
    CHECK(at_start > target - near);
    CHECK(std::abs(there.separation - target) <= near + rounding);
    CHECK(std::abs(r.separation - target) <= near);
    CHECK(proved >= target - near - rounding - 1e-6 * size);
    CHECK(glm::dot(dvec3(r.normal), truth.way) < 1e-6 * length(truth.way));
    // The witness points belong to the two surfaces there, and to each other.
    const dvec3 a(r.point_a), b(r.point_b), n(r.normal);
    CHECK(length(b - a - double(r.separation) * n) <= near + rounding);
    CHECK(oracle::distance_outside(truth.a, a) <= near + rounding);
    const oracle::Pose pose = truth.pose(double(r.fraction));
    CHECK(oracle::distance_outside(truth.b, (b - pose.position) * pose.rotation) <= near + rounding);
}

MatrixTransform at(float x, float y, float z) { return {vec3(x, y, z), mat3(1.0f)}; }

}  // namespace

TEST_CASE("casts hit where the closed form says") {
    struct Case {
        Shape a, b;
        MatrixTransform f;
        vec3 way;
        float target, fraction;
        vec3 normal;
    };
    const float h = std::sqrt(0.5f);
    const Case cases[] = {
        {sphere(1), sphere(2), at(10, 0, 0), {-20, 0, 0}, 0, 0.35f, {1, 0, 0}},
        {sphere(1), sphere(2), at(10, 0, 0), {-20, 0, 0}, 0.5f, 0.325f, {1, 0, 0}},
        {sphere(1), sphere(1), at(10, 2 * h, 0), {-20, 0, 0}, 0, (10 - 2 * h) / 20, {h, h, 0}},
        {box({1, 1, 1}), box({1, 2, 3}), at(10, 2.5f, 0), {-10, 0, 0}, 0, 0.8f, {1, 0, 0}},
        {box({1, 1, 1}), box({1, 2, 3}), at(10, 2.5f, 0), {-10, 0, 0}, 1, 0.7f, {1, 0, 0}},
        {box({5, 1, 5}), capsule(1, 0.5f), at(1, 6, 2), {0, -8, 0}, 0, 3.5f / 8, {0, 1, 0}},
        {box({5, 1, 5}), cylinder(1, 0.5f), at(1, 6, 2), {3, -8, 0}, 0, 0.5f, {0, 1, 0}},
        {box({5, 1, 5}), cone(1, 0.5f), at(1, 6, 2), {3, -8, 1}, 0, 0.5f, {0, 1, 0}},
        {triangle({-4, 0, -4}, {4, 0, -4}, {0, 0, 4}),
         segment({0, 1, 0}, {0, 2, 0}),
         at(0, 1, 0),
         {0, -4, 0},
         0,
         0.5f,
         {0, 1, 0}},
        {triangle({-4, 0, -4}, {4, 0, -4}, {0, 0, 4}),
         segment({0, 1, 0}, {0, 2, 0}),
         at(0, -4, 0),
         {0, 4, 0},
         0,
         0.5f,
         {0, -1, 0}},
        {segment({-1, 0, 0}, {1, 0, 0}), segment({0, 0, -1}, {0, 0, 1}), at(0, 3, 0), {0, -6, 0}, 0, 0.5f, {0, 1, 0}},
        {segment({-1, 0, 0}, {1, 0, 0}, 0.25f),
         segment({0, 0, -1}, {0, 0, 1}, 0.5f),
         at(0, 3, 0),
         {0, -6, 0},
         0,
         0.375f,
         {0, 1, 0}},
        {box({1, 1, 1}), sphere(0), at(4, 0.5f, 0.5f), {-6, 0, 0}, 0, 0.5f, {1, 0, 0}},
    };
    for (const Case& c : cases) {
        const ShapeCastResult r = shape_cast(c.a, c.b, c.f, c.way, c.target);
        INFO(name_of(c.a.type), " and ", name_of(c.b.type), ": fraction ", r.fraction, " should be ", c.fraction,
             ", normal ", r.normal.x, " ", r.normal.y, " ", r.normal.z);
        CHECK(r.status == CastStatus::hit);
        CHECK(std::abs(r.fraction - c.fraction) <= 2e-7f);
        CHECK(glm::length(r.normal - c.normal) <= 1e-4f);
        CHECK(std::abs(r.separation - c.target) <= 1e-6f);
        // The same pair as mappings.
        const ShapeCastResult m = shape_cast(ShapeSupport(c.a), posed(ShapeSupport(c.b), c.f), c.way, c.target);
        INFO("as mappings: ", m.fraction, " normal ", m.normal.x, " ", m.normal.y, " ", m.normal.z);
        CHECK(m.status == CastStatus::hit);
        CHECK(std::abs(m.fraction - c.fraction) <= 2e-6f);
        CHECK(glm::length(m.normal - c.normal) <= 2e-3f);
    }
}

TEST_CASE("random casts of all shapes end where the signed distance reaches the target" * doctest::test_suite("slow")) {
    Random random(51);
    int hits = 0, misses = 0, starts = 0, targets = 0;
    for (int i = 0; i < 2500; ++i) {
        const auto type_a = static_cast<ShapeType>(random.below(shape_type_count));
        const auto type_b = static_cast<ShapeType>(random.below(shape_type_count));
        const double size_b = random.scale(0.1, 1.0);
        const Shape a = test::random_shape(random, type_a, 1.0, some_hull(random, 1.0));
        const Shape b = test::random_shape(random, type_b, size_b, some_hull(random, size_b));
        const bool round = oracle::make_solid(a).is_curved() || oracle::make_solid(b).is_curved();
        if (round && i % 6 != 0) continue;  // the oracle takes its time over rims
        const vec3 position = somewhere(random, 0.5, 5.0), aim = somewhere(random, 0.0, 1.2);
        const MatrixTransform f{position, test::mixed_turn(random)};
        const vec3 way = (aim - position) * static_cast<float>(random.between(0.3, 2.0));
        const float target = random.chance(0.3) ? static_cast<float>(random.between(0.0, 0.3)) : 0.0f;
        const Truth truth(a, b, f, way, round ? 2e-5 : 1e-9);
        const ShapeCastResult r = shape_cast(a, b, f, way, target);
        check_cast(r, truth, double(target), test::reproduce(a, b, f));
        (r.status == CastStatus::hit ? hits : r.status == CastStatus::miss ? misses : starts)++;
        if (target > 0.0f && r.status == CastStatus::hit) ++targets;
    }
    INFO("hits ", hits, " misses ", misses, " starts ", starts, " targets ", targets);
    CHECK(hits > 500);
    CHECK(misses > 300);
    CHECK(starts > 30);
    CHECK(targets > 100);
}

TEST_CASE("casts from ten thousand sizes away hit as well as floats can say") {
    Random random(52);
    for (int i = 0; i < 400; ++i) {
        const Shape a = box({1.0f, 0.5f, 2.0f}),
                    b = i % 2 == 0 ? box({0.3f, 0.4f, 0.5f}) : hull(some_hull(random, 0.5));
        const vec3 far = somewhere(random, 5e3, 2e4);
        const MatrixTransform f{far, test::any_turn(random)};
        const vec3 way = -1.5f * far;  // through A's middle
        const ShapeCastResult r = shape_cast(a, b, f, way);
        INFO(test::reproduce(a, b, f), "fraction ", r.fraction, " iterations ", r.iterations);
        REQUIRE(r.status == CastStatus::hit);
        // The float fraction gives B's position to a few millimetres only; the witness points are more accurate.
        const Truth truth(a, b, f, way, 1e-9);
        CHECK(std::abs(truth.at(double(r.fraction)).separation) <= 2e-7 * 3e4);
        CHECK(oracle::distance_outside(truth.a, dvec3(r.point_a)) <= 2e-6);
        CHECK(length(dvec3(r.point_a - r.point_b)) <= 2e-6);
        CHECK(r.iterations <= 40);
    }
}

TEST_CASE("a needle shot along its axis and across it finds thin walls") {
    const Shape wall = box({10.0f, 10.0f, 1e-3f}), sheet = triangle({-10, -10, 0}, {10, -10, 0}, {0, 15, 0});
    for (float thickness : {1e-4f, 1e-3f, 1e-2f}) {
        const Shape needle = box({thickness, thickness, 1.0f});
        for (float speed : {3.0f, 100.0f, 1e4f}) {
            const ShapeCastResult on_wall = shape_cast(wall, needle, at(0.3f, 0.4f, 2.0f), {0, 0, -speed});
            const ShapeCastResult on_sheet = shape_cast(sheet, needle, at(0.3f, 0.4f, 2.0f), {0, 0, -speed});
            INFO("thickness ", thickness, " speed ", speed, ": ", on_wall.fraction, " and ", on_sheet.fraction);
            CHECK(on_wall.status == CastStatus::hit);
            CHECK(on_sheet.status == CastStatus::hit);
            CHECK(std::abs(double(on_wall.fraction) * double(speed) - 0.999) <= 2e-7 + 6e-8 * double(speed));
            CHECK(std::abs(double(on_sheet.fraction) * double(speed) - 1.0) <= 2e-7 + 6e-8 * double(speed));
            CHECK(on_wall.normal.z > 0.99999f);
            CHECK(on_sheet.normal.z > 0.99999f);
            // Flying sideways, the needle's long side leads.
            const mat3 across = test::turn({0, 1, 0}, 1.5707963267948966);
            const ShapeCastResult side = shape_cast(wall, needle, {{0.3f, 0.4f, 2.0f}, across}, {0, 0, -speed});
            CHECK(side.status == CastStatus::hit);
            CHECK(std::abs(double(side.fraction) * double(speed) - (1.999 - double(thickness))) <=
                  3e-7 + 6e-8 * double(speed));
        }
    }
}

TEST_CASE("grazing casts touch when they touch and miss when they do not") {
    // A box that passes another one: with a tiny gap, flush, with a tiny overlap.
    const Shape cube = box({1, 1, 1});
    for (float gap : {1e-3f, 1e-6f}) {
        CHECK(shape_cast(cube, cube, at(10, 2.0f + gap, 0), {-20, 0, 0}).status == CastStatus::miss);
        CHECK(shape_cast(cube, cube, at(10, 2.0f - gap, 0), {-20, 0, 0}).status == CastStatus::hit);
    }
    const ShapeCastResult flush = shape_cast(cube, cube, at(10, 2, 0), {-20, 0, 0});
    INFO("flush: ", flush.fraction);
    CHECK(flush.status == CastStatus::hit);  // closed sets
    CHECK(std::abs(flush.fraction - 0.4f) <= 1e-6f);
    // Spheres, cylinders and a cylinder's rim. A chord of height d starts sqrt(2 r d) before the middle.
    const Shape barrel = cylinder(1, 1);
    for (double d : {1e-2, 1e-4, 1e-6}) {
        const double half = std::sqrt(2.0 * 2.0 * d - d * d);
        const auto offset = static_cast<float>(2.0 - d);
        const double exact = std::sqrt(4.0 - double(offset) * double(offset));
        for (const Shape& shape : {sphere(1), barrel}) {
            const ShapeCastResult r = shape_cast(shape, shape, at(10, 0, offset), {-20, 0, 0});
            INFO(name_of(shape.type), " by ", d, ": ", r.fraction, " iterations ", r.iterations, " half chord ", half);
            CHECK(r.status == CastStatus::hit);
            CHECK(std::abs(20.0 * double(r.fraction) - (10.0 - exact)) <= 1e-5 + 1e-7 / exact);
            CHECK(shape_cast(shape, shape, at(10, 0, static_cast<float>(2.0 + d)), {-20, 0, 0}).status ==
                  CastStatus::miss);
        }
    }
}

TEST_CASE("shapes that start in contact stop at once with the normal of least depth") {
    const Shape cube = box({1, 1, 1});
    const ShapeCastResult deep = shape_cast(cube, cube, at(0.2f, 1.75f, 0.1f), {5, 5, 5});
    INFO("separation ", deep.separation, " normal ", deep.normal.y);
    CHECK(deep.status == CastStatus::initially_overlapping);
    CHECK(deep.fraction == 0.0f);
    CHECK(std::abs(deep.separation + 0.25f) <= 1e-6f);
    CHECK(deep.normal.y > 0.9999f);
    CHECK(std::abs(deep.point_a.y - 1.0f) <= 1e-5f);
    CHECK(std::abs(deep.point_b.y - 0.75f) <= 1e-5f);
    // Touching, and moving away: the normal tells the caller that nothing opposes the motion.
    const ShapeCastResult touch = shape_cast(cube, cube, at(0.2f, 2.0f, 0.1f), {0, 5, 0});
    CHECK(touch.status == CastStatus::initially_overlapping);
    CHECK(std::abs(touch.separation) <= 1e-6f);
    CHECK(glm::dot(touch.normal, vec3(0, 5, 0)) > 0.0f);
    // Within the target, but apart.
    const ShapeCastResult near = shape_cast(sphere(1), sphere(1), at(2.1f, 0, 0), {-1, 0, 0}, 0.2f);
    CHECK(near.status == CastStatus::initially_overlapping);
    CHECK(std::abs(near.separation - 0.1f) <= 1e-6f);
    CHECK(near.normal.x > 0.9999f);
    // A zero translation tests the overlap at the start.
    CHECK(shape_cast(cube, cube, at(0, 1.9f, 0), vec3(0.0f)).status == CastStatus::initially_overlapping);
    CHECK(shape_cast(cube, cube, at(0, 2.1f, 0), vec3(0.0f)).status == CastStatus::miss);
    // Concentric and identical.
    for (const Shape& s : {sphere(1), cube, capsule(1, 0.5f), cylinder(1, 1), cone(1, 1)}) {
        const ShapeCastResult same = shape_cast(s, s, at(0, 0, 0), {1, 0, 0});
        INFO(name_of(s.type), " ", same.separation);
        CHECK(same.status == CastStatus::initially_overlapping);
        CHECK(same.separation < -0.5f);
        CHECK(std::abs(glm::length(same.normal) - 1.0f) <= 1e-5f);
    }
}

TEST_CASE("points and lines can be cast at each other") {
    const std::vector<vec3> origin = {{0, 0, 0}}, line = {{-1, 0, 0}, {1, 0, 0}};
    const PointCloud point(origin), segment(line);
    const auto at_1 = affine_image(point, dmat3(1.0), dvec3(1, 2, 3));
    const ShapeCastResult meets = shape_cast(point, at_1, {-2, -4, -6});
    INFO("point on point: ", meets.fraction);
    CHECK(meets.status == CastStatus::hit);
    CHECK(std::abs(meets.fraction - 0.5f) <= 1e-6f);
    CHECK(shape_cast(point, at_1, {-2, -4, -6.001f}).status == CastStatus::miss);
    const auto crossing =
        affine_image(segment, dmat3(dvec3(0, 0, 1), dvec3(0, 1, 0), dvec3(1, 0, 0)), dvec3(0.5, 4, 0));
    const ShapeCastResult cross = shape_cast(segment, crossing, {0, -8, 0});
    CHECK(cross.status == CastStatus::hit);
    CHECK(std::abs(cross.fraction - 0.5f) <= 1e-6f);
    CHECK(std::abs(std::abs(cross.normal.y) - 1.0f) <= 1e-5f);
    // In one line, end to end.
    const auto behind = affine_image(segment, dmat3(1.0), dvec3(6, 0, 0));
    const ShapeCastResult ends = shape_cast(segment, behind, {-8, 0, 0});
    CHECK(ends.status == CastStatus::hit);
    CHECK(std::abs(ends.fraction - 0.5f) <= 1e-6f);
    CHECK(ends.normal.x > 0.9999f);
}

TEST_CASE("a cast says the same in the other body's frame") {
    Random random(53);
    for (int i = 0; i < 500; ++i) {
        const Shape a = hull(some_hull(random, 1.0)),
                    b = random.chance(0.5) ? box({0.3f, 0.2f, 0.5f}) : capsule(0.4f, 0.2f);
        const vec3 position = somewhere(random, 2.0, 5.0), aim = somewhere(random, 0.0, 1.0);
        const MatrixTransform f{position, test::any_turn(random)};
        const vec3 way = (aim - position) * 1.3f;
        const MatrixTransform back{-transpose_mul(f.rotation, f.position), glm::transpose(f.rotation)};
        const ShapeCastResult p = shape_cast(a, b, f, way), q = shape_cast(b, a, back, -transpose_mul(f.rotation, way));
        INFO(test::reproduce(a, b, f), p.fraction, " and ", q.fraction);
        // Rounding the poses may turn a graze into a miss.
        if (p.status != q.status) {
            CHECK((p.status == CastStatus::miss || q.status == CastStatus::miss));
            CHECK(std::abs(glm::dot(glm::normalize(way), p ? p.normal : q.normal)) <= 0.01f);
            continue;
        }
        if (p)
            CHECK(std::abs(p.fraction - q.fraction) <=
                  1e-6f / std::max(0.01f, -glm::dot(glm::normalize(way), p.normal)));
    }
}

TEST_CASE("casts with unusable numbers say bad_input and stop nothing") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const Shape cube = box({1, 1, 1});
    for (float bad : {nan, inf, -inf}) {
        CHECK(shape_cast(cube, cube, at(bad, 0, 0), {-5, 0, 0}).status == CastStatus::bad_input);
        CHECK(shape_cast(cube, cube, at(5, 0, 0), {-5, bad, 0}).status == CastStatus::bad_input);
        CHECK(shape_cast(cube, cube, at(5, 0, 0), {-5, 0, 0}, bad).status == CastStatus::bad_input);
        CHECK(shape_cast(ShapeSupport(cube), ShapeSupport(cube), {bad, 0, 0}).status == CastStatus::bad_input);
    }
    const ShapeCastResult huge = shape_cast(cube, cube, at(1e30f, 0, 0), {-3e30f, 0, 0});
    CHECK(std::isfinite(huge.fraction));
    CHECK(std::isfinite(huge.normal.x));
}
