/// The linked graph, the walk for convex shapes, and the connected sweep, against all pairs.

#include "tests/narrowphase/nonconvex/nonconvex_solids.h"

#include <talus/narrowphase/hull.h>
#include <talus/narrowphase/nonconvex/face_orientation_graph.h>
#include "narrowphase/nonconvex/overlay.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <tuple>

using namespace talus;
using namespace talus::test;

namespace {

using glm::dvec3;
using Index = std::uint32_t;

/// The hull of some points, as a polyhedron.
NonconvexSolid hull_solid(std::span<const vec3> points) {
    const auto hull = make_hull(points);
    REQUIRE(hull);
    samples::MeshFile mesh;
    mesh.vertices = (*hull)->vertices;
    for (const HullFace& f : (*hull)->faces) {
        for (Index k = 1; k + 1 < f.count; ++k) {
            mesh.triangles.insert(mesh.triangles.end(),
                                  {(*hull)->face_vertices[f.first], (*hull)->face_vertices[f.first + k],
                                   (*hull)->face_vertices[f.first + k + 1]});
        }
    }
    return solid("hull", mesh);
}

/// Points spread evenly over a sphere, none of them near another: hulls of random ones have faces that are flat to
/// rounding, and edges that are not convex.
std::vector<vec3> on_sphere(Random& random, int count) {
    std::vector<vec3> points;
    const double step = 0.3 / std::sqrt(double(count));
    for (int i = 0; i < count; ++i) {
        const double z = 1.0 - (2.0 * i + 1.0) / count, angle = 2.399963229728653 * i, r = std::sqrt(1.0 - z * z);
        const dvec3 jitter = step * random.direction();
        points.push_back(vec3(glm::normalize(dvec3(r * std::cos(angle), r * std::sin(angle), z) + jitter)));
    }
    return points;
}

using Contact = std::tuple<int, Index, Index>;

std::set<Contact> contacts_of(const NonconvexSolid& a, const NonconvexSolid& b, const quat& rotation, double slack,
                              OverlayMethod method, OverlayScratch& scratch) {
    ApplicableContacts found;
    const glm::dquat q = glm::normalize(glm::dquat(rotation.w, rotation.x, rotation.y, rotation.z));
    find_applicable(*a.shape.graph, *b.shape.graph, to_matrix(q), slack, method, scratch, found);
    std::set<Contact> out;
    for (const VertexOnFace& c : found.a_vertices) out.emplace(0, c.region, c.face);
    for (const VertexOnFace& c : found.b_vertices) out.emplace(1, c.region, c.face);
    for (const EdgeOnEdge& c : found.edges) out.emplace(2, c.arc_a, c.arc_b);
    CHECK(out.size() == found.a_vertices.size() + found.b_vertices.size() + found.edges.size());
    return out;
}

}  // namespace

