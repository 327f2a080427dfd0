#pragma once
/// The user's contact modifier (<talus/engine/contact_modifier.h>), called within the step.
///
/// Its changes to a contact hold for one step: the changed manifold replaces the narrowphase's
/// (ContactTable::manifold), and in the next step friction and restitution follow from the materials again.

#include <talus/engine/contact_modifier.h>
#include "engine/contacts/contact_world.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class ModifiedContacts {
public:
    void set(ContactModifier modifier, void* user) {
        modifier_ = modifier;
        user_ = user;
    }
    bool is_set() const { return modifier_ != nullptr; }

    /// Shows the modifier the touching contacts that ask for it, once per step. Contacts that it disables leave the
    /// list.
    void apply(const ContactWorld& world, std::vector<std::uint32_t>& touching);
    /// Resets friction and restitution of the contacts that were modified in the last step to those of their materials.
    void begin_step(const ContactWorld& world);

    /// Shows a contact to the modifier and applies its changes. `names` gives the bodies and shapes. Returns false if
    /// no point of the contact is left.
    bool modify(const BodyStore& bodies, const ContactEvent& names, const WorldTransform& pose_a,
                const WorldTransform& pose_b, Manifold& manifold, float& friction, float& restitution,
                bool touched) const;

    std::span<const std::uint32_t> modified() const { return modified_; }
    /// For saved worlds (common/bytes.h). The modifier is not saved.
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(modified_);
    }

private:
    ContactModifier modifier_ = nullptr;
    void* user_ = nullptr;
    std::vector<std::uint32_t> modified_;  ///< contacts modified in this step; some may be removed before the next one
};

}  // namespace talus
