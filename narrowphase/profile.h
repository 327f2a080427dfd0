#pragma once
/// How the narrowphase settled its pairs in one frame, and what that cost.

#include <talus/narrowphase/shape.h>

#include <array>
#include <cstdint>

namespace talus {

/// How a convex pair was settled, cheapest first: the coherence ladder.
enum class Rung : std::uint8_t {
    skip,            ///< separated: by the balls around the shapes, or moved less than the gap since its last test
    reuse,           ///< manifold kept, anchors fixed in the bodies, separations refreshed
    closed_form,     ///< a pair of shapes whose signed distance needs no iteration (closed_forms.h, box_axes.h)
    axis_separated,  ///< last frame's axis still separates
    axis_touching,   ///< last frame's axis gives the contact, no GJK
    warm_gjk,        ///< GJK from last frame's simplex
    cold_gjk,        ///< GJK from nothing
    warm_epa,  ///< cores overlap: the last EPA's face, slid to its place, and a bound proves that no other way out is shorter
    cold_epa,  ///< GJK found the cores overlapping, EPA gave the depth
};
inline constexpr int rung_count = 9;
const char* name_of(Rung rung);

struct NarrowphaseProfile {
    std::array<std::uint32_t, rung_count> pairs{};  ///< convex pairs settled on each rung
    /// Time of each rung, summed over the threads, manifold building included. Measured in batches: skip and reuse
    /// share one pass, its time is booked on `skip`; both axis rungs share one, booked on `axis_separated`. Boxes that
    /// their axes settle count as `closed_form`, but their time is booked on the GJK or EPA list they stood in.
    std::array<double, rung_count> microseconds{};
    std::uint32_t gjk_queries = 0, gjk_iterations = 0, gjk_cap_hits = 0;
    std::uint32_t epa_queries = 0, epa_iterations = 0, epa_cap_hits = 0;
    std::uint32_t support_evaluations = 0;
    std::uint32_t manifolds_built = 0;
    std::array<std::uint32_t, 16> gjk_histogram{};  ///< queries by iterations; the last bin holds 15 and more
    std::array<std::uint32_t, 16> epa_histogram{};  ///< queries by iterations / 4; the last bin holds 60 and more
    /// Pairs that needed GJK, by shape types: [lower type][higher type].
    std::array<std::array<std::uint32_t, shape_type_count>, shape_type_count> tested_by_shapes{};

    /// Adds what another thread did.
    NarrowphaseProfile& operator+=(const NarrowphaseProfile& other);
};

}  // namespace talus
