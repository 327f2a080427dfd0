#pragma once
/// Runs combinations of the papers' methods, Talus's production query and Bullet over the poses of an experiment of `talus-profile gjk`: what each
/// costs, how many iterations it takes, how far off it is, and how often it gives no answer.

#include "profiling/bench/gjk/gjk_experiment.h"

#include <talus/narrowphase/gjk_variants.h>

#include <vector>

namespace talus::profiling {

/// A combination of the papers' methods, or one of the two references.
struct QueryMethod {
    enum class Kind { papers, talus, bullet } kind = Kind::papers;
    GjkMethods methods;

    bool operator==(const QueryMethod& other) const;
};

/// What a method did over all poses of an experiment at one size.
struct MethodFigures {
    double ns = 0.0;         ///< per query that was answered
    double failed_ns = 0.0;  ///< per failed query; 0 if none failed. Failures end early, so they are not part of `ns`.
    double iterations = 0.0, support_evaluations = 0.0, dot_products = 0.0;  ///< means per query
    int failures =
        0;  ///< ended by a cap or otherwise without an answer; of overlapping pairs also those called separated
    double error = 0.0;  ///< largest of the answered ones
};

using MethodTable = std::vector<std::vector<MethodFigures>>;  ///< by method, then by size

/// Runs all methods on the same poses. Each repeat goes once through all methods, so that a machine that is slow for a while slows them all.
/// Writes rows to options.csv if that is open.
MethodTable measure_methods(const Experiment& experiment, const std::vector<QueryMethod>& methods,
                            const GjkOptions& options);

/// The header of what measure_methods() writes.
extern const char* const method_csv_header;

/// The title of the experiment and the number of its pairs, poses and repeats.
void print_experiment_heading(const Experiment& experiment, const GjkOptions& options);

/// Sizes as the heads of columns of this width.
void print_size_columns(const std::vector<Sizes>& sizes, int width);

}  // namespace talus::profiling
