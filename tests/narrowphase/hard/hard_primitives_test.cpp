/// Spheres, capsules, boxes, cylinders, cones and rounded triangles with results in closed form, at poses at which
/// distance and depth queries often fail. The same as hard_polytopes_test.cpp, for round shapes.

#include "tests/narrowphase/hard/hard_case.h"
#include "tests/narrowphase/ladder/random_pairs.h"

#include <talus/narrowphase/gjk.h>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace talus;
using glm::dvec3;
using namespace test;

}  // namespace

TEST_CASE("balls have exact distances and depths against everything") {
    check({
        make("apart", sphere(1), sphere(2), at({6, 8, 0}), 7.0, dvec3(0.6, 0.8, 0)),
        make("touching", sphere(1), sphere(2), at({0, 3, 0}), 0.0, ey),
        make("a rounding apart", sphere(1), sphere(1), at({0, 2 + 0x1p-22f, 0}), 0x1p-22, ey),
        make("a rounding deep", sphere(1), sphere(1), at({0, 2 - 0x1p-22f, 0}), -0x1p-22, ey),
        make("concentric", sphere(1), sphere(2), at({0, 0, 0}), -3.0),
        make("centres a rounding apart", sphere(1), sphere(2), at({0x1p-23f, 0, 0}), -3.0 + 0x1p-23),
        make("centres 1e-20 m apart", sphere(1), sphere(2), at({1e-20f, 0, 0}), -3.0),
        make("marble on a planet", sphere(100000), sphere(1), at({0, 100001, 0}), 0.0, ey),
        make("marble in a planet", sphere(100000), sphere(1), at({0, 100000, 0}), -1.0, ey),
        make("10 km apart", sphere(0.5f), sphere(0.5f), at({6000, 0, 8000}), 9999.0, dvec3(0.6, 0, 0.8)),
        make("on a box's face", box(vec3(1)), sphere(0.5f), at({0.25f, 1.5f, 0}), 0.0, ey),
        make("on a box's edge", box(vec3(1)), sphere(5), at({4, 5, 0}), 0.0, dvec3(0.6, 0.8, 0)),
        make("on a box's corner", box(vec3(1)), sphere(3), at({2, 3, 3}), 0.0, unit(1, 2, 2)),
        make("centre on a box's face", box(vec3(1)), sphere(0.5f), at({1, 0.25f, 0}), -0.5, ex),
        make("centre on a box's edge", box(vec3(1)), sphere(0.5f), at({1, 1, 0}), -0.5),
        make("parry 34: centre on a box's corner", box(vec3(1)), sphere(1), at({1, 1, 1}), -1.0),
        make("centre a rounding off a box's face", box(vec3(1)), sphere(0.5f), at({1 + 0x1p-22f, 0.25f, 0}),
             -0.5 + 0x1p-22, ex),
        make("centre a rounding inside a box's face", box(vec3(1)), sphere(0.5f), at({1 - 0x1p-22f, 0.25f, 0}),
             -0.5 - 0x1p-22, ex),
        make("in a box's middle", box({1, 2, 3}), sphere(0.5f), at({0, 0, 0}), -1.5),
        make("in a cube's middle", box(vec3(1)), sphere(0.5f), at({0, 0, 0}), -1.5),
        make("larger than the box in it", box(vec3(1)), sphere(10), at({0, 0.25f, 0}), -10.75, ey),
        make("on a plate", box({10, 0x1p-13f, 10}), sphere(0.5f), at({3, 0.5f + 0x1p-13f, 2}), 0.0, ey),
        make("through a plate", box({10, 0x1p-13f, 10}), sphere(0.5f), at({3, 0x1p-14f, 2}), -0.5 - 0x1p-14, ey),
        make("at a needle's end", box({0x1p-13f, 1, 0x1p-13f}), sphere(0.5f), at({0, 1.5f, 0}), 0.0, ey),
        make("beside a needle", box({0x1p-13f, 1, 0x1p-13f}), sphere(0.5f), at({1, 0.25f, 0}), 0.5 - 0x1p-13, ex),
        make("on a cylinder's rim", cylinder(1, 1), sphere(5), at({4, 5, 0}), 0.0, dvec3(0.6, 0.8, 0)),
        make("on a cylinder's cap", cylinder(1, 1), sphere(0.5f), at({0.5f, 1.5f, 0.25f}), 0.0, ey),
        make("on a cylinder's side", cylinder(1, 5), sphere(5), at({6, 0.25f, 8}), 0.0, dvec3(0.6, 0, 0.8)),
        make("in a cylinder's middle", cylinder(2, 1), sphere(0.5f), at({0, 0, 0}), -1.5),
        make("on a cylinder's axis", cylinder(2, 1), sphere(0.5f), at({0, 1.75f, 0}), -0.75, ey),
        make("on a cone's tip", cone(1, 1), sphere(0.5f), at({0, 1.5f, 0}), 0.0, ey),
        make("under a cone", cone(1, 1), sphere(0.5f), at({0.25f, -1.5f, 0}), 0.0, -ey),
        make("in a cone, near its base", cone(2, 2), sphere(0.25f), at({0, -1.875f, 0}), -0.375, -ey),
        make("beside a cone", cone(2, 3), sphere(5), at({1.5f + 8, 6, 0}), 5.0, dvec3(0.8, 0.6, 0)),
        make("on a triangle", triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), sphere(0.5f), at({0, 0.5f, 0}), 0.0, ey),
        make("half through a triangle", triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), sphere(0.5f), at({0, 0, 0}),
             -0.5),
        make("on a triangle's edge", triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), sphere(5), at({0, 3, -5}), 0.0,
             dvec3(0, 0.6, -0.8)),
    });
}

