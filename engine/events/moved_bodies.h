#pragma once

#include <talus/engine/events.h>
#include "engine/bodies/body_store.h"
#include "engine/sleeping/awake_set.h"

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// The bodies that moved in the last step, as the user reads them.
class MovedBodies {
public:
    /// Notes that the user has added a body, or set its transform, between two steps.
    void place(std::uint32_t slot) { placed_.push_back(slot); }

    // To make the list of the step: bodies that have been awake in it, and those that were placed before it. begin(),
    // set() for each place in the awake list, and after islands have fallen asleep, before other bodies wake, end().
    void begin(std::size_t awake) { list_.resize(awake); }
    void set(std::size_t place, const BodyStore& bodies, std::uint32_t slot);
    void end(const BodyStore& bodies, const AwakeSet& awake);
    std::span<const MovedBody> list() const { return list_; }

    /// The number of the last step, 0 before the first. No two steps of any worlds have the same number, and a copy has
    /// that of its original until its own next step. So the poses after the step `step_before()` and the list give the
    /// present poses.
    std::uint64_t step() const { return step_; }
    std::uint64_t step_before() const { return step_before_; }

    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(placed_);
    }
    bool fit(std::size_t slots) const {
        for (const std::uint32_t slot : placed_) {
            if (slot >= slots) return false;
        }
        return true;
    }
    std::size_t bytes() const {
        return placed_.capacity() * sizeof(std::uint32_t) + list_.capacity() * sizeof(MovedBody);
    }

private:
    std::vector<std::uint32_t> placed_;  ///< body slots; a slot may be free again
    std::vector<MovedBody> list_;
    std::uint64_t step_ = 0, step_before_ = 0;
};

}  // namespace talus
