#pragma once
/// The matrix of a stiff group, M + sum w J^T J over the active rows, and its block Cholesky factors in double
/// precision.

#include "engine/stiff_groups/stiff_group.h"

#include <vector>

namespace talus {

/// Computes the factors for the group's present pass. If `with_sliding`, the direction of sliding friction follows the
/// slip.
void factor(StiffGroup& group, bool with_sliding);

/// x = A^-1 x with the factors of the group's present pass.
void substitute(const StiffGroup& group, std::vector<Vector6>& x);

}  // namespace talus