TEST_CASE("capsules have exact distances and depths in their singular poses") {
    const Shape floor = triangle({10, 0, -5}, {10, 0, 5}, {-10, 0, 5});
    std::vector<HardCase> cases = {
        make("side by side", capsule(1, 0.5f), capsule(1, 0.5f), at({1.25f, 0.5f, 0}), 0.25, ex),
        make("on one axis", capsule(1, 0.5f), capsule(1, 0.5f), at({0, 3.25f, 0}), 0.25, ey),
        make("on one axis, end in end", capsule(1, 0.5f), capsule(1, 0.5f), at({0, 2.5f, 0}), -0.5, ey),
        make("on one axis, cores touching", capsule(1, 0.5f), capsule(1, 0.5f), at({0, 2, 0}), -1.0),
        make("on one axis, cores overlapping", capsule(1, 0.5f), capsule(1, 0.5f), at({0, 1, 0}), -1.0),
        make("the same", capsule(1, 0.5f), capsule(1, 0.5f), at({0, 0, 0}), -1.0),
        make("crossing in the middle", capsule(1, 0.5f), capsule(1, 0.5f), at({0, 0, 0}, onto_x), -1.0, std::nullopt),
        make("crossing, touching", capsule(1, 0.5f), capsule(1, 0.5f), at({0, 0.25f, 1}, onto_x), 0.0, ez),
        make("a T, end on side", capsule(1, 0.5f), capsule(1, 0.5f), at({2, 0.25f, 0}, onto_x), 0.0, ex),
        make("a T, core on core", capsule(1, 0.5f), capsule(1, 0.5f), at({1, 0.25f, 0}, onto_x), -1.0, std::nullopt),
        make("without a cylinder", capsule(0, 0.5f), capsule(0, 0.5f), at({0.6f, 0.8f, 0}), std::nullopt,
             dvec3(0.6, 0.8, 0)),
        make("lying on a box", box({4, 1, 4}), capsule(1, 0.5f), at({0, 1.5f, 0.5f}, onto_x), 0.0, ey),
        make("lying in a box", box({4, 1, 4}), capsule(1, 0.5f), at({0, 1.25f, 0.5f}, onto_x), -0.25, ey),
        make("core in a box's face", box({4, 1, 4}), capsule(1, 0.5f), at({0, 1, 0.5f}, onto_x), -0.5, ey),
        make("lying over a box's rim", box({4, 1, 4}), capsule(1, 0.5f), at({4, 1.5f, 0.5f}, onto_x), 0.0, ey),
        make("lying along a box's edge", box({4, 1, 4}), capsule(1, 0.5f), at({4, 1, 0}, onto_z), -0.5, std::nullopt),
        make("standing on a box", box({4, 1, 4}), capsule(1, 0.5f), at({0.25f, 2.5f, 0}), 0.0, ey),
        make("standing through a box", box({4, 1, 4}), capsule(4, 0.5f), at({3.5f, 0, 0}), -1.0, ex),
        make("fcl: thin capsule at a box's corner", box(vec3(1)), capsule(10, 0x1p-10f), at({2, 1, 1}), 1.0 - 0x1p-10,
             ex),
        make("bepu 101: standing in a triangle", floor, capsule(0.5f, 0.5f), at({1, 0.9f, 1}), wide(0.9f) - 1.0, ey),
        make("lying on a triangle's edge", triangle({-1, 0, 0}, {1, 0, 0}, {0, -1, 0}), capsule(1, 0.5f),
             at({0, 0.5f, 0}, onto_x), 0.0, ey),
        make("Jolt 1037: nearly a ball, close over a triangle", triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}),
             capsule(0.01f, 0.3f), at({0, 0.31f - 0x1p-12f, 0}), wide(0.31f - 0x1p-12f) - wide(0.01f) - wide(0.3f), ey),
        make("in a cylinder, coaxial", cylinder(4, 2), capsule(1, 0.5f), at({0, 0, 0}), -2.5),
        make("Jolt 2103: a cylinder that just touches", capsule(1, 0.5f), cylinder(1, 2), at({2.5f, 0.5f, 0}), 0.0, ex),
    };
    for (const float tilt : {1e-7f, 1e-6f, 1e-3f}) {  // bepu 101: a triangle tilted by a rounding
        cases.push_back(make("standing in a triangle tilted by " + std::to_string(tilt),
                             triangle({10, 0, -5}, {10, 0, 5}, {-10, tilt, 5}), capsule(0.5f, 0.5f), at({1, 0.9f, 1}),
                             std::nullopt));
    }
    check(cases);
}

