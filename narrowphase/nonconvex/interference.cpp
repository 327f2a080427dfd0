#include <talus/narrowphase/nonconvex/interference.h>

#include "narrowphase/nonconvex/candidates.h"
#include "narrowphase/nonconvex/edge_face.h"
#include "narrowphase/nonconvex/interference_at.h"

#include <algorithm>

namespace talus {

namespace {

using glm::dmat3;
using glm::dvec3;
using Index = std::uint32_t;

constexpr double infinity = std::numeric_limits<double>::infinity();

glm::dquat unit(const quat& q) { return glm::normalize(glm::dquat(q.w, q.x, q.y, q.z)); }

/// Transforms from the frame of one polyhedron to the other's.
struct Move {
    dmat3 rotation;
    dvec3 position;

    dvec3 operator()(const dvec3& p) const { return position + rotation * p; }
    Segment operator()(const Segment& s) const {
        return {{(*this)(s.ends[0]), (*this)(s.ends[1])}, rotation * s.direction};
    }
};

Move inverse(const Move& m) {
    const dmat3 r = glm::transpose(m.rotation);
    return {r, -(r * m.position)};
}

struct RelativePose {
    glm::dquat rotation;
    Move b_to_a;
    Move a_to_b;
};

RelativePose relative_pose(const Transform& a, const Transform& b) {
    const glm::dquat inverse_a = glm::conjugate(unit(a.rotation));
    const glm::dquat rotation = glm::normalize(inverse_a * unit(b.rotation));
    const Move move{to_matrix(rotation), to_matrix(inverse_a) * (dvec3(b.position) - dvec3(a.position))};
    return {rotation, move, inverse(move)};
}

/// Tests pairs of two polyhedra at one pose, counts the tests, and keeps the least distance so far.
class Tests {
public:
    Tests(const Polyhedron& a, const Polyhedron& b, const RelativePose& pose, DistanceKind kind)
        : a_(a), b_(b), pose_(pose), band_(a.tolerance + b.tolerance), kind_(kind) {}

    /// Returns false if the pair meets; then no more pairs need to be tested.
    bool edge_of_a(const EdgeFacePair& p) { return apart(placed(a_, p.edge, pose_.a_to_b, edge_a_), b_, p.face); }
    bool edge_of_b(const EdgeFacePair& p) { return apart(placed(b_, p.edge, pose_.b_to_a, edge_b_), a_, p.face); }

    bool apart(const Segment& edge, const Polyhedron& polyhedron, Index face) {
        ++tests;
        if (kind_ == DistanceKind::none) return !edge_meets_face(edge, polyhedron, face, band_);
        last = edge_face_bound(edge, polyhedron, face, band_, least);
        if (kind_ == DistanceKind::exact && last < least) last = edge_face_distance(edge, polyhedron, face);
        least = std::min(least, last);
        return least > band_;
    }

    std::size_t tests = 0;
    double least = infinity;
    double last = 0.0;  ///< a lower bound of the pair tested last

private:
    /// The present edge in the other's frame; kept because candidates are ordered by edges.
    struct Placed {
        Index edge = ~Index(0);
        Segment segment;
    };

    static const Segment& placed(const Polyhedron& p, Index edge, const Move& move, Placed& last) {
        if (edge != last.edge) last = {edge, move(segment_of(p, edge))};
        return last.segment;
    }

