#pragma once
/// Puts islands to sleep and wakes them. Only awake bodies take part in the step.
///
/// A body is *still* while its displacement since it last stopped is small. Its speed counts little, so it may tremble.
/// An island falls asleep when all of its bodies have been still for WorldDef::time_to_sleep. An awake body that
/// touches a sleeping body, or has a joint with it, wakes it.
///
/// A body that moves slowly in one place for long (settings::settle_speed) is braked, if dry friction would bring it to
/// rest in the end. Otherwise small motions that no contact stops would keep a pile awake for ever.

#include <talus/broadphase/broadphase.h>
#include <talus/engine/profile.h>
#include <talus/engine/world.h>
#include <talus/jobs.h>
#include "common/scratch.h"
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
    /// The stores that waking reads and writes.
    struct World {
        BodyStore& bodies;
        ShapePool& shapes;
        Colliders& colliders;
        Broadphase& broadphase;
        const ContactTable& contacts;
        const JointStore& joints;
    };

    /// The bodies that take part in the step.
    const AwakeSet& awake() const { return awake_; }
    /// Makes awake().list() valid after changes.
    void compact() { awake_.compact(); }
    /// Adds one body to the awake ones, or removes it, after the user has added, removed or changed it.
    void add(std::uint32_t slot) { awake_.insert(slot); }
    void remove(std::uint32_t slot) { awake_.erase(slot); }

    /// Wakes a dynamic body and all bodies that touch it or have a joint with it, directly or over others. Does nothing
    /// if the body is not dynamic.
    void wake(const World& world, std::uint32_t slot);
    void wake_all(const World& world);
    /// Puts one body to sleep. Sets its velocities and forces to zero.
    void put_to_sleep(const World& world, std::uint32_t slot);
    /// Wakes the bodies that touch a body, or have a joint with it, before it changes or is removed.
    void wake_neighbours(const World& world, std::uint32_t slot);
    /// Wakes the bodies whose fat AABBs overlap that of this body.
    void wake_overlapping(const World& world, std::uint32_t slot);
    /// Called after the body's velocity was set. Wakes a dynamic body; wakes the bodies that have a joint with a
    /// kinematic one.
    void start_moving(const World& world, std::uint32_t slot);

    /// The step whose end decides what falls asleep.
    struct Step {
        const SolveInput& in;
        Islands& islands;  ///< those of `in`; they get shorter paths
        const IslandSupports& supports;
        const SolverBodies& moving;
        const WorldDef& settings;
        float dt;  ///< s
    };
    // To put islands to sleep: begin(), settle() for each place in the awake list, by any thread, and end().
    void begin() { settled_.resize(awake_.list().size()); }
    /// Slows down a body that dry friction brings to rest, and finds out how long it has been still.
    void settle(std::size_t place, Body& body, const Step& step);
    /// Writes the number of islands and the kinetic energy to the profile.
    void end(const World& world, const Step& step, FrameProfile& profile);

    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(awake_);
    }
    /// See AwakeSet::restore().
    bool restore(std::size_t slots) { return awake_.restore(slots); }
    std::size_t bytes() const {
        return awake_.bytes() + island_still_time_.capacity() * sizeof(float) + settled_.capacity() * sizeof(Settled) +
               stack_.capacity() * sizeof(std::uint32_t);
    }

private:
    AwakeSet awake_;
    /// A body at the end of a step.
    struct Settled {
        double energy;  ///< kinetic, J
        float still_time;
        bool dynamic;
    };
    // Scratch.
    std::vector<float> island_still_time_;   ///< by solver index of the island's root, s
    Scratch<std::vector<Settled>> settled_;  ///< by place in the awake list
    std::vector<std::uint32_t> stack_;       ///< body slots
};

}  // namespace talus