TEST_CASE("half-arcs of a graph make closed cycles around vertices and nodes") {
    std::vector<NonconvexSolid> solids = nonconvex_solids();
    Random random(81);
    solids.push_back(hull_solid(on_sphere(random, 40)));
    for (const NonconvexSolid& s : solids) {
        CAPTURE(s.name);
        const Polyhedron& p = s.shape.polyhedron;
        const FaceOrientationGraph g = make_face_orientation_graph(p);
        REQUIRE(g.nodes.size() == p.faces.size());
        REQUIRE(g.arcs.size() == p.edges.size());
        REQUIRE(g.half_arcs.size() == 2 * p.edges.size());
        REQUIRE(g.regions.size() == p.vertices.size());
        std::vector<int> entered(g.half_arcs.size(), 0);
        for (Index h = 0; h < g.half_arcs.size(); ++h) {
            const auto& half = g.half_arcs[h];
            const auto& next = g.half_arcs[half.next];
            ++entered[half.next];
            CHECK(next.from == half.to);
            CHECK(next.region == half.region);
            const auto& twin = g.half_arcs[h ^ 1u];
            CHECK((twin.from == half.to && twin.to == half.from));
            CHECK(g.half_arcs[twin.next].from == half.from);
            CHECK(p.edges[h / 2].vertices[h % 2] == half.region);
        }
        // Each is entered once, so `next` is a permutation, and so are the orbits around nodes.
        CHECK(std::all_of(entered.begin(), entered.end(), [](int n) { return n == 1; }));
        // The surface: V - E + F of the cycles is 2 for each shell, less 2 for each handle.
        std::vector<bool> seen(g.half_arcs.size(), false);
        std::size_t around_vertices = 0, around_nodes = 0;
        for (Index h = 0; h < g.half_arcs.size(); ++h) {
            around_vertices += !seen[h];
            for (Index k = h; !seen[k]; k = g.half_arcs[k].next) seen[k] = true;
        }
        seen.assign(g.half_arcs.size(), false);
        for (Index h = 0; h < g.half_arcs.size(); ++h) {
            around_nodes += !seen[h];
            for (Index k = h; !seen[k]; k = g.half_arcs[k ^ 1u].next) seen[k] = true;
        }
        CHECK(around_vertices == p.vertices.size());
        CHECK(around_nodes >= p.faces.size());  // more for faces with holes
        for (Index n = 0; n < g.nodes.size(); ++n) CHECK(g.half_arcs[g.nodes[n].first_half].from == n);
        for (Index r = 0; r < g.regions.size(); ++r) CHECK(g.half_arcs[g.regions[r].first_half].region == r);
    }
    const FaceOrientationGraph frame =
        make_face_orientation_graph(solid("frame", samples::square_frame()).shape.polyhedron);
    CHECK_FALSE(frame.convex);
    CHECK(make_face_orientation_graph(solids.back().shape.polyhedron).convex);
    CHECK_FALSE(make_face_orientation_graph(solid("two", samples::two_boxes()).shape.polyhedron).convex);
    CHECK_FALSE(make_face_orientation_graph(solid("hollow", samples::hollow_box()).shape.polyhedron).convex);
}

TEST_CASE("the corners of a region bound what its edges allow") {
    std::vector<NonconvexSolid> solids = nonconvex_solids();
    Random random(82);
    solids.push_back(hull_solid(on_sphere(random, 60)));
    std::size_t inside = 0, outside = 0;
    for (const NonconvexSolid& s : solids) {
        CAPTURE(s.name);
        const OrientationGraph& graph = *s.shape.graph;
        for (const OrientationRegion& region : graph.regions) {
            const auto corners = graph.links.corners_of(region.vertex);
            REQUIRE(corners.size() >= 3);
            for (int i = 0; i < 40; ++i) {
                // Between the corners, counter-clockwise: to the left of all sides.
                dvec3 n(0.0);
                for (const dvec3& c : corners) n += random.between(0.0, 1.0) * c;
                n = i % 2 == 0 ? glm::normalize(n) : random.direction();
                double least = 1.0;
                for (std::size_t k = 0; k < corners.size(); ++k) {
                    const dvec3 side = glm::cross(corners[k], corners[(k + 1) % corners.size()]);
                    least = std::min(least, glm::dot(glm::normalize(side), n));
                }
                if (std::abs(least) < 1e-5) continue;
                (least > 0.0 ? inside : outside) += 1;
                CHECK(node_in_region(graph, region, n, 0.0) == (least > 0.0));
            }
        }
    }
    CHECK(inside > 1000);
    CHECK(outside > 1000);
}

