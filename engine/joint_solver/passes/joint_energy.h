#pragma once
/// The kinetic energy of an articulation, and its bound in a pass.

#include "engine/bodies/body_motions.h"
#include "engine/joint_solver/articulations.h"

#include <span>

namespace talus {

/// Returns the kinetic energy of a link with these velocities, J. Its inertia is the one of the step's start, rotated
/// with it.
double kinetic_energy(const Link& link, const dvec3& velocity, const dvec3& angular_velocity);

/// Returns the kinetic energy of the dynamic links with the velocities in `s.velocities`, J.
double kinetic_energy(Articulations& s, const Articulation& a);

/// Reduces the changes of velocities in a pass if they add too much kinetic energy, so that contradictory joints give
/// way instead of exploding. Returns the remaining fraction of the pass's impulses.
double limit_gain(Articulations& s, const Articulation& a);

/// Returns the work per sub-step of springs, motors and drives, if the links have the velocities in `s.velocities`, J.
double drive_work(Articulations& s, const Articulation& a);

}  // namespace talus
