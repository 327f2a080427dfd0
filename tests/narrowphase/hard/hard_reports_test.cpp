/// Poses from the issue trackers and test suites of other libraries (the test names say which), and similar ones, with
/// results in closed form; if none is given, the oracle decides. This file has distances, depths and hulls; moving
/// shapes are in hard_casts_test.cpp, contacts in hard_contacts_test.cpp.

#include "tests/narrowphase/hard/hard_case.h"
#include "tests/narrowphase/ladder/random_pairs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace talus;
using namespace test;
using glm::dmat3;
using glm::dvec3;
using Points = std::vector<vec3>;

mat3 from_quat(double x, double y, double z, double w) {
    return mat3(glm::mat3_cast(glm::normalize(glm::dquat(w, x, y, z))));
}

}  // namespace

TEST_CASE("what parry and rapier were reported to get wrong is right") {
    std::vector<HardCase> c;
    const auto add = [&](HardCase h) { c.push_back(std::move(h)); };
    const Shape slab = box({20, 1, 20});
    for (float y : {4.99f, 4.98f})
        add(make("parry 193: core " + std::to_string(y) + " in a slab", slab, capsule(5, 1), at({0, y + 1, 0}),
                 wide(y + 1) - 1 - 6, ey));
    for (float y : {0.8f, 0.799999f})
        add(make("parry 193: ball " + std::to_string(y) + " in a slab", slab, sphere(1), at({0, y + 1, 0}),
                 wide(y + 1) - 2, ey));
    const Shape drum = cylinder(50, 100), coin = cylinder(1.5f, 1);
    add(make("parry 396: coaxial cylinders, the same centre", drum, coin, at({0, 0, 0}), -51.5));
    add(make("parry 396: 0.01 aside", drum, coin, at({0.01f, 0, 0}), -51.5));
    add(make("parry 396: 0.01 up", drum, coin, at({0, 0.01f, 0}), -51.5 + wide(0.01f), ey));
    add(make("parry 396: 0.01 back", drum, coin, at({0, 0, -0.01f}), -51.5));
    add(make("parry 396: off centre", drum, coin, at({3, 5, -2}), -46.5, ey));
    add(make("parry 396: a tall capsule inside, a tie of cap and side", drum, capsule(50, 10), at({0, 0, 0}), -110.0));
    for (double t : {0.01, 0.5, 0.5 * pi})
        add(make("parry 396: turned by " + std::to_string(t), drum, coin, at({0, 0, 0}, test::turn(ez, t)),
                 -(50 + 1.5 * std::cos(t) + std::sin(t))));
    for (float y : {51.6f, 60.0f, 200.0f})
        add(make("parry 396: above by " + std::to_string(y), drum, coin, at({0, y, 0}), wide(y) - 51.5, ey));
    for (float x : {101.1f, 110.0f, 500.0f})
        add(make("parry 396: beside by " + std::to_string(x), drum, coin, at({x, 0, 0}), wide(x) - 101, ex));
    add(make("parry 396: turned and above", drum, coin, at({0, 53, 0}, test::turn(ez, 0.7)),
             3 - 1.5 * std::cos(0.7) - std::sin(0.7), ey));
    add(make("parry 431: overhanging faces", box(vec3(1)), box({1, 2, 2}), at({-5.573167f, 0, 0}), wide(5.573167f) - 2,
             -ex));
    add(make("parry 431: corner edge to face", box(vec3(1)), box(vec3(1)), at({4, 4, 0}, test::turn(ez, 0.25 * pi)),
             3 * std::sqrt(2.0) - 1, unit(1, 1, 0)));
    {
        const double cc = std::cos(pi / 6), ss = std::sin(pi / 6);
        const double dx = 4 - cc - ss, dz = 4 - cc + ss;
        add(make("parry 431: edge to edge", box(vec3(1)), box(vec3(1)), at({5, 0, 5}, test::turn(ey, pi / 6)),
                 std::hypot(dx, dz), unit(dx, 0, dz)));
    }
    add(make("parry 431: corner to corner", box(vec3(1)), box(vec3(1)), at({5, 4, 3}), std::sqrt(14.0), unit(3, 2, 1)));
    add(make("parry 431: touching, overhanging", box(vec3(1)), box({1, 2, 2}), at({2, 0, 0}), 0.0, ex));
    const Points frustum_a = {{-0.7938391f, 5.1101756f, 0.1773476f}, {-5.293839f, 0.6101756f, -4.3226523f},
                              {-5.293839f, 0.6101756f, 5.6773477f},  {-0.7938391f, 5.1101756f, 1.1773477f},
                              {-0.7938391f, 6.1101756f, 0.1773476f}, {-5.293839f, 10.610176f, -4.3226523f},
                              {-5.293839f, 10.610176f, 5.6773477f},  {-0.7938391f, 6.1101756f, 1.1773477f}};
    const Points frustum_b = {{8.114634f, 4.6308937f, 0.76987207f},   {-18.83664f, -53.96347f, -649.29565f},
                              {-608.7832f, -53.96347f, -208.59384f},  {6.93474f, 4.6308937f, 1.6512758f},
                              {8.253552f, 5.426136f, 0.9558364f},     {50.62288f, 343.65768f, -556.3136f},
                              {-539.3237f, 343.65768f, -115.611725f}, {7.073659f, 5.426136f, 1.8372401f}};
    add(make("parry 157: frusta, one corner in the other", frustum_a, frustum_b, at({0, 0, 0}), std::nullopt));
    const Points frustum_c = {{0.45838028f, 5.7372417f, 0.61019015f}, {1000.35846f, -994.1628f, 1000.51013f},
                              {1000.35834f, -994.1628f, -999.48987f}, {0.45838028f, 5.7372417f, 0.41019014f},
                              {0.45838028f, 5.9372416f, 0.61019015f}, {1000.35846f, 1005.8372f, 1000.51013f},
                              {1000.35834f, 1005.8372f, -999.48987f}, {0.45838028f, 5.9372416f, 0.41019014f}};
    const Points frustum_d = {{-0.4522132f, 8.780189f, 15.508082f},  {72537.12f, -72390.1f, -81439.88f},
                              {-74725.21f, -72390.1f, -79438.195f},  {-0.45368585f, 8.780189f, 15.508101f},
                              {-0.45221695f, 8.780969f, 15.507806f}, {72161.625f, 5710.25f, -109064.305f},
                              {-75100.7f, 5710.25f, -107062.62f},    {-0.4536896f, 8.780969f, 15.507825f}};
    add(make("parry 157: frusta of 1 km and 150 km", frustum_c, frustum_d, at({0, 0, 0}), std::nullopt));
    add(make("parry 253: a triangle's corner on another's edge",
             Points{{-13.174434f, 1, 8.736801f}, {3.5251038f, 1, 12.1f}, {3.2048466f, 1, 12.218325f}},
             Points{{-1.63f, 0, 11.19f}, {-2.349647f, 0, 11.037681f}, {-2.349647f, 1, 11.037681f}}, at({0, 0, 0}),
             std::nullopt));
    for (float y : {1.2391f, 1.25f})
        add(make("parry 378: capsule's end on a plank at " + std::to_string(y), box({4, 0.5f, 1}), capsule(0.25f, 0.5f),
                 at({2.0373735f, y, 0}), wide(y) - 1.25, ey));
    for (float y : {-0.5f, -0.25f, -0.005f, 0.0f, 0.255f, 0.495f, 0.5f}) {
        add(make("parry 70: capsule through a cube's face, at " + std::to_string(y), box(vec3(50)), capsule(0.5f, 0.5f),
                 at({0, 50 + y, 0}), wide(50 + y) - 51, ey));
        add(make("parry 70: capsule without length, at " + std::to_string(y), box(vec3(50)), capsule(0, 0.5f),
                 at({0, 50 + y, 0}), wide(50 + y) - 50.5, ey));
    }
    add(make("parry 107: a ball sliding along a wall of 2.5 km", box({1280, 96, 500}), sphere(96),
             at({216.02324f, 191.9968f, 0}), wide(191.9968f) - 192, ey));
    {
        const dvec3 p(vec3(1.10000002f, -7.9000001f, 16.5879993f)), a(vec3(2.27699995f, -7.9000001f, 16.3180008f)),
            b(vec3(-0.569999993f, -8.10000038f, 16.6070004f));
        const double t = glm::dot(p - a, b - a) / glm::dot(b - a, b - a);
        const dvec3 q = a + t * (b - a);
        add(make("parry 76: a point by a triangle with two equal corners", Points{vec3(a), vec3(b), vec3(b)},
                 Points{vec3(p)}, at({0, 0, 0}), glm::length(p - q), glm::normalize(p - q)));
    }
    for (float d : {0.25f, 4096.0f})
        add(make("parry 451: a point off a tetrahedron by " + std::to_string(d),
                 Points{{0, 0, 0}, {1, -1, 0}, {1, 0, -1}, {-1, -1, -1}}, Points{vec3(0.5f, -0.25f, -0.25f) + vec3(d)},
                 at({0, 0, 0}), wide(d) * std::sqrt(3.0), unit(1, 1, 1)));
    for (const vec3& p : {vec3(0, 0, 0), vec3(3, 0, -2), vec3(5.54f, 0, 4.51f), vec3(-5.65f, 0, 5.65f), vec3(7, 0, 7),
                          vec3(9.9f, 0, 0)})
        for (float s : {-0.001f, 0.0001f})
            add(make("rapier 810: a small box on a large disc at " + std::to_string(p.x) + (s < 0 ? " in" : " over"),
                     cylinder(0.05f, 10), box(vec3(0.05f)), at({p.x, 0.1f + s, p.z}), wide(0.1f + s) - 2 * wide(0.05f),
                     ey));
    add(make("rapier 810: a box at a cylinder's side", cylinder(2, 0.5f), box(vec3(0.25f)), at({0.749f, 0, 0}),
             wide(0.749f) - 0.75, ex));
    add(make("rapier 810: a cylinder on a floor", box({5, 0.5f, 5}), cylinder(0.4f, 0.3f), at({1, 0.899f, -2}),
             wide(0.899f) - 0.5 - wide(0.4f), ey));
    add(make("parry 317: boxes half a side off along each axis", box(vec3(1)), box(vec3(1)), at({0.5f, 0.5f, 0.5f}),
             -1.5));
    check(c);
}

