/// Cases with exact results, one for each kind of input on which distance and depth queries often fail: needles and
/// plates, differences without an interior, faces that touch, gaps as small as rounding, parallel features, one shape
/// far inside another, a millimetre beside a kilometre, and caches with arbitrary content. The oracle checks the exact
/// result, the judge (judge.h) checks Talus.

#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/oracle/judge.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace talus;
using oracle::dmat3;
using oracle::dvec3;

/// The allowed error, times the smaller shape's radius: cores without rims are exact to rounding, rims are found by
/// iteration.
constexpr double exact_polytope = 1e-6, exact_curved = 1e-5;
constexpr double float_rounding = 1.2e-7;
/// Normals (rad). Beside a curved surface a gap of e bounds the normal to about sqrt(2 e), which is 1.4e-3 for e =
/// 1e-6.
constexpr double exact_normal_polytope = 1e-3, exact_normal_curved = 2e-3;
constexpr double quarter = 1.5707963267948966;

MatrixTransform at(const vec3& position, const mat3& rotation = mat3(1.0f)) { return {position, rotation}; }

Shape cloud(const std::vector<vec3>& points) {
    const auto built = make_hull(points);
    REQUIRE_MESSAGE(bool(built), built.error().message);
    return hull(*built);
}

/// The corners of a box about `center`, as a hull.
Shape brick(const vec3& h, const vec3& center = vec3(0.0f)) {
    std::vector<vec3> p;
    for (int i = 0; i < 8; ++i)
        p.push_back(center + h * vec3((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1));
    return cloud(p);
}

Shape octahedron(float r) { return cloud({{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}}); }

MatrixTransform anywhere(test::Random& random) {
    const double away = random.between(0.0, 2.0);
    const vec3 position = test::narrow(away * random.direction());
    return at(position, test::mixed_turn(random));
}

/// Tests (a, b) cold, and again from the cache of that query.
void expect_ordered(const Shape& a, const Shape& b, const MatrixTransform& f, double exact,
                    std::optional<dvec3> normal) {
    const oracle::Solid sa = oracle::make_solid(a), sb = oracle::make_solid(b);
    const oracle::Pose pose(f);
    const double size = std::min(sa.size, sb.size), large = std::max(sa.size, sb.size);
    const bool curved = sa.is_curved() || sb.is_curved();
    const oracle::SignedDistance truth = oracle::signed_distance(sa, sb, pose, std::max(1e-6 * size, 1e-12 * large));
    const double slack = (curved ? exact_curved : exact_polytope) * size + float_rounding * std::abs(exact);
    CHECK(std::abs(truth.separation - exact) <= slack);  // the closed form itself

    SimplexCache cache;
    const double normal_slack = curved ? exact_normal_curved : exact_normal_polytope;
    for (const std::string how : {"cold", "warm"}) {
        const SeparationResult r = separation(a, b, f, cache);
        const test::Verdict v = test::judge(sa, sb, pose, truth, r);
        INFO(name_of(a.type), " and ", name_of(b.type), ", ", how, "\n", test::reproduce(a, b, f));
        CHECK_MESSAGE(v.complaint.empty(), v.complaint);
        CHECK_MESSAGE(std::abs(r.separation - exact) <= slack, "separation ", r.separation, " should be ", exact);
        if (!normal) continue;
        CHECK_MESSAGE(glm::length(dvec3(r.normal) - *normal) <= normal_slack, "normal ", r.normal.x, " ", r.normal.y,
                      " ", r.normal.z);
    }
}

/// Both orders: the second one is the same pair seen from B.
void expect(const Shape& a, const Shape& b, const MatrixTransform& f, double exact,
            std::optional<dvec3> normal = std::nullopt) {
    expect_ordered(a, b, f, exact, normal);
    const mat3 back = glm::transpose(f.rotation);
    const dmat3 exactly(f.rotation);
    const bool invertible = glm::transpose(exactly) * exactly == dmat3(1.0) &&
                            dvec3(-(back * f.position)) == -(glm::transpose(exactly) * dvec3(f.position));
    if (!invertible) return;  // rounding would make it another pair
    if (normal) normal = -(glm::transpose(exactly) * *normal);
    expect_ordered(b, a, {-(back * f.position), back}, exact, normal);
}

/// Without a closed form: only the judge checks.
void expect_agreement(const Shape& a, const Shape& b, const MatrixTransform& f) {
    const oracle::Solid sa = oracle::make_solid(a), sb = oracle::make_solid(b);
    const double size = std::min(sa.size, sb.size), large = std::max(sa.size, sb.size);
    const oracle::SignedDistance truth =
        oracle::signed_distance(sa, sb, oracle::Pose(f), std::max(1e-6 * size, 1e-12 * large));
    SimplexCache cache;
    for (const std::string how : {"cold", "warm"}) {
        const test::Verdict v = test::judge(sa, sb, oracle::Pose(f), truth, separation(a, b, f, cache));
        CHECK_MESSAGE(v.complaint.empty(), name_of(a.type), " and ", name_of(b.type), ", ", how, ": ", v.complaint,
                      "; truth ", truth.separation, "\n", test::reproduce(a, b, f));
    }
}

constexpr dvec3 ex(1, 0, 0), ey(0, 1, 0), ez(0, 0, 1);

}  // namespace

