#pragma once
/// Interference of two nonconvex polyhedra without decomposition (Jimenez and Torras 1999), in three ways:
///
///     interference    all edges of each with all faces of the other. Right for any two poses (the papers' algorithm A)
///     first_contact   only the pairs that can be the first to touch (candidates.h): right when the two were apart
///                     and have just come to touch, and for the distance of two that are apart (algorithm B)
///     NonconvexPair   a pair that moves. It keeps candidates while the relative orientation turns little and knows how
///                     far the two can move before they touch: right for any motion, teleports included
///
/// Boundaries nearer than the sum of the two Polyhedron::tolerance count as meeting. There is no self-collision, no
/// support for triangle soups, and there are no contact manifolds.

#include <talus/narrowphase/nonconvex/polyhedron.h>

#include <compare>
#include <limits>
#include <memory>

namespace talus {

struct OrientationGraph;
struct CandidateScratch;

/// A polyhedron, and what can be computed before its orientation is known. Made by make_nonconvex.
struct NonconvexShape {
    Polyhedron polyhedron;                          ///< the solid
    std::shared_ptr<const OrientationGraph> graph;  ///< directions of its faces and edges on the unit sphere
};

/// Returns the shape of a polyhedron given by indexed triangles; refuses what make_polyhedron refuses.
Result<NonconvexShape> make_nonconvex(std::span<const vec3> vertices, std::span<const std::uint32_t> triangles);

/// How two polyhedra A and B lie relative to each other.
enum class Interference : std::uint8_t {
    disjoint,         ///< boundaries apart, neither inside the other
    boundaries_meet,  ///< an edge of one meets a face of the other
    a_inside_b,       ///< boundaries apart, a shell of A in the solid of B
    b_inside_a,       ///< boundaries apart, a shell of B in the solid of A
    /// A polyhedron or shape that no function here has made, a pose that is not finite, candidates that name no edge or
    /// face, or a `kept_angle` out of range: the distance is 0.
    bad_input,
};

/// Which distance to compute for two polyhedra that are disjoint.
enum class DistanceKind : std::uint8_t {
    none,   ///< no distance
    bound,  ///< the papers' lower bound: the least functional value of the predicate over the pairs
    exact,  ///< the distance itself; it is computed for the pairs that their bound does not rule out
};

/// How two polyhedra lie relative to each other, and how far apart.
struct InterferenceResult {
    Interference relation = Interference::disjoint;  ///< disjoint, meeting, or one inside the other
    double distance = 0.0;            ///< of the boundaries, or a lower bound (DistanceKind), m; 0 if not disjoint
    std::size_t edge_face_tests = 0;  ///< pairs of an edge and a face that were tested
};

/// An edge of one polyhedron and a face of the other.
struct EdgeFacePair {
    std::uint32_t edge;                                                           ///< index into Polyhedron::edges
    std::uint32_t face;                                                           ///< index into Polyhedron::faces
    friend auto operator<=>(const EdgeFacePair&, const EdgeFacePair&) = default;  ///< by edge, then by face
};

/// Pairs of edges and faces that can be the first to touch. Each pair is there once, in ascending order.
struct EdgeFaceCandidates {
    std::vector<EdgeFacePair> a_edges;                                    ///< edges of A with faces of B
    std::vector<EdgeFacePair> b_edges;                                    ///< edges of B with faces of A
    std::size_t size() const { return a_edges.size() + b_edges.size(); }  ///< number of all pairs
};

/// How the features that can touch first are found. The methods find the same pairs at different costs; only `walk` may
/// leave out one of several that tie, where features are parallel within 1e-5 rad.
enum class OverlayMethod : std::uint8_t {
    every_pair,  ///< tests every pair of features
    sweep,       ///< the papers' naive sweep by a meridian
    grid,        ///< a grid on the unit sphere
    signs,       ///< a table of signs
    /// Convex shapes: a walk by connectivity from one pair of a node and a region, in linear time. Others: signs.
    walk,
    /// The papers' sweep with a partial order, for arcs that hang together. With ties (parallel faces): sweep.
    connected_sweep,
};

/// Memory that first_contact works in. Keep it between calls, so that they allocate nothing.
class ContactScratch {
public:
    ContactScratch();
    ~ContactScratch();
    ContactScratch(const ContactScratch& other);             ///< copies the candidates only
    ContactScratch& operator=(const ContactScratch& other);  ///< copies the candidates only

