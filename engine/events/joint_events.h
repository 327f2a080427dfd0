#pragma once

#include <talus/engine/events.h>

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// Joint events: joints that broke or were removed with a body, as the user reads them after a step.
class JointEvents {
public:
    enum class When : std::uint8_t {
        never,
        now,       ///< within a step
        next_step  ///< between two steps
    };
    /// Drops the events of the last step. Removals since then become events of this step.
    void begin_step() {
        broken_.clear();
        broken_.swap(next_step_);
    }
    void add(const JointEvent& event, When when) {
        if (when != When::never) (when == When::now ? broken_ : next_step_).push_back(event);
    }
    std::span<const JointEvent> broken() const { return broken_; }

    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(broken_, next_step_);
    }

private:
    std::vector<JointEvent> broken_, next_step_;
};

}  // namespace talus
