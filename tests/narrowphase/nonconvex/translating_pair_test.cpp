/// Two polyhedra that move without rotation, against tests of the same pairs in double.

#include "tests/narrowphase/nonconvex/nonconvex_solids.h"

#include <talus/narrowphase/nonconvex/translating_pair.h>

#include <doctest/doctest.h>

#include <limits>

using namespace talus;
using namespace talus::test;

namespace {

EdgeFaceCandidates every_pair(const Polyhedron& a, const Polyhedron& b) {
    EdgeFaceCandidates all;
    for (std::uint32_t e = 0; e < a.edges.size(); ++e) {
        for (std::uint32_t f = 0; f < b.faces.size(); ++f) all.a_edges.push_back({e, f});
    }
    for (std::uint32_t e = 0; e < b.edges.size(); ++e) {
        for (std::uint32_t f = 0; f < a.faces.size(); ++f) all.b_edges.push_back({e, f});
    }
    return all;
}

}  // namespace

TEST_CASE("a translating pair tells what its pairs tell one by one" * doctest::test_suite("slow")) {
    const std::vector<NonconvexSolid> solids = nonconvex_solids();
    Random random(71);
    int met = 0, apart = 0;
    for (const NonconvexSolid& a : solids) {
        for (const NonconvexSolid& b : solids) {
            TranslatingPair chosen(a.shape, b.shape), every(a.shape, b.shape);
            for (int k = 0; k < nonconvex_scale(); ++k) {
                Transform pose_a{somewhere(random, 0.0, 5.0), any_orientation(random)};
                Transform pose_b{vec3(0.0f), any_orientation(random)};
                ContactScratch scratch;
                find_candidates(a.shape, pose_a, b.shape, pose_b, scratch);
                REQUIRE(chosen.prepare(pose_a, pose_b));
                REQUIRE(every.prepare(pose_a, pose_b, every_pair(a.shape.polyhedron, b.shape.polyhedron)));
                CHECK(chosen.size() == scratch.candidates.size());
                for (int i = 0; i < 40; ++i) {
                    pose_b.position = pose_a.position + somewhere(random, 0.0, i % 10 == 0 ? 9.0 : 3.0);
                    const auto one_by_one = first_contact(a.shape, pose_a, b.shape, pose_b, scratch.candidates);
                    const auto all = interference(a.shape.polyhedron, pose_a, b.shape.polyhedron, pose_b);
                    const auto got = chosen.test(pose_a.position, pose_b.position);
                    const bool every_meets =
                        every.test(pose_a.position, pose_b.position).relation == Interference::boundaries_meet;
                    if (got.relation != one_by_one.relation)
                        FAIL_CHECK(a.name, ", ", b.name, " gave ", int(got.relation));
                    if (every_meets != (all.relation == Interference::boundaries_meet))
                        FAIL_CHECK(a.name, ", ", b.name, " with every pair");
                    met += got.relation == Interference::boundaries_meet;
                    apart += got.relation == Interference::disjoint;
                }
            }
        }
    }
    MESSAGE(met, " met, ", apart, " apart");
    CHECK(met > 500);
    CHECK(apart > 500);
}

TEST_CASE("a translating pair refuses what is not there") {
    const NonconvexSolid s = solid("l prism", samples::l_prism());
    TranslatingPair pair(s.shape, s.shape);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(pair.test({}, {}).relation == Interference::bad_input);
    CHECK_FALSE(pair.prepare({}, {vec3(nan, 0, 0)}));
    CHECK_FALSE(pair.prepare({}, {vec3(0.0f), quat(0, 0, 0, 0)}));
    EdgeFaceCandidates wrong;
    wrong.a_edges.push_back({1000, 0});
    CHECK_FALSE(pair.prepare({}, {}, wrong));
    CHECK(pair.test({}, {}).relation == Interference::bad_input);
    REQUIRE(pair.prepare({}, {}));
    CHECK(pair.test({}, vec3(nan)).relation == Interference::bad_input);
    CHECK(pair.test({}, vec3(1e30f, 0, 0)).relation == Interference::disjoint);
    const NonconvexShape empty;
    TranslatingPair none(s.shape, empty);
    CHECK_FALSE(none.prepare({}, {}));
}