TEST_CASE("what Jolt was reported to get wrong is right") {
    std::vector<HardCase> c;
    const auto add = [&](HardCase h) { c.push_back(std::move(h)); };
    {
        const vec3 p(-0.951660156f, -2.09155273f, -7.63574218f);
        const double r = std::hypot(wide(p.x), wide(p.z));
        add(make("Jolt 2103: a cylinder that touches a large capsule's side", capsule(2.03114343f, 7.19732189f),
                 cylinder(0.3f, 0.4975f), at(p), r - wide(0.4975f) - wide(7.19732189f), unit(p.x, 0, p.z)));
    }
    struct BallBox {
        vec3 low, high, centre;
        float r;
        double exact;
        dvec3 n;
    };
    const float e8 = std::sqrt(8.0f), e12 = std::sqrt(12.0f);
    for (const BallBox& b :
         {BallBox{{-2, -3, -4}, {2, 3, 4}, {4, 0, 0}, 1.99f, 2 - wide(1.99f), ex},
          {{-2, -3, -4}, {2, 3, 4}, {4, 0, 0}, 2.01f, 2 - wide(2.01f), ex},
          {{-2, -3, -4}, {2, 3, 4}, {3, 0, 0}, 2, -1, ex},
          {{1, 1, -2}, {2, 2, 2}, {4, 4, 0}, e8 - 0.01f, std::sqrt(8.0) - wide(e8 - 0.01f), unit(1, 1, 0)},
          {{1, 1, -2}, {2, 2, 2}, {4, 4, 0}, e8 + 0.01f, std::sqrt(8.0) - wide(e8 + 0.01f), unit(1, 1, 0)},
          {{1, 1, 1}, {2, 2, 2}, {4, 4, 4}, e12 - 0.01f, std::sqrt(12.0) - wide(e12 - 0.01f), unit(1, 1, 1)},
          {{1, 1, 1}, {2, 2, 2}, {4, 4, 4}, e12 + 0.01f, std::sqrt(12.0) - wide(e12 + 0.01f), unit(1, 1, 1)}}) {
        add(make("Jolt: ball and box as a hull", corners(b.low, b.high), sphere(b.r), at(b.centre), b.exact, b.n));
        add(make("Jolt: ball and box", box(0.5f * (b.high - b.low)), sphere(b.r),
                 at(b.centre - 0.5f * (b.high + b.low)), b.exact, b.n));
    }
    add(make("Jolt: balls nearly on each other", sphere(2), sphere(1.8f), at({0.1f, 0, 0}), wide(0.1f) - 2 - wide(1.8f),
             ex));
    add(make("Jolt: ball's centre on the top of a turned box", box({10, 1, 1}), sphere(1), at({10, 0, 0}), -1.0, ex));
    {
        HardCase h = make("Jolt: a capsule of 150 m through a box", box({1.5f, 0.75f, 1.25f}), capsule(75, 1.5f), {},
                          std::nullopt);
        const mat3 r(vec3{0.516170502f, -0.803887904f, -0.295520246f}, vec3{0.815010250f, 0.354940295f, 0.458012700f},
                     vec3{-0.263298869f, -0.477264702f, 0.838386655f});
        h.pose_a = {vec3(-10.2214508f, -18.6808319f, 40.7468987f) + r * vec3(0.5f, -1.25f, 1.75f), r};
        h.pose_b = {vec3(-9.68538570f, -18.0328083f, 41.3212280f + 75), onto_z};
        add(h);
    }
    add(make("Jolt: a small triangle beside a box of 600 m",
             Points{{125.932892f, -374.712250f, 364.192169f},
                    {319.492218f, -73.2614441f, 475.009613f},
                    {-122.277550f, -152.200287f, 192.441437f},
                    {71.2817841f, 149.250519f, 303.258881f},
                    {-77.8921967f, -359.410797f, 678.579712f},
                    {115.667137f, -57.9600067f, 789.397095f},
                    {-326.102631f, -136.898834f, 506.828949f},
                    {-132.543304f, 164.551971f, 617.646362f}},
             Points{{-81.5637589f, -126.987244f, -146.771729f},
                    {-81.8749924f, -127.270691f, -146.544403f},
                    {-81.6972275f, -127.383545f, -146.773254f}},
             at({0, 0, 0}), std::nullopt));
    {
        const vec3 v1(-0.479988575f, -1.36185002f, 0.269966960f), v2(-0.104996204f, 0.388152480f, 0.269967079f),
            v3(-0.104996204f, -1.36185002f, 0.269966960f);
        add(make("Jolt: a triangle parallel to a capsule", triangle(v1, v2, v3), capsule(0.5f, 0.37f), at({0, 0, 0}),
                 std::nullopt));
    }
    const Points strip = {{100, 1, 0}, {100, 1, 1}, {-100, 1, 0}};
    add(make("Jolt: long triangle, inside", strip, Points{{0, 0, 0.1f}}, at({0, 0, 0}), 1.0, -ey));
    add(make("Jolt: long triangle, short edge", strip, Points{{101, 0, 0.5f}}, at({0, 0, 0}), std::sqrt(2.0),
             unit(1, -1, 0)));
    add(make("Jolt: long triangle, long edge", strip, Points{{0, 0, -0.1f}}, at({0, 0, 0}), std::hypot(1.0, wide(0.1f)),
             unit(0, -1, -wide(0.1f))));
    add(make("Jolt: long triangle, corner", strip, Points{{101, 0, 2}}, at({0, 0, 0}), std::sqrt(3.0), unit(1, -1, 1)));
    add(make("Jolt: long triangle, sharp corner", strip, Points{{-101, 0, 0}}, at({0, 0, 0}), std::sqrt(2.0),
             unit(-1, -1, 0)));
    add(make("Jolt: nearly collinear triangle",
             Points{{99.9999847f, 0.946687222f, 99.9999847f},
                    {-100.010002f, 0.977360725f, -100.010002f},
                    {-100.000137f, 0.977310658f, -100.000137f}},
             Points{{0, 0, 0}}, at({0, 0, 0}), std::nullopt));
    add(make("Jolt: small triangle whose plane nearly holds the point",
             Points{{-0.132395342f, -0.294095188f, -0.164812326f},
                    {-0.126054004f, -0.283950001f, -0.159065604f},
                    {-0.154956535f, -0.284792334f, -0.160523415f}},
             Points{{0, 0, 0}}, at({0, 0, 0}), std::nullopt));
    add(make("Jolt: a flat square on a box's face", brick({5, 5, 1}),
             Points{{-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}}, at({0, 0, 0}), 0.0, ez));
    add(make("Jolt: boxes off centre, a twentieth deep", box({1.5f, 0.5f, 1.5f}), box(vec3(0.5f)),
             at({0.01f, 0.95f, 0}), wide(0.95f) - 1, ey));
    add(make("Jolt 886: a ball far below a needle of a triangle",
             Points{{14.5536213f, 10.5973721f, -0.00600051880f},
                    {14.5536213f, 10.5969315f, -3.18638134f},
                    {14.5536213f, 10.5969315f, -5.18637228f}},
             sphere(0.2f), at({14.8314590f, 8.19055080f, -4.30825043f}), std::nullopt));
    // A sphere at a triangle's front, back, edges and corners.
    const Shape tri4 = triangle({0, 0, 0}, {0, 0, 4}, {4, 0, 0});
    const double s2 = std::sqrt(0.5);
    struct OnTri {
        const char* n;
        dvec3 p, d;
    };
    for (const OnTri& t : {OnTri{"front", {1, 0, 1}, ey},
                           {"back", {1, 0, 1}, -ey},
                           {"edge 1", {0, 0, 2}, -ex},
                           {"edge 2", {2, 0, 2}, dvec3(s2, 0, s2)},
                           {"edge 3", {2, 0, 0}, -ez},
                           {"corner 1", {0, 0, 0}, dvec3(-s2, 0, -s2)},
                           {"corner 2", {0, 0, 4}, dvec3(-s2, 0, s2)},
                           {"corner 3", {4, 0, 0}, dvec3(s2, 0, -s2)}}) {
        add(make(std::string("Jolt: ball 0.1 off a triangle's ") + t.n, tri4, sphere(0.5f), at(vec3(t.p + 0.1 * t.d)),
                 -0.4, t.d));
        add(make(std::string("Jolt: ball 0.6 off a triangle's ") + t.n, tri4, sphere(0.5f), at(vec3(t.p + 0.6 * t.d)),
                 0.1, t.d));
    }
    check(c);
}

