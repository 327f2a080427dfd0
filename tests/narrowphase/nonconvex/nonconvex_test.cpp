/// Interference and distance of nonconvex polyhedra against brute force over triangles.

#include "tests/narrowphase/nonconvex/nonconvex_solids.h"
#include "tests/narrowphase/triangles/triangle_oracle.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

using namespace talus;
using namespace talus::test;

namespace {

/// Nearer than this counts as either, m: touching is for other tests. The library's band is 0.4e-6 radii.
constexpr double touching = 5e-6;

std::string name_of(const Transform& p) {
    std::ostringstream out;
    out.precision(9);
    out << "position " << p.position.x << ' ' << p.position.y << ' ' << p.position.z << " rotation " << p.rotation.w
        << ' ' << p.rotation.x << ' ' << p.rotation.y << ' ' << p.rotation.z;
    return out.str();
}

struct Truth {
    Interference relation;
    double distance;  ///< of the surfaces
};

glm::dvec3 corner(const TriangleSoup& s, std::size_t i) { return s.triangles[i][0]; }

Truth truth(const TriangleSoup& a, const TriangleSoup& b) {
    const double d = surface_distance(a, b);
    if (d == 0.0) return {Interference::boundaries_meet, 0.0};
    const auto any_inside = [](const TriangleSoup& x, const TriangleSoup& y) {
        for (std::size_t i = 0; i < x.triangles.size(); ++i) {
            if (winding(y, corner(x, i)) > 0.5) return true;
        }
        return false;
    };
    if (any_inside(a, b)) return {Interference::a_inside_b, d};
    if (any_inside(b, a)) return {Interference::b_inside_a, d};
    return {Interference::disjoint, d};
}

std::vector<std::pair<int, int>> some_pairs(int solids) {
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i < solids; ++i) pairs.emplace_back(i, (3 * i + 1) % solids), pairs.emplace_back(i, i);
    return pairs;
}

Transform moved(const vec3& from, const vec3& to, const quat& start, const glm::dvec3& axis, double angle, double s) {
    const glm::dquat q = glm::angleAxis(angle * s, axis) * glm::dquat(start.w, start.x, start.y, start.z);
    return {vec3(glm::mix(glm::dvec3(from), glm::dvec3(to), s)), quat(glm::normalize(q))};
}

}  // namespace

TEST_CASE("all pairs of edges and faces tell what triangles tell in any pose" * doctest::test_suite("slow")) {
    const std::vector<NonconvexSolid> solids = nonconvex_solids();
    Random random(21);
    int met = 0, apart = 0, inside = 0;
    for (const auto& [i, j] : some_pairs(static_cast<int>(solids.size()))) {
        const NonconvexSolid &a = solids[i], &b = solids[j];
        for (int k = 0; k < 25 * nonconvex_scale(); ++k) {
            const vec3 position = random.chance(0.1) ? vec3(0.0f) : somewhere(random, 0.0, 3.0);
            const vec3 origin = random.chance(0.2) ? vec3(1000, 0, 0) : vec3(0.0f);
            const quat first = any_orientation(random);
            const quat second = random.chance(0.3) ? first : any_orientation(random);
            const Transform pose_a{origin, first}, pose_b{origin + position, second};
            const Truth expected = truth(soup_of(a.mesh, pose_a), soup_of(b.mesh, pose_b));
            if (expected.distance > 0.0 && expected.distance < touching) continue;
            const InterferenceResult got =
                interference(a.shape.polyhedron, pose_a, b.shape.polyhedron, pose_b, DistanceKind::bound);
            const std::string where = a.name + ", " + b.name + ": " + name_of(pose_a) + " | " + name_of(pose_b);
            if (got.relation != expected.relation) FAIL_CHECK(where, " gave ", int(got.relation));
            if (got.distance > expected.distance * (1 + 1e-9) + touching) FAIL_CHECK(where, " bound ", got.distance);
            met += expected.relation == Interference::boundaries_meet;
            apart += expected.relation == Interference::disjoint;
            inside += int(expected.relation) > 1;
        }
    }
    MESSAGE("met ", met, ", apart ", apart, ", one inside the other ", inside);
    CHECK(met > 50);
    CHECK(apart > 50);
    CHECK(inside > 0);
}

