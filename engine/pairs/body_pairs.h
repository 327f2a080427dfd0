#pragma once
/// Stage `pairs`: broadphase events become pairs of bodies, and pairs of bodies get contacts of their shapes.
///
///     broadphase begun/ended -> pair -> far, or contacts: one for simple bodies, those of near boxes for compounds,
///                                       those of near triangles for meshes
///
/// A pair whose bounding spheres do not overlap is *far*: it has no contacts, and a step costs it one sphere test.
/// Contacts of pairs that are far again are removed a sixteenth at a time.

#include <talus/broadphase/broadphase.h>
#include <talus/engine/profile.h>
#include <talus/jobs.h>
#include "engine/contacts/contact_world.h"
#include "engine/events/contact_events.h"
#include "engine/joints/joint_store.h"
#include "engine/pairs/compound_pairs.h"
#include "engine/sleeping/awake_set.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// A sphere around a body's centre of mass. Two bodies whose spheres do not overlap have no contact in this step.
struct alignas(16) BoundingSphere {
    vec3 center{0.0f};
    float reach = 0.0f;  ///< radius, contact margin and displacement in the step, m
};

class BodyPairs {
public:
    struct Input {
        const ContactWorld& world;
        const JointStore& joints;
        const AwakeSet& awake;                    ///< compact
        std::span<const BoundingSphere> spheres;  ///< by body slot
        bool enable_skip = true;                  ///< pairs may be far
        MeshContacts& mesh_contacts;
        ContactEvents& events;
    };
    /// The stage, once the broadphase is up to date, but for contacts of compounds. `proxy_bodies` are body slots by proxy,
    /// null_index once removed.
    void update(const Input& in, const Broadphase& broadphase, std::span<const std::uint32_t> proxy_bodies,
                const Jobs& jobs, FrameProfile& profile);

    /// Adds and removes contacts of compounds: afterwards, because what was changed since the last step is settled first.
    void update_compounds(const Input& in);

    /// Removes a pair with its contacts. Those that touched are reported.
    static void drop(const Input& in, std::uint32_t pair, ContactEvents::When when);
    /// A joint between two bodies came, went, or changed whether it lets them collide.
    void update_collision_of(const Input& in, std::uint32_t body_a, std::uint32_t body_b);
    /// Removes all pairs of a body.
    static void drop_all_of(const Input& in, std::uint32_t body, ContactEvents::When when);

    /// Sets Pair::edges of pairs with a compound to 0 (the stage `graph` counts them).
    void clear_edge_counts(ContactTable& contacts) const { compounds_.clear_edge_counts(contacts); }
    std::size_t bytes() const;

private:
    struct NearTask {
        std::vector<std::uint32_t> near;  ///< far pairs that came near
        std::uint32_t far = 0;            ///< the number of those that did not
    };
    void begin(const Input& in, std::uint32_t body_a, std::uint32_t body_b);
    void expect_contacts(const Input& in, std::uint32_t pair);
    void begin_contacts(const Input& in, std::uint32_t pair);
    static void end_contacts(const Input& in, std::uint32_t pair, ContactEvents::When when);
    void end_far_contacts(const Input& in, std::uint64_t frame);
    void begin_near_contacts(const Input& in, const Jobs& jobs, FrameProfile& profile);

    CompoundPairs compounds_;
    std::vector<NearTask> near_tasks_;
};

}  // namespace talus
