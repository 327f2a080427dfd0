#pragma once
/// Impacts that continuous collision finds do not create energy.
///
/// The impulses of an impact do not: impact_impulses.h says why. Three other things did.
///
/// - A body that is stopped has the velocity of the end of the step, but not the height: it did not fall as far as the
///   solver took it to get that velocity. For a body in free flight ImpactResponse takes off what gravity would have
///   added. For a body that contacts or joints have pushed in the step that part is unknown, as it is for one that has
///   used up its impacts and loses the rest of its step.
///
/// - The impulses on a jointed body are found with the masses of the whole articulation (JointSolver::respond). Joints
///   pass them on without doing work only if the velocities of the links fit together. After the last sub-step they do
///   not: contacts are solved last, and a light limb that is squeezed leaves the contact at any speed. A limb of 2 kg,
///   fixed to 500 kg, turned at 190 rad/s by itself where it met a wall: an impact with the mass of both, to stop the
///   speed of one, gave 200 times the energy that they had. So the velocities are made to fit first (fit_velocities).
///   Like any inelastic impact, that conserves momentum and creates no energy.
///
/// - Links that are integrated implicitly respond with more inertia than they have (implicit_rotation.h), so that
///   the impulses themselves may add energy.
///
/// So the rule is enforced as a rule. From the state in which the solver has left the bodies to the end of the step,
///
///     kinetic + potential  <=  before  +  work of the other bodies that they hit
///
/// for a body without joints, and for an articulation as a whole. The excess is taken from the motion. If the body has
/// hit something fixed or kinematic, all of its motion is slowed evenly, so that it comes no nearer to that; else only
/// the motion of the links relative to each other, which conserves momentum. (As in energy_bound.h, the quantity that
/// stays constant in free flight is E + h F v / 2.)
///
/// The other body gets no more than the budget leaves: what it has been given cannot be taken back. (The energy that
/// impacts create in a light link between heavy ones grows with each impact of a step. A link of 0.4 kg, whose joints
/// were open by 1 m, gave 2 MJ to a body of 300 kg.)
///
/// The budgets of articulations are kept for one step.

#include "engine/continuous/continuous_input.h"
#include "engine/continuous/impact_impulses.h"

#include <cstdint>
#include <vector>

namespace talus {

/// The energy that a body or an articulation may have after the impacts of a step.
struct EnergyBudget {
    std::uint32_t slot = 0;  ///< of the body, or of the articulation's first link
    dvec3 origin{0.0};       ///< where potential energy is 0: a place of that body, on the grid (math.h), world, m
    double allowed = 0.0;    ///< kinetic and potential, J
    double lead = 0.0;       ///< before the impacts: what gravity adds in half a sub-step, h F v / 2, J
    bool anchored = false;   ///< it has hit something fixed or kinematic
};

class ImpactEnergies {
public:
    void clear() { of_articulations_.clear(); }

    /// Returns the budget of a body without joints, as it is now.
    static EnergyBudget body_budget(const ContinuousInput& in, const JointSolver& joint_solver, std::uint32_t slot);
    /// Returns the budget of the body's articulation. The first call in a step makes it, as the articulation is then.
    /// The reference is valid until the next call.
    EnergyBudget& articulation_budget(const ContinuousInput& in, const JointSolver& joint_solver, std::uint32_t slot);

    /// Makes the velocities of the body's articulation fit together, before an impact on one of its links.
    void fit_velocities(const ContinuousInput& in, ContinuousOutput& out, std::uint32_t slot);

    /// Returns the kinetic energy that the budget leaves to a body, or to its whole articulation, J. It may be
    /// negative.
    static double left(const ContinuousInput& in, const JointSolver& joint_solver, std::uint32_t slot,
                       bool articulation, const EnergyBudget& budget);

    /// Removes from the motion of a body, or of its whole articulation, the energy beyond the budget. Returns false if
    /// the motion has less than that: then it is stopped.
    static bool remove_excess(const ContinuousInput& in, ContinuousOutput& out, std::uint32_t slot, bool articulation,
                              const EnergyBudget& budget);

private:
    std::vector<EnergyBudget> of_articulations_;
};

/// Returns the work of an impact on a body, J, for a point of the body that moves like a rigid body with these
/// velocities (the mean of the velocities before and after the impact, or those of the obstacle).
double work_of_impact(const Body& body, const ImpactBody& before, const ImpactBody& after, const quat& rotation,
                      const vec3& linear_velocity, const vec3& angular_velocity);

}  // namespace talus
