// Facets: triangles of a surface that lie in one plane near a shape.

#include "narrowphase/triangles/facets.h"

#include "narrowphase/triangles/triangle_meets_box.h"
#include "tests/support/random.h"

#include <talus/narrowphase/separation.h>
#include <talus/narrowphase/triangles/height_field.h>
#include <talus/narrowphase/triangles/mesh.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

namespace {

using namespace talus;
using detail::Facet;
using test::Random;

/// A sheet of cells x cells squares of 1 m around the origin, each two triangles.
struct Sheet {
    int cells;
    std::function<float(int x, int z)> height = [](int, int) { return 0.0f; };
    std::function<bool(int x, int z)> is_hole = [](int, int) { return false; };
    std::function<std::uint8_t(int x, int z)> material = [](int, int) { return std::uint8_t{0}; };
    quat rotation{1, 0, 0, 0};
    vec3 offset{0.0f};
    bool two_sided = false;

    vec3 place(const vec3& p) const { return offset + rotate(rotation, p); }

    std::shared_ptr<const TriangleSet> mesh() const {
        std::vector<vec3> vertices;
        std::vector<std::uint32_t> indices;
        std::vector<std::uint8_t> materials;
        const float half = 0.5f * float(cells);
        for (int z = 0; z <= cells; ++z) {
            for (int x = 0; x <= cells; ++x)
                vertices.push_back(place({float(x) - half, height(x, z), float(z) - half}));
        }
        const auto at = [&](int x, int z) { return std::uint32_t(z * (cells + 1) + x); };
        for (int z = 0; z < cells; ++z) {
            for (int x = 0; x < cells; ++x) {
                if (is_hole(x, z)) continue;
                for (const std::uint32_t i :
                     {at(x, z), at(x, z + 1), at(x + 1, z + 1), at(x, z), at(x + 1, z + 1), at(x + 1, z)})
                    indices.push_back(i);
                materials.insert(materials.end(), 2, material(x, z));
            }
        }
        const auto made =
            make_mesh({.vertices = vertices, .indices = indices, .materials = materials, .two_sided = two_sided});
        REQUIRE_MESSAGE(bool(made), made.error().message);
        return *made;
    }
};

Aabb box_around(const vec3& middle, float half) { return {middle - vec3(half), middle + vec3(half)}; }

struct Found {
    std::vector<Facet> facets;
    std::vector<std::uint32_t> triangles;
};

Found search(const TriangleSet& set, const Aabb& box, float flatness = 1e-4f) {
    Found found;
    set.find(box, found.triangles);
    detail::FacetSearch facets;
    facets.find(set, box, flatness, found.triangles);
    found.facets.assign(facets.facets().begin(), facets.facets().end());
    return found;
}

double edge_room(const SetTriangle& t, const vec3& p) {
    double room = 1e30;
    for (int i = 0; i < 3; ++i) {
        const glm::dvec3 a(t.points[i]), b(t.points[(i + 1) % 3]);
        const glm::dvec3 in = glm::normalize(glm::cross(glm::dvec3(t.normal), b - a));
        room = std::min(room, glm::dot(glm::dvec3(p) - a, in));
    }
    return room;
}

}  // namespace

TEST_CASE("a floor of many triangles is one facet, in any plane and on both kinds of surface") {
    Random random(5);
    for (int trial = 0; trial < 40; ++trial) {
        Sheet sheet{.cells = 12};
        const glm::dvec3 axis = random.direction();
        const double angle = trial < 4 ? 0.0 : random.between(0.0, 6.0);
        sheet.rotation = glm::angleAxis(float(angle), vec3(axis));
        sheet.offset = random.point(-30.0f, 30.0f);
        sheet.two_sided = trial % 2 == 1;
        const auto set = sheet.mesh();
        const vec3 middle = sheet.place({0.2f, 0.1f, -0.3f});
        const Found found = search(*set, box_around(middle, 1.5f));
        REQUIRE(found.facets.size() == 1);
        CHECK(found.triangles.empty());
        const Facet& facet = found.facets[0];
        CHECK(glm::dot(facet.normal, rotate(sheet.rotation, vec3(0, 1, 0))) > 0.99999f);
        CHECK(glm::distance(facet.middle, sheet.place({0.2f, 0.0f, -0.3f})) < 2e-5f);
        const SetTriangle under = set->triangle(detail::triangle_at(*set, facet.triangle, facet.middle, 1e-4f));
        CHECK(edge_room(under, facet.middle) > -1e-4);
    }
}

