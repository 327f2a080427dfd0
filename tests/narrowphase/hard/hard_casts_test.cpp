/// Rays, casts and times of impact from other libraries' issue trackers, and similar ones (see hard_reports_test.cpp).

#include "tests/narrowphase/hard/hard_case.h"
#include "tests/narrowphase/ladder/random_pairs.h"

#include <talus/narrowphase/ray_cast.h>
#include <talus/narrowphase/shape_cast.h>
#include <talus/narrowphase/time_of_impact.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace talus;
using namespace test;
using glm::dmat3;
using glm::dvec3;

// ---- Rays -----------------------------------------------------------------------------------------------------------

struct Ray {
    const char* name;
    Shape shape;
    vec3 origin, way;
    double fraction;                   ///< negative: a miss
    std::optional<dvec3> normal = {};  ///< zero: from inside
};

void check(const std::vector<Ray>& rays) {
    for (const Ray& ray : rays) {
        const RayHit hits[] = {ray_cast(ray.shape, ray.origin, ray.way),
                               ray_cast(ShapeSupport(ray.shape), ray.origin, ray.way)};
        for (const RayHit& r : hits) {
            INFO(ray.name, ": hit ", r.hit, " at ", r.fraction, " normal ", r.normal.x, " ", r.normal.y, " ",
                 r.normal.z);
            CHECK(r.hit == (ray.fraction >= 0.0));
            if (!r.hit || ray.fraction < 0.0) continue;
            CHECK(std::abs(wide(r.fraction) - ray.fraction) <= 2e-5);
            if (ray.normal) CHECK(glm::length(dvec3(r.normal) - *ray.normal) <= 1e-3);
        }
    }
}

const dvec3 inside(0.0);

}  // namespace

TEST_CASE("rays from other trackers hit and miss as they should") {
    const Shape corner = cloud({{-34, -14, 29}, {-24, -12, 29}, {-32, -12, 29}, {-32, -12, 2}, {-24, -12, 2}});
    check({
        {"bepu 253: inside a cylinder along its axis", cylinder(2, 3), {0, 0, 0}, {0, 1, 0}, 0, inside},
        {"bepu 253: inside a cylinder across", cylinder(2, 3), {0, 0, 0}, {0, 0, 1}, 0, inside},
        {"DART: from a capsule's surface outwards", capsule(1, 0.5f), {0.5f, 0, 0}, {1, 0, 0}, 0},
        {"DART: from a capsule's surface inwards", capsule(1, 0.5f), {0.5f, 0, 0}, {-1, 0, 0}, 0},
        {"PhysX 487: near a capsule, facing away", capsule(1, 0.5f), {0.6f, 0.3f, 0}, {2, 0.4f, 0}, -1},
        {"PhysX 487: past a capsule's end, facing away", capsule(1, 0.5f), {0.3f, 1.6f, 0}, {0, 2, 0}, -1},
        {"rapier.js 258", box({244.5f, 0.5f, 10}), {-504.5f, 52.5f, 0}, {624, -104, 0}, 0.5, ey},
        {"rapier.js 258, the other", box({335, 0.5f, 10}), {486, 41.5f, 0}, {-509, -111, 0}, 41.0 / 111, ey},
        {"Bullet 2949: a thin hull", cloud(brick({1, 0.01f, 1})), {0.3f, 2, 0.4f}, {0, -4, 0}, 0.4975, ey},
        {"ncollide 242: off a surface, outwards", box({0.5f, 1, 0.5f}), {0.501f, 0.2f, 0.1f}, {3, -1, 0.5f}, -1},
        {"parry 451: past a corner", corner, {-16, 8, 0}, {-595.6519f, -671.31174f, 441.06603f}, -1},
        {"parry 451: down on it", corner, {-28, 0, 10}, {0, -24, 0}, 0.5, ey},
        {"Box2D 95: a triangle from behind",
         triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}),
         {0, -1, 0},
         {0, 2, 0},
         0.5,
         -ey},
        {"a ray as long as floats go", box(vec3(1)), {-3e30f, 0, 0}, {6e30f, 0, 0}, 0.5, -ex},
        {"a ray without length inside", capsule(1, 0.5f), {0, 0, 0}, {0, 0, 0}, 0, inside},
        {"a ray without length outside", capsule(1, 0.5f), {1, 0, 0}, {0, 0, 0}, -1},
    });
}

