#pragma once
/// The part of a body that the solver's inner loops touch: one cache line, gathered four bodies at a time.

#include <talus/lanes.h>
#include <talus/math.h>

#include <cstdint>
#include <vector>

namespace talus {

/// Velocities, and displacement since the start of the step. Index 0 stands for everything that is not awake and dynamic
/// or kinematic: zero velocity, never changed by impulses (its inverse mass is 0).
struct alignas(64) SolverBody {
    float velocity[4] = {};          ///< of the centre of mass, m/s
    float angular_velocity[4] = {};  ///< world axes, rad/s
    float displacement[4] = {};      ///< of the centre of mass, m
    float turn[4] = {};              ///< sum of angular velocity times time, rad: to first order, the rotation
};

template <class F>
struct VelocityLanes {
    Vec3Lanes<F> linear, angular;
};

inline Float4 load4(const float* p) {
    Float4 r;
    __builtin_memcpy(&r, p, sizeof r);
    return r;
}

inline void store4(float* p, Float4 v) { __builtin_memcpy(p, &v, sizeof v); }

inline Vec3Lanes<Float4> gather(const float* a, const float* b, const float* c, const float* d) {
    Float4 x = load4(a), y = load4(b), z = load4(c), w = load4(d);
    transpose(x, y, z, w);
    return {x, y, z};
}

inline VelocityLanes<Float4> gather_velocities(const SolverBody* bodies, const std::uint32_t* index) {
    const SolverBody &a = bodies[index[0]], &b = bodies[index[1]], &c = bodies[index[2]], &d = bodies[index[3]];
    return {gather(a.velocity, b.velocity, c.velocity, d.velocity),
            gather(a.angular_velocity, b.angular_velocity, c.angular_velocity, d.angular_velocity)};
}

/// Displacement and turn.
inline VelocityLanes<Float4> gather_motion(const SolverBody* bodies, const std::uint32_t* index) {
    const SolverBody &a = bodies[index[0]], &b = bodies[index[1]], &c = bodies[index[2]], &d = bodies[index[3]];
    return {gather(a.displacement, b.displacement, c.displacement, d.displacement),
            gather(a.turn, b.turn, c.turn, d.turn)};
}

/// Writes velocities back. Lanes that name body 0 write the zeros they read.
inline void scatter_velocities(SolverBody* bodies, const std::uint32_t* index, const VelocityLanes<Float4>& v) {
    Float4 x = v.linear.x, y = v.linear.y, z = v.linear.z, w = Float4{};
    transpose(x, y, z, w);
    store4(bodies[index[0]].velocity, x);
    store4(bodies[index[1]].velocity, y);
    store4(bodies[index[2]].velocity, z);
    store4(bodies[index[3]].velocity, w);
    x = v.angular.x, y = v.angular.y, z = v.angular.z, w = Float4{};
    transpose(x, y, z, w);
    store4(bodies[index[0]].angular_velocity, x);
    store4(bodies[index[1]].angular_velocity, y);
    store4(bodies[index[2]].angular_velocity, z);
    store4(bodies[index[3]].angular_velocity, w);
}

}  // namespace talus
