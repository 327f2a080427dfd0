/// Tests of the oracle itself: by closed forms, by two searches with different algorithms, and by random directions,
/// none of which may be better than the oracle's.

#include "tests/narrowphase/oracle/oracle.h"

#include "tests/narrowphase/ladder/random_pairs.h"

#include "narrowphase/shapes/hull_data.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <utility>

namespace {

using namespace talus;
using oracle::dvec3;
using test::Random;

/// Shapes as the factories make them, written out here so that the oracle is tested without any of the library's code.
Shape make(ShapeType type, vec3 half_extents, float radius = 0.0f) {
    Shape shape;
    shape.type = type;
    shape.half_extents = half_extents;
    shape.radius = radius;
    return shape;
}
Shape ball(float r) { return make(ShapeType::sphere, vec3(0), r); }
Shape brick(float x, float y, float z) { return make(ShapeType::box, {x, y, z}); }
Shape can(float h, float r) { return make(ShapeType::cylinder, {r, h, r}); }
Shape hat(float h, float r) { return make(ShapeType::cone, {r, h, r}); }
Shape rod(vec3 p, vec3 q, float r = 0.0f) {
    Shape shape = make(ShapeType::segment, vec3(0), r);
    shape.points[0] = p, shape.points[1] = q;
    return shape;
}
Shape sheet(vec3 p, vec3 q, vec3 r) {
    Shape shape = rod(p, q);
    shape.type = ShapeType::triangle;
    shape.points[2] = r;
    return shape;
}
Shape cloud(std::vector<vec3> points) {
    auto h = std::make_shared<detail::HullData>();
    h->vertices = std::move(points);
    Shape shape = make(ShapeType::hull, vec3(0));
    shape.hull = h;
    return shape;
}
Shape any_polytope(Random& random) {
    const double size = random.scale(0.3, 3.0);
    const auto point = [&] { return test::narrow(size * random.direction()); };
    switch (random.below(6)) {
        case 0:
            return ball(0.1f);
        case 1:
            return rod(point(), point(), 0.05f);
        case 2:
            return sheet(point(), point(), point());
        case 3:
            return brick(0.3f, 0.5f, 0.7f);
        default:
            return cloud(test::hull_points(random, size));
    }
}

MatrixTransform at(vec3 position, const mat3& rotation = mat3(1.0f)) { return {position, rotation}; }

void expect(const Shape& a, const Shape& b, const MatrixTransform& f, double separation) {
    const oracle::SignedDistance d = oracle::signed_distance(a, b, f);
    CHECK(d.separation == doctest::Approx(separation).epsilon(1e-6).scale(1.0));
    CHECK(glm::length(d.normal) == doctest::Approx(1.0).epsilon(1e-12));
}

void expect(const Shape& a, const Shape& b, const MatrixTransform& f, double separation, dvec3 normal) {
    expect(a, b, f, separation);
    CHECK(glm::length(oracle::signed_distance(a, b, f).normal - normal) < 2e-3);
}

}  // namespace

TEST_CASE("the oracle finds a box's facets from its corners alone") {
    const oracle::Solid solid = oracle::make_solid(brick(1, 2, 3));
    CHECK(solid.faces.size() == 6);
    CHECK(solid.edges.size() == 12);
    for (const auto& face : solid.faces) CHECK(face.corners.size() == 4);
}

