/// Contacts of cylinders and cones that follow the normal of the last pose: they are local minima of the depth, the
/// distance if the cores are apart, and what EPA finds if the normal was near. In a heap they spare GJK and EPA.

#include "narrowphase/analytic/rims.h"
#include <talus/narrowphase/separation.h>
#include "narrowphase/epa/expand.h"
#include "narrowphase/gjk/gjk_unchecked.h"
#include "narrowphase/support/minkowski.h"
#include "tests/narrowphase/ladder/collide_batch.h"
#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/ladder/round_shapes.h"
#include "tests/narrowphase/shapes/some_hull.h"
#include "tests/support/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace talus;
using namespace talus::detail;
using test::Random;
using test::some_round;

namespace {

Shape some_other(Random& random) {
    switch (random.below(6)) {
        case 0:
            return some_round(random);
        case 1:
            return hull(test::some_hull(random, 1.0));
        default:
            return test::some_polytope(random);
    }
}

GjkResult distance(const Shape& a, const Shape& b, const MatrixTransform& b_in_a) {
    SimplexCache simplex;
    return gjk(a, b, b_in_a, simplex, std::numeric_limits<float>::infinity());
}

struct SomePair {
    Shape a, b;
    MatrixTransform b_in_a;
};

/// Two cores that overlap, or nearly touch.
SomePair some_pair(Random& random) {
    const Shape round = some_round(random), other = some_other(random);
    SomePair pair = random.chance(0.5) ? SomePair{round, other, {}} : SomePair{other, round, {}};
    pair.b_in_a.rotation = test::mixed_turn(random);
    const vec3 way(random.direction());
    pair.b_in_a.position = 10.0f * way;
    const GjkResult far = distance(pair.a, pair.b, pair.b_in_a);
    const MinkowskiDifference difference(pair.a, pair.b, pair.b_in_a);
    // Along the normal until they are so far apart, or so deep.
    const auto gap = static_cast<float>(difference.size * random.between(-0.2, 0.1));
    pair.b_in_a.position -= (far.distance - gap) * far.normal;
    return pair;
}

/// Calls test(pair) for some pairs. What fails is said with the pair's number and shapes.
template <class Test>
void for_some_pairs(Random& random, int count, const Test& test) {
    for (int i = 0; i < count; ++i) {
        const SomePair pair = some_pair(random);
        CAPTURE(i);
        CAPTURE(name_of(pair.a.type));
        CAPTURE(name_of(pair.b.type));
        test(pair.a, pair.b, pair.b_in_a);
    }
}

/// Returns the depth along a direction, m.
double depth_along(const MinkowskiDifference& difference, const dvec3& n) {
    const dvec3 unit = n / std::sqrt(glm::dot(n, n));
    return glm::dot(unit, difference.support(unit, 0, 0).w);
}

}  // namespace

TEST_CASE("a rim's contact that follows a normal is a local minimum of the depth, and the distance if apart") {
    Random random(11);
    constexpr int count = 30000;
    int found = 0, apart = 0;
    for_some_pairs(random, count, [&](const Shape& a, const Shape& b, const MatrixTransform& b_in_a) {
        REQUIRE(has_rim_contact(a.type, b.type));
        const MinkowskiDifference difference(a, b, b_in_a);
        const GjkResult by_gjk = distance(a, b, b_in_a);
        vec3 near(random.direction());
        if (by_gjk.status == GjkStatus::separated && random.chance(0.8)) near = by_gjk.normal + 0.1f * near;
        ClosedForm contact;
        if (!rim_contact(a, b, b_in_a, near, {}, contact)) return;
        ++found;
        const double size = difference.size, scale = size + glm::length(b_in_a.position);
        const dvec3 n(contact.normal);
        CHECK(std::abs(glm::length(n) - 1.0) < 1e-6);
        const double depth = -double(contact.separation) - double(a.radius) - double(b.radius);
        CHECK(std::abs(depth - depth_along(difference, n)) < 1e-6 * scale + 3e-5 * size);
        const vec3 between = contact.point_b - contact.point_a;
        CHECK(glm::length(between - contact.separation * contact.normal) < 1e-5f * float(scale));
        if (depth < -1e-3 * size) {
            ++apart;
            REQUIRE(by_gjk.status == GjkStatus::separated);
            CHECK(std::abs(double(by_gjk.distance) + depth) < 1e-5 * scale);
            CHECK(glm::dot(by_gjk.normal, contact.normal) > 1.0f - 1e-4f);
        } else if (depth > 1e-3 * size) {
            for (int k = 0; k < 12; ++k) {
                const dvec3 beside = n + 1e-3 * random.direction();
                CHECK(depth_along(difference, beside) > depth - 3e-5 * size);
            }
        }
    });
    CHECK(found > count / 6);
    CHECK(apart > count / 6);
}

