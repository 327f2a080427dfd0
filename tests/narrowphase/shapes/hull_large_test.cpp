/// A hull of 50,000 points with 93,750 faces, whose numbers need 17 bits: all functions that walk over it, compared
/// with plain loops.

#include "tests/narrowphase/shapes/hull_checker.h"
#include "tests/narrowphase/shapes/hull_clouds.h"

#include <talus/narrowphase/gjk.h>
#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/separation.h>
#include <talus/narrowphase/support.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

using namespace talus;
using namespace talus::test;
using glm::dmat3;
using glm::dvec3;

namespace {

const std::shared_ptr<const Hull>& planet() {
    static const std::shared_ptr<const Hull> made = [] {
        Random random(3);
        const auto hull = make_hull(on_sphere(random, 50000));
        REQUIRE_MESSAGE(bool(hull), hull.error().message);
        return *hull;
    }();
    return made;
}

double reach(const Hull& hull, const dvec3& d) {
    double most = -1e300;
    for (const vec3& v : hull.vertices) most = std::max(most, glm::dot(d, dvec3(v)));
    return most;
}

double reach(const Shape& shape, const dvec3& d) {
    if (shape.type == ShapeType::hull) return reach(*shape.hull, d);
    return glm::dot(glm::abs(d), dvec3(shape.half_extents));  // a box
}

/// How far p is outside the shape, negative inside: the largest height over a face plane.
double outside(const Shape& shape, const dvec3& p) {
    double most = -1e300;
    if (shape.type == ShapeType::box) {
        for (int i = 0; i < 3; ++i) most = std::max(most, std::abs(p[i]) - double(shape.half_extents[i]));
        return most;
    }
    for (const HullFace& f : shape.hull->faces) most = std::max(most, glm::dot(dvec3(f.normal), p) - double(f.offset));
    return most;
}

struct Pair {
    Shape a, b;
    MatrixTransform b_in_a;

    dvec3 into_b(const dvec3& p) const { return glm::transpose(dmat3(b_in_a.rotation)) * (p - dvec3(b_in_a.position)); }
    /// The gap between the projections of the two on the line along the unit vector n.
    double separation_along(const dvec3& n) const {
        return glm::dot(n, dvec3(b_in_a.position)) - reach(b, -(glm::transpose(dmat3(b_in_a.rotation)) * n)) -
               reach(a, n);
    }
};

/// The planet with itself, with a smaller planet, and with boxes; `gap` is between their bounding spheres, so that they
/// overlap at 0.
Pair make_pair_at(Random& random, int kind, double gap) {
    Pair pair;
    pair.a = hull(planet());
    pair.b = kind == 0 ? hull(planet()) : kind == 1 ? box(vec3(0.3f)) : box({0.5f, 0.01f, 0.2f});
    if (kind == 3) std::swap(pair.a, pair.b);
    const double radii = double(bounding_radius(pair.a)) + double(bounding_radius(pair.b));
    pair.b_in_a.rotation = any_turn(random);
    pair.b_in_a.position = narrow((radii + gap) * random.direction());
    return pair;
}

}  // namespace

TEST_CASE("a hull of 50000 points on a sphere is closed and exact with vertices enough for 17-bit faces" *
          doctest::test_suite("slow")) {
    Random random(3);
    const Points points = on_sphere(random, 50000);
    const hull_checker::Report report = hull_checker::check(points, *planet());
    CHECK(report.problem == "");
    CHECK(report.unmerged <= 2);
    CHECK(planet()->vertices.size() > 49800);
    CHECK(planet()->faces.size() > 65536);
    CHECK(planet()->volume == doctest::Approx(4.1887902).epsilon(5e-4));  // what lies between facets and sphere
}

TEST_CASE("support on a hull of 50000 points finds the farthest vertex from any hint" * doctest::test_suite("slow")) {
    Random random(5);
    const Shape shape = hull(planet());
    std::uint16_t near = 0;
    for (int i = 0; i < 300; ++i) {
        const dvec3 d = random.direction();
        const double most = reach(*planet(), d);
        const auto anywhere = static_cast<std::uint16_t>(random.bits());
        for (const std::uint16_t hint : {near, anywhere}) {
            const SupportVertex v = support(shape, vec3(d), hint);
            CHECK(glm::dot(d, dvec3(v.point)) >= most - 1e-7);
            CHECK(planet()->vertices[v.index] == v.point);
            near = v.index;
        }
    }
}

