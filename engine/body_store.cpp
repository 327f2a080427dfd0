#include <talus/engine/body_store.h>

namespace talus {

std::uint32_t ShapePool::allocate(std::uint32_t count, Colliders& colliders) {
    for (std::size_t i = 0; i < free_runs_.size(); ++i) {
        if (free_runs_[i].count != count) continue;
        const std::uint32_t first = free_runs_[i].first;
        free_runs_[i] = free_runs_.back();
        free_runs_.pop_back();
        return first;
    }
    const auto first = static_cast<std::uint32_t>(defs.size());
    const std::size_t size = first + count;
    defs.resize(size);
    local_boxes.resize(size);
    world_boxes.resize(size);
    surfaces.resize(size);
    colliders.resize(size);
    return first;
}

void ShapePool::release(std::uint32_t first, std::uint32_t count, Colliders& colliders) {
    for (std::uint32_t i = first; i < first + count; ++i) {
        defs[i] = ShapeDef{};
        surfaces[i] = Surface{};
        colliders.shapes[i] = Shape{};
        ++colliders.versions[i];  // no cache that described the old shape will match what comes here next
    }
    free_runs_.push_back({first, count});
}

std::size_t ShapePool::bytes() const {
    return defs.capacity() * sizeof(ShapeDef) + (local_boxes.capacity() + world_boxes.capacity()) * sizeof(Aabb) +
           surfaces.capacity() * sizeof(Surface) + free_runs_.capacity() * sizeof(FreeRun);
}

std::uint32_t BodyStore::allocate() {
    std::uint32_t slot;
    if (free_.empty()) {
        slot = static_cast<std::uint32_t>(bodies_.size());
        bodies_.emplace_back();
    } else {
        slot = free_.back();
        free_.pop_back();
    }
    bodies_[slot].in_use = true;
    ++live_count_;
    return slot;
}

void BodyStore::release(std::uint32_t slot) {
    const std::uint32_t generation = bodies_[slot].generation + 1;
    bodies_[slot] = Body{};
    bodies_[slot].generation = generation;
    free_.push_back(slot);
    --live_count_;
}

}  // namespace talus