TEST_CASE("what FCL and Coal were reported to get wrong is right") {
    std::vector<HardCase> c;
    const auto add = [&](HardCase h) { c.push_back(std::move(h)); };
    {
        const vec3 p(0.5419794018f - 0.6f, 0.6016236576f - 0.325f, 0.0621175025f);
        const double r = std::hypot(wide(p.x), wide(p.z));
        add(make("fcl 391: a thin cylinder and a ball that touch", cylinder(0.325f, 0.03f), sphere(0.055f), at(p),
                 r - wide(0.03f) - wide(0.055f), unit(p.x, 0, p.z)));
    }
    {
        HardCase h = make("fcl 293: a plate and a small box below it", box({1.375f, 3, 0.025f}),
                          box({0.212f, 0.075f, 0.0843f}), {}, std::nullopt);
        h.pose_a = at({1.625f, 0, 0.5f});
        h.pose_b = {vec3(0.192074f, -0.277870f, 0.273546f), from_quat(0.340674, 0.155066, 0.638138, 0.672811)};
        add(h);
    }
    add(make("fcl 545: a small cube on a large one's diagonal", brick(vec3(0.5f)), brick(vec3(0.05f), vec3(0.4f)),
             at({0, 0, 0}), std::nullopt));
    add(make("fcl 545: a small cube on a large one's diagonal, boxes", box(vec3(0.5f)), box(vec3(0.05f)),
             at(vec3(0.4f)), wide(0.4f) - 0.5 - wide(0.05f)));
    add(make("fcl 127: ball under a plate", sphere(1), box({5, 1, 5}), at({0, 5, 3}), 3.0, ey));
    add(make("fcl 275: balls along y", sphere(20), sphere(10), at({0, 40, 0}), 10.0, ey));
    add(make("coal: a lying capsule behind a box", box({0.5f, 1, 2}), capsule(2, 2), at({-10, 0.8f, 1.5f}, onto_x), 5.5,
             -ex));
    {
        const vec3 p(140.834f, 45.449f, 128.932f);
        add(make("coal 351: ball by a cylinder in millimetres", cylinder(50, 136), sphere(55), at(p),
                 std::hypot(wide(p.x), wide(p.z)) - 191, unit(p.x, 0, p.z)));
    }
    add(make("coal 307: ball's centre on a box's face", box(vec3(0.5f)), sphere(0.5f), at({0, 0, 0.5f}), -0.5, ez));
    add(make("coal 144: boxes, a ten-thousandth deep", box(vec3(1)), box(vec3(1)), at({1.9999f, 0, 0}),
             wide(1.9999f) - 2, ex));
    check(c);
}