// ---- Touching faces and gaps of a rounding --------------------------------------------------------------------------

TEST_CASE("boxes whose faces touch exactly are zero apart, and the normal is the face's") {
    for (const float h : {0.0005f, 0.5f, 1.0f, 1024.0f}) {
        expect(box(vec3(h)), box(vec3(h)), at({2 * h, 0, 0}), 0.0, ex);
        expect(box(vec3(h)), box(vec3(h)), at({0, 2 * h, 0.5f * h}), 0.0, ey);
        expect(box(vec3(h)), brick(vec3(h)), at({0.25f * h, 0.5f * h, 2 * h}), 0.0, ez);
        expect(brick(vec3(h)), brick(vec3(h)), at({0.25f * h, -2 * h, 0}), 0.0, -ey);
    }
}

TEST_CASE("a gap or an overlap of one part in a million keeps its size, sign and normal") {
    for (int k = 2; k <= 21; ++k) {
        const float g = std::ldexp(1.0f, -k);
        for (const float sign : {1.0f, -1.0f}) {
            const double gap = static_cast<double>(sign * g);
            expect(box(vec3(1)), box(vec3(1)), at({2 + sign * g, 0, 0}), gap, ex);
            expect(box(vec3(1)), box(vec3(1)), at({0.5f, 2 + sign * g, -0.25f}), gap, ey);
            expect(brick(vec3(1)), brick({0.5f, 1, 0.5f}), at({0.25f, 0.25f, 1.5f + sign * g}), gap, ez);
            expect(box(vec3(1)), octahedron(1), at({0.25f, 2 + sign * g, 0.5f}), gap, ey);  // a tip over a face
            expect(box(vec3(1)), sphere(1), at({0.5f, 2 + sign * g, 0.25f}), gap, ey);
            expect(cylinder(1, 1), cylinder(1, 1), at({0.5f, 2 + sign * g, 0}), gap, ey);
            expect(box(vec3(1)), cone(1, 0.5f), at({0.5f, 2 + sign * g, 0.25f}), gap, ey);
        }
    }
}

TEST_CASE("edges that cross at a tiny gap or overlap are measured along the common perpendicular") {
    // Two wedges, ridge along z below and along x above, ridges crossing in mid air.
    const Shape lower = cloud({{-1, -1, -1}, {1, -1, -1}, {0, 0, -1}, {-1, -1, 1}, {1, -1, 1}, {0, 0, 1}});
    const Shape upper = cloud({{-1, 1, -1}, {-1, 1, 1}, {-1, 0, 0}, {1, 1, -1}, {1, 1, 1}, {1, 0, 0}});
    for (int k = 3; k <= 21; ++k) {
        const float g = std::ldexp(1.0f, -k);
        expect(lower, upper, at({0.125f, g, 0.25f}), static_cast<double>(g), ey);
        expect(lower, upper, at({0.125f, -g, 0.25f}), -static_cast<double>(g), ey);
    }
    expect(lower, upper, at({0.125f, 0, 0.25f}), 0.0, ey);
}

TEST_CASE("parallel edges side by side do not confuse the distance") {
    const mat3 roll = test::turn({0, 0, 1}, 0.5 * quarter);
    // Square bars with an edge up and an edge down, along z: the edges are parallel, and overlap in part or not at all.
    expect_agreement(box({1, 1, 2}), box({1, 1, 2}), at({2.5f, 0, 1.5f}, roll));
    expect_agreement(box({1, 1, 2}), box({1, 1, 2}), at({2.5f, 0, 0}, roll));
    const Shape diamond =
        cloud({{1, 0, -2}, {-1, 0, -2}, {0, 1, -2}, {0, -1, -2}, {1, 0, 2}, {-1, 0, 2}, {0, 1, 2}, {0, -1, 2}});
    for (const float shift : {0.0f, 0.5f, 3.5f, 4.0f}) {
        expect(diamond, diamond, at({2.25f, 0, shift}), 0.25, ex);
        expect(diamond, diamond, at({2.25f, 0, -shift}), 0.25, ex);
        expect(diamond, diamond, at({2, 0, shift}), 0.0);
    }
    expect(diamond, diamond, at({2.25f, 0, 5}), std::hypot(0.25, 1.0), dvec3(0.25, 0, 1) / std::hypot(0.25, 1.0));
    expect(capsule(1, 0.5f), capsule(1, 0.5f), at({1.25f, 0.5f, 0}), 0.25, ex);
    expect(capsule(1, 0.5f), capsule(1, 0.5f), at({0.75f, 1.5f, 0}), -0.25, ex);
    expect(cylinder(2, 0.5f), cylinder(1, 0.5f), at({1.25f, 0.5f, 0}), 0.25, ex);
    expect(cylinder(2, 0.5f), cylinder(1, 0.5f), at({0.75f, 0.5f, 0}), -0.25, ex);
}

