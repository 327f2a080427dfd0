#pragma once
/// Rows that are redundant or nearly redundant, and how they are kept from creating energy.
///
/// Loops of joints, locks beside joints, and limits that are reached together have more rows than degrees of freedom.
/// Consider a combination of rows that hardly moves the bodies: its response to an impulse is r, where the response of
/// one row is 1. If a speed b is asked for along it, a direct solve answers with a velocity of b / sqrt(r). Rows with
/// slack s answer with b sqrt(r) / (r + s), at most b / (2 sqrt(s)): 500 b at a slack of 1e-6. That is harmless if b is
/// the velocity of the bodies themselves: removing it is a projection, with or without slack, and can only lower the
/// kinetic energy. But b must contain nothing else. Anchors that are 0.1 mm apart ask for 0.02 m/s. With these in b,
/// two links at rest left at 10 m/s again and again, and impulses grew to 1e19 N s. So the velocities that joints make
/// in a sub-step have three parts:
///
///     straight   removes from the velocities of the bodies what the rows do not allow. It cannot add energy.
///     bend       makes the motion follow the curved constraints. A projection in the relax pass removes it again, so
///                the energy stays (RATTLE). It is dropped if the energy does not stay.
///     push       closes open joints (position errors, contradictions). It moves the bodies in this sub-step and is
///                then subtracted from their velocities exactly, whatever the matrix is like. No force is reported.
///
/// A tree of joints on bodies without locks has no such rows. There, push and bend are computed together with the
/// straight part.
///
/// Locks are part of a body's mass: the body does not respond along and about locked axes. If a row of a joint acts
/// only along them (a hinge about z of a body that moves in the xy plane), its response is only rounding, 1e-15 of what
/// it was, and a division by that froze the body. So slack is measured by the response that the row would have without
/// locks.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Notes the velocities before the bend is added. Returns the kinetic energy of the links, J.
double begin_bending(Articulations& s, Articulation& a);
/// Sets the links' `bend` to the change of their velocities since.
void end_bending(Articulations& s, Articulation& a);

/// Raises the slack of an articulation whose joints are open while a kinematic body pulls it.
///
/// The projection above cannot add energy to the links' own velocities, but the velocity of a kinematic body is not one
/// of them. If the body pulls a straight chain at a speed v, the rows are nearly redundant, and links answered with up
/// to 500 v. The slack for a push over the same distance per sub-step limits this to v / sqrt(distance / lever arm).
void soften_pulled_joints(Articulations& s, Articulation& a);

/// Adds the velocities that close open joints (`push`), after the solve pass. They act on this sub-step's positions
/// only.
///
/// All rows close the same fraction of their error, so that contradictory rows end in a compromise. If each were
/// limited to one speed, they could balance anywhere.
///
/// Far from closed, Newton's method overshoots. A chain that is 2% too short for its two walls is nearest to closed
/// when it is straight. If it sags by a small angle t, its rows see the error decrease by t per metre that a link
/// moves, and ask for 1 / t times the error, far beyond the straight line. So slack grows with the distance that is
/// asked for, as in the Levenberg-Marquardt method. (Fan and Yuan 2005 show that with this choice it still converges
/// quadratically if all joints can be closed.)
void push_positions(Articulations& s, Articulation& a);

}  // namespace talus
