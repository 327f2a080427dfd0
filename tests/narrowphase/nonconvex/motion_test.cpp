/// Rotation events, pairs that are kept by them, and times of contact, against sampling.

#include "tests/narrowphase/nonconvex/nonconvex_solids.h"
#include "tests/narrowphase/triangles/triangle_oracle.h"

#include <talus/narrowphase/nonconvex/motion.h>
#include "narrowphase/nonconvex/overlay.h"
#include "narrowphase/nonconvex/paper_pairs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <tuple>

using namespace talus;
using namespace talus::test;

namespace {

using glm::dmat3;
using glm::dvec3;
using Index = std::uint32_t;

glm::dquat any_double_rotation(Random& random) {
    const dvec3 axis = random.direction();
    const double angle = random.between(0.0, 3.14);
    return glm::angleAxis(angle, axis);
}

/// The rotation of B at a time by Rodrigues' formula and libm.
dmat3 rotation_of(const RelativeMotion& m, double t) {
    return turn_exactly(m.axis, m.angle * t) * glm::mat3_cast(m.rotation);
}

/// How far (rad, about) a pair is from not being applicable within a slack: not negative if it is.
class Margins {
public:
    Margins(const NonconvexShape& a, const NonconvexShape& b, const RelativeMotion& m)
        : a_(a), b_(b), m_(m), slack_(overlay_slack(*a.graph, *b.graph, 0.0)) {}

    double at(const FeaturePair& p, double t) const { return at(p, rotation_of(m_, t)); }
    double at(const FeaturePair& p, const dmat3& r) const {
        const Polyhedron &a = a_.polyhedron, &b = b_.polyhedron;
        if (p.kind == FeaturePairKind::a_vertex) return vertex(a, p.a, -(r * b.faces[p.b].normal));
        if (p.kind == FeaturePairKind::b_vertex) return vertex(b, p.b, -(glm::transpose(r) * a.faces[p.a].normal));
        // Edges touch if each of them has the other's faces on its two sides, so that a plane separates the two wedges.
        const PolyhedronEdge &ea = a.edges[p.a], &eb = b.edges[p.b];
        const dvec3 eb_in_a = r * eb.direction;
        const double a0 = glm::dot(a.faces[ea.faces[0]].normal, eb_in_a),
                     a1 = glm::dot(a.faces[ea.faces[1]].normal, eb_in_a);
        const double b0 = -glm::dot(r * b.faces[eb.faces[0]].normal, ea.direction);
        const double b1 = -glm::dot(r * b.faces[eb.faces[1]].normal, ea.direction);
        const double one = std::min(std::min(-a0, a1), std::min(b0, -b1));
        const double other = std::min(std::min(a0, -a1), std::min(-b0, b1));
        // An end of each near the other's great circle counts, too: the ends can be near each other.
        const double ends = -std::max(std::min(std::abs(a0), std::abs(a1)), std::min(std::abs(b0), std::abs(b1)));
        return slack_ + std::max(std::max(one, other), ends);
    }

private:
    double vertex(const Polyhedron& p, Index v, const dvec3& node) const {
        double least = 1.0;
        for (const Index e : p.edges_of_vertex(v)) {
            const dvec3& d = p.edges[e].direction;
            least = std::min(least, -glm::dot(p.edges[e].vertices[0] == v ? d : -d, node));
        }
        return slack_ + least;
    }

