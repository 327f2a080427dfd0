#pragma once
/// What the last frame cost: stage times, and how the narrowphase settled its pairs.

#include <talus/narrowphase/shape.h>

#include <array>
#include <cstdint>

namespace talus {

/// How a pair was settled, cheapest first: the coherence ladder.
enum class Rung : std::uint8_t {
    skip,              ///< separated, and moved less than the gap since its last test
    reuse,             ///< manifold kept, anchors fixed in the bodies
    axis_separated,    ///< last frame's axis still separates
    axis_touching,     ///< last frame's axis gives the contact, no GJK
    warm_gjk,          ///< GJK from last frame's simplex
    cold_gjk,          ///< GJK from nothing
    epa,               ///< GJK found the cores overlapping, EPA gave the depth
};
inline constexpr int rung_count = 7;
const char* name_of(Rung rung);

struct NarrowphaseProfile {
    std::array<std::uint32_t, rung_count> pairs{};            ///< convex pairs settled on each rung
    std::array<double, rung_count> microseconds{};            ///< time of each rung (skip and reuse share one pass)
    std::uint32_t gjk_queries = 0, gjk_iterations = 0, gjk_cap_hits = 0;
    std::uint32_t epa_queries = 0, epa_iterations = 0, epa_cap_hits = 0;
    std::uint32_t support_evaluations = 0;
    std::uint32_t manifolds_built = 0;
    std::array<std::uint32_t, 16> gjk_histogram{};            ///< queries by iterations; the last bin holds 15 and more
    std::array<std::uint32_t, 16> epa_histogram{};            ///< queries by iterations / 4; the last bin holds 60 and more
    /// Pairs that left pass A (needed GJK or EPA), by shape types: [lower type][higher type].
    std::array<std::array<std::uint32_t, shape_type_count>, shape_type_count> tested_by_shapes{};
};

/// Stage times in microseconds of the last step.
struct FrameProfile {
    std::uint64_t frame = 0;
    double total = 0, pairs = 0, collide = 0, graph = 0, solve = 0, finish = 0;
    std::uint32_t bodies = 0, awake_bodies = 0;
    std::uint32_t broadphase_pairs = 0;   ///< overlapping fat boxes
    std::uint32_t convex_pairs = 0;       ///< shape pairs under test, asleep included
    std::uint32_t touching_pairs = 0;     ///< with a manifold, asleep included
    std::uint32_t contact_points = 0;     ///< solved in this step
    std::uint32_t islands = 0, colors = 0;
    float max_penetration = 0;            ///< of the points solved in this step, m, >= 0
    float mean_penetration = 0;           ///< over the points solved in this step, counting separated ones as 0, m
    double kinetic_energy = 0;            ///< of awake bodies, J
    NarrowphaseProfile narrowphase;
};

/// Heap memory, bytes.
struct MemoryStats {
    std::size_t bodies = 0, shapes = 0, broadphase = 0, contacts = 0, solver = 0, hulls = 0;
    std::size_t total() const { return bodies + shapes + broadphase + contacts + solver + hulls; }
};

}  // namespace talus
