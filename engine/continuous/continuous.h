#pragma once
/// Stage `continuous`: no fast body ends a step behind something that it met on its way.
///
/// The solver moves bodies from pose to pose and knows of contacts only what `collide` found at the first one: shapes
/// that were within a margin, as planes at their nearest points. That catches most of what moves by less than half of
/// its size in a step. This stage looks at the others once the solver is done:
///
///     start pose ------------> pose that the solver wants
///          \___ swept with its mean velocity and spin (the turn that the spin made, not the shortest): first time at which a
///               shape gets deeper into an obstacle than `continuous_depth`
///               |
///               v   there the two collide: sequential impulses on their manifold, restitution and friction as everywhere
///          the rest of the step is swept on with the new velocity, up to `continuous_impacts` times
///
/// So a bullet that bounces keeps the rest of its step. A body that meets more obstacles than that stays where it met the
/// last one, goes with that if it moves (until something else is in the way), and loses what was left of *one* step; its
/// velocity is kept: a heavy ball that strikes a plank on supports is stopped by the contacts of the next step. (Thin rods that are squeezed into the corners of a room that turns at 6 rad/s and more do get
/// out in the end.)
///
/// What a body is held up by is the depth of overlap, not a first touch: what slides, rolls or spins on a floor in
/// which it is sunk by less, however fast, is not held up by the floor nor by its seams. Two that meet without closing
/// in there (a rod that tips over on its end, something that a pile presses down) are the contacts' business: each time
/// they meet so in a step they may overlap by `continuous_depth` more, and so may what overlaps by more when it starts.
/// So nothing is held up at one place for ever. In a fixed or kinematic obstacle that ends at `continuous_deepest`: a
/// body that joints or heavy bodies press into a wall gets no deeper than that, but may slide and turn there (lift).
///
/// Who is swept: dynamic bodies that moved and turned (times their radius) by more than `continuous_motion` of their
/// inner radius, those that a contact finds pressed into an obstacle (`continuous_pressed`), and those near kinematic
/// bodies that moved as far. Against: fixed and kinematic bodies, the latter along their
/// own motion; with `Continuous::all` against dynamic ones, too. Most are spared: the pairs of the step know all that is
/// near, and planes that the narrowphase found for them show at both ends of the way that the body stays before its
/// obstacles (which takes three quarters off this stage in `tumble8` and `drum`). A body of the first kind reads the world and writes
/// its own result: any thread may do it. Those of the second kind come after all others, one by one in the order of the
/// awake list: an impact turns both bodies' ways. (A third body that such a way crosses is met if its own turn is yet
/// to come; impacts are in order of time for each body, not for the world.) No way counts before it was swept against
/// fixed and kinematic bodies: a body that is hit while its own turn is yet to come, or twice in a step, is swept up to
/// there first, or it could be hit behind a wall.
///
/// What joints hold together goes on together after an impact, each body on a straight way; joints that this has opened
/// are closed at the end of the stage (continuous_closing.cpp).
///
/// Sensors do not stop anything. One that a swept body enters and leaves within the step is reported as begun and
/// ended.
///
/// Compared on 5,000 balls without losses of 0.5 to 5 cm at 10 to 1,000 m/s and any angle, and 5,000 rods of 40 x 2 x 2
/// cm that spin at up to 50 turns/s besides, on a wall of 1 cm:
///
///                                          balls through   rods through   a ball's bounce takes, steps   error of its speed
///     the solver's speculative contacts        93%             80%
///     held up at the impact                     0               0                 0.76                         0
///     here                                      0               0                 0.001                        0 (5 digits)
///
/// Wider margins for the speculative contacts were no way out: they are planes, linear in the motion of the step, which
/// a rod that turns by 300 degrees is not, and they make what flies past something feel it. Where nothing is fast a
/// body costs some 25 instructions a step; a fast one with nothing but dynamic bodies near it, some 200.

#include <talus/engine/body.h>
#include <talus/narrowphase/time_of_impact.h>
#include "engine/bodies/body_store.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace talus {

/// A shape that met another on its way, or a sensor that it went through. Pool indices of the shapes.
struct Impact {
    std::uint32_t body = 0, shape = 0;  ///< that was swept
    std::uint32_t other = 0, other_shape = 0;
    std::uint32_t triangle = null_index;  ///< of the other's mesh
    bool sensor = false;
    vec3 point{0.0f};             ///< world, m
    vec3 normal{0.0f};            ///< world, from the other to the body
    float approach_speed = 0.0f;  ///< m/s
    float impulse = 0.0f;         ///< along the normal, N s
};

/// The way of a body from some time in the step to its end.
struct Path {
    std::uint32_t slot = 0;
    float from = 0.0f;   ///< since the start of the step, s
    RigidMotion motion;  ///< of the centre of mass, from `from` on
};

/// A plane that holds up a body that joints pull on.
struct Stop {
    std::uint32_t slot = 0, shape = 0;  ///< pool index of the shape
    vec3 normal{0.0f};                  ///< world, towards the body
    vec3 point{0.0f};                   ///< on the plane, world
    float depth = 0.0f;                 ///< how far the body may get in, m
};

/// Memory of one thread's sweeps.
struct SweepScratch {
    std::vector<std::uint32_t> near;  ///< body slots
    /// A shape of the body and one of another's (pool indices), which may be a triangle of a mesh.
    struct Pairing {
        std::uint32_t shape, other_shape, triangle;
        friend bool operator==(const Pairing&, const Pairing&) = default;
    };
    std::vector<Pairing> let_through;  ///< by the contact modifier in this step
    std::vector<Pairing> eased;        ///< that met without closing in, each time
    std::vector<std::uint32_t> triangles;
};

}  // namespace talus
