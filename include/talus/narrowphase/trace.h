#pragma once
/// GJK and EPA iteration by iteration, for looking: what each step asked for, found and proved.
///
/// A trace runs the very loops that `gjk` and `epa` run (the kernel where that takes the pair, else the plain loop),
/// with an observer at the places where production has none. So the answers agree bit for bit, and a trace shows the
/// doubts and new starts of production too. It allocates, and costs some microseconds a step.
///
/// All points are in A's frame, m. The difference A - B is that of the cores: radii are not in it.

#include <talus/narrowphase/epa.h>
#include <talus/narrowphase/gjk.h>

#include <cstddef>
#include <limits>
#include <vector>

namespace talus {

/// A point of the Minkowski difference: w = on_a - on_b.
struct TraceVertex {
    glm::dvec3 w{0.0};
    glm::dvec3 on_a{0.0}, on_b{0.0};         ///< on the two cores
    std::uint16_t index_a = 0, index_b = 0;  ///< of support.h; anything on the rims of cylinders and cones
};

struct TraceSimplex {
    TraceVertex vertex[4];
    int count = 0;
    bool encloses = false;                                      ///< the origin, by all four
    glm::dvec3 closest{0.0};                                    ///< to the origin; the origin itself when enclosed
    double distance = std::numeric_limits<double>::infinity();  ///< of that; infinite while there are no vertices
};

/// One support pair of GJK, and the simplex that it led to.
struct GjkStep {
    glm::dvec3 direction{0.0};  ///< asked for: from the simplex before towards the origin, any length > 0
    TraceVertex newest;         ///< the point of the difference farthest along it
    TraceSimplex simplex;       ///< afterwards; that before where the search ends with this step
    double lower_bound = 0.0;   ///< of the distance, proved by this part's support planes so far, m
    double upper_bound = 0.0;   ///< that of the simplex, m
};

/// A search from its start to its end. Most queries have one. A cached simplex that has gone stale is one without
/// steps; where rounding makes a case doubtful to the kernel, the plain loop goes on from the kernel's last simplex.
struct GjkPart {
    bool in_kernel = false;  ///< else in the plain loop
    bool warm = false;       ///< from cached vertices
    TraceSimplex start;      ///< of those, re-posed; empty when it starts from nothing, or when they were stale
    std::size_t first_step = 0;
};

struct GjkTrace {
    std::vector<GjkPart> parts;
    std::vector<GjkStep> steps;  ///< of all parts: result.iterations of them
    GjkResult result;            ///< as of `gjk`
    SimplexCache simplex;        ///< left for the next query, and for EPA
};

/// What `gjk` does with the same arguments, `start` being its cache.
GjkTrace trace_gjk(const Shape& a, const Shape& b, const Frame& b_in_a, const SimplexCache& start,
                   float max_distance = std::numeric_limits<float>::infinity());

/// A triangle of EPA's polytope, counter-clockwise seen from outside.
struct TraceFace {
    std::uint16_t vertex[3];  ///< numbers in EpaPart::vertices
    glm::dvec3 normal{0.0};   ///< outward, unit; zero on a sliver, which EPA passes over
    double offset = 0.0;      ///< of its plane from the origin, m
};

/// One support pair of EPA, and the polytope that it was asked of.
struct EpaStep {
    std::size_t vertex_count = 0;  ///< the polytope's vertices are the first of EpaPart::vertices, those inside it too
    std::vector<TraceFace> faces;
    std::size_t nearest = 0;   ///< the face whose plane is nearest to the origin
    TraceVertex newest;        ///< the point of the difference farthest along its normal
    double lower_bound = 0.0;  ///< of the depth: the largest offset that a nearest face has had, m
    double upper_bound = 0.0;  ///< the least offset of a support plane, m
};

/// A polytope from its first tetrahedron on. A bad simplex can lead to slivers; EPA then starts once more.
struct EpaPart {
    std::vector<TraceVertex> vertices;  ///< in the order in which they were met
    std::vector<EpaStep> steps;         ///< none: the difference is flat
};

struct EpaTrace {
    std::vector<EpaPart> parts;
    std::size_t answer = 0;  ///< the part that gave the result: it has result.iterations steps
    /// As of `epa`. On polytopes it lies between the last step's bounds; on cylinders and cones it has slid on from
    /// there (epa.h).
    EpaResult result;
};

/// What `epa` does with the same arguments.
EpaTrace trace_epa(const Shape& a, const Shape& b, const Frame& b_in_a, const SimplexCache& simplex);

}  // namespace talus
