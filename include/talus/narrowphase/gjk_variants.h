#pragma once
/// GJK as the papers describe it, put together from parts that can be chosen one by one. For comparing them: the
/// profiling program prints the papers' tables from this. `gjk` (gjk.h) is what the engine uses.
///
///     start            loop:  closest point v of the simplex      support vertex w along -v       stop?
///     StartMethod             SimplexMethod                        SupportMethod                   StopMethod
///
/// All arithmetic is in double on the float vertices. Every choice goes with every other, with these remarks:
/// - The two `last_...` starts live on a memory that an earlier call for the same pair has filled; with an empty one
///   they are `centroids`. Likewise `neighbours` is then `hill_climbing`, and that climbs from vertex 0.
/// - `discard_and_add` needs three vertices of A - B that are not on a line: with two parallel segments it fails.
/// - All searches but `linear` trust the hull to be convex at each vertex. Where vertices crowd within the hull
/// builder's
///   tolerance it may not be, and a climb stalls there: 1 of 5,640 searches on the difficult clouds of
///   tests/narrowphase/shapes/hull_clouds.h.
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
    /// order of size, by the recursion for their determinants, with the backup procedure for when rounding lets none
    /// pass.
    johnson,
    voronoi,  ///< the inequalities of the Voronoi regions: vertices, edges, faces, inside (Ericson section 3.1)
    /// Always three vertices: nu_compute by its table of signs, refine_set by separating planes, and the farthest
    /// vertex goes when more than one could (Liu et al. section 3). Nothing guarantees that this ends or gets nearer:
    /// see GjkEnd for its failures.
    discard_and_add,
    production,  ///< the engine's own (minkowski.h)
};
inline constexpr int simplex_method_count = 4;

/// How the vertex farthest along a direction is found.
enum class SupportMethod : std::uint8_t {
    linear,         ///< all vertices are tried; ties go to the lowest
    hill_climbing,  ///< from the vertex found last, also by the last call, from neighbour to neighbour (Cameron 1997;
                    ///< Jovanoski section 4.1; Liu et al. section 4.1)
    neighbours,     ///< the same, from the best of the last call's supporting vertices and their neighbours (Liu et al.
                    ///< section 4.3)
    hierarchical,   ///< from coarse hulls to finer ones (Dobkin and Kirkpatrick; papers/vertex_hierarchy.h)
    artificial_neighbours,  ///< hill climbing with far vertices added to the neighbours (Ericson section 2.3)
};
inline constexpr int support_method_count = 5;

/// The first simplex.
enum class StartMethod : std::uint8_t {
    arbitrary,  ///< the vertices 0 (discard-and-add: two more fixed vertices)
    /// The support vertex along the line from A's centroid to B's (Liu et al. section 3.1b). Discard-and-add takes its
    /// other two points across that line, so that they are far apart.
    centroids,
    last_support_pair,  ///< the last call's last support vertices (discard-and-add: two more as by centroids)
    last_simplex,       ///< the last call's final simplex, posed anew (Liu et al. section 4.3)
};
inline constexpr int start_method_count = 4;

/// When v is near enough. Whatever is chosen, the search also ends where rounding leaves nothing to gain.
enum class StopMethod : std::uint8_t {
    /// |v| - mu <= gap * |v|, where mu is the greatest lower bound that the support planes have proved (Jovanoski
    /// section 2).
    bound,
    /// The support vertex is one of the simplex's, or the one found just before (Liu et al. section 2.1).
    recurring_vertex,
};
inline constexpr int stop_method_count = 2;

const char* name_of(SimplexMethod method);
const char* name_of(SupportMethod method);
const char* name_of(StartMethod method);
const char* name_of(StopMethod method);

struct GjkMethods {
    SimplexMethod simplex = SimplexMethod::production;
    SupportMethod support = SupportMethod::linear;
    StartMethod start = StartMethod::centroids;
    StopMethod stop = StopMethod::bound;
    double gap = 1e-6;  ///< of StopMethod::bound, relative to |v|: the relative error of the distance
};

/// The loop gives up after so many passes. Of 3.8 million queries none needed more than 15 on hulls of random points,
/// 24 on difficult clouds.
inline constexpr int gjk_variant_max_iterations = 100;

enum class GjkVariantStatus : std::uint8_t {
    separated,      ///< distance > 0, right to `gap` (StopMethod::bound) or 1e-6 of it
    overlapping,    ///< a simplex encloses or touches the origin
    iteration_cap,  ///< distance is an upper bound, lower_bound a lower one
    failed,         ///< the method led itself astray (`end` says how); distance and lower_bound bound the truth
    bad_input,      ///< a graph without vertices, a pose that is not finite, or methods that do not exist
};

/// What ended the search.
enum class GjkEnd : std::uint8_t {
    bound,              ///< by the chosen stop
    recurring_vertex,   ///< by the chosen stop
    rounding,           ///< the support plane through w is as far as v, to rounding; or v gets no shorter
    origin_in_simplex,  ///< enclosed, or nearer than rounding
    cap,                ///< gjk_variant_max_iterations
    // Failures. The first three are discard_and_add's.
    cycle,       ///< a set of three came back (after one step: the new vertex itself was discarded), for ever after
    flat_set,    ///< the new vertex lies in the plane of the three, so that no face can be told from another. Common
                 ///< where an edge of A meets an edge of B: the four are corners of a parallelogram.
    flat_start,  ///< no three vertices of A - B that span a triangle were found
    stuck,       ///< v gets no shorter though the bounds are more than 1e-6 apart: rounding, for one of 2.8 million
                 ///< queries of the other methods
};

const char* name_of(GjkVariantStatus status);
const char* name_of(GjkEnd end);

/// What a tracked pair carries from call to call. An empty one is a cold start; any content is safe.
struct GjkVariantMemory {
    /// The final simplex; with discard-and-add all three of its vertices. Empty after a failure, so that the next call
    /// starts by centroids.
    SimplexCache simplex;
    std::uint16_t support_a = 0;  ///< A's last support vertex
    std::uint16_t support_b = 0;
};

struct GjkVariantResult {
    GjkVariantStatus status = GjkVariantStatus::separated;
    GjkEnd end = GjkEnd::bound;
    double distance = 0.0;     ///< |v|, m; 0 when overlapping
    double lower_bound = 0.0;  ///< mu, proved by a support plane, m
    glm::dvec3 point_a{0.0};   ///< closest point of A, in A's frame
    glm::dvec3 point_b{0.0};   ///< closest point of B, in A's frame
    ClosestFeature feature_a;  ///< where point_a lies; none when overlapping
    ClosestFeature feature_b;
    /// Where v lies on A - B, by the number of vertices that carry it: on a vertex, an edge or a face (Liu et al.
    /// section 3). None when overlapping.
    FeatureKind feature_of_difference = FeatureKind::none;
    int iterations = 0;           ///< passes of the loop, each with one support pair
    int support_evaluations = 0;  ///< support searches on either shape, those of the start included
    int dot_products = 0;         ///< made by these searches: vertices looked at
};

/// Distance of two convex polytopes by the chosen methods; `b_in_a` is the pose of b in a's frame. Never NaN for finite
/// input, never more than gjk_variant_max_iterations passes.
GjkVariantResult gjk_variant(const PolytopeGraph& a, const PolytopeGraph& b, const Frame& b_in_a,
                             const GjkMethods& methods, GjkVariantMemory& memory);

}  // namespace talus
