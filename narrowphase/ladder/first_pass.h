#pragma once
/// Internal: pass A of collide. It settles what needs no test of shapes (skip and reuse) and queues all other pairs.

#include "narrowphase/ladder/collide_call.h"

#include <cstdint>
#include <span>

namespace talus::detail {

/// Runs over the records of the active pairs, four at a time. It settles pairs that are proved to be separated still
/// and those whose manifold still holds, and puts each of the others on the worklist of the cheapest test that may
/// settle it.
void run_first_pass(const CollideCall& call, std::span<const std::uint32_t> active);

}  // namespace talus::detail