TEST_CASE("what MuJoCo and DART and Drake and libccd were reported to get wrong is right") {
    std::vector<HardCase> c;
    const auto add = [&](HardCase h) { c.push_back(std::move(h)); };
    for (float z : {-0.01f, -0.0075f, -0.005f, -1e-6f})
        add(make("mujoco 2206: ball sinking into a box, at " + std::to_string(z), box({0.5f, 0.25f, 0.5f}),
                 sphere(0.005f), at({0, 0.25f + 0.005f + z, 0}), wide(0.25f + 0.005f + z) - 0.25 - wide(0.005f), ey));
    add(make("mujoco 1473: capsule over a box", box(vec3(0.1f)), capsule(0.15f, 0.15f), at({0, 1, 0}),
             1 - wide(0.1f) - 2 * wide(0.15f), ey));
    add(make("mujoco 1857: capsule under a disc", cylinder(0.005f, 0.2f), capsule(0.05f, 0.01f), at({-0.1f, -0.1f, 0}),
             wide(0.1f) - wide(0.005f) - wide(0.05f) - wide(0.01f), -ey));
    {
        const double t = 2e-6;
        add(make("mujoco 2471: boxes side by side, turned by two millionths", box({0.007f, 0.007f, 0.01f}),
                 box({0.007f, 0.007f, 0.01f}), at({0, 0.02f, 0.01f}, test::turn(ey, -t)),
                 wide(0.02f) - 2 * wide(0.007f), ey));
    }
    add(make("DART: a box's face on a cylinder's cap", cylinder(1, 1), box(vec3(0.5f)), at({0.25f, 1.5f, 0}), 0.0, ey));
    for (double t : {0.0, pi})
        add(make("Drake 8049: a cylinder on the ground, upside " + std::string(t > 0 ? "down" : "up"), box({5, 1, 5}),
                 cylinder(0.05f, 0.025f), at({0, 1.049f, 0}, test::turn(ez, t)), wide(1.049f) - 1 - wide(0.05f), ey));
    add(make("Drake 10577: a coin on a slab", box({0.245f, 0.0075f, 0.315f}), cylinder(0.001f, 0.08f),
             at({0.1f, 0.0085f, 0.2f}), wide(0.0085f) - wide(0.0075f) - wide(0.001f), ey));
    add(make("libccd 17: a small box's corner on a large box's face", box(vec3(2.5f)), box(vec3(0.1f)),
             at({2.25f, 2.59f, -2.3f}), wide(2.59f) - 2.5 - wide(0.1f), ey));
    add(make("libccd 49: boxes at depth zero", box({0.5f, 1, 1.5f}), box({0.5f, 1, 1.5f}), at({0, 0, 3}), 0.0, ez));
    check(c);
}

