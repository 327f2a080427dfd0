#pragma once
/// A contact as World::contacts() shows it to the user.

#include "engine/contacts/contact_world.h"
#include "engine/continuous/ccd_sweep.h"

#include <cstdint>
#include <optional>
#include <span>

namespace talus {

/// Returns nothing for a contact that does not touch, or of a sensor. `impacts` are those of the last step: they show a contact
/// without a manifold, which a swept body has hit on its way.
std::optional<Contact> contact_of(const ContactView& world, std::uint32_t contact, std::span<const Impact> impacts);

}  // namespace talus