TEST_CASE("boxes have exact distances and depths in their singular poses") {
    check({
        make("the same", box(vec3(1)), box(vec3(1)), at({0, 0, 0}), -2.0),
        make("on each other", box(vec3(1)), box(vec3(1)), at({0, 2, 0}), 0.0, ey),
        make("turned by a quarter on each other", box({1, 2, 3}), box({1, 2, 3}), at({2.5f, 0, 0}, onto_z), 0.5, ex),
        make("plates on each other", box({1, 1e-4f, 1}), box({1, 1e-4f, 1}), at({0.5f, 2e-4f, 0}), 0.0, ey),
        make("needles across each other", box({1e-4f, 1, 1e-4f}), box({1, 1e-4f, 1e-4f}), at({0.5f, 0.25f, 2e-4f}), 0.0,
             ez),
        make("small and large by 100 000", box(vec3(1000)), box(vec3(0.01f)), at({0, 1000, 0}), -wide(0.01f), ey),
        make("small in large's corner", box(vec3(1024)), box(vec3(0x1p-7f)), at({1024, 1024, 1024}), -0x1p-7,
             std::nullopt),
        make("Bullet's margin: 1 cm boxes 100 m apart", box(vec3(0.005f)), box(vec3(0.005f)), at({100, 0, 0}),
             100.0 - 2.0 * wide(0.005f), ex),
        make("Bullet's margin: 1 mm boxes 1 mm apart", box(vec3(0x1p-11f)), box(vec3(0x1p-11f)), at({0x1p-9f, 0, 0}),
             0x1p-10, ex),
        make("standing on an edge", box({4, 1, 4}), box(vec3(1)),
             at({0, 1 + 1.4142135f, 0}, test::turn(dvec3(ez), 0.7853981633974483)), std::nullopt),
        make("standing on a corner", box({4, 1, 4}), box(vec3(1)),
             at({0, 3, 0}, test::turn(unit(1, 0, -1), 0.9553166181245093)), std::nullopt),
        make("box in a tetrahedron's place", box(vec3(1)), triangle({-1, 1, -1}, {1, 1, -1}, {0, 1, 1}), at({0, 0, 0}),
             0.0, ey),
        make("segment along its diagonal", box(vec3(1)), segment({-1, -1, -1}, {1, 1, 1}), at({0, 0, 0}), std::nullopt),
        make("segment across its edge", box(vec3(1)), segment({0, 2, 0}, {2, 0, 0}), at({0, 0, 0}), 0.0, std::nullopt),
    });
}