    const NonconvexShape &a_, &b_;
    const RelativeMotion& m_;
    double slack_;
};

/// All pairs of features that can be applicable at any orientation.
std::vector<FeaturePair> all_feature_pairs(const NonconvexShape& a, const NonconvexShape& b) {
    std::vector<FeaturePair> all;
    for (const OrientationRegion& r : a.graph->regions) {
        for (Index f = 0; f < b.polyhedron.faces.size(); ++f) all.push_back({FeaturePairKind::a_vertex, r.vertex, f});
    }
    for (const OrientationRegion& r : b.graph->regions) {
        for (Index f = 0; f < a.polyhedron.faces.size(); ++f) all.push_back({FeaturePairKind::b_vertex, f, r.vertex});
    }
    for (Index e = 0; e < a.polyhedron.edges.size(); ++e) {
        for (Index g = 0; g < b.polyhedron.edges.size(); ++g) {
            if (a.polyhedron.edges[e].convex && b.polyhedron.edges[g].convex)
                all.push_back({FeaturePairKind::edges, e, g});
        }
    }
    return all;
}

/// A change found by sampling, or an event.
struct Change {
    double time;
    bool applicable;
};

/// Finds all sign changes of a function whose slope is at most `slope`, except those nearer to each other than a
/// billionth. An interval has none if the values at its ends are too far from zero for the slope.
template <class F>
void sign_changes(const F& f, double slope, double t0, double f0, double t1, double f1, std::vector<Change>& out) {
    const bool same = (f0 >= 0.0) == (f1 >= 0.0);
    if (same && std::abs(f0) + std::abs(f1) > slope * (t1 - t0)) return;
    if (t1 - t0 < 1e-9) {
        if (!same) out.push_back({0.5 * (t0 + t1), f1 >= 0.0});
        return;
    }
    const double t = 0.5 * (t0 + t1), middle = f(t);
    sign_changes(f, slope, t0, f0, t, middle, out);
    sign_changes(f, slope, t, middle, t1, f1, out);
}

/// Without the pairs of changes that follow each other at once.
std::vector<Change> without_blinks(const std::vector<Change>& changes) {
    std::vector<Change> out;
    for (const Change& c : changes) {
        if (!out.empty() && c.time - out.back().time < 1e-6 && c.applicable != out.back().applicable) {
            out.pop_back();
        } else {
            out.push_back(c);
        }
    }
    return out;
}

RelativeMotion any_motion(Random& random) {
    RelativeMotion m;
    m.rotation = any_double_rotation(random);
    m.axis = random.direction();
    m.angle = random.chance(0.2) ? random.between(-RelativeMotion::max_angle, RelativeMotion::max_angle)
                                 : random.between(-1.5, 1.5);
    return m;
}

/// Motions with ties: axes along edges and normals, aligned starts, half turns, whole turns, none.
RelativeMotion awkward_motion(const NonconvexShape& a, const NonconvexShape& b, Random& random) {
    RelativeMotion m = any_motion(random);
    const quat aligned = any_orientation(random);
    if (random.chance(0.7)) m.rotation = glm::normalize(glm::dquat(aligned.w, aligned.x, aligned.y, aligned.z));
    const Polyhedron &pa = a.polyhedron, &pb = b.polyhedron;
    const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random.below(static_cast<int>(n))); };
    switch (random.below(5)) {
        case 0:
            m.axis = pa.edges[pick(pa.edges.size())].direction;
            break;
        case 1:
            m.axis = pa.faces[pick(pa.faces.size())].normal;
            break;
        case 2:
            m.axis = glm::mat3_cast(m.rotation) * pb.edges[pick(pb.edges.size())].direction;
            break;
        case 3:
            m.axis = glm::mat3_cast(m.rotation) * pb.faces[pick(pb.faces.size())].normal;
            break;
        default:
            break;
    }
    const double pi = 3.14159265358979323846;
    const double angles[] = {0.0, 0.5 * pi, pi, -pi, 2.0 * pi, -0.5 * pi, 0.3};
    m.angle = angles[random.below(7)];
    return m;
}

