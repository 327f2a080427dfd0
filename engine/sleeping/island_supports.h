#pragma once
/// What holds up each island of a step: asked by sleeping and by the conservation of momentum.

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
    /// Once per step, before the solve. `states` by contact; `islands` are those of `in`, whose paths this shortens.
    void find(const SolveInput& in, Islands& islands, std::span<const ContactState> states);

    /// A fixed or kinematic body touches the island.
    bool touches_immovable(std::uint32_t root) const { return has(root, immovable_contact); }
    /// A fixed or kinematic body has pushed it in the last step.
    bool is_pushed_by_immovable(std::uint32_t root) const { return has(root, immovable_push); }
    /// A moving kinematic body touches it.
    bool touches_moving_kinematic(std::uint32_t root) const { return has(root, kinematic_contact); }
    /// A joint ties it to a fixed or kinematic body.
    bool is_jointed_to_immovable(std::uint32_t root) const { return has(root, joint_to_immovable); }
    /// One of its jointed bodies touches something.
    bool has_jointed_contact(std::uint32_t root) const { return has(root, jointed_contact); }

    std::size_t bytes() const { return flags_.capacity(); }

private:
    static constexpr std::uint8_t jointed_contact = 1, joint_to_immovable = 2, immovable_contact = 4,
                                  kinematic_contact = 8, immovable_push = 16;
    bool has(std::uint32_t root, std::uint8_t flag) const { return (flags_[root] & flag) != 0; }

    std::vector<std::uint8_t> flags_;  ///< by solver index of the island's root
};

}  // namespace talus
