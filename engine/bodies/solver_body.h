#pragma once
/// The part of a body that the solver's loops touch. Plain data: files compiled for AVX2 include this
/// (solver_kernel.h).

namespace talus {

/// Velocities, and displacement since the start of the step: one cache line, gathered four or eight bodies at a time.
/// Index 0 stands for everything that is not awake and dynamic or kinematic: zero velocity, never written.
struct alignas(64) SolverBody {
    float velocity[4] = {};          ///< of the centre of mass, m/s
    float angular_velocity[4] = {};  ///< world axes, rad/s
    float displacement[4] = {};      ///< of the centre of mass, m
    float turn[4] = {};              ///< sum of angular velocity times time, rad: to first order, the rotation
};

/// What the solver needs to know of a body that does not change within a step; as four rows of four floats.
struct alignas(64) SolverMass {
    float center[3] = {};           ///< world, at the start of the step, m
    float least_response = 0.0f;    ///< of a body with locked axes: see settings::locked_response, 1/kg
    float inverse_mass[3] = {};     ///< along the world's axes, 1/kg: 0 along locked ones
    float inverse_inertia[6] = {};  ///< world: xx, yy, zz, xy, xz, yz, 1/(kg m^2)
    float gravity[3] = {};          ///< its gravitational acceleration, m/s^2; zero unless dynamic
};

}  // namespace talus
