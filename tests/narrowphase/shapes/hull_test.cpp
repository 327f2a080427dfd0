#include <talus/narrowphase/hull.h>

#include "tests/narrowphase/shapes/hull_checker.h"
#include "tests/narrowphase/shapes/hull_clouds.h"

#include "narrowphase/shapes/hull_faces.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <tuple>

using namespace talus;
using namespace talus::test;

namespace {

std::shared_ptr<const Hull> must_make(const Points& points) {
    const auto hull = make_hull(points);
    INFO(hull.error().message);
    REQUIRE(hull);
    const hull_checker::Report report = hull_checker::check(points, **hull);
    CHECK(report.problem == "");
    return *hull;
}

void must_refuse(const Points& points, ErrorCode code) {
    const auto hull = make_hull(points);
    REQUIRE_FALSE(hull);
    CHECK(int(hull.error().code) == int(code));
    CHECK(hull.error().message.size() > 20);
    CHECK(hull.error().message.find("; ") != std::string::npos);  // what was wrong; what to do
}

/// FNV-1a over everything that a step can read.
struct Hash {
    std::uint64_t value = 0xcbf29ce484222325u;
    void add(const void* data, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i)
            value = (value ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3u;
    }
    template <class T>
    void add(const std::vector<T>& v) {
        add(v.data(), v.size() * sizeof(T));
    }
    /// The low 16 bits of each: the digests are older than faces with 32-bit numbers.
    void add_low_halves(const std::vector<std::uint32_t>& v) { add(std::vector<std::uint16_t>(v.begin(), v.end())); }
};

std::uint64_t hash(const Hull& hull) {
    Hash h;
    h.add(hull.vertices);
    for (const HullFace& face : hull.faces) h.add(&face, offsetof(HullFace, corners));
    h.add(hull.face_vertices);
    h.add_low_halves(hull.face_neighbours);
    h.add(hull.vertex_first);
    h.add(hull.vertex_neighbours);
    h.add_low_halves(hull.vertex_faces);
    h.add(&hull.volume, sizeof hull.volume);
    h.add(&hull.centroid, sizeof hull.centroid);
    h.add(&hull.unit_inertia, sizeof hull.unit_inertia);
    return h.value;
}

std::vector<vec3> sorted(std::vector<vec3> points) {
    std::sort(points.begin(), points.end(),
              [](const vec3& a, const vec3& b) { return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z); });
    return points;
}

}  // namespace

TEST_CASE("the hull of a lattice over a cube is the cube: 8 vertices, 6 squares, exact mass properties") {
    const auto hull = must_make(full_lattice(9));
    REQUIRE(hull->vertices.size() == 8);
    REQUIRE(hull->faces.size() == 6);
    for (const HullFace& face : hull->faces) {
        CHECK(face.count == 4);
        CHECK(face.offset == 1.0f);
        CHECK(std::abs(face.normal.x) + std::abs(face.normal.y) + std::abs(face.normal.z) == 1.0f);
    }
    CHECK(hull->volume == 8.0f);
    CHECK(hull->centroid == vec3(0));
    CHECK(hull->unit_inertia == mat3(2.0f / 3.0f));
    CHECK(hull->bounding_radius == doctest::Approx(std::sqrt(3.0)));
    CHECK(hull->bytes() > 8 * sizeof(vec3));
}

TEST_CASE("a cube's hull survives turning, noise of 1e-7, distance from the origin and any size") {
    Random random(1);
    for (int i = 0; i < 100; ++i) {
        CAPTURE(i);
        Points points = turned(random, full_lattice(count(random, 2, 8)));
        const float size = magnitude(random, 1e-3, 1e3);  // 1 mm to 1 km
        const vec3 center = random.chance(0.5) ? 16.0f * in_cube(random) : vec3(0);
        points = noisy(random, points, 1e-7f);
        for (vec3& p : points) p = size * (center + p);
        const auto hull = must_make(points);
        CHECK(hull->vertices.size() == 8);
        CHECK(hull->faces.size() == 6);
    }
}

