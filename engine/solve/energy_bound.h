#pragma once
/// Contacts do no work: after each sub-step's relaxation, the energy of islands where they have is brought back.
///
/// Contacts without restitution can only take kinetic energy from the bodies that they push. That holds for the exact
/// impulses of a sub-step. Sweeps that have not converged do not find those: they are warm started with the impulses of
/// the sub-step before, and with what these pushed for overlap. A pebble wedged between the ground and a ton gives way by
/// its own small mass in each sweep, so that an impulse that was right a moment ago falls by a twentieth in a sub-step,
/// and throws the ton off meanwhile. More sweeps are no cure: eight times as many left as many random worlds with energy
/// from nowhere.
///
/// So the rule is kept as a rule. For an island with the kinetic energy E0 at the sub-step's start,
///
///     E <= E0 + h F v
///
/// with F v the power of gravity and of the user's forces at the velocities at its end. (At the velocities with which bodies
/// move, overlap that is pushed out would count as a fall.) The exact impulses leave it h^2 F^2 / 2 m below that. For a body
/// on joints whose velocity turns, the power at its start counts if it is more (find_gains, solver_kernel_motion.h).
/// Where it is broken, all impulses of the island are scaled by the largest s <= 1 with which it holds. E is quadratic in
/// s. Scaled impulses still push and do not pull, are within their limits of friction, and act on either body alike:
/// momentum is conserved. What they then leave unsolved is left to the next sub-step. In random worlds some 0.5% of
/// the islands are bounded in a sub-step.
///
/// One factor for a whole island is coarse: what rests far from the fault loses some of its support, too. A pyramid of
/// 5,050 boxes, of which always some row has not converged, fell within 1,000 steps. So islands of more than
/// settings::energy_most_bodies bodies are left alone, unless they gain so much that nothing in them can be at rest:
/// settings::energy_large_gain of what they have, and what makes all of them settings::energy_large_speed fast. (In a
/// random world a needle of 8 g gave an island of 38 bodies 50,000 times the energy that all of them had.)
///
/// Springs, motors and drives of joints may do work, and so may friction on surfaces that run: it counts as put in
/// (JointSolver::work, ContactSolver::find_belt_work). Islands that moving kinematic bodies push or pull are not bounded
/// in this way. (With the work of such contacts counted likewise, a gear let its wheels slip and threw them back, and a room
/// that flew about lost a body.) Their bound is much wider: exempt_driven_islands(). Without it, one of 150 rows of five
/// welded boxes that were crushed at 0.3 m/s left at 2,300 m/s.
///
/// Bounces come afterwards, and have a bound of their own: Newton's law of restitution makes energy where a body strikes
/// with friction (Kane and Levinson 1985), or at several points at once. Semi-implicit Euler conserves
/// E + V + h F v / 2 in free flight, with V the potential energy, so that
///
///     E + h F v / 2  <=  E0 + h F v0 / 2 + h F v1
///
/// with v0 the velocities at the sub-step's start, v1 those with which it moved the bodies, and v those after the
/// bounce. Where it is broken, what bounces changed in the island is scaled. What rests does not depend on it, so that
/// islands of any size are bounded.

#include "engine/bodies/body_motions.h"
#include "engine/contact_solver/contact_solver.h"
#include "engine/joint_solver/joint_solver.h"
#include "engine/solve/solve_input.h"
#include "engine/solve/solver_bodies.h"

#include <cstdint>
#include <vector>

namespace talus {

/// Once per sub-step each, on one thread. Nothing lives across sub-steps but memory.
class EnergyBound {
public:
    /// After relaxation: scales the impulses and velocities of islands whose energy has grown by solving.
    void bound_iterations(const SolveInput& in, SolverBodies& moving, ContactSolver& solver, JointSolver& joint_solver);
    /// After restitution: scales what bounces have changed in islands whose energy they have raised.
    void bound_bounces(const SolveInput& in, SolverBodies& moving, ContactSolver& solver, JointSolver& joint_solver);

    std::size_t bytes() const;

private:
    /// Sums over the bodies of an island.
    struct Gain {
        double gain = 0.0;     ///< of energy, J
        double kinetic = 0.0;  ///< energy, J
        double mass = 0.0;     ///< kg
        double least = 0.0;    ///< a smaller gain is passed over, J
        std::uint32_t bodies = 0;
    };
    /// What an island keeps.
    struct Bound {
        double linear = 0.0,
               quadratic = 0.0;  ///< without a part s of its impulses it has s linear - s^2 quadratic less, J
        double work = 0.0;       ///< put in by springs, motors, drives and belts, J
        float kept = 1.0f;       ///< part of its impulses
    };

    bool find_gaining_islands(const SolveInput& in, const SolverBodies& moving, bool by_bounces);
    void pass_over_small_gain(std::uint32_t root);
    void exempt_driven_islands(const SolveInput& in, const SolverBodies& moving);
    template <class Visit>
    void for_each_gaining(const SolveInput& in, Visit&& visit);
    void keep_parts(const SolveInput& in, SolverBodies& moving, JointSolver& joint_solver);

    std::vector<Gain> gains_;                      ///< by solver index of the island's root
    std::vector<std::uint32_t> gaining_;           ///< the roots of the islands that gained
    std::vector<Bound> bounds_;                    ///< by solver index of the island's root
    std::vector<BodyMotions::Unpushed> unpushed_;  ///< by solver index: velocities without what is scaled
    std::vector<float> kept_impulses_;             ///< by solver index: the part that its island keeps
};

}  // namespace talus
