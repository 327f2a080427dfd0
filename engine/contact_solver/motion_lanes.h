#pragma once
/// What integration needs of bodies, as lanes over consecutive solver bodies. Plain data: see solver_kernel.h.

#include "common/lanes.h"

namespace talus {

template <class F>
struct MotionLanes {
    Vec3Lanes<F> acceleration;          ///< from gravity and forces, m/s^2
    Vec3Lanes<F> angular_acceleration;  ///< from torques, rad/s^2
    F linear_damping, angular_damping;  ///< factors a sub-step
    F max_spin;                         ///< rad/s
    F turn_x, turn_y, turn_z, turn_w;   ///< rotation since the start of the step, a quaternion

    // How far the body has turned since its contacts were found (substep_contacts.cpp).
    Vec3Lanes<F> first_own_axis;       ///< its first principal axis at the start of the step, unit, world
    Vec3Lanes<F> own_axis;             ///< and when its contacts were found
    Vec3Lanes<F> turn_then;            ///< SolverBody::turn then, rad
    F stale_by_spin2, stale_by_tilt2;  ///< squares of Body's, 1/rad^2
    F stale;                           ///< 1: farther than its contacts bear
    unsigned any_stale;                ///< of these bodies

    // What a sub-step does to a body's energy (energy_bound.cpp). Zero for what can't be pushed.
    F mass;                                            ///< kg
    Vec3Lanes<F> torque;                               ///< of users, N m
    Vec3Lanes<F> moments;                              ///< of inertia about the principal axes, kg m^2
    F axes_x, axes_y, axes_z, axes_w;                  ///< those at the start of the step, world, a quaternion
    Vec3Lanes<F> old_velocity, old_spin;               ///< at the start of the sub-step, m/s and rad/s
    F old_turn_x, old_turn_y, old_turn_z, old_turn_w;  ///< then
    F old_energy;                                      ///< kinetic, then, J
    Vec3Lanes<F> moving_velocity;                      ///< with which the sub-step moved it, m/s
    Vec3Lanes<F> calm_velocity, calm_spin;             ///< before what bounces does, m/s and rad/s
    F energy;                                          ///< kinetic, at the end of the sub-step, J
    F gain;                                            ///< what of it is beyond what it may be, J
    unsigned any_gain;                                 ///< some of them is above 0

    F jointed;     ///< 1 for bodies that joints hold
    F gyroscopic;  ///< 1 for dynamic bodies whose inertia is not a multiple of the identity; only they use the rest
    /// The same when the body's contacts were found: the solver works with the inertia of then.
    F then_x, then_y, then_z, then_w;
    Vec3Lanes<F> inverse_moments;  ///< 1/(kg m^2); y is the reference moment of integrate.h
    Vec3Lanes<F> momentum;         ///< angular, world, N m s
    /// The angular velocity that the solver was given, rad/s: what the solver adds to it is an impulse.
    Vec3Lanes<F> handed_out;
};

}  // namespace talus