TEST_CASE("rays in the singular directions of round shapes hit and miss as they should") {
    const dvec3 side = dvec3(-2, 1, 0) / std::sqrt(5.0);
    std::vector<Ray> rays = {
        {"beside a cylinder along its axis", cylinder(2, 3), {3.001f, -4, 0}, {0, 8, 0}, -1},
        {"just inside a cylinder's radius", cylinder(2, 3), {2.999f, -4, 0}, {0, 8, 0}, 0.25, -ey},
        {"to a cylinder's rim", cylinder(1, 1), {-2, 2, 0}, {2, -2, 0}, 0.5},
        {"short of a cylinder's rim", cylinder(1, 1), {-2, 1.9f, 0}, {0.9f, -0.9f, 0}, -1},
        {"grazing a cylinder's side", cylinder(1, 1), {1, 0.25f, -3}, {0, 0, 6}, 0.5},
        {"grazing a cylinder's cap", cylinder(1, 1), {-3, 1, 0}, {6, 0, 0}, 1.0 / 3},
        {"just over a cylinder's cap", cylinder(1, 1), {-3, 1.0001f, 0}, {6, 0, 0}, -1},
        {"into a capsule's end beside its axis", capsule(1, 0.5f), {0.3f, 4, 0}, {0, -4, 0}, 0.65, dvec3(0.6, 0.8, 0)},
        {"where a capsule's end meets its side", capsule(1, 0.5f), {-2, 1, 0}, {4, 0, 0}, 0.375, -ex},
        {"from a kilometre on a capsule",
         capsule(1, 0.5f),
         {-1000, 0.5f, 0.25f},
         {2000, 0, 0},
         (1000 - std::sqrt(0.1875)) / 2000,
         dvec3(-std::sqrt(0.75), 0, 0.5)},
        {"on a cone's tip from above", cone(1, 1), {0, 3, 0}, {0, -4, 0}, 0.5},
        {"beside a cone's tip from above", cone(1, 1), {1e-3f, 3, 0}, {0, -4, 0}, 0.5005, unit(2, 1, 0)},
        {"through a cone's tip across", cone(1, 1), {-2, 1, 0}, {4, 0, 0}, 0.5},
        {"just over a cone's tip", cone(1, 1), {-2, 1.0001f, 0}, {4, 0, 0}, -1},
        {"beside a cone's side line", cone(1, 1), {-2.001f, -3, 0}, {4, 8, 0}, -1},
        {"on a cone's rim from below", cone(1, 1), {1, -3, 0}, {0, 4, 0}, 0.5},
        {"past a cone's rim from below", cone(1, 1), {1.001f, -3, 0}, {0, 4, 0}, -1},
        {"on a cone's side", cone(1, 1), {-2, 0, 0}, {4, 0, 0}, 0.375, side},
        {"out of a cone through its base", cone(1, 1), {0, -0.5f, 0}, {0, -4, 0}, 0, inside},
        {"in a triangle's plane", triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), {-4, 0, 0}, {8, 0, 0}, 0.4375},
        {"in a triangle's plane, past it", triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), {-4, 0, 1.01f}, {8, 0, 0}, -1},
        {"along a bare segment", segment({-1, 0, 0}, {1, 0, 0}), {-3, 0, 0}, {4, 0, 0}, 0.5},
        {"across a bare segment", segment({-1, 0, 0}, {1, 0, 0}), {0, 1, 0}, {0, -2, 0}, 0.5},
        {"a millimetre beside a bare segment", segment({-1, 0, 0}, {1, 0, 0}), {0, 1, 0.001f}, {0, -2, 0}, -1},
        {"on a sliver of 1 km",
         triangle({-500, 0, 0}, {500, 0, 0}, {500, 0x1p-10f, 0}),
         {400, 0.0007f, 1},
         {0, 0, -2},
         0.5,
         ez},
        {"past a sliver of 1 km",
         triangle({-500, 0, 0}, {500, 0, 0}, {500, 0x1p-10f, 0}),
         {400, 0.001f, 1},
         {0, 0, -2},
         -1},
    };
    for (const float e : {1e-3f, 1e-4f, 1e-5f}) {
        const double half = std::sqrt(2.0 * wide(e) - wide(e) * wide(e));
        for (const Shape& s : {capsule(1, 1), cylinder(1, 1)}) {
            rays.push_back({"just under the crest", s, {-2, 0.5f, 1 - e}, {4, 0, 0}, 0.5 - half / 4});
            rays.push_back({"just over the crest", s, {-2, 0.5f, 1 + e}, {4, 0, 0}, -1});
        }
        rays.push_back({"just inside the rim", cone(1, 1), {-2, -1, 1 - e}, {4, 0, 0}, 0.5 - half / 4});
        rays.push_back({"just outside the rim", cone(1, 1), {-2, -1, 1 + e}, {4, 0, 0}, -1});
    }
    check(rays);
}

