/// Distance and depth queries of Talus and of Bullet on the same poses, by turns: each repeat runs all poses once
/// through either, in thread CPU time, and gives one ratio. A pass goes over many pairs and poses, so that branch
/// predictors learn nothing.

#include "profiling/bench/gjk/bullet_pair.h"
#include "profiling/bench/gjk/gjk_check.h"
#include "profiling/bench/gjk/gjk_experiment.h"
#include "profiling/bench/measure.h"

#include <talus/narrowphase/separation.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace talus::profiling {

namespace {

// ---- The two contestants --------------------------------------------------------------------------------------------

/// What Talus keeps of a pair from one pose to the next.
struct Memory {
    SimplexCache simplex;
    SeparationCache both;  ///< of overlapping pairs

    void forget() { simplex.count = both.simplex.count = both.polytope.vertex_count = 0; }
};

struct Answer {
    float separation = 0.0f;
    vec3 normal{0.0f}, point_a{0.0f}, point_b{0.0f};
    int iterations = 0, support_evaluations = 0;
    bool warm = false, capped = false;
};

/// The production query. Everything that is timed or checked goes through here.
template <bool overlapping>
Answer ask(const PosedPair& pair, const Frame& pose, Memory& memory) {
    if constexpr (overlapping) {
        const SeparationResult r = separation(pair.a, pair.b, pose, memory.both);
        return {r.separation,
                r.normal,
                r.point_a,
                r.point_b,
                r.gjk.iterations + r.epa.iterations,
                r.gjk.support_evaluations + r.epa.support_evaluations,
                r.gjk.warm || r.epa.warm,
                r.gjk.status == GjkStatus::iteration_cap || (r.used_epa && r.epa.status != EpaStatus::converged)};
    } else {
        const GjkResult r = gjk(pair.a, pair.b, pose, memory.simplex);
        return {r.distance,   r.normal,
                r.point_a,    r.point_b,
                r.iterations, r.support_evaluations,
                r.warm,       r.status == GjkStatus::iteration_cap};
    }
}

// ---- Measuring ------------------------------------------------------------------------------------------------------

volatile float sink;  ///< where timed answers go, so that they have to be computed

struct Row {
    int queries = 0;
    double talus_ns = 0.0, bullet_ns = 0.0, times = 0.0, bar = 0.0;  ///< a query; times: how much faster; bar 0: none
    double iterations = 0.0, support_evaluations = 0.0, warm = 0.0;  ///< means a query; warm: share
    int capped = 0, bullet_failures = 0;
    double error = 0.0, bullet_error = 0.0;  ///< largest
};

template <bool overlapping>
Row measure(const Experiment& experiment, const Sizes& sizes, const GjkOptions& options) {
    const bool tracked = experiment.motion.tracked();
    const std::vector<PosedPair> pairs =
        make_pairs(sizes.a, sizes.b, experiment.motion, options.pairs, options.poses, options.seed);
    std::vector<Memory> warm(pairs.size());
    std::vector<BulletPair> bullet;
    std::vector<DistanceOracle> oracles;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        ask<overlapping>(pairs[i], pairs[i].poses[0], warm[i]);
        bullet.emplace_back(pairs[i]);
        if (!overlapping && options.checks > 0) oracles.emplace_back(pairs[i]);
    }
    Row row;
    row.queries = static_cast<int>(pairs.size() * (pairs[0].poses.size() - 1));
    for (const Experiment::Bar& bar : experiment.bars) {
        if (bar.vertices == sizes.a) row.bar = static_cast<double>(bar.times);
    }

    // Counts and errors, untimed. Exact depths are slow, so only some poses get one, spread over all.
    const int every = overlapping && options.checks > 0 ? std::max(1, row.queries / options.checks) : 1;
    int number = 0;
    std::vector<Memory> memory = warm;
    for_each_pose(pairs, options.by_step, [&](std::size_t i, std::size_t k) {
        if (!tracked) memory[i].forget();
        const Answer answer = ask<overlapping>(pairs[i], pairs[i].poses[k], memory[i]);
        row.iterations += answer.iterations;
        row.support_evaluations += answer.support_evaluations;
        row.warm += answer.warm;
        row.capped += answer.capped;
        if (options.checks == 0 || number++ % every != 0) return;
        const Frame& pose = pairs[i].poses[k];
        const float theirs = options.bullet ? bullet[i].query(k) : 0.0f;
        const bool found = std::isfinite(theirs);
        row.bullet_failures += !found;
        if constexpr (overlapping) {
            const double depth = exact_depth(pairs[i], pose);
            row.error = std::max(row.error, std::abs(static_cast<double>(answer.separation) + depth));
            if (found) row.bullet_error = std::max(row.bullet_error, std::abs(static_cast<double>(theirs) + depth));
        } else {
            const DistanceBounds bounds = oracles[i](pose);
            row.error = std::max(row.error, bounds.error(static_cast<double>(answer.separation)));
            if (found) row.bullet_error = std::max(row.bullet_error, bounds.error(static_cast<double>(theirs)));
        }
    });
    row.iterations /= row.queries;
    row.support_evaluations /= row.queries;
    row.warm /= row.queries;

