#pragma once
/// The part of a body that the solver's loops read and write. Plain data, because files that are compiled for AVX2
/// include this (solver_kernel.h).

namespace talus {

/// The velocities of a body and its displacement since the start of the step, in one cache line. The loops read four or
/// eight bodies at a time. Index 0 stands for all bodies that do not move in the step: fixed and sleeping ones. Its
/// velocity is zero and is never written.
struct alignas(64) SolverBody {
    float velocity[4] = {};          ///< of the centre of mass, m/s
    float angular_velocity[4] = {};  ///< world axes, rad/s
    float displacement[4] = {};      ///< of the centre of mass, m
    float turn[4] = {};              ///< sum of angular velocity times time, rad: the rotation to first order
};

/// The velocities of a body at the start of the step. Those of its SolverBody change within the step, these do not.
struct StartVelocity {
    float linear[3] = {};   ///< of the centre of mass, m/s
    float angular[3] = {};  ///< world axes, rad/s
};

/// What decides without a look at the body whether its motion in a step may have been fast (swept_bodies.h).
struct MotionLimit {
    float radius = 0.0f;  ///< of the bounding sphere around the centre of mass, m
    float most_squared =
        0.0f;  ///< the square of what is not fast, m^2; infinite for a body that is never swept, -1 for
               ///< a kinematic one
};

/// Data of a body that are constant within a step, as four rows of four floats.
struct alignas(64) SolverMass {
    /// If axes are locked, the response that counts as none (settings::locked_response), 1/kg.
    float least_response = 0.0f;
    float unused[3] = {};           ///< the kernels read rows of four floats
    float inverse_mass[3] = {};     ///< along the world's axes, 1/kg; 0 along locked ones
    float inverse_inertia[6] = {};  ///< world: xx, yy, zz, xy, xz, yz, 1/(kg m^2)
    float gravity[3] = {};          ///< its gravitational acceleration, m/s^2; zero unless dynamic
};

}  // namespace talus
