#pragma once
/// The two passes of a sub-step over one articulation, and the rounds within a pass.
///
/// A pass reads the velocities of the links, finds impulses of the rows, and writes the velocities back. It consists of
/// rounds: each solves for the impulses of the free rows, then decides which bounded rows are free (active_rows.h). In the
/// solve pass the first rounds are linear, until that decision stays; the following ones are Newton's method on the
/// curved constraints, at the predicted end of the sub-step.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Reads the links' velocities from the solver bodies, without the `push` that they have.
void read_velocities(Articulations& s, Articulation& a);

/// Writes them back, limited to the speeds that the integrator accepts.
void write_velocities(Articulations& s, const Articulation& a);

/// The first pass of a sub-step: positions at its end are to obey the constraints.
void solve_articulation(Articulations& s, Articulation& a);

/// Runs a pass on the velocities that have been read. `again`: it continues a pass that has run, so that slack and the
/// impulses before are not counted again.
void run_pass(Articulations& s, Articulation& a, JointPass pass, bool again = false);
/// Its two parts: the rounds, which change impulses and `s.velocities`, and then the bounds on energy and momentum, the
/// report, and writing the velocities.
void run_rounds(Articulations& s, Articulation& a, JointPass pass, bool again);
void finish_pass(Articulations& s, Articulation& a, JointPass pass, bool again);

/// Sets `residuals` to what is left of the rows' equations. `linear`: along the tangent of the constraints, not at predicted
/// poses. Returns the largest residual of the rows that take part, m/s or rad/s.
double set_residuals(Articulations& s, Articulation& a, JointPass pass, bool linear, bool again);

}  // namespace talus
