#include "profiling/bench/papers/papers_depth.h"

#include "profiling/bench/gjk/gjk_check.h"
#include "profiling/bench/gjk/gjk_experiment.h"
#include "profiling/bench/measure.h"

#include <talus/narrowphase/papers/penetration_estimate.h>
#include <talus/narrowphase/separation.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <span>
#include <utility>

namespace talus::profiling {

namespace {

/// An overlapping pose, with what the queries start from and what is known about it.
struct DeepPose {
    const PosedPair* pair;
    const MatrixTransform* pose;
    SimplexCache simplex;  ///< GJK's last
    double depth;          ///< exact where it is checked, else EPA's
};

/// Cameron's estimate at all poses, for one choice of faces.
void print_estimate(const char* name, const char* sizes, const std::vector<DeepPose>& deep, EstimateFaces faces,
                    int repeats) {
    double supports = 0.0, upper = 0.0, most_upper = 0.0, lower = 0.0, least_lower = 1.0;
    int near = 0, exact = 0;
    for (const DeepPose& d : deep) {
        const PenetrationEstimate e = penetration_estimate(d.pair->a, d.pair->b, *d.pose, d.simplex, faces);
        supports += e.support_evaluations;
        upper += e.upper / d.depth;
        lower += e.lower / d.depth;
        most_upper = std::max(most_upper, e.upper / d.depth);
        least_lower = std::min(least_lower, e.lower / d.depth);
        near += e.upper <= 1.1 * d.depth;
        exact += e.upper <= (1.0 + 1e-5) * d.depth;
    }
    std::vector<double> ns;
    volatile double sink = 0.0;
    for (int k = 0; k < repeats; ++k) {
        ns.push_back(time_of(1, [&] {
            for (const DeepPose& d : deep)
                sink = penetration_estimate(d.pair->a, d.pair->b, *d.pose, d.simplex, faces).upper;
        }));
    }
    const auto n = static_cast<double>(deep.size());
    std::printf("%-10s %-24s | %8.2f %8.0f | %8.2f %8.1f %8.1f%% %8.1f%% | %8.2f %8.4f\n", sizes, name, supports / n,
                median(ns) / n, upper / n, most_upper, 100.0 * near / n, 100.0 * exact / n, lower / n, least_lower);
}

void print_epa(const char* sizes, const std::vector<DeepPose>& deep, int repeats) {
    double supports = 0.0;
    for (const DeepPose& d : deep) supports += epa(d.pair->a, d.pair->b, *d.pose, d.simplex).support_evaluations;
    std::vector<double> ns;
    volatile float sink = 0.0f;
    for (int k = 0; k < repeats; ++k) {
        ns.push_back(time_of(1, [&] {
            for (const DeepPose& d : deep) sink = epa(d.pair->a, d.pair->b, *d.pose, d.simplex).depth;
        }));
    }
    const auto n = static_cast<double>(deep.size());
    std::printf("%-10s %-24s | %8.2f %8.0f | %8s %8s %9s %9s | %8s %8s\n", sizes, "EPA", supports / n, median(ns) / n,
                "-", "-", "-", "-", "-", "-");
}

}  // namespace

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
    const std::span<const Sizes> sizes_of_table(all, options.quick ? 2 : std::size(all));
    std::vector<std::vector<PosedPair>> pairs_by_size;
    std::vector<std::vector<DeepPose>> deep_by_size;
    for (const Sizes& sizes : sizes_of_table) {
        pairs_by_size.push_back(make_pairs(sizes.a, sizes.b, find_experiment("penetrating")->motion, options.pairs(),
                                           options.poses(), options.seed));
        const std::vector<PosedPair>& pairs = pairs_by_size.back();
        std::vector<DeepPose>& deep = deep_by_size.emplace_back();
        const int wanted = options.quick ? 4 : sizes.a > 100 ? 8 : 64;
        double gjk_iterations = 0.0, epa_iterations = 0.0, supports = 0.0, largest = 0.0, queries = 0.0;
        int checked = 0;
        for (const PosedPair& pair : pairs) {
            for (const MatrixTransform& pose : pair.poses) {
                SimplexCache cache;
                const SeparationResult r = separation(pair.a, pair.b, pose, cache);
                queries += 1.0;
                gjk_iterations += r.gjk.iterations;
                epa_iterations += r.epa.iterations;
                supports += r.gjk.support_evaluations + r.epa.support_evaluations;
                deep.push_back({&pair, &pose, cache, -static_cast<double>(r.separation)});
                // Spread over all pairs.
                if (checked >= wanted || static_cast<int>(queries) % static_cast<int>(pairs.size()) != 0) continue;
                ++checked;
                deep.back().depth = exact_depth(pair, pose);
                largest = std::max(largest, std::abs(deep.back().depth + static_cast<double>(r.separation)));
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

    std::fputs(R"(Cameron's estimate of the depth (Cameron 1997, after Jovanoski, section 5)
Theirs: it estimates, EPA is exact; no figures. Ours: the same poses, each method from the simplex that GJK left, GJK's
own cost not counted. The nearest face of the tetrahedron bounds the depth from below, the support planes of its faces
from above: the nearest face's plane alone, or the best of all faces'. Bounds are in depths. 'in 10%', 'exact': the
share of poses whose upper bound is at most a tenth, or nothing, too much.

)",
               stdout);
    std::printf("%-10s %-24s | %8s %8s | %8s %8s %9s %9s | %8s %8s\n", "", "", "", "", "upper", "", "", "", "lower",
                "");
    std::printf("%-10s %-24s | %8s %8s | %8s %8s %9s %9s | %8s %8s\n", "vertices", "method", "supports", "ns", "mean",
                "most", "in 10%", "exact", "mean", "least");
    for (std::size_t s = 0; s < sizes_of_table.size(); ++s) {
        char text[32];
        std::snprintf(text, sizeof text, "%d/%d", sizes_of_table[s].a, sizes_of_table[s].b);
        print_estimate("estimate, nearest face", text, deep_by_size[s], EstimateFaces::nearest, options.repeats);
        print_estimate("estimate, all faces", text, deep_by_size[s], EstimateFaces::all, options.repeats);
        print_epa(text, deep_by_size[s], options.repeats);
    }
    std::printf("\n");
    return 0;
}

}  // namespace talus::profiling