TEST_CASE("a flat height field is one facet, and none over its holes") {
    std::vector<float> heights(12 * 12, 2.0f);
    std::vector<std::uint8_t> holes(11 * 11, 0);
    holes[5 * 11 + 5] = 1;
    for (const bool with_hole : {false, true}) {
        HeightFieldDef def{.columns = 12, .rows = 12, .heights = heights};
        if (with_hole) def.holes = holes;
        const auto made = make_height_field(def);
        REQUIRE_MESSAGE(bool(made), made.error().message);
        const Found over = search(**made, box_around({5.5f, 2.0f, 5.5f}, 0.9f));
        CHECK(over.facets.size() == (with_hole ? 0u : 1u));
        CHECK(over.triangles.empty() == !with_hole);
        CHECK(search(**made, box_around({2.5f, 2.0f, 2.5f}, 0.9f)).facets.size() == 1);
    }
}

TEST_CASE("where a surface ends, folds, has a hole or another material, its triangles stay single") {
    const auto set_of = [](auto change) {
        Sheet sheet{.cells = 12};
        change(sheet);
        return sheet.mesh();
    };
    const auto fold =
        set_of([](Sheet& s) { s.height = [](int x, int) { return x > 8 ? 0.3f * float(x - 8) : 0.0f; }; });
    const auto drop =
        set_of([](Sheet& s) { s.height = [](int x, int) { return x > 8 ? 0.3f * float(8 - x) : 0.0f; }; });
    const auto hole = set_of([](Sheet& s) { s.is_hole = [](int x, int z) { return x == 8 && z == 6; }; });
    const auto other = set_of([](Sheet& s) { s.material = [](int x, int) { return std::uint8_t(x >= 8); }; });
    const auto plain = set_of([](Sheet&) {});
    for (const auto& [set, far] : {std::pair(fold, 2.0f), {drop, 2.0f}, {hole, 2.0f}, {other, 2.0f}, {plain, 6.0f}}) {
        // The edge is at x = far.
        CHECK(search(*set, box_around({far - 1.1f, 0.0f, 0.5f}, 1.0f)).facets.size() == 1);
        const Found across = search(*set, box_around({far - 0.9f, 0.0f, 0.5f}, 1.0f));
        CHECK(across.facets.empty());
        CHECK(across.triangles.size() >= 4);
    }
}

TEST_CASE("two floors above each other are two facets, and a table beside a wall is none") {
    Sheet low{.cells = 6}, high{.cells = 6};
    std::vector<vec3> vertices;
    std::vector<std::uint32_t> indices;
    for (const float y : {0.0f, 0.5f}) {
        const auto set = low.mesh();
        for (std::uint32_t t = 0; t < set->size(); ++t) {
            for (const vec3& p : set->points(t)) {
                indices.push_back(std::uint32_t(vertices.size()));
                vertices.push_back(p + vec3(0, y, 0));
            }
        }
    }
    const auto made = make_mesh({.vertices = vertices, .indices = indices});
    REQUIRE(made);
    const Found found = search(**made, box_around({0.2f, 0.3f, 0.1f}, 1.0f));
    CHECK(found.facets.size() == 2);
    CHECK(found.triangles.empty());
    CHECK(search(**made, box_around({0.2f, 0.3f, 0.1f}, 4.0f)).facets.empty());
}

// The box of a long diagonal triangle contains what the triangle does not come near.
TEST_CASE("no facet comes from triangles whose boxes alone are near") {
    const std::vector<vec3> vertices{{0, 0, 0}, {10, 0, 10}, {10, 0, 10.5f}, {0, 0, 0.5f}};
    const std::vector<std::uint32_t> indices{0, 2, 1, 0, 3, 2};
    const auto made = make_mesh({.vertices = vertices, .indices = indices});
    REQUIRE(made);
    const Found found = search(**made, box_around({8.0f, 0.0f, 2.0f}, 0.5f));
    CHECK(found.facets.empty());
    CHECK(found.triangles.empty());
}