TEST_CASE("cylinders and cones have exact distances and depths in their singular poses") {
    const double half_angle = std::atan(0.25);
    check({
        make("cylinders cap on cap", cylinder(1, 1), cylinder(1, 1), at({0.5f, 2, 0}), 0.0, ey),
        make("cylinders cap on cap, coaxial", cylinder(1, 1), cylinder(1, 1), at({0, 2, 0}), 0.0, ey),
        make("cylinders cap in cap, coaxial", cylinder(1, 1), cylinder(1, 1), at({0, 1.75f, 0}), -0.25, ey),
        make("cylinders cap over cap, coaxial", cylinder(1, 1), cylinder(1, 1), at({0, 2.25f, 0}), 0.25, ey),
        make("cylinders side by side", cylinder(1, 1), cylinder(1, 1), at({2, 0.5f, 0}), 0.0, ex),
        make("cylinders rim on rim", cylinder(1, 1), cylinder(1, 1), at({1.2f + 0.8f, 2, 0}), std::nullopt),
        make("cylinders crossing, touching", cylinder(2, 0.5f), cylinder(2, 0.5f), at({0, 0.25f, 1}, onto_x), 0.0, ez),
        make("cylinders crossing, an eighth deep", cylinder(2, 0.5f), cylinder(2, 0.5f), at({0, 0.25f, 0.875f}, onto_x),
             -0.125, ez),
        make("cylinders crossing in the middle", cylinder(2, 0.5f), cylinder(2, 0.5f), at({0, 0, 0}, onto_x), -1.0),
        make("the same disc", cylinder(0x1p-10f, 1), cylinder(0x1p-10f, 1), at({0, 0, 0}), -0x1p-9),
        make("the same rod", cylinder(1, 0x1p-10f), cylinder(1, 0x1p-10f), at({0, 0, 0}), -0x1p-9),
        make("coin on a table", box({1, 0.5f, 1}), cylinder(0.001f, 0.01f), at({0.25f, 0.501f, 0.5f}),
             wide(0.501f) - 0.5 - wide(0.001f), ey),
        make("coin on its rim", box({1, 0.5f, 1}), cylinder(0.001f, 0.01f), at({0.25f, 0.51f, 0.5f}, onto_x),
             wide(0.51f) - 0.5 - wide(0.01f), ey),
        make("lying on a box", box({4, 1, 4}), cylinder(1, 0.5f), at({0.25f, 1.5f, 0}, onto_x), 0.0, ey),
        make("lying in a box", box({4, 1, 4}), cylinder(1, 0.5f), at({0.25f, 1.25f, 0}, onto_x), -0.25, ey),
        make("cap on a box's corner", box(vec3(1)), cylinder(1, 1), at({1.5f, 2, 1.5f}), 0.0, ey),
        make("side on a box's face", box(vec3(1)), cylinder(1, 1), at({2, 0.25f, 0}), 0.0, ex),
        make("side on a box's edge", box(vec3(1)), cylinder(1, 5), at({4, 0.25f, 5}), 0.0, dvec3(0.6, 0, 0.8)),
        make("tesseract: a small one off a cube's middle", box(vec3(0.5f)), cylinder(0.125f, 0.25f),
             at({0.2f, 0, 0}, onto_z), -(0.5 + 0.25 - wide(0.2f)), ex),
        make("ncollide 157: a cylinder against a thin wall", cylinder(0.925f, 0.5f), box({0.05f, 0.75f, 0.5f}),
             at({0.53f, -0.175f, -0.52f}), std::nullopt),
        make("fcl 319: a cylinder by a tall thin box", box({0.025f, 0.195f, 0.735f}), cylinder(0.09f, 0.18f),
             at({-0.015f, 0.4f, 0.195f}, onto_z), std::nullopt),
        make("cone on its base", box({4, 1, 4}), cone(1, 0.5f), at({0.25f, 2, 0}), 0.0, ey),
        make("cone on its tip", box({4, 1, 4}), cone(1, 0.5f), at({0.25f, 2, 0}, over), 0.0, ey),
        make("cone with its tip an eighth in", box({4, 1, 4}), cone(1, 0.5f), at({0.25f, 1.875f, 0}, over), -0.125, ey),
        make("cone lying on its side", box({4, 1, 4}), cone(1, 0.5f),
             at({0, 1.24f, 0}, test::turn(dvec3(ez), -(1.5707963267948966 + half_angle))), std::nullopt),
        make("cones tip on tip", cone(1, 1), cone(1, 1), at({0, 2, 0}, over), 0.0),
        make("cones tip over tip", cone(1, 1), cone(1, 1), at({0, 2.25f, 0}, over), 0.25, ey),
        make("cones base on base", cone(1, 1), cone(1, 1), at({0.25f, -2, 0}, over), 0.0, -ey),
        make("cones like paper cups", cone(2, 1), cone(2, 1), at({0, 0.5f, 0}), std::nullopt),
        make("cone in a cylinder", cylinder(2, 1), cone(1, 0.5f), at({0, 0, 0}), -1.5),
        make("spike on a plate", box({1, 0x1p-13f, 1}), cone(1, 0x1p-10f), at({0.25f, 1 + 0x1p-13f, 0}, over), 0.0, ey),
        make("spike through a plate", box({1, 0x1p-13f, 1}), cone(1, 0x1p-10f), at({0.25f, 0.75f, 0}, over),
             -0.25 - 0x1p-13, ey),
        make("newton 3773: a small cylinder on a triangle of 300 m", triangle({0, 0, 0}, {100, 320, 0}, {0, 320, 0}),
             cylinder(0.07f, 0.02f),
             at({28.87991333f, 260.53430176f, 0.00036136055f},
                test::turn(unit(-0.16498479, 0.36682746, -0.48718625), 2.0 * std::acos(0.77515626)) * onto_z),
             std::nullopt),
        make("a disc of 1 km under a coin", cylinder(0.5f, 1000), cylinder(0.001f, 0.01f), at({600, 0.5f, 100}),
             -wide(0.001f), ey),
        make("a drum in a drum, off axis", cylinder(4, 4), cylinder(1, 1), at({2.5f, 0, 0}), -2.5, ex),
        make("rounded triangles face to face", triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, 0.25f),
             triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, 0.25f), at({0.25f, 0.5f, 0}), 0.0, ey),
        make("rounded segments on one line", segment({-1, 0, 0}, {1, 0, 0}, 0.25f),
             segment({-1, 0, 0}, {1, 0, 0}, 0.5f), at({1, 0, 0}), -0.75),
    });
}

