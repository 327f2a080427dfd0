#pragma once
/// Which bodies take part in the step: islands fall asleep together, and are woken together.
///
/// A body is *still* while it hardly gets anywhere, though it may tremble: its displacement since it last stopped counts, not its
/// speed. An island falls asleep once all of its bodies were still for settings::time_to_sleep. A body that touches a sleeping
/// body, or has a joint with it, wakes it.
///
/// A body that is nearly still for long in one place (settings::settle_speed) is braked, if dry friction would bring it to rest in
/// the end: small motions that no contact takes out do not keep a pile awake for ever.

#include <talus/broadphase/broadphase.h>
#include <talus/engine/profile.h>
#include "engine/bodies/body_store.h"
#include "engine/contacts/contact_table.h"
#include "engine/joints/joint_store.h"
#include "engine/sleeping/awake_set.h"
#include "engine/sleeping/island_supports.h"
#include "engine/solve/solver_bodies.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace talus {

class Sleeping {
public:
    /// What waking reads and writes.
    struct World {
        BodyStore& bodies;
        Colliders& colliders;
        Broadphase& broadphase;
        const ContactTable& contacts;
        const JointStore& joints;
    };

    /// The bodies that take part in the step.
    const AwakeSet& awake() const { return awake_; }
    /// Makes the list of awake bodies valid after changes.
    void compact() { awake_.compact(); }
    /// Adds or takes out one body, which was added, removed or changed by the user.
    void add(std::uint32_t slot) { awake_.insert(slot); }
    void remove(std::uint32_t slot) { awake_.erase(slot); }

    /// Wakes a dynamic body with all it touches, directly or not. Does nothing to others.
    void wake(const World& world, std::uint32_t slot);
    void wake_all(const World& world);
    /// Puts one body to sleep: without velocity and forces.
    void put_to_sleep(const World& world, std::uint32_t slot);
    /// Wakes the bodies that touch one that is about to change or go.
    void wake_neighbours(const World& world, std::uint32_t slot);
    /// Wakes the sleeping bodies at the place where this one now is.
    void wake_overlapping(const World& world, std::uint32_t slot);
    /// The body's velocity was set.
    void start_moving(const World& world, std::uint32_t slot);

    /// In the stage `finish`: puts islands to sleep. `islands` are those of `in`, whose paths this shortens.
    void update(const World& world, const SolveInput& in, Islands& islands, const IslandSupports& supports,
                const SolverBodies& moving, bool allow_sleep, float dt, FrameProfile& profile);

    std::size_t bytes() const {
        return awake_.bytes() + island_still_time_.capacity() * sizeof(float) +
               stack_.capacity() * sizeof(std::uint32_t);
    }

private:
    AwakeSet awake_;
    // Scratch.
    std::vector<float> island_still_time_;  ///< by solver index of the island's root, s
    std::vector<std::uint32_t> stack_;      ///< body slots
};

}  // namespace talus
