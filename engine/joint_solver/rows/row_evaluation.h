#pragma once
/// The numbers of rows at the present poses of the bodies: Jacobians, responses, position errors, slack.
///
/// They are computed when a step begins and again in each relax pass. The rows themselves stay as row_setup.h has made
/// them.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Evaluates an articulation: its links and joint poses, then its rows. The matrix has to be factored again.
void evaluate(Articulations& s, Articulation& a);

/// Prepares the numbers of an articulation's rows for evaluate(), unless that has been done since its rows were made:
/// clears them, and fills in the entries that stay the same until the rows are made anew.
void begin_rows(Articulations& s, Articulation& a);

/// The same at the poses that the links have already.
void evaluate_at_poses(Articulations& s, Articulation& a);

/// Evaluates the rows of one joint, whose pose is up to date.
void evaluate_rows(Articulations& s, const Articulation& a, SolverJoint& joint);

/// Returns J M^-1 J^T between two rows of a joint, given by their numbers in the joint.
double row_coupling(const Articulations& s, const SolverJoint& joint, std::uint32_t i, std::uint32_t other);

/// Returns J M^-1 J^T of one row, with the masses that its bodies would have without their locks.
double response_without_locks(const Articulations& s, const SolverJoint& joint, std::uint32_t i);

}  // namespace talus
