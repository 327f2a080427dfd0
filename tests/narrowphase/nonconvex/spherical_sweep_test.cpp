/// The overlays of two orientation graphs: all methods give the same result, and no contact is missed while the
/// orientation changes within the slack.

#include "tests/narrowphase/nonconvex/nonconvex_solids.h"

#include "narrowphase/nonconvex/candidates.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace talus;
using namespace talus::test;

namespace {

EdgeFaceCandidates candidates(const NonconvexSolid& a, const NonconvexSolid& b, const quat& rotation, double slack,
                              OverlayMethod method) {
    static CandidateScratch scratch;  // kept, as users keep it
    EdgeFaceCandidates out;
    const glm::dquat q = glm::normalize(glm::dquat(rotation.w, rotation.x, rotation.y, rotation.z));
    find_candidates(*a.shape.graph, *b.shape.graph, to_matrix(q), slack, method, scratch, out);
    std::sort(out.a_edges.begin(), out.a_edges.end());
    std::sort(out.b_edges.begin(), out.b_edges.end());
    return out;
}

bool same(const EdgeFaceCandidates& x, const EdgeFaceCandidates& y) {
    return x.a_edges == y.a_edges && x.b_edges == y.b_edges;
}

bool has(const std::vector<EdgeFacePair>& all, std::uint32_t edge, std::uint32_t face) {
    return std::binary_search(all.begin(), all.end(), EdgeFacePair{edge, face});
}

/// Whether `kept` has each pair of `fresh`, or another that stands for the same vertex and face, or for the same edges.
bool covers(const std::vector<EdgeFacePair>& kept, const std::vector<EdgeFacePair>& kept_of_other,
            const std::vector<EdgeFacePair>& fresh, const Polyhedron& p, const Polyhedron& other) {
    return std::all_of(fresh.begin(), fresh.end(), [&](const EdgeFacePair& pair) {
        if (has(kept, pair.edge, pair.face)) return true;
        for (const std::uint32_t v : p.edges[pair.edge].vertices) {
            for (const std::uint32_t e : p.edges_of_vertex(v)) {
                if (has(kept, e, pair.face)) return true;
            }
        }
        for (const std::uint32_t g : other.edges_of_face(pair.face)) {
            for (const std::uint32_t f : other.edges[g].faces) {
                if (has(kept, pair.edge, f)) return true;
            }
            for (const std::uint32_t f : p.edges[pair.edge].faces) {
                if (has(kept_of_other, g, f)) return true;
            }
        }
        return false;
    });
}

}  // namespace

TEST_CASE("the sweep, the grid and the signs find what testing every pair finds" * doctest::test_suite("slow")) {
    const std::vector<NonconvexSolid> solids = nonconvex_solids();
    Random random(11);
    int wrong = 0, most = 0;
    for (const NonconvexSolid& a : solids) {
        for (const NonconvexSolid& b : solids) {
            CAPTURE(a.name);
            CAPTURE(b.name);
            for (int i = 0; i < 12 * nonconvex_scale(); ++i) {
                const quat rotation = i == 0 ? quat(1, 0, 0, 0) : any_orientation(random);
                const double slack = i % 3 == 0 ? 0.0 : i % 3 == 1 ? 0.02 : 0.028;
                const auto every = candidates(a, b, rotation, slack, OverlayMethod::every_pair);
                const auto swept = candidates(a, b, rotation, slack, OverlayMethod::sweep);
                const auto grid = candidates(a, b, rotation, slack, OverlayMethod::grid);
                const auto signs = candidates(a, b, rotation, slack, OverlayMethod::signs);
                wrong += !same(every, swept) + !same(every, grid) + !same(every, signs);
                most = std::max(most, static_cast<int>(every.size()));
            }
            REQUIRE(wrong == 0);
        }
    }
    CHECK(most > 100);  // there was something to find
}

TEST_CASE("candidates with a slack hold those of every orientation within it") {
    const std::vector<NonconvexSolid> solids = nonconvex_solids();
    Random random(12);
    int lost = 0;
    for (const NonconvexSolid& a : solids) {
        for (const NonconvexSolid& b : solids) {
            const quat reference = any_orientation(random);
            const auto kept = candidates(a, b, reference, 0.02, OverlayMethod::grid);
            for (int i = 0; i < 8 * nonconvex_scale(); ++i) {
                const glm::dvec3 axis = random.direction();
                const double angle = random.between(0.0, 0.0199);
                const quat turned = multiply(quat(glm::angleAxis(angle, axis)), reference);
                const auto fresh = candidates(a, b, turned, 0.0, OverlayMethod::every_pair);
                lost += !covers(kept.a_edges, kept.b_edges, fresh.a_edges, a.shape.polyhedron, b.shape.polyhedron);
                lost += !covers(kept.b_edges, kept.a_edges, fresh.b_edges, b.shape.polyhedron, a.shape.polyhedron);
            }
        }
    }
    CHECK(lost == 0);
}

TEST_CASE("a concave edge and a saddle point are nowhere on the sphere") {
    const NonconvexSolid s = solid("hourglass", samples::hourglass(32));
    CHECK(s.shape.graph->arcs.size() == 128);
    CHECK(s.shape.graph->regions.size() == 64);  // those of the waist are saddle points
}
