#pragma once
/// The data that all parts of the solve read and none of them changes.

#include "engine/bodies/body_store.h"
#include "engine/constraints/constraint_graph.h"
#include "engine/joints/joint_store.h"
#include "engine/sleeping/islands.h"
#include "engine/solve/solver_indices.h"

#include <span>

namespace talus {

struct SolveInput {
    const BodyStore& bodies;
    const JointStore& joints;
    const SolverIndices& indices;
    const Islands& islands;                        ///< by solver index
    std::span<const ConstraintGraph::Edge> edges;  ///< the step's contacts, between solver indices

    /// Returns the body of a solver index for which indices.is_body() is true.
    const Body& body(std::uint32_t index) const { return bodies[indices.slot(index)]; }
};

}  // namespace talus
