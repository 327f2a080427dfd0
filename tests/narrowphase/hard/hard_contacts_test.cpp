/// `collide` and `make_manifold` on pairs from other libraries' issue trackers, and on similar ones (see
/// hard_reports_test.cpp).

#include "tests/narrowphase/hard/hard_case.h"
#include "tests/narrowphase/ladder/collide_batch.h"
#include "tests/narrowphase/ladder/random_pairs.h"

#include <talus/narrowphase/separation.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace talus;
using namespace test;
using glm::dmat3;
using glm::dvec3;

/// One pair, whose cache is carried along.
class Pair {
public:
    Pair(const Shape& a, const Shape& b) { batch_.add(a, b); }

    const Manifold& at(const WorldTransform& pose_of_b) {
        batch_.colliders.poses[1] = pose_of_b;
        batch_.collide();
        return batch_.caches[0].manifold;
    }

private:
    Batch batch_;
};

double deepest_point(const Manifold& m) { return wide(deepest(m)); }

WorldTransform moved_to(const dvec3& position, const quat& rotation = quat(1, 0, 0, 0)) { return {position, rotation}; }

}  // namespace

TEST_CASE("a cube anywhere on a disc stands on three points or more up to the rim") {  // rapier 810
    for (const vec3& p : {vec3(0, 0, 0), vec3(3, 0, -2), vec3(5.54f, 0, 4.51f), vec3(-5.65f, 0, 5.65f), vec3(7, 0, 7),
                          vec3(9.9f, 0, 0)}) {
        for (const float gap : {-0.001f, 0.0001f}) {
            Pair pair(cylinder(0.05f, 10), box(vec3(0.05f)));
            const Manifold& m = pair.at(moved_to({p.x, 0.1f + gap, p.z}));
            INFO("at ", p.x, " ", p.z, " gap ", gap);
            CHECK(m.count >= 3);
            CHECK(std::abs(m.normal.y) > 0.9999f);
            CHECK(std::abs(deepest_point(m) - wide(gap)) <= 1e-6);
        }
    }
}

TEST_CASE("a needle or a sheet on edge is held by a floor before it has sunk in by its thickness") {
    // The strip in which the two faces meet is the whole face of the thin shape, so it is not the side of a tile that
    // is only grazed.
    const Shape floor = box({5, 1, 5});
    for (const float depth : {0.0f, 0.0005f, 0.001f, 0.0019f}) {
        Pair needle(floor, box({1, 0.001f, 0.001f})), sheet(floor, box({1, 1, 0.001f})),
            hulls(cloud(brick({5, 1, 5})), cloud(brick({1, 0.001f, 0.001f})));
        INFO("depth ", depth);
        CHECK(std::abs(deepest_point(needle.at(moved_to({0, 1.001f - depth, 0}))) + wide(depth)) <= 1e-5);
        CHECK(std::abs(deepest_point(sheet.at(moved_to({0, 2 - depth, 0}))) + wide(depth)) <= 1e-5);
        CHECK(std::abs(deepest_point(hulls.at(moved_to({0, 1.001f - depth, 0}))) + wide(depth)) <= 1e-5);
    }
}

TEST_CASE("contacts on a sliver of a triangle are as deep as the pair") {
    // The face's normal came from a cross product in float, whose error was 6e-8 times length over width of the thin
    // face.
    for (const float thin : {1e-2f, 1e-3f, 1e-4f, 2e-5f}) {
        test::Random random(41);
        for (int i = 0; i < 200; ++i) {
            const dvec3 p = random.direction(), q = random.direction();
            const dvec3 across = wide(thin) * random.direction();
            const Shape a = triangle(vec3(p), vec3(q), vec3(p + 0.4 * (q - p) + across));
            const double h = random.scale(0.05, 0.5), r = random.scale(0.05, 0.5);
            const Shape b = i % 2 == 0 ? cylinder(float(h), float(r)) : capsule(float(h), float(r));
            const dvec3 axis = random.direction(), to = random.direction();
            const double angle = random.between(0.0, 2 * pi), away = random.scale(0.01, 0.3);
            const WorldTransform pose = moved_to(p + 0.5 * (q - p) + away * to, turned(axis, angle));
            if (talus::check(a)) continue;
            SimplexCache cache;
            const double exact = wide(separation(a, b, to_matrix_transform(relative({}, pose)), cache).separation);
            if (exact > -0.01) continue;
            Pair pair(a, b);
            const double size = std::min(bounding_radius(a), bounding_radius(b));
            INFO("thin ", thin, " pair ", i, " exact ", exact, "\n");
            CHECK(std::abs(deepest_point(pair.at(pose)) - exact) <= 1.1e-3 * size);
        }
    }
}

TEST_CASE("contact points along a cone's side are on the cone up to its tip") {
    // The radius of the side shrinks to 0 at the tip: lines that cross there are near each other for a shorter stretch
    // than at the rim.
    const dvec3 n = unit(2, 1, 0);
    for (const double turn : {0.0, 0.01, 0.02, 0.03, 0.04, 0.049}) {
        const dmat3 along = dmat3(test::turn(n, turn)) * dmat3(test::turn(ez, std::atan(0.5)));
        const Shape a = cone(1, 1), b = capsule(1, 0.5f);
        const MatrixTransform f{vec3(dvec3(0.5, 0, 0) + 0.5 * n), mat3(along)};
        SimplexCache cache;
        const SeparationResult r = separation(a, b, f, cache);
        FaceHints hints;
        const Manifold m = make_manifold(a, b, f, r.normal, r.point_a, r.point_b, 0.02f, hints);
        REQUIRE(m.count > 0);
        const oracle::Solid solid = oracle::make_solid(a);
        for (int i = 0; i < m.count; ++i) {
            INFO("turned by ", turn, " point ", m.points[i].on_a.x, " ", m.points[i].on_a.y, " ", m.points[i].on_a.z);
            CHECK(oracle::distance_outside(solid, dvec3(m.points[i].on_a)) <= 1e-3);
        }
    }
}

TEST_CASE("a rod that has come out of a thin plate on the other side is not held to be deep in it") {
    // A contact is carried over for a fraction of the longest side: here for more than the thickness of both.
    Pair pair(box({3, 1, 0x1p-8f}), box({0x1p-8f, 1, 0x1p-8f}));
    for (int i = 0; i <= 24; ++i) {
        const float z = -0.024f + 0.002f * static_cast<float>(i);
        const double exact = std::abs(wide(z)) - 0x1p-7;
        const Manifold& m = pair.at(moved_to({0.5f, 0, z}));
        INFO("at ", z, ": ", m.count, " points, deepest ", deepest_point(m), " exact ", exact);
        if (exact > 0.0 && m.count > 0) CHECK(deepest_point(m) >= -1e-3);
    }
}

TEST_CASE("triangles that are lines or points are held by balls and capsules as separation holds them") {
    // The closed forms divide by the length of the triangle's normal.
    const vec3 p(-1, 0, 0), q(0, 0, 0), r(1, 0, 0);
    for (const Shape& t : {triangle(p, q, r), triangle(p, r, r), triangle(q, q, q)}) {
        for (const Shape& b : {sphere(0.5f), capsule(1, 0.5f)}) {
            Pair pair(t, b);
            const Manifold& m = pair.at(moved_to({0, 0, 0.25f}));
            CHECK(m.count > 0);
            CHECK(std::abs(deepest_point(m) + 0.25) <= 1e-5);
        }
    }
}
