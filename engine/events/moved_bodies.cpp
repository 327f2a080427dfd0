#include "engine/events/moved_bodies.h"

#include "engine/solve/solver_indices.h"

#include <algorithm>

namespace talus {

static MovedBody moved_body(const BodyStore& bodies, std::uint32_t slot) {
    return {.body = bodies.id_of(slot), .user_data = bodies[slot].user_data, .pose = bodies[slot].pose()};
}

void MovedBodies::report(const BodyStore& bodies, const AwakeSet& awake, const Jobs& jobs) {
    static std::atomic<std::uint64_t> steps{0};
    step_before_ = step_;
    step_ = steps.fetch_add(1, std::memory_order_relaxed) + 1;

    const std::span<const std::uint32_t> moved = awake.list();
    std::sort(placed_.begin(), placed_.end());
    placed_.erase(std::unique(placed_.begin(), placed_.end()), placed_.end());
    list_.resize(moved.size());
    jobs.for_each_run(moved.size(), SolverIndices::least_bodies, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            list_[i] = moved_body(bodies, moved[i]);
            list_[i].fell_asleep = !awake.contains(moved[i]);
            list_[i].placed = std::binary_search(placed_.begin(), placed_.end(), moved[i]);
        }
    });
    for (const std::uint32_t slot : placed_) {
        if (!bodies[slot].in_use || awake.is_listed(slot)) continue;
        list_.push_back(moved_body(bodies, slot));
        list_.back().placed = true;
    }
    placed_.clear();
}

}  // namespace talus
