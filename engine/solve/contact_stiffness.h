#pragma once
/// How stiff the contacts of a step are, and how many sub-steps that takes.
///
/// Contacts are springs as stiff as suits the usual sub-step (settings::contact_rate); softer where many push one body
/// (crowded_contacts.h), stiffer in slender islands (slender_islands.h), which then need more sub-steps.
///
/// Kept across frames: the longest sub-step of late, so that contacts do not get stiffer and softer with every change of the
/// step's length, and what crowded_contacts.h and slender_islands.h remember.

#include "engine/constraints/crowded_contacts.h"
#include "engine/constraints/slender_islands.h"
#include "engine/constraints/solver_contacts.h"
#include "engine/sleeping/islands.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace talus {

class ContactStiffness {
public:
    /// Returns the number of sub-steps of a step of dt seconds. With a constant dt of up to settings::longest_plain_step it is
    /// `wanted` (WorldDef::substeps), or as many as stiff contacts need. `contact_counts` are by body slot.
    int choose_substeps(const SolverContacts& contacts, std::span<const std::uint32_t> contact_counts, Islands& islands,
                        const vec3& gravity, float dt, int wanted);
    /// The user has changed the number of sub-steps: the next step takes its sub-steps' length as usual.
    void forget_usual_substep() { usual_substep_ = 0.0f; }

    /// s.
    float usual_substep() const { return usual_substep_; }
    /// By solver index: how many times stiffer than usual contacts are; empty if none are.
    std::span<const float> hardness() const { return slender_.hardness(); }
    const CrowdedContacts& crowded() const { return crowded_; }

    std::size_t bytes() const { return crowded_.bytes() + slender_.bytes(); }

private:
    float usual_substep_ = 0.0f;  ///< 0 before the first step
    CrowdedContacts crowded_;
    SlenderIslands slender_;
};

}  // namespace talus