TEST_CASE("a rim's contact that follows the normal of EPA has EPA's depth and points") {
    Random random(12);
    int found = 0, same = 0, count = 0;
    for_some_pairs(random, 4000, [&](const Shape& a, const Shape& b, const MatrixTransform& b_in_a) {
        SimplexCache simplex;
        const GjkResult apart = gjk_unchecked(a, b, b_in_a, simplex, std::numeric_limits<float>::infinity());
        if (apart.status != GjkStatus::overlapping) return;
        const EpaResult r = epa_unchecked(a, b, b_in_a, simplex);
        const MinkowskiDifference difference(a, b, b_in_a);
        if (r.status != EpaStatus::converged || r.depth > 0.05 * difference.size) return;
        ++count;
        const vec3 near = r.normal + 0.01f * vec3(random.direction());
        ClosedForm contact;
        if (!rim_contact(a, b, b_in_a, near, simplex, contact)) return;
        ++found;
        const double size = difference.size, scale = size + double(glm::length(b_in_a.position));
        const double depth = -double(contact.separation) - double(a.radius) - double(b.radius);
        CHECK(depth > r.depth - 1e-6 * scale - 5e-5 * size);
        // Another minimum may be near, but seldom is.
        if (glm::dot(contact.normal, r.normal) < 0.9999f) return;
        ++same;
        CHECK(depth < r.depth + 1e-6 * scale + 5e-5 * size);
    });
    CHECK(10 * same > 9 * found);
    CHECK(count > 500);
    CHECK(found > count / 20);
}

TEST_CASE("in a heap of cylinders and cones, contacts follow their normals instead of GJK and EPA") {
    Random random(13);
    std::vector<SomePair> pairs;
    while (pairs.size() < 300) {
        SomePair pair = some_pair(random);
        pair.b = some_round(random);
        pair.a = random.chance(0.5) ? some_round(random) : box(vec3(random.point(0.2f, 1.5f)));
        pair.b_in_a.position = 10.0f * vec3(random.direction());
        const GjkResult far = distance(pair.a, pair.b, pair.b_in_a);
        pair.b_in_a.position -= (far.distance + 0.002f) * far.normal;
        pairs.push_back(pair);
    }
    test::Batch batch;
    for (const SomePair& pair : pairs)
        batch.add(pair.a, pair.b, {dvec3(pair.b_in_a.position), glm::quat_cast(pair.b_in_a.rotation)});
    batch.collide();
    const auto cold = batch.profile.gjk_queries + batch.profile.epa_queries;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        quat& rotation = batch.colliders.poses[2 * k + 1].rotation;
        rotation = glm::normalize(glm::angleAxis(0.0005f, vec3(random.direction())) * rotation);
    }
    batch.collide();
    CHECK(cold > 300);
    CHECK(batch.profile.gjk_queries + batch.profile.epa_queries < cold / 5);
}

TEST_CASE("a cone whose apex has passed a thin thing kept a normal that pointed back") {
    // The thing was 3.4 mm away, and was pushed back by 3.5 mm.
    test::Batch batch;
    const Shape a = cone(0.5f, 0.1f), b = segment({0, 0, -1}, {0, 0, 1});
    batch.add(a, b, {dvec3(0.002, 0.4995, 0.0), quat(1, 0, 0, 0)});
    for (int i = 0; i < 24; ++i) {
        const vec3 place(0.002f - 0.0005f * static_cast<float>(i), 0.4995f, 0.0f);
        batch.colliders.poses[1].position = dvec3(place);
        batch.collide();
        SimplexCache simplex;
        const float gap = separation(a, b, {place, mat3(1.0f)}, simplex, 1.0f).separation;
        const float thickness = batch.records[0].thickness, found = test::deepest(batch.caches[0].manifold);
        CAPTURE(i);
        CHECK(found > gap - tolerance::axis_depth * thickness);
        if (gap > tolerance::axis_depth * thickness) CHECK(found == doctest::Approx(gap).epsilon(1e-3));
    }
}