TEST_CASE("facets cover their plane wherever it is in the box, and stand for no other triangle" *
          doctest::test_suite("slow")) {
    Random random(17);
    int facets = 0, singles = 0;
    for (int trial = 0; trial < 400; ++trial) {
        Sheet sheet{.cells = 10};
        std::vector<float> heights(121, 0.0f);
        std::vector<bool> holes(100, false);
        std::vector<std::uint8_t> materials(100, 0);
        for (int k = random.below(12); k > 0; --k) heights[random.below(121u)] = random.chance(0.5) ? 0.2f : 1e-3f;
        for (int k = random.below(3); k > 0; --k) holes[random.below(100u)] = true;
        for (int k = random.below(3); k > 0; --k) materials[random.below(100u)] = 1;
        sheet.height = [&](int x, int z) { return heights[std::size_t(z * 11 + x)]; };
        sheet.is_hole = [&](int x, int z) { return bool(holes[std::size_t(z * 10 + x)]); };
        sheet.material = [&](int x, int z) { return materials[std::size_t(z * 10 + x)]; };
        if (random.chance(0.7)) {
            sheet.rotation = glm::angleAxis(random.real(0.0f, 6.0f), vec3(random.direction()));
            sheet.offset = random.point(-50.0f, 50.0f);
        }
        const auto set = sheet.mesh();
        std::vector<SetTriangle> all;
        for (std::uint32_t t = 0; t < set->size(); ++t) all.push_back(set->triangle(t));
        for (int k = 0; k < 10; ++k) {
            const vec3 middle = sheet.place({random.real(-5, 5), random.real(-0.3f, 0.3f), random.real(-5, 5)});
            const float half = random.real(0.2f, 2.0f);
            const Aabb box = box_around(middle, half);
            const Found found = search(*set, box);
            facets += int(found.facets.size());
            singles += int(found.triangles.size());
            const auto in_plane = [&](const SetTriangle& t, const Facet& facet) {
                bool in = glm::dot(t.normal, facet.normal) > 0.0f;
                for (const vec3& p : t.points) in = in && std::abs(glm::dot(p - facet.middle, facet.normal)) < 3e-4f;
                return in && t.material == all[facet.triangle].material;
            };
            for (const Facet& facet : found.facets) {
                for (int sample = 0; sample < 200; ++sample) {
                    const vec3 at = middle + random.point(-half, half);
                    const vec3 p = at - glm::dot(at - facet.middle, facet.normal) * facet.normal;
                    const vec3 out = glm::max(box.lower - p, p - box.upper);
                    if (std::max({out.x, out.y, out.z}) > 0.0f) continue;
                    const bool covered = std::any_of(all.begin(), all.end(), [&](const SetTriangle& t) {
                        return in_plane(t, facet) && edge_room(t, p) > -1e-4;
                    });
                    REQUIRE(covered);
                }
            }
            // Each triangle that is in the box is listed, or in a facet's plane.
            std::vector<std::uint32_t> near;
            set->find(box, near);
            for (const std::uint32_t t : near) {
                SimplexCache cache;
                const Shape solid = talus::box(vec3(0.99f * half));
                const vec3(&p)[3] = all[t].points;
                const Shape shape = triangle(p[0] - middle, p[1] - middle, p[2] - middle);
                if (separation(solid, shape, MatrixTransform{}, cache).separation > 0.0f) continue;
                const bool listed =
                    std::find(found.triangles.begin(), found.triangles.end(), t) != found.triangles.end();
                const bool stood_for = std::any_of(found.facets.begin(), found.facets.end(),
                                                   [&](const Facet& facet) { return in_plane(all[t], facet); });
                CHECK(listed != stood_for);
            }
        }
    }
    CHECK(facets > 300);
    CHECK(singles > 3000);
}

TEST_CASE("a triangle meets a box if the narrowphase finds that they overlap") {
    Random random(23);
    int met = 0, apart = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        const float size = float(random.scale(0.05, 20.0));
        const vec3 p[3] = {random.point(-size, size), random.point(-size, size), random.point(-size, size)};
        const vec3 cross = glm::cross(p[1] - p[0], p[2] - p[0]);
        if (!(length_squared(cross) > 1e-6f * size * size * size * size)) continue;
        const vec3 half = random.point(0.1f, 2.0f), middle = random.point(-2.0f, 2.0f);
        SimplexCache cache;
        const MatrixTransform at{-middle};
        const float gap = separation(box(half), triangle(p[0], p[1], p[2]), at, cache).separation;
        if (std::abs(gap) < 1e-4f) continue;
        const bool meets = detail::triangle_meets_box(p, glm::normalize(cross), {middle - half, middle + half});
        CHECK(meets == (gap < 0.0f));
        (meets ? met : apart) += 1;
    }
    CHECK(met > 2000);
    CHECK(apart > 2000);
}
