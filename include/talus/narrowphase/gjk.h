#pragma once
/// GJK: the distance between two convex cores (Jovanoski 2008; simplex by Voronoi regions after Ericson 2005).
///
/// Simplices are computed in double from float vertices. In scalar code that costs no more than float, and it replaces
/// the epsilons that nearly touching and needle-shaped pairs otherwise need. The search direction is the normal of the
/// simplex's closest feature, which stays exact however near the cores are. Each frame starts from the simplex of the
/// last one: about one iteration instead of five. Pairs of polytopes run in a kernel in SIMD lanes. Cylinders,
/// cones, and hulls far larger than the other shape run in a plain loop.

#include <talus/narrowphase/shape.h>
#include <talus/narrowphase/support.h>

#include <cstdint>
#include <limits>

namespace talus {

/// A simplex of the Minkowski difference A - B as pairs of support indices (support.h). It can be kept from frame to
/// frame: at a new pose its points are looked up again.
struct SimplexCache {
    std::uint16_t a[4] = {};  ///< support indices of A
    std::uint16_t b[4] = {};  ///< support indices of B; a[i] and b[i] make vertex i
    std::uint8_t count = 0;   ///< number of vertices, 0 to 4; 0: empty
};

/// The result of a GJK query.
enum class GjkStatus : std::uint8_t {
    separated,      ///< distance > 0, exact to tolerance
    overlapping,    ///< the cores touch or intersect: distance 0, the simplex encloses or touches the origin
    beyond_limit,   ///< a support plane proves that the distance exceeds max_distance; `distance` is that lower bound
    iteration_cap,  ///< not converged: distance is an upper bound, lower_bound a proved lower one (may be 0)
    bad_input,      ///< a null hull, a negative size, or a number that is not finite: all else is as in a new GjkResult
};

/// The distance of two cores and their closest points.
struct GjkResult {
    GjkStatus status = GjkStatus::separated;  ///< how the query ended
    float distance = 0.0f;                    ///< between the cores, m
    float lower_bound = 0.0f;                 ///< proved by a support plane, <= the true distance, m
    /// Unit, from A to B, in A's frame; zero when overlapping. With beyond_limit it is the normal of the plane that
    /// proves the bound.
    vec3 normal{0.0f};
    vec3 point_a{0.0f};                     ///< closest point of A's core, in A's frame, m
    vec3 point_b{0.0f};                     ///< closest point of B's core, in A's frame, m
    std::uint16_t iterations = 0;           ///< support pairs computed
    std::uint16_t support_evaluations = 0;  ///< support points computed, of A and of B
    bool warm = false;                      ///< the cached simplex passed its check and was used
};

/// Returns the distance between the cores of a and b; `b_in_a` is the pose of b in a's frame. Starts from the simplex
/// in `cache` (any content is safe). If the cache is empty, starts along the line between the middles of the cores.
/// Leaves the final simplex in `cache`. Stops early (beyond_limit) once the distance is proved to exceed `max_distance`
/// (m). Never returns NaN. On bad_input the cache stays as it was; `check` (shape.h) says what is wrong with a shape.
GjkResult gjk(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, SimplexCache& cache,
              float max_distance = std::numeric_limits<float>::infinity());

/// The loops that `gjk` can run: the plain one, for any core, or the kernel compiled for an instruction set. The
/// two kernels give the same bits. The plain loop takes other steps and ends at the same distance, within the
/// tolerance of both.
enum class GjkLoop : std::uint8_t {
    plain,  ///< scalar code
    base,   ///< the kernel for every processor: SSE2, NEON or plain code
    avx2,   ///< the kernel for AVX2
};

/// Returns whether this processor and this build have the loop.
bool has_loop(GjkLoop loop);

/// The same as `gjk` by the given loop, or by the plain one if there is no such loop. For comparisons: `gjk` itself
/// takes the fastest loop.
GjkResult gjk_by(GjkLoop loop, const Shape& a, const Shape& b, const MatrixTransform& b_in_a, SimplexCache& cache,
                 float max_distance = std::numeric_limits<float>::infinity());

}  // namespace talus