// ---- Casts ----------------------------------------------------------------------------------------------------------

namespace {

struct Cast {
    const char* name;
    Shape a, b;
    MatrixTransform b_in_a;
    vec3 way;
    double fraction;  ///< negative: a miss; zero: in touch at the start
    std::optional<dvec3> normal = {};
    float target = 0.0f;
};

void check(const std::vector<Cast>& casts) {
    for (const Cast& c : casts) {
        const dmat3 back = glm::transpose(dmat3(c.b_in_a.rotation));
        for (const bool swapped : {false, true}) {
            const MatrixTransform a_in_b{vec3(-(back * dvec3(c.b_in_a.position))), mat3(back)};
            const ShapeCastResult r = swapped ? shape_cast(c.b, c.a, a_in_b, vec3(-(back * dvec3(c.way))), c.target)
                                              : shape_cast(c.a, c.b, c.b_in_a, c.way, c.target);
            INFO(c.name, (swapped ? " (swapped)" : ""), ": status ", int(r.status), " fraction ", r.fraction,
                 " normal ", r.normal.x, " ", r.normal.y, " ", r.normal.z);
            CHECK(r.status == (c.fraction < 0.0    ? CastStatus::miss
                               : c.fraction == 0.0 ? CastStatus::initially_overlapping
                                                   : CastStatus::hit));
            if (c.fraction < 0.0) continue;
            CHECK(std::abs(wide(r.fraction) - c.fraction) <= 3e-6);
            const dvec3 n = swapped ? -(glm::transpose(back) * dvec3(r.normal)) : dvec3(r.normal);
            if (c.normal) CHECK(glm::length(n - *c.normal) <= 2e-3);
        }
    }
}

}  // namespace

