#pragma once
/// The two passes of a sub-step over one articulation, and the rounds within a pass.
///
/// A pass reads the velocities of the links, finds impulses of the rows, and writes the velocities back. It consists of
/// rounds. Each round solves for the impulses of the free rows, then decides which bounded rows are free
/// (active_rows.h). In the solve pass the first rounds are linear, until that decision no longer changes. The following
/// ones are Newton's method on the curved constraints, at the predicted end of the sub-step.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Reads the links' velocities from the solver bodies, without their `push`.
void read_velocities(Articulations& s, Articulation& a);

/// Writes the velocities back, limited to the speeds that the integrator accepts.
void write_velocities(Articulations& s, const Articulation& a);

/// Runs the first pass of a sub-step: positions at its end must obey the constraints.
void solve_articulation(Articulations& s, Articulation& a);

/// Runs a pass on the velocities that have been read. `again` says that it continues an earlier pass, so that slack and
/// earlier impulses are not counted twice.
void run_pass(Articulations& s, Articulation& a, JointPass pass, bool again = false);
/// The two parts of run_pass(): first the rounds, which change impulses and `s.velocities`; then the bounds on energy
/// and momentum, the report, and writing the velocities.
void run_rounds(Articulations& s, Articulation& a, JointPass pass, bool again);
void finish_pass(Articulations& s, Articulation& a, JointPass pass, bool again);

/// Sets `residuals` to the residuals of the rows' equations. `linear`: along the tangent of the constraints, not at
/// predicted poses. Returns the largest residual of the rows that take part, m/s or rad/s.
double set_residuals(Articulations& s, Articulation& a, JointPass pass, bool linear, bool again);

}  // namespace talus
