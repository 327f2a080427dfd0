#pragma once
/// Records GJK and EPA iteration by iteration, for debugging and drawing.
///
/// A trace runs the same loops as `gjk` and `epa` (the kernel for pairs that it can handle, else the plain loop), with
/// an observer attached. So the results agree bit for bit, and a trace also shows where the engine falls back to
/// another loop or starts again. It allocates memory, and costs some microseconds per step.
///
/// All points are in A's frame, m. A - B is the Minkowski difference of the cores, without their radii.

#include <talus/narrowphase/epa.h>
#include <talus/narrowphase/gjk.h>

#include <cstddef>
#include <limits>
#include <vector>

namespace talus {

/// A point of the Minkowski difference: w = on_a - on_b.
struct TraceVertex {
    glm::dvec3 w{0.0};          ///< on_a - on_b
    glm::dvec3 on_a{0.0};       ///< on A's core
    glm::dvec3 on_b{0.0};       ///< on B's core
    std::uint16_t index_a = 0;  ///< support index of on_a (support.h); arbitrary on the rims of cylinders and cones
    std::uint16_t index_b = 0;  ///< support index of on_b, likewise
};

/// A simplex of the Minkowski difference.
struct TraceSimplex {
    TraceVertex vertex[4];    ///< the first `count` of them
    int count = 0;            ///< number of vertices, 0 to 4
    bool encloses = false;    ///< four vertices enclose the origin
    glm::dvec3 closest{0.0};  ///< its point closest to the origin; the origin itself when enclosed
    double distance = std::numeric_limits<double>::infinity();  ///< of `closest`, m; infinite if there are no vertices
};

/// One support pair of GJK, and the simplex after it. (Beside a polytope, GJK moves it onto a cylinder or cone.)
struct GjkStep {
    glm::dvec3 direction{0.0};  ///< of the search: from the simplex before towards the origin, any length > 0
    TraceVertex newest;         ///< the point of the difference farthest along it
    TraceSimplex simplex;       ///< after the step; the simplex before it if the search ends with this step
    double lower_bound = 0.0;   ///< of the distance, proved by this part's support planes so far, m
    double upper_bound = 0.0;   ///< the distance of the simplex, m
};

/// A search from its start to its end. Most queries have one. A cached simplex that does not pass its check is a part
/// without steps. If rounding makes a case uncertain for the kernel, the plain loop continues from the kernel's last
/// simplex, as a second part.
struct GjkPart {
    bool in_kernel = false;      ///< else in the plain loop
    bool warm = false;           ///< started from cached vertices
    TraceSimplex start;          ///< the cached vertices at the new pose; empty if there are none or they are stale
    std::size_t first_step = 0;  ///< index into GjkTrace::steps
};

/// A GJK query, step by step.
struct GjkTrace {
    std::vector<GjkPart> parts;  ///< in the order in which they ran
    std::vector<GjkStep> steps;  ///< of all parts, result.iterations in number
    GjkResult result;            ///< as `gjk` returns it
    SimplexCache simplex;        ///< as `gjk` leaves it in its cache
};

/// Records what `gjk` does with the same arguments, where `start` is its cache.
GjkTrace trace_gjk(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const SimplexCache& start,
                   float max_distance = std::numeric_limits<float>::infinity());

/// A triangle of EPA's polytope, counter-clockwise seen from outside.
struct TraceFace {
    std::uint16_t vertex[3];  ///< indices into EpaPart::vertices
    glm::dvec3 normal{0.0};   ///< outward, unit; zero on a degenerate triangle, which EPA ignores
    double offset = 0.0;      ///< distance of its plane from the origin, m
};

/// One support pair of EPA, and the polytope before it.
struct EpaStep {
    std::size_t vertex_count =
        0;  ///< the first so many of EpaPart::vertices, of which some may lie inside the polytope
    std::vector<TraceFace> faces;  ///< the faces of the polytope
    std::size_t nearest = 0;       ///< index of the face whose plane is nearest to the origin
    TraceVertex newest;            ///< the point of the difference farthest along that face's normal
    double lower_bound = 0.0;      ///< of the depth: the largest offset that a nearest face has had, m
    double upper_bound = 0.0;      ///< of the depth: the least offset of a support plane, m
};

/// A polytope from its first tetrahedron to its end. A bad first simplex can lead to degenerate faces; EPA then starts
/// once more, as a second part.
struct EpaPart {
    std::vector<TraceVertex> vertices;  ///< in the order in which they were found
    std::vector<EpaStep> steps;         ///< none: the difference is flat
};

/// An EPA query, step by step.
struct EpaTrace {
    std::vector<EpaPart> parts;  ///< in the order in which they ran
    std::size_t answer = 0;      ///< index of the part that gave the result; it has result.iterations steps
    /// As `epa` returns it. On polytopes the depth lies between the last step's bounds. On cylinders and cones a
    /// descent has improved it after the last step (epa.h).
    EpaResult result;
};

/// Records what `epa` does with the same arguments.
EpaTrace trace_epa(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const SimplexCache& simplex);

}  // namespace talus