TEST_CASE("vertex on vertex, tip on tip") {
    const Shape o = octahedron(1);
    expect(o, o, at({0, 2, 0}), 0.0);
    expect(o, o, at({0, 2.25f, 0}), 0.25, ey);
    expect(o, o, at({0, 2 + 0x1p-20f, 0}), 0x1p-20, ey);
    expect(box(vec3(1)), box(vec3(1)), at({2, 2, 2}), 0.0);
    expect(box(vec3(1)), box(vec3(1)), at({3, 3, 3}), std::sqrt(3.0), dvec3(1) / std::sqrt(3.0));
    expect(box(vec3(1)), box(vec3(1)), at({2 + 0x1p-18f, 2 + 0x1p-18f, 2 + 0x1p-18f}), 0x1p-18 * std::sqrt(3.0),
           dvec3(1) / std::sqrt(3.0));
    expect(cone(1, 1), cone(1, 1), at({0, 2, 0}, mat3(1, 0, 0, 0, -1, 0, 0, 0, -1)), 0.0);
    expect(cone(1, 1), cone(1, 1), at({0, 2.5f, 0}, mat3(1, 0, 0, 0, -1, 0, 0, 0, -1)), 0.5, ey);
    expect(cone(1, 1), o, at({0, 2, 0}), 0.0);
}

TEST_CASE("a box tilted by any tiny angle on a box has a depth and a normal near the face's") {
    for (int k = 2; k <= 26; ++k) {
        const mat3 tilt = test::turn(glm::normalize(dvec3(1, 0.2, 0.3)), std::ldexp(1.0, -k));
        for (const float y : {1.9990234375f, 2.0f, 2.0009765625f}) {
            expect_agreement(box(vec3(1)), box(vec3(1)), at({0.25f, y, 0.125f}, tilt));
            expect_agreement(box({8, 1, 8}), brick(vec3(1)), at({0.25f, y, 0.125f}, tilt));
            expect_agreement(cylinder(1, 1), cylinder(1, 1), at({0.25f, y, 0.125f}, tilt));
            expect_agreement(box({8, 1, 8}), cylinder(1, 1), at({0.25f, y, 0.125f}, tilt));
        }
    }
}

// ---- One shape inside the other -------------------------------------------------------------------------------------

TEST_CASE("concentric shapes have the depth of their cheapest way out") {
    expect(sphere(1), sphere(2), at({0, 0, 0}), -3.0);
    expect(box({1, 2, 3}), box({1, 2, 3}), at({0, 0, 0}), -2.0);
    expect(brick({1, 2, 3}), brick({3, 2, 4}), at({0, 0, 0}), -4.0);
    expect(capsule(1, 0.5f), capsule(1, 0.5f), at({0, 0, 0}), -1.0);
    expect(capsule(1, 0.5f), box(vec3(0.25f)), at({0, 0, 0}), -0.75);
    expect(cylinder(1, 2), cylinder(1, 2), at({0, 0, 0}), -2.0);
    expect(cylinder(3, 1), cylinder(3, 1), at({0, 0, 0}), -2.0);
    expect(cylinder(1, 1), sphere(0.5f), at({0, 0, 0}), -1.5);
    expect(octahedron(1), octahedron(1), at({0, 0, 0}), -2.0 / std::sqrt(3.0));
    expect(octahedron(1), sphere(1), at({0, 0, 0}), -1.0 / std::sqrt(3.0) - 1.0);
    expect(segment({-1, 0, 0}, {1, 0, 0}, 0.25f), segment({-1, 0, 0}, {1, 0, 0}, 0.5f), at({0, 0, 0}), -0.75);
    expect(triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), at({0, 0, 0}),
           0.0);
    expect(triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, 0.5f), sphere(1), at({0, 0, 0}), -1.5);
}

TEST_CASE("a small shape deep inside a large one leaves by the nearest side") {
    expect(box({10, 20, 30}), box(vec3(1)), at({7, 3, -5}), -4.0, ex);
    expect(box({10, 20, 30}), sphere(0.5f), at({-9.75f, 3, -5}), -0.75, -ex);
    expect(box({10, 20, 30}), sphere(0.5f), at({-9.75f, 19.5f, -5}), -0.75, -ex);
    expect(cylinder(10, 5), box(vec3(0.5f)), at({0, 9.25f, 0}), -1.25, ey);
    expect(cylinder(10, 5), sphere(0.5f), at({3, 0, 4}), -0.5, dvec3(0.6, 0, 0.8));
    expect(cone(2, 2), sphere(0.25f), at({0, -1.75f, 0}), -0.5, -ey);
    expect(sphere(10), capsule(1, 0.5f), at({3, 0, 0}), -7.5, ex);
}

