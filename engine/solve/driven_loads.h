#pragma once
/// Limits the warm starting impulses of islands that kinematic bodies push.
///
/// No impulse can stop a kinematic body that presses a body against a wall. In each sub-step, both contacts of the
/// pressed body still approach, so both impulses get larger. They grew without limit, in balance: a box of 280 kg had
/// 700,000 N s per sub-step. When the box got past an edge, one of the two contacts was replaced by a new one, which
/// begins without an impulse, and the other one threw the box off at 160 m/s.
///
/// So before each step, the warm starting impulses of such an island are limited to what its own bodies need: enough to
/// stop all of them, and to carry their weights several times, because wedges and levers multiply a weight. A body that
/// cannot move out of the way overlaps more.

#include "engine/contacts/contact_table.h"
#include "engine/solve/solve_input.h"

#include <cstddef>
#include <span>
#include <vector>

namespace talus {

class DrivenLoads {
public:
    /// Limits the impulses in `states`, which are by contact. Called once per step, before the solve. `gravity` in
    /// m/s^2, `substep` in s.
    void limit(const SolveInput& in, const vec3& gravity, float substep, PagedArray<ContactState>& states);

    std::size_t bytes() const { return islands_.capacity() * sizeof(Island); }

private:
    /// An island that moving kinematic bodies push.
    struct Island {
        float speed = 0.0f;    ///< speed of the fastest kinematic body that touches it, m/s; 0: none moves
        float fastest = 0.0f;  ///< speed of the fastest of its own bodies, m/s
        float mass = 0.0f;     ///< kg
    };
    std::vector<Island> islands_;  ///< by solver index of the island's root; scratch
};

}  // namespace talus