TEST_CASE("what PhysX and ReactPhysics3D and bepuphysics2 were reported to get wrong is right") {
    std::vector<HardCase> c;
    const auto add = [&](HardCase h) { c.push_back(std::move(h)); };
    add(make("PhysX 600: a capsule along a triangle's edge", triangle({0, 0, 0}, {1, 0, 0}, {0, 0, -1}),
             capsule(1, 0.3f), at({0, 0, 0}, onto_x), -wide(0.3f)));
    add(make("PhysX 564: boxes half in each other", box(vec3(0.1f)), box(vec3(0.1f)), at({0.1f, 0, 0}),
             wide(0.1f) - 2 * wide(0.1f), ex));
    add(make("rp3d 347: a capsule along a triangle's edge, outside it", triangle({0, -2, 0}, {0, 2, 0}, {3, 0, 0}),
             capsule(0.5f, 0.5f), at({-0.4f, 0, 0}), wide(0.4f) - 0.5, -ex));
    add(make("rp3d 347: the same, a hair off the triangle's plane", triangle({0, -2, 0}, {0, 2, 0}, {3, 0, 0}),
             capsule(0.5f, 0.5f), at({-0.4f, 0, 1e-4f}), std::hypot(wide(0.4f), wide(1e-4f)) - 0.5,
             unit(-wide(0.4f), 0, wide(1e-4f))));
    add(make("rp3d 196: a box on a lying capsule", capsule(5, 1), box(vec3(1)), at({0, 0.5f, 1.9f}), wide(1.9f) - 2,
             ez));
    const auto prism = [](int n, float r, float h, double phase) {
        Points p;
        for (int i = 0; i < n; ++i) {
            const double a = phase + 2 * pi * i / n;
            for (float y : {-h, h}) p.push_back(vec3(dvec3(r * std::cos(a), y, r * std::sin(a))));
        }
        return p;
    };
    for (int n : {3, 5, 6, 8}) {
        add(make("bepu 417: the same prism of " + std::to_string(n) + " sides", prism(n, 1, 0.1f, 0),
                 prism(n, 1, 0.1f, 0), at({0, 0, 0}), -2 * wide(0.1f)));
        add(make("bepu 417: prisms of " + std::to_string(n) + " sides side in side", prism(n, 1, 2, 0.1),
                 prism(n, 1, 2, 0.1), at({0.125f, 0, 0}), std::nullopt));
    }
    // Tetrahedra crossed edge over edge: only the edges' cross product separates them.
    for (float d : {-0.25f, -0.0625f, 0.0f, 0.125f})
        add(make("PhysX 490: crossed edges, at " + std::to_string(d),
                 Points{{-2, 0, 0}, {2, 0, 0}, {0, -2, -0.5f}, {0, -2, 0.5f}},
                 Points{{0, 0, -2}, {0, 0, 2}, {-0.5f, 2, 0}, {0.5f, 2, 0}}, at({0, d, 0}), wide(d), ey));
    add(make("Box2D 917: a square a hair over level ground", box({10, 1, 10}), box(vec3(0.05f)), at({0.5f, 1.05f, 0}),
             wide(1.05f) - 1 - wide(0.05f), ey));
    check(c);
}

TEST_CASE("cones have exact distances and depths at their tips and sides and rims" * doctest::test_suite("slow")) {
    std::vector<HardCase> c;
    const auto add = [&](HardCase h) { c.push_back(std::move(h)); };
    const double slope = std::sqrt(5.0);
    add(make("cone: ball beside its side", cone(1, 1), sphere(0.5f),
             at(vec3(dvec3(0.5, 0, 0) + 1.0 * dvec3(2, 1, 0) / slope)), 0.5, dvec3(2, 1, 0) / slope));
    add(make("cone: ball in its side", cone(1, 1), sphere(0.5f),
             at(vec3(dvec3(0.5, 0, 0) + 0.25 * dvec3(2, 1, 0) / slope)), -0.25, dvec3(2, 1, 0) / slope));
    add(make("cone: ball over its tip, aside", cone(1, 1), sphere(0.5f), at({0.5f, 2, 0}), std::hypot(0.5, 1.0) - 0.5,
             unit(0.5, 1, 0)));
    add(make("cone: ball off its rim", cone(1, 1), sphere(0.5f), at({2, -2, 0}), std::sqrt(2.0) - 0.5, unit(1, -1, 0)));
    add(make("cone: ball in its middle", cone(1, 1), sphere(1), at({0, 0, 0}), -1 - 1 / slope));
    add(make("cone: sharp, ball at its tip", cone(10, 0.01f), sphere(0.25f), at({0, 10.25f, 0}), 0.0, ey));
    add(make("cone: flat, ball on its side", cone(0.01f, 10), sphere(0.25f), at({5, 0.25f, 0}), std::nullopt));
    add(make("cones side by side, bases level", cone(1, 1), cone(1, 1), at({2, 0, 0}), 0.0));
    add(make("cones, one upside down beside the other, sides touching", cone(1, 1), cone(1, 1), at({1, 0, 0}, over),
             0.0, dvec3(2, 1, 0) / slope));
    add(make("cones, one upside down beside the other, apart", cone(1, 1), cone(1, 1), at({2, 0, 0}, over), 2 / slope,
             dvec3(2, 1, 0) / slope));
    add(make("cones, one upside down beside the other, deep", cone(1, 1), cone(1, 1), at({0.75f, 0, 0}, over),
             -0.5 / slope, dvec3(2, 1, 0) / slope));
    add(make("cone's tip at a box's edge", box(vec3(1)), cone(1, 0.5f), at({1, 2, 0}, over), 0.0));
    add(make("cone's tip at a box's corner", box(vec3(1)), cone(1, 0.5f), at({1, 2, 1}, over), 0.0));
    add(make("cone's tip through a triangle", triangle({-2, 0, -2}, {2, 0, -2}, {0, 0, 2}), cone(1, 0.5f),
             at({0, 0.75f, 0}, over), -0.25, ey));
    add(make("cone's tip near a triangle's corner", triangle({0, 0, 0}, {4, 0, 0}, {0, 0, 4}), cone(1, 0.5f),
             at({-0.25f, 1, -0.25f}, over), std::nullopt));
    add(make("cone standing in a cylinder", cylinder(2, 2), cone(1, 1), at({0, 0, 0}), -3.0));
    add(make("cone in the same cone", cone(1, 1), cone(1, 1), at({0, 0, 0}), std::nullopt));
    add(make("cone across a capsule", cone(1, 1), capsule(2, 0.25f), at({0, 1.25f, 0}, onto_x), 0.0, ey));
    add(make("cone's tip in a ball", sphere(1), cone(1, 0.25f), at({0, 1.75f, 0}, over), -0.25, ey));
    add(make("cone's rim on a triangle's edge", triangle({1, -1, -2}, {1, -1, 2}, {3, -1, 0}), cone(1, 1),
             at({0, 0, 0}), 0.0));
    check(c);
}