TEST_CASE("a ball's centre exactly on a face, an edge or a corner is depth one radius") {
    expect(box(vec3(1)), sphere(0.5f), at({1, 0, 0}), -0.5, ex);
    expect(box(vec3(1)), sphere(0.5f), at({1, 1, 0}), -0.5);
    expect(box(vec3(1)), sphere(0.5f), at({1, 1, 1}), -0.5);
    expect(octahedron(1), sphere(0.5f), at({0, 1, 0}), -0.5);
    expect(octahedron(1), sphere(0.5f), at({0.5f, 0.5f, 0}), -0.5);
    expect(cylinder(1, 1), sphere(0.5f), at({0, 1, 0}), -0.5, ey);
    expect(cylinder(1, 1), sphere(0.5f), at({1, 0, 0}), -0.5, ex);
    expect(cylinder(1, 1), sphere(0.5f), at({1, 1, 0}), -0.5);
    expect(cone(1, 1), sphere(0.5f), at({0, 1, 0}), -0.5);
    expect(triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), sphere(0.5f), at({0, 0, 0}), -0.5);
    expect(triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), sphere(0.5f), at({0, 0, -1}), -0.5);
    expect(triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), sphere(0.5f), at({0, 0, 1}), -0.5);
    expect(segment({-1, 0, 0}, {1, 0, 0}), sphere(0.5f), at({0.5f, 0, 0}), -0.5);
    expect(segment({-1, 0, 0}, {1, 0, 0}), sphere(0.5f), at({1, 0, 0}), -0.5);
}

TEST_CASE("pushed through each other, two boxes never flip their normal before the middle") {
    const std::pair<Shape, Shape> pairs[] = {{box({1, 4, 4}), box({0.5f, 3, 3})},
                                             {brick({1, 4, 4}), brick({0.5f, 3, 3})},
                                             {box({1, 4, 4}), brick({0.5f, 3, 3})}};
    for (const auto& [a, b] : pairs) {
        for (int i = -40; i <= 40; ++i) {
            if (i == 0) continue;
            const float x = static_cast<float>(i) / 16.0f;
            expect(a, b, at({x, 0.25f, 0.125f}), std::abs(static_cast<double>(x)) - 1.5, x > 0 ? ex : -ex);
        }
    }
}

// ---- Differences without an interior --------------------------------------------------------------------------------

TEST_CASE("coplanar triangles that overlap are zero deep along their plane's normal") {
    const Shape t = triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1});
    for (const vec3& shift : {vec3(0.25f, 0, 0.25f), vec3(0.5f, 0, 0), vec3(0, 0, -1), vec3(-0.125f, 0, 0.5f)}) {
        SimplexCache cache;
        const SeparationResult r = separation(t, t, at(shift), cache);
        expect(t, t, at(shift), 0.0);
        CHECK(std::abs(std::abs(r.normal.y) - 1.0f) < 1e-5f);
    }
    const Shape round = triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, 0.25f);
    expect(round, round, at({0.25f, 0, 0.25f}), -0.5);
    expect(round, t, at({0.5f, 0, 0}), -0.25);
}

TEST_CASE("coplanar triangles apart in their plane, or sharing an edge or a corner, are measured in the plane") {
    const Shape t = triangle({-1, 0, -1}, {1, 0, -1}, {-1, 0, 1});
    expect(t, t, at({3, 0, 0}), 1.0, ex);
    expect(t, t, at({0, 0, 3}), 1.0, ez);
    expect(t, triangle({1, 0, 1}, {1, 0, -1}, {-1, 0, 1}), at({0, 0, 0}), 0.0);
    expect(t, triangle({1, 0, 1}, {1, 0, -1}, {-1, 0, 1}), at({1, 0, 1}), std::sqrt(2.0),
           dvec3(1, 0, 1) / std::sqrt(2.0));
    expect(t, t, at({2, 0, 0}), 0.0);
    expect(t, t, at({-2, 0, 2}), 0.0);
    expect(t, triangle({-1, 0, -1}, {1, 0, -1}, {-1, 2, -1}), at({0, 0, 0}), 0.0);
}

TEST_CASE("segments that cross, touch, overlap on one line or coincide are zero apart, with a normal across them") {
    const Shape s = segment({-1, 0, 0}, {1, 0, 0}), crossing = segment({0, 0, -1}, {0, 0, 1});
    expect(s, crossing, at({0, 0, 0}), 0.0);
    expect(s, crossing, at({1, 0, 0}), 0.0);
    expect(s, crossing, at({1, 0, 1}), 0.0);
    expect(s, s, at({0, 0, 0}), 0.0);
    expect(s, s, at({1, 0, 0}), 0.0);
    expect(s, s, at({2, 0, 0}), 0.0);
    expect(s, s, at({2.5f, 0, 0}), 0.5, ex);
    expect(s, s, at({0.5f, 0x1p-20f, 0}), 0x1p-20, ey);
    const Shape thick = segment({-1, 0, 0}, {1, 0, 0}, 0.25f), thick_crossing = segment({0, 0, -1}, {0, 0, 1}, 0.25f);
    expect(thick, thick_crossing, at({0.5f, 0, 0.5f}), -0.5);
    expect(thick, thick_crossing, at({0.5f, 0.25f, 0.5f}), -0.25, ey);
    expect(thick, thick, at({1.5f, 0, 0}), -0.5);
    expect(thick, thick, at({1.5f, 0.125f, 0}), -0.375, ey);
}

