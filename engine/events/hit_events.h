#pragma once
/// Hit events: contacts of shapes that ask for them, whose approach speed was high and which had an impulse in the
/// step.

#include "engine/contacts/contact_world.h"
#include "engine/continuous/ccd_sweep.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class HitEvents {
public:
    /// Drops the hits of the last step.
    void begin_step() { hits_.clear(); }
    /// Notes the contacts with hit events that approach at `least_speed` (m/s) or faster. Called before the solve.
    void note_approaches(const ContactView& world, std::span<const ConstraintGraph::Edge> edges, float least_speed);
    /// Reports the noted contacts that had a normal impulse, and the impacts of swept bodies. Called after the solve.
    void report(const ContactView& world, std::span<const Impact> impacts, float least_speed);

    std::span<const HitEvent> hits() const { return hits_; }

    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(hits_);
    }

private:
    struct Approach {
        std::uint32_t contact;
        float speed;  ///< of the fastest point, along the normal, m/s
    };
    std::vector<Approach> approaches_;
    std::vector<HitEvent> hits_;
};

}  // namespace talus
