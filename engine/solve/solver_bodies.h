#pragma once
/// The bodies of a step as the solver moves them: velocities, masses and integration lanes, by solver index.
///
///     begin():  Body (by slot)  ->  SolverBody, SolverMass, BodyMotion
///     run():    a pass of the kernels over whole groups: gravity, damping, positions, checks
///     end():    SolverBody      ->  Body
///
/// Between begin() and end(), the bodies in the store keep their poses of the start of the step. A free body
/// (solver_indices.h) is moved by one call instead, so that its data pass through the cache once:
///
///     move_freely():  Body  ->  Body, and SolverBody for those that ask how far it has moved
///
/// Nothing but memory is kept across frames. Different threads may work on different indices.

#include "engine/bodies/body_motions.h"
#include "engine/bodies/body_store.h"
#include "engine/bodies/solver_body.h"
#include "engine/contact_solver/contact_solver.h"
#include "engine/solve/solver_indices.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// The values that are the same for all bodies and sub-steps of a step.
struct SolverStep {
    vec3 gravity{0.0f};      ///< m/s^2
    float max_speed = 0.0f;  ///< WorldDef::max_speed, m/s
    float substep = 0.0f;    ///< s
    int substeps = 1;
    /// Some contacts may get stale within the step (substep_contacts.h).
    bool finds_stale = false;
};

class SolverBodies {
public:
    /// Makes room for all solver indices. begin() or move_freely() must be called for each of them.
    void reset(const SolverIndices& indices, const SolverStep& step);
    /// Reads a body from the store. Limits its velocities, and removes their components along locked axes.
    void begin(std::uint32_t index, const SolverIndices& indices, BodyStore& bodies);
    /// Moves a free body through the whole step.
    void move_freely(std::uint32_t index, const SolverIndices& indices, BodyStore& bodies);
    /// Writes a body's pose and velocities back to the store.
    void end(std::uint32_t index, const SolverIndices& indices, BodyStore& bodies) const;

    /// Runs a pass over the indices first to last - 1. Both must be multiples of SolverIndices::group_size.
    void run(BodyMotions::Pass pass, std::uint32_t first, std::uint32_t last) {
        motions_.run(pass, first, last, bodies_, step_.substep, step_.max_speed);
    }

    const SolverStep& step() const { return step_; }
    std::span<SolverBody> bodies() { return bodies_; }
    std::span<const SolverBody> bodies() const { return bodies_; }
    /// Of bodies that are not free, and so are centers(), start_velocities() and motions().
    std::span<SolverMass> masses() { return masses_; }
    std::span<const SolverMass> masses() const { return masses_; }
    /// The centres of mass at the start of the step, or where the body's contacts were last tested, m.
    std::span<dvec3> centers() { return centers_; }
    std::span<const dvec3> centers() const { return centers_; }
    std::span<const StartVelocity> start_velocities() const { return start_velocities_; }
    std::span<const MotionLimit> limits() const { return limits_; }
    BodyMotions& motions() { return motions_; }
    const BodyMotions& motions() const { return motions_; }
    SolverBody& operator[](std::uint32_t index) { return bodies_[index]; }
    const SolverBody& operator[](std::uint32_t index) const { return bodies_[index]; }

    /// Returns the present rotation of a body in the solve, of unit length except for rounding. `body` is the one in
    /// the store.
    glm::dquat rotation(std::uint32_t index, const Body& body) const {
        return glm::dquat(motions_.turn(index)) * body.exact_rotation;
    }
    /// Returns the angular momentum (N m s) that a body has with this angular velocity (rad/s) at its present rotation
    /// in the solve.
    glm::dvec3 angular_momentum(std::uint32_t index, const Body& body, const glm::dvec3& angular_velocity) const;

    std::size_t bytes() const;

private:
    SolverStep step_;
    std::vector<SolverBody> bodies_;
    std::vector<MotionLimit> limits_;
    std::vector<SolverMass> masses_;
    std::vector<dvec3> centers_;
    std::vector<StartVelocity> start_velocities_;
    BodyMotions motions_{best_solver_kernel()};
};

/// Writes a symmetric matrix as the solver's kernels read it.
void put_inverse_inertia(SolverMass& mass, const mat3& inverse_inertia);

}  // namespace talus