TEST_CASE("a triangle or a segment lying in a face, or standing through one, gets the depth of its shortest way out") {
    const Shape t = triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1});
    expect(box(vec3(1)), t, at({0, 1, 0}), 0.0, ey);
    expect(box({4, 1, 4}), t, at({0, 0.75f, 0}), -0.25, ey);
    expect(box({4, 1, 4}), segment({-1, 0, 0}, {1, 0, 0}), at({0, 1, 0}), 0.0, ey);
    expect(box({4, 1, 4}), segment({0, -1, 0}, {0, 3, 0}), at({0, 0.5f, 0}), -1.5, ey);
    expect(triangle({-8, 0, -8}, {8, 0, -8}, {0, 0, 8}), capsule(1, 0.25f), at({0, 0.5f, 0}), -0.75, ey);
    expect(triangle({-8, 0, -8}, {8, 0, -8}, {0, 0, 8}), box(vec3(0.5f)), at({0, 0.25f, 0}), -0.25, ey);
    expect(triangle({-8, 0, -8}, {8, 0, -8}, {0, 0, 8}), box(vec3(0.5f)), at({0, -0.25f, 0}), -0.25, -ey);
    expect(triangle({-8, 0, -8}, {8, 0, -8}, {0, 0, 8}), cylinder(0.5f, 1), at({0, 0.25f, 0}), -0.25, ey);
    expect(triangle({-8, 0, -8}, {8, 0, -8}, {0, 0, 8}), cone(0.5f, 1), at({0, 0.25f, 0}), -0.25, ey);
    expect(t, segment({0, -1, 0}, {0, 3, 0}), at({0, 0, -0.875f}), -0.125, -ez);
}

// ---- Aspect ratios to 1:10,000 --------------------------------------------------------------------------------------

TEST_CASE("plates and needles with aspect ratios to 1:10,000 keep their depth and normal") {
    for (const float thin : {0.1f, 0.01f, 0.001f, 0.0001f}) {
        const double t = static_cast<double>(thin);
        const Shape plate = box({1, thin, 1}), needle = box({thin, 1, thin}), sheet = brick({1, thin, 1}),
                    pin = brick({thin, 1, thin});
        // Plate on plate: crossed by half their thickness, touching, apart by their thickness.
        expect(plate, plate, at({0.25f, thin, 0.5f}), -t, ey);
        expect(sheet, plate, at({0.25f, 2 * thin, 0.5f}), 0.0, ey);
        expect(plate, sheet, at({0.25f, 3 * thin, 0.5f}), t, ey);
        expect(plate, plate, at({0, 0, 0}), -2 * t);
        // Needle through plate: the least depth is sideways only if the needle is off the middle.
        expect(plate, needle, at({0.5f, 0.5f, 0}), -(0.5 + t));
        expect(plate, needle, at({1, 0, 0}), -t, ex);
        expect(sheet, pin, at({1, 0.25f, 0}), -t, ex);
        // Needles crossed, side by side, end to end.
        const mat3 across(1, 0, 0, 0, 0, 1, 0, -1, 0);
        expect(needle, needle, at({thin, 0.25f, 0.5f}, across), -t, ex);
        expect(pin, needle, at({3 * thin, 0.25f, 0.5f}, across), t, ex);
        expect(needle, pin, at({thin, 0.25f, 0}), -t, ex);
        expect(pin, pin, at({0, 2, 0}), 0.0, ey);
        expect(needle, needle, at({0, 2.25f, 0}), 0.25, ey);
        // A needle's end on a plate, a plate's edge on a plate.
        expect(plate, needle, at({0.25f, 1, 0.25f}), -t, ey);
        const mat3 upright(0, 1, 0, -1, 0, 0, 0, 0, 1);
        expect(plate, plate, at({0.25f, 1, 0.25f}, upright), -t, ey);
        // Discs, rods and spikes.
        expect(cylinder(thin, 1), cylinder(thin, 1), at({0.5f, thin, 0}), -t, ey);
        expect(cylinder(1, thin), cylinder(1, thin), at({thin, 0.5f, 0}), -t, ex);
        expect(cylinder(1, thin), cylinder(1, thin), at({3 * thin, 0.5f, 0}), t, ex);
        expect(box({1, thin, 1}), cone(1, thin), at({0.25f, 1 + 2 * thin, 0.25f}), t, ey);
        expect(cylinder(thin, 1), sphere(0.5f), at({0.25f, 0.5f, 0.25f}), -t, ey);
        expect(segment({-1, 0, 0}, {1, 0, 0}, thin), segment({0, 0, -1}, {0, 0, 1}, thin), at({0.25f, thin, 0.25f}), -t,
               ey);
    }
}

