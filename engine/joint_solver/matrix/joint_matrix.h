#pragma once
/// The matrix of an articulation's rows, J M^-1 J^T + slack, and its direct solve.
///
/// Each joint is a node of the matrix, with its free rows; two joints that share a dynamic link have an off-diagonal
/// block. A link with many joints (a hub) would fill the matrix: its velocity stays an unknown instead, with a node of
/// its own.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Finds the changes of the free rows' impulses that bring their residuals to zero. Factors the matrix if it has
/// changed.
void solve_free_rows(Articulations& s, Articulation& a, JointPass pass);

/// Adds the effect of the impulse changes to the velocities, and clears the changes.
void apply_changes(Articulations& s, const Articulation& a);

/// Removes from the velocities what the free rows do not allow: J v = 0.
void project_velocities(Articulations& s, Articulation& a, JointPass pass);

}  // namespace talus