    const Polyhedron &a_, &b_;
    const RelativePose& pose_;
    double band_;
    DistanceKind kind_;
    Placed edge_a_, edge_b_;
};

bool shell_inside(const Polyhedron& of, const Polyhedron& in, const Move& move) {
    return std::any_of(of.shells.begin(), of.shells.end(), [&](Index v) { return contains(in, move(of.vertices[v])); });
}

/// Tests all edges of one with all faces of the other.
bool all_apart(const Polyhedron& edges, const Polyhedron& faces, const Move& move, Tests& tests) {
    for (Index e = 0; e < edges.edges.size(); ++e) {
        const Segment s = move(segment_of(edges, e));
        for (Index f = 0; f < faces.faces.size(); ++f) {
            if (!tests.apart(s, faces, f)) return false;
        }
    }
    return true;
}

bool is_usable(const Transform& pose) {
    const quat& q = pose.rotation;
    return is_finite(pose.position) && is_finite(q) && q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z > 1e-12f;
}
bool is_usable(const Polyhedron& a, const Transform& pose_a, const Polyhedron& b, const Transform& pose_b) {
    return !a.faces.empty() && !b.faces.empty() && is_usable(pose_a) && is_usable(pose_b);
}
bool is_usable(const NonconvexShape& a, const Transform& pose_a, const NonconvexShape& b, const Transform& pose_b) {
    return a.graph && b.graph && is_usable(a.polyhedron, pose_a, b.polyhedron, pose_b);
}
/// Returns whether the pairs name edges and faces that the two polyhedra have.
bool exist(const std::vector<EdgeFacePair>& pairs, const Polyhedron& edges, const Polyhedron& faces) {
    return std::all_of(pairs.begin(), pairs.end(), [&](const EdgeFacePair& p) {
        return p.edge < edges.edges.size() && p.face < faces.faces.size();
    });
}
constexpr InterferenceResult bad_input{.relation = Interference::bad_input};

InterferenceResult meeting(std::size_t tests) { return {Interference::boundaries_meet, 0.0, tests}; }

InterferenceResult disjoint(const Tests& tests, DistanceKind kind) {
    return {Interference::disjoint, kind == DistanceKind::none ? 0.0 : tests.least, tests.tests};
}

/// Tests candidates, all of which exist.
InterferenceResult test_candidates(const Polyhedron& a, const Polyhedron& b, const RelativePose& pose,
                                   const EdgeFaceCandidates& candidates, DistanceKind kind) {
    Tests tests(a, b, pose, kind);
    for (const EdgeFacePair& p : candidates.a_edges) {
        if (!tests.edge_of_a(p)) return meeting(tests.tests);
    }
    for (const EdgeFacePair& p : candidates.b_edges) {
        if (!tests.edge_of_b(p)) return meeting(tests.tests);
    }
    return disjoint(tests, kind);
}

InterferenceResult test_all(const Polyhedron& a, const Polyhedron& b, const RelativePose& pose, DistanceKind kind) {
    Tests tests(a, b, pose, kind);
    if (!all_apart(a, b, pose.a_to_b, tests) || !all_apart(b, a, pose.b_to_a, tests)) return meeting(tests.tests);
    InterferenceResult result = disjoint(tests, kind);
    if (shell_inside(a, b, pose.a_to_b)) {
        result.relation = Interference::a_inside_b;
    } else if (shell_inside(b, a, pose.b_to_a)) {
        result.relation = Interference::b_inside_a;
    }
    if (result.relation != Interference::disjoint) result.distance = 0.0;
    return result;
}

}  // namespace

ContactScratch::ContactScratch() : search_(std::make_unique<CandidateScratch>()) {}
ContactScratch::~ContactScratch() = default;
ContactScratch::ContactScratch(const ContactScratch& other) : ContactScratch() { candidates = other.candidates; }
ContactScratch& ContactScratch::operator=(const ContactScratch& other) {
    candidates = other.candidates;
    return *this;
}

Result<NonconvexShape> make_nonconvex(std::span<const vec3> vertices, std::span<const std::uint32_t> triangles) {
    Result<Polyhedron> polyhedron = make_polyhedron(vertices, triangles);
    if (!polyhedron) return polyhedron.error();
    auto graph = std::make_shared<const OrientationGraph>(make_orientation_graph(*polyhedron));
    return NonconvexShape{std::move(*polyhedron), std::move(graph)};
}

InterferenceResult interference(const Polyhedron& a, const Transform& pose_a, const Polyhedron& b,
                                const Transform& pose_b, DistanceKind distance) {
    if (!is_usable(a, pose_a, b, pose_b)) return bad_input;
    return test_all(a, b, relative_pose(pose_a, pose_b), distance);
}

InterferenceResult interference_at(const Polyhedron& a, const Polyhedron& b, const RelativePlace& place,
                                   DistanceKind distance) {
    const Move move{to_matrix(place.rotation), place.position};
    return test_all(a, b, {place.rotation, move, inverse(move)}, distance);
}

void find_candidates(const NonconvexShape& a, const Transform& pose_a, const NonconvexShape& b, const Transform& pose_b,
                     ContactScratch& scratch, OverlayMethod method) {
    if (!is_usable(a, pose_a, b, pose_b)) {
        scratch.candidates = {};
        return;
    }
    const RelativePose pose = relative_pose(pose_a, pose_b);
    find_candidates(*a.graph, *b.graph, pose.b_to_a.rotation, 0.0, method, *scratch.search_, scratch.candidates);
}

InterferenceResult first_contact(const NonconvexShape& a, const Transform& pose_a, const NonconvexShape& b,
                                 const Transform& pose_b, ContactScratch& scratch, DistanceKind distance) {
    find_candidates(a, pose_a, b, pose_b, scratch);
    if (!is_usable(a, pose_a, b, pose_b)) return bad_input;
    return test_candidates(a.polyhedron, b.polyhedron, relative_pose(pose_a, pose_b), scratch.candidates, distance);
}

InterferenceResult first_contact(const NonconvexShape& a, const Transform& pose_a, const NonconvexShape& b,
                                 const Transform& pose_b, const EdgeFaceCandidates& candidates, DistanceKind distance) {
    if (!is_usable(a, pose_a, b, pose_b)) return bad_input;
    if (!exist(candidates.a_edges, a.polyhedron, b.polyhedron) ||
        !exist(candidates.b_edges, b.polyhedron, a.polyhedron))
        return bad_input;
    return test_candidates(a.polyhedron, b.polyhedron, relative_pose(pose_a, pose_b), candidates, distance);
}

InterferenceResult NonconvexPair::update(const Transform& pose_a, const Transform& pose_b, double clearance) {
    if (!(kept_angle_ > 0.0 && kept_angle_ <= max_kept_angle)) return bad_input;  // also for NaN
    if (!is_usable(a_, pose_a, b_, pose_b)) return bad_input;
    const Polyhedron &a = a_.polyhedron, &b = b_.polyhedron;
    const RelativePose pose = relative_pose(pose_a, pose_b);
    // A rotation moves unit vectors by at most twice the sine of half its angle, the length of the quaternion's vector
    // part.
    const auto turned_since = [&](const glm::dquat& then) {
        const glm::dquat q = glm::conjugate(then) * pose.rotation;
        return 2.0 * std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    };
    const dvec3 center_then = position_ + to_matrix(rotation_) * b.center;
    travel_ += glm::length(pose.b_to_a(b.center) - center_then) + turned_since(rotation_) * b.radius;
    rotation_ = pose.rotation;
    position_ = pose.b_to_a.position;

    std::size_t tests = 0;
    if (!(travel_ + a.tolerance + b.tolerance < clear_until_)) {
        const InterferenceResult all = test_all(a, b, pose, DistanceKind::none);
        tests = all.edge_face_tests;
        if (all.relation != Interference::disjoint) {
            clear_until_ = -1.0;
            return all;
        }
    } else if (clear_until_ - travel_ > clearance) {
        return {Interference::disjoint, clear_until_ - travel_, 0};
    }

    if (!found_ || turned_since(found_at_) > kept_angle_) {
        find_candidates(*a_.graph, *b_.graph, pose.b_to_a.rotation, kept_angle_, OverlayMethod::signs,
                        *scratch_.search_, scratch_.candidates);
        ++searches_;
        found_ = true;
        found_at_ = pose.rotation;
        travel_ = 0.0;
        nearest_ = 0;
        pair_clear_.assign(scratch_.candidates.size(), 0.0);
    }

    // The pair that was nearest goes first: its distance rules out most others by their earlier bounds.
    Tests pairs(a, b, pose, DistanceKind::exact);
    const std::size_t of_a = scratch_.candidates.a_edges.size();
    const auto look = [&](std::size_t i) {
        if (pair_clear_[i] - travel_ >= pairs.least) return;
        const double before = pairs.least;
        if (i < of_a) {
            pairs.edge_of_a(scratch_.candidates.a_edges[i]);
        } else {
            pairs.edge_of_b(scratch_.candidates.b_edges[i - of_a]);
        }
        pair_clear_[i] = pairs.last + travel_;
        if (pairs.least < before) nearest_ = i;
    };
    if (nearest_ < scratch_.candidates.size()) look(nearest_);
    for (std::size_t i = 0; i < scratch_.candidates.size(); ++i) look(i);
    clear_until_ = travel_ + pairs.least;
    return {Interference::disjoint, pairs.least, tests + pairs.tests};
}

}  // namespace talus