TEST_CASE("plates and needles turned at random agree with the oracle") {
    test::Random random(77);
    for (int i = 0; i < 400; ++i) {
        const float t = static_cast<float>(random.scale(1e-4, 0.1)), u = static_cast<float>(random.scale(1e-4, 0.1));
        const Shape shapes[] = {box({1, t, 1}),
                                box({t, 1, t}),
                                brick({1, t, 1}),
                                brick({u, 1, t}),
                                box({u, t, 1}),
                                triangle({0, 0, 0}, {1, 0, 0}, {0.5f, 0, t}),
                                segment({-1, 0, 0}, {1, 0, 0}, 0),
                                capsule(1, t)};
        const Shape &a = shapes[random.below(8)], &b = shapes[random.below(8)];
        const double away = random.scale(1e-3, 1.0);
        const vec3 position = test::narrow(away * random.direction());
        expect_agreement(a, b, at(position, test::mixed_turn(random)));
    }
}

TEST_CASE("a sliver of a triangle meets balls, boxes and capsules like any other") {
    for (const float thin : {0.01f, 0.001f, 0.0001f}) {
        const Shape t = triangle({-1, 0, 0}, {1, 0, 0}, {0.5f, 0, thin});
        expect(t, sphere(0.5f), at({0.25f, 0.375f, 0}), -0.125, ey);
        expect(t, sphere(0.5f), at({0.25f, 0.5f, 0}), 0.0, ey);
        expect(t, box(vec3(0.5f)), at({0.25f, 0.625f, 0}), 0.125, ey);
        expect(t, capsule(0.5f, 0.25f), at({1.5f, 0, 0}), 0.25, ex);
        expect(t, box(vec3(0.5f)), at({0.25f, 0.375f, 0}), -0.125, ey);
    }
}

TEST_CASE("a dome of nearly coplanar facets has the depth of its top") {
    std::vector<vec3> points;
    for (int i = -4; i <= 4; ++i) {
        for (int j = -4; j <= 4; ++j) {
            const float x = static_cast<float>(i) / 4.0f, z = static_cast<float>(j) / 4.0f;
            points.emplace_back(x, -1e-5f * (x * x + z * z), z);
        }
    }
    for (const float x : {-1.0f, 1.0f}) points.emplace_back(x, -1.0f, -1.0f), points.emplace_back(x, -1.0f, 1.0f);
    const Shape dome = cloud(points);
    for (const float y : {0.875f, 1.0f - 0x1p-12f, 1.0f + 0x1p-12f}) {
        expect_agreement(dome, box(vec3(1)), at({0.25f, y, 0.125f}));
        expect_agreement(dome, dome, at({0.25f, y - 1.0f, 0.125f}, mat3(1, 0, 0, 0, -1, 0, 0, 0, -1)));
    }
}

// ---- Sizes ----------------------------------------------------------------------------------------------------------

TEST_CASE("a millimetre and a kilometre behave like a metre") {
    for (const float u : {0x1p-10f, 1.0f, 0x1p10f}) {
        const double d = static_cast<double>(u);
        expect(box(vec3(u)), box(vec3(u)), at({1.875f * u, 0.25f * u, 0}), -0.125 * d, ex);
        expect(box(vec3(u)), box(vec3(u)), at({2.125f * u, 0.25f * u, 0}), 0.125 * d, ex);
        expect(brick(vec3(u)), octahedron(u), at({0.25f * u, 1.875f * u, 0}), -0.125 * d, ey);
        expect(brick(vec3(u)), octahedron(u), at({0.25f * u, (2.0f + 0x1p-18f) * u, 0}), 0x1p-18 * d, ey);
        expect(sphere(u), capsule(u, u), at({1.875f * u, 0.5f * u, 0}), -0.125 * d, ex);
        expect(cylinder(u, u), cone(u, u), at({0, 1.875f * u, 0}), -0.125 * d, ey);
        expect(cylinder(u, u), cylinder(u, u), at({2.125f * u, 0.25f * u, 0}), 0.125 * d, ex);
        expect(triangle({-u, 0, -u}, {u, 0, -u}, {0, 0, u}), sphere(u), at({0, 0.75f * u, 0}), -0.25 * d, ey);
        expect(segment({-u, 0, 0}, {u, 0, 0}), segment({0, 0, -u}, {0, 0, u}), at({0, 0.25f * u, 0}), 0.25 * d, ey);
    }
}

