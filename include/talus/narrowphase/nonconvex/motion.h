#pragma once
/// Two nonconvex polyhedra of which one moves relative to the other: when each pair of features becomes able to touch
/// first, when it ceases to be, and when the two touch.
///
/// Which features can touch first depends on the relative orientation alone (Jimenez and Torras 1999, section 3). Along
/// a rotation it changes only at *rotation events* (section 6), when a node of one orientation graph crosses an arc of
/// the other. In the solids: when a face of one becomes parallel to an edge of the other. For a rotation about a fixed
/// axis, edge . normal is a + b cos(angle) + c sin(angle), so all events have a closed form. Between the events of a
/// pair lie its *intervals of isoapplicability*.
///
///     applicability_events    all events of a motion
///     isoapplicability        the intervals between them
///     MovingContacts          the pairs that can touch first, kept up to date along a motion by its events (at poses
///                             where faces are aligned, less pairs than the list of all events tells)
///     time_of_contact         when two that start apart touch first
///
/// All functions compute without libm: the same bits on every system.

#include <talus/narrowphase/nonconvex/interference.h>
#include <talus/narrowphase/time_of_impact.h>

#include <memory>
#include <vector>

namespace talus {

class EventStream;

/// A motion of B in A's frame, over times 0 to 1: a point of B moves along a line, and B rotates about a fixed axis
/// through that point at a constant rate.
struct RelativeMotion {
    static constexpr double max_angle = 6.283185307179586;  ///< one turn, rad

    glm::dquat rotation{1, 0, 0, 0};  ///< of B at time 0; unit
    glm::dvec3 position{0.0};         ///< of the point at time 0, m
    glm::dvec3 displacement{0.0};     ///< of the point by time 1, m
    glm::dvec3 axis{0, 0, 1};         ///< of the rotation; unit, A's frame
    double angle = 0.0;               ///< by which B rotates until time 1, rad, in [-max_angle, max_angle]
    glm::dvec3 center{0.0};           ///< the point, in B's frame, m
};

/// Where B is in A's frame, in double.
struct RelativePlace {
    glm::dquat rotation{1, 0, 0, 0};  ///< of B's frame; unit
    glm::dvec3 position{0.0};         ///< of its origin, m
};

/// Returns the motion between two relative poses, by the shorter rotation; `center` (B's frame, m) moves along a line.
/// If only B rotates, this is B's own motion at constant velocities. If A rotates, too, it interpolates in A's frame,
/// and differs from the motion in the world by terms of second order in the angles: cut such a motion into short ones.
/// Poses that are not finite give a motion that is not finite, which the functions below refuse.
RelativeMotion relative_motion(const Transform& a_start, const Transform& b_start, const Transform& a_end,
                               const Transform& b_end, const vec3& center = vec3(0.0f));

/// Returns where B is at a time in [0, 1].
RelativePlace place_at(const RelativeMotion& motion, double time);

/// Which features a pair has.
enum class FeaturePairKind : std::uint8_t {
    a_vertex,  ///< a vertex of A with a face of B
    b_vertex,  ///< a face of A with a vertex of B
    edges,     ///< an edge of A with an edge of B
};

/// Two features that can touch: indices into the vertices, edges or faces of the two polyhedra.
struct FeaturePair {
    FeaturePairKind kind;                                                       ///< which features
    std::uint32_t a;                                                            ///< of A
    std::uint32_t b;                                                            ///< of B
    friend auto operator<=>(const FeaturePair&, const FeaturePair&) = default;  ///< by kind, then a, then b
};

/// A pair that becomes able to touch first, or ceases to be.
struct ApplicabilityEvent {
    double time;       ///< in [0, 1]; 0 only for the pairs that are applicable at the start
    FeaturePair pair;  ///< the features
    bool applicable;   ///< from this time on
};

/// Returns all events of a motion, by time, after the pairs that are applicable at time 0. A pair counts as applicable
/// while it is within 1e-6 rad of that, plus the rounding of the solids, so ties (features that stay parallel) count.
/// Two edges count, too, while an end of each arc is within that of the other's great circle. Empty if a shape was not
/// made by make_nonconvex or the motion is out of range. Cost: edges of each times faces of the other, and the events.
std::vector<ApplicabilityEvent> applicability_events(const NonconvexShape& a, const NonconvexShape& b,
                                                     const RelativeMotion& motion);

/// A pair that is applicable from one time to another.
struct Isoapplicability {
    FeaturePair pair;  ///< the features
    double from;       ///< in [0, 1]
    double to;         ///< in [0, 1]; 1 if it still is at the end
};

/// Returns the intervals of the same motion in which pairs are applicable, by their first time. A pair can have
/// several.
std::vector<Isoapplicability> isoapplicability(const NonconvexShape& a, const NonconvexShape& b,
                                               const RelativeMotion& motion);

/// The pairs of features that can touch first, kept along a motion by its events: a kinetic data structure (Basch,
/// Guibas and Hershberger 1999). Each certificate is the sign of edge . normal, for an edge of one solid and a face of
/// the other; the schedule has the times at which certificates fail. An advance touches only the pairs of the
/// certificates that fail on the way.
///
///     start     edges of each x faces of the other; about the cost of one search by signs if the motion is short
///     advance   the events on the way
///     memory    a byte for each edge of one and face of the other
///
/// Copies would share nothing, so there are none; moves are cheap.
class MovingContacts {
public:
    /// Keeps references, so the shapes must outlive it.
    MovingContacts(const NonconvexShape& a, const NonconvexShape& b);
    ~MovingContacts();
    MovingContacts(MovingContacts&&) noexcept;             ///< moves all
    MovingContacts& operator=(MovingContacts&&) = delete;  ///< the references stay

