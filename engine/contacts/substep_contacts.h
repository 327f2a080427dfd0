#pragma once
#include "engine/solve/solver_indices.h"
namespace talus {
class SubstepContacts {
public:
    static float strictness(const SolverIndices& indices, std::uint32_t slot);
};
}  // namespace talus
