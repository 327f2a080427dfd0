#pragma once
/// What supports each island of a step: which of its bodies touch fixed or kinematic bodies, or have joints with them.
/// Sleeping and the conservation of momentum (island_momentum.h) depend on this.

#include "engine/contacts/contact_table.h"
#include "engine/sleeping/islands.h"
#include "engine/solve/solve_input.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class IslandSupports {
public:
    /// Finds the supports of all islands. Called once per step, before the solve. `states` by contact; `islands` are
    /// those of `in`, and get shorter paths.
    void find(const SolveInput& in, Islands& islands, const PagedArray<ContactState>& states);

    // Arguments: the solver index of the island's root.

    /// Returns whether a fixed or kinematic body has a contact with the island.
    bool touches_immovable(std::uint32_t root) const { return has(root, immovable_contact); }
    /// Returns whether a fixed or kinematic body has pushed the island in the last step.
    bool is_pushed_by_immovable(std::uint32_t root) const { return has(root, immovable_push); }
    /// Returns whether a moving kinematic body has a contact with the island.
    bool touches_moving_kinematic(std::uint32_t root) const { return has(root, kinematic_contact); }
    /// Returns whether the island has a joint with a fixed or kinematic body.
    bool is_jointed_to_immovable(std::uint32_t root) const { return has(root, joint_to_immovable); }
    /// Returns whether some body of the island that has a joint also has a contact.
    bool has_jointed_contact(std::uint32_t root) const { return has(root, jointed_contact); }

    std::size_t bytes() const { return flags_.capacity(); }

private:
    static constexpr std::uint8_t jointed_contact = 1, joint_to_immovable = 2, immovable_contact = 4,
                                  kinematic_contact = 8, immovable_push = 16;
    bool has(std::uint32_t root, std::uint8_t flag) const { return (flags_[root] & flag) != 0; }

    std::vector<std::uint8_t> flags_;  ///< by solver index of the island's root
};

}  // namespace talus
