#pragma once
/// Stage `pairs`: the broadphase's events begin and end body pairs, and body pairs get contacts of their shapes.
///
///     broadphase begun/ended -> body pair -> far:  no contacts
///                                            near: one contact for two bodies of one convex shape each
///                                                  one per two shapes whose boxes are near, for compounds
///                                                  one per triangle that is near, for meshes
///
/// A pair whose bounding spheres do not overlap is *far*: it has no contacts, and costs one sphere test per step. When
/// a pair gets far again, its contacts are removed within 16 steps: each step looks at a sixteenth of all contacts.

#include <talus/broadphase/broadphase.h>
#include <talus/engine/profile.h>
#include <talus/jobs.h>
#include "common/scratch.h"
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
struct alignas(32) BoundingSphere {
    dvec3 center{0.0};
    float reach = 0.0f;  ///< the body's radius, plus contact margin, plus its displacement in the step, m
};

class BodyPairs {
public:
    struct Input {
        const ContactWorld& world;
        const JointStore& joints;
        const AwakeSet& awake;                    ///< compact
        std::span<const BoundingSphere> spheres;  ///< by body slot
        bool enable_skip = true;                  ///< if false, no pair is far: all have contacts
        MeshContacts& mesh_contacts;
        ContactEvents& events;
    };
    /// Does the stage, except for the contacts of compounds. The broadphase must be up to date. `proxy_bodies` are body
    /// slots by proxy, null_index for a proxy that was removed.
    void update(const Input& in, const Broadphase& broadphase, std::span<const std::uint32_t> proxy_bodies,
                const Jobs& jobs, FrameProfile& profile);

    /// Adds and removes the contacts of compounds. Called after ContactEvents::settle_changes(), which must find the
    /// contacts of shapes that the user has changed since the last step.
    void update_compounds(const Input& in);

    /// Removes a pair with its contacts, and reports the touching ones as ended.
    static void drop(const Input& in, std::uint32_t pair, ContactEvents::When when);
    /// Adds or removes the contacts of two bodies after a joint between them was added, removed, or changed whether it
    /// lets them collide.
    void update_collision_of(const Input& in, std::uint32_t body_a, std::uint32_t body_b);
    /// Removes all pairs of a body.
    static void drop_all_of(const Input& in, std::uint32_t body, ContactEvents::When when);

    /// Sets Pair::edges of the pairs with a compound to 0. The stage `graph` counts them anew.
    void clear_edge_counts(ContactTable& contacts) const { compounds_.clear_edge_counts(contacts); }
    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(compounds_);
    }
    /// See CompoundPairs::fit().
    bool fit(const ContactTable& contacts) const { return compounds_.fit(contacts); }
    std::size_t bytes() const;

private:
    struct NearTask {
        std::vector<std::uint32_t> near;  ///< pairs that were far and are near now
        std::uint32_t far = 0;            ///< number of pairs that are still far
    };
    void begin(const Input& in, std::uint32_t body_a, std::uint32_t body_b);
    void end(const Input& in, std::span<const ProxyPair> ended, std::span<const std::uint32_t> proxy_bodies);
    void expect_contacts(const Input& in, std::uint32_t pair);
    void begin_contacts(const Input& in, std::uint32_t pair);
    static void end_contacts(const Input& in, std::uint32_t pair, ContactEvents::When when);
    void end_far_contacts(const Input& in, std::uint64_t frame);
    void begin_near_contacts(const Input& in, const Jobs& jobs, FrameProfile& profile);

    CompoundPairs compounds_;
    Scratch<std::vector<NearTask>> near_tasks_;
    Scratch<std::vector<std::uint32_t>> pair_with_;  ///< by body: the last pair that a walk in end() found
};

}  // namespace talus
