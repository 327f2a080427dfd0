#pragma once
/// Stage `collide`, and what the stages after it know of its result: the contacts of awake bodies, and which of them touch.
///
///     awake bodies -> active() -> narrowphase -> touching()
///
/// Later stages change the list of touching contacts: mesh contacts are merged, the user's modifier takes contacts out, and islands
/// that were woken bring theirs. The list of the last step is kept to find the contacts that no longer touch.

#include <talus/engine/profile.h>
#include <talus/jobs.h>
#include <talus/narrowphase/collide.h>
#include "engine/contacts/contact_world.h"
#include "engine/events/contact_events.h"
#include "engine/sleeping/awake_set.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class ActiveContacts {
public:
    /// Tests the contacts of awake bodies. `awake` must be compact. `any_locked`: some body of the world may have locked axes.
    void collide(const ContactWorld& world, const AwakeSet& awake, const CollideSettings& settings, bool any_locked,
                 const Jobs& jobs, NarrowphaseProfile& profile);
    /// Islands were woken since: their contacts touch as they did when these islands fell asleep. `awake` must be compact.
    void add_woken(const ContactWorld& world, const AwakeSet& awake);
    /// Once the step is done: tells the events which contacts began or ended to touch.
    void note_touches(const ContactWorld& world, const Jobs& jobs, ContactEvents& events);

    /// Contacts that `collide` has tested in this step, ascending.
    std::span<const std::uint32_t> active() const { return active_; }
    /// Contacts that have a manifold, ascending until impacts are appended.
    std::vector<std::uint32_t>& touching() { return touching_; }
    std::span<const std::uint32_t> last_touching() const { return last_touching_; }
    std::size_t bytes() const;

private:
    /// Of one thread's part of the contacts.
    struct Task {
        CollideScratch scratch;
        NarrowphaseProfile profile;
        std::vector<std::uint32_t> touching;
        std::vector<std::uint32_t> changed;  ///< contacts that begin or end to touch
    };

    std::vector<std::uint32_t> active_;
    std::vector<std::uint32_t> active_and_woken_;
    std::vector<std::uint32_t> touching_, last_touching_;
    std::vector<Task> tasks_;
};

}  // namespace talus
