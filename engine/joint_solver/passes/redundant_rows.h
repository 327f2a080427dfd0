#pragma once
/// Rows that are redundant, or nearly so, and how they are kept from creating energy.
///
/// Loops of joints, locks beside joints, and limits that are reached together have more rows than freedom. Consider a
/// combination of rows that hardly moves anything: its response to an impulse is r, where the response of one row is 1. A
/// direct solve answers a speed b that is asked for along it with a velocity of b / sqrt(r). Rows with slack s answer with
/// b sqrt(r) / (r + s), at most b / (2 sqrt(s)): 500 b at a slack of 1e-6. That is harmless if b is the velocity of the bodies
/// themselves: removing it is a projection, with or without slack, and can only lower the kinetic energy. But b must be
/// nothing else. Anchors that are 0.1 mm apart ask for 0.02 m/s, so that two links at rest left at 10 m/s, again and again,
/// and impulses grew to 1e19 N s. So the velocities that joints make in a sub-step have three parts:
///
///     straight   removes from the velocities of the bodies what the rows do not allow: cannot gain energy;
///     bend       makes the path follow the curved constraints. A projection in the relax pass removes it again, so the energy
///                stays (RATTLE). It is dropped where the energy does not stay;
///     push       closes open joints (position errors, contradictions). It moves the bodies in this sub-step and is then
///                subtracted from their velocities exactly, whatever the matrix is like. No force is reported for it.
///
/// A tree of joints on bodies without locks has no such rows; there push and bend are found together with the straight part.
///
/// Locks belong to a body's mass: it does not respond along and about locked axes. A row of a joint that asks for nothing else
/// (a hinge about z of a body that moves in the xy plane) has only rounding left as its response, 1e-15 of what it was, and
/// dividing by that froze the body. So slack is measured by the response that the row would have without locks.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Notes the velocities before they get a bend. Returns the kinetic energy of the links, J.
double begin_bending(Articulations& s, Articulation& a);
/// Sets the links' `bend` to what was added since.
void end_bending(Articulations& s, Articulation& a);

/// Raises the slack of an articulation whose joints are open while a kinematic body pulls it.
///
/// The projection above cannot add energy to the links' own velocities, but the velocity of a kinematic body is not one of
/// them. When it pulls a straight chain at a speed v, the rows are nearly redundant, and links answered with up to 500 v. The
/// slack that a push over the same distance per sub-step would get limits this to v / sqrt(distance / lever arm).
void soften_pulled_joints(Articulations& s, Articulation& a);

/// After the solve pass: adds the velocities that close open joints, for this sub-step's positions only (`push`).
///
/// All rows go the same part of their way, so that rows that contradict each other end in a compromise. With each of them
/// limited to one speed, they would balance anywhere.
///
/// Far from closed, Newton's method goes too far. A chain that is 2% too short for its two walls is closest to closed when it
/// is straight. If it sags by a small angle t, its rows see the error fall by t per metre that a link moves, and ask for 1 / t
/// times the error, far beyond the straight line. So slack grows with the distance that is asked for, as in the
/// Levenberg-Marquardt method. (Fan and Yuan 2005 show that with this choice it still converges quadratically if all joints
/// can be closed.)
void push_positions(Articulations& s, Articulation& a);

}  // namespace talus
