#include "engine/events/moved_bodies.h"

#include <algorithm>

namespace talus {

static MovedBody moved_body(const BodyStore& bodies, std::uint32_t slot) {
    return {.body = bodies.id_of(slot), .user_data = bodies[slot].user_data, .pose = bodies[slot].pose()};
}

void MovedBodies::set(std::size_t place, const BodyStore& bodies, std::uint32_t slot) {
    list_[place] = moved_body(bodies, slot);
}

void MovedBodies::end(const BodyStore& bodies, const AwakeSet& awake) {
    static std::atomic<std::uint64_t> steps{0};
    step_before_ = step_;
    step_ = steps.fetch_add(1, std::memory_order_relaxed) + 1;

    for (MovedBody& moved : list_) moved.fell_asleep = !awake.contains(moved.body.slot);
    std::sort(placed_.begin(), placed_.end());
    placed_.erase(std::unique(placed_.begin(), placed_.end()), placed_.end());
    if (!placed_.empty()) {
        for (MovedBody& moved : list_)
            moved.placed = std::binary_search(placed_.begin(), placed_.end(), moved.body.slot);
    }
    for (const std::uint32_t slot : placed_) {
        if (!bodies[slot].in_use || awake.is_listed(slot)) continue;
        list_.push_back(moved_body(bodies, slot));
        list_.back().placed = true;
    }
    placed_.clear();
}

}  // namespace talus
