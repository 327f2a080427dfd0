#include "profiling/bench/papers/papers_depth.h"

#include "profiling/bench/gjk/gjk_check.h"
#include "profiling/bench/gjk/gjk_experiment.h"
#include "profiling/bench/measure.h"

#include <talus/narrowphase/gjk_variants.h>
#include <talus/narrowphase/separation.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace talus::profiling {

namespace {

/// The pairs of an experiment of `talus-profile gjk`, as many as the options call for.
std::vector<PosedPair> pairs_of(const char* experiment, const Sizes& sizes, const PapersOptions& options) {
    return make_pairs(sizes.a, sizes.b, find_experiment(experiment)->motion, options.quick ? 2 : 8,
                      options.quick ? 10 : 100, options.seed);
}

struct Stop {
    const char* name;
    StopMethod method;
    double gap;
};

constexpr Stop stops[] = {
    {"bound, e = 0.1 |v|", StopMethod::bound, 0.1},           {"bound, e = 0.01 |v|", StopMethod::bound, 0.01},
    {"bound, e = 0.001 |v|", StopMethod::bound, 1e-3},        {"bound, e = 1e-6 |v|", StopMethod::bound, 1e-6},
    {"recurring vertex", StopMethod::recurring_vertex, 1e-6},
};

}  // namespace

int print_stop(const PapersOptions& options) {
    std::fputs(R"(The lower-bound stop (Jovanoski, section 2; recurring vertices: Liu et al., section 2.1)
Theirs: |v| - mu <= e ends the search; mu, the best support plane so far, is a lower bound of the distance, so e bounds
the error. No figures. Ours: unrelated poses of hulls of random points on a unit ball, 0.05 to 2 apart; simplices of the
production query, linear search. The error is the share of the distance that is too much, never more than e, by a run
with e = 1e-9.

)",
               stdout);
    std::printf("%-22s %-10s |", "stop", "vertices");
    std::printf(" %10s %10s %12s %10s\n", "iterations", "ns", "mean error", "largest");
    for (const Sizes& sizes : quick_sizes) {
        const std::vector<PosedPair> pairs = pairs_of("static", sizes, options);
        std::vector<PolytopeGraph> a, b;
        for (const PosedPair& pair : pairs) {
            a.push_back(*make_polytope_graph(pair.a));
            b.push_back(*make_polytope_graph(pair.b));
        }
        // All poses by one stop, in order; `visit(result)`.
        const auto run = [&](const Stop& stop, auto&& visit) {
            GjkMethods methods;
            methods.stop = stop.method;
            methods.gap = stop.gap;
            for (std::size_t p = 0; p < pairs.size(); ++p) {
                for (const MatrixTransform& pose : pairs[p].poses) {
                    GjkVariantMemory memory;
                    visit(gjk_variant(a[p], b[p], pose, methods, memory));
                }
            }
        };
        std::vector<double> truth;
        run({"", StopMethod::bound, 1e-9}, [&](const GjkVariantResult& r) { truth.push_back(r.distance); });
        for (const Stop& stop : stops) {
            double iterations = 0.0, sum = 0.0, largest = 0.0;
            std::size_t i = 0;
            run(stop, [&](const GjkVariantResult& r) {
                const double error = std::abs(1.0 - truth[i++] / r.distance);
                iterations += r.iterations;
                sum += error;
                largest = std::max(largest, error);
            });
            std::vector<double> ns;
            volatile double sink = 0.0;
            for (int k = 0; k < options.repeats; ++k)
                ns.push_back(time_of(1, [&] { run(stop, [&](const GjkVariantResult& r) { sink = r.distance; }); }));
            const auto count = static_cast<double>(truth.size());
            char text[32];
            std::snprintf(text, sizeof text, "%d/%d", sizes.a, sizes.b);
            std::printf("%-22s %-10s | %10.2f %10.0f %12.1e %10.1e\n", stop.name, text, iterations / count,
                        median(ns) / count, sum / count, largest);
        }
    }
    std::printf("\n");
    return 0;
}

int print_depth(const PapersOptions& options) {
    std::fputs(R"(Penetration depth by the expanding polytope (Jovanoski, section 5)
Theirs: it starts from GJK's simplex and 'returns the exact penetration depth of an intersecting pair of polytopes'. No
figures. Ours: unrelated poses of hulls of random points on a unit ball, 0.01 to 0.2 deep; GJK and EPA as the engine has
them, in its floats, cold; the error is against the least over all faces of the Minkowski difference.

)",
               stdout);
    std::printf("%-10s | %12s %12s %10s %10s | %8s %14s\n", "vertices", "GJK iter", "EPA iter", "supports", "ns",
                "checked", "largest error");
    const Sizes all[] = {{8, 8}, {20, 30}, {40, 50}, {100, 120}, {250, 300}};
    const std::size_t count = options.quick ? 2 : std::size(all);
    for (const Sizes& sizes : std::span(all, count)) {
        const std::vector<PosedPair> pairs = pairs_of("penetrating", sizes, options);
        const int wanted = options.quick ? 4 : sizes.a > 100 ? 8 : 64;
        double gjk_iterations = 0.0, epa_iterations = 0.0, supports = 0.0, largest = 0.0, queries = 0.0;
        int checked = 0;
        for (const PosedPair& pair : pairs) {
            for (const MatrixTransform& pose : pair.poses) {
                SimplexCache cold;
                const SeparationResult r = separation(pair.a, pair.b, pose, cold);
                queries += 1.0;
                gjk_iterations += r.gjk.iterations;
                epa_iterations += r.epa.iterations;
                supports += r.gjk.support_evaluations + r.epa.support_evaluations;
                // Spread over all pairs.
                if (checked >= wanted || static_cast<int>(queries) % static_cast<int>(pairs.size()) != 0) continue;
                ++checked;
                largest = std::max(largest, std::abs(exact_depth(pair, pose) + static_cast<double>(r.separation)));
            }
        }
        std::vector<double> ns;
        volatile float sink = 0.0f;
        for (int k = 0; k < options.repeats; ++k) {
            ns.push_back(time_of(1, [&] {
                for (const PosedPair& pair : pairs) {
                    for (const MatrixTransform& pose : pair.poses) {
                        SimplexCache cold;
                        sink = separation(pair.a, pair.b, pose, cold).separation;
                    }
                }
            }));
        }
        char text[32];
        std::snprintf(text, sizeof text, "%d/%d", sizes.a, sizes.b);
        std::printf("%-10s | %12.2f %12.2f %10.2f %10.0f | %8d %14.1e\n", text, gjk_iterations / queries,
                    epa_iterations / queries, supports / queries, median(ns) / queries, checked, largest);
    }
    std::printf("\n");
    return 0;
}

}  // namespace talus::profiling
