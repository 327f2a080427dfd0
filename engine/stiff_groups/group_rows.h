#pragma once
/// The rows of a stiff group: Jacobians, weights and biases of its contacts and joints.

#include "engine/stiff_groups/stiff_group.h"

#include <cstdint>
#include <span>

namespace talus {

class JointSolver;

/// Reads the masses of a group's bodies and the rows of its contacts, which the solver has prepared. `substep` is in
/// seconds.
void prepare_contact_rows(StiffGroup& group, ContactSolver& solver, std::span<const SolverMass> masses,
                          const BodyMotions& motions, float substep, std::span<const ConstraintGraph::Edge> edges);

/// Reads the rows of the joints of the group's bodies. `positions` is indexed by solver index. Rigid rows get a weight
/// far above the mass of all bodies, so that they need no impulses of the last sub-step.
void read_joint_rows(StiffGroup& group, GroupPass pass, JointSolver& joints, std::span<const std::uint32_t> positions);

/// Reads the impulses in the lanes and the velocities, at the start of a pass.
void read_lanes(StiffGroup& group, GroupPass pass, std::span<const SolverBody> bodies);

}  // namespace talus
