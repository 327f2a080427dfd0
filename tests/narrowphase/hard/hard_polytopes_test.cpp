/// Polytopes given by their points, with results in closed form: cases on which distance and depth queries of ten
/// libraries were reported to fail, and similar ones (needles and plates, differences without an interior, all kinds of
/// touching, gaps far below any absolute tolerance, symmetric and nested bodies). `check` (hard_case.h) tests each case
/// by all queries that Talus has.

#include "tests/narrowphase/hard/hard_case.h"
#include "tests/narrowphase/ladder/random_pairs.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace talus;
using glm::dvec3;
using namespace test;
using Points = std::vector<vec3>;

float power(int k) { return std::ldexp(1.0f, k); }

Points cube() { return brick(vec3(1)); }
Points octahedron(float r = 1.0f) { return {{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}}; }
Points tetrahedron(float s = 1.0f) { return {{s, s, s}, {s, -s, -s}, {-s, s, -s}, {-s, -s, s}}; }
Points square(float y = 0.0f, float h = 1.0f) { return {{-h, y, -h}, {h, y, -h}, {h, y, h}, {-h, y, h}}; }
/// A square bar along z standing on an edge: |x| + |y| <= 2, |z| <= 2.
Points diamond() {
    return {{2, 0, -2}, {-2, 0, -2}, {0, 2, -2}, {0, -2, -2}, {2, 0, 2}, {-2, 0, 2}, {0, 2, 2}, {0, -2, 2}};
}
/// A cube of half side 5 turned by the 3-4-5 angle about z: every coordinate a whole number.
Points turned_cube() {
    return {{1, 7, 5}, {-7, 1, 5}, {-1, -7, 5}, {7, -1, 5}, {1, 7, -5}, {-7, 1, -5}, {-1, -7, -5}, {7, -1, -5}};
}
/// Ridges that run along z (up from below) and along x (down from above), each through the origin.
Points ridge_below() { return {{-1, -1, -1}, {1, -1, -1}, {0, 0, -1}, {-1, -1, 1}, {1, -1, 1}, {0, 0, 1}}; }
Points ridge_above() { return {{-1, 1, -1}, {-1, 1, 1}, {-1, 0, 0}, {1, 1, -1}, {1, 1, 1}, {1, 0, 0}}; }
/// A pyramid with its tip at the origin, pointing down.
Points tip_down() { return {{0, 0, 0}, {-1, 1, -1}, {1, 1, -1}, {1, 1, 1}, {-1, 1, 1}}; }

}  // namespace

// ---- Sets without volume --------------------------------------------------------------------------------------------

TEST_CASE("a single point has its exact distance from every polytope or depth in it") {
    const Points origin = {{0, 0, 0}};
    check({
        {"two points 5 apart", origin, Points{{3, 4, 0}}, 5.0, dvec3(0.6, 0.8, 0)},
        {"two points on each other", Points{{1, 2, 3}}, Points{{1, 2, 3}}, 0.0},
        {"two points a millionth apart", Points{{1, 0, 0}}, Points{{1 + 0x1p-20f, 0, 0}}, 0x1p-20, ex},
        {"two points a rounding apart far from the origin", Points{{4096, 0, 0}}, Points{{4096 + 0x1p-11f, 0, 0}},
         0x1p-11},
        {"point beside a segment", origin, Points{{-1, 1, 0}, {1, 1, 0}}, 1.0, ey},
        {"point on a segment", origin, Points{{-1, -1, 0}, {1, 1, 0}}, 0.0},
        {"point on a segment's end", origin, Points{{0, 0, 0}, {1, 2, 3}}, 0.0},
        {"point beyond a segment on its line", origin, Points{{1, 1, 1}, {2, 2, 2}}, std::sqrt(3.0), unit(1, 1, 1)},
        {"point diagonally off a segment's end", origin, Points{{3, 4, 0}, {3, 5, 12}}, 5.0, dvec3(0.6, 0.8, 0)},
        {"point above a triangle", origin, Points{{-1, 2, -1}, {1, 2, -1}, {0, 2, 1}}, 2.0, ey},
        {"point in a triangle", origin, Points{{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}}, 0.0, std::nullopt},
        {"point on a triangle's edge", origin, Points{{-1, 0, 0}, {1, 0, 0}, {0, 0, 1}}, 0.0},
        {"point on a triangle's corner", origin, Points{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, 0.0},
        {"point in a triangle's plane, outside", origin, Points{{1, 0, -1}, {1, 0, 1}, {3, 0, 0}}, 1.0, ex},
        {"point in a tilted triangle's plane, outside", origin, Points{{1, -1, 0}, {2, -1, -1}, {2, -2, 0}},
         std::sqrt(2.0)},
        {"point in a polygon", origin, square(), 0.0},
        {"point above a polygon's edge", Points{{1, 3, 0}}, square(), 3.0, -ey},
        {"point in a cube", origin, cube(), -1.0},
        {"point off a cube's middle", Points{{0.5f, 0.25f, 0}}, cube(), -0.5, -ex},
        {"point on a cube's face", Points{{1, 0.25f, 0.5f}}, cube(), 0.0, -ex},
        {"point on a cube's edge", Points{{1, 1, 0.5f}}, cube(), 0.0},
        {"point on a cube's corner", Points{{1, 1, 1}}, cube(), 0.0},
        {"point just in a cube", Points{{1 - 0x1p-20f, 0, 0}}, cube(), -0x1p-20, -ex},
        {"point just off a cube", Points{{1 + 0x1p-20f, 0.5f, 0}}, cube(), 0x1p-20, -ex},
        {"point in a tetrahedron's middle", origin, tetrahedron(), -1.0 / std::sqrt(3.0)},
        {"point on an octahedron's tip", Points{{0, 1, 0}}, octahedron(), 0.0},
        {"point in a needle", origin, brick({1e-4f, 1, 1e-4f}), -wide(1e-4f)},
        {"point in a plate, off its middle", Points{{0.5f, 0.5e-4f, 0.5f}}, brick({1, 1e-4f, 1}),
         wide(0.5e-4f) - wide(1e-4f), -ey},
        {"point a thousandth of a plate's thickness off it", Points{{0.5f, 0x1p-10f + 0x1p-20f, 0}},
         brick({1, 0x1p-10f, 1}), 0x1p-20, -ey},
        {"point 100 km from a cube", Points{{100000, 0, 0}}, cube(), 99999.0, -ex},
        {"point at the centre of a large octahedron", origin, octahedron(1000), -1000.0 / std::sqrt(3.0)},
    });
}

TEST_CASE("segments that cross or touch or run side by side have exact distances") {
    const Points s = {{-1, 0, 0}, {1, 0, 0}};
    check({
        {"crossing", s, Points{{0, 0, -1}, {0, 0, 1}}, 0.0},
        {"crossing askew", s, Points{{-0.5f, -1, -1}, {0.5f, 1, 1}}, 0.0},
        {"crossing at an end", s, Points{{1, 0, -1}, {1, 0, 1}}, 0.0},
        {"end on end at an angle", s, Points{{1, 0, 0}, {1, 2, 3}}, 0.0},
        {"end on the other's middle", s, Points{{0, 0, 0}, {0, 1, 0}}, 0.0},
        {"the same", s, s, 0.0},
        {"overlapping on one line", s, Points{{0.5f, 0, 0}, {4, 0, 0}}, 0.0},
        {"one inside the other", s, Points{{-0.5f, 0, 0}, {0.25f, 0, 0}}, 0.0},
        {"end to end on one line", s, Points{{1, 0, 0}, {2, 0, 0}}, 0.0},
        {"apart on one line", s, Points{{1.5f, 0, 0}, {2, 0, 0}}, 0.5, ex},
        {"apart on one line by a millionth", s, Points{{1 + 0x1p-20f, 0, 0}, {2, 0, 0}}, 0x1p-20, ex},
        {"apart on a slanted line", Points{{0, 0, 0}, {1, 2, 3}}, Points{{2, 4, 6}, {4, 8, 12}}, std::sqrt(14.0),
         unit(1, 2, 3)},
        {"overlapping on a slanted line", Points{{0, 0, 0}, {2, 4, 6}}, Points{{1, 2, 3}, {4, 8, 12}}, 0.0},
        {"parallel", s, Points{{-1, 0, 0.5f}, {1, 0, 0.5f}}, 0.5, ez},
        {"parallel and half past each other", s, Points{{0.5f, 0.25f, 0}, {3, 0.25f, 0}}, 0.25, ey},
        {"parallel and past each other", s, Points{{4, 4, 0}, {6, 4, 0}}, 5.0, dvec3(0.6, 0.8, 0)},
        {"nearly parallel, crossing", s, Points{{-1, 0, -0x1p-20f}, {1, 0, 0x1p-20f}}, 0.0},
        {"nearly parallel, a millionth apart", s, Points{{-1, 0x1p-20f, -0x1p-20f}, {1, 0x1p-20f, 0x1p-20f}}, 0x1p-20,
         ey},
        {"nearly parallel, apart", s, Points{{-1, 1, -0x1p-20f}, {1, 1, 0x1p-20f}}, 1.0, ey},
        {"skew", s, Points{{0.25f, 2, -1}, {0.25f, 2, 1}}, 2.0, ey},
        {"skew, nearest at an end", s, Points{{4, 4, -1}, {4, 4, 1}}, 5.0, dvec3(0.6, 0.8, 0)},
        {"long and short", Points{{-1000, 0, 0}, {1000, 0, 0}}, Points{{500, 0.0078125f, 0}, {500, 1, 0}}, 0x1p-7, ey},
        {"long and long, crossing by a millimetre", Points{{-1000, 0, 0}, {1000, 0, 0}},
         Points{{3, 0x1p-10f, -1000}, {3, 0x1p-10f, 1000}}, 0x1p-10, ey},
        {"five points on one line", Points{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}},
         Points{{2, 1, 0}, {2, 2, 0}}, 1.0, ey},
        {"the same point many times", Points(8, vec3(1, 1, 1)), s, std::sqrt(2.0), unit(0, -1, -1)},
    });
}

