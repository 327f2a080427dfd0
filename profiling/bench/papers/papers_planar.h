#pragma once
/// `talus-profile papers --planar`: distances of polygons, and the two-dimensional form of discard-and-add (Liu et al.,
/// section 3.1).

#include "profiling/bench/papers/papers.h"

namespace talus::profiling {

int print_planar(const PapersOptions& options);

}  // namespace talus::profiling
