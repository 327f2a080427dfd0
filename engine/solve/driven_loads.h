#pragma once
/// Limits the loads of islands that kinematic bodies push.
///
/// A kinematic body that presses a body against a wall cannot be stopped by any impulse. In each sub-step, both contacts find
/// that they still approach, and add to the impulses that they carry over. These grew in balance without end: a box of
/// 280 kg bore 700,000 N s per sub-step. When the box got past an edge, one of the two contacts was replaced by a new one,
/// which begins without impulses, and the other one threw the box off at 160 m/s.
///
/// So before each step the carried impulses of such an island are limited to what its own bodies can make use of: enough to
/// stop all of them, and to bear their weights several times, because wedges and levers multiply a weight. A body that
/// cannot give way overlaps more.

#include "engine/contacts/contact_table.h"
#include "engine/solve/solve_input.h"

#include <cstddef>
#include <span>
#include <vector>

namespace talus {

class DrivenLoads {
public:
    /// Once per step, before the solve. `gravity` in m/s^2, `substep` in s; `states` by contact.
    void limit(const SolveInput& in, const vec3& gravity, float substep, std::span<ContactState> states);

    std::size_t bytes() const { return islands_.capacity() * sizeof(Island); }

private:
    /// An island that moving kinematic bodies push.
    struct Island {
        float speed = 0.0f;    ///< of the fastest kinematic body that touches it, m/s; 0: none moves
        float fastest = 0.0f;  ///< of its own bodies, m/s
        float mass = 0.0f;     ///< kg
    };
    std::vector<Island> islands_;  ///< by solver index of the island's root; scratch
};

}  // namespace talus