    EdgeFaceCandidates candidates;  ///< the result of the last search

private:
    friend void find_candidates(const NonconvexShape& a, const Transform& pose_a, const NonconvexShape& b,
                                const Transform& pose_b, ContactScratch& scratch, OverlayMethod method);
    friend class NonconvexPair;
    std::unique_ptr<CandidateScratch> search_;
};

/// Returns how A and B relate, at any two poses. Cost: edges of A x faces of B + edges of B x faces of A.
InterferenceResult interference(const Polyhedron& a, const Transform& pose_a, const Polyhedron& b,
                                const Transform& pose_b, DistanceKind distance = DistanceKind::none);

/// Finds the edge-face pairs that can touch first at the relative orientation of these poses, wherever the two are, and
/// puts them into scratch.candidates.
void find_candidates(const NonconvexShape& a, const Transform& pose_a, const NonconvexShape& b, const Transform& pose_b,
                     ContactScratch& scratch, OverlayMethod method = OverlayMethod::signs);

/// Returns the same as `interference` for poses at which the two are apart or have just come to touch. If they overlap
/// by more, or one is inside the other, it may return disjoint. Its bound of the distance is at least the bound over
/// all pairs.
InterferenceResult first_contact(const NonconvexShape& a, const Transform& pose_a, const NonconvexShape& b,
                                 const Transform& pose_b, ContactScratch& scratch,
                                 DistanceKind distance = DistanceKind::none);

/// The same with candidates that were found at this relative orientation, for two shapes that move without rotation.
/// An index that is no edge or face of these shapes is bad_input.
InterferenceResult first_contact(const NonconvexShape& a, const Transform& pose_a, const NonconvexShape& b,
                                 const Transform& pose_b, const EdgeFaceCandidates& candidates,
                                 DistanceKind distance = DistanceKind::none);

/// Two shapes that move from step to step. If they were apart by d and no point of one has moved by d relative to the
/// other since then, they are still apart, without any test. Otherwise all edges and faces are tested. The distance
/// comes from the candidates, which are found again when the relative orientation has changed by more than
/// `kept_angle`. Only candidates that can have become the nearest are tested.
class NonconvexPair {
public:
    /// The largest `kept_angle`, rad.
    static constexpr double max_kept_angle = 0.029;

    /// Keeps references, so the shapes must outlive it. `kept_angle` in (0, max_kept_angle], rad: larger gives more
    /// candidates, which last longer. With any other value `update` returns bad_input.
    NonconvexPair(const NonconvexShape& a, const NonconvexShape& b, double kept_angle = 0.02)
        : a_(a), b_(b), kept_angle_(kept_angle) {}

    /// Returns the relation at these poses and the exact distance. If the two are proved to be farther apart than
    /// `clearance` (m), it returns that lower bound of the distance without any test.
    InterferenceResult update(const Transform& pose_a, const Transform& pose_b,
                              double clearance = std::numeric_limits<double>::infinity());

    /// Returns the candidates that the last update used, for measurements.
    const EdgeFaceCandidates& candidates() const { return scratch_.candidates; }
    std::size_t searches() const { return searches_; }  ///< how often candidates were found so far

private:
    const NonconvexShape &a_, &b_;
    double kept_angle_;
    ContactScratch scratch_;
    glm::dquat found_at_{1, 0, 0, 0};  ///< the relative rotation the candidates were found at
    bool found_ = false;
    glm::dquat rotation_{1, 0, 0, 0};  ///< of B in A's frame, in the last update
    glm::dvec3 position_{0.0};
    double travel_ = 0.0;             ///< upper bound of any point's motion since the candidates were found, m
    double clear_until_ = -1.0;       ///< the travel up to which the two are apart, m; negative: unknown
    std::vector<double> pair_clear_;  ///< the same for each candidate, a_edges first
    std::size_t nearest_ = 0;         ///< the candidate that was nearest in the last update
    std::size_t searches_ = 0;
};

}  // namespace talus