TEST_CASE("casts from other trackers stop where they should with the right normal") {
    const Shape ledge = triangle({0, 0, -5}, {0, 0, 5}, {-10, 0, 0}), wall = box({0.05f, 2.5f, 5});
    std::vector<Cast> casts = {
        {"PhysX 610: cube on cube", box(vec3(1)), box(vec3(1)), at({0, 5, 0}), {0, -10, 0}, 0.3, ey},
        {"PhysX 509: 0.02 mm over a wall's top",
         triangle({7, 2, -0.5f}, {7, 3, -0.5f}, {7, 3, 0.5f}),
         box({0.45f, 0.71276f, 0.5f}),
         at({6.559144f, 3.712804f, 0}),
         {0.4085364f, -0.00002289f, 0},
         -1},
        {"PhysX 501: a capsule down past an edge",
         ledge,
         capsule(0.5f, 0.5f),
         at({0.25f, 3, 0}),
         {0, -4, 0},
         (2.5 - std::sqrt(0.1875)) / 4,
         dvec3(0.5, std::sqrt(0.75), 0)},
        {"PhysX 501: a capsule just beside the edge", ledge, capsule(0.5f, 0.5f), at({0.501f, 3, 0}), {0, -4, 0}, -1},
        {"Jolt 886: a ball under a needle of a triangle",
         triangle({14.5536213f, 10.5973721f, -0.0060005188f}, {14.5536213f, 10.5969315f, -3.18638134f},
                  {14.5536213f, 10.5969315f, -5.18637228f}),
         sphere(0.2f),
         at({14.8314590f, 8.19055080f, -4.30825043f}),
         {-0.0988006592f, 5.96046448e-8f, 7.32421875e-4f},
         -1},
        {"Jolt 1734: a cylinder on a box",
         box({3, 0.5f, 5}),
         cylinder(1.2f, 0.75f),
         at({1, 4, 2}),
         {0, -4, 0},
         0.575,
         ey},
        {"Godot 82026: a cylinder at a wall, at a shallow angle",
         wall,
         cylinder(1, 0.5f),
         at({-1, 0, -4}),
         {0.5f, 0, 8},
         0.9,
         -ex},
        {"parry 193: a capsule at a wall, at a shallow angle",
         wall,
         capsule(0.5f, 0.4f),
         at({-1, 0, -4}),
         {0.6f, 0, 8},
         0.55 / 0.6,
         -ex},
        {"parry 26: to a target distance", sphere(0.5f), sphere(0.5f), at({3, 0, 0}), {-4, 0, 0}, 0.375, ex, 0.5f},
        {"parry 106: balls in touch", sphere(0.5f), sphere(0.5f), at({1, 0, 0}), {-1, 0, 0}, 0, ex},
        {"parry 106: a ball in touch with a box", box(vec3(0.5f)), sphere(0.5f), at({1, 0, 0}), {-1, 0, 0}, 0, ex},
        {"ncollide 141: at rest", box(vec3(0.5f)), box(vec3(0.5f)), at({0, 1.1f, 0}), {0, 0, 0}, -1},
        {"ncollide 141: upwards", box(vec3(0.5f)), box(vec3(0.5f)), at({0, 1.1f, 0}), {0, 1, 0}, -1},
        {"Box2D 917: a hair over the ground",
         box({10, 1, 10}),
         box(vec3(0.05f)),
         at({0.5f, 1.0500001f, 0}),
         {3, 0, 0},
         -1},
        {"sliding on the ground, in touch", box({10, 1, 10}), box(vec3(0.5f)), at({0.5f, 1.5f, 0}), {3, 0, 0}, 0, ey},
        {"Newton 79: a box on a large triangle",
         triangle({-55.12f, -38.16f, 0}, {55.12f, -38.16f, 0}, {-55.12f, 38.16f, 0}),
         box(vec3(0.5f)),
         at({-10, -10, 5}),
         {0, 0, -10},
         0.45,
         ez},
        {"PhysX 107: out of a box", box(vec3(0.5f)), sphere(0.2f), at({0, 0, 0}), {1, 0, 0}, 0},
        {"crossing edges",
         cloud({{-2, 0, 0}, {2, 0, 0}, {0, -2, -0.5f}, {0, -2, 0.5f}}),
         cloud({{0, 0, -2}, {0, 0, 2}, {-0.5f, 2, 0}, {0.5f, 2, 0}}),
         at({0.5f, 3, 0.25f}),
         {0, -4, 0},
         0.75,
         ey},
        {"tip on tip", cone(1, 1), cone(1, 1), at({0, 4, 0}, over), {0, -4, 0}, 0.5},
        {"tip beside tip",
         cone(1, 1),
         cone(1, 1),
         at({0x1p-10f, 4, 0}, over),
         {0, -4, 0},
         0.5 + 0x1p-11,
         unit(2, 1, 0)},
        {"corner on corner", box(vec3(1)), box(vec3(1)), at({4, 4, 4}), {-4, -4, -4}, 0.5},
        {"corner past corner", box(vec3(1)), box(vec3(1)), at({4, 4.01f, 4}), {-2, -2, -2}, -1},
        {"segment at a segment on one line",
         segment({-1, 0, 0}, {1, 0, 0}),
         segment({-1, 0, 0}, {1, 0, 0}),
         at({4, 0, 0}),
         {-4, 0, 0},
         0.5,
         ex},
        {"coplanar triangles",
         triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}),
         triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}),
         at({5, 0, 0}),
         {-6, 0, 0},
         0.5},
        {"rim at rim", cylinder(0x1p-10f, 1), cylinder(0x1p-10f, 1), at({5, 0, 0}), {-6, 0, 0}, 0.5, ex},
        {"a grain at a mountain", box(vec3(1000)), sphere(0x1p-10f), at({0, 1001, 0}), {0, -2, 0}, 0.5 - 0x1p-11, ey},
    };
    for (const float h : {5.0f, 50.0f, 500.0f, 5000.0f}) {
        casts.push_back({"parry 429: a ball on ever wider ground",
                         box({h, 0.5f, h}),
                         sphere(0.5166f),
                         at({1.4f, 1.6771f, 2.8f}),
                         {0, -2, 0},
                         (wide(1.6771f) - 0.5 - wide(0.5166f)) / 2,
                         ey});
    }
    check(casts);
}

