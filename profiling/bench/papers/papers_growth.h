#pragma once
/// `talus-profile papers --growth`: how the cost of a query grows with the vertices ("almost linear": Liu et al.,
/// sections I, IV and V).

#include "profiling/bench/papers/papers.h"

namespace talus::profiling {

int print_growth(const PapersOptions& options);

}  // namespace talus::profiling