TEST_CASE("segments through and beside polygons and solids have exact answers") {
    const Points t = {{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}};
    check({
        {"piercing a triangle near its edge", t, Points{{0, -1, -0.875f}, {0, 3, -0.875f}}, -0.125, -ez},
        {"piercing a square in its middle", square(), Points{{0, -2, 0}, {0, 2, 0}}, -1.0},
        {"piercing a square, shallow end", square(), Points{{0, -0.25f, 0}, {0, 2, 0}}, -0.25, ey},
        {"piercing a square through its corner", square(), Points{{1, -1, 1}, {1, 1, 1}}, 0.0},
        {"piercing a square through its edge", square(), Points{{1, -1, 0.5f}, {1, 1, 0.5f}}, 0.0, ex},
        {"touching a square with its end", square(), Points{{0.5f, 0, 0.5f}, {0.5f, 2, 0.5f}}, 0.0, ey},
        {"lying in a square", square(), Points{{-0.5f, 0, 0}, {0.5f, 0, 0.5f}}, 0.0},
        {"lying across a square's edge", square(), Points{{0.5f, 0, 0}, {3, 0, 0.5f}}, 0.0},
        {"lying along a square's edge", square(), Points{{1, 0, -3}, {1, 0, 3}}, 0.0},
        {"in a square's plane, outside", square(), Points{{1.5f, 0, -1}, {3, 0, 3}}, 0.5, ex},
        {"above a square", square(), Points{{-0.5f, 0.25f, 0}, {0.5f, 0.25f, 0.5f}}, 0.25, ey},
        {"above a square by a millionth", square(), Points{{-0.5f, 0x1p-20f, 0}, {0.5f, 0x1p-20f, 0.5f}}, 0x1p-20, ey},
        {"through a cube along its axis", cube(), Points{{0, -3, 0}, {0, 3, 0}}, -1.0},
        {"through a cube, off its axis", cube(), Points{{0.25f, -3, 0}, {0.25f, 3, 0}}, -0.75, ex},
        {"inside a cube", cube(), Points{{-0.5f, 0, 0}, {0.5f, 0.25f, 0}}, -1.0},
        {"in a cube's face", cube(), Points{{-0.5f, 1, 0}, {0.5f, 1, 0.25f}}, 0.0, ey},
        {"along a cube's edge", cube(), Points{{1, 1, -2}, {1, 1, 0.5f}}, 0.0},
        {"across a cube's edge", cube(), Points{{0, 2, 0}, {2, 0, 0}}, 0.0},
        {"across a cube's edge, a millionth deep", cube(), Points{{0, 2, 0}, {2 - 0x1p-19f, 0, 0}}, std::nullopt},
        {"across a cube's edge, apart", cube(), Points{{0, 3, 0}, {3, 0, 0}}, std::sqrt(0.5), unit(1, 1, 0)},
        {"through a cube's corner", cube(), Points{{0, 2, 1}, {2, 0, 1}}, 0.0},
        {"diagonal through a cube", cube(), Points{{-1, -1, -1}, {1, 1, 1}}, std::nullopt},
        {"diagonal through a tetrahedron's middle", tetrahedron(), Points{{-2, -2, -2}, {2, 2, 2}}, std::nullopt},
        {"through a plate", brick({1, 1e-4f, 1}), Points{{0.5f, -2, 0}, {0.5f, 2, 0}}, -0.5, ex},
        {"end in a plate", brick({1, 0x1p-13f, 1}), Points{{0.5f, 0, 0}, {0.5f, 2, 0}}, -0x1p-13, ey},
        {"along a needle, inside", brick({0x1p-13f, 1, 0x1p-13f}), Points{{0, -2, 0}, {0, 2, 0}}, -0x1p-13},
        {"a millimetre of wire in a kilometre of rock", brick(vec3(1000)), Points{{999, 0, 0}, {999 + 0x1p-10f, 0, 0}},
         -1.0, ex},
    });
}