    const auto talus = [&] {
        float sum = 0.0f;
        memory = warm;
        for_each_pose(pairs, options.by_step, [&](std::size_t i, std::size_t k) {
            if (!tracked) memory[i].forget();
            sum += ask<overlapping>(pairs[i], pairs[i].poses[k], memory[i]).separation;
        });
        sink = sum;
    };
    const auto theirs = [&] {
        float sum = 0.0f;
        for_each_pose(pairs, options.by_step, [&](std::size_t i, std::size_t k) { sum += bullet[i].query(k); });
        sink = sum;
    };
    constexpr double grain = 5e6;  // ns: clock reads and interrupts are nothing against it
    const auto passes = [](double ns) { return static_cast<int>(std::clamp(grain / ns, 1.0, 1000.0)); };
    const int talus_passes = passes(time_of(1, talus));
    const int bullet_passes = options.bullet ? passes(time_of(1, theirs)) : 0;
    std::vector<double> ours_ns, theirs_ns, times;
    for (int i = 0; i < options.repeats; ++i) {
        ours_ns.push_back(time_of(talus_passes, talus) / row.queries);
        if (!options.bullet) continue;
        theirs_ns.push_back(time_of(bullet_passes, theirs) / row.queries);
        times.push_back(theirs_ns.back() / ours_ns.back());
    }
    row.talus_ns = median(ours_ns);
    row.bullet_ns = median(theirs_ns);
    row.times = median(times);
    return row;
}

// ---- Printing -------------------------------------------------------------------------------------------------------

void print_row(const Sizes& sizes, const Row& row) {
    char name[32], bar[16] = "-";
    std::snprintf(name, sizeof name, "%d/%d", sizes.a, sizes.b);
    if (row.bar > 0.0) std::snprintf(bar, sizeof bar, "%.1f%s", row.bar, row.times < row.bar ? " <" : "  ");
    std::printf("%-10s | %8.1f %8.1f %7.2f %7s | %5.2f %8.2f %6.1f %6d | %8.1e %8.1e %6d\n", name, row.talus_ns,
                row.bullet_ns, row.times, bar, row.iterations, row.support_evaluations, 100.0 * row.warm, row.capped,
                row.error, row.bullet_error, row.bullet_failures);
    std::fflush(stdout);
}

void write_row(std::FILE* csv, const Experiment& experiment, const Sizes& sizes, const Row& row) {
    std::fprintf(csv, "%s,%d,%d,%d,%.2f,%.2f,%.3f,%.1f,%.4f,%.4f,%.4f,%d,%.3e,%.3e,%d\n", experiment.name, sizes.a,
                 sizes.b, row.queries, row.talus_ns, row.bullet_ns, row.times, row.bar, row.iterations,
                 row.support_evaluations, row.warm, row.capped, row.error, row.bullet_error, row.bullet_failures);
}

constexpr const char* csv_header =
    "table,vertices_a,vertices_b,queries,talus_ns,bullet_ns,times_faster,bar,iterations,support_evaluations,warm_share,"
    "capped,talus_max_error,bullet_max_error,bullet_failures\n";

}  // namespace

void print_production(const GjkOptions& options) {
    if (options.csv != nullptr) std::fputs(csv_header, options.csv);
    for (const Experiment* experiment : options.chosen) {
        std::printf("%s (%d pairs of hulls, %d poses each)\n", experiment->title, options.pairs, options.poses);
        std::printf("%-10s | %8s %8s %7s %7s | %5s %8s %6s %6s | %8s %8s %6s\n", "vertices", "Talus ns", "Bullet",
                    "faster", "bar  ", "iter", "supports", "warm %", "capped", "error", "Bullet", "failed");
        for (const Sizes& sizes : options.sizes) {
            show_progress(*experiment, sizes);
            const Row row = experiment->overlapping() ? measure<true>(*experiment, sizes, options)
                                                      : measure<false>(*experiment, sizes, options);
            print_row(sizes, row);
            if (options.csv != nullptr) write_row(options.csv, *experiment, sizes, row);
        }
        std::printf("\n");
    }
}

}  // namespace talus::profiling
