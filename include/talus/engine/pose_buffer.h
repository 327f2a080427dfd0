#pragma once
/// The poses of the last two steps, for a renderer that interpolates between them, on any thread.

#include <talus/engine/events.h>
#include <talus/latest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace talus {

class World;

/// The poses of a world's bodies after the last two steps. It does not change, so any number of threads may read it.
class Poses {
public:
    /// Returns whether the body was in the world after the last step. A body that was removed counts as being there
    /// until its slot is used again.
    bool contains(BodyId body) const;
    /// Returns the pose of the body's frame between the last two steps: 0 is before the last step, 1 after it; see
    /// FixedStep::alpha(). Values below 0 count as 0, those above 1 and NaN as 1. A body that was placed in between
    /// (MovedBody::placed) has its new pose for every alpha. The identity for a body that is not contained.
    WorldTransform pose(BodyId body, float alpha = 1.0f) const;
    /// The bodies that moved in the last step, as World::moved_bodies() lists them. All bodies if steps were
    /// left out, or if the world was assigned to; pose() then interpolates from the poses of the last update.
    std::span<const MovedBody> moved() const { return moved_; }
    /// The bodies that moved in the step before, but not in the last one. What draws only bodies that move draws these
    /// once more.
    std::span<const BodyId> stopped() const { return stopped_; }

private:
    friend class PoseBuffer;
    struct Entry {
        BodyId body;
        std::uint64_t moved_in = 0;  ///< the step (MovedBodies::step)
        WorldTransform before, pose;
    };
    void update(const World& world, const Poses& latest);
    void enter(const MovedBody& moved);

    std::vector<Entry> entries_;  ///< by body slot
    std::vector<MovedBody> moved_;
    std::vector<BodyId> stopped_;
    std::uint64_t step_ = 0, step_before_ = 0;  ///< see MovedBodies::step()
};

/// Keeps the poses of a world up to date for other threads.
///
///     buffer.update(world);                                        // on the thread of the world, after each step
///     const std::shared_ptr<const Poses> poses = buffer.latest();  // on the renderer's thread, at any time
class PoseBuffer {
public:
    /// Takes over the poses of the world after its last step. The costs follow the number of bodies that moved, if this
    /// is called after each step; otherwise, or after the world was assigned to, the number of all bodies. Does nothing
    /// if the world has not stepped since the last call: bodies that were added or placed since then come with the next
    /// step. Not to be called while the world steps.
    void update(const World& world);
    /// Returns the poses of the last update, at any time, on any thread. Never null.
    std::shared_ptr<const Poses> latest() const { return poses_.get(); }

private:
    Latest<Poses> poses_;
};

}  // namespace talus
