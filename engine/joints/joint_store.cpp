#include "engine/joints/joint_store.h"

#include <atomic>

namespace talus {

std::uint64_t JointStore::next_stamp() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::uint32_t JointStore::add(Joint joint, JointBodies bodies) {
    std::uint32_t slot;
    if (free_.empty()) {
        slot = static_cast<std::uint32_t>(joints_.size());
        joints_.emplace_back().generation = handles::first_generation(tag_);
        bodies_.emplace_back();
        revisions_.emplace_back();
    } else {
        slot = free_.back();
        free_.pop_back();
    }
    revisions_[slot] = next_stamp();
    joint.in_use = true;
    joint.generation = joints_[slot].generation;
    joints_[slot] = joint;
    bodies_[slot] = bodies;
    link(slot, 0, bodies.a);
    link(slot, 1, bodies.b);
    ++live_count_;
    version_ = next_stamp();
    return slot;
}

void JointStore::remove(std::uint32_t slot) {
    unlink(slot, 0, bodies_[slot].a);
    unlink(slot, 1, bodies_[slot].b);
    const std::uint32_t generation = handles::next_generation(joints_[slot].generation);
    joints_[slot] = Joint{};
    joints_[slot].generation = generation;
    bodies_[slot] = JointBodies{};
    free_.push_back(slot);
    --live_count_;
    version_ = next_stamp();
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

const char* JointStore::problem(const BodyStore& bodies) const {
    std::uint32_t used = 0, linked = 0;
    const auto is_body = [&](std::uint32_t slot) { return slot < bodies.slot_count() && bodies[slot].in_use; };
    for (std::uint32_t j = 0; j < joints_.size(); ++j) {
        const Joint& joint = joints_[j];
        if (!joint.in_use) {
            if (bodies_[j].a != null_index || bodies_[j].b != null_index) return "a joint that is free has bodies";
            continue;
        }
        ++used;
        const bool is_gear = joint.kind == JointKind::gear;
        if (!is_body(bodies_[j].a) || !(is_body(bodies_[j].b) || (is_gear && bodies_[j].b == null_index)))
            return "a joint has no such body";
        if (bodies_[j].a == bodies_[j].b) return "a joint connects a body with itself";
        linked += bodies_[j].b != null_index ? 2 : 1;
        for (std::size_t side = 0; side < 2; ++side) {
            const std::uint32_t geared = joint.geared[side];
            if (!is_gear) {
                if (geared != null_index) return "a joint that is no gear has gear wheels";
                continue;
            }
            if (geared >= joints_.size() || !joints_[geared].in_use) return "a gear has no such joint";
            const JointKind kind = joints_[geared].kind;
            const std::uint32_t body = side == 0 ? bodies_[j].a : bodies_[j].b;
            const bool fits = body == bodies_[geared].a || body == bodies_[geared].b || body == null_index;
            if ((kind != JointKind::hinge && kind != JointKind::slider) || !fits)
                return "a gear connects joints that do not fit";
        }
        if (is_gear && joint.geared[0] == joint.geared[1]) return "a gear connects a joint with itself";
    }
    if (used != live_count_ || used + free_.size() != joints_.size()) return "a number of joints is wrong";
    std::vector<bool> free(joints_.size(), false);
    for (const std::uint32_t j : free_) {
        if (j >= joints_.size() || joints_[j].in_use || free[j]) return "the list of free joints is wrong";
        free[j] = true;
    }
    if (first_.size() > bodies.slot_count()) return "a list of joints belongs to no body";
    std::vector<bool> seen(2 * joints_.size(), false);
    for (std::uint32_t body = 0; body < first_.size(); ++body) {
        std::uint32_t before = null_index;
        for (std::uint32_t j = first_[body]; j != null_index;) {
            if (j >= joints_.size() || !joints_[j].in_use) return "a list of joints is wrong";
            const std::size_t side = bodies_[j].a == body ? 0 : 1;
            if ((side == 1 && bodies_[j].b != body) || seen[2 * j + side] || joints_[j].previous[side] != before)
                return "a list of joints is wrong";
            seen[2 * j + side] = true;
            --linked;
            before = j;
            j = joints_[j].next[side];
        }
    }
    return linked == 0 ? nullptr : "a joint is not in the list of its body";
}

std::size_t JointStore::bytes() const {
    return joints_.capacity() * sizeof(Joint) + bodies_.capacity() * sizeof(JointBodies) +
           (first_.capacity() + free_.capacity()) * sizeof(std::uint32_t) +
           revisions_.capacity() * sizeof(std::uint64_t);
}

}  // namespace talus