TEST_CASE("a cast that meets an edge and a rim head on is a hit though GJK went up to its cap there") {
    // The upper bound of the distance was within the surface's tolerance long before the lower one.
    const Shape a =
        triangle({0x1.7c1e76p-2f, 0x1.c0788ep-1f, -0x1.3b907ap-2f}, {-0x1.5df8bep-1f, -0x1.4f9ba8p-1f, 0x1.48d2a2p-2f},
                 {-0x1.c01ba2p-1f, -0x1.de856ap-1f, 0x1.bf2778p-2f});
    const MatrixTransform f{{-0x1.d724cap-4f, 0x1.0f1f58p-2f, -0x1.72155cp-4f},
                            mat3(vec3{0x1.96b44ap-1f, -0x1.310c4ep-1f, -0x1.e5647ep-4f},
                                 vec3{-0x1.1317fp-1f, -0x1.8f6986p-1f, 0x1.4840b6p-2f},
                                 vec3{-0x1.223c66p-2f, -0x1.8717b6p-3f, -0x1.e12bbp-1f})};
    const ShapeCastResult r =
        shape_cast(a, cone(0x1.e0003cp-7f, 0x1.0e746ap-5f), f, {0x1.bec1e8p-5f, -0x1.45f978p-6f, 0x1.602c6ep-5f});
    CHECK(r.status == CastStatus::hit);
    CHECK(std::abs(r.fraction - 0.5f) <= 1e-5f);
}

// ---- Times of impact ------------------------------------------------------------------------------------------------

namespace {

RigidMotion moving(const vec3& position, const vec3& velocity = vec3(0.0f), const vec3& spin = vec3(0.0f),
                   const vec3& center = vec3(0.0f), const quat& rotation = quat(1, 0, 0, 0)) {
    return {.start = {position, rotation}, .center = center, .linear_velocity = velocity, .angular_velocity = spin};
}

struct Impact {
    const char* name;
    Shape a;
    RigidMotion of_a;
    Shape b;
    RigidMotion of_b;
    double time;     ///< negative: never
    double closing;  ///< speed at which the gap shrinks then: turns the tolerance into a time, m/s
    std::optional<dvec3> normal = {};
};

void check(const std::vector<Impact>& impacts) {
    for (const Impact& c : impacts) {
        for (const bool swapped : {false, true}) {
            const TimeOfImpact r =
                swapped ? time_of_impact(c.b, c.of_b, c.a, c.of_a) : time_of_impact(c.a, c.of_a, c.b, c.of_b);
            INFO(c.name, (swapped ? " (swapped)" : ""), ": status ", int(r.status), " time ", r.time, " should be ",
                 c.time);
            CHECK(r.status == (c.time < 0.0 ? ToiStatus::separated : ToiStatus::hit));
            if (c.time < 0.0) continue;
            const double size = std::min(bounding_radius(c.a), bounding_radius(c.b));
            CHECK(wide(r.time) <= c.time + 2e-6);
            CHECK(wide(r.time) >= c.time - 1.1e-4 * size / c.closing - 2e-6);
            if (c.normal) CHECK(glm::length((swapped ? -1.0 : 1.0) * dvec3(r.normal) - *c.normal) <= 2e-2);
        }
    }
}

/// First zero of the gap, which is positive at 0 and falls steeply where it ends.
template <class Gap>
double first_zero(const Gap& gap) {
    double t = 0.0;
    while (gap(t) > 0.0) t += 1e-4;
    double low = t - 1e-4, high = t;
    for (int i = 0; i < 60; ++i) (gap(0.5 * (low + high)) > 0.0 ? low : high) = 0.5 * (low + high);
    return low;
}

}  // namespace