TEST_CASE("cylinders and boxes tilted by anything have exact distances and depths") {
    std::vector<HardCase> c;
    const auto add = [&](HardCase h) { c.push_back(std::move(h)); };
    const double t45 = 0.25 * pi;
    add(make("cylinder on its rim at 45 degrees over a box", box({8, 1, 8}), cylinder(1, 1),
             at({0, 3, 0}, test::turn(ez, t45)), 2 - std::sqrt(2.0), ey));
    add(make("cylinder on its rim at 45 degrees in a box", box({8, 1, 8}), cylinder(1, 1),
             at({0, 2, 0}, test::turn(ez, t45)), 1 - std::sqrt(2.0), ey));
    for (double t : {1e-6, 1e-5, 1e-4, 1e-3, 1e-2}) {
        add(make("cylinder tilted by " + std::to_string(t) + " in a box", box({8, 1, 8}), cylinder(1, 1),
                 at({0, 1.9375f, 0}, test::turn(ez, t)), 0.9375 - std::cos(t) - std::sin(t)));
        add(make("cylinder tilted by " + std::to_string(t) + " over a box", box({8, 1, 8}), cylinder(1, 1),
                 at({0, 2.125f, 0}, test::turn(ez, t)), 1.125 - std::cos(t) - std::sin(t), ey));
        add(make("cylinder lying, tilted by " + std::to_string(t) + ", in a box", box({8, 1, 8}), cylinder(1, 1),
                 at({0, 1.9375f, 0}, test::turn(ez, 0.5 * pi + t)), 0.9375 - std::cos(t) - std::sin(t)));
        add(make("box tilted by " + std::to_string(t) + " in a box", box({8, 1, 8}), box(vec3(1)),
                 at({0, 1.9375f, 0}, test::turn(ez, t)), 0.9375 - std::cos(t) - std::sin(t)));
        add(make("box tilted both ways by " + std::to_string(t) + " over a box", box({8, 1, 8}), box(vec3(1)),
                 at({0, 2.125f, 0}, mat3(dmat3(test::turn(ex, t)) * dmat3(test::turn(ez, t)))), std::nullopt));
        add(make("box turned by " + std::to_string(t) + " about the vertical on a box", box({8, 1, 8}), box(vec3(1)),
                 at({0, 2, 0}, test::turn(ey, t)), 0.0, ey));
        add(make("box turned by " + std::to_string(t) + " beside a box edge by edge", box(vec3(1)), box(vec3(1)),
                 at({2.5f, 2.5f, 0}, test::turn(ez, t)), std::nullopt));
        add(make("cone tilted by " + std::to_string(t) + " in a box", box({8, 1, 8}), cone(1, 1),
                 at({0, 1.9375f, 0}, test::turn(ez, t)), 0.9375 - std::cos(t) - std::sin(t)));
        add(make("capsule tilted by " + std::to_string(t) + " over a box", box({8, 1, 8}), capsule(1, 0.5f),
                 at({0, 1.625f, 0}, test::turn(ez, 0.5 * pi + t)), 0.625 - 0.5 - std::sin(t), ey));
        add(make("capsules crossing at " + std::to_string(t), capsule(1, 0.25f), capsule(1, 0.25f),
                 at({0.75f, 0, 0}, test::turn(ex, t)), 0.25, ex));
        add(make("capsules crossing at " + std::to_string(t) + ", deep", capsule(1, 0.25f), capsule(1, 0.25f),
                 at({0.25f, 0, 0}, test::turn(ex, t)), -0.25, ex));
        add(make("capsules crossing at " + std::to_string(t) + ", cores touching", capsule(1, 0.25f), capsule(1, 0.25f),
                 at({0, 0, 0}, test::turn(ex, t)), -0.5));
        add(make("cylinders crossing at " + std::to_string(t), cylinder(1, 0.25f), cylinder(1, 0.25f),
                 at({0.75f, 0, 0}, test::turn(ex, t)), 0.25, ex));
        add(make("cylinders crossing at " + std::to_string(t) + ", deep", cylinder(1, 0.25f), cylinder(1, 0.25f),
                 at({0.4375f, 0, 0}, test::turn(ex, t)), -0.0625, ex));
    }
    add(make("cylinder: rim across a box's edge", box({1, 1, 4}), cylinder(0.5f, 1), at({1.75f, 1.25f, 0}), -0.25));
    add(make("cylinder: rim apart from a box's edge", box({1, 1, 4}), cylinder(0.5f, 1), at({2.5f, 2, 0}),
             std::sqrt(0.5), unit(1, 1, 0)));
    add(make("cylinder: box's corner in its side", cylinder(2, 2), box(vec3(1)),
             at(vec3(dvec3(3.0, 0.25, 0)), test::turn(ey, t45)), 3 - 2 - std::sqrt(2.0), ex));
    add(make("cylinder: box's corner over its cap", cylinder(2, 2), box(vec3(1)),
             at({0.5f, 4, 0}, test::turn(unit(1, 0, -1), std::atan(std::sqrt(2.0)))), 2 - std::sqrt(3.0), ey));
    add(make("cylinder: box's corner in its cap", cylinder(2, 2), box(vec3(1)),
             at({0.5f, 3.5f, 0}, test::turn(unit(1, 0, -1), std::atan(std::sqrt(2.0)))), 1.5 - std::sqrt(3.0), ey));
    add(make("cylinder: capsule crossing its rim", cylinder(1, 1), capsule(2, 0.25f), at({1.5f, 1.5f, 0}, onto_z),
             std::sqrt(0.5) - 0.25, unit(1, 1, 0)));
    add(make("cylinder: capsule lying on its cap", cylinder(1, 1), capsule(2, 0.25f), at({0.25f, 1.125f, 0}, onto_z),
             -0.125, ey));
    add(make("cylinder: capsule along its axis", cylinder(1, 1), capsule(3, 0.25f), at({0, 0, 0}), -1.25));
    add(make("cylinder: capsule along its side", cylinder(1, 1), capsule(3, 0.25f), at({1.125f, 0, 0}), -0.125, ex));
    add(make("cylinder: triangle's edge along its side", cylinder(1, 1), triangle({1, -3, 0}, {1, 3, 0}, {4, 0, 0}),
             at({0, 0, 0}), 0.0, ex));
    add(make("cylinder: triangle's corner in its cap's middle", cylinder(1, 1),
             triangle({0, 0.75f, 0}, {-1, 3, 0}, {1, 3, 0}), at({0, 0, 0}), -0.25, ey));
    add(make("cylinder: large triangle through its middle", cylinder(1, 2),
             triangle({-9, 0, -9}, {9, 0, -9}, {0, 0, 9}), at({0, 0, 0}), -1.0));
    add(make("cylinder: segment touching its rim", cylinder(1, 1), segment({0, 2, 0}, {2, 0, 0}), at({0, 0, 0}), 0.0));
    add(make("cylinder: discs that cross like a gyroscope", cylinder(0x1p-10f, 1), cylinder(0x1p-10f, 1),
             at({0, 0, 0}, onto_x), std::nullopt));
    add(make("cylinder: disc's rim on a disc", cylinder(0x1p-10f, 1), cylinder(0x1p-10f, 1),
             at({0.25f, 1 + 0x1p-10f, 0}, onto_x), 0.0, ey));
    add(make("cylinder: wheel in a corner", box({1, 8, 8}), cylinder(0.25f, 1), at({1.25f, 0, 0}, onto_x), 0.0, ex));
    add(make("cylinder: wheel on the ground", box({8, 1, 8}), cylinder(0.25f, 1), at({3, 1.999f, 2}, onto_x),
             wide(1.999f) - 2, ey));
    check(c);
}

