#include <talus/engine/pose_buffer.h>

#include "engine/world/world_state.h"

#include <glm/gtc/quaternion.hpp>

#include <algorithm>

namespace talus {

bool Poses::contains(BodyId body) const {
    return !body.is_null() && body.slot < entries_.size() && entries_[body.slot].body == body;
}

WorldTransform Poses::pose(BodyId body, float alpha) const {
    if (!contains(body)) return {};
    const Entry& entry = entries_[body.slot];
    const bool still = entry.before.position == entry.pose.position && entry.before.rotation == entry.pose.rotation;
    if (!(alpha < 1.0f) || still || entry.moved_in != step_) return entry.pose;
    alpha = std::max(alpha, 0.0f);
    const quat rotation = glm::slerp(entry.before.rotation, entry.pose.rotation, alpha);
    const vec3 moved(entry.pose.position - entry.before.position);
    return {displaced(entry.before.position, alpha * moved), normalized(rotation)};
}

void Poses::enter(const MovedBody& moved) {
    if (moved.body.slot >= entries_.size()) entries_.resize(moved.body.slot + 1);
    Entry& entry = entries_[moved.body.slot];
    entry.before = !moved.placed && entry.body == moved.body ? entry.pose : moved.pose;
    entry.body = moved.body;
    entry.moved_in = step_;
    entry.pose = moved.pose;
}

/// `latest` is what was published last. If this object was published just before that, it lacks only what moved in the
/// step of `latest`; otherwise it becomes a copy. What moved since `latest` is in the world's list, unless steps were left
/// out; then every body counts as moved.
void Poses::update(const World& world, const Poses& latest) {
    const MovedBodies& now = world.state_->moved_bodies;
    const bool follows = now.step_before() == latest.step_ && latest.step_ != 0;
    if (follows && latest.step_before_ == step_ && step_ != 0) {
        entries_.resize(latest.entries_.size());
        for (const MovedBody& moved : latest.moved_) entries_[moved.body.slot] = latest.entries_[moved.body.slot];
        for (const BodyId body : latest.stopped_) entries_[body.slot] = latest.entries_[body.slot];
    } else {
        entries_ = latest.entries_;
    }
    step_ = now.step();
    step_before_ = now.step_before();
    moved_.clear();
    stopped_.clear();
    if (follows) {
        moved_.assign(now.list().begin(), now.list().end());
    } else {
        for (const BodyId body : world.bodies())
            moved_.push_back({.body = body,
                              .user_data = world.user_data(body),
                              .pose = world.transform(body),
                              .placed = !contains(body)});
    }
    for (const MovedBody& moved : moved_) enter(moved);
    if (follows) {
        for (const MovedBody& moved : latest.moved_) {
            if (entries_[moved.body.slot].moved_in != step_) stopped_.push_back(moved.body);
        }
    } else {
        for (Entry& entry : entries_) {
            if (entry.moved_in != step_) entry.body = {};  // removed
        }
    }
}

void PoseBuffer::update(const World& world) {
    const std::uint64_t step = world.state_->moved_bodies.step();
    if (step != 0 && step == latest()->step_) return;
    poses_.publish([&](Poses& next, const Poses& latest) { next.update(world, latest); });
}

}  // namespace talus
