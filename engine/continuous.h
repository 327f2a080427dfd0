#pragma once
/// Stage `continuous`: no fast body ends a step behind something that it met on its way.
///
/// The solver moves bodies from pose to pose and knows of contacts only what `collide` found at the first one: shapes that were
/// within a margin, as planes at their nearest points. That catches most of what moves by less than half of its size in a step. This
/// stage looks at the others once the solver is done:
///
///     start pose ------------> pose that the solver wants
///          \___ swept with its mean velocity and spin (the turn that the spin made, not the shortest): first time at which a
///               shape gets deeper into an obstacle than `continuous_depth`
///               |
///               v   there the two collide: sequential impulses on their manifold, restitution and friction as everywhere
///          the rest of the step is swept on with the new velocity, up to `continuous_impacts` times
///
/// So a bullet that bounces keeps the rest of its step. What meets more obstacles than that stays where it met the last one and
/// loses what was left of *one* step; its velocity is kept.
///
/// What a body is held up by is the depth of overlap, not a first touch: what slides, rolls or spins on a floor in which it is sunk by
/// less, however fast, is not held up by the floor nor by its seams. Deeper overlaps at the start of a step may get deeper by
/// `continuous_depth`, and what is inside by more than half of the body's inner radius is left to the contacts, which push it out.
///
/// Who is swept: dynamic bodies that moved and turned (times their radius) by more than `continuous_motion` of their inner radius, and those
/// near kinematic bodies that did. Against: fixed and kinematic bodies, the latter along their own motion; with
/// `Continuous::all` against dynamic ones, too. A body of the first kind reads the world and writes its own result: any thread may do
/// it. Those of the second kind come after all others, one by one in the order of the awake list: an impact turns both bodies' ways. (A
/// third body that such a way crosses is met if its own turn is yet to come; impacts are in order of time for each body, not for
/// the world.)
///
/// Sensors do not stop anything. One that a swept body enters and leaves within the step is reported as begun, and as
/// ended in the next one.
///
/// Compared (tests/engine/continuous_compare.cpp is not kept; figures of 10,000 bullets of five shapes at 10 to 1,000 m/s, half of them spinning
/// at up to 50 turns/s, on a 1 cm wall):
///
///     no sweep, speculative contacts only              see docs
#include <talus/engine/body.h>
#include <talus/engine/body_store.h>
#include <talus/narrowphase/time_of_impact.h>

#include <cstdint>
#include <vector>

namespace talus {

/// A shape that met another on its way, or a sensor that it went through. Pool indices of the shapes.
struct Impact {
    std::uint32_t body = 0, shape = 0;    ///< that was swept
    std::uint32_t other = 0, other_shape = 0;
    bool sensor = false;
    vec3 point{0.0f};            ///< world, m
    vec3 normal{0.0f};           ///< world, from the other to the body
    float approach_speed = 0.0f; ///< m/s
    float impulse = 0.0f;        ///< along the normal, N s
};

/// The way of a body from some time in the step to its end.
struct Path {
    std::uint32_t slot = 0;
    float from = 0.0f;   ///< since the start of the step, s
    RigidMotion motion;  ///< of the centre of mass, from `from` on
};

/// Memory of one thread's sweeps.
struct SweepScratch {
    std::vector<std::uint32_t> near;  ///< body slots
};

}  // namespace talus