TEST_CASE("the walk finds what all pairs of two hulls find, with ties and without" * doctest::test_suite("slow")) {
    Random random(83);
    OverlayScratch scratch;
    int not_convex = 0, pairs = 0, walks = 0;
    std::size_t contacts = 0;
    for (int k = 0; k < 1000 * nonconvex_scale(); ++k) {
        // Bricks, prisms, clouds, wedges; often at right angles, where faces and edges are parallel.
        const NonconvexSolid a = hull_solid(hull_points(random, 1.0)), b = hull_solid(hull_points(random, 1.0));
        not_convex += !a.shape.graph->links.convex || !b.shape.graph->links.convex;
        const bool same = random.chance(0.1);
        const quat rotation = any_orientation(random);
        const double slack = k % 4 == 0 ? 0.02 : 0.0;
        const auto every = contacts_of(a, same ? a : b, rotation, slack, OverlayMethod::every_pair, scratch);
        const auto walked = contacts_of(a, same ? a : b, rotation, slack, OverlayMethod::walk, scratch);
        if (every != walked)
            FAIL_CHECK("pair ", k, ": ", walked.size(), " contacts, not ", every.size(), ", slack ", slack);
        if (slack == 0.0) walks += scratch.walked;
        ++pairs;
        contacts += every.size();
    }
    MESSAGE(pairs, " pairs, ", not_convex, " of them not convex to rounding, ", walks, " walked, ", contacts,
            " contacts");
    CHECK(walks + not_convex >= pairs / 4 * 3);
    CHECK(not_convex < pairs / 20);
    CHECK(contacts > 10u * static_cast<std::size_t>(pairs));
}

TEST_CASE("the walk visits a number of arcs that is linear in the features and the crossings" *
          doctest::test_suite("slow")) {
    Random random(84);
    OverlayScratch scratch;
    const auto convex_hull = [&](int vertices) {
        for (;;) {
            NonconvexSolid s = hull_solid(on_sphere(random, vertices));
            if (s.shape.graph->links.convex) return s;  // seldom an edge between points in float is flat to rounding
        }
    };
    double first = 0.0;
    for (const int vertices : {32, 128, 512, 2048}) {
        const NonconvexSolid a = convex_hull(vertices), b = convex_hull(vertices);
        const dvec3 axis = random.direction();
        const double angle = random.between(0.1, 3.0);
        const quat rotation = turned(axis, angle);
        const auto walked = contacts_of(a, b, rotation, 0.0, OverlayMethod::walk, scratch);
        const std::size_t features = a.shape.polyhedron.edges.size() + b.shape.polyhedron.edges.size();
        const auto tests = static_cast<double>(scratch.arc_tests + scratch.region_tests);
        const double each = tests / static_cast<double>(features);
        MESSAGE(vertices, " vertices: ", features, " edges, ", walked.size(), " contacts, ", tests, " tests, ", each,
                " per edge");
        if (first == 0.0) first = each;
        CHECK(each < 1.2 * first);
        if (vertices <= 512) {
            CHECK(walked == contacts_of(a, b, rotation, 0.0, OverlayMethod::every_pair, scratch));
            CHECK(tests < 0.5 * static_cast<double>(scratch.arc_tests + scratch.region_tests));
        }
    }
}

TEST_CASE("the connected sweep finds what all pairs of arcs find" * doctest::test_suite("slow")) {
    std::vector<NonconvexSolid> solids = nonconvex_solids();
    Random random(85);
    solids.push_back(hull_solid(on_sphere(random, 100)));
    solids.push_back(solid("gear of 12", samples::gear(12)));
    solids.push_back(solid("ring", samples::ring(0.7f, 0.3f, 12, 8)));
    OverlayScratch scratch;
    std::size_t swept = 0, all = 0, crossings = 0, splits = 0;
    for (const NonconvexSolid& a : solids) {
        for (const NonconvexSolid& b : solids) {
            for (int i = 0; i < 3 * nonconvex_scale(); ++i) {
                const quat rotation = any_orientation(random);
                for (const bool by_arcs : {false, true}) {
                    scratch.region_spans_by_arcs = by_arcs;
                    const double slack = i % 3 == 2 ? 0.02 : 0.0;
                    const auto every = contacts_of(a, b, rotation, slack, OverlayMethod::every_pair, scratch);
                    const auto naive = contacts_of(a, b, rotation, slack, OverlayMethod::sweep, scratch);
                    if (naive != every)
                        FAIL_CHECK(a.name, ", ", b.name, " naive: ", naive.size(), " contacts, not ", every.size());
                    const auto connected = contacts_of(a, b, rotation, slack, OverlayMethod::connected_sweep, scratch);
                    if (connected != every)
                        FAIL_CHECK(a.name, ", ", b.name, ": ", connected.size(), " contacts, not ", every.size());
                    if (scratch.connected.purple_tests > 0) {
                        ++swept;
                        crossings += scratch.arc_tests;
                        splits += scratch.connected.splits;
                    }
                    ++all;
                }
            }
        }
    }
    MESSAGE(swept, " of ", all, " without ties; ", crossings, " crossings, ", splits, " splits");
    CHECK(swept > all / 3);
    CHECK(splits > 0);
}

