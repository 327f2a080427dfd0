#pragma once
/// Internal: the solver's inner loops. They are compiled twice, for every processor with four lanes and for AVX2 with
/// eight, and both give the same bits. The kernel that runs is chosen at run time.
///
/// Plain data only: the files compiled for AVX2 include neither glm nor the standard library, because the linker could
/// use the AVX2 code of their inline functions everywhere. So records are passed as addresses. The caller knows their
/// size, and where it writes a lane field it treats it as an array of floats (LaneArray).

#include "engine/bodies/solver_body.h"

namespace talus {

/// A lane field, as code that is not compiled for wide registers sees it.
template <int width>
struct alignas(4 * width) LaneArray {
    float at[width];
    float& operator[](int lane) { return at[lane]; }
    float operator[](int lane) const { return at[lane]; }
};

/// The data from which `prepare` fills one lane.
struct ContactSource {
    unsigned a, b;  ///< solver indices
    unsigned contact;
    // World positions, three doubles; one more double is read.
    const double *place_a, *place_b;       ///< of the colliders
    const double *center_a, *center_b;     ///< of mass; of a body that is not in the step, its collider's position
    const float *rotation_a, *rotation_b;  ///< of the colliders, x y z w
    const float* normal;                   ///< unit, in A's shape frame; one more float is read
    const float* points;                   ///< `count` rows of eight floats: on_a (3), on_b (3), separation, unused
    /// Three rows of four floats: impulses | friction, restitution, radius of the contact disc, twist | friction
    /// impulse, slop.
    const float* state;
    unsigned count;
    const float* lever_motion;  ///< the rows of a LeverMotion, or null
};

/// Input of all passes over contacts.
struct ContactPassInput {
    SolverBody* bodies;
    void* records;       ///< the first of consecutive ContactLanes
    void* points;        ///< all points
    void* surfaces;      ///< all surfaces
    unsigned count;      ///< number of records
    float substep;       ///< s
    float least_blow;    ///< growth of a load beyond doubling above which it is a blow, as a speed, m/s
    float least_bounce;  ///< approach speed below which nothing bounces, m/s
};

/// Where `store` writes impulses: the state of contact k is at the address starts[k >> page_bits] + k * stride.
struct ContactTargets {
    const __UINTPTR_TYPE__* starts;
    unsigned page_bits, stride;
    // Offsets in a state, bytes: rows of four, four, four (twist, friction) and three floats.
    unsigned impulses, step_impulses, twist_and_friction, step_friction;
};

/// Input of all passes over bodies: `count` groups with one body per lane, in the order of solver indices.
struct MotionPassInput {
    SolverBody* bodies;  ///< of the first group
    void* motions;       ///< MotionLanes of the first group
    unsigned count;      ///< groups
    float substep;       ///< s
    float max_speed;     ///< m/s
    bool finds_stale;    ///< find bodies whose rotation makes it necessary to test their contacts again
};

struct SolverKernel {
    unsigned lanes, record_bytes, point_bytes, surface_bytes, motion_bytes;

    /// Fills a record and its points from used <= lanes sources, except for indices, flags, spring and `surface`.
    void (*prepare)(void* record, void* points, const ContactSource* sources, unsigned used, const SolverMass* masses);
    /// Fills the data of special surfaces. `sources` has four rows of four floats per lane: velocity of B's surface
    /// minus A's | tangent | rolling impulse | grip along the tangent, grip across it, rolling arm.
    void (*prepare_surface)(void* record, void* surface, const float* sources, unsigned used);

    using ContactPass = void(const ContactPassInput&);
    ContactPass *warm_start, *solve, *relax, *begin_restitution, *end_restitution;
    /// One pass of restitution. Returns whether it has changed any impulse. If not, it would change nothing again.
    bool (*bounce)(const ContactPassInput&);

    /// Writes one bit per lane for each record. It is set if the contact must be tested again before a blow: its
    /// surfaces have been displaced along each other by more than slide_limit, and the blow comes in the rest of this
    /// sub-step or in the next one.
    void (*find_struck_after_sliding)(const ContactPassInput&, unsigned* lanes);
    /// Writes impulses back to the contacts, except those of rolling.
    void (*store)(const ContactPassInput&, const ContactTargets&);

    using MotionPass = void(const MotionPassInput&);
    MotionPass *integrate_velocities, *integrate_positions;
    /// Adds the effect of the last sub-step's impulses to the angular velocities of gyroscopic bodies.
    MotionPass* end_spins;
    MotionPass* find_gains;  ///< finds the energy that bodies have gained in the sub-step
    /// Note the velocities before the restitution passes, and find the energy that bodies have gained in these.
    MotionPass *note_calm, *find_bounce_gains;
};

extern const SolverKernel solver_kernel_base, solver_kernel_avx2;

}  // namespace talus