TEST_CASE("size ratios to 1:100,000, in the middle and near the rim of the large one") {
    // Ground of 1000 x 1 x 1000 m (half) under things of a centimetre, resting a tenth of their size deep, or as far
    // above.
    const float h = 0x1p-7f, g = 0x1p-10f;
    const double d = static_cast<double>(g);
    const Shape grounds[] = {box({1000, 1, 1000}), brick({1000, 1, 1000}), cylinder(1, 1000)};
    for (const Shape& ground : grounds) {
        for (const float x : {0.0f, 3.5f, 900.0f, 999.0f}) {
            for (const float sign : {-1.0f, 1.0f}) {
                const vec3 top(x, 1 + h + sign * g, x == 999.0f ? 0.0f : 0.25f);
                const double exact = static_cast<double>(sign) * d;
                expect(ground, box(vec3(h)), at(top), exact, ey);
                expect(ground, brick(vec3(h)), at(top), exact, ey);
                expect(ground, sphere(h), at(top), exact, ey);
                expect(ground, capsule(0.5f * h, 0.5f * h), at(top), exact, ey);
                expect(ground, cylinder(h, h), at(top), exact, ey);
                expect(ground, cone(h, h), at(top), exact, ey);
                expect(ground, triangle({-h, -h, -h}, {h, -h, -h}, {0, -h, h}), at(top), exact, ey);
            }
        }
    }
    // A large sphere on a small box, a millimetre pin in a hundred-metre wall.
    expect(box(vec3(h)), sphere(1000), at({0, 1000 + h, 0}), 0.0, ey);
    expect(box({100, 100, 1}), box({0x1p-10f, 0x1p-10f, 0x1p-7f}), at({50, 25, 1}), -0x1p-7, ez);
    expect(triangle({-1000, 0, -1000}, {1000, 0, -1000}, {0, 0, 1000}), box(vec3(h)), at({1, h - g, 2}), -d, ey);
    expect(triangle({-1000, 0, -1000}, {1000, 0, -1000}, {0, 0, 1000}), cylinder(h, h), at({1, h - g, 2}), -d, ey);
}

TEST_CASE("shapes whose points stand a kilometre from their own origin are as exact as their floats") {
    // Every number below is a float exactly, so the answers are too.
    const vec3 away(1024, -2048, 512);
    const Shape a = brick(vec3(0.5f), away), b = brick(vec3(0.5f), -away);
    expect(a, b, at(2.0f * away + vec3(1.125f, 0.25f, 0)), 0.125, ex);
    expect(a, b, at(2.0f * away + vec3(0.875f, 0.25f, 0)), -0.125, ex);
    expect(a, sphere(0.5f), at(away + vec3(0, 0.875f, 0)), -0.125, ey);
    const Shape t = triangle(away + vec3(-1, 0, -1), away + vec3(1, 0, -1), away + vec3(0, 0, 1));
    expect(t, box(vec3(0.5f)), at(away + vec3(0, 0.375f, 0)), -0.125, ey);
    expect(t, t, at({0.25f, 0.125f, 0}), 0.125, ey);
    const Shape s = segment(away + vec3(-1, 0, 0), away + vec3(1, 0, 0), 0.25f);
    expect(s, capsule(0.5f, 0.25f), at(away + vec3(0, 0, 0.375f)), -0.125, ez);
    expect(s, cylinder(0.5f, 0.5f), at(away + vec3(0, 0, 0.625f)), -0.125, ez);
}

TEST_CASE("a pair ten kilometres apart has a finite distance and a unit normal") {
    expect(box(vec3(1)), box(vec3(1)), at({10000, 0, 0}), 9998.0, ex);
    expect(sphere(1), cone(1, 1), at({0, -10000, 0}), 9998.0, -ey);
    expect_agreement(brick(vec3(1)), cylinder(1, 1), at({7000, 5000, -6000}, test::turn(ez, 0.5)));
}

// ---- Curved shapes in their singular poses --------------------------------------------------------------------------

TEST_CASE("a cylinder lying, standing or on its rim on a box is as deep as its lowest line or point") {
    const mat3 lying(0, 1, 0, -1, 0, 0, 0, 0, 1);
    const Shape ground = box({8, 1, 8});
    expect(ground, cylinder(1, 0.5f), at({0.25f, 1.5f, 0}, lying), 0.0, ey);
    expect(ground, cylinder(1, 0.5f), at({0.25f, 1.375f, 0}, lying), -0.125, ey);
    expect(ground, cylinder(1, 0.5f), at({0.25f, 1.625f, 0}, lying), 0.125, ey);
    expect(ground, cylinder(1, 0.5f), at({0.25f, 1.875f, 0}), -0.125, ey);
    expect_agreement(ground, cylinder(1, 0.5f), at({0.25f, 2, 0}, test::turn(ez, 0.5 * quarter)));
    expect_agreement(ground, cylinder(1, 0.5f), at({0.25f, 2.1f, 0}, test::turn(ez, 0.5 * quarter)));
    // Lying across each other, and parallel.
    expect(cylinder(2, 0.5f), cylinder(2, 0.5f), at({0, 0.25f, 0.875f}, lying), -0.125, ez);
    expect(cylinder(2, 0.5f), cylinder(2, 0.5f), at({0, 0.25f, 1.125f}, lying), 0.125, ez);
}

