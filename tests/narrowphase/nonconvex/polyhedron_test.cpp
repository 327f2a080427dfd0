/// Polyhedra from triangles: merged faces, what is convex, what is refused and why.

#include "tests/narrowphase/nonconvex/nonconvex_solids.h"
#include "tests/narrowphase/triangles/triangle_oracle.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace talus;
using namespace talus::test;

namespace {

struct Counts {
    std::size_t vertices, edges, concave, faces, shells;
    bool operator==(const Counts&) const = default;
};

Counts counts(const samples::MeshFile& mesh) {
    const auto p = make_polyhedron(mesh.vertices, mesh.triangles);
    REQUIRE_MESSAGE(static_cast<bool>(p), p.error().message);
    const auto concave = std::count_if(p->edges.begin(), p->edges.end(), [](const auto& e) { return !e.convex; });
    return {p->vertices.size(), p->edges.size(), static_cast<std::size_t>(concave), p->faces.size(), p->shells.size()};
}

std::string refusal(const samples::MeshFile& mesh) {
    const auto p = make_polyhedron(mesh.vertices, mesh.triangles);
    return p ? "" : p.error().message;
}

bool says(const std::string& sentence, const char* what) { return sentence.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("coplanar triangles become one face whatever its outline and holes") {
    CHECK(counts(samples::pentahedron()) == Counts{5, 8, 1, 5, 1});
    CHECK(counts(samples::hourglass(32)) == Counts{96, 160, 32, 66, 1});
    CHECK(counts(samples::l_prism()) == Counts{12, 18, 1, 8, 1});
    CHECK(counts(samples::square_frame()) == Counts{16, 24, 4, 10, 1});  // V - E + F = 2: two faces have a hole each
    CHECK(counts(samples::gear(6)) == Counts{96, 144, 36, 50, 1});
    CHECK(counts(samples::hollow_box()) == Counts{16, 24, 12, 12, 2});
    CHECK(counts(samples::two_boxes()) == Counts{16, 24, 0, 12, 2});
}

TEST_CASE("a polyhedron is the same at any size and far from its origin") {
    for (const double scale : {1e-3, 1.0, 100.0}) {
        for (const double offset : {0.0, 1000.0}) {
            samples::MeshFile mesh = samples::hourglass(16);
            for (vec3& v : mesh.vertices) v = v * float(scale) + vec3(float(offset * scale), 0, 0);
            CAPTURE(scale);
            CAPTURE(offset);
            CHECK(counts(mesh) == Counts{48, 80, 16, 34, 1});
        }
    }
}

TEST_CASE("polygons are taken as they are") {
    // A cube of six squares, one of them with a corner in the middle of a side.
    const std::vector<vec3> v{{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1},
                              {1, -1, 1},   {1, 1, 1},   {-1, 1, 1}, {0, -1, -1}};
    const std::vector<std::uint32_t> corners{0, 3, 2, 1, 8, 4, 5, 6, 7, 0, 8, 1, 5,
                                             4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
    const std::vector<std::uint32_t> sizes{5, 4, 5, 4, 4, 4};
    const auto p = make_polyhedron(v, corners, sizes);
    REQUIRE_MESSAGE(static_cast<bool>(p), p.error().message);
    CHECK(p->faces.size() == 6);
    CHECK(p->edges.size() == 13);
}

TEST_CASE("dirty surfaces are refused with the edge where it shows") {
    samples::MeshFile hole = samples::box_solid({1, 1, 1});
    hole.triangles.resize(hole.triangles.size() - 3);
    CHECK(says(refusal(hole), "not closed"));
    CHECK(says(refusal(hole), "edge "));

    samples::MeshFile flipped = samples::box_solid({1, 1, 1});
    std::swap(flipped.triangles[0], flipped.triangles[1]);
    CHECK(says(refusal(flipped), "turned over"));

    samples::MeshFile inward = samples::box_solid({1, 1, 1});
    std::reverse(inward.triangles.begin(), inward.triangles.end());
    CHECK(says(refusal(inward), "look inward"));

    samples::MeshFile twice = samples::box_solid({1, 1, 1});
    const auto once = twice.triangles;
    twice.triangles.insert(twice.triangles.end(), once.begin(), once.end());
    CHECK(says(refusal(twice), "bounds 4 polygons"));

    samples::MeshFile nan = samples::box_solid({1, 1, 1});
    nan.vertices[3].y = std::nanf("");
    CHECK(says(refusal(nan), "vertex 3 is ("));

    samples::MeshFile range = samples::box_solid({1, 1, 1});
    range.triangles[4] = 99;
    CHECK(says(refusal(range), "99"));
    CHECK(says(refusal({}), "fewer than four"));

    samples::MeshFile flat = samples::box_solid({1, 1, 1});
    for (vec3& v : flat.vertices) v.z = 0.0f;
    CHECK(says(refusal(flat), "no volume"));
}

TEST_CASE("a shell that is turned inside out where it should not be is refused") {
    samples::MeshFile nested = samples::hollow_box();
    for (std::size_t i = nested.triangles.size() / 2; i < nested.triangles.size(); i += 3) {
        std::swap(nested.triangles[i], nested.triangles[i + 1]);
    }
    CHECK(says(refusal(nested), "lies inside another"));
    samples::MeshFile apart = samples::hollow_box();
    for (std::size_t i = apart.vertices.size() / 2; i < apart.vertices.size(); ++i) apart.vertices[i].x += 10.0f;
    CHECK(says(refusal(apart), "lies in no other"));
}

TEST_CASE("a point is in a polyhedron where the surface winds around it") {
    Random random(3);
    for (const NonconvexSolid& s : nonconvex_solids()) {
        CAPTURE(s.name);
        REQUIRE(!s.shape.polyhedron.faces.empty());
        const TriangleSoup soup = soup_of(s.mesh, {});
        int wrong = 0, inside = 0;
        for (int i = 0; i < 2000; ++i) {
            const glm::dvec3 direction = random.direction();
            const glm::dvec3 p = direction * (s.shape.polyhedron.radius * std::cbrt(random.unit()));
            const bool expected = winding(soup, p) > 0.5;
            inside += expected;
            wrong += contains(s.shape.polyhedron, p) != expected;
        }
        CHECK(wrong == 0);
        CHECK(inside > 50);
    }
}

TEST_CASE("the message about a corner that is no vertex names the index, the polygon and the number of vertices") {
    // It was "edge 2-9 has an end that is no vertex, or the same end twice".
    const std::vector<vec3> vertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const auto message = [&](std::vector<std::uint32_t> corners, std::vector<std::uint32_t> sizes) {
        const auto made = make_polyhedron(vertices, corners, sizes);
        return made ? std::string() : made.error().message;
    };
    CHECK(says(message({0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 9}, {3, 3, 3, 3}),
               "polygon 3 has the index 9, but there are 4 vertices"));
    CHECK(says(message({9, 2, 1}, {3}), "polygon 0 has the index 9"));
    CHECK(says(message({0, 2, 1, 0, 1, 1}, {3, 3}), "polygon 1 has vertex 1 twice"));
    CHECK(says(message({0, 2, 1, 0, 1}, {3, 2}), "polygon 1 has 2 corners; it needs at least 3"));
    CHECK(says(message({0, 2, 1, 0, 1}, {3, 3}), "polygon 1 has 3 corners, but only 2 are left"));
    CHECK(says(message({0, 2, 1, 0, 1}, {3}), "there are 5 corners, but the polygons have 3"));
    CHECK(says(message({0, 2, 1}, {3}), "there are 1 polygons, and fewer than four"));
    CHECK(says(make_polyhedron(vertices, std::vector<std::uint32_t>{0, 1}).error().message, "there are 2 indices"));
}