TEST_CASE("witness points of overlapping rims are on both shapes beside coordinates that are large for them") {
    // In EPA's descent GJK went on beyond the precision of the large shape's coordinates: the triangle of three rim
    // points that differed only by rounding had its nearest point a fifth of the small shape's size off. It also used
    // support points from a float scan, whose error changes the normals by its root.
    const mat3 leaning(vec3{0x1.fffc82p-1f, 0x1.c56976p-8f, 0x1.326cf8p-9f},
                       vec3{0x1.342632p-9f, -0x1.f043cp-10f, -0x1.ffff68p-1f},
                       vec3{-0x1.c51eaep-8f, 0x1.fffcap-1f, -0x1.f483eap-10f});
    const mat3 tumbled(vec3{0x1.ee7732p-5f, 0x1.140b34p-1f, 0x1.ae1a6cp-1f},
                       vec3{0x1.8b16cap-1f, 0x1.046b2ap-1f, -0x1.870dd6p-2f},
                       vec3{-0x1.442e74p-1f, 0x1.57b1d2p-1f, -0x1.8a95dap-2f});
    const mat3 rolled(vec3{-0x1.ea6da6p-1f, -0x1.7f464p-3f, 0x1.be30a4p-3f},
                      vec3{-0x1.ecfb6p-3f, 0x1.bfbe0ap-4f, -0x1.edc894p-1f},
                      vec3{0x1.40dd28p-3f, -0x1.f3d494p-1f, -0x1.32b2ccp-3f});
    const vec3 low{0x1.b84f6ep+3f, -0x1.d49b2cp+6f, -0x1.de7cd6p+6f},
        high{0x1.9d6aap+4f, -0x1.ac57e6p+6f, -0x1.be4704p+6f};
    const HardCase cases[] = {
        make("a drum in a brick whose origin is 170 m away", cylinder(0x1.3fc546p+1f, 0x1.152726p+2f),
             hull(*make_hull(test::corners(low, high))), at({0x1.8f1b44p+3f, -0x1.635648p+6f, -0x1.16b1c8p+7f}, rolled),
             std::nullopt),
        make("a pin of 6 mm at the corner of a triangle of 2 km",
             triangle({0x1.6d549p+2f, -0x1.d074c2p+2f, 0x1.c93edap+9f},
                      {-0x1.988b5ap+6f, -0x1.c4bac4p+9f, -0x1.382edap+6f},
                      {0x1.d05a62p+7f, -0x1.42bd44p+9f, -0x1.2e6b6ap+9f}),
             cylinder(0x1.7a308ep-9f, 0x1.a93282p-9f), at({0x1.6d6d04p+2f, -0x1.d0a3ep+2f, 0x1.c93f38p+9f}, leaning),
             std::nullopt),
        make("a cone of 0.02 mm on the core of a rod of 3 m",
             segment({0x1.cb60c8p-1f, 0x1.4ddcc4p-1f, -0x1.efedbap-2f},
                     {-0x1.cbc44ap-2f, -0x1.10f632p+0f, 0x1.b898a6p-1f}, 0x1.315908p-6f),
             cone(0x1.2d0762p-17f, 0x1.54469cp-17f), at({0x1.7ade5ep-1f, 0x1.ce3286p-2f, -0x1.4f12dp-2f}, tumbled),
             std::nullopt),
    };
    for (const HardCase& c : cases) {
        check(c);
        check_proof(c);
    }
}