TEST_CASE("GJK on hulls of 50000 points is proved by a plane and by its witness points" * doctest::test_suite("slow")) {
    Random random(7);
    int separated = 0;
    for (int i = 0; i < 60; ++i) {
        CAPTURE(i);
        const double gap = random.scale(1e-4, 1.0);
        Pair pair = make_pair_at(random, i % 4, gap);
        SimplexCache cache;
        for (int frame = 0; frame < 3; ++frame) {  // cold, then warm
            const GjkResult r = gjk(pair.a, pair.b, pair.b_in_a, cache);
            REQUIRE(r.status == GjkStatus::separated);
            CHECK(pair.separation_along(glm::normalize(dvec3(r.normal))) >= double(r.distance) - 2e-6);
            CHECK(outside(pair.a, dvec3(r.point_a)) < 1e-6);
            CHECK(outside(pair.b, pair.into_b(dvec3(r.point_b))) < 1e-6);
            CHECK(std::abs(glm::length(dvec3(r.point_b - r.point_a)) - double(r.distance)) < 1e-6);
            ++separated;
            const dvec3 axis = random.direction();
            pair.b_in_a.rotation = turn(axis, 0.01) * pair.b_in_a.rotation;
        }
    }
    CHECK(separated == 180);
}

TEST_CASE("EPA on hulls of 50000 points finds a depth that no face of either beats" * doctest::test_suite("slow")) {
    Random random(9);
    int deep = 0;
    for (int i = 0; i < 40; ++i) {
        CAPTURE(i);
        Pair pair = make_pair_at(random, 1 + i % 3, 0.0);
        const double height = 1.0 - random.scale(1e-3, 0.3);  // of the box's middle over the planet's
        pair.b_in_a.position *= static_cast<float>(height) / glm::length(pair.b_in_a.position);
        SimplexCache cache;
        const SeparationResult r = separation(pair.a, pair.b, pair.b_in_a, cache);
        if (!r.used_epa) continue;
        ++deep;
        const double depth = -double(r.separation);
        const double along = -pair.separation_along(glm::normalize(dvec3(r.normal)));
        CHECK(std::abs(along - depth) < 2e-6);
        // The planet's faces: its own reach along them is their offset. Then the box's.
        const bool planet_is_a = pair.a.type == ShapeType::hull;
        const dmat3 rotation(pair.b_in_a.rotation);
        double least = 1e300;
        for (const HullFace& f : planet()->faces) {
            const dvec3 n(f.normal);
            const dvec3 in_a = planet_is_a ? n : -(rotation * n);
            const dvec3 in_box = planet_is_a ? -(glm::transpose(rotation) * n) : in_a;
            const Shape& crate = planet_is_a ? pair.b : pair.a;
            least =
                std::min(least, double(f.offset) + reach(crate, in_box) - glm::dot(in_a, dvec3(pair.b_in_a.position)));
        }
        for (int side = 0; side < 6; ++side) {
            dvec3 n(0.0);
            n[side / 2] = side % 2 ? -1.0 : 1.0;
            least = std::min(least, -pair.separation_along(planet_is_a ? -(rotation * n) : n));
        }
        CHECK(depth <= least + 2e-6);
        CHECK(depth >= 0.0);
    }
    CHECK(deep == 40);
}

TEST_CASE("manifolds on hulls of 50000 points lie on both surfaces whatever the hint says" *
          doctest::test_suite("slow")) {
    Random random(11);
    int wide_faces = 0, points = 0;
    for (int i = 0; i < 60; ++i) {
        CAPTURE(i);
        Pair pair = make_pair_at(random, i % 4, 0.0);
        SimplexCache cache;
        SeparationResult r;
        for (int k = 0; k < 5; ++k) {  // to a dip of 1e-3
            r = separation(pair.a, pair.b, pair.b_in_a, cache);
            pair.b_in_a.position -= (r.separation + 1e-3f) * r.normal;
        }
        r = separation(pair.a, pair.b, pair.b_in_a, cache);
        FaceHints hints{static_cast<std::uint32_t>(random.bits()), 77, FaceOwner::none};
        for (int frame = 0; frame < 2; ++frame) {  // from a wild hint, then from the last face
            const Manifold m =
                make_manifold(pair.a, pair.b, pair.b_in_a, r.normal, r.point_a, r.point_b, 0.002f, hints);
            REQUIRE(m.count >= 1);
            double deepest = 1e300;
            for (int k = 0; k < m.count; ++k) {
                const dvec3 on_a(m.points[k].on_a), on_b(m.points[k].on_b);
                CHECK(std::abs(outside(pair.a, on_a)) < 5e-4);
                CHECK(std::abs(outside(pair.b, on_b)) < 5e-4);
                deepest = std::min(deepest, double(m.points[k].separation));
                for (int j = 0; j < k; ++j) CHECK(m.points[j].id != m.points[k].id);
                ++points;
            }
            CHECK(std::abs(deepest - double(r.separation)) < 5e-4);
            const bool a_is_planet = pair.a.type == ShapeType::hull, b_is_planet = pair.b.type == ShapeType::hull;
            wide_faces += (a_is_planet && hints.a > 65535) || (b_is_planet && hints.b > 65535);
        }
    }
    CHECK(wide_faces > 10);
    MESSAGE(points, " points, ", wide_faces, " manifolds on faces beyond 16 bits");
}
