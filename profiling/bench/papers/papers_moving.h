#pragma once
/// `talus-profile papers --moving`: the time of collision of translating hulls (Ericson, section 4).

#include "profiling/bench/papers/papers.h"

namespace talus::profiling {

int print_moving(const PapersOptions& options);

}  // namespace talus::profiling
