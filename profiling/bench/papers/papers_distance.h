#pragma once
/// `talus-profile papers --distance`: Liu et al., Tables 2 and 3.

#include "profiling/bench/papers/papers.h"

namespace talus::profiling {

int print_distance(const PapersOptions& options);

}  // namespace talus::profiling
