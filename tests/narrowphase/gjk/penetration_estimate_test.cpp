/// Cameron's estimate of the depth: its bounds against the oracle's depth and EPA's, closed forms, and any rubbish.

#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/oracle/oracle.h"

#include <talus/narrowphase/papers/penetration_estimate.h>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace talus;
using glm::dvec3;
using test::Random;

namespace {

Shape some_hull(Random& random, int points, const dvec3& stretch = dvec3(1.0)) {
    std::vector<vec3> cloud;
    for (int i = 0; i < points; ++i) cloud.push_back(vec3(random.direction() * stretch));
    auto made = make_hull(cloud);
    REQUIRE(made);
    return hull(*made);
}

struct Answers {
    SimplexCache simplex;
    GjkResult gjk;
    EpaResult epa;
    PenetrationEstimate nearest, all;
};

Answers ask(const Shape& a, const Shape& b, const MatrixTransform& f) {
    Answers r;
    r.gjk = gjk(a, b, f, r.simplex);
    if (r.gjk.status != GjkStatus::overlapping) return r;
    r.epa = epa(a, b, f, r.simplex);
    r.nearest = penetration_estimate(a, b, f, r.simplex, EstimateFaces::nearest);
    r.all = penetration_estimate(a, b, f, r.simplex);
    return r;
}

/// The depth in the direction n of the cores: how far B must move along n.
double depth_along(const Shape& a, const Shape& b, const MatrixTransform& f, const dvec3& n) {
    const double whole = -oracle::separation_along(oracle::make_solid(a), oracle::make_solid(b), oracle::Pose(f), n);
    return whole - double{a.radius} - double{b.radius};
}

}  // namespace

TEST_CASE("the depth lies between the bounds of Cameron's estimate, and its plane separates" *
          doctest::test_suite("slow")) {
    Random random(451);
    int overlapping = 0, exact = 0, positive = 0;
    double worst_plane = 0.0;
    for (int i = 0; i < 400; ++i) {
        const bool thin = i % 4 == 3;
        const Shape a = some_hull(random, 8 + random.below(30), thin ? dvec3(1.0, 0.02, 1.0) : dvec3(1.0));
        const Shape b = some_hull(random, 8 + random.below(30), thin ? dvec3(0.03, 1.0, 0.03) : dvec3(1.0));
        const vec3 at = test::somewhere(random, 0.0, thin ? 0.6 : 1.6);
        const MatrixTransform f{at, test::mixed_turn(random)};
        const Answers r = ask(a, b, f);
        if (r.gjk.status != GjkStatus::overlapping) continue;
        ++overlapping;
        const double depth = -oracle::signed_distance(a, b, f).separation;
        INFO("pair ", i, ": ", r.all.lower, " to ", r.all.upper, ", nearest ", r.nearest.upper, ", depth ", depth,
             ", EPA ", r.epa.depth);
        for (const PenetrationEstimate& e : {r.nearest, r.all}) {
            CHECK(e.status == EstimateStatus::bounded);
            CHECK(e.lower <= depth + 1e-9);
            CHECK(e.upper >= depth - 1e-6);
            CHECK(std::abs(glm::length(e.normal) - 1.0) <= 1e-12);
            worst_plane = std::max(worst_plane, std::abs(depth_along(a, b, f, e.normal) - e.upper));
        }
        CHECK(r.all.lower == r.nearest.lower);
        CHECK(r.all.upper <= r.nearest.upper);
        CHECK(r.all.upper >= r.epa.depth - 1e-6);
        CHECK(r.nearest.support_evaluations == 2);
        CHECK(r.all.support_evaluations <= 8);
        exact += r.all.upper - r.all.lower <= 1e-6;
        positive += r.all.lower > 1e-6;
    }
    MESSAGE(overlapping, " overlapping, ", positive, " with a positive lower bound, ", exact, " exact");
    CHECK(overlapping > 200);
    CHECK(worst_plane <= 1e-6);  // the support planes are those of a plain scan
    CHECK(positive > overlapping / 2);
    CHECK(exact > 0);
    CHECK(exact < overlapping / 2);  // an estimate, not the depth: else this test would show nothing
}

TEST_CASE("all kinds of cores have bounds, round ones too, and radii do not count") {
    Random random(452);
    int overlapping = 0;
    for (int ta = 0; ta < shape_type_count; ++ta) {
        for (int tb = 0; tb < shape_type_count; ++tb) {
            for (int i = 0; i < 20; ++i) {
                const Shape pooled = some_hull(random, 20);
                const Shape a = test::random_shape(random, static_cast<ShapeType>(ta), 1.0, pooled.hull);
                const Shape b = test::random_shape(random, static_cast<ShapeType>(tb), 1.0, pooled.hull);
                const vec3 at = test::somewhere(random, 0.0, 0.6);
                const MatrixTransform f{at, test::mixed_turn(random)};
                const Answers r = ask(a, b, f);
                if (r.gjk.status != GjkStatus::overlapping) continue;
                ++overlapping;
                INFO(name_of(a.type), " and ", name_of(b.type), " ", i, ": ", r.all.lower, " to ", r.all.upper,
                     ", EPA ", r.epa.depth);
                CHECK(r.all.status == EstimateStatus::bounded);
                CHECK(r.all.lower <= r.epa.depth + 2e-6);
                CHECK(r.all.upper >= r.epa.depth - 1e-4);  // EPA's own gap on round shapes
                CHECK(std::abs(depth_along(a, b, f, r.all.normal) - r.all.upper) <= 2e-6);
            }
        }
    }
    CHECK(overlapping > 300);
}

