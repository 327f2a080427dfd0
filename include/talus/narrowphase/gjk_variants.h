#pragma once
/// GJK as the papers describe it, built from parts that can be chosen one by one. It is meant for comparing the
/// methods: the profiling program makes the papers' tables with it. The engine itself uses `gjk` (gjk.h).
///
///     start            loop:  closest point v of the simplex      support vertex w along -v       stop?
///     StartMethod             SimplexMethod                        SupportMethod                   StopMethod
///
/// All arithmetic is in double on the float vertices. Every choice can be combined with every other, with these
/// remarks:
/// - The starts `last_support_pair` and `last_simplex` need a memory that an earlier call for the same pair has filled.
///   With an empty one they work as `centroids`. Likewise `neighbours` then works as `hill_climbing` from vertex 0.
/// - `discard_and_add` needs three vertices of A - B that are not collinear: with two parallel segments it fails.
/// - Polygons (make_polygon_graph) work with every choice, if the pose keeps them in the plane z = 0. `discard_and_add`
///   then takes its two-dimensional form (Liu et al. section 3.1).
/// - All searches except `linear` assume that the hull is convex at each vertex. If vertices lie closer together than
///   the hull builder's tolerance, it may not be, and a climb can stop too early there: 1 of 5,640 searches on the
///   difficult clouds of tests/narrowphase/shapes/hull_clouds.h.
///
/// Sources: Jovanoski 2008, The GJK Algorithm; Liu, Chien, Shiang and Lee, Geometric Interpretation and Comparisons of
/// Enhancements of GJK; Ericson 2005, The Gilbert-Johnson-Keerthi algorithm; and what they cite.

#include <talus/narrowphase/closest_feature.h>
#include <talus/narrowphase/papers/polytope_graph.h>

#include <glm/vec3.hpp>

#include <cstdint>