TEST_CASE("flat polygons have exact answers against each other and in one plane too") {
    const Points right = {{-1, 0, -1}, {1, 0, -1}, {-1, 0, 1}};
    check({
        {"the same square", square(), square(), 0.0},
        {"coplanar and overlapping", square(), moved(square(), {0.5f, 0, 0.75f}), 0.0},
        {"coplanar and one inside the other", square(), square(0, 0.25f), 0.0},
        {"coplanar, sharing an edge", square(), moved(square(), {2, 0, 0}), 0.0},
        {"coplanar, sharing part of an edge", square(), moved(square(), {2, 0, 1}), 0.0},
        {"coplanar, sharing a corner", square(), moved(square(), {2, 0, 2}), 0.0},
        {"coplanar, corner on an edge", square(), Points{{1, 0, 0}, {2, 0, -1}, {3, 0, 0}, {2, 0, 1}}, 0.0},
        {"coplanar and apart", square(), moved(square(), {2.5f, 0, 0.5f}), 0.5, ex},
        {"coplanar and apart by a millionth", square(), moved(square(), {2 + 0x1p-19f, 0, 0.5f}), 0x1p-19, ex},
        {"coplanar and apart diagonally", square(), moved(square(), {5, 0, 6}), 5.0, dvec3(0.6, 0, 0.8)},
        {"triangles' long sides parallel", right, Points{{2, 0, 2}, {2, 0, 0}, {0, 0, 2}}, std::sqrt(2.0),
         unit(1, 0, 1)},
        {"triangles sharing their long side", right, Points{{1, 0, 1}, {1, 0, -1}, {-1, 0, 1}}, 0.0},
        {"in one tilted plane, overlapping", Points{{1, -1, 0}, {0, 1, -1}, {-1, 0, 1}},
         Points{{2, -2, 0}, {0, 2, -2}, {-1, 1, 0}}, 0.0},
        {"in one tilted plane, corner on corner", Points{{1, -1, 0}, {0, 1, -1}, {-1, 0, 1}},
         Points{{1, -1, 0}, {3, -2, -1}, {2, -3, 1}}, 0.0},
        {"in one tilted plane, apart", Points{{1, -1, 0}, {0, 1, -1}, {-1, 0, 1}},
         Points{{3, -3, 0}, {4, -3, -1}, {4, -4, 0}}, std::sqrt(8.0), unit(1, -1, 0)},
        {"parallel planes", square(), moved(square(), {0.5f, 0.25f, 0.5f}), 0.25, ey},
        {"parallel planes a millionth apart", square(), moved(square(), {0.5f, 0x1p-20f, 0.5f}), 0x1p-20, ey},
        {"parallel planes, past each other", square(), moved(square(), {5, 4, 0}), 5.0, dvec3(0.6, 0.8, 0)},
        {"crossing at right angles in their middles", square(), Points{{0, -1, -1}, {0, 1, -1}, {0, 1, 1}, {0, -1, 1}},
         -1.0},
        {"crossing at right angles, shallow", square(),
         Points{{0.25f, -0.125f, -1}, {0.25f, 2, -1}, {0.25f, 2, 1}, {0.25f, -0.125f, 1}}, -0.125, ey},
        {"standing on the other", square(), Points{{0, 0, -0.5f}, {0, 1, -0.5f}, {0, 1, 0.5f}, {0, 0, 0.5f}}, 0.0, ey},
        {"standing on the other's edge", square(), Points{{1, 0, -0.5f}, {1, 1, -0.5f}, {1, 1, 0.5f}, {1, 0, 0.5f}},
         0.0},
        {"hinged at a common edge", square(), Points{{-1, 0, -1}, {1, 0, -1}, {1, 2, -1}, {-1, 2, -1}}, 0.0},
        {"tip standing on the other", square(), Points{{0.25f, 0, 0.25f}, {1, 2, 0.25f}, {-1, 2, 0.25f}}, 0.0, ey},
        {"tip above the other by a millionth", square(),
         Points{{0.25f, 0x1p-20f, 0.25f}, {1, 2, 0.25f}, {-1, 2, 0.25f}}, 0x1p-20, ey},
        {"piercing with a tip", square(), Points{{0.25f, -0.25f, 0}, {0.5f, 2, 0}, {-0.5f, 2, 0}}, -0.25, ey},
        {"nearly coplanar, crossing along a line", square(),
         Points{{-1, -0x1p-20f, -1}, {1, 0x1p-20f, -1}, {1, 0x1p-20f, 1}, {-1, -0x1p-20f, 1}}, std::nullopt},
        {"a thin triangle over a square", square(), Points{{-1, 0.5f, 0}, {1, 0.5f, 0}, {0, 0.5f, 0x1p-12f}}, 0.5, ey},
        {"a thin triangle in a square", square(), Points{{-1, 0, 0}, {1, 0, 0}, {0, 0, 0x1p-12f}}, 0.0},
        {"a triangle of six points, three of them on its edges",
         Points{{0, 0, 0}, {2, 0, 0}, {4, 0, 0}, {3, 0, 1}, {2, 0, 2}, {1, 0, 1}}, Points{{2, 1, 0.5f}, {2, 3, 0.5f}},
         1.0, ey},
        {"a kilometre of sheet and a millimetre of leaf, coplanar", square(0, 1000), square(0, 0x1p-10f), 0.0},
        {"a kilometre of sheet and a leaf a tenth of a millimetre above", square(0, 1000), square(0x1p-13f, 0x1p-10f),
         0x1p-13, ey},
    });
}

