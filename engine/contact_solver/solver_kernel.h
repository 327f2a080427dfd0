#pragma once
/// Internal: the solver's inner loops, compiled twice: for SSE2 with four lanes, for AVX2 with eight, to the same bits;
/// which ones run is chosen at run time.
///
/// Plain data only: the files compiled for AVX2 include neither glm nor the standard library, whose inline functions
/// the linker could keep from there for everybody. So records are passed as addresses; the host knows their size and,
/// where it writes fields, sees a lane field as an array of floats (LaneArray).

#include "engine/bodies/solver_body.h"

namespace talus {

/// A wide field to code that was not compiled for wide registers.
template <int width>
struct alignas(4 * width) LaneArray {
    float at[width];
    float& operator[](int lane) { return at[lane]; }
    float operator[](int lane) const { return at[lane]; }
};

/// What `prepare` reads of the contact in one lane.
struct ContactSource {
    unsigned a, b;  ///< solver bodies
    unsigned contact;
    const float* pose_a;  ///< of the collider: position, rotation as x y z w
    const float* pose_b;
    const float* normal;  ///< unit, in A's shape frame; one more float is read
    const float* points;  ///< `count` rows of eight floats: on_a, on_b, separation, and one that is not used
    /// Three rows of four: impulses | friction, restitution, patch arm, twist | friction impulse, slop.
    const float* state;
    unsigned count;
    float turns_with_a, turns_with_b;
};

/// What the passes over contacts share.
struct ContactPassInput {
    SolverBody* bodies;
    void* records;       ///< the first of a run of ContactLanes
    void* points;        ///< all of them
    void* surfaces;      ///< all of them
    unsigned count;      ///< records
    float substep;       ///< s
    float least_blow;    ///< speed that a load's growth may stop beyond doubling, m/s
    float least_bounce;  ///< approach speed below which nothing bounces, m/s
};

/// Where `store` writes the impulses of contacts: the state of contact k is at states + k * stride.
struct ContactTargets {
    unsigned char* states;
    unsigned stride;
    // Offsets in a state, bytes: rows of four, four, four (twist, friction) and three floats.
    unsigned impulses, step_impulses, twist_and_friction, step_friction;
};

/// What the passes over bodies share: `count` groups of as many bodies as lanes, from body 0 on.
struct MotionPassInput {
    SolverBody* bodies;  ///< of the first group
    void* motions;       ///< MotionLanes of the first group
    unsigned count;      ///< groups
    float substep;       ///< s
    float max_speed;     ///< m/s
    unsigned substeps;   ///< how often `coast` is to integrate
    bool finds_stale;    ///< somebody asks which bodies have turned farther than their contacts bear
};

struct SolverKernel {
    unsigned lanes, record_bytes, point_bytes, surface_bytes, motion_bytes;

    /// Fills a record and its points but for indices, flags, spring and `surface`, from used <= lanes sources.
    void (*prepare)(void* record, void* points, const ContactSource* sources, unsigned used, const SolverMass* masses);
    /// ...and what surfaces add to a record; `sources` as rows of four floats a lane: velocity of B's surface against
    /// A's | tangent | rolling impulse | grip along the tangent, across it, rolling arm.
    void (*prepare_surface)(void* record, void* surface, const float* sources, unsigned used);

    using ContactPass = void(const ContactPassInput&);
    ContactPass *warm_start, *solve, *relax, *begin_restitution, *bounce, *end_restitution;

    /// Writes for each record the lanes, one bit each, to which a blow comes in what is left of the sub-step or in the
    /// next one, after their surfaces have moved along each other by more than slide_limit.
    void (*find_struck_after_sliding)(const ContactPassInput&, unsigned* lanes);
    /// Writes impulses back to the contacts, those of rolling excepted.
    void (*store)(const ContactPassInput&, const ContactTargets&);

    using MotionPass = void(const MotionPassInput&);
    MotionPass *integrate_velocities, *integrate_positions;
    MotionPass* end_spins;   ///< after the last sub-step: what its impulses have made of the spins of gyroscopic bodies
    MotionPass* find_gains;  ///< of energy, in the sub-step
    MotionPass *note_calm, *find_bounce_gains;  ///< before what bounces does; the same with that
    MotionPass* coast;  ///< both, `substeps` times, for bodies that nothing touches and whose inertia is a ball's
};

extern const SolverKernel solver_kernel_sse2, solver_kernel_avx2;

}  // namespace talus
