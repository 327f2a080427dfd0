// Manifolds that are reused while a round shape rolls: the points must be where a new test would put them.

#include "tests/narrowphase/ladder/collide_batch.h"
#include "tests/narrowphase/ladder/random_pairs.h"

#include "narrowphase/tolerances.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace talus;
using test::Batch;

quat turned(const glm::dvec3& axis, double angle) {
    const double s = std::sin(0.5 * angle);
    return quat(float(std::cos(0.5 * angle)), float(s * axis.x), float(s * axis.y), float(s * axis.z));
}

/// A shape that rolls: over the pair's first shape, along x, by `step` per frame.
struct Roll {
    std::string name;
    Shape on, round;
    WorldTransform pose;  ///< of the round shape at the start
    float radius;         ///< about which it turns, m
};

std::vector<Roll> rolls() {
    const double quarter = 0.5 * 3.14159265358979323846;
    const quat lying = turned({1, 0, 0}, quarter);  // axis along z
    const float r = 0.15f;
    const double top = 1.0 + double(r) - 1e-4;
    const Shape floor = box({5.0f, 1.0f, 5.0f}), ground = triangle({-9, 1, 9}, {9, 1, 9}, {0, 1, -9});
    const Shape roof = cylinder(2.0f, 1.0f), drum = capsule(2.0f, 1.0f), ball = sphere(1.0f);
    return {
        {"sphere on a box", floor, sphere(r), {{0.0, top, 0.0}}, r},
        {"capsule on a box", floor, capsule(0.4f, r), {{0.0, top, 0.0}, lying}, r},
        {"cylinder on a box", floor, cylinder(0.4f, r), {{0.0, top, 0.0}, lying}, r},
        {"sphere on a triangle", ground, sphere(r), {{0.0, top, 0.0}}, r},
        {"capsule on a triangle", ground, capsule(0.4f, r), {{0.0, top, 0.0}, lying}, r},
        {"cylinder on a triangle", ground, cylinder(0.4f, r), {{0.0, top, 0.0}, lying}, r},
        {"sphere on a cap", cylinder(1.0f, 3.0f), sphere(r), {{0.0, top, 0.0}}, r},
        {"sphere on a sphere", ball, sphere(r), {{0.0, top, 0.0}}, r},
        {"capsule on a sphere", ball, capsule(0.4f, r), {{0.0, top, 0.0}, lying}, r},
        {"sphere on a lying capsule", drum, sphere(r), {{0.0, 0.0, top}}, r},
        {"sphere on a cylinder", roof, sphere(r), {{0.0, 0.0, top}}, r},
    };
}

/// The greatest distance of a manifold's points on the round shape from those of a test of this pose (m).
double apart(const Manifold& reused, const Manifold& tested) {
    double most = 0.0;
    for (int i = 0; i < reused.count; ++i) {
        double least = 1.0;
        for (int k = 0; k < tested.count; ++k) {
            const vec3 on_a = reused.points[i].on_a - tested.points[k].on_a;
            const vec3 on_b = reused.points[i].on_b - tested.points[k].on_b;
            least = std::min(least, double(std::sqrt(std::max(length_squared(on_a), length_squared(on_b)))));
        }
        most = std::max(most, least);
    }
    return most;
}

}  // namespace

// The points stayed fixed in the body once, behind the place where it touches.
TEST_CASE("contact points of what rolls stay where it touches while the manifold is reused") {
    for (const Roll& roll : rolls()) {
        for (const bool swapped : {false, true}) {
            CAPTURE(roll.name);
            CAPTURE(swapped);
            Batch batch;
            const WorldTransform still;
            if (swapped) batch.add(roll.round, roll.on, still, roll.pose);
            if (!swapped) batch.add(roll.on, roll.round, roll.pose, still);
            WorldTransform& pose = batch.colliders.poses[swapped ? 0 : 1];
            batch.collide();
            REQUIRE(batch.records[0].state == PairState::touching);
            // A tenth of the motion up to which it is reused: more would be tested again.
            const double way = 1e-4 * double(tolerance::reuse_motion_round / 1e-3f) * double(roll.radius);
            std::uint64_t reused = 0;
            for (int frame = 0; frame < 40; ++frame) {
                const bool over_z = std::abs(roll.pose.position.z) > 0.5;
                pose.position.x += 0.5 * way;
                pose.rotation = glm::normalize(
                    turned(over_z ? glm::dvec3(0, 1, 0) : glm::dvec3(0, 0, -1), 0.25 * way / double(roll.radius)) *
                    pose.rotation);
                batch.collide();
                reused += batch.settled(Rung::reuse);
                Batch cold = batch.fresh();
                cold.collide();
                const Manifold &now = batch.caches[0].manifold, &tested = cold.caches[0].manifold;
                REQUIRE(now.count == tested.count);
                CHECK(double(length_squared(now.normal - tested.normal)) < 1e-10);
                CHECK(double(std::abs(test::deepest(now) - test::deepest(tested))) < 1e-6);
                // Where they touch along a line, its ends do not follow.
                const double end = tested.count > 1 ? way : 0.0;
                CHECK(apart(now, tested) < 2.0 * double(tolerance::rolling_step * roll.radius) + end + 1e-6);
            }
            CHECK(reused >= 20);
        }
    }
}

TEST_CASE("contact points at rest do not creep when their manifold is reused a million times" *
          doctest::test_suite("slow")) {
    Batch batch;
    const quat tilted = turned({0.6, 0.0, 0.8}, 0.3);
    const Shape slab = triangle({-90, 3, 70}, {80, -2, 60}, {0, 5, -90});
    const vec3 n = glm::normalize(glm::cross(slab.points[1] - slab.points[0], slab.points[2] - slab.points[0]));
    const vec3 up = n.y > 0.0f ? n : -n;
    const vec3 foot = (slab.points[0] + slab.points[1] + slab.points[2]) / 3.0f;
    batch.add(slab, sphere(0.2f), {dvec3(foot + 0.1999f * up), tilted});
    batch.collide();
    REQUIRE(batch.records[0].state == PairState::touching);
    const float before = batch.caches[0].manifold.points[0].separation;
    const WorldTransform rest = batch.colliders.poses[1];
    test::Random random(3);
    std::uint64_t reused = 0;
    for (int frame = 0; frame < 1000000; ++frame) {
        batch.colliders.poses[1].position = rest.position + random.between(0.0, 1e-7) * random.direction();
        batch.collide();
        reused += batch.settled(Rung::reuse);
    }
    batch.colliders.poses[1] = rest;
    batch.collide();
    CHECK(reused > 900000);
    CHECK(std::abs(batch.caches[0].manifold.points[0].separation - before) < 2e-5f);
}
