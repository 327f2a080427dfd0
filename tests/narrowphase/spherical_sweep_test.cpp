/// The overlays of two orientation graphs: three ways, one answer, nothing lost while the orientation turns.

#include "tests/narrowphase/nonconvex_solids.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace talus;
using namespace talus::test;

namespace {

EdgeFaceCandidates candidates(const NonconvexSolid& a, const NonconvexSolid& b, const quat& rotation, double slack,
                              OverlayMethod method) {
    static OverlayScratch scratch;  // kept, as users keep it
    EdgeFaceCandidates out;
    const glm::dquat q = glm::normalize(glm::dquat(rotation.w, rotation.x, rotation.y, rotation.z));
    find_candidates(a.shape.graph, b.shape.graph, to_matrix(q), slack, method, scratch, out);
    std::sort(out.a_edges.begin(), out.a_edges.end());
    std::sort(out.b_edges.begin(), out.b_edges.end());
    return out;
}

bool same(const EdgeFaceCandidates& x, const EdgeFaceCandidates& y) {
    return x.a_edges == y.a_edges && x.b_edges == y.b_edges;
}

/// Pairs of `all` that stand in `some`, too; vertices may have given another of their edges.
bool covers(const std::vector<EdgeFacePair>& all, const std::vector<EdgeFacePair>& some, const Polyhedron& edges) {
    return std::all_of(some.begin(), some.end(), [&](const EdgeFacePair& p) {
        if (std::binary_search(all.begin(), all.end(), p)) return true;
        for (const std::uint32_t v : edges.edges[p.edge].vertices) {
            for (const std::uint32_t e : edges.edges_of_vertex(v)) {
                if (std::binary_search(all.begin(), all.end(), EdgeFacePair{e, p.face})) return true;
            }
        }
        return false;
    });
}

}  // namespace

TEST_CASE("the sweep and the grid find what testing every pair finds") {
    const std::vector<NonconvexSolid> solids = nonconvex_solids();
    Random random(11);
    int wrong = 0, most = 0;
    for (const NonconvexSolid& a : solids) {
        for (const NonconvexSolid& b : solids) {
            CAPTURE(a.name);
            CAPTURE(b.name);
            for (int i = 0; i < 12 * nonconvex_scale(); ++i) {
                const quat rotation = i == 0 ? quat(1, 0, 0, 0) : any_orientation(random);
                const double slack = i % 3 == 0 ? 0.0 : i % 3 == 1 ? 0.02 : 0.045;
                const auto every = candidates(a, b, rotation, slack, OverlayMethod::every_pair);
                const auto swept = candidates(a, b, rotation, slack, OverlayMethod::sweep);
                const auto grid = candidates(a, b, rotation, slack, OverlayMethod::grid);
                wrong += !same(every, swept) + !same(every, grid);
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
                lost += !covers(kept.a_edges, fresh.a_edges, a.shape.polyhedron);
                lost += !covers(kept.b_edges, fresh.b_edges, b.shape.polyhedron);
            }
        }
    }
    CHECK(lost == 0);
}

TEST_CASE("a concave edge and a saddle point are nowhere on the sphere") {
    const NonconvexSolid s = solid("hourglass", samples::hourglass(32));
    CHECK(s.shape.graph.arcs.size() == 128);
    CHECK(s.shape.graph.regions.size() == 64);  // those of the waist are saddle points
}
