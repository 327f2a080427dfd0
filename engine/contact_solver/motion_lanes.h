#pragma once
/// Data of bodies that integration needs: lanes over consecutive solver bodies. Plain data: solver_kernel.h says why.

#include "common/lanes/lanes.h"

namespace talus {

template <class F>
struct MotionLanes {
    Vec3Lanes<F> acceleration;          ///< from gravity and forces, m/s^2
    Vec3Lanes<F> angular_acceleration;  ///< from torques, rad/s^2
    F linear_damping, angular_damping;  ///< factors per sub-step
    F max_spin;                         ///< rad/s
    F turn_x, turn_y, turn_z, turn_w;   ///< rotation since the start of the step, a quaternion

    // Rotation of the body since its contacts were found (substep_contacts.h).
    Vec3Lanes<F> first_own_axis;       ///< its first principal axis at the start of the step, unit, world
    Vec3Lanes<F> own_axis;             ///< the same axis when its contacts were found
    Vec3Lanes<F> turn_then;            ///< SolverBody::turn when its contacts were found, rad
    F stale_by_spin2, stale_by_tilt2;  ///< squares of Body's values, 1/rad^2
    F stale;                           ///< 1: the body has rotated so far that its contacts must be tested again
    unsigned any_stale;                ///< `stale` is 1 in some lane

    // Change of the body's energy in a sub-step (energy_bound.h). Zero for bodies that can't be pushed.
    F mass;                               ///< kg
    Vec3Lanes<F> torque;                  ///< the user's, N m
    Vec3Lanes<F> moments;                 ///< of inertia about the principal axes, kg m^2
    F axes_x, axes_y, axes_z, axes_w;     ///< the principal axes at the start of the step, world, a quaternion
    Vec3Lanes<F> old_velocity, old_spin;  ///< at the start of the sub-step, m/s and rad/s
    F old_turn_x, old_turn_y, old_turn_z, old_turn_w;  ///< the rotation at the start of the sub-step
    F old_energy;                                      ///< kinetic energy at the start of the sub-step, J
    Vec3Lanes<F> moving_velocity;                      ///< velocity that moved the body in this sub-step, m/s
    Vec3Lanes<F> calm_velocity, calm_spin;             ///< before the restitution passes, m/s and rad/s
    F energy;                                          ///< kinetic energy at the end of the sub-step, J
    F gain;                                            ///< the part of it that exceeds the bound, J
    unsigned any_gain;                                 ///< `gain` is positive in some lane

    F jointed;  ///< 1 for jointed bodies
    /// 1 for dynamic bodies whose inertia is not a multiple of the identity; the fields below are theirs
    F gyroscopic;
    /// The principal axes in the world when the body's contacts were found, a quaternion: the solver uses the inertia
    /// that the body had then.
    F then_x, then_y, then_z, then_w;
    Vec3Lanes<F> inverse_moments;  ///< 1/(kg m^2); y is the reference moment of free_turn.h
    Vec3Lanes<F> momentum;         ///< angular momentum, world, N m s
    /// The angular velocity that was given to the solver, rad/s. The difference from the present one is the effect of
    /// impulses.
    Vec3Lanes<F> handed_out;
};

}  // namespace talus
