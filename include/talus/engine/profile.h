#pragma once
/// What the last frame cost: stage times, counts, and how the narrowphase settled its pairs.

#include <talus/ids.h>
#include <talus/narrowphase/profile.h>

#include <cstddef>
#include <cstdint>

namespace talus {

/// Two shapes of two bodies, and what the narrowphase did about them in a frame.
struct SlowestPair {
    BodyId body_a, body_b;                   ///< null: no pair was timed
    std::uint32_t shape_a = 0, shape_b = 0;  ///< indices of the shapes in their bodies
    Rung rung = Rung::skip;
    double microseconds = 0.0;
    std::uint32_t triangle = no_triangle;  ///< of the mesh, if one of the two is one
};

/// Hashes of the world's state after each stage of a step: bodies, pairs, contacts and the impulses in them. Two runs that
/// should agree differ first in the stage of their first different hash.
struct StageHashes {
    std::uint64_t pairs = 0, collide = 0, graph = 0, solve = 0, continuous = 0, finish = 0, publish = 0;
};

/// Stage times in microseconds of the last step.
struct FrameProfile {
    std::uint64_t frame = 0;
    double start = 0;  ///< when the step began, us by a clock that never goes back and whose zero means nothing
    double total = 0, pairs = 0, collide = 0, graph = 0, solve = 0, continuous = 0, finish = 0, publish = 0;
    double broadphase = 0;  ///< part of pairs and finish: moving the proxies, updating and refreshing
    std::uint32_t bodies = 0, awake_bodies = 0;
    std::uint32_t broadphase_pairs = 0;  ///< overlapping fat boxes
    std::uint32_t convex_pairs = 0;      ///< shape pairs under test, asleep included
    std::uint32_t touching_pairs = 0;    ///< convex pairs solved in this step
    std::uint32_t contact_points = 0;    ///< solved in this step
    std::uint32_t renewed_contacts = 0;  ///< found anew within the step, as their bodies had turned far
    std::uint32_t substeps = 0;  ///< of this step: WorldDef::substeps, or another number where steps change in length
    std::uint32_t swept_bodies = 0, impacts = 0;  ///< fast bodies (see Continuous), and what they met on their way
    std::uint32_t islands = 0, colors = 0;
    std::uint32_t slabs = 1;     ///< of space that threads solved side by side (slabs.h)
    float max_penetration = 0;   ///< of the points solved in this step, m, >= 0
    float mean_penetration = 0;  ///< over the points solved in this step, counting separated ones as 0, m
    double kinetic_energy = 0;   ///< of awake bodies, J
    NarrowphaseProfile narrowphase;
    SlowestPair slowest;  ///< of the pairs timed singly: Timing says which those are
    StageHashes hashes;   ///< if WorldDef::hash_stages, else 0
    double timing = 0;    ///< part of total: what reading clocks took, by the price of one read, us
    /// How often in this step the system gave the calling thread's processor to others: times of such a frame, and its
    /// slowest pair, say more about the machine than about Talus. With Timing::pairs on Linux; else 0.
    std::uint32_t interruptions = 0;
};

/// Heap memory, bytes.
struct MemoryStats {
    std::size_t bodies = 0, shapes = 0, broadphase = 0, contacts = 0, joints = 0, solver = 0, hulls = 0, meshes = 0;
    std::size_t total() const { return bodies + shapes + broadphase + contacts + joints + solver + hulls + meshes; }
};

}  // namespace talus