TEST_CASE("shapes with one centre have the depth of their shortest way out") {
    std::vector<HardCase> c;
    const auto add = [&](HardCase h) { c.push_back(std::move(h)); };
    const double t45 = 0.25 * pi;
    add(make("same centre: ball and box", box({1, 2, 3}), sphere(5), at({0, 0, 0}), -6.0));
    add(make("same centre: capsule and box, a tie", box({2, 1, 3}), capsule(1, 0.5f), at({0, 0, 0}), -2.5));
    add(make("same centre: capsule and cylinder crossed", cylinder(1, 1), capsule(2, 0.5f), at({0, 0, 0}, onto_x),
             -1.5));
    add(make("same centre: cylinder and box", box(vec3(1)), cylinder(1, 1), at({0, 0, 0}), -2.0));
    add(make("same centre: cylinder and box turned by 45 degrees", box(vec3(1)), cylinder(1, 1),
             at({0, 0, 0}, test::turn(ey, t45)), -2.0));
    add(make("same centre: cone and box", box(vec3(1)), cone(1, 1), at({0, 0, 0}), -4 / std::sqrt(5.0)));
    add(make("same centre: box and box turned by 45 degrees", box(vec3(1)), box(vec3(1)),
             at({0, 0, 0}, test::turn(ey, t45)), -2.0));
    add(make("same centre: flat box and box turned by 45 degrees", box({1, 4, 1}), box({1, 4, 1}),
             at({0, 0, 0}, test::turn(ey, t45)), -1 - std::sqrt(2.0)));
    add(make("same centre: triangle and triangle turned", triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}),
             triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), at({0, 0, 0}, test::turn(ey, 1.0)), 0.0));
    add(make("same centre: rounded triangles", triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, 0.25f),
             triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, 0.25f), at({0, 0, 0}), -0.5));
    add(make("same centre: capsules of other lengths", capsule(1, 0.5f), capsule(4, 0.25f), at({0, 0, 0}), -0.75));
    add(make("same centre: spheres", sphere(3), sphere(3), at({0, 0, 0}), -6.0));
    check(c);
}

