/// The papers' methods against each other on the same poses, in every combination.

#include "profiling/bench/gjk/gjk_papers.h"

#include "profiling/bench/bullet.h"
#include "profiling/bench/gjk/method_runs.h"
#include "profiling/bench/papers/papers_distance.h"

#include <algorithm>
#include <cstdio>
#include <string>

namespace talus::profiling {

namespace {

/// Every combination that differs in this experiment: without a memory, what starts or searches from one is the same as
/// something else.
std::vector<QueryMethod> methods_for(const Experiment& experiment, bool bullet) {
    std::vector<QueryMethod> result{{QueryMethod::Kind::talus, {}}};
    if (bullet) result.push_back({QueryMethod::Kind::bullet, {}});
    const bool tracked = experiment.motion.tracked();
    for (int simplex = 0; simplex < simplex_method_count; ++simplex) {
        for (int support = 0; support < support_method_count; ++support) {
            for (int start = 0; start < start_method_count; ++start) {
                for (int stop = 0; stop < stop_method_count; ++stop) {
                    const GjkMethods m{static_cast<SimplexMethod>(simplex), static_cast<SupportMethod>(support),
                                       static_cast<StartMethod>(start), static_cast<StopMethod>(stop)};
                    const bool remembers = m.support == SupportMethod::neighbours ||
                                           m.start == StartMethod::last_support_pair ||
                                           m.start == StartMethod::last_simplex;
                    if (tracked || !remembers) result.push_back({QueryMethod::Kind::papers, m});
                }
            }
        }
    }
    return result;
}

/// "simplex support start stop".
std::string name_of(const QueryMethod& method) {
    if (method.kind == QueryMethod::Kind::talus) return "Talus, the production query";
    if (method.kind == QueryMethod::Kind::bullet) return "Bullet, btGjkPairDetector";
    char text[128];
    const GjkMethods& m = method.methods;
    std::snprintf(text, sizeof text, "%-15s %-21s %-17s %s", talus::name_of(m.simplex), talus::name_of(m.support),
                  talus::name_of(m.start), talus::name_of(m.stop));
    return text;
}

/// All methods: nanoseconds by size, and sums or means over the sizes. The fastest of the papers' methods has a star,
/// as in the paper.
void print_all_rows(const std::vector<QueryMethod>& methods, const MethodTable& table,
                    const std::vector<Sizes>& sizes) {
    std::vector<double> least(sizes.size(), 1e300);
    for (std::size_t m = 0; m < methods.size(); ++m) {
        for (std::size_t s = 0; s < sizes.size(); ++s) {
            const MethodFigures& row = table[m][s];
            if (methods[m].kind == QueryMethod::Kind::papers && row.failures == 0)
                least[s] = std::min(least[s], row.ns);
        }
    }
    for (std::size_t m = 0; m < methods.size(); ++m) {
        std::printf("%-71s |", name_of(methods[m]).c_str());
        MethodFigures sum;
        for (std::size_t s = 0; s < sizes.size(); ++s) {
            const MethodFigures& row = table[m][s];
            std::printf(" %8.0f%s", row.ns,
                        row.ns <= least[s] && methods[m].kind == QueryMethod::Kind::papers ? "*" : " ");
            const auto n = static_cast<double>(sizes.size());
            sum.iterations += row.iterations / n;
            sum.support_evaluations += row.support_evaluations / n;
            sum.dot_products += row.dot_products / n;
            sum.failures += row.failures;
            sum.error = std::max(sum.error, row.error);
        }
        std::printf(" | %6.2f %8.2f %8.1f %6d %8.1e\n", sum.iterations, sum.support_evaluations, sum.dot_products,
                    sum.failures, sum.error);
    }
}

}  // namespace

void print_papers(const GjkOptions& options) {
    std::printf("%s\n", bullet_note);
    if (options.csv != nullptr) std::fputs(method_csv_header, options.csv);
    for (const Experiment* experiment : options.chosen) {
        const std::vector<QueryMethod> methods = methods_for(*experiment, options.bullet);
        const MethodTable table = measure_methods(*experiment, methods, options);
        print_experiment_heading(*experiment, options);
        print_paper_rows(*experiment, methods, table, options.sizes);
        std::printf("%-15s %-21s %-17s %-15s |", "simplex", "support", "start", "stop");
        print_size_columns(options.sizes, 8);
        std::printf(" | %6s %8s %8s %6s %8s\n", "iter", "supports", "dots", "failed", "error");
        print_all_rows(methods, table, options.sizes);
        std::printf("\n");
        std::fflush(stdout);
    }
}

}  // namespace talus::profiling
