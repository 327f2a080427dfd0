#pragma once
/// Bounds the energy of islands: contacts must not do work. After each sub-step's relaxation, the impulses of an island
/// that has gained energy are scaled down.
///
/// Contacts without restitution can only take kinetic energy from the bodies that they push. That is true for the exact
/// impulses of a sub-step, but iterations that have not converged do not find these. They start from the impulses of
/// the last sub-step, which also pushed overlaps apart. An example is a pebble that is wedged between the ground and a
/// ton: in each iteration the pebble moves according to its own small mass, so an impulse that has become too large
/// falls by only a twentieth in a sub-step, and meanwhile throws the ton off. More iterations do not help: with eight
/// times as many, as many random worlds gained energy as before.
///
/// So the rule is enforced. For an island with the kinetic energy E0 at the sub-step's start,
///
///     E <= E0 + h F v
///
/// with F v the power of gravity and of the user's forces at the velocities at the sub-step's end. (With the velocities
/// at which bodies move, pushing overlaps apart would count as falling.) The exact impulses keep E by h^2 F^2 / 2 m
/// below this bound. For a body with joints, whose velocity changes its direction, the power at the sub-step's start is
/// used if it is larger (find_gains, solver_kernel_motion.h). If the bound is exceeded, all impulses of the island are
/// scaled by the largest s <= 1 that satisfies it; E is quadratic in s. Scaled impulses still push and never pull, stay
/// within their friction cones, and are opposite on both bodies, so momentum is conserved. The remaining error is left
/// to the next sub-step. In random worlds, some 0.5% of the islands are scaled in a sub-step.
///
/// One factor for a whole island is coarse, because contacts far from the error lose some of their impulse, too. In a
/// pyramid of 5,050 boxes, where some row has never converged, this led to a collapse within 1,000 steps. So an island
/// of more than settings::energy_most_bodies bodies is scaled only if its gain shows that it cannot be at rest: the
/// gain exceeds settings::energy_large_gain times its kinetic energy, and also the energy that its bodies have at the
/// speed settings::energy_large_speed. (In a random world, a needle of 8 g gave an island of 38 bodies 50,000 times the
/// energy of all of them.)
///
/// Springs, motors and drives of joints may do work, and so may friction on moving surfaces: their work is added to the
/// bound (JointSolver::work, ContactSolver::find_belt_work). Islands that moving kinematic bodies push or pull have a
/// much wider bound: exempt_driven_islands(). (When the work of kinematic contacts was added to the bound in the same
/// way, a gear let its wheels slip and threw them back, and a body left a moving room. Without any bound, one of 150
/// rows of five welded boxes that were crushed at 0.3 m/s left at 2,300 m/s.)
///
/// Restitution comes afterwards and has a bound of its own: Newton's law of restitution creates energy if a body
/// strikes with friction (Kane and Levinson 1985) or at several points at once. Semi-implicit Euler conserves E + V + h
/// F v / 2 in free flight, with V the potential energy, so that
///
///     E + h F v / 2  <=  E0 + h F v0 / 2 + h F v1
///
/// with v0 the velocities at the sub-step's start, v1 the velocities with which it moved the bodies, and v the
/// velocities after restitution. If this bound is exceeded, the impulses of restitution in the island are scaled.
/// Bodies at rest do not depend on them, so islands of any size are bounded.

#include "engine/bodies/body_motions.h"
#include "engine/contact_solver/contact_solver.h"
#include "engine/joint_solver/joint_solver.h"
#include "engine/solve/solve_input.h"
#include "engine/solve/solver_bodies.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// Each function is called once per sub-step, on one thread. Nothing but memory is kept across sub-steps.
class EnergyBound {
public:
    /// Scales impulses and velocities of islands that have gained energy by solving. Called after relaxation.
    void bound_iterations(const SolveInput& in, SolverBodies& moving, ContactSolver& solver, JointSolver& joint_solver);
    /// Scales the impulses of restitution, and the velocities that they have changed, in islands that have gained
    /// energy by them. Called after restitution.
    void bound_bounces(const SolveInput& in, SolverBodies& moving, ContactSolver& solver, JointSolver& joint_solver);

    std::size_t bytes() const;

private:
    /// Sums over the bodies of an island.
    struct Gain {
        double gain = 0.0;     ///< gain of energy, J
        double kinetic = 0.0;  ///< kinetic energy, J
        double mass = 0.0;     ///< kg
        double least = 0.0;    ///< gains up to this are allowed, J
        std::uint32_t bodies = 0;
    };
    /// How an island's energy depends on its impulses, and the part of them that it keeps.
    struct Bound {
        /// Without a part s of its impulses, the island has s linear - s^2 quadratic less energy, J.
        double linear = 0.0, quadratic = 0.0;
        double work = 0.0;  ///< work of springs, motors, drives and moving surfaces, J
        float kept = 1.0f;  ///< the part of its impulses that the island keeps
    };

    bool find_gaining_islands(const SolveInput& in, const SolverBodies& moving, bool by_bounces);
    void pass_over_small_gain(std::uint32_t root);
    bool exceeds_work(const SolveInput& in, JointSolver& joint_solver, std::span<const ContactSolver::BeltWork> belts);
    void exempt_driven_islands(const SolveInput& in, const SolverBodies& moving);
    template <class Visit>
    void for_each_gaining(const SolveInput& in, Visit&& visit);
    void keep_parts(const SolveInput& in, SolverBodies& moving, JointSolver& joint_solver);

    std::vector<Gain> gains_;                      ///< by solver index of the island's root
    std::vector<std::uint32_t> gaining_;           ///< the roots of the islands that gained
    std::vector<Bound> bounds_;                    ///< by solver index of the island's root
    std::vector<BodyMotions::Unpushed> unpushed_;  ///< by solver index: velocities without the impulses that are scaled
    std::vector<float> kept_impulses_;             ///< by solver index: the part that its island keeps
};

}  // namespace talus