TEST_CASE("a ring of many coplanar points becomes one face") {
    for (const int n : {3, 4, 5, 16, 64, 255, 256, 1000}) {
        CAPTURE(n);
        Random random(static_cast<std::uint64_t>(n));
        const auto hull = must_make(turned(random, frustum(n, 0.5f, 1.0f)));
        CHECK(hull->vertices.size() == 2u * n);
        CHECK(hull->faces.size() == n + 2u);
    }
}

TEST_CASE("a tetrahedron far from the origin has its exact volume, centroid and inertia") {
    const vec3 o(100, -50, 25);
    const auto hull = must_make({o, o + vec3(1, 0, 0), o + vec3(0, 1, 0), o + vec3(0, 0, 1)});
    CHECK(hull->volume == doctest::Approx(1.0 / 6.0).epsilon(1e-6));
    CHECK(glm::length(hull->centroid - (o + vec3(0.25f))) < 1e-5f);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            CHECK(hull->unit_inertia[i][j] == doctest::Approx(i == j ? 3.0 / 40.0 : 1.0 / 80.0).epsilon(1e-6));
}

TEST_CASE("surviving vertices keep the order of the input, and of duplicates the first stays") {
    const Points cube = full_lattice(2);
    Points points;
    for (const vec3& p : cube) {
        points.push_back(0.5f * p);
        points.push_back(p);
        points.push_back(p);
    }
    const auto hull = must_make(points);
    REQUIRE(hull->vertices.size() == 8);
    for (std::size_t i = 0; i < 8; ++i) CHECK(hull->vertices[i] == cube[i]);
    // +0 and -0 are the same place; the first one's bits survive.
    points = {{0.0f, 0, 0}, {-0.0f, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    CHECK_FALSE(std::signbit(must_make(points)->vertices[0].x));
}

TEST_CASE("points in another order give the same polyhedron") {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        Points points = seed % 2 ? lattice(random, 5, 5, 5, 200) : cluster(random, 200);
        const auto hull = must_make(points);
        for (std::size_t i = points.size() - 1; i > 0; --i) std::swap(points[i], points[random.below(int(i) + 1)]);
        const auto shuffled = must_make(points);
        CHECK(sorted(shuffled->vertices) == sorted(hull->vertices));
        CHECK(shuffled->faces.size() == hull->faces.size());
        CHECK(shuffled->volume == doctest::Approx(hull->volume).epsilon(1e-6));
    }
}

TEST_CASE("the hulls of difficult clouds are closed, convex and hold all their points" * doctest::test_suite("slow")) {
    int made = 0;
    for (const CloudFamily& family : cloud_families) {
        CAPTURE(family.name);
        int refused = 0;
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            CAPTURE(seed);
            Random random(seed * 977 + 5);
            const Points points = family.make(random);
            const auto hull = make_hull(points);
            if (!hull) {
                CAPTURE(hull.error().message);
                CHECK(int(hull.error().code) == int(ErrorCode::degenerate_shape));
                ++refused;
                continue;
            }
            const hull_checker::Report report = hull_checker::check(points, **hull);
            CHECK(report.problem == "");
            ++made;
        }
        CHECK(refused <= 25);  // chance makes some of them flat
    }
    MESSAGE(made, " hulls");
}

TEST_CASE("faces in one plane are always merged on lattices") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const int n = count(random, 2, 7);
        const Points points = maybe_turned(random, lattice(random, n, n, n, count(random, 8, 300)));
        if (const auto hull = make_hull(points)) CHECK(hull_checker::check(points, **hull).unmerged == 0);
    }
}

