#pragma once
/// The contacts of a step by solver index, as input of the classes that choose the stiffness of contacts.

#include <talus/narrowphase/collide.h>
#include "engine/bodies/body_store.h"
#include "engine/constraints/constraint_graph.h"
#include "engine/contacts/contact_table.h"

#include <cstdint>
#include <span>

namespace talus {

struct SolverContacts {
    std::span<const ConstraintGraph::Edge> edges;  ///< with their links (stiff_groups.h)
    std::span<const std::uint32_t> slots;          ///< body slots by solver index
    std::uint32_t movable_end;                     ///< bodies from this solver index on cannot be pushed
    const BodyStore& bodies;
    const ContactTable& contacts;
    const Colliders& colliders;
};

}  // namespace talus
