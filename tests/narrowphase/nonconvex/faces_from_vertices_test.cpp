/// Liu et al.'s faces from a vertex set, and the hull builder compared with them: two unrelated algorithms agree on
/// faces, their corners in order, and edges.

#include "tests/narrowphase/shapes/hull_clouds.h"

#include <talus/narrowphase/hull.h>
#include <talus/narrowphase/papers/faces_from_vertices.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>

using namespace talus;
using test::Points;
using test::Random;

namespace {

/// The hull builder's result in the oracle's format.
PolyhedronFaces faces_of(const Hull& hull) {
    PolyhedronFaces result;
    for (const HullFace& face : hull.faces) {
        const auto* first = hull.face_vertices.data() + face.first;
        std::vector<std::uint16_t> corners(first, first + face.count);
        std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
        result.faces.push_back(corners);
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const std::uint16_t from = corners[i], to = corners[(i + 1) % corners.size()];
            if (from < to) result.edges.push_back({from, to});
        }
    }
    std::sort(result.faces.begin(), result.faces.end());
    std::sort(result.edges.begin(), result.edges.end());
    return result;
}

bool same(const PolyhedronFaces& a, const PolyhedronFaces& b) { return a.faces == b.faces && a.edges == b.edges; }

std::shared_ptr<const Hull> hull_of(const Points& points) {
    auto made = make_hull(points);
    REQUIRE_MESSAGE(static_cast<bool>(made), made.error().message);
    return *made;
}

/// Checks that both agree on the hull's vertices; gives what they found.
PolyhedronFaces agreed(const Points& points) {
    const auto hull = hull_of(points);
    const auto found = faces_from_vertices(hull->vertices);
    REQUIRE_MESSAGE(static_cast<bool>(found), found.error().message);
    CHECK(same(*found, faces_of(*hull)));
    return *found;
}

ErrorCode refused(const Points& points) {
    const auto result = faces_from_vertices(points);
    REQUIRE_FALSE(result);
    CHECK(result.error().message.find("faces_from_vertices: ") == 0);
    return result.error().code;
}

Points box_corners() {
    Points points;
    for (int i = 0; i < 8; ++i) points.push_back(test::cube_corner(i));
    return points;
}

Points dodecahedron() {
    constexpr float g = 1.618034f;
    Points points = box_corners();
    for (const float s : {-1.0f, 1.0f})
        for (const float t : {-1.0f, 1.0f}) {
            points.push_back({0, s / g, t * g});
            points.push_back({s / g, t * g, 0});
            points.push_back({s * g, 0, t / g});
        }
    return points;
}

}  // namespace

TEST_CASE("the appendix's method finds the faces and edges of a tetrahedron from its vertices") {
    const Points points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const auto found = faces_from_vertices(points);
    REQUIRE(found);
    CHECK(found->faces == std::vector<std::vector<std::uint16_t>>{{0, 1, 3}, {0, 2, 1}, {0, 3, 2}, {1, 2, 3}});
    CHECK(found->edges ==
          std::vector<std::array<std::uint16_t, 2>>{{{0, 1}}, {{0, 2}}, {{0, 3}}, {{1, 2}}, {{1, 3}}, {{2, 3}}});
}

TEST_CASE("the hull builder agrees with all triples on boxes and prisms and dodecahedra") {
    Random random(1);
    for (int i = 0; i < 20; ++i) {
        CAPTURE(i);
        const vec3 scale{test::magnitude(random, 0.01, 100), test::magnitude(random, 0.01, 100), 1.0f};
        const auto box = agreed(test::turned(random, test::scaled(box_corners(), scale)));
        CHECK(box.faces.size() == 6);
        CHECK(box.edges.size() == 12);
        const auto solid = agreed(test::turned(random, dodecahedron()));
        CHECK(solid.faces.size() == 12);
        CHECK(solid.edges.size() == 30);
        CHECK(std::all_of(solid.faces.begin(), solid.faces.end(), [](const auto& f) { return f.size() == 5; }));
        const int n = test::count(random, 3, 40);
        const auto prism = agreed(test::turned(random, test::frustum(n, 1.0f, 0.7f)));
        CHECK(prism.faces.size() == static_cast<std::size_t>(n) + 2);
        CHECK(prism.edges.size() == 3 * static_cast<std::size_t>(n));
    }
}

TEST_CASE("the hull builder agrees with all triples on hulls of random points") {
    Random random(2);
    for (int i = 0; i < 60; ++i) {
        CAPTURE(i);
        const int n = test::count(random, 4, 60);
        const auto found = agreed(i % 2 ? test::on_sphere(random, n) : test::cluster(random, n));
        CHECK(found.faces.size() >= 4);
    }
}

/// In difficult clouds it depends on the tolerance whether two faces are one. If a 16 times tighter and a 16 times
/// wider tolerance give the same result, it does not depend on the tolerance, and the builder must give that result,
/// too.
TEST_CASE("the hull builder agrees with all triples on difficult clouds wherever tolerances do not decide" *
          doctest::test_suite("slow")) {
    int clear = 0, agreeing = 0, families = 0;
    for (const test::CloudFamily& family : test::cloud_families) {
        bool any = false;
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            const std::string name = family.name;
            CAPTURE(name);
            CAPTURE(seed);
            Random random(seed * 31 + 7);
            const auto hull = make_hull(family.make(random));
            if (!hull || (*hull)->vertices.size() > 60) continue;
            const auto tight = faces_from_vertices((*hull)->vertices, 1.0 / 16);
            const auto wide = faces_from_vertices((*hull)->vertices, 16.0);
            if (!tight || !wide || !same(*tight, *wide)) continue;
            any = true;
            ++clear;
            const bool good = same(*tight, faces_of(**hull));
            CHECK(good);
            agreeing += good;
        }
        families += any;
    }
    CHECK(clear >= 60);
    CHECK(families >= 10);
    CHECK(agreeing == clear);
    MESSAGE(clear << " clouds of " << families << " families");
}

TEST_CASE("points that are no vertices are refused by the appendix's method") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    CHECK(refused({}) == ErrorCode::degenerate_shape);
    CHECK(refused({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}) == ErrorCode::degenerate_shape);
    CHECK(refused({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}) == ErrorCode::degenerate_shape);
    CHECK(refused({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}) == ErrorCode::degenerate_shape);
    CHECK(refused({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}) == ErrorCode::degenerate_shape);
    CHECK(refused({{0, 0, 0}, {1, 0, 0}, {0, nan, 0}, {0, 0, 1}}) == ErrorCode::not_finite);
    CHECK(refused({{0, 0, 0}, {1, 0, 0}, {0, infinity, 0}, {0, 0, 1}}) == ErrorCode::not_finite);
    for (const vec3 extra : {vec3(0.1f, 0.2f, 0.3f), vec3(1.0f, 0.2f, 0.3f), vec3(1.0f, 1.0f, 0.3f)}) {
        Points points = box_corners();
        points.push_back(extra);
        CHECK(refused(points) == ErrorCode::bad_argument);
    }
    Points twice = box_corners();
    twice.push_back(twice[3]);
    CHECK_FALSE(faces_from_vertices(twice));
    CHECK_FALSE(faces_from_vertices(box_corners(), -1.0));
    CHECK_FALSE(faces_from_vertices(box_corners(), std::numeric_limits<double>::quiet_NaN()));
    CHECK(faces_from_vertices(box_corners()));
}