TEST_CASE("a cone and a segment that all but touch do not keep GJK going up to its cap") {
    const Shape a = cone(0x1.489356p+6f, 0x1.d907e6p+4f);
    const Shape b = segment({-0x1.87a03p+1f, -0x1.475eacp+6f, -0x1.2093acp+4f},
                            {-0x1.87a03p+1f, 0x1.45c66ap+6f, -0x1.2093acp+4f}, 0x0p+0f);
    const MatrixTransform f{
        {0x1.b5c2c8p+3f, 0x1.48677ep+7f, -0x1.52e106p+3f},
        mat3(vec3{-0x1.54a5bap-1f, 0x1.ea68f4p-3f, 0x1.6a09e6p-1f}, vec3{0x1.5ac5bp-2f, 0x1.e1bf86p-1f, 0x1p-55f},
             vec3{-0x1.54a5bap-1f, 0x1.ea68f4p-3f, -0x1.6a09e6p-1f})};
    SimplexCache cache;
    const GjkResult r = gjk(a, b, f, cache);
    CHECK(r.status != GjkStatus::iteration_cap);
    CHECK(r.distance < 1e-6f);
}

TEST_CASE("rims a hair off something 40,000 times as large keep their distance") {
    // GJK computed the nearest point of its triangle from a corner 30 m away. The result was too short by rounding, so
    // that the next support point seemed to bring no progress, and an early plane became the result.
    const mat3 first(vec3{0x1.b0fa3cp-3f, 0x1.ea9e62p-1f, 0x1.8a5ecp-3f},
                     vec3{0x1.604104p-1f, -0x1.24b2fep-2f, 0x1.5587cp-1f},
                     vec3{0x1.63730cp-1f, -0x1.17e3cp-7f, -0x1.707bf4p-1f});
    const mat3 second(vec3{0x1.972fp-2f, 0x1.93a8ap-1f, -0x1.e0a43p-2f},
                      vec3{-0x1.d1098cp-1f, 0x1.10152ep-2f, -0x1.4aeb9ap-2f},
                      vec3{-0x1.0a5fc2p-3f, 0x1.1c1234p-1f, 0x1.a4baap-1f});
    const HardCase cases[] = {
        make("a cone of 1 mm off one of 50 m", cone(0x1.30d2cep-11f, 0x1.cdac48p-13f),
             cone(0x1.97c0d4p+4f, 0x1.12e3p+3f), at({-0x1.18899p+4f, 0x1.d22bcp+2f, -0x1.0ffe1p+4f}, first),
             std::nullopt),
        make("a coin of 3 mm off the edge of a block of 27 m", cylinder(0x1.55262cp-11f, 0x1.5d511cp-10f),
             box({0x1.b2e0f6p+3f, 0x1.90107ep+3f, 0x1.4de242p+1f}),
             at({0x1.06bad8p+4f, 0x1.1ae3fp+3f, -0x1.8d391p-3f}, second), std::nullopt),
    };
    for (const HardCase& c : cases) {
        check_proof(c, true);
    }
}
