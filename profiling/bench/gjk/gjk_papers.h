#pragma once
/// `talus-profile gjk --papers`: the papers' methods (gjk_variants.h) in every combination, beside Talus's production query and Bullet.

#include "profiling/bench/gjk/gjk_experiment.h"

namespace talus::profiling {

/// Prints a table for each chosen experiment.
void print_papers(const GjkOptions& options);

}  // namespace talus::profiling
