#include "profiling/bench/papers/papers_moving.h"

#include "profiling/bench/gjk/gjk_experiment.h"
#include "profiling/bench/measure.h"

#include <talus/narrowphase/swept.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace talus::profiling {

namespace {

/// A pair at a pose, and where B goes from there.
struct Motion3 {
    const PosedPair* pair;
    const MatrixTransform* pose;
    vec3 translation;  ///< in A's frame, m
};

std::vector<Motion3> make_motions(const std::vector<PosedPair>& pairs, std::uint64_t seed) {
    std::vector<Motion3> motions;
    samples::Random random(seed);
    for (const PosedPair& pair : pairs) {
        for (const MatrixTransform& pose : pair.poses) {
            // Past a point near A.
            const vec3 aside = random.direction();
            const float reach = random.between(0.3f, 1.5f);
            motions.push_back({&pair, &pose, (reach * 3.0f) * aside - reach * pose.position});
        }
    }
    return motions;
}

struct Figures {
    double ns = 0.0, queries = 0.0, iterations = 0.0, dot_products = 0.0;  ///< means per motion
    int hits = 0, wrong = 0;
    double largest_error = 0.0;  ///< of the fraction
};

void print_row(const char* name, const Figures& f, bool counts_dots, bool has_time) {
    std::printf("%-26s | %10.0f %8.2f %10.2f ", name, f.ns, f.queries, f.iterations);
    counts_dots ? std::printf("%8.1f", f.dot_products) : std::printf("%8s", "-");
    std::printf(" | %6d %6d ", f.hits, f.wrong);
    has_time ? std::printf("%10.1e\n", f.largest_error) : std::printf("%10s\n", "-");
}

/// Three tests that answer yes or no by one run of the same GJK, all vertices looked at in double for each support point.
enum class PlainTest {
    at_start,  ///< no motion: what a test costs otherwise
    twice,     ///< B's vertices at the start and at the end of the motion (Xavier's first way)
    folded,    ///< B's vertices once, and the motion in the support mapping
};

/// The vertices that a plain test looks at for each support point of B, in A's frame.
std::vector<vec3> points_of(const Motion3& motion, PlainTest test) {
    std::vector<vec3> points;
    for (const vec3& v : motion.pair->b.hull->vertices)
        points.push_back(motion.pose->position + motion.pose->rotation * v);
    const std::size_t n = points.size();
    for (std::size_t i = 0; test == PlainTest::twice && i < n; ++i) points.push_back(points[i] + motion.translation);
    return points;
}

Figures figures_of(const std::vector<Motion3>& motions, const std::vector<SweptResult>& truth, PlainTest test,
                   int repeats) {
    std::vector<std::vector<vec3>> b;
    for (const Motion3& m : motions) b.push_back(points_of(m, test));
    const auto ask = [&](std::size_t i) {
        const vec3 translation = test == PlainTest::folded ? motions[i].translation : vec3(0.0f);
        return swept_test(PointCloud(motions[i].pair->a.hull->vertices), PointCloud(b[i]), translation,
                          SweptMethod::folded);
    };
    Figures f;
    const auto count = static_cast<double>(motions.size());
    for (std::size_t i = 0; i < motions.size(); ++i) {
        const SweptResult r = ask(i);
        f.hits += r.hit;
        f.wrong += test != PlainTest::at_start && r.hit != truth[i].hit;
        f.iterations += r.iterations / count;
        f.dot_products +=
            static_cast<double>(r.iterations * (motions[i].pair->a.hull->vertices.size() + b[i].size())) / count;
    }
    f.queries = 1.0;
    std::vector<double> ns;
    volatile float sink = 0.0f;
    for (int k = 0; k < repeats; ++k) {
        ns.push_back(time_of(1, [&] {
            for (std::size_t i = 0; i < motions.size(); ++i) sink = ask(i).fraction;
        }));
    }
    f.ns = median(ns) / count;
    return f;
}

std::vector<SweptResult> sweep(const std::vector<Motion3>& motions, SweptMethod method) {
    std::vector<SweptResult> results;
    for (const Motion3& m : motions)
        results.push_back(swept_test(m.pair->a, m.pair->b, *m.pose, m.translation, method));
    return results;
}

Figures figures_of(const std::vector<Motion3>& motions, const std::vector<SweptResult>& truth, SweptMethod method,
                   int repeats) {
    Figures f;
    const auto count = static_cast<double>(motions.size());
    const std::vector<SweptResult> results = sweep(motions, method);
    for (std::size_t i = 0; i < results.size(); ++i) {
        f.hits += results[i].hit;
        f.wrong += results[i].hit != truth[i].hit;
        f.queries += results[i].queries / count;
        f.iterations += results[i].iterations / count;
        if (!results[i].hit || !truth[i].hit) continue;
        const double error =
            std::abs(static_cast<double>(results[i].fraction) - static_cast<double>(truth[i].fraction));
        f.largest_error = std::max(f.largest_error, error);
    }
    std::vector<double> ns;
    volatile float sink = 0.0f;
    for (int k = 0; k < repeats; ++k) ns.push_back(time_of(1, [&] { sink = sweep(motions, method).back().fraction; }));
    f.ns = median(ns) / count;
    return f;
}

}  // namespace

int print_moving(const PapersOptions& options) {
    std::fputs(R"(GJK for moving objects (Ericson, section 4; Xavier 1997, Vlack and Tachi 2001)
Theirs: claims, no figures. All vertices at both ends of a translation 'increases the time to find a supporting vertex',
the motion folded into the support mapping does not; both say only whether there is a collision, interval halving or
Brent's method also when. Ours: hulls of random points on a unit ball, 0.05 to 2 apart; 'wrong' and the largest error of
the time (0 to 1) are against shape_cast (clipping). The first three rows test the same way, by one GJK over all
vertices in double, and differ in the vertices alone; the others run on the engine's own support search.

)",
               stdout);
    for (const Sizes& sizes : quick_sizes) {
        const std::vector<PosedPair> pairs = make_pairs(sizes.a, sizes.b, find_experiment("static")->motion,
                                                        options.quick ? 2 : 8, options.quick ? 10 : 100, options.seed);
        const std::vector<Motion3> motions = make_motions(pairs, options.seed);
        const std::vector<SweptResult> truth = sweep(motions, SweptMethod::clipping);
        char text[64];
        std::snprintf(text, sizeof text, "%d/%d, %zu motions", sizes.a, sizes.b, motions.size());
        std::printf("%-26s | %10s %8s %10s %8s | %6s %6s %10s\n", text, "ns", "queries", "iterations", "dots", "hits",
                    "wrong", "error");
        constexpr std::pair<const char*, PlainTest> plain[] = {{"at the start, all vert.", PlainTest::at_start},
                                                               {"vertices twice, all vert.", PlainTest::twice},
                                                               {"folded, all vertices", PlainTest::folded}};
        for (const auto& [name, test] : plain)
            print_row(name, figures_of(motions, truth, test, options.repeats), true, false);
        for (int m = 0; m < swept_method_count; ++m) {
            const auto method = static_cast<SweptMethod>(m);
            const Figures f = figures_of(motions, truth, method, options.repeats);
            print_row(std::string(name_of(method)).c_str(), f, false, method != SweptMethod::folded);
        }
        std::printf("\n");
    }
    return 0;
}

}  // namespace talus::profiling