TEST_CASE("shapes that only turn touch at the angle that geometry says or never") {
    const Shape wall = box({1, 20, 20}), ground = box({20, 1, 20});
    const RigidMotion down = moving({0, -1, 0});
    const float quarter = static_cast<float>(0.25 * pi);
    std::vector<Impact> impacts = {
        {"a cube a hair too small for the wall", box(vec3(1)), moving({0, 0, 0}, {}, {0, 0, 22}), wall,
         moving({2.4143f, 0, 0}), -1, 1},
        {"a cube turning along the wall", box(vec3(1)), moving({0, 0, 0}, {}, {0, 0, 22}), box({20, 20, 1}),
         moving({0, 0, 2.001f}), -1, 1},
        {"a cylinder about its own axis", cylinder(1, 1), moving({0, 0, 0}, {}, {0, 100, 0}), box(vec3(1)),
         moving({2.001f, 0, 0}), -1, 1},
        {"a ball on an arm to a ceiling", sphere(0.5f), moving({5, 0, 0}, {}, {0, 0, 1}, {-5, 0, 0}), ground,
         moving({0, 4.5f, 0}), std::asin(0.6), 4, ey},
        {"a hand too short for the ball", segment({0, 0, 0}, {1.5f, 0, 0}, 0.1f), moving({0, 0, 0}, {}, {0, 0, 50}),
         sphere(0.25f), moving({0, 2, 0}), -1, 1},
        {"a pair that turns as one", box(vec3(1)), moving({0, 0, 0}, {}, {0, 0, 3}), box(vec3(0.5f)),
         moving({1.6f, 0, 0}, {}, {0, 0, 3}, {-1.6f, 0, 0}), -1, 1},
        {"a pair that turns and moves as one", cylinder(1, 1), moving({0, 0, 0}, {5, 3, 1}, {1, 2, 3}),
         cone(0.5f, 0.5f), moving({1.6f, 0, 0}, {5, 3, 1}, {1, 2, 3}, {-1.6f, 0, 0}), -1, 1},
        {"a cylinder tipping onto its rim", cylinder(1, 0.5f), moving({0, 1.1f, 0}, {}, {0, 0, 1}), ground, down,
         std::atan(0.5) - std::acos(wide(1.1f) / std::hypot(1.0, 0.5)), 0.2, -ey},
        {"a needle of a cone, tip down", cone(2, 0.01f),
         moving({0, 0.9f, 0}, {}, {0, 0, -1}, {}, turned(ez, -0.5 * pi)), ground, down, std::asin(0.5 * wide(0.9f)),
         1.78, -ey},
    };
    for (const double d : {1.05, 1.2, 1.4}) {
        const double angle = 0.25 * pi - std::acos(d / std::sqrt(2.0));
        impacts.push_back({"a cube's edge to a wall", box(vec3(1)), moving({0, 0, 0}, {}, {0, 0, quarter}), wall,
                           moving({float(d) + 1, 0, 0}), angle / (0.25 * pi), 0.25 * pi * std::sqrt(2 - d * d), ex});
    }
    for (const double phi : {0.3, 1.2, 2.8}) {
        const double lead = std::asin(0.175);  // sphere of 0.25 and hand of 0.1 at a distance of 2
        impacts.push_back({"the hand of a clock to a ball", segment({0, 0, 0}, {3, 0, 0}, 0.1f),
                           moving({0, 0, 0}, {}, {0, 0, 20}), sphere(0.25f),
                           moving(vec3(dvec3(2 * std::cos(phi), 2 * std::sin(phi), 0))), (phi - lead) / 20,
                           40 * std::cos(lead), dvec3(-std::sin(phi - lead), std::cos(phi - lead), 0)});
    }
    check(impacts);
}

TEST_CASE("things that fall and spin meet the ground when their lowest point does") {
    const Shape ground = box({20, 1, 20});
    const RigidMotion down = moving({0, -1, 0}), falling = moving({0, 3, 0}, {0, -4, 0}, {0, 0, 5});
    const auto when = [](auto lowest) { return first_zero([&](double t) { return 3 - 4 * t - lowest(5 * t); }); };
    check({
        {"a box", box(vec3(0.5f)), falling, ground, down,
         when([](double w) { return 0.5 * (std::abs(std::cos(w)) + std::abs(std::sin(w))); }), 2, -ey},
        {"a capsule", capsule(1, 0.25f), falling, ground, down,
         when([](double w) { return 0.25 + std::abs(std::cos(w)); }), 2, -ey},
        {"a cylinder", cylinder(1, 0.25f), falling, ground, down,
         when([](double w) { return 0.25 * std::abs(std::sin(w)) + std::abs(std::cos(w)); }), 2, -ey},
        {"a cone", cone(1, 0.25f), falling, ground, down,
         when([](double w) { return std::max(-std::cos(w), std::cos(w) + 0.25 * std::abs(std::sin(w))); }), 2},
        {"Box2D 115: two boards that stay 7 m apart", box({25, 5, 1}),
         moving({24, -60, 0}, {}, {}, {}, turned(ez, 2.95)), box({2.5f, 2.5f, 1}),
         moving({53.474274f, -50.252514f, 0}, {1.121204f, -0.830959f, 0}, {0, 0, 0.26105f}, {},
                turned(ez, 513.36676 - 162 * pi)),
         -1, 1},
        {"a fast plate at a thin wall", box({0.001f, 1, 1}), moving({-50, 0.3f, 0}, {100, 0, 0}), box({0.001f, 5, 5}),
         moving({0, 0, 0}), 0.49998, 100, ex},
        {"a ball passing over a spinning plate", box({1, 0.01f, 1}), moving({0, 0, 0}, {}, {0, 40, 0}), sphere(0.5f),
         moving({-5, 0.512f, 0}, {10, 0, 0}), -1, 1},
    });
}