TEST_CASE("a tetrahedron with a facet of the difference has equal bounds, the closed form") {
    // The difference of two unit cubes whose centres are 1.7 apart along x; a tetrahedron with a piece of its face
    // x = 0.3 and a vertex far behind. Core points of a box: bit 0 is -x, bit 1 is -y, bit 2 is -z.
    const Shape cube = box({1, 1, 1});
    const MatrixTransform f{{1.7f, 0.0f, 0.0f}, mat3(1.0f)};
    SimplexCache simplex;
    simplex.count = 4;
    const std::uint16_t a[] = {6, 4, 2, 1}, b[] = {1, 3, 7, 6};
    // Vertices of A - B: (0.3, -2, -2), (0.3, 2, -2), (0.3, 0, 2) and (-3.7, 2, 2) by corners of A and B.
    for (int i = 0; i < 4; ++i) {
        simplex.a[i] = a[i];
        simplex.b[i] = b[i];
    }
    const PenetrationEstimate e = penetration_estimate(cube, cube, f, simplex, EstimateFaces::nearest);
    CHECK(e.status == EstimateStatus::bounded);
    CHECK(e.upper == doctest::Approx(0.3).epsilon(1e-6));
    CHECK(e.lower == doctest::Approx(0.3).epsilon(1e-6));
    CHECK(glm::distance(e.normal, dvec3(1, 0, 0)) <= 1e-12);
}

TEST_CASE("any simplex gives bounds that hold, and pairs that are apart are said to be") {
    Random random(453);
    int apart = 0, bounded = 0;
    for (int i = 0; i < 2000; ++i) {
        const Shape a = i % 2 ? box({1, 0.5f, 0.7f}) : some_hull(random, 12), b = some_hull(random, 10);
        const vec3 at = test::somewhere(random, 0.0, 2.5);
        const MatrixTransform f{at, test::mixed_turn(random)};
        SimplexCache simplex;
        simplex.count = static_cast<std::uint8_t>(random.below(7));  // 5 and 6 count as 4
        for (int k = 0; k < 4; ++k) {
            const bool wild = random.chance(0.1);
            simplex.a[k] = static_cast<std::uint16_t>(random.below(wild ? 65536 : 8));
            simplex.b[k] = static_cast<std::uint16_t>(random.below(wild ? 65536 : 8));
        }
        const PenetrationEstimate e = penetration_estimate(a, b, f, simplex);
        const double separation = oracle::signed_distance(a, b, f).separation;
        INFO(i, ": ", e.lower, " to ", e.upper, ", signed distance ", separation);
        CHECK(std::isfinite(e.upper));
        CHECK(e.lower <= e.upper);
        CHECK(e.lower <= std::max(0.0, -separation) + 1e-9);
        if (e.status == EstimateStatus::apart) {
            ++apart;
            CHECK(separation > -1e-6);
        } else {
            ++bounded;
            CHECK(e.upper >= -separation - 1e-6);
            CHECK(std::abs(glm::length(e.normal) - 1.0) <= 1e-12);
        }
    }
    CHECK(apart > 50);
    CHECK(bounded > 500);
}

TEST_CASE("touching cores, flat pairs and points have an upper bound of what their planes say") {
    const mat3 unturned(1.0f);
    const Shape cube = box({1, 1, 1}), plate = triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1});
    const auto estimate = [](const Shape& a, const Shape& b, const MatrixTransform& f) { return ask(a, b, f).all; };
    CHECK(estimate(cube, cube, {{2, 0, 0}, unturned}).upper <= 1e-6);
    CHECK(estimate(plate, plate, {{0.1f, 0, 0.1f}, unturned}).upper <= 1e-12);    // in one plane
    CHECK(estimate(sphere(1), sphere(2), {{0, 0, 0}, unturned}).upper <= 1e-12);  // their cores are points
    const PenetrationEstimate crossing =
        estimate(segment({-1, 0, 0}, {1, 0, 0}, 0.1f), segment({0, -1, 0}, {0, 1, 0}, 0.1f), {{0, 0, 0}, unturned});
    CHECK(crossing.upper <= 1e-12);
    CHECK(std::abs(crossing.normal.z) == doctest::Approx(1.0));
}

TEST_CASE("bad input of Cameron's estimate has its own status") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Shape cube = box({1, 1, 1});
    const SimplexCache simplex;
    const MatrixTransform here{{0, 0, 0}, mat3(1.0f)};
    Shape no_hull = cube;
    no_hull.type = ShapeType::hull;
    for (const PenetrationEstimate& e : {penetration_estimate(no_hull, cube, here, simplex),
                                         penetration_estimate(cube, box({-1, 1, 1}), here, simplex),
                                         penetration_estimate(cube, cube, {{nan, 0, 0}, mat3(1.0f)}, simplex)}) {
        CHECK(e.status == EstimateStatus::bad_input);
        CHECK(e.upper == 0.0);
        CHECK(e.lower == 0.0);
        CHECK(e.support_evaluations == 0);
        CHECK(e.normal == dvec3(0.0));
    }
}
