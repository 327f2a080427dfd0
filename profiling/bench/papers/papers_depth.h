#pragma once
/// `talus-profile papers --stop` and `--depth`: Jovanoski's lower-bound stop (section 2), and EPA (section 5).

#include "profiling/bench/papers/papers.h"

namespace talus::profiling {

int print_stop(const PapersOptions& options);
int print_depth(const PapersOptions& options);

}  // namespace talus::profiling
