#pragma once
/// `talus-profile papers --support`: what support searches cost, and how that grows (Liu et al., Figure 9; Cameron and
/// Jovanoski on hill climbing; Ericson on hierarchies).

#include "profiling/bench/papers/papers.h"

namespace talus::profiling {

int print_support(const PapersOptions& options);

}  // namespace talus::profiling
