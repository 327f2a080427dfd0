#pragma once
/// `talus-profile papers --stop`: when a search ends. Jovanoski's lower bound (section 2) by allowed error, and the
/// recurring vertex of Liu et al. (section 2.1) on pairs of every kind.

#include "profiling/bench/papers/papers.h"

namespace talus::profiling {

int print_stop(const PapersOptions& options);

}  // namespace talus::profiling
