#pragma once
/// Builds the Contact that World::contacts() returns.

#include "engine/contacts/contact_world.h"
#include "engine/continuous/ccd_sweep.h"

#include <cstdint>
#include <optional>
#include <span>

namespace talus {

/// Returns nothing for a contact that does not touch, or of a sensor. `impacts` are the impacts of the last step: a
/// contact that only a swept body has made within the step has no manifold, so its point comes from the impact.
std::optional<Contact> contact_of(const ContactView& world, std::uint32_t contact, std::span<const Impact> impacts);

}  // namespace talus
