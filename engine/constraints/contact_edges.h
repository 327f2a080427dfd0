#pragma once
/// The edges of the constraint graph: contacts that have points and are solid.

#include <talus/jobs.h>
#include "engine/constraints/constraint_graph.h"
#include "engine/contacts/contact_world.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// Makes the edges of the touching contacts, in their order. Their bodies are body slots.
void find_edges(const ContactView& world, std::span<const std::uint32_t> touching,
                std::vector<ConstraintGraph::Edge>& edges, const Jobs& jobs);

}  // namespace talus