namespace talus {

/// How the closest point of a simplex is found, and which vertices it keeps.
enum class SimplexMethod : std::uint8_t {
    /// The original distance subalgorithm (Gilbert, Johnson and Keerthi 1988; Liu et al. section 2.2): all subsets in
    /// order of size, by the recursion for their determinants. If no subset passes because of rounding, the backup
    /// procedure takes the best one.
    johnson,
    voronoi,  ///< the inequalities of the Voronoi regions: vertices, edges, faces, inside (Ericson section 3.1)
    /// Always three vertices: nu_compute by its table of signs, refine_set by separating planes. If more than one
    /// vertex could be discarded, the farthest is (Liu et al. section 3). Nothing guarantees that this method
    /// terminates or that the distance decreases: see GjkEnd for its failures. Two planar graphs in the plane z = 0 are
    /// searched with two vertices and separating lines, as section 3.1 says; the form in space would find four vertices
    /// in a plane at once and fail.
    discard_and_add,
    production,  ///< the engine's own (minkowski.h)
};
/// The number of values of SimplexMethod.
inline constexpr int simplex_method_count = 4;

/// How the vertex farthest along a direction is found.
enum class SupportMethod : std::uint8_t {
    linear,  ///< tries all vertices; ties go to the lowest index
    /// From neighbour to neighbour, starting at the vertex found last, in this call or the one before (Cameron 1997;
    /// Jovanoski section 4.1; Liu et al. section 4.1).
    hill_climbing,
    /// The same, starting at the best of the last call's supporting vertices and their neighbours (Liu et al. section
    /// 4.3).
    neighbours,
    hierarchical,           ///< from coarse hulls to finer ones (Dobkin and Kirkpatrick; papers/vertex_hierarchy.h)
    artificial_neighbours,  ///< hill climbing with far vertices added to the neighbours (Ericson section 2.3)
};
/// The number of values of SupportMethod.
inline constexpr int support_method_count = 5;

/// The first simplex.
enum class StartMethod : std::uint8_t {
    arbitrary,  ///< vertex 0 of A and of B (discard-and-add: two more fixed pairs)
    /// The support vertex along the line from A's centroid to B's (Liu et al. section 3.1b). Discard-and-add takes two
    /// more across that line, so that they are far apart.
    centroids,
    last_support_pair,  ///< the last call's last support vertices (discard-and-add: two more as by centroids)
    last_simplex,       ///< the last call's final simplex at the new pose (Liu et al. section 4.3)
};
/// The number of values of StartMethod.
inline constexpr int start_method_count = 4;

/// When v is near enough. With either method the search also ends when rounding prevents any further gain.
enum class StopMethod : std::uint8_t {
    /// |v| - mu <= gap * |v|, where mu is the greatest lower bound that the support planes have proved (Jovanoski
    /// section 2).
    bound,
    /// The support vertex is already in the simplex, or is the one found just before (Liu et al. section 2.1).
    recurring_vertex,
};
/// The number of values of StopMethod.
inline constexpr int stop_method_count = 2;

const char* name_of(SimplexMethod method);  ///< returns the name of the enumerator, such as "voronoi"
const char* name_of(SupportMethod method);  ///< returns the name of the enumerator, such as "linear"
const char* name_of(StartMethod method);    ///< returns the name of the enumerator, such as "centroids"
const char* name_of(StopMethod method);     ///< returns the name of the enumerator, such as "bound"

/// One method for each part of the algorithm.
struct GjkMethods {
    SimplexMethod simplex = SimplexMethod::production;  ///< finds the closest point of a simplex
    SupportMethod support = SupportMethod::linear;      ///< finds support vertices
    StartMethod start = StartMethod::centroids;         ///< makes the first simplex
    StopMethod stop = StopMethod::bound;                ///< ends the search
    double gap = 1e-6;  ///< for StopMethod::bound: the allowed relative error of the distance, finite and >= 0
};

/// The greatest number of passes of the loop. Among 3.8 million queries none needed more than 15 on hulls of random
/// points, or 24 on difficult clouds.
inline constexpr int gjk_variant_max_iterations = 100;

/// The result of a query.
enum class GjkVariantStatus : std::uint8_t {
    separated,      ///< distance > 0, with a relative error of at most `gap` (StopMethod::bound) or 1e-6
    overlapping,    ///< a simplex encloses or touches the origin
    iteration_cap,  ///< distance is an upper bound, lower_bound a lower one
    failed,         ///< the method could not go on (`end` says why); the distance is between lower_bound and `distance`
    bad_input,      ///< a graph without vertices, a pose that is not finite, methods that do not exist, or a bad `gap`
};

/// The reason why the search ended.
enum class GjkEnd : std::uint8_t {
    bound,              ///< StopMethod::bound
    recurring_vertex,   ///< StopMethod::recurring_vertex
    rounding,           ///< the support plane through w is as far as v, to rounding; or v gets no shorter
    origin_in_simplex,  ///< the simplex encloses the origin, or is nearer to it than rounding
    cap,                ///< gjk_variant_max_iterations
    // Failures. The first three happen with discard_and_add only.
    /// The same three vertices came back, so the search would go on forever. (After one step: the new vertex was itself
    /// discarded.)
    cycle,
    /// The new vertex lies in the plane of the other three, so no face can be told from another. This is common if an
    /// edge of A is closest to an edge of B: the four vertices are corners of a parallelogram. (In the plane: it is on
    /// the line of the other two.)
    flat_set,
    flat_start,  ///< no three vertices of A - B span a triangle, or in the plane no two differ
    /// v gets no shorter although the bounds are more than 1e-6 apart. With the other methods rounding causes this in
    /// one of 2.8 million queries.
    stuck,
};

const char* name_of(GjkVariantStatus status);  ///< returns the name of the enumerator, such as "separated"
const char* name_of(GjkEnd end);               ///< returns the name of the enumerator, such as "rounding"

/// The data that a pair keeps from call to call. An empty one is a cold start; any content is safe.
struct GjkVariantMemory {
    /// The final simplex; with discard-and-add all three of its vertices. Empty after a failure, so that the next call
    /// starts by centroids.
    SimplexCache simplex;
    std::uint16_t support_a = 0;  ///< A's last support vertex
    std::uint16_t support_b = 0;  ///< B's last support vertex
};

/// The distance of two polytopes, their closest points, and the work done.
struct GjkVariantResult {
    GjkVariantStatus status = GjkVariantStatus::separated;  ///< how the query ended
    GjkEnd end = GjkEnd::bound;                             ///< what ended the search
    double distance = 0.0;                                  ///< |v|, m; 0 when overlapping
    double lower_bound = 0.0;                               ///< mu, proved by a support plane, m
    glm::dvec3 point_a{0.0};                                ///< closest point of A, in A's frame, m
    glm::dvec3 point_b{0.0};                                ///< closest point of B, in A's frame, m
    ClosestFeature feature_a;                               ///< where point_a lies; none when overlapping
    ClosestFeature feature_b;                               ///< where point_b lies; none when overlapping
    /// The feature of A - B on which v lies, by the number of vertices that span it: a vertex, an edge or a face (Liu
    /// et al. section 3). None when overlapping.
    FeatureKind feature_of_difference = FeatureKind::none;
    int iterations = 0;           ///< passes of the loop, each with one support pair
    int support_evaluations = 0;  ///< support searches on either shape, including the start
    int dot_products = 0;         ///< made by these searches: the number of vertices tried
};

/// Returns the distance of two convex polytopes by the chosen methods; `b_in_a` is the pose of b in a's frame. Never
/// returns NaN for finite input.
GjkVariantResult gjk_variant(const PolytopeGraph& a, const PolytopeGraph& b, const MatrixTransform& b_in_a,
                             const GjkMethods& methods, GjkVariantMemory& memory);

}  // namespace talus