TEST_CASE("one inside the other is told from apart and a cavity is outside") {
    const NonconvexSolid hollow = solid("hollow box", samples::hollow_box());
    const NonconvexSolid small = solid("small box", samples::box_solid({0.1f, 0.1f, 0.1f}));
    const NonconvexSolid thick = solid("box", samples::box_solid({3, 3, 3}));
    const auto ask = [](const NonconvexSolid& a, const NonconvexSolid& b, const vec3& at) {
        return interference(a.shape.polyhedron, {}, b.shape.polyhedron, {at, quat(1, 0, 0, 0)}).relation;
    };
    CHECK(ask(hollow, small, {0, 0, 0}) == Interference::disjoint);
    CHECK(ask(hollow, small, {0.85f, 0, 0}) == Interference::b_inside_a);
    CHECK(ask(hollow, small, {0.75f, 0, 0}) == Interference::boundaries_meet);
    CHECK(ask(hollow, thick, {0, 0, 0}) == Interference::a_inside_b);
    CHECK(ask(hollow, small, {1.5f, 0, 0}) == Interference::disjoint);
}

TEST_CASE("touching and identical polyhedra meet") {
    for (const float scale : {1e-3f, 1.0f, 100.0f}) {
        CAPTURE(scale);
        for (const NonconvexSolid& s : nonconvex_solids()) {
            CAPTURE(s.name);
            samples::MeshFile mesh = s.mesh;
            for (vec3& v : mesh.vertices) v *= scale;
            const NonconvexSolid scaled = solid(s.name, mesh);
            const Polyhedron& p = scaled.shape.polyhedron;
            REQUIRE(!p.faces.empty());
            CHECK(interference(p, {}, p, {}).relation == Interference::boundaries_meet);
            ContactScratch scratch;
            float low = 0.0f, high = 0.0f;  // side by side along z, whose extremes are flat faces of nearly all
            for (const vec3& v : mesh.vertices) low = std::min(low, v.z), high = std::max(high, v.z);
            const Transform beside{vec3(0, 0, high - low), quat(1, 0, 0, 0)};
            CHECK(interference(p, {}, p, beside).relation == Interference::boundaries_meet);
            CHECK(first_contact(scaled.shape, {}, scaled.shape, beside, scratch).relation ==
                  Interference::boundaries_meet);
            const Transform off{vec3(0, 0, (high - low) * 1.0001f), quat(1, 0, 0, 0)};
            CHECK(interference(p, {}, p, off).relation == Interference::disjoint);
            const double gap =
                first_contact(scaled.shape, {}, scaled.shape, off, scratch, DistanceKind::exact).distance;
            CHECK(gap == doctest::Approx(double(off.position.z) - (double(high) - low)).epsilon(1e-3));
        }
    }
}

TEST_CASE("along motions the pruned test agrees up to the first contact and its distance is the true one" *
          doctest::test_suite("slow")) {
    const std::vector<NonconvexSolid> solids = nonconvex_solids();
    const auto pairs = some_pairs(static_cast<int>(solids.size()));
    Random random(31);
    int contacts = 0;
    double quality = 0.0, quality_all = 0.0;
    int steps = 0;
    for (int m = 0; m < 40 * nonconvex_scale(); ++m) {
        const auto& [i, j] = pairs[static_cast<std::size_t>(m) % pairs.size()];
        const NonconvexSolid &a = solids[i], &b = solids[j];
        const vec3 from = somewhere(random, 3.5, 4.5), to = somewhere(random, 0.0, 0.8);
        const quat start = any_orientation(random);
        const glm::dvec3 axis = random.direction();
        const bool slides = random.chance(0.3);
        const double angle = slides ? 0.0 : random.between(0.0, 1.5);
        const double rate = glm::distance(from, to) + angle * 1.75;  // no corner is farther from the origin than 1.74
        const TriangleSoup soup_a = soup_of(a.mesh, {});
        ContactScratch scratch, found_once;
        find_candidates(a.shape, {}, b.shape, moved(from, to, start, axis, angle, 0.0), found_once);
        NonconvexPair pair(a.shape, b.shape);
        const std::string name = a.name + ", " + b.name + ", motion " + std::to_string(m);
        // Conservative advancement: no step is longer than the distance, until that is nearly 0. Then tiny steps
        // follow, so that the first pose at which the two meet is just behind the contact.
        double s = 0.0;
        for (int step = 0; step < 400 && s < 1.0; ++step) {
            const Transform pose = moved(from, to, start, axis, angle, s);
            const InterferenceResult all =
                interference(a.shape.polyhedron, {}, b.shape.polyhedron, pose, DistanceKind::bound);
            const InterferenceResult pruned = first_contact(a.shape, {}, b.shape, pose, scratch, DistanceKind::exact);
            const InterferenceResult bound = first_contact(a.shape, {}, b.shape, pose, scratch, DistanceKind::bound);
            const InterferenceResult tracked = pair.update({}, pose);
            const std::string where = name + ": " + name_of(pose);
            if (slides) {
                const InterferenceResult kept =
                    first_contact(a.shape, {}, b.shape, pose, found_once.candidates, DistanceKind::exact);
                if (kept.relation != pruned.relation || kept.distance != pruned.distance) {
                    FAIL_CHECK(where, " with the candidates of the start ", kept.distance, " not ", pruned.distance);
                }
            }
            if (pruned.relation != all.relation) FAIL_CHECK(where, " pruned says ", int(pruned.relation));
            if (tracked.relation != all.relation) FAIL_CHECK(where, " tracked says ", int(tracked.relation));
            if (all.relation != Interference::disjoint) {
                ++contacts;
                break;
            }
            const double d = step % 8 == 0 || pruned.distance < 1e-3 ? surface_distance(soup_a, soup_of(b.mesh, pose))
                                                                     : pruned.distance;
            if (std::abs(pruned.distance - d) > touching) FAIL_CHECK(where, " ", pruned.distance, " is not ", d);
            if (std::abs(tracked.distance - d) > touching) FAIL_CHECK(where, " tracked ", tracked.distance, " not ", d);
            if (bound.distance > d + touching) FAIL_CHECK(where, " bound ", bound.distance, " above ", d);
            if (bound.distance < all.distance - touching) FAIL_CHECK(where, " pruning made the bound worse");
            quality += bound.distance / d;
            quality_all += all.distance / d;
            ++steps;
            s += std::max(pruned.distance, 2.0 * touching) / rate;
        }
    }
    MESSAGE(contacts, " contacts, ", steps, " steps, bound/distance ", quality / steps, " pruned, ",
            quality_all / steps, " of all pairs");
    CHECK(contacts > 10);
}