TEST_CASE("tens of thousands of points on a sphere make one hull and too many vertices are refused" *
          doctest::test_suite("slow")) {
    Random random(3);
    const auto hull = must_make(on_sphere(random, 5000));
    CHECK(hull->vertices.size() > 4990);
    CHECK(must_make(on_sphere(random, 20000))->vertices.size() > 19900);
    CHECK(must_make(icosphere(4))->vertices.size() == 2562);
    const auto largest = must_make(on_sphere(random, 65535));
    CHECK(largest->vertices.size() > 65000);
    CHECK(largest->faces.size() > 115000);  // numbers of 17 bits
    must_refuse(on_sphere(random, 70000), ErrorCode::too_complex);
    Points ball;
    while (ball.size() < 50000) {
        const vec3 p = in_cube(random);
        if (glm::dot(p, p) <= 1.0f) ball.push_back(p);
    }
    must_make(ball);
}

TEST_CASE("points that make no hull are refused with a reason") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    must_refuse({}, ErrorCode::degenerate_shape);
    must_refuse({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, ErrorCode::degenerate_shape);
    must_refuse(Points(100, vec3(1, 2, 3)), ErrorCode::degenerate_shape);
    for (const float bad : {nan, infinity, -infinity}) {
        for (int i = 0; i < 8; ++i) {
            Points points = full_lattice(2);
            points[i][i % 3] = bad;
            must_refuse(points, ErrorCode::not_finite);
        }
    }
    must_refuse(scaled(full_lattice(2), vec3(2e6f)), ErrorCode::bad_size);
    must_refuse(scaled(full_lattice(2), vec3(3e38f)), ErrorCode::bad_size);
    must_refuse(scaled(full_lattice(2), vec3(1e-7f)), ErrorCode::bad_size);
    must_refuse(scaled(full_lattice(2), vec3(1e-42f)), ErrorCode::bad_size);
    Random random(4);
    for (int i = 0; i < 200; ++i) {
        CAPTURE(i);
        const int n = count(random, 4, 100);
        const float thickness = magnitude(random, 1e-12, 2e-7);
        must_refuse(turned(random, cluster(random, n, {0, 0, 1})), ErrorCode::degenerate_shape);
        must_refuse(turned(random, cluster(random, n, {1, 0, 1})), ErrorCode::degenerate_shape);
        must_refuse(cluster(random, n, {1, thickness, 1}), ErrorCode::degenerate_shape);
        must_refuse(turned(random, lattice(random, 3, 3, 1, n)), ErrorCode::degenerate_shape);
        must_refuse(cluster(random, n, vec3(1e-3f, 1e-3f, 0), vec3(1, 2, 3)), ErrorCode::degenerate_shape);
    }
}

TEST_CASE("the bare triangles that merging falls back to are a valid hull of any cloud") {
    using namespace hull_builder;
    for (const CloudFamily& family : cloud_families) {
        CAPTURE(family.name);
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            CAPTURE(seed);
            Random random(seed + 1000);
            const auto cloud = make_cloud(family.make(random));
            if (!cloud) continue;
            std::vector<Index> all(cloud->points.size());
            std::iota(all.begin(), all.end(), 0u);
            const auto mesh = quickhull(*cloud, all, 1.0);
            if (!mesh) continue;
            CHECK(is_valid(*cloud, keep_triangles(*mesh)));
            CHECK(is_valid(*cloud, merge_groups(*cloud, *mesh, coplanar_groups(*cloud, *mesh))));
        }
    }
}

TEST_CASE("the builder's own check finds what is broken") {
    using namespace hull_builder;
    const auto cloud = make_cloud(full_lattice(3));
    REQUIRE(cloud);
    std::vector<Index> all(cloud->points.size());
    std::iota(all.begin(), all.end(), 0u);
    const auto mesh = quickhull(*cloud, all, 1.0);
    REQUIRE(mesh);
    const PolygonMesh good = merge_groups(*cloud, *mesh, coplanar_groups(*cloud, *mesh));
    REQUIRE(is_valid(*cloud, good));
    PolygonMesh bad = good;
    std::swap(bad.neighbours[0], bad.neighbours[1]);
    CHECK_FALSE(is_valid(*cloud, bad));
    bad = good;
    std::swap(bad.corners[0], bad.corners[1]);
    CHECK_FALSE(is_valid(*cloud, bad));
    bad = good;
    bad.faces[0].area = -bad.faces[0].area;
    CHECK_FALSE(is_valid(*cloud, bad));
    bad = good;
    bad.corners[0] = 13;  // the middle of the cube
    CHECK_FALSE(is_valid(*cloud, bad));
    bad = good;
    bad.faces.pop_back();
    CHECK_FALSE(is_valid(*cloud, bad));
}

