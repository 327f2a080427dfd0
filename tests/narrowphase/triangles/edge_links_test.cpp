/// Links across edges, compared with a plain list.

#include "narrowphase/triangles/edge_links.h"
#include "tests/support/grid.h"
#include "tests/support/random.h"

#include <talus/narrowphase/triangles/mesh.h>

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <utility>
#include <vector>

using namespace talus;
using detail::EdgeLink;
using test::Random;

TEST_CASE("short and long links lead where they were set to") {
    Random random(4);
    for (const std::uint32_t triangles : {1u, 2u, 8190u, 8191u, 8192u, 40000u}) {
        detail::EdgeLinks links;
        links.reset(triangles);
        std::vector<std::array<EdgeLink, 3>> plain(triangles);
        for (std::uint32_t t = 0; t < triangles; ++t) {
            for (std::uint32_t edge = 0; edge < 3; ++edge) {
                if (random.chance(0.1)) continue;
                std::uint32_t to = random.chance(0.5) ? random.below(triangles) : triangles - 1 - t;
                if (random.chance(0.2)) to = std::min(t + 8190 + random.below(3u), triangles - 1);
                if (random.chance(0.2)) to = t - std::min(t, 8189 + random.below(3u));
                plain[t][edge] = {to, random.below(3u)};
                links.set(t, edge, plain[t][edge]);
            }
        }
        links.finish();
        bool same = true;
        for (std::uint32_t t = 0; t < triangles; ++t) {
            for (std::uint32_t edge = 0; edge < 3; ++edge) {
                const EdgeLink link = links.get(t, edge);
                same = same && link.triangle == plain[t][edge].triangle && link.edge == plain[t][edge].edge;
            }
        }
        CHECK(same);
    }
}

TEST_CASE("a mesh of 500,000 triangles takes at most 39 bytes per triangle and knows all its neighbours" *
          doctest::test_suite("slow")) {
    constexpr int cells = 500;
    std::vector<vec3> vertices;
    const std::vector<std::uint32_t> indices = test::grid_indices(cells);
    Random random(9);
    for (int j = 0; j <= cells; ++j) {
        for (int i = 0; i <= cells; ++i) vertices.push_back({float(i), random.real(0.0f, 0.5f), float(j)});
    }
    const auto made = make_mesh({.vertices = vertices, .indices = indices});
    REQUIRE(made);
    const TriangleSet& mesh = **made;
    CHECK(double(mesh.bytes()) / mesh.size() < 39.0);
    // The third corner of the triangle that has an edge in this direction.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> third;
    for (std::size_t k = 0; k < indices.size(); k += 3) {
        for (std::size_t i = 0; i < 3; ++i)
            third[{indices[k + i], indices[k + (i + 1) % 3]}] = indices[k + (i + 2) % 3];
    }
    std::size_t wrong = 0;
    for (std::uint32_t t = 0; t < mesh.size(); ++t) {
        const SetTriangle triangle = mesh.triangle(t);
        const std::uint32_t* const own = &indices[3 * std::size_t{mesh.source(t)}];
        for (std::size_t i = 0; i < 3; ++i) {
            const auto there = third.find({own[(i + 1) % 3], own[i]});
            const std::uint32_t corner = there != third.end() ? there->second : own[(i + 2) % 3];
            wrong += triangle.beyond[i] == vertices[corner] ? 0 : 1;
        }
    }
    CHECK(wrong == 0);
}
