#pragma once
/// `talus-profile papers --depth`: Jovanoski's EPA (section 5) beside Cameron's estimate of the depth.

#include "profiling/bench/papers/papers.h"

namespace talus::profiling {

int print_depth(const PapersOptions& options);

}  // namespace talus::profiling
