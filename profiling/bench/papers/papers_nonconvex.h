#pragma once
/// Jimenez and Torras (1999), Figures 4, 5 and 6: edge-face tests, times and the quality of the lower distance bound,
/// with and without pruning by orientation.

#include "profiling/bench/papers/papers.h"

namespace talus::profiling {

/// Gives the exit code.
int print_nonconvex(const PapersOptions& options);

}  // namespace talus::profiling
