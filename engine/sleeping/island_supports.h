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
    bool is_borne(std::uint32_t root) const { return has(root, borne); }
    /// A fixed or kinematic body has pushed it in the last step.
    bool is_loaded(std::uint32_t root) const { return has(root, loaded); }
    /// A moving kinematic body touches it.
    bool is_carried(std::uint32_t root) const { return has(root, carried); }
    /// A joint ties it to a fixed or kinematic body.
    bool is_tied(std::uint32_t root) const { return has(root, tied); }
    /// One of its jointed bodies touches something.
    bool is_lying(std::uint32_t root) const { return has(root, lying); }

    std::size_t bytes() const { return flags_.capacity(); }

private:
    static constexpr std::uint8_t lying = 1, tied = 2, borne = 4, carried = 8, loaded = 16;
    bool has(std::uint32_t root, std::uint8_t flag) const { return (flags_[root] & flag) != 0; }

    std::vector<std::uint8_t> flags_;  ///< by solver index of the island's root
};

}  // namespace talus
