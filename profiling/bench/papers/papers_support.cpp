#include "profiling/bench/papers/papers_support.h"

#include "profiling/bench/gjk/gjk_poses.h"
#include "profiling/bench/gjk/paper_methods.h"
#include "profiling/bench/measure.h"

#include "narrowphase/papers/support_search.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace talus::profiling {

namespace {

using glm::dvec3;
using papers::SupportSearch;

/// Directions to search in: all over the sphere, or each turned by a degree from the one before.
std::vector<dvec3> make_directions(samples::Random& random, int count, bool tracked) {
    constexpr float degree = 0.01745329f;
    std::vector<dvec3> directions;
    vec3 d = random.direction();
    for (int i = 0; i < count; ++i) {
        if (tracked) {
            const vec3 other = random.direction();
            d = glm::normalize(d + degree * glm::normalize(glm::cross(d, other)));
        } else {
            d = random.direction();
        }
        directions.emplace_back(d);
    }
    return directions;
}

struct Cost {
    double dot_products = 0.0, ns = 0.0;  ///< a search
};

/// `cached` starts each search at the vertex that the last one found, else at vertex 0.
Cost cost_of(const PolytopeGraph& graph, SupportMethod method, bool cached, const std::vector<dvec3>& directions,
             int repeats) {
    Cost cost;
    std::vector<double> ns;
    volatile int sink = 0;
    const auto count = static_cast<double>(directions.size());
    for (int i = 0; i < repeats; ++i) {
        int dots = 0;
        ns.push_back(time_of(1,
                             [&] {
                                 std::uint16_t last = 0;
                                 for (const dvec3& d : directions) {
                                     SupportSearch search(graph, method, cached ? last : std::uint16_t{0}, {});
                                     sink = last = search(d);
                                     dots += search.dot_products();
                                 }
                             }) /
                     count);
        cost.dot_products = dots / count;
    }
    cost.ns = median(ns);
    return cost;
}

struct Search {
    const char* name;
    const char* claim;
    SupportMethod method;
    bool cached, tracked;
};

constexpr Search searches[] = {
    {"all vertices", "n", SupportMethod::linear, false, false},
    {"hill climbing, cold", "-", SupportMethod::hill_climbing, false, false},
    {"  from cached vertex", "almost constant", SupportMethod::hill_climbing, true, true},
    {"artificial neighbours", "faster than it", SupportMethod::artificial_neighbours, false, false},
    {"hierarchy", "log n", SupportMethod::hierarchical, false, false},
};

void print_growth(const std::vector<int>& sizes, const std::vector<PolytopeGraph>& graphs,
                  const PapersOptions& options) {
    const int count = options.quick ? 500 : 20000;
    std::printf("%-22s %-16s %-6s |", "search", "paper: grows as", "ours");
    for (const int n : sizes) std::printf(" %8d", n);
    std::printf(" | times, last over first\n");
    for (const Search& search : searches) {
        std::vector<Cost> costs;
        for (const PolytopeGraph& graph : graphs) {
            samples::Random random(options.seed);
            costs.push_back(cost_of(graph, search.method, search.cached, make_directions(random, count, search.tracked),
                                    options.repeats));
        }
        std::printf("%-22s %-16s %-6s |", search.name, search.claim, "dots");
        for (const Cost& cost : costs) std::printf(" %8.1f", cost.dot_products);
        std::printf(" | %8.1f\n%-22s %-16s %-6s |", costs.back().dot_products / costs.front().dot_products, "", "",
                    "ns");
        for (const Cost& cost : costs) std::printf(" %8.1f", cost.ns);
        std::printf(" | %8.1f\n", costs.back().ns / costs.front().ns);
    }
    std::printf("\n");
}

/// The share of the original GJK's time that goes into support searches: their number, times what one takes alone.
void print_share(const std::vector<int>& sizes, const std::vector<PolytopeGraph>& graphs,
                 const PapersOptions& options) {
    std::printf("%-22s |", "original GJK");
    for (const int n : sizes) std::printf(" %8d", n);
    std::printf("\n");
    std::vector<double> queries, alone, shares;
    for (std::size_t s = 0; s < sizes.size(); ++s) {
        const std::vector<PosedPair> pairs =
            make_pairs(sizes[s], sizes[s], {.least = 0.05f, .most = 2.0f}, 2, options.quick ? 20 : 200, options.seed);
        std::vector<PolytopeGraph> a, b;
        for (const PosedPair& pair : pairs) {
            a.push_back(*make_polytope_graph(pair.a));
            b.push_back(*make_polytope_graph(pair.b));
        }
        samples::Random random(options.seed);
        const std::vector<dvec3> directions = make_directions(random, options.quick ? 500 : 20000, false);
        volatile double sink = 0.0;
        std::vector<double> ns, search_ns, share;
        for (int i = 0; i < options.repeats; ++i) {
            int made = 0, searched = 0;
            ns.push_back(time_of(1, [&] {
                for (std::size_t p = 0; p < pairs.size(); ++p) {
                    for (const MatrixTransform& pose : pairs[p].poses) {
                        GjkVariantMemory memory;
                        const GjkVariantResult r = gjk_variant(a[p], b[p], pose, liu_original, memory);
                        sink = r.distance;
                        ++made;
                        searched += r.support_evaluations;
                    }
                }
            }));
            ns.back() /= made;
            search_ns.push_back(cost_of(graphs[s], SupportMethod::linear, false, directions, 1).ns * searched / made);
            share.push_back(search_ns.back() / ns.back());
        }
        queries.push_back(median(ns));
        alone.push_back(median(search_ns));
        shares.push_back(median(share));
    }
    std::printf("%-22s |", "ns per query");
    for (const double ns : queries) std::printf(" %8.0f", ns);
    std::printf("\n%-22s |", "its support searches");
    for (const double ns : alone) std::printf(" %8.0f", ns);
    std::printf("\n%-22s |", "their share");
    for (const double share : shares) std::printf(" %7.0f%%", 100.0 * share);
    std::printf("\n\n");
}

}  // namespace

int print_support(const PapersOptions& options) {
    const std::vector<int> sizes =
        options.quick ? std::vector<int>{8, 32, 128} : std::vector<int>{8, 32, 128, 512, 2048, 8192};
    std::vector<PolytopeGraph> graphs;
    for (const int n : sizes) {
        samples::Random random(options.seed);
        graphs.push_back(*make_polytope_graph(ball_hull(random, n)));
    }
    std::fputs(
        R"(Support search (Liu et al., 4.1 and Figure 9; Cameron, after Jovanoski, 4.1; Ericson, 2.3)
Theirs: claims, no figures. The support function takes most of GJK's time; hill climbing from a cached vertex is almost
constant; a hierarchy takes O(log n). Ours: hulls of n random points on a unit ball, the papers' searches in double;
cold: unrelated directions, from vertex 0; cached: each direction a degree from the last. The share of support searches
is their number times what one takes alone.

)",
        stdout);
    print_growth(sizes, graphs, options);
    const auto few = static_cast<std::ptrdiff_t>(std::min<std::size_t>(sizes.size(), 5));
    print_share({sizes.begin(), sizes.begin() + few}, graphs, options);
    return 0;
}

}  // namespace talus::profiling
