#include "profiling/bench/papers/papers_growth.h"

#include "profiling/bench/gjk/method_runs.h"
#include "profiling/bench/gjk/paper_methods.h"

#include <cmath>
#include <cstdio>
#include <utility>

namespace talus::profiling {

namespace {

/// The exponent p of y = c x^p that fits best: least squares of the logarithms, from index `first` on.
double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y, std::size_t first = 0) {
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (std::size_t i = first; i < x.size(); ++i) {
        const double u = std::log(x[i]), v = std::log(y[i]);
        n += 1.0;
        sx += u;
        sy += v;
        sxx += u * u;
        sxy += u * v;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void print_values(const char* name, const char* unit, const std::vector<double>& vertices,
                  const std::vector<double>& values, int decimals) {
    std::printf("%-16s %-13s |", name, unit);
    for (const double v : values) std::printf(" %9.*f", decimals, v);
    std::printf(" | %8.2f %12.2f\n", fitted_exponent(vertices, values),
                fitted_exponent(vertices, values, vertices.size() / 2));
}

}  // namespace

int print_growth(const PapersOptions& options) {
    std::fputs(R"(How a query's cost grows with the vertices (Liu et al., sections I, IV and V)
Theirs: 'an almost-linear time complexity', and about O(1) with Cameron's hill climbing; no fit. Ours: unrelated poses
of two hulls of n random points each on a unit ball, 0.05 to 2 apart. The exponents are those of c n^x that fit the
logarithms best, over all sizes and over the larger half. A linear search makes 2 n dot products per iteration, so that
an exponent above 1 is the growth of the iterations.

)",
               stdout);
    GjkOptions gjk;
    gjk.pairs = options.quick ? 1 : 2;
    gjk.poses = options.quick ? 10 : options.full ? 200 : 50;
    gjk.repeats = options.repeats;
    gjk.seed = options.seed;
    gjk.bullet = false;
    const int largest = options.quick ? 128 : 2048;
    std::vector<double> vertices;
    for (int n = 16; n <= largest; n *= 2) {
        gjk.sizes.push_back({n, n});
        vertices.push_back(n);
    }
    constexpr auto papers = QueryMethod::Kind::papers;
    constexpr std::pair<const char*, QueryMethod> rows[] = {
        {"original GJK", {papers, liu_original}},
        {"orig., centroids", {papers, original_from_centroids}},
        {"orig., Voronoi", {papers, {SimplexMethod::voronoi, SupportMethod::linear, StartMethod::arbitrary}}},
        {"Liu et al.", {papers, liu_ours}},
        {"Cameron", {papers, liu_cameron}},
        {"both", {papers, liu_combined}},
        {"hierarchy", {papers, {SimplexMethod::johnson, SupportMethod::hierarchical, StartMethod::arbitrary}}},
        {"Talus", {QueryMethod::Kind::talus, {}}},
    };
    std::vector<QueryMethod> methods;
    for (const auto& row : rows) methods.push_back(row.second);
    const MethodTable table = measure_methods(*find_experiment("static"), methods, gjk);
    std::printf("%-16s %-13s |", "n/n vertices", "");
    for (const double n : vertices) std::printf(" %9.0f", n);
    std::printf(" | %8s %12s\n", "exponent", "larger half");
    for (std::size_t m = 0; m < methods.size(); ++m) {
        std::vector<double> ns, iterations, dots;
        for (const MethodFigures& f : table[m]) {
            ns.push_back(f.ns);
            iterations.push_back(f.iterations);
            dots.push_back(f.dot_products);
        }
        print_values(rows[m].first, "ns", vertices, ns, 0);
        print_values("", "iterations", vertices, iterations, 2);
        if (methods[m].kind == papers) print_values("", "dot products", vertices, dots, 1);
    }
    std::printf("\n");
    return 0;
}

}  // namespace talus::profiling