TEST_CASE("the oracle agrees with closed forms of polytopes") {
    expect(ball(1), ball(2), at({0, 5, 0}), 2.0, {0, 1, 0});
    expect(ball(1), ball(2), at({0, 0, 0}), -3.0);
    expect(ball(1), ball(2), at({1, 0, 0}), -2.0, {1, 0, 0});
    expect(brick(1, 1, 1), brick(1, 1, 1), at({2.5f, 0, 0}), 0.5, {1, 0, 0});
    expect(brick(1, 1, 1), brick(1, 1, 1), at({1.5f, 0.2f, 0}), -0.5, {1, 0, 0});
    expect(brick(1, 1, 1), brick(1, 1, 1), at({0, 0, 0}), -2.0);
    expect(brick(1, 1, 1), brick(1, 1, 1), at({5, 5, 5}), 3.0 * std::sqrt(3.0), dvec3(1) / std::sqrt(3.0));
    expect(brick(10, 10, 10), brick(1, 1, 1), at({8, 0, 0}), -3.0, {1, 0, 0});
    expect(brick(1, 2, 3), ball(0.5f), at({0.75f, 0, 0}), -0.75, {1, 0, 0});
    expect(rod({-1, 0, 0}, {1, 0, 0}, 0.25f), rod({0, 0, -1}, {0, 0, 1}, 0.25f), at({0, 0.4f, 0}), -0.1, {0, 1, 0});
    expect(rod({-1, 0, 0}, {1, 0, 0}), rod({0, 0, -1}, {0, 0, 1}), at({0, 0, 0}), 0.0);
    expect(rod({-1, 0, 0}, {1, 0, 0}, 0.1f), rod({-1, 0, 0}, {1, 0, 0}, 0.1f), at({1, 0, 0}), -0.2);
    expect(rod({-1, 0, 0}, {1, 0, 0}), rod({-1, 0, 0}, {1, 0, 0}), at({2.5f, 0, 0}), 0.5, {1, 0, 0});
    expect(sheet({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), ball(0.5f), at({0, 0.25f, 0}), -0.25, {0, 1, 0});
    expect(sheet({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), sheet({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), at({0, 0, 0}), 0.0);
    expect(sheet({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), sheet({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), at({4, 0, 0}), 2.0,
           {1, 0, 0});
    // Two unit cubes edge to edge, crossed: each edge stands sqrt(2) from its cube's centre.
    const mat3 roll_x = test::turn({1, 0, 0}, 0.7853981633974483), roll_z = test::turn({0, 0, 1}, 0.7853981633974483);
    std::vector<vec3> turned;
    for (int i = 0; i < 8; ++i) turned.push_back(roll_x * vec3((i & 1) * 2 - 1, (i & 2) - 1, (i & 4) / 2 - 1));
    expect(cloud(turned), brick(1, 1, 1), at({0, 2.7f, 0}, roll_z), 2.7 - 2.0 * std::sqrt(2.0), {0, 1, 0});
}

TEST_CASE("the oracle agrees with closed forms of cylinders and cones") {
    expect(can(1, 1), can(1, 1), at({0, 0, 0}), -2.0);
    expect(can(1, 1), can(1, 1), at({0, 1.5f, 0}), -0.5, {0, 1, 0});
    expect(can(1, 1), can(1, 1), at({1.5f, 0, 0}), -0.5, {1, 0, 0});
    expect(can(1, 1), can(1, 1), at({3, 3, 0}), std::sqrt(2.0), dvec3(1, 1, 0) / std::sqrt(2.0));
    expect(can(1, 0.5f), can(1, 0.25f), at({0, 0, 0.5f}, test::turn({0, 0, 1}, 1.5707963267948966)), -0.25, {0, 0, 1});
    expect(can(2, 1), ball(0.5f), at({0, 0, 0.25f}), -1.25, {0, 0, 1});
    expect(can(2, 1), brick(1, 1, 1), at({1.9f, 0, 0}), -0.1, {1, 0, 0});
    expect(hat(1, 1), ball(0.5f), at({0, 2, 0}), 0.5, {0, 1, 0});
    expect(hat(1, 1), ball(0.0f), at({0, -0.75f, 0}), -0.25, {0, -1, 0});
    // Sphere beside the slope: the side's normal is (2h, r)/|.| and its plane passes the apex.
    const double slope = std::sqrt(5.0);
    expect(hat(1, 1), ball(0.25f), at({1, 0.25f, 0}), (2.0 * 1.0 + 1.0 * (0.25 - 1.0)) / slope - 0.25,
           dvec3(2, 1, 0) / slope);
    // Point to point on the common axis, and base to base.
    expect(hat(1, 1), hat(1, 1), at({0, 2.5f, 0}, test::turn({1, 0, 0}, 3.141592653589793)), 0.5, {0, 1, 0});
    expect(hat(1, 1), hat(1, 1), at({0, -1.75f, 0}, mat3(1, 0, 0, 0, -1, 0, 0, 0, -1)), -0.25, {0, -1, 0});
}

TEST_CASE("the oracle's two searches agree on polytopes, separated and penetrating" * doctest::test_suite("slow")) {
    Random random(11);
    int penetrating = 0, separated = 0;
    for (int i = 0; i < 1500; ++i) {
        const Shape a = any_polytope(random), b = any_polytope(random);
        const oracle::Solid sa = oracle::make_solid(a), sb = oracle::make_solid(b);
        const double reach = random.between(0.0, 1.5) * std::max(sa.size, sb.size);
        const oracle::Pose pose(at(test::narrow(reach * random.direction()), test::mixed_turn(random)));
        const oracle::SignedDistance f = oracle::signed_distance_by_features(sa, sb, pose);
        const double tolerance = 1e-7 * std::max(sa.size, sb.size);
        const oracle::SignedDistance g = oracle::signed_distance_by_bounds(sa, sb, pose, tolerance);
        INFO("pair ", i, " types ", int(a.type), " ", int(b.type), " evaluations ", g.evaluations);
        CHECK(g.error <= tolerance);
        CHECK(std::abs(f.separation - g.separation) <= 2.0 * tolerance);
        CHECK(oracle::separation_along(sa, sb, pose, f.normal) ==
              doctest::Approx(f.separation).epsilon(1e-9).scale(1.0));
        (f.separation < 0.0 ? penetrating : separated)++;
    }
    CHECK(penetrating > 300);
    CHECK(separated > 300);
}

TEST_CASE("no direction drawn at random beats the oracle, curved cores included") {
    Random random(12);
    for (int i = 0; i < 150; ++i) {
        const auto pick = [&]() -> Shape {
            const int kind = random.below(3);
            const float h = static_cast<float>(random.between(0.1, 1.0)),
                        r = static_cast<float>(random.between(0.1, 1.0));
            return kind == 0 ? can(h, r) : kind == 1 ? hat(h, r) : any_polytope(random);
        };
        const Shape a = pick(), b = pick();
        const oracle::Solid sa = oracle::make_solid(a), sb = oracle::make_solid(b);
        const oracle::Pose pose(
            at(test::narrow(random.between(0.0, 2.0) * random.direction()), test::mixed_turn(random)));
        const oracle::SignedDistance d = oracle::signed_distance(sa, sb, pose, 1e-6);
        CHECK(d.error <= 1e-6);
        double best = -1e300;
        for (int k = 0; k < 3000; ++k) {  // half of them close by, where the competition is
            dvec3 n = random.direction();
            if ((k & 1) != 0) n = glm::normalize(d.normal + 0.05 * random.unit() * n);
            best = std::max(best, oracle::separation_along(sa, sb, pose, n));
        }
        CHECK(best <= d.separation + d.error + 1e-12);
    }
}

TEST_CASE("the oracle's distance from a point agrees with its signed distance to a ball of radius zero") {
    Random random(13);
    for (int i = 0; i < 300; ++i) {
        const Shape shapes[] = {can(0.7f, 0.4f), hat(0.5f, 0.8f), any_polytope(random)};
        for (const Shape& shape : shapes) {
            const oracle::Solid solid = oracle::make_solid(shape), point = oracle::make_solid(ball(0));
            const vec3 p = test::narrow(random.between(0.0, 2.0) * random.direction());
            const double d = oracle::signed_distance(solid, point, oracle::Pose(at(p)), 1e-8).separation;
            const double e = oracle::distance_outside(solid, dvec3(p));
            INFO("shape ", int(shape.type), " point ", p.x, " ", p.y, " ", p.z);
            if (d > 0.0 || solid.is_curved() || solid.vertices.size() > 3)
                CHECK(e == doctest::Approx(d).epsilon(1e-6).scale(1.0));
            else
                CHECK(e <= 1e-6);
        }
    }
}