TEST_CASE("a cone on its base, its apex or its side touches where it should") {
    const Shape ground = box({8, 1, 8});
    const mat3 head_down(1, 0, 0, 0, -1, 0, 0, 0, -1);
    expect(ground, cone(1, 0.5f), at({0.25f, 2, 0}), 0.0, ey);
    expect(ground, cone(1, 0.5f), at({0.25f, 1.875f, 0}), -0.125, ey);
    expect(ground, cone(1, 0.5f), at({0.25f, 1.875f, 0}, head_down), -0.125, ey);
    expect(ground, cone(1, 0.5f), at({0.25f, 2.125f, 0}, head_down), 0.125, ey);
    // Lying on its side: the side's half angle is atan(r / 2h), the centre stands r h / slope above the ground.
    const double h = 1.0, r = 0.5, half_angle = std::atan(r / (2 * h));
    for (const double lift : {-0.125, 0.0, 0.125}) {
        const mat3 side = test::turn(ez, -(quarter + half_angle));
        expect_agreement(ground, cone(1, 0.5f),
                         at({0, static_cast<float>(1.0 + r * h / std::hypot(r, 2 * h) + lift), 0}, side));
    }
    expect(cone(1, 1), cone(1, 1), at({0, 0.5f, 0}), -1.5, ey);  // one in the other like paper cups
    expect(cone(1, 1), cone(1, 1), at({0, 3, 0}), 1.0, ey);
    expect(cone(1, 1), cone(1, 1), at({0, -2.5f, 0}, head_down), 0.5, -ey);
}

TEST_CASE("rims that touch rims are exact") {
    expect(cylinder(1, 1), cylinder(1, 1), at({2, 2, 0}), 0.0);
    expect(cylinder(1, 1), cylinder(1, 1), at({3, 3, 0}), std::sqrt(2.0), dvec3(1, 1, 0) / std::sqrt(2.0));
    expect(cone(1, 1), cylinder(1, 1), at({2.5f, -2, 0}), 0.5, ex);
    expect(cone(1, 1), cone(1, 1), at({2.5f, 0, 0}), 0.5, ex);
    expect(cylinder(0.5f, 2), cylinder(0.5f, 2), at({4.5f, 1, 0}), 0.5, ex);
}

// ---- Caches ---------------------------------------------------------------------------------------------------------

TEST_CASE("a cache full of rubbish, or left by another pair, changes no answer") {
    test::Random random(99);
    std::vector<Shape> shapes = {sphere(0.5f),
                                 capsule(0.5f, 0.25f),
                                 segment({-1, 0, 0}, {1, 0, 0}),
                                 triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, 0.1f),
                                 box({0.5f, 1, 0.25f}),
                                 cylinder(0.5f, 0.5f),
                                 cone(0.5f, 0.5f),
                                 octahedron(1)};
    SimplexCache other;
    for (int i = 0; i < 3000; ++i) {
        const Shape &a = shapes[static_cast<std::size_t>(random.below(8))],
                    &b = shapes[static_cast<std::size_t>(random.below(8))];
        const MatrixTransform f = anywhere(random);
        SimplexCache cold, rubbish;
        rubbish.count = static_cast<std::uint8_t>(random.below(5));
        for (int k = 0; k < 4; ++k) {
            const bool small = random.chance(0.5);
            rubbish.a[k] = static_cast<std::uint16_t>(small ? random.below(4) : random.below(65536));
            rubbish.b[k] = static_cast<std::uint16_t>(small ? random.below(4) : random.below(65536));
        }
        const double right = separation(a, b, f, cold).separation;
        INFO(test::reproduce(a, b, f));
        for (SimplexCache* cache : {&rubbish, &other}) {
            const SeparationResult r = separation(a, b, f, *cache);
            const double slack = test::separation_tolerance * 0.5;
            CHECK_MESSAGE(std::abs(r.separation - right) <= slack, "cold ", right, ", with a foreign cache ",
                          r.separation);
            CHECK(std::abs(glm::length(r.normal) - 1.0f) < 1e-5f);
        }
    }
}

TEST_CASE("asking the same pair again and again from its own cache does not drift") {
    test::Random random(98);
    for (int i = 0; i < 200; ++i) {
        const auto h = make_hull(test::hull_points(random, 1.0));
        REQUIRE(bool(h));
        const Shape a = hull(*h), b = random.chance(0.5) ? cylinder(0.5f, 0.5f) : a;
        const MatrixTransform f = anywhere(random);
        SimplexCache cache;
        const float first = separation(a, b, f, cache).separation;
        for (int k = 0; k < 20; ++k) {
            const float again = separation(a, b, f, cache).separation;
            CHECK_MESSAGE(std::abs(again - first) <= 2e-5f, "first ", first, " then ", again, "\n",
                          test::reproduce(a, b, f));
        }
    }
}
