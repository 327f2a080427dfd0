#pragma once
/// What the last step cost: times of its stages, counts, and how the narrowphase settled its pairs.

#include <talus/ids.h>
#include <talus/narrowphase/profile.h>

#include <cstddef>
#include <cstdint>

namespace talus {

/// The shape pair whose tests took longest in a step.
struct SlowestPair {
    BodyId body_a;                         ///< body of the larger shape; null: no pair was timed
    BodyId body_b;                         ///< body of the smaller shape; null: no pair was timed
    std::uint32_t shape_a = 0;             ///< index of the shape in body A
    std::uint32_t shape_b = 0;             ///< index of the shape in body B
    Rung rung = Rung::skip;                ///< the method that settled the pair
    double microseconds = 0.0;             ///< time of its tests
    std::uint32_t triangle = no_triangle;  ///< index of the triangle if one of the shapes is a mesh
};

/// What joints cost in a step. An articulation is a set of bodies that joints connect. Its joints are solved together, in
/// each sub-step by two passes (docs/profiling.md).
struct JointProfile {
    std::uint64_t articulations = 0;   ///< number of articulations with an awake body; only these are solved
    std::uint64_t joints = 0;          ///< number of their joints
    std::uint64_t rows = 0;            ///< number of the joints' scalar constraints, active or not
    std::uint64_t factorizations = 0;  ///< number of times that an articulation's matrix, or a part of it, was factored
    std::uint64_t rounds = 0;          ///< number of rounds of all passes, in all sub-steps
    /// Number of passes over an articulation that was solved alone, in all sub-steps. The others were solved side by side
    /// with articulations that have the same tree and the same kinds of joints.
    std::uint64_t passes_alone = 0;
    double microseconds = 0;  ///< time of the two passes, summed over the threads
    /// Time in which contacts were solved through joints, us, summed over the threads. It is not part of `microseconds`.
    double coupled_microseconds = 0;
    BodyId slowest_body;              ///< a body of the slowest articulation; null without Timing::pairs
    double slowest_microseconds = 0;  ///< time of the passes of the slowest articulation; 0 without Timing::pairs

    /// Adds counts and times. The slowest articulation becomes the slower one of the two.
    JointProfile& operator+=(const JointProfile& other);
};

/// Hashes of the world after each stage of a step. They cover bodies, pairs, contacts and the contacts' impulses. If
/// two runs that should agree do not, the first hash that differs names the stage in which they part.
struct StageHashes {
    std::uint64_t pairs = 0;       ///< after the stage `pairs`
    std::uint64_t collide = 0;     ///< after the stage `collide`
    std::uint64_t graph = 0;       ///< after the stage `graph`
    std::uint64_t solve = 0;       ///< after the stage `solve`
    std::uint64_t continuous = 0;  ///< after the stage `continuous`
    std::uint64_t finish = 0;      ///< after the stage `finish`
    std::uint64_t publish = 0;     ///< after the stage `publish`
};

/// How long the stages of a step would have taken, us, if each thread of Jobs::simulate had a processor of its own. What
/// it takes to wake threads, to wait for their signals, and to move data between their caches is left out.
struct StageSpans {
    double total = 0;       ///< all stages
    double pairs = 0;       ///< the stage `pairs`
    double collide = 0;     ///< the stage `collide`
    double graph = 0;       ///< the stage `graph`
    double solve = 0;       ///< the stage `solve`
    double continuous = 0;  ///< the stage `continuous`
    double finish = 0;      ///< the stage `finish`
    double publish = 0;     ///< the stage `publish`
};

/// Times (us) and counts of the last step. docs/architecture.md describes the stages.
struct FrameProfile {
    std::uint64_t frame = 0;         ///< number of the step; a world's first step is 1
    double start = 0;                ///< time at which the step began, us, by a monotonic clock with an arbitrary zero
    double total = 0;                ///< the whole step: the seven stages that follow, and reading clocks
    double pairs = 0;                ///< stage: broadphase update, body pairs that begin and end
    double collide = 0;              ///< stage: narrowphase over the active pairs
    double graph = 0;                ///< stage: touching contacts, woken islands, colours
    double solve = 0;                ///< stage: velocities, impulses and poses, in sub-steps
    double continuous = 0;           ///< stage: sweeps of fast bodies
    double finish = 0;               ///< stage: boxes for the broadphase, islands that fall asleep
    double publish = 0;              ///< stage: events and the profile
    double broadphase = 0;           ///< part of `pairs` and `finish` that the broadphase took
    std::uint32_t bodies = 0;        ///< bodies in the world
    std::uint32_t awake_bodies = 0;  ///< awake bodies
    std::uint32_t broadphase_pairs = 0;  ///< pairs of fat AABBs that overlap
    std::uint32_t convex_pairs = 0;      ///< shape pairs in the narrowphase, plus body pairs whose spheres are apart
    std::uint32_t touching_pairs = 0;    ///< shape pairs that were solved in this step
    std::uint32_t contact_points = 0;    ///< contact points that were solved in this step
    std::uint32_t renewed_contacts = 0;  ///< contacts tested again within the step, after their bodies moved far
    std::uint32_t stiff_groups = 0;      ///< groups of contacts under heavy load that were solved directly
    std::uint64_t stiff_work = 0;        ///< what that took, in products of two 6 x 6 matrices, of about 40 ns each
    std::uint32_t substeps = 0;          ///< number of sub-steps: see WorldDef::substeps; high walls need more
    std::uint32_t swept_bodies = 0;      ///< bodies that continuous collision swept along their motion
    std::uint32_t impacts = 0;           ///< impacts that continuous collision found
    std::uint32_t islands = 0;           ///< islands of awake bodies
    std::uint32_t colors = 0;            ///< colours of the constraint graph
    std::uint32_t slabs = 1;             ///< parts of space that threads solved side by side
    float max_penetration = 0;           ///< greatest penetration of the solved points, m, >= 0
    float mean_penetration = 0;          ///< mean penetration of the solved points, m; separated points count as 0
    double kinetic_energy = 0;           ///< of awake bodies, J
    NarrowphaseProfile narrowphase;      ///< how the narrowphase settled its pairs
    JointProfile joints;                 ///< what joints cost
    SlowestPair slowest;                 ///< among the pairs that were timed one by one (see Timing)
    StageSpans span;                     ///< with Jobs::simulate, if steps are timed; else 0
    StageHashes hashes;                  ///< if WorldDef::hash_stages is set, else 0
    double timing = 0;                   ///< part of `total` that reading the clock took, us: an estimate
    /// Number of times the operating system took the processor from the calling thread during this step. Times of such
    /// a frame say more about the machine than about Talus. With Timing::pairs on Linux; else 0.
    std::uint32_t interruptions = 0;
};

/// Heap memory in use, bytes.
struct MemoryStats {
    std::size_t bodies = 0;      ///< bodies
    std::size_t shapes = 0;      ///< shapes and their boxes
    std::size_t broadphase = 0;  ///< the broadphase
    std::size_t contacts = 0;    ///< body pairs and contacts
    std::size_t joints = 0;      ///< joints and their solver
    std::size_t solver = 0;      ///< contact solver, constraint graph and islands
    std::size_t hulls = 0;       ///< hulls of the bodies' shapes; a shared one counts once
    std::size_t meshes = 0;      ///< meshes and height fields of the bodies' shapes; a shared one counts once
    /// Sum of all.
    std::size_t total() const { return bodies + shapes + broadphase + contacts + joints + solver + hulls + meshes; }
};

}  // namespace talus
