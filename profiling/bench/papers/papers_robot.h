#pragma once
/// `talus-profile papers --robot`: what planning the motion of Liu et al.'s redundant robot costs, by distance method.

#include "profiling/bench/papers/papers.h"

namespace talus::profiling {

int print_robot(const PapersOptions& options);

}  // namespace talus::profiling
