#pragma once
/// Hit events: contacts of shapes that ask for them, which came in fast and were pushed back.

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
    /// Before the solve: notes how fast the contacts with hit events close in, if at least at `least_speed` (m/s).
    void note_approaches(const ContactView& world, std::span<const ConstraintGraph::Edge> edges, float least_speed);
    /// After the step: reports those that were pushed back, and the impacts of swept bodies.
    void report(const ContactView& world, std::span<const Impact> impacts, float least_speed);

    std::span<const HitEvent> hits() const { return hits_; }

private:
    struct Approach {
        std::uint32_t contact;
        float speed;  ///< the greatest of the contact's points, along the normal, m/s
    };
    std::vector<Approach> approaches_;
    std::vector<HitEvent> hits_;
};

}  // namespace talus
