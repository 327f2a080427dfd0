#pragma once
/// Chooses the sub-steps of a step: how many there are, and how stiff contacts are in them.
///
/// Contacts are damped springs. Their usual frequency follows from the usual sub-step (settings::contact_rate). They
/// are softer if many contacts push one body (crowded_contacts.h), and stiffer in slender islands (slender_islands.h),
/// which then need more sub-steps.
///
/// Kept across frames: the longest sub-step of the last steps, so that the stiffness does not follow each change of the
/// step's length; and the state of slender_islands.h.

#include "engine/constraints/crowded_contacts.h"
#include "engine/constraints/slender_islands.h"
#include "engine/constraints/solver_contacts.h"
#include "engine/sleeping/islands.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace talus {

class Substeps {
public:
    /// Chooses the sub-steps of a step of dt seconds. With a constant dt of up to settings::longest_plain_step, there are
    /// `wanted` (WorldDef::substeps), or more if stiff contacts need more. `contact_counts` are by body slot.
    void choose(const SolverContacts& contacts, std::span<const std::uint32_t> contact_counts, Islands& islands,
                const vec3& gravity, float dt, int wanted);
    /// Called when the user has changed the number of sub-steps: the usual sub-step is then that of the next step.
    void forget_usual_length() { usual_length_ = 0.0f; }

    int count() const { return count_; }
    /// Returns the length of the sub-step on which the usual stiffness depends, s.
    float usual_length() const { return usual_length_; }
    /// Returns, by solver index, the factor by which contacts are stiffer than usual; empty if no contact is.
    std::span<const float> hardness() const { return slender_.hardness(); }
    const CrowdedContacts& crowded() const { return crowded_; }

    std::size_t bytes() const { return crowded_.bytes() + slender_.bytes(); }

private:
    int count_ = 0;
    float usual_length_ = 0.0f;  ///< 0 before the first step
    CrowdedContacts crowded_;
    SlenderIslands slender_;
};

}  // namespace talus
