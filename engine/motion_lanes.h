#pragma once
/// What integration needs of bodies, as lanes over consecutive solver bodies. Plain data: see solver_kernel.h.

#include <talus/lanes.h>

namespace talus {

template <class F>
struct MotionLanes {
    Vec3Lanes<F> acceleration;          ///< from gravity and forces, m/s^2
    Vec3Lanes<F> angular_acceleration;  ///< from torques, rad/s^2
    F linear_damping, angular_damping;  ///< factors a sub-step
    F turn_x, turn_y, turn_z, turn_w;   ///< rotation since the start of the step, a quaternion

    F gyroscopic;  ///< 1 for dynamic bodies whose inertia is not a ball's; the rest is theirs alone
    SymmetricLanes<F> inertia, inverse_inertia;  ///< at the start of the step, world, kg m^2 and its inverse
    Vec3Lanes<F> momentum;                       ///< angular, world, N m s
    /// The angular velocity that the solver was given: what differs from it is impulse, rad/s.
    Vec3Lanes<F> handed_out;
};

}  // namespace talus