TEST_CASE("a trace of an overlay tells its steps") {
    const NonconvexSolid star = solid("star of 5", samples::star_prism(5));
    Random random(86);
    const NonconvexSolid hull = hull_solid(on_sphere(random, 20));
    const glm::dquat rotation = glm::angleAxis(0.8, glm::normalize(dvec3(1, 2, -1)));
    const auto count = [](const OverlayTrace& t, OverlayStepKind kind) {
        return std::count_if(t.steps.begin(), t.steps.end(), [&](const OverlayStep& s) { return s.kind == kind; });
    };
    OverlayScratch scratch;
    const quat q(static_cast<float>(rotation.w), static_cast<float>(rotation.x), static_cast<float>(rotation.y),
                 static_cast<float>(rotation.z));
    const auto star_contacts = contacts_of(star, star, q, 0.0, OverlayMethod::every_pair, scratch);
    const auto hull_contacts = contacts_of(hull, hull, q, 0.0, OverlayMethod::every_pair, scratch);
    const auto arcs = static_cast<std::ptrdiff_t>(2 * star.shape.graph->arcs.size());
    for (const OverlayMethod method : {OverlayMethod::sweep, OverlayMethod::connected_sweep}) {
        const OverlayTrace t = trace_overlay(star.shape, star.shape, rotation, method);
        CHECK(count(t, OverlayStepKind::arcs_cross) + count(t, OverlayStepKind::node_in_region) ==
              static_cast<std::ptrdiff_t>(star_contacts.size()));
        if (method == OverlayMethod::connected_sweep) {
            CHECK(count(t, OverlayStepKind::arc_begins) == arcs);
            CHECK(count(t, OverlayStepKind::arc_ends) == arcs);
        } else {
            CHECK(count(t, OverlayStepKind::second_round) == 1);
            CHECK(count(t, OverlayStepKind::arc_begins) > arcs);
        }
        double last = -4.0;
        for (const OverlayStep& s : t.steps) {
            if (s.kind == OverlayStepKind::second_round || s.kind == OverlayStepKind::node_in_region) last = -4.0;
            if (s.kind == OverlayStepKind::node_passed) {
                CHECK(s.longitude >= last);
                last = s.longitude;
            }
        }
    }
    const OverlayTrace walk = trace_overlay(hull.shape, hull.shape, rotation, OverlayMethod::walk);
    CHECK(count(walk, OverlayStepKind::region_entered) >= static_cast<std::ptrdiff_t>(hull.shape.graph->arcs.size()));
    CHECK(count(walk, OverlayStepKind::arcs_cross) + count(walk, OverlayStepKind::node_in_region) ==
          static_cast<std::ptrdiff_t>(hull_contacts.size()));
    CHECK(trace_overlay(star.shape, NonconvexShape{}, rotation, OverlayMethod::sweep).steps.empty());
    CHECK(trace_overlay(star.shape, star.shape, {0, 0, 0, 0}, OverlayMethod::sweep).steps.empty());
}
