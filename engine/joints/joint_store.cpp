#include "engine/joints/joint_store.h"

namespace talus {

std::uint32_t JointStore::add(Joint joint, JointBodies bodies) {
    std::uint32_t slot;
    if (free_.empty()) {
        slot = static_cast<std::uint32_t>(joints_.size());
        joints_.emplace_back();
        bodies_.emplace_back();
        revisions_.push_back(0);
    } else {
        slot = free_.back();
        free_.pop_back();
    }
    joint.in_use = true;
    joint.generation = joints_[slot].generation;
    joints_[slot] = joint;
    bodies_[slot] = bodies;
    link(slot, 0, bodies.a);
    link(slot, 1, bodies.b);
    ++live_count_;
    ++version_;
    return slot;
}

void JointStore::remove(std::uint32_t slot) {
    unlink(slot, 0, bodies_[slot].a);
    unlink(slot, 1, bodies_[slot].b);
    const std::uint32_t generation = joints_[slot].generation + 1;
    joints_[slot] = Joint{};
    joints_[slot].generation = generation;
    bodies_[slot] = JointBodies{};
    free_.push_back(slot);
    --live_count_;
    ++version_;
}

void JointStore::link(std::uint32_t slot, int side, std::uint32_t body) {
    if (body == null_index) return;
    if (body >= first_.size()) first_.resize(body + 1, null_index);
    const std::uint32_t head = first_[body];
    joints_[slot].next[side] = head;
    joints_[slot].previous[side] = null_index;
    if (head != null_index) joints_[head].previous[bodies_[head].a == body ? 0 : 1] = slot;
    first_[body] = slot;
}

void JointStore::unlink(std::uint32_t slot, int side, std::uint32_t body) {
    if (body == null_index) return;
    const std::uint32_t next = joints_[slot].next[side], previous = joints_[slot].previous[side];
    if (next != null_index) joints_[next].previous[bodies_[next].a == body ? 0 : 1] = previous;
    if (previous != null_index) {
        joints_[previous].next[bodies_[previous].a == body ? 0 : 1] = next;
    } else {
        first_[body] = next;
    }
}

std::size_t JointStore::bytes() const {
    return joints_.capacity() * sizeof(Joint) + bodies_.capacity() * sizeof(JointBodies) +
           (first_.capacity() + free_.capacity() + revisions_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace talus
