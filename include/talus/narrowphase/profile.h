#pragma once
/// How the narrowphase settled the pairs of one frame, and what that cost.

#include <talus/narrowphase/shape.h>

#include <array>
#include <cstdint>

namespace talus {

/// What is known about a convex pair.
enum class PairState : std::uint8_t {
    unknown,    ///< not tested yet, or its shapes have changed
    separated,  ///< no contact points
    touching,   ///< has contact points; the shapes may still be apart by up to the contact margin
};

/// How a convex pair was settled, cheapest first: the coherence ladder.
enum class Rung : std::uint8_t {
    skip,         ///< separated: by the bounding spheres, or because it has moved less than the gap since its last test
    reuse,        ///< manifold kept, anchors fixed in the bodies, separations refreshed
    closed_form,  ///< a pair of shapes whose signed distance needs no iteration, or boxes by their separating axes
    axis_separated,  ///< last frame's axis still separates
    axis_touching,   ///< last frame's axis gives the contact, no GJK
    warm_gjk,        ///< GJK from last frame's simplex
    cold_gjk,        ///< GJK from nothing
    warm_epa,        ///< cores overlap: the last EPA's face at the new pose; a bound proves that its depth is the least
    cold_epa,        ///< GJK found that the cores overlap, EPA gave the depth
    features,        ///< a patch of contact points of a solid that is not convex, found from its features
};
/// The number of values of Rung.
inline constexpr int rung_count = 10;
/// Returns the name of a rung as CSV columns and reports spell it, such as "warm_gjk".
const char* name_of(Rung rung);

/// How much is timed. Counts are always taken.
enum class Timing : std::uint8_t {
    off,     ///< nothing: all times are 0
    stages,  ///< stages of the step; rungs in batches; pairs of the rungs cold GJK and cold EPA one by one
    pairs,   ///< the same, and all other tested pairs one by one: a clock read per test and two system calls per step
};

/// A pair of the narrowphase, by its index among the records, and the time of its tests in one frame.
struct TimedPair {
    std::uint32_t pair = 0xffffffffu;  ///< index of the record; 0xffffffff if no pair was timed
    Rung rung = Rung::skip;            ///< that settled it
    double microseconds = 0.0;         ///< time of its tests
};

/// What the search for contacts of solids by their features looked at. A pair of features is a vertex and a face, or two
/// edges. Each line is a part of the one before. Pairs of solids that keep the candidates of an earlier step count for
/// `points` only.
struct FeatureCounts {
    std::uint64_t node_pairs = 0;  ///< pairs of nodes of the trees over two surfaces that were tested
    std::uint64_t pairs = 0;       ///< pairs of features in the leaves that boxes and normals of the nodes left
    std::uint64_t nearby = 0;      ///< those that are near enough: before pruning by their own orientation
    std::uint64_t candidates = 0;  ///< those that can touch at the present orientation: after it
    std::uint64_t points = 0;      ///< contact points found among all candidates

    /// Adds the counts of other searches.
    FeatureCounts& operator+=(const FeatureCounts& other);
};

/// Counts and times of the narrowphase in one frame, or summed over several.
struct NarrowphaseProfile {
    std::array<std::uint64_t, rung_count> pairs{};  ///< convex pairs settled on each rung
    /// Time of each rung, summed over the threads, manifold building included. Measured in batches: skip and reuse
    /// share one pass, whose time is in `skip`; both axis rungs share one, whose time is in `axis_separated`. Boxes
    /// that are settled by their separating axes count as `closed_form`, but their time is part of the time of the GJK
    /// or EPA list.
    std::array<double, rung_count> microseconds{};
    std::uint64_t gjk_queries = 0;                  ///< calls of GJK, warm or cold
    std::uint64_t gjk_iterations = 0;               ///< support pairs of these calls
    std::uint64_t gjk_cap_hits = 0;                 ///< calls that ended at the iteration cap
    std::uint64_t epa_queries = 0;                  ///< calls of EPA (the rung warm EPA makes none)
    std::uint64_t epa_iterations = 0;               ///< support pairs of these calls
    std::uint64_t epa_cap_hits = 0;                 ///< calls that ran out of memory
    std::uint64_t support_evaluations = 0;          ///< support points computed, by GJK, EPA and the cached axis
    std::uint64_t manifolds_built = 0;              ///< manifolds that were made anew, not reused
    std::array<std::uint64_t, 16> gjk_histogram{};  ///< queries by iterations; the last bin holds 15 and more
    std::array<std::uint64_t, 16> epa_histogram{};  ///< queries by iterations / 4; the last bin holds 60 and more
    FeatureCounts features;                         ///< of pairs on the rung `features`
    /// Pairs that a closed form or GJK tested, by shape types: [lower type][higher type].
    std::array<std::array<std::uint64_t, shape_type_count>, shape_type_count> tested_by_shapes{};

    /// Time of the tests by shape types, summed over the threads: all tests (Timing::pairs), or only the tests on the
    /// cold rungs (Timing::stages).
    std::array<std::array<double, shape_type_count>, shape_type_count> microseconds_by_shapes{};
    TimedPair slowest;              ///< of the pairs that were timed one by one
    std::uint64_t clock_reads = 0;  ///< how often the clock was read for these times

    /// Adds the profile of another thread or another frame.
    NarrowphaseProfile& operator+=(const NarrowphaseProfile& other);
};

}  // namespace talus
