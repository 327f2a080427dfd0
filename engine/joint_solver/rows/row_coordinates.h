#pragma once
/// The coordinate of a row and its Jacobian: what joint_geometry.h computes for the row's axis.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Returns the row's Jacobian at the joint's pose. Not for RowAxis::point and RowAxis::gear, whose rows are filled in
/// directly.
Jacobian row_jacobian(const SolverJoint& joint, const JointRow& row);

/// Returns the row's coordinate (m or rad) at a pose of its joint, whose coordinates are `q`. Not for RowAxis::gear.
double row_coordinate(const SolverJoint& joint, const JointRow& row, const JointPose& pose, const Coordinates& q);

/// Returns the coordinate of a gear's only row: the difference between the coordinate of its second joint and the one
/// that follows from its first joint. `a` and `b` are the coordinates of the two joints.
double gear_coordinate(const Articulations& s, const SolverJoint& gear, const Coordinates& a, const Coordinates& b);

/// Whether the row's coordinate is an angle.
bool is_angular(const Articulations& s, const SolverJoint& joint, const JointRow& row);

/// Returns the quaternion from which a row reads the twist: one of the two of the joint's rotation. A limit needs the
/// one whose twist is near its range. A lock accepts either, but must not change it within a sub-step.
dquat twist_of(const JointRow& row, const JointPose& pose);

}  // namespace talus
