#pragma once
/// `talus-profile papers --distance`: Liu et al., Tables 2 and 3, with rows that their conclusions need and that they lack.

#include "profiling/bench/gjk/method_runs.h"
#include "profiling/bench/papers/papers.h"

namespace talus::profiling {

int print_distance(const PapersOptions& options);

/// The table of Liu et al. that this experiment repeats, theirs beside ours, and an empty line; nothing for other experiments.
/// `methods` must hold the methods of the table's rows, and `table` what they did.
void print_paper_rows(const Experiment& experiment, const std::vector<QueryMethod>& methods, const MethodTable& table,
                      const std::vector<Sizes>& sizes);

}  // namespace talus::profiling