TEST_CASE("specks have exact distances from things a million times as large") {
    std::vector<HardCase> c;
    const auto add = [&](HardCase h) { c.push_back(std::move(h)); };
    for (float k : {0x1p-10f, 0x1p-14f}) {
        add(make("tiny ball on a large box's edge", box(vec3(100)), sphere(k), at({100 + k, 100, 0}), 0.0));
        add(make("tiny capsule on a large cylinder's side", cylinder(100, 64), capsule(k, k), at({64 + k, 3, 0}), 0.0,
                 ex));
        add(make("tiny box on a large sphere", sphere(64), box(vec3(k)), at({0, 64 + k, 0}), 0.0, ey));
        add(make("tiny cone on a large box", box(vec3(64)), cone(k, k), at({5, 64 + k, 7}), 0.0, ey));
        add(make("tiny cylinder deep in a large box", box({64, 32, 64}), cylinder(k, k), at({5, 16, 7}), -16 - wide(k),
                 ey));
        add(make("tiny hull over a large hull", brick(vec3(64)), brick(vec3(k)), at({5, 64 + 3 * k, 7}), 2 * wide(k),
                 ey));
        add(make("tiny triangle on a large cone's side", cone(64, 64), triangle({-k, 0, -k}, {k, 0, -k}, {0, 0, k}),
                 at({32, 0, 0}), std::nullopt));
    }
    check(c);
}

TEST_CASE("rounded and bare segments and triangles have exact distances and depths") {
    std::vector<HardCase> c;
    const auto add = [&](HardCase h) { c.push_back(std::move(h)); };
    add(make("rounded segment in a box's corner", box(vec3(1)), segment({0.5f, 0.5f, 0.5f}, {3, 3, 3}, 0.25f),
             at({0, 0, 0}), -0.75));
    add(make("segment of equal ends nearly", segment({0, 0, 0}, {0, 1e-5f, 0}, 0.5f), box(vec3(1)), at({1.25f, 0, 0}),
             -0.25, ex));
    add(make("rounded triangle over a box's edge", box(vec3(1)),
             triangle({1.5f, 1.5f, -4}, {1.5f, 1.5f, 4}, {5, 5, 0}, 0.5f), at({0, 0, 0}), std::sqrt(0.5) - 0.5,
             unit(1, 1, 0)));
    add(make("triangle crossing a triangle like scissors", triangle({-2, 0, -1}, {2, 0, -1}, {0, 0, 3}),
             triangle({0, -1, 0}, {0, 1, 0}, {0, 0, -0.5f}), at({0, 0, 0}), std::nullopt));
    add(make("triangle with a right angle on a box's corner", box(vec3(1)), triangle({1, 1, 1}, {3, 1, 1}, {1, 3, 1}),
             at({0, 0, 0}), 0.0));
    add(make("sliver of a triangle of 1 km beside a ball", triangle({-500, 0, 0}, {500, 0, 0}, {500, 0x1p-10f, 0}),
             sphere(0.5f), at({100, 0.25f, 0.5f}), std::nullopt));
    check(c);
}

// ---- Hulls ----------------------------------------------------------------------------------------------------------

TEST_CASE("clouds that other hull builders failed on have the faces and the volume they should") {
    struct Cloud {
        const char* name;
        Points points;
        std::size_t vertices, faces;  ///< zero: refused
        double volume = 0.0;
    };
    Points octagon, grid, thousand, rings;
    for (const float z : {0.0f, 100.0f}) {
        for (const vec3& p : {vec3(40, 100, 0), vec3(100, 40, 0)}) {
            for (const float x : {-1.0f, 1.0f}) {
                for (const float y : {-1.0f, 1.0f}) octagon.emplace_back(x * p.x, y * p.y, z);
            }
        }
    }
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 5; ++j) grid.emplace_back(i, 0, j);
    }
    for (int i = 0; i < 1000; ++i) {
        for (const vec3& p : brick(vec3(1))) thousand.push_back(p);
    }
    for (int i = 0; i < 64; ++i) {
        for (const float y : {-1.0f, -0.5f, 0.0f, 0.5f, 1.0f})
            rings.emplace_back(vec3(dvec3(std::cos(pi * i / 32), y, std::sin(pi * i / 32))));
    }
    const Cloud clouds[] = {
        {"3d-quickhull 2: points on a face of a box",
         {{0, 50, 0},
          {100, 100, 0},
          {0, 100, 0},
          {-100, 100, 0},
          {-100, 0, 0},
          {100, -100, 0},
          {0, -50, 0},
          {50, -50, 0},
          {-100, -100, 0},
          {0, -100, 0},
          {100, 0, 0},
          {100, 100, 200},
          {-100, 100, 200},
          {100, -100, 200},
          {-100, -100, 200}},
         8,
         6,
         8e6},
        {"3d-quickhull 2: an octagon", octagon, 16, 10, 3.28e6},
        {"akuukka 1: four coplanar points",
         {{-3, -0.25f, -0.8f}, {-3, 0.25f, -0.8f}, {-3.125f, 0.25f, -0.75f}, {-3.125f, -0.25f, -0.75f}},
         0,
         0},
        {"three.js 12327: a flat grid", grid, 0, 0},
        {"a cube given a thousand times", thousand, 8, 6, 8.0},
        {"a cylinder with rings between its caps", rings, 128, 66, 64 * std::sin(pi / 32)},
        {"a point a millimetre off a face",
         {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.25f, 0.25f, -1e-3f}},
         5,
         6,
         1.0 / 6 + 0.5e-3 / 3},
    };
    for (const Cloud& c : clouds) {
        const auto built = make_hull(c.points);
        INFO(c.name);
        CHECK(bool(built) == (c.vertices > 0));
        if (!built) continue;
        CHECK((*built)->vertices.size() == c.vertices);
        CHECK((*built)->faces.size() == c.faces);
        CHECK(std::abs(wide((*built)->volume) - c.volume) <= 1e-5 * c.volume);
    }
}
