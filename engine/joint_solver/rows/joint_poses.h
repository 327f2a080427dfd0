#pragma once
/// Poses of the links and joints of an articulation, now and at the end of the sub-step.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Reads a link's displacement and rotation.
void read_pose(Articulations& s, Link& link);

/// Rotates a link's inertia to its present pose.
void update_inertia(Articulations& s, Link& link);

/// Computes a joint's pose and coordinates from its links, which must be up to date. Adds to the links' bounds on
/// stiffness.
void update_pose(Articulations& s, SolverJoint& joint);

/// Predicts poses at the end of the sub-step from the velocities, like the integrator does: `next_displacement` and
/// `next_orientation` of links, `next_pose` and `next_coordinates` of joints.
void predict_poses(Articulations& s, Articulation& a);

}  // namespace talus
