#pragma once
/// `talus-profile gjk`: Talus's production query against Bullet's.

#include "profiling/bench/gjk/gjk_experiment.h"

namespace talus::profiling {

/// Prints a table for each chosen experiment.
void print_production(const GjkOptions& options);

}  // namespace talus::profiling
