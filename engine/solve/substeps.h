#pragma once
/// Chooses the sub-steps of a step: how many there are, and how stiff contacts are in them.
///
/// Contacts are damped springs. Their usual frequency follows from the usual length of a sub-step
/// (WorldDef::contact_rate), which is the longest one of the last seconds. Contacts are softer where many push one body
/// in one direction (crowded_contacts.h), and stiffer in slender islands (slender_islands.h). Stiffer contacts need
/// shorter sub-steps, for the whole world.
///
/// Kept across frames: the usual length, so that the stiffness does not follow each change of the step's length; and the
/// state of slender_islands.h.

#include <talus/engine/world.h>
#include "engine/constraints/crowded_contacts.h"
#include "engine/constraints/slender_islands.h"
#include "engine/constraints/solver_contacts.h"
#include "engine/settings.h"
#include "engine/sleeping/islands.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace talus {

class Substeps {
public:
    /// Chooses the sub-steps of a step of dt seconds. WorldDef::substeps is their number for a constant dt of up
    /// to settings::longest_plain_step, if no contact needs more. `contact_counts` has the contacts of each body slot.
    void choose(const SolverContacts& contacts, std::span<const std::uint32_t> contact_counts, Islands& islands,
                float dt, const WorldDef& settings);
    /// Called when the user has changed the number of sub-steps: the next step then sets the usual length.
    void forget_usual_length() { usual_length_ = 0.0f; }

    int count() const { return count_; }
    /// Returns the frequency of contact springs of usual stiffness, Hz.
    float contact_hertz() const { return contact_hertz_; }
    /// Returns the factor by which contacts between bodies of a slender island are stiffer than usual, by the solver index
    /// of the body; empty if no contact is stiffer.
    std::span<const float> hardness() const { return slender_.hardness(); }
    const CrowdedContacts& crowded() const { return crowded_; }

    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(usual_length_, slender_);
    }
    /// Returns whether what was read can be right.
    bool fit() const { return usual_length_ >= 0.0f && usual_length_ <= settings::longest_step && slender_.fit(); }
    std::size_t bytes() const { return crowded_.bytes() + slender_.bytes(); }

private:
    int count_ = 0;
    float usual_length_ = 0.0f;  ///< of a sub-step, s; 0 before the first step
    float contact_hertz_ = 0.0f;
    CrowdedContacts crowded_;
    SlenderIslands slender_;
};

}  // namespace talus