std::vector<FeaturePair> found_anew(const NonconvexShape& a, const NonconvexShape& b, const glm::dquat& rotation,
                                    OverlayMethod method) {
    OverlayScratch scratch;
    ApplicableContacts contacts;
    find_applicable(*a.graph, *b.graph, to_matrix(rotation), 0.0, method, scratch, contacts);
    std::vector<FeaturePair> pairs;
    for (const VertexOnFace& c : contacts.a_vertices)
        pairs.push_back({FeaturePairKind::a_vertex, a.graph->regions[c.region].vertex, c.face});
    for (const VertexOnFace& c : contacts.b_vertices)
        pairs.push_back({FeaturePairKind::b_vertex, c.face, b.graph->regions[c.region].vertex});
    for (const EdgeOnEdge& c : contacts.edges)
        pairs.push_back({FeaturePairKind::edges, a.graph->arcs[c.arc_a].edge, b.graph->arcs[c.arc_b].edge});
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

template <class Item>
std::vector<Item> sorted(std::vector<Item> items) {
    std::sort(items.begin(), items.end());
    return items;
}

std::vector<EdgeFacePair> distinct(std::vector<EdgeFacePair> pairs) {
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

std::string name_of(const RelativeMotion& m) {
    std::ostringstream out;
    out.precision(17);
    out << "rotation " << m.rotation.w << ' ' << m.rotation.x << ' ' << m.rotation.y << ' ' << m.rotation.z << " axis "
        << m.axis.x << ' ' << m.axis.y << ' ' << m.axis.z << " angle " << m.angle;
    return out.str();
}

}  // namespace

TEST_CASE("no rotation event is missed and none is made up" * doctest::test_suite("slow")) {
    const std::vector<NonconvexSolid> solids = nonconvex_solids();
    Random random(61);
    std::size_t events = 0, motions = 0;
    for (int k = 0; k < 500 * nonconvex_scale(); ++k) {
        // Small ones are sampled most often: the oracle looks at all pairs.
        const std::size_t kinds = k % 50 == 0 ? solids.size() - 2 : 4;
        const NonconvexSolid& a = solids[static_cast<std::size_t>(random.below(static_cast<int>(kinds)))];
        const NonconvexSolid& b =
            solids[static_cast<std::size_t>(random.below(static_cast<int>(std::min<std::size_t>(kinds, 6))))];
        const RelativeMotion m = any_motion(random);
        ++motions;
        std::map<FeaturePair, std::vector<Change>> by_pair;
        double last = 0.0;
        for (const ApplicabilityEvent& e : applicability_events(a.shape, b.shape, m)) {
            if (e.time < last) FAIL_CHECK("events out of order");
            last = e.time;
            by_pair[e.pair].push_back({e.time, e.applicable});
        }
        const Margins margins(a.shape, b.shape, m);
        constexpr int samples = 32;
        std::vector<dmat3> rotations;
        for (int i = 0; i <= samples; ++i) rotations.push_back(rotation_of(m, double(i) / samples));
        for (const FeaturePair& p : all_feature_pairs(a.shape, b.shape)) {
            const auto f = [&](double t) { return margins.at(p, t); };
            std::vector<Change> expected;
            double before = margins.at(p, rotations[0]);
            if (before >= 0.0) expected.push_back({0.0, true});
            for (int i = 0; i < samples; ++i) {
                const double after = margins.at(p, rotations[static_cast<std::size_t>(i) + 1]);
                sign_changes(f, std::abs(m.angle), double(i) / samples, before, (i + 1.0) / samples, after, expected);
                before = after;
            }
            const std::vector<Change> want = without_blinks(expected), got = without_blinks(by_pair[p]);
            events += want.size();
            bool same = want.size() == got.size();
            for (std::size_t i = 0; same && i < want.size(); ++i) {
                same = want[i].applicable == got[i].applicable && std::abs(want[i].time - got[i].time) < 1e-6;
            }
            if (!same) {
                std::ostringstream lists;
                lists.precision(12);
                for (const Change& c : want) lists << " sampled " << c.time << (c.applicable ? '+' : '-');
                for (const Change& c : got) lists << " event " << c.time << (c.applicable ? '+' : '-');
                FAIL_CHECK(a.name, ", ", b.name, ": ", name_of(m), " pair ", int(p.kind), ' ', p.a, ' ', p.b,
                           lists.str());
            }
        }
    }
    MESSAGE(motions, " motions, ", events, " events");
    CHECK(events > 10 * motions);
}

TEST_CASE("pairs kept by events are those found anew at every frame" * doctest::test_suite("slow")) {
    const std::vector<NonconvexSolid> solids = nonconvex_solids();
    Random random(62);
    std::size_t frames = 0, changes = 0, looked_at = 0, pairs = 0, ties = 0;
    for (const NonconvexSolid& a : solids) {
        for (const NonconvexSolid& b : solids) {
            MovingContacts kept(a.shape, b.shape);
            for (int k = 0; k < 2 * nonconvex_scale(); ++k) {
                const bool awkward = k % 2 == 1;
                const RelativeMotion m = awkward ? awkward_motion(a.shape, b.shape, random) : any_motion(random);
                REQUIRE(kept.start(m));
                const int count = awkward ? 12 : 24;
                for (int frame = 0; frame <= count; ++frame) {
                    const double t = double(frame) / count;
                    kept.advance(t);
                    const std::vector<FeaturePair> fresh =
                        found_anew(a.shape, b.shape, place_at(m, t).rotation, OverlayMethod::every_pair);
                    if (sorted(kept.pairs()) != fresh) {
                        FAIL_CHECK(a.name, ", ", b.name, ": ", name_of(m), " frame ", frame, ": ", kept.pairs().size(),
                                   " pairs, anew ", fresh.size());
                    }
                    std::vector<EdgeFacePair> a_edges, b_edges;
                    for (const FeaturePair& p : fresh) {
                        paper_edge_faces(
                            *a.shape.graph, *b.shape.graph, a.shape.polyhedron, b.shape.polyhedron, p,
                            [&](bool of_a, const EdgeFacePair& q) { (of_a ? a_edges : b_edges).push_back(q); });
                    }
                    if (sorted(kept.candidates().a_edges) != distinct(a_edges) ||
                        sorted(kept.candidates().b_edges) != distinct(b_edges)) {
                        FAIL_CHECK(a.name, ", ", b.name, ": ", name_of(m), " frame ", frame, ": other candidates");
                    }
                    ++frames;
                    changes += kept.work().changes;
                    looked_at += kept.work().pairs;
                    pairs += fresh.size();
                    ties += awkward;
                }
            }
        }
    }
    MESSAGE(frames, " frames, ", ties, " of them with ties; ", pairs, " pairs, ", looked_at, " looked at, ", changes,
            " changed");
    CHECK(frames > 4000);
    CHECK(changes > frames);
}

TEST_CASE("in slow rotation an advance looks at few pairs") {
    const NonconvexSolid a = solid("hourglass of 32", samples::hourglass(32));
    MovingContacts kept(a.shape, a.shape);
    RelativeMotion m;
    m.rotation = glm::angleAxis(0.7, glm::normalize(dvec3(1, 2, 3)));
    m.axis = glm::normalize(dvec3(0.6, 0.1, 0.8));
    m.angle = 0.5;
    REQUIRE(kept.start(m));
    std::size_t looked_at = 0;
    for (int frame = 1; frame <= 100; ++frame) {
        kept.advance(0.01 * frame);
        looked_at += kept.work().pairs;
    }
    const std::size_t all = 2 * 66 * 64 + 128 * 128;
    const std::size_t each = looked_at / 100;
    MESSAGE(each, " of ", all, " pairs per frame");
    CHECK(looked_at > 0);
    CHECK(looked_at / 100 < all / 50);
}

TEST_CASE("a relative motion ends at its end pose and a bad one is refused") {
    Random random(63);
    const NonconvexSolid s = solid("l prism", samples::l_prism());
    for (int k = 0; k < 100; ++k) {
        const auto pose = [&] { return Transform{somewhere(random, 0.0, 3.0), any_orientation(random)}; };
        const Transform a0 = pose(), b0 = pose(), a1 = pose(), b1 = pose();
        const vec3 center = somewhere(random, 0.0, 1.0);
        const RelativeMotion m = relative_motion(a0, b0, a1, b1, center);
        CHECK(m.angle <= 3.1415927);
        for (const auto& [time, a, b] : {std::tuple(0.0, a0, b0), std::tuple(1.0, a1, b1)}) {
            const RelativePlace place = place_at(m, time);
            const dvec3 p(0.3, -0.2, 0.5);
            const vec3 in_world = transform_point(b, vec3(p));
            const vec3 expected = inverse_transform_point(a, in_world);
            CHECK(glm::length(rotate(place.rotation, p) + place.position - dvec3(expected)) < 1e-5);
        }
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    MovingContacts kept(s.shape, s.shape);
    const auto refused = [&](const RelativeMotion& m) {
        CHECK_FALSE(kept.start(m));
        CHECK(kept.pairs().empty());
        CHECK(applicability_events(s.shape, s.shape, m).empty());
        CHECK(time_of_contact(s.shape, s.shape, m).status == ToiStatus::bad_input);
    };
    RelativeMotion m;
    m.angle = nan;
    refused(m);
    m.angle = 7.0;
    refused(m);
    m.angle = 1.0;
    m.axis = dvec3(0.0);
    refused(m);
    m.angle = 0.0;
    m.rotation = glm::dquat(0, 0, 0, 0);
    refused(m);
    m.rotation = glm::dquat(1, 0, 0, 0);
    m.displacement.x = nan;
    refused(m);
    refused(relative_motion({}, {vec3(std::numeric_limits<float>::infinity(), 0, 0)}, {}, {}));
    m.displacement.x = 0.0;
    CHECK(time_of_contact(s.shape, NonconvexShape{}, m).status == ToiStatus::bad_input);
    CHECK(time_of_contact(s.shape, s.shape, m, -1.0).status == ToiStatus::bad_input);
    CHECK(time_of_contact(s.shape, s.shape, m, nan).status == ToiStatus::bad_input);
    CHECK(time_of_contact(s.shape, s.shape, m).status == ToiStatus::initially_overlapping);
}

namespace {

TriangleSoup soup_at(const samples::MeshFile& mesh, const RelativePlace& place) {
    TriangleSoup soup = soup_of(mesh, {});
    for (auto& triangle : soup.triangles) {
        for (dvec3& v : triangle) v = rotate(place.rotation, v) + place.position;
    }
    return soup;
}

}  // namespace

TEST_CASE("the time of contact is that of sampling the distance of triangles" * doctest::test_suite("slow")) {
    const std::vector<NonconvexSolid> solids = nonconvex_solids();
    Random random(64);
    constexpr double tolerance = 1e-4;
    int hits = 0, separated = 0, turning = 0;
    std::size_t steps = 0, followed = 0;
    for (int k = 0; k < 120 * nonconvex_scale(); ++k) {
        const NonconvexSolid& a = solids[static_cast<std::size_t>(random.below(static_cast<int>(solids.size())))];
        const NonconvexSolid& b = solids[static_cast<std::size_t>(random.below(k % 8 == 0 ? 9 : 6))];
        RelativeMotion m = random.chance(0.3) ? awkward_motion(a.shape, b.shape, random) : any_motion(random);
        m.position = dvec3(somewhere(random, 2.2, 3.8));
        const bool slides = random.chance(0.2);
        if (slides) m.angle = 0.0;
        m.displacement = dvec3(somewhere(random, 0.0, 1.2)) - m.position;
        if (random.chance(0.2)) m.displacement = dvec3(0.0);  // it only rotates, like a propeller
        m.center = random.chance(0.5) ? dvec3(0.0) : dvec3(somewhere(random, 0.0, 0.5));
        if (m.displacement == dvec3(0.0)) m.center = -dvec3(somewhere(random, 1.0, 1.5));

        const TriangleSoup still = soup_of(a.mesh, {});
        const auto distance_at = [&](double t) { return surface_distance(still, soup_at(b.mesh, place_at(m, t))); };
        double reach = 0.0;
        for (const vec3& v : b.mesh.vertices) reach = std::max(reach, glm::length(dvec3(v) - m.center));
        const double rate = glm::length(m.displacement) + std::abs(m.angle) * reach;

        const ContactTime got = time_of_contact(a.shape, b.shape, m, tolerance);
        const std::string where = a.name + ", " + b.name + ", motion " + std::to_string(k) + ": " + name_of(m);
        if (got.status == ToiStatus::iteration_cap) FAIL_CHECK(where, " took too many steps");
        // Conservative advancement with the plain bound: no step is longer than the distance allows.
        double t = 0.0, d = distance_at(0.0);
        while (t < 1.0 && d > tolerance) {
            t += std::max(d - 0.5 * tolerance, 0.0) / rate;
            if (t >= 1.0 || !(rate > 0.0)) break;
            d = distance_at(t);
        }
        if (d > tolerance) {
            if (got.status != ToiStatus::separated) {
                // It may be right, too: they can pass each other within the tolerance between two samples.
                const double least = distance_at(got.time);
                if (least > 1.001 * tolerance) FAIL_CHECK(where, " hit at ", got.time, " at a distance of ", least);
            }
            ++separated;
        } else if (t == 0.0) {
            if (got.status != ToiStatus::initially_overlapping) FAIL_CHECK(where, " starts in contact");
        } else {
            ++hits;
            turning += m.angle != 0.0;
            if (got.status != ToiStatus::hit) {
                FAIL_CHECK(where, " misses the contact at ", t);
                continue;
            }
            const double there = distance_at(got.time);
            if (there > 1.001 * tolerance || there < 0.499 * tolerance)
                FAIL_CHECK(where, " distance ", there, " at ", got.time);
            // Other features may be nearer than the two that were found.
            if (got.distance < there - 1e-6 || got.distance > tolerance) FAIL_CHECK(where, " says ", got.distance);
            // The sampled time and this one are both within the tolerance, and nothing before was nearer than its half.
            if (got.time > t + 1e-9) {
                for (int i = 0; i <= 20; ++i) {
                    const double between = t + (got.time - t) * i / 20.0;
                    if (distance_at(between) < 0.499 * tolerance) FAIL_CHECK(where, " passes a contact at ", between);
                }
            }
        }
        steps += got.steps, followed += got.pairs;
    }
    MESSAGE(hits, " hits, ", turning, " of them in rotation, ", separated, " separated; ", followed,
            " pairs followed, ", steps, " steps");
    CHECK(hits > 30);
    CHECK(turning > 20);
    CHECK(separated > 5);
}