TEST_CASE("flat polygons on and in and through solids have exact answers") {
    check({
        {"lying on a cube", cube(), square(1, 0.5f), 0.0, ey},
        {"lying on a cube, just as large", cube(), square(1), 0.0, ey},
        {"lying on a cube, larger", cube(), square(1, 8), 0.0, ey},
        {"a millionth above a cube", cube(), square(1 + 0x1p-20f, 0.5f), 0x1p-20, ey},
        {"a millionth inside a cube", cube(), square(1 - 0x1p-20f, 0.5f), -0x1p-20, ey},
        {"halfway inside a cube", cube(), square(0.5f, 0.5f), -0.5, ey},
        {"through a cube's middle", cube(), square(0, 4), -1.0},
        {"inside a cube, in the middle", cube(), square(0, 0.25f), -1.0},
        {"edge on a cube's face", cube(), Points{{-0.5f, 1, 0}, {0.5f, 1, 0}, {0.5f, 3, 0}, {-0.5f, 3, 0}}, 0.0, ey},
        {"edge along a cube's edge", cube(), Points{{1, 1, -1}, {1, 1, 1}, {3, 3, 1}, {3, 3, -1}}, 0.0},
        {"across a cube's edge, touching", cube(), Points{{2, 0, -1}, {2, 0, 1}, {0, 2, 1}, {0, 2, -1}}, 0.0,
         unit(1, 1, 0)},
        {"across a cube's edge, apart", cube(), Points{{3, 0, -1}, {3, 0, 1}, {0, 3, 1}, {0, 3, -1}}, std::sqrt(0.5),
         unit(1, 1, 0)},
        {"across a cube's corner, touching", cube(), Points{{3, 0, 0}, {0, 3, 0}, {0, 0, 3}}, 0.0, unit(1, 1, 1)},
        {"across a cube's corner, apart", cube(), Points{{6, 0, 0}, {0, 6, 0}, {0, 0, 6}}, std::sqrt(3.0),
         unit(1, 1, 1)},
        {"across a cube's corner, inside", cube(),
         Points{{4, -0.75f, -0.75f}, {-0.75f, 4, -0.75f}, {-0.75f, -0.75f, 4}}, -0.5 / std::sqrt(3.0), unit(1, 1, 1)},
        {"on an octahedron's tip", octahedron(), square(1), 0.0, std::nullopt},
        {"on an octahedron's face", octahedron(), Points{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0.0, unit(1, 1, 1)},
        {"a large triangle under a small cube", moved(scaled(cube(), 0x1p-7f), {3, 0x1p-7f, 5}),
         Points{{-1000, 0, -1000}, {1000, 0, -1000}, {0, 0, 1000}}, 0.0, -ey},
        {"a large triangle a tenth of a small cube inside it",
         moved(scaled(cube(), 0x1p-7f), {3, 0x1p-7f - 0x1p-10f, 5}),
         Points{{-1000, 0, -1000}, {1000, 0, -1000}, {0, 0, 1000}}, -0x1p-10, -ey},
        {"a sliver of a triangle in a cube", cube(), Points{{-0.5f, 0.75f, 0}, {0.5f, 0.75f, 0}, {0, 0.75f, 0x1p-12f}},
         -0.25, ey},
        {"a plate through a square", brick({1, 1, 0x1p-13f}), square(0, 2), -1.0},
    });
}

// ---- Solids that touch ----------------------------------------------------------------------------------------------

TEST_CASE("solids that touch in every way are zero apart") {
    check({
        {"cubes, face on face", cube(), moved(cube(), {2, 0, 0}), 0.0, ex},
        {"cubes, faces half over each other", cube(), moved(cube(), {1, 2, 0.5f}), 0.0, ey},
        {"cubes, faces meeting in a strip", cube(), moved(cube(), {2 - 0x1p-12f, 2, 0}), 0.0, ey},
        {"cubes, edge on edge", cube(), moved(cube(), {2, 2, 0}), 0.0},
        {"cubes, edge on part of an edge", cube(), moved(cube(), {2, 2, 1}), 0.0},
        {"cubes, corner on corner", cube(), moved(cube(), {2, 2, 2}), 0.0},
        {"cubes, edge end on edge end", cube(), moved(cube(), {2, 2, -2}), 0.0},
        {"a small cube on a large one's face", scaled(cube(), 8), moved(cube(), {3, 9, -2}), 0.0, ey},
        {"a small cube at a large one's corner", scaled(cube(), 8), moved(cube(), {7, 9, 7}), 0.0, ey},
        {"cube and octahedron, tip on face", cube(), moved(octahedron(), {0.25f, 2, 0.5f}), 0.0, ey},
        {"cube and octahedron, tip on edge", cube(), moved(octahedron(), {1, 2, 0}), 0.0},
        {"cube and octahedron, tip on corner", cube(), moved(octahedron(), {1, 2, 1}), 0.0},
        {"octahedra, tip on tip", octahedron(), moved(octahedron(), {0, 2, 0}), 0.0},
        {"octahedra, edge on edge", octahedron(), moved(octahedron(), {1, 1, 0}), 0.0},
        {"octahedra, face on face", octahedron(), moved(octahedron(), {0.5f, 0.5f, 1}), 0.0, unit(1, 1, 1)},
        {"tetrahedra, corner on corner", tetrahedron(), moved(tetrahedron(), {2, 2, 0}), 0.0},
        {"tetrahedra, edge across edge", tetrahedron(), moved(tetrahedron(), {0, 0, 2}), 0.0, ez},
        {"tetrahedron and its mirror image, face on face", tetrahedron(),
         moved(scaled(tetrahedron(), -1), {-0.6666667f, -0.6666667f, -0.6666667f}), std::nullopt},
        {"bar on its edge, standing on a cube", scaled(cube(), 2), moved(diamond(), {0.25f, 4, 0}), 0.0, ey},
        {"bars on their edges, edge across edge", diamond(),
         Points{{-2, 2, 0}, {-2, 6, 0}, {-2, 4, 2}, {-2, 4, -2}, {2, 2, 0}, {2, 6, 0}, {2, 4, 2}, {2, 4, -2}}, 0.0, ey},
        {"bars on their edges, edge along edge", diamond(), moved(diamond(), {0, 4, 0}), 0.0},
        {"bars on their edges, face on face", diamond(), moved(diamond(), {2, 2, 0}), 0.0, unit(1, 1, 0)},
        {"bars on their edges, face on face, past each other's end", diamond(), moved(diamond(), {2, 2, 3.5f}), 0.0,
         unit(1, 1, 0)},
        {"bars on their edges, end on end", diamond(), moved(diamond(), {0.5f, 0.25f, 4}), 0.0, ez},
        {"ridges crossing", ridge_below(), ridge_above(), 0.0, ey},
        {"ridges crossing off their middles", ridge_below(), moved(ridge_above(), {0.75f, 0, -0.5f}), 0.0, ey},
        {"ridge on a ridge's end", ridge_below(), moved(ridge_above(), {1, 0, 0}), 0.0},
        {"tip on a ridge", ridge_below(), tip_down(), 0.0},
        {"tip on a face", brick(vec3(1), {0, -1, 0}), tip_down(), 0.0, ey},
        {"tip on tip", scaled(tip_down(), -1), tip_down(), 0.0},
        {"turned cube and cube, corner edge on face", turned_cube(), brick(vec3(5), {12, 0, 0}), 0.0, ex},
        {"turned cubes, face on face", turned_cube(), moved(turned_cube(), {8, 6, 0}), 0.0, dvec3(0.8, 0.6, 0)},
        {"turned cubes, face on face, half", turned_cube(), moved(turned_cube(), {8 - 3, 6 + 4, 2}), 0.0,
         dvec3(0.8, 0.6, 0)},
        {"turned cubes, edge on edge", turned_cube(), moved(turned_cube(), {2, 14, 0}), 0.0},
        {"tenths of a metre: 0.1 + 0.2", brick(vec3(0.1f)), moved(brick(vec3(0.1f)), {0.2f, 0, 0}), std::nullopt},
        {"coordinates of thirds", scaled(cube(), 1.0f / 3.0f),
         moved(scaled(cube(), 1.0f / 3.0f), {2.0f / 3.0f, 0.1f, 0}), 0.0, ex},
        {"unit cubes at half coordinates", corners({0, 0, 0}, {1, 1, 1}), corners({1, 0, 0}, {2, 1, 1}), 0.0, ex},
        {"a step under a box, flush", corners({0, 0, 0}, {4, 1, 1}), corners({0, 1, 0}, {4, 2, 1}), 0.0, ey},
    });
}

TEST_CASE("gaps and overlaps keep their size down to far below a rounding of the sizes") {
    std::vector<HardCase> cases;
    // One surface at exactly zero: the gap can then be as small as one likes.
    const Points below = corners({-1, -2, -1}, {1, 0, 1});
    for (const int k : {-4, -10, -16, -20, -23, -26, -30}) {
        const float g = power(k);
        const std::string at = " 2^" + std::to_string(k);
        cases.push_back({"cubes apart by" + at, below, corners({-0.5f, g, -0.5f}, {1.5f, 2, 1.5f}), wide(g), ey});
        cases.push_back(
            {"cubes overlapping by" + at, below, corners({-0.5f, -g, -0.5f}, {1.5f, 2, 1.5f}), -wide(g), ey});
        cases.push_back({"tip over a face by" + at, below,
                         Points{{0.25f, g, 0.25f}, {-1, 1, -1}, {1, 1, -1}, {1, 1, 1}, {-1, 1, 1}}, wide(g), ey});
        cases.push_back({"tip under a face by" + at, below,
                         Points{{0.25f, -g, 0.25f}, {-1, 1, -1}, {1, 1, -1}, {1, 1, 1}, {-1, 1, 1}}, -wide(g), ey});
        cases.push_back({"square over a cube by" + at, below, square(g, 0.5f), wide(g), ey});
        cases.push_back({"square under a cube's face by" + at, below, square(-g, 0.5f), -wide(g), ey});
        cases.push_back({"ridges apart by" + at, ridge_below(),
                         Points{{-1, 1, -1}, {-1, 1, 1}, {-1, g, 0}, {1, 1, -1}, {1, 1, 1}, {1, g, 0}}, wide(g), ey});
        cases.push_back({"segments crossing, apart by" + at, Points{{-1, 0, 0}, {1, 0, 0}},
                         Points{{0.25f, g, -1}, {0.25f, g, 1}}, wide(g), ey});
        if (k >= -20) {
            cases.push_back({"ridges overlapping by" + at, ridge_below(),
                             Points{{-1, 1, -1}, {-1, 1, 1}, {-1, -g, 0}, {1, 1, -1}, {1, 1, 1}, {1, -g, 0}}, -wide(g),
                             ey});
            cases.push_back({"corners apart by" + at, corners({-1, -1, -1}, {0, 0, 0}), corners({g, g, g}, {1, 1, 1}),
                             std::sqrt(3.0) * wide(g), unit(1, 1, 1)});
            cases.push_back({"edges apart by" + at, corners({-1, -1, -1}, {0, 0, 0}), corners({g, g, -1}, {1, 1, 0}),
                             std::sqrt(2.0) * wide(g), unit(1, 1, 0)});
            cases.push_back({"corner overlapping by" + at, corners({-1, -1, -1}, {0, 0, 0}),
                             corners({-g, -g, -g}, {1, 1, 1}), -wide(g)});
        }
    }
    check(cases);
}

TEST_CASE("faces tilted by almost nothing change no answer by more than their tilt") {
    std::vector<HardCase> cases;
    const Points below = corners({-2, -2, -2}, {2, 0, 2});
    for (const int k : {-6, -12, -18, -22}) {
        const float g = power(k);
        const std::string at = ", tilted by 2^" + std::to_string(k);
        const Points wedge = {{-1, 0, -1}, {-1, 0, 1}, {1, g, -1}, {1, g, 1},
                              {-1, 2, -1}, {-1, 2, 1}, {1, 2, -1}, {1, 2, 1}};
        cases.push_back({"standing on an edge" + at, below, wedge, 0.0, std::nullopt});
        cases.push_back({"above" + at, below, moved(wedge, {0, 0.25f, 0}), 0.25, ey});
        cases.push_back({"an eighth inside" + at, below, moved(wedge, {0, -0.125f, 0}), -0.125});
        const Points tripod = {{0, 0, 0}, {1, g, 0.5f}, {-0.5f, 2 * g, 1}, {0, 2, 0}};
        cases.push_back({"standing on a corner" + at, below, tripod, 0.0});
        cases.push_back({"corner above" + at, below, moved(tripod, {0, 0.125f, 0}), 0.125, ey});
        cases.push_back({"corner inside" + at, below, moved(tripod, {0, -0.125f, 0}), -0.125});
        // A roof of two nearly coplanar faces.
        const Points roof = {{-1, 0, -1}, {-1, 0, 1},   {1, 0, -1},  {1, 0, 1},   {0, g, -1},
                             {0, g, 1},   {-1, -1, -1}, {-1, -1, 1}, {1, -1, -1}, {1, -1, 1}};
        cases.push_back(
            {"cube over a flat roof" + at, roof, corners({-0.5f, 1, -0.5f}, {0.5f, 2, 0.5f}), 1.0 - wide(g), ey});
        cases.push_back(
            {"cube in a flat roof" + at, roof, corners({-0.5f, -0.25f, -0.5f}, {0.5f, 2, 0.5f}), -0.25 - wide(g)});
    }
    check(cases);
}

// ---- Solids inside each other ---------------------------------------------------------------------------------------

TEST_CASE("symmetric and concentric polytopes have the depth of their shortest way out") {
    check({
        {"the same cube", cube(), cube(), -2.0},
        {"cube in a cube", scaled(cube(), 4), cube(), -5.0},
        {"brick in the same brick", brick({1, 2, 3}), brick({1, 2, 3}), -2.0},
        {"bricks crossed", brick({1, 4, 4}), brick({4, 1, 4}), -5.0},
        {"octahedron in itself", octahedron(), octahedron(), -2.0 / std::sqrt(3.0)},
        {"octahedron in a cube", scaled(cube(), 2), octahedron(), -3.0},
        {"octahedron and cube, tips through faces", cube(), octahedron(2), std::nullopt},
        {"cube in an octahedron that it touches", octahedron(3), cube(), -6.0 / std::sqrt(3.0)},
        {"tetrahedron in itself", tetrahedron(), tetrahedron(), -2.0},
        {"tetrahedron and its mirror image", tetrahedron(), scaled(tetrahedron(), -1), -2.0 / std::sqrt(3.0)},
        {"tetrahedron in a cube with its corners", cube(), tetrahedron(), -2.0},
        {"bar and turned bar", diamond(), brick({2, 2, 2}), std::nullopt},
        {"cube and turned cube", scaled(cube(), 5), turned_cube(), std::nullopt},
        {"cubes off by a rounding", cube(), moved(cube(), {0x1p-23f, 0, 0}), -2.0 + 0x1p-23},
        {"cubes off by a thousandth", cube(), moved(cube(), {0x1p-10f, 0x1p-11f, 0}), -2.0 + 0x1p-10, ex},
        {"cubes off along a diagonal", cube(), moved(cube(), {0.5f, 0.5f, 0.5f}), -1.5},
        {"plate in a plate", brick({1, 1e-4f, 1}), brick({1, 1e-4f, 1}), -2.0 * wide(1e-4f)},
        {"needle in a needle", brick({1e-4f, 1, 1e-4f}), brick({1e-4f, 1, 1e-4f}), -2.0 * wide(1e-4f)},
        {"needle across a needle, in the middle", brick({0x1p-13f, 1, 0x1p-13f}), brick({1, 0x1p-13f, 0x1p-13f}),
         -0x1p-12, std::nullopt},
        {"plate across a plate, in the middle", brick({1, 0x1p-13f, 1}), brick({0x1p-13f, 1, 1}), -1.0 - 0x1p-13},
        {"a pebble in a mountain's middle", scaled(cube(), 1024), scaled(cube(), 0x1p-7f), -1024.0 - 0x1p-7},
        {"a pebble just under a mountain's face", scaled(cube(), 1024), brick(vec3(0x1p-4f), {1023, 100, -200}),
         -1.0 - 0x1p-4, ex},
    });
}

TEST_CASE("of many ways out of an overlap the shortest one is found") {
    check({
        {"side by side deep", brick({1, 4, 4}), moved(brick({0.5f, 3, 3}), {0.125f, 0.25f, 0.125f}), -1.375, ex},
        {"nearly a tie between two axes", cube(), moved(cube(), {1, 1 - 0x1p-16f, 0.25f}), -1.0, ex},
        {"a tie between two axes", cube(), moved(cube(), {1, 1, 0.25f}), -1.0},
        {"a tie between three axes", cube(), moved(cube(), {1, 1, 1}), -1.0},
        {"corner over corner, shallow", cube(), moved(cube(), {1.5f, 1.75f, 1.875f}), -0.125, ez},
        {"corner deep in a turned cube", turned_cube(), brick(vec3(2), {7, 1, 0}), std::nullopt},
        {"ridges, an eighth deep", moved(ridge_below(), {0, 0.125f, 0}), ridge_above(), -0.125, ey},
        {"tetrahedra, corner in face", tetrahedron(), moved(scaled(tetrahedron(), -1), {1, 1, 1}), std::nullopt},
        {"a tall thin wall pushed through", brick({0.0625f, 10, 10}), moved(cube(), {0.5f, 3, 2}), -0.5 - 0.0625, ex},
        {"a spear through a shield", brick({1, 1, 0x1p-6f}), brick({0x1p-6f, 0x1p-6f, 4}), -1.0 - 0x1p-6},
        {"a spear through a shield near its rim", brick({1, 1, 0x1p-6f}), brick({0x1p-6f, 0x1p-6f, 4}, {0.875f, 0, 0}),
         -0.125 - 0x1p-6, ex},
        {"a spear's end in a shield", brick({1, 1, 0x1p-6f}), brick({0x1p-6f, 0x1p-6f, 4}, {0.25f, 0, 4}), -0x1p-6, ez},
        {"a step's corner in a ramp", Points{{0, 0, -2}, {8, 0, -2}, {8, 6, -2}, {0, 0, 2}, {8, 0, 2}, {8, 6, 2}},
         corners({0, 2, -1}, {4, 6, 1}), -0.8, dvec3(-0.6, 0.8, 0)},
        {"on a ramp", Points{{0, 0, -2}, {8, 0, -2}, {8, 6, -2}, {0, 0, 2}, {8, 0, 2}, {8, 6, 2}},
         corners({0, 3, -1}, {4, 7, 1}), 0.0, dvec3(-0.6, 0.8, 0)},
        {"over a ramp", Points{{0, 0, -2}, {8, 0, -2}, {8, 6, -2}, {0, 0, 2}, {8, 0, 2}, {8, 6, 2}},
         corners({0, 4, -1}, {4, 8, 1}), 0.8, dvec3(-0.6, 0.8, 0)},
    });
}

// ---- Needles, plates, wedges ----------------------------------------------------------------------------------------

TEST_CASE("needles and plates and wedges to 1 in 65 536 have exact answers") {
    std::vector<HardCase> cases;
    for (const int k : {-7, -10, -13, -16}) {
        const float t = power(k);
        const double d = wide(t);
        const std::string at = " of 2^" + std::to_string(k);
        const Points plate = brick({1, t, 1}), needle = brick({t, 1, t}), beam = brick({1, t, t});
        const Points spike = {{0, 0, 0}, {-t, 1, -t}, {t, 1, -t}, {t, 1, t}, {-t, 1, t}};
        const Points wedge = {{-1, 0, -1}, {-1, 0, 1}, {1, -t, -1}, {1, -t, 1}, {1, t, -1}, {1, t, 1}};
        const Points shard = {{-1, 0, 0}, {1, 0, 0}, {0, t, -1}, {0, t, 1}};
        cases.insert(
            cases.end(),
            {
                {"plates touching" + at, plate, moved(plate, {0.25f, 2 * t, 0.5f}), 0.0, ey},
                {"plates half through each other" + at, plate, moved(plate, {0.25f, t, 0.5f}), -d, ey},
                {"plates apart by their thickness" + at, plate, moved(plate, {0.25f, 4 * t, 0.5f}), 2 * d, ey},
                {"plates side by side" + at, plate, moved(plate, {2.25f, 0, 0.5f}), 0.25, ex},
                {"plates rim to rim" + at, plate, moved(plate, {2, 0, 0.5f}), 0.0, ex},
                {"plate's rim on a plate" + at, plate, moved(brick({t, 1, 1}), {0.25f, 1 + t, 0}), 0.0, ey},
                {"plate's rim over a plate" + at, plate, moved(brick({t, 1, 1}), {0.25f, 1.25f, 0}), 0.25 - d, ey},
                {"needles crossing, touching" + at, needle, moved(beam, {0.25f, 0.5f, 2 * t}), 0.0, ez},
                {"needles crossing, overlapping" + at, needle, moved(beam, {0.25f, 0.5f, t}), -d, ez},
                {"needles crossing, apart" + at, needle, moved(beam, {0.25f, 0.5f, 4 * t}), 2 * d, ez},
                {"needles side by side" + at, needle, moved(needle, {4 * t, 0.5f, 0}), 2 * d, ex},
                {"needles end on end" + at, needle, moved(needle, {0, 2, 0}), 0.0, ey},
                {"needle's end on a plate" + at, plate, moved(needle, {0.25f, 1 + t, 0.5f}), 0.0, ey},
                {"needle's end in a plate" + at, plate, moved(needle, {0.25f, 1, 0.5f}), -d, ey},
                {"needle through a plate" + at, plate, moved(needle, {0.5f, 0.25f, 0}), -0.5 - d, ex},
                {"needle along a plate" + at, plate, moved(beam, {0.25f, 2 * t, 0.5f}), 0.0, ey},
                {"spike on a cube" + at, corners({-1, -2, -1}, {1, 0, 1}), spike, 0.0, ey},
                {"spike over a cube" + at, corners({-1, -2, -1}, {1, 0, 1}), moved(spike, {0.25f, 0.25f, 0}), 0.25, ey},
                {"spike in a cube" + at, corners({-1, -2, -1}, {1, 0, 1}), moved(spike, {0.25f, -0.25f, 0}), -0.25, ey},
                {"spike on spike" + at, scaled(spike, -1), spike, 0.0, std::nullopt},
                {"spike over spike" + at, scaled(spike, -1), moved(spike, {0, 0.25f, 0}), 0.25, ey},
                {"wedge's edge on a cube" + at, corners({-3, -1, -1}, {-1, 1, 1}), wedge, 0.0, ex},
                {"wedge's edge before a cube" + at, corners({-3, -1, -1}, {-1.25f, 1, 1}), wedge, 0.25, ex},
                {"wedge's edge in a cube" + at, corners({-3, -1, -1}, {-0.75f, 1, 1}), wedge, -0.25},
                {"wedge over a cube" + at, corners({-1, -2, -1}, {1, -1, 1}), wedge, 1.0 - d, ey},
                {"cube over a shard" + at, shard, corners({-1, 1, -1}, {1, 2, 1}), 1.0 - d, ey},
                {"cube in a shard" + at, shard, corners({-0.5f, 0, -0.5f}, {0.5f, 1, 0.5f}), -d},
                {"shard in a plate" + at, plate, shard, std::nullopt},
            });
    }
    check(cases);
}

// ---- Sizes and places -----------------------------------------------------------------------------------------------

TEST_CASE("size ratios to 1 in 100 000 and places 10 km out have exact answers") {
    std::vector<HardCase> cases;
    const Points ground = corners({-1000, -2, -1000}, {1000, 0, 1000});
    const Points slab = {{-1000, 0, -1000}, {1000, 0, -1000}, {0, 0, 1000}, {0, -1, 0}};
    for (const float h : {0x1p-4f, 0x1p-7f}) {
        const double d = wide(h);
        for (const vec3& at : {vec3(0), vec3(3.5f, 0, 0.25f), vec3(900, 0, 900), vec3(999, 0, -999)}) {
            const std::string where = " of " + std::to_string(h) + " at " + std::to_string(at.x);
            cases.push_back({"cube on ground" + where, ground, brick(vec3(h), at + vec3(0, h, 0)), 0.0, ey});
            cases.push_back(
                {"cube in ground" + where, ground, brick(vec3(h), at + vec3(0, 0.5f * h, 0)), -0.5 * d, ey});
            cases.push_back(
                {"cube over ground" + where, ground, brick(vec3(h), at + vec3(0, 1.5f * h, 0)), 0.5 * d, ey});
            cases.push_back(
                {"tip on ground" + where, ground, moved(scaled(octahedron(), h), at + vec3(0, h, 0)), 0.0, ey});
        }
        cases.push_back({"cube on a thin tetrahedron", slab, brick(vec3(h), {0.5f, h, 2}), 0.0, ey});
        cases.push_back({"cube in a thin tetrahedron", slab, brick(vec3(h), {0.5f, 0.5f * h, 2}), -0.5 * d, ey});
    }
    const vec3 away(8192, -4096, 6144);
    cases.push_back({"cubes far out, apart", moved(cube(), away), moved(cube(), away + vec3(2.5f, 0.25f, 0)), 0.5, ex});
    cases.push_back({"cubes far out, touching", moved(cube(), away), moved(cube(), away + vec3(2, 0.25f, 0)), 0.0, ex});
    cases.push_back(
        {"cubes far out, overlapping", moved(cube(), away), moved(cube(), away + vec3(1.75f, 0.25f, 0)), -0.25, ex});
    cases.push_back(
        {"squares far out, coplanar", moved(square(), away), moved(square(), away + vec3(0.5f, 0, 0.5f)), 0.0});
    cases.push_back({"squares far out, parallel", moved(square(), away),
                     moved(square(), away + vec3(0.5f, 0.125f, 0.5f)), 0.125, ey});
    cases.push_back(
        {"octahedra far out, tip on tip", moved(octahedron(), away), moved(octahedron(), away + vec3(0, 2, 0)), 0.0});
    cases.push_back({"tetrahedra far out, mirrored", moved(tetrahedron(), away), moved(scaled(tetrahedron(), -1), away),
                     -2.0 / std::sqrt(3.0)});
    cases.push_back({"on opposite sides of the world", moved(cube(), away), moved(cube(), -away), std::nullopt});
    cases.push_back({"cubes 10 km apart", cube(), moved(cube(), {10000, 0, 0}), 9998.0, ex});
    check(cases);
}

// ---- Many vertices --------------------------------------------------------------------------------------------------

TEST_CASE("prisms and cones of many corners have exact answers" * doctest::test_suite("slow")) {
    std::vector<HardCase> cases;
    for (const int sides : {7, 16, 36}) {
        Points prism, cone;
        for (int i = 0; i < sides; ++i) {
            const double angle = 6.283185307179586 * i / sides;
            const vec3 rim(dvec3(std::cos(angle), 0.0, std::sin(angle)));
            prism.push_back(rim + vec3(0, 1, 0));
            prism.push_back(rim - vec3(0, 1, 0));
            cone.push_back(rim);
        }
        cone.emplace_back(0, 1, 0);
        const std::string at = " of " + std::to_string(sides) + " sides";
        const Points floor = corners({-4, -2, -4}, {4, -1, 4});
        cases.push_back({"prism on a floor" + at, prism, floor, 0.0, -ey});
        cases.push_back({"prism in a floor" + at, prism, moved(floor, {0, 0.25f, 0}), -0.25, -ey});
        cases.push_back({"point in a prism's middle" + at, prism, Points{{0.25f, 0.5f, 0}}, -0.5, ey});
        cases.push_back({"segment on a prism" + at, prism, Points{{-0.25f, 1, 0}, {0.5f, 1, 0.25f}}, 0.0, ey});
        cases.push_back({"square over a cone" + at, cone, square(1.25f), 0.25, ey});
        cases.push_back({"square on a cone's tip" + at, cone, square(1), 0.0});
        cases.push_back({"prism on prism" + at, prism, moved(prism, {0.25f, 2, 0.5f}), 0.0, ey});
        cases.push_back({"prism in prism" + at, prism, moved(prism, {0.25f, 1.75f, 0.5f}), -0.25, ey});
    }
    check(cases);
}

// ---- From the trackers ----------------------------------------------------------------------------------------------

namespace {

/// A box posed by a rotation (rows) and a position, as corners rounded to floats.
Points posed_box(const dvec3& sides, const dvec3& row0, const dvec3& row1, const dvec3& row2, const dvec3& position) {
    Points p;
    for (const vec3& c : brick(vec3(1))) {
        const dvec3 local = 0.5 * sides * dvec3(c);
        p.emplace_back(vec3(dvec3(glm::dot(row0, local), glm::dot(row1, local), glm::dot(row2, local)) + position));
    }
    return p;
}

}  // namespace

TEST_CASE("poses that other libraries were reported to fail on are answered right") {
    const dvec3 r0(0.96193976625564348, 0.15401279915737360, 0.22572537250328920),
        r1(-0.19134171618254486, 0.96936494951283914, 0.15401279915737360),
        r2(-0.19509032201612822, -0.19134171618254486, 0.96193976625564348);
    const dvec3 q0(0.94096063217417758, 0.29296840037289501, 0.16959541586174812),
        q1(-0.23569836841299879, 0.92661523595848427, -0.29296840037289507),
        q2(-0.24298017980326390, -0.23569836841299885, 0.94096063217417758);
    const Points rhombicuboctahedron = [] {  // openGJK 54
        const float a = 0.414213562373f, b = 0.171572875254f;
        return Points{{a, b, a},  {a, a, b},  {b, a, a},  {-a, -b, -a}, {-a, -a, -b}, {-b, -a, -a},
                      {-a, b, a}, {-a, a, b}, {-b, a, a}, {a, -a, -b},  {a, -b, -a},  {b, -a, -a},
                      {a, -a, b}, {a, -b, a}, {b, -a, a}, {-a, a, -b},  {-a, b, -a},  {-b, a, -a},
                      {a, a, -b}, {a, b, -a}, {b, a, -a}, {-a, -a, b},  {-a, -b, a},  {-b, -a, a}};
    }();
    check({
        {"fcl 395: a box over a thin one", posed_box({0.46, 0.48, 0.01}, ex, ey, ez, {-0.721, -0.772, 0.81}),
         posed_box({0.049521, 0.146, 0.0725}, {0.10758262492983037, -0.66248818500152129, -0.74130653817877357},
                   {0.22682184885125473, -0.70961404077525347, 0.66708302483147864},
                   {-0.96797615037608542, -0.23991106241273435, 0.07392465377049165},
                   {-0.42677133002999479, -0.76596851246748788, 0.80746731400091054}),
         std::nullopt},
        {"fcl 415: aligned boxes, a new vertex on an edge's line",
         posed_box({0.02, 0.33, 0.02}, ex, ey, ez, {0.054, -0.772, 0.405}),
         posed_box({0.452, 0.27, 0.42}, ex, ey, ez, {0.121, -0.62960505750432683, 0.3}), std::nullopt},
        {"fcl 399: two boxes of one height, turned about it",
         posed_box({0.23768037557601929, 0.15702305734157562, 0.25}, {-0.099432387353076274, 0.99504432079443972, 0},
                   {-0.99504432079443972, -0.099432387353076274, 0}, ez,
                   {0.29526406526406552, -0.013230856508016586, 0}),
         posed_box({0.01, 0.78165709972381592, 0.25}, {0.99506598442099226, 0.099215354901756730, 0},
                   {-0.099215354901756730, 0.99506598442099226, 0}, ez, {0.22759585694545215, 0.14974093549228112, 0}),
         std::nullopt},
        {"fcl 493: kissing turned boxes",
         posed_box(dvec3(0.5), r0, r1, r2, {2.0770063995786869, 0.48468247475641951, 1.1543291419087276}),
         posed_box(dvec3(0.5), r0, r1, r2, {2, 0, 1.25}), std::nullopt},
        {"fcl 495: kissing turned boxes, a rounding apart",
         posed_box(dvec3(0.25), q0, q1, q2, {0.073242100093223822, 0.23165380898962123, 1.3089245921032497}),
         posed_box(dvec3(0.25), q0, q1, q2, {0, 0, 1.25}), std::nullopt},
        {"libccd 25: cubes stacked, a twentieth deep", cube(), moved(cube(), {0, 0, 1.9f}), wide(1.9f) - 2.0, ez},
        {"openGJK 3: flat polygons that cross",
         Points{{0.795121f, -0.727851f, 0},
                {-0.178424f, -0.989183f, 0},
                {-0.412644f, -0.770664f, 0},
                {0.566564f, 0.548772f, 0}},
         Points{{-0.211223f, -0.511346f, 0}, {-0.347973f, 0.45872f, 0}, {0.277308f, 0.969689f, 0}}, 0.0},
        {"openGJK 54: a point in 24 corners", rhombicuboctahedron, Points{{0.25f, 0.125f, 0.0625f}}, std::nullopt},
        {"openGJK 54: a point on one of 24 corners", rhombicuboctahedron,
         Points{{0.414213562373f, 0.171572875254f, 0.414213562373f}}, 0.0},
        {"openGJK 54: a point beside 24 corners", rhombicuboctahedron, Points{{0.5f, 0.5f, 0.5f}}, std::nullopt},
        {"dolfinx 3653: a point and seven corners", Points{{44.2919f, 39.7508f, 18.8208f}},
         Points{{46.0659f, 38.6251f, 16.3637f},
                {44.2764f, 42.3867f, 18.239f},
                {50.0397f, 38.4649f, 19.9843f},
                {47.1963f, 40.4563f, 19.1057f},
                {48.0266f, 38.5593f, 18.2475f},
                {45.1735f, 40.495f, 17.3336f},
                {48.0415f, 40.4456f, 18.1963f}},
         std::nullopt},
        {"EnhancedGJK 30: a box and a boat", corners({-0.08559614f, -0.125f, 0}, {0.031999995f, 0.125f, 0.07049995f}),
         Points{{-0.32686943f, -0.23770937f, 0.204528f},
                {-0.32686943f, -0.23770937f, -0.0762f},
                {-0.32686943f, 0.23770937f, -0.0762f},
                {0.32682246f, -0.23770937f, 0.204528f},
                {0.32682246f, -0.23770937f, -0.0762f},
                {-1.4459023f, 0.8858041f, 0.9851251f},
                {0.32682246f, 0.23770937f, -0.0762f},
                {0.32682246f, 0.23770937f, 0.204528f}},
         std::nullopt},
        {"parry 315: unit boxes that share the plane x = 1", corners({0, 0, 0}, {1, 1, 1}),
         corners({1, 0, 0}, {2, 1, 1}), 0.0, ex},
        {"mujoco_warp 1526: stacked boxes, the origin on the simplex", brick(vec3(0.2f)),
         brick(vec3(0.2f), {0, 0, 0.4f - 0.00025f}), wide(0.4f - 0.00025f - 0.2f) - wide(0.2f), ez},
        {"mujoco_warp 1430: a small box on a large one", corners({-100, -100, 0}, {100, 100, 0.5f}),
         brick(vec3(0.125f), {0, 0, 0.625f - 0x1p-14f}), -0x1p-14, ez},
        {"Bullet 1703: a box on a board 256 m wide", brick({128, 1, 128}), brick(vec3(1), {10, 2 - 0x1p-10f, -30}),
         -0x1p-10, ey},
        {"Bullet 889: a point coming down on a box", brick({0.5f, 0.125f, 0.5f}), Points{{0, -0.125f - 0x1p-13f, 0}},
         0x1p-13, -ey},
        {"identical triangles", Points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, Points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 0.0},
        {"two triangles that meet at right angles in one point", Points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
         Points{{0, 0, 0}, {0, 0, 1}, {-1, 0, 1}}, 0.0},
        {"Jolt 1037: a point close to a triangle that nearly holds it",
         Points{{0.00618362427f, -0.00324955024f, -0.00669670105f}},
         Points{{-0.01f, -0.01f, -0.01f}, {0.01f, -0.01f, 0.01f}, {0, 0.02f, 0}}, std::nullopt},
    });
}

TEST_CASE("flat and solid polytopes turned and stretched at random agree with the oracle") {
    test::Random random(162);
    const Points shapes[] = {Points{{0, 0, 0}},
                             Points{{-1, 0, 0}, {1, 0, 0}},
                             Points{{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}},
                             square(),
                             cube(),
                             octahedron(),
                             tetrahedron(),
                             tip_down(),
                             ridge_below(),
                             diamond()};
    for (int i = 0; i < 1500; ++i) {
        const auto pick = [&] {
            Points p = shapes[random.below(10)];
            const bool aligned = random.chance(0.3);
            const mat3 turn = aligned ? test::quarter_turns(random) : test::any_turn(random);
            vec3 stretch(1.0f);
            if (random.chance(0.4)) stretch[random.below(3)] = static_cast<float>(random.scale(1e-4, 1.0));
            const double away = random.chance(0.3) ? 0.0 : random.between(0.0, 2.0);
            const vec3 by(away * random.direction());
            for (vec3& q : p) q = turn * (stretch * q) + by;
            return p;
        };
        const Points a = pick(), b = pick();
        check(HardCase{"random " + std::to_string(i), a, b, std::nullopt});
    }
}
