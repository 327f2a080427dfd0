#pragma once
/// The user's contact modifier (<talus/engine/contact_modifier.h>), called within the step.
///
/// What it makes of a contact holds for one step: the manifold replaces the narrowphase's for the solver
/// (ContactTable::manifold), and friction and restitution follow from the materials again in the next step.

#include <talus/engine/contact_modifier.h>
#include "engine/contacts/contact_world.h"

#include <cstdint>
#include <vector>

namespace talus {

class ModifiedContacts {
public:
    void set(ContactModifier modifier, void* user) {
        modifier_ = modifier;
        user_ = user;
    }
    bool is_set() const { return modifier_ != nullptr; }

    /// Shows the touching contacts to the modifier that ask for it and that it has not seen in this step. Contacts that are not
    /// to be leave the list.
    void apply(const ContactWorld& world, std::vector<std::uint32_t>& touching);
    /// Friction and restitution of the contacts that were modified in the last step are those of their materials again.
    void begin_step(const ContactWorld& world);

    /// Shows a contact to the modifier, and does what it says. `names` gives the bodies and shapes. False if the contact is not
    /// to be.
    bool modify(const BodyStore& bodies, const ContactEvent& names, const Transform& pose_a, const Transform& pose_b,
                Manifold& manifold, float& friction, float& restitution, bool touched) const;

private:
    ContactModifier modifier_ = nullptr;
    void* user_ = nullptr;
    std::vector<std::uint32_t> modified_;  ///< contacts, some of which may be gone by the next step
};

}  // namespace talus