TEST_CASE("a tracked pair is right whatever the motion") {
    const std::vector<NonconvexSolid> solids = nonconvex_solids();
    Random random(41);
    for (const NonconvexSolid& a : solids) {
        const NonconvexSolid& b = solids[static_cast<std::size_t>(random.below(static_cast<int>(solids.size())))];
        NonconvexPair pair(a.shape, b.shape);
        Transform pose{somewhere(random, 0.5, 3.0), any_orientation(random)};
        for (int step = 0; step < 40 * nonconvex_scale(); ++step) {
            if (random.chance(0.1)) {
                pose = {somewhere(random, 0.0, 3.0), any_orientation(random)};
            } else {
                pose.position += somewhere(random, 0.0, 0.05);
                const glm::dvec3 axis = random.direction();
                const double angle = random.between(0.0, 0.03);
                pose.rotation = normalized(multiply(quat(glm::angleAxis(angle, axis)), pose.rotation));
            }
            const double clearance = random.chance(0.5) ? 0.3 : 1e9;
            const InterferenceResult got = pair.update({}, pose, clearance);
            const Truth expected = truth(soup_of(a.mesh, {}), soup_of(b.mesh, pose));
            if (expected.distance > 0.0 && expected.distance < touching) continue;
            const std::string where = a.name + ", " + b.name + ": " + name_of(pose);
            if (got.relation != expected.relation) FAIL_CHECK(where, " gave ", int(got.relation));
            if (got.relation != Interference::disjoint) continue;
            if (got.distance > expected.distance + touching) FAIL_CHECK(where, got.distance, " > ", expected.distance);
            if (got.edge_face_tests > 0 && got.distance < expected.distance - touching) {
                FAIL_CHECK(where, got.distance, " < ", expected.distance);
            }
        }
    }
}

TEST_CASE("orientation prunes nine tenths of the edge-face tests where most arcs are short") {
    const NonconvexSolid hourglass = solid("hourglass of 32", samples::hourglass(32));
    const NonconvexSolid gear = solid("gear of 12", samples::gear(12));
    const NonconvexSolid star = solid("star of 17", samples::star_prism(17));
    Random random(51);
    const auto share = [&](const NonconvexSolid& a, const NonconvexSolid& b) {
        REQUIRE(a.shape.polyhedron.edges.size() >= 100);
        std::size_t all = 0, pruned = 0;
        ContactScratch scratch;
        for (int i = 0; i < 20; ++i) {
            const vec3 position = somewhere(random, 4.0, 5.0);
            const glm::dvec3 axis = random.direction();
            const double angle = random.between(0.0, 3.14);
            const Transform pose{position, quat(glm::angleAxis(angle, axis))};
            all += interference(a.shape.polyhedron, {}, b.shape.polyhedron, pose).edge_face_tests;
            pruned += first_contact(a.shape, {}, b.shape, pose, scratch).edge_face_tests;
        }
        return static_cast<double>(pruned) / static_cast<double>(all);
    };
    CHECK(share(hourglass, hourglass) < 0.1);
    CHECK(share(hourglass, gear) < 0.1);
    CHECK(share(gear, gear) < 0.1);
    // Prisms with many corners are the worst case of the method: each edge of a base is an arc of 90 degrees.
    CHECK(share(star, star) < 0.25);
}
