#pragma once
/// Stage `collide`, and the two lists that it leaves for later stages: the contacts of awake bodies, and the touching
/// ones.
///
///     awake bodies -> active() -> narrowphase -> touching()
///
/// Later stages change the list of touching contacts: mesh contacts are merged, the user's modifier removes contacts,
/// and islands that wake add theirs. The list of the last step is kept to find the contacts that no longer touch.

#include <talus/engine/profile.h>
#include <talus/jobs.h>
#include <talus/narrowphase/collide.h>
#include "common/scratch.h"
#include "engine/contacts/contact_world.h"
#include "engine/sleeping/awake_set.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class ActiveContacts {
public:
    /// Tests the contacts of awake bodies. `awake` must be compact. `any_locked` is false only if no body of the world
    /// has had locked axes.
    void collide(const ContactWorld& world, const AwakeSet& awake, const CollideSettings& settings, bool any_locked,
                 const Jobs& jobs, NarrowphaseProfile& profile);
    /// Adds the touching contacts of islands that were woken after collide(). They have the manifolds with which these
    /// islands fell asleep. `awake` must be compact.
    void add_woken(const ContactWorld& world, const AwakeSet& awake);

    /// The contacts that collide() has tested in this step, ascending.
    std::span<const std::uint32_t> active() const { return active_; }
    /// The contacts that have a manifold, ascending until impacts are appended.
    std::vector<std::uint32_t>& touching() { return touching_; }
    std::span<const std::uint32_t> touching() const { return touching_; }
    std::span<const std::uint32_t> last_touching() const { return last_touching_; }
    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(active_, touching_, last_touching_);
    }
    std::size_t bytes() const;

private:
    /// One part of the contacts, as one thread works on it.
    struct Task {
        CollideScratch scratch;
        NarrowphaseProfile profile;
        std::vector<std::uint32_t> touching;
    };

    std::vector<std::uint32_t> active_;
    std::vector<std::uint32_t> active_and_woken_;
    std::vector<std::uint32_t> touching_, last_touching_;
    Scratch<std::vector<Task>> tasks_;
};

}  // namespace talus