TEST_CASE("faces go round once where the tolerance is coarse along one axis and fine along another") {
    // Merged outlines crossed themselves by less than a tolerance: a short side ran across them, and contacts, which
    // are clipped by the lines of the sides, lost the whole face.
    must_make({{-1000, 99999.0234f, 0},
               {0, 100986.711f, -1003.90625f},
               {-999.984741f, 100000, 0.114407204f},
               {0, 100000, 0.114744768f},
               {0, 1000000, 0.114745155f},
               {2298.19189f, 100000, 0}});
    must_make({{-34.803154f, -1000000, -34.1471863f},
               {-34.4564781f, -1000000, -34.667202f},
               {-278.078949f, -0.433347642f, -277.337952f},
               {-34.4564781f, 0.346677303f, -34.3205261f},
               {-34.4564781f, 0, -1000000}});
    // In tolerance units the projection of this side of 38 micrometres had the right direction, in metres it had not.
    must_make({{-686.291626f, -13.906311f, -30},
               {-1475.08228f, -17.8126202f, -30},
               {-713.255554f, -3.9063096f, 0},
               {-1506.38232f, -7.81262064f, 0},
               {-2427.04834f, -11.7189331f, 0},
               {-3495.7627f, -15.625246f, 0},
               {-678.431396f, -3.90634775f, 0},
               {-678.431396f, -3.9063096f, 0}});
}

TEST_CASE("clouds thinner than the rounding of their coordinates are flat in any direction") {
    // A hull was made of four points in one plane: it was thick enough in the one direction that was checked, but a
    // thousandth of a tolerance thick in another.
    must_refuse({{-1e6f, 0, 0},
                 {-1e6f, -2.5e-7f, 7.5e-7f},
                 {-999999.875f, 0, 0},
                 {-1e6f, -7.5e-7f, -2.3e-6f},
                 {-1e6f, 1e-6f, 0}},
                ErrorCode::degenerate_shape);
    must_refuse({{-1.38670933f, 0.346677333f, 0},
                 {-0.0721285641f, 0, -0.868187726f},
                 {1000000, -1000000, 0.520016015f},
                 {0.520016015f, 1.15380311f, 0}},
                ErrorCode::degenerate_shape);
}

TEST_CASE("the same points give the same bits, from any compiler") {
    Hash all;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Random random(seed);
        for (const Points& points : {cluster(random, 24), on_sphere(random, 300), lattice(random, 5, 5, 5, 100),
                                     noisy(random, full_lattice(4), 1e-6f), cluster(random, 100, {1e3f, 1, 0.1f})}) {
            const auto hull = make_hull(points);
            REQUIRE(hull);
            const std::uint64_t bits = hash(**hull);
            CHECK(bits == hash(**make_hull(points)));
            all.add(&bits, sizeof bits);
        }
    }
    CHECK(all.value == 11640123580047868160u);
}

TEST_CASE("the message about a hull point just beyond the limit does not call it the limit") {
    // It was "a point has the coordinate 1e+06 m; keep points within 1e6 m".
    const vec3 points[] = {{0, 0, 0}, {1000001.0f, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const auto made = make_hull(points);
    REQUIRE_FALSE(bool(made));
    INFO(made.error().message);
    CHECK(made.error().message.find("coordinate 1000001 m") != std::string::npos);
}