    /// Finds the pairs at time 0 of a motion and schedules its events. Returns false if the motion is not finite or out
    /// of range, or a shape is not made by make_nonconvex; then there are no pairs.
    bool start(const RelativeMotion& motion);

    /// Processes the events up to a time, not earlier than that of the last call. Times after 1 count as 1.
    void advance(double time);

    /// Returns the pairs that are applicable at the present time, as find_candidates would find them anew: each once,
    /// in an order that depends on the events.
    const std::vector<FeaturePair>& pairs() const;

    /// Returns the edge-face pairs that detect all contacts of these pairs, by the paper's rule (section 3): an edge of
    /// each vertex with its face; of two edges, each with both faces of the other. They are kept by counting, too. Each
    /// is there once; the order depends on the events. The indices are those of the present call only.
    const EdgeFaceCandidates& candidates() const;

    /// What the last start or advance did.
    struct Work {
        std::size_t certificates = 0;  ///< that failed; at a start: those that were scheduled
        std::size_t pairs = 0;         ///< that were looked at
        std::size_t changes = 0;       ///< pairs that became applicable or ceased to be
    };
    const Work& work() const;  ///< see there

private:
    friend class EventStream;
    struct State;
    std::unique_ptr<State> state_;
};

/// When two polyhedra touch first along a motion.
struct ContactTime {
    ToiStatus status = ToiStatus::separated;  ///< how the search ended
    double time = 0.0;      ///< in [0, 1]: the boundaries are apart before it, by more than half the tolerance; 1 when
                            ///< separated, 0 on bad input
    double distance = 0.0;  ///< of the two features at that time, m: at most the tolerance on a hit; 0 otherwise
    FeaturePair pair{};     ///< the features; on a hit only
    glm::dvec3 point{0.0};  ///< midway between the two features, A's frame at that time, m; on a hit only
    std::size_t pairs = 0;  ///< pairs of features that were followed
    std::size_t steps = 0;  ///< evaluations of basic contact functions
};

/// Returns the first time at which the boundaries come within the tolerance, for two polyhedra that start apart: hit. A
/// hit is reported while they are still apart by up to `tolerance`, and not later than when the distance is half of it.
/// Features that pass each other at a distance between the two may count as a hit. initially_overlapping: the two are
/// within the tolerance at time 0, or one is inside the other. iteration_cap: they slide along each other at such a
/// distance; `time` is how far the search came.
///
/// Each applicable pair is followed through its intervals of isoapplicability by its basic contact function (the
/// parametrised functions that section 6 asks for), with steps that a bound of the second derivative proves safe.
///
/// tolerance: m; not less than the sum of both Polyhedron::tolerance, which is used instead if it is; 0: a
/// hundred-thousandth of the smaller radius. A negative one is bad input, as is a motion out of range.
ContactTime time_of_contact(const NonconvexShape& a, const NonconvexShape& b, const RelativeMotion& motion,
                            double tolerance = 0.0);

}  // namespace talus
