/// Distance and depth queries of Talus and of Bullet on the same poses, by turns: each repeat runs all poses once
/// through either, in thread CPU time, and gives one ratio. A pass goes over many pairs and poses, so that branch
/// predictors learn nothing.

#include "profiling/bench/gjk/gjk_production.h"

#include "profiling/bench/bullet.h"
#include "profiling/bench/gjk/bullet_pair.h"
#include "profiling/bench/gjk/gjk_check.h"
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
Answer ask(const PosedPair& pair, const MatrixTransform& pose, Memory& memory) {
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
    double talus_ns = 0.0, bullet_ns = 0.0, times = 0.0, bar = 0.0;  ///< per query; times: how much faster; bar 0: none
    double iterations = 0.0, support_evaluations = 0.0, warm = 0.0;  ///< means per query; warm: share
    int capped = 0, bullet_failures = 0;
    double error = 0.0, bullet_error = 0.0;  ///< largest
};

/// The pairs of one row, and what both engines keep of them.
template <bool overlapping>
class Contest {
public:
    Contest(const Experiment& experiment, const Sizes& sizes, const GjkOptions& options)
        : options_(options),
          tracked_(experiment.motion.tracked()),
          pairs_(make_pairs(sizes.a, sizes.b, experiment.motion, options.pairs, options.poses, options.seed)),
          warm_(pairs_.size()) {
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            ask<overlapping>(pairs_[i], pairs_[i].poses[0], warm_[i]);
            if (options.bullet) bullet_.push_back(make_bullet_pair(pairs_[i]));
            if (!overlapping && options.checks > 0) oracles_.emplace_back(pairs_[i]);
        }
        memory_ = warm_;
    }

    int queries() const { return static_cast<int>(pairs_.size() * (pairs_[0].poses.size() - 1)); }

    /// Counts and errors, untimed. Exact depths are slow, so only some poses get one, spread over all.
    void count(Row& row) {
        const int every = overlapping && options_.checks > 0 ? std::max(1, row.queries / options_.checks) : 1;
        int number = 0;
        memory_ = warm_;
        for_each_pose(pairs_, options_.by_step, [&](std::size_t i, std::size_t k) {
            const Answer answer = next(i, k);
            row.iterations += answer.iterations;
            row.support_evaluations += answer.support_evaluations;
            row.warm += answer.warm;
            row.capped += answer.capped;
            if (options_.checks > 0 && number++ % every == 0) check(row, i, k, answer);
        });
        row.iterations /= row.queries;
        row.support_evaluations /= row.queries;
        row.warm /= row.queries;
    }

    void time(Row& row) {
        constexpr double grain = 5e6;  // ns: clock reads and interrupts are nothing against it
        const auto passes = [](double ns) { return static_cast<int>(std::clamp(grain / ns, 1.0, 1000.0)); };
        const auto talus = [&] { run_talus(); };
        const auto bullet = [&] { run_bullet(); };
        const int talus_passes = passes(time_of(1, talus));
        const int bullet_passes = options_.bullet ? passes(time_of(1, bullet)) : 0;
        std::vector<double> ours_ns, theirs_ns, times;
        for (int i = 0; i < options_.repeats; ++i) {
            ours_ns.push_back(time_of(talus_passes, talus) / row.queries);
            if (!options_.bullet) continue;
            theirs_ns.push_back(time_of(bullet_passes, bullet) / row.queries);
            times.push_back(theirs_ns.back() / ours_ns.back());
        }
        row.talus_ns = median(ours_ns);
        row.bullet_ns = median(theirs_ns);
        row.times = median(times);
    }

private:
    const GjkOptions& options_;
    bool tracked_;
    std::vector<PosedPair> pairs_;
    std::vector<Memory> warm_, memory_;  ///< by pair: after its first pose, and now
    std::vector<std::unique_ptr<BulletPair>> bullet_;
    std::vector<DistanceOracle> oracles_;

    Answer next(std::size_t i, std::size_t k) {
        if (!tracked_) memory_[i].forget();
        return ask<overlapping>(pairs_[i], pairs_[i].poses[k], memory_[i]);
    }

    void check(Row& row, std::size_t i, std::size_t k, const Answer& answer) {
        const MatrixTransform& pose = pairs_[i].poses[k];
        const float theirs = options_.bullet ? bullet_[i]->query(k) : 0.0f;
        const bool found = options_.bullet && std::isfinite(theirs);
        row.bullet_failures += options_.bullet && !found;
        if constexpr (overlapping) {
            const double depth = exact_depth(pairs_[i], pose);
            row.error = std::max(row.error, std::abs(static_cast<double>(answer.separation) + depth));
            if (found) row.bullet_error = std::max(row.bullet_error, std::abs(static_cast<double>(theirs) + depth));
        } else {
            const DistanceBounds bounds = oracles_[i](pose);
            row.error = std::max(row.error, bounds.error(static_cast<double>(answer.separation)));
            if (found) row.bullet_error = std::max(row.bullet_error, bounds.error(static_cast<double>(theirs)));
        }
    }

    void run_talus() {
        float sum = 0.0f;
        memory_ = warm_;
        for_each_pose(pairs_, options_.by_step, [&](std::size_t i, std::size_t k) { sum += next(i, k).separation; });
        sink = sum;
    }

    void run_bullet() {
        float sum = 0.0f;
        for_each_pose(pairs_, options_.by_step, [&](std::size_t i, std::size_t k) { sum += bullet_[i]->query(k); });
        sink = sum;
    }
};

template <bool overlapping>
Row measure(const Experiment& experiment, const Sizes& sizes, const GjkOptions& options) {
    Contest<overlapping> contest(experiment, sizes, options);
    Row row;
    row.queries = contest.queries();
    for (const Experiment::Bar& bar : experiment.bars) {
        if (bar.vertices == sizes.a) row.bar = static_cast<double>(bar.times);
    }
    contest.count(row);
    contest.time(row);
    return row;
}

// ---- Printing -------------------------------------------------------------------------------------------------------

void print_row(const Sizes& sizes, const Row& row, bool bullet) {
    char name[32], bar[16] = "-";
    std::snprintf(name, sizeof name, "%d/%d", sizes.a, sizes.b);
    if (row.bar > 0.0) std::snprintf(bar, sizeof bar, "%.1f%s", row.bar, bullet && row.times < row.bar ? " <" : "  ");
    std::printf("%-10s | %8.1f ", name, row.talus_ns);
    bullet ? std::printf("%8.1f %7.2f", row.bullet_ns, row.times) : std::printf("%8s %7s", "-", "-");
    std::printf(" %7s | %5.2f %8.2f %6.1f %6d | %8.1e ", bar, row.iterations, row.support_evaluations, 100.0 * row.warm,
                row.capped, row.error);
    bullet ? std::printf("%8.1e %6d\n", row.bullet_error, row.bullet_failures) : std::printf("%8s %6s\n", "-", "-");
    std::fflush(stdout);
}

/// Bullet's fields are empty where it was not asked.
void write_row(std::FILE* csv, const Experiment& experiment, const Sizes& sizes, const Row& row, bool bullet) {
    std::fprintf(csv, "%s,%d,%d,%d,%.2f,", experiment.name, sizes.a, sizes.b, row.queries, row.talus_ns);
    if (bullet) std::fprintf(csv, "%.2f,%.3f", row.bullet_ns, row.times);
    std::fprintf(csv, "%s,%.1f,%.4f,%.4f,%.4f,%d,%.3e,", bullet ? "" : ",", row.bar, row.iterations,
                 row.support_evaluations, row.warm, row.capped, row.error);
    if (bullet) std::fprintf(csv, "%.3e,%d", row.bullet_error, row.bullet_failures);
    std::fprintf(csv, "%s\n", bullet ? "" : ",");
}

constexpr const char* csv_header =
    "table,vertices_a,vertices_b,queries,talus_ns,bullet_ns,times_faster,bar,iterations,support_evaluations,warm_share,"
    "capped,talus_max_error,bullet_max_error,bullet_failures\n";

/// What the ratios hold besides the quality of the two queries.
constexpr const char* note =
    "Both have no margins, and Bullet starts each query anew. Bullet looks at all vertices of a hull for each support "
    "point.\n"
    "Talus does so up to 64 vertices, eight at a time; on larger hulls it climbs from vertex to vertex. At 1,000 "
    "vertices the\n"
    "ratio therefore compares a climb with a scan of 1,000 vertices.\n";

}  // namespace

void print_production(const GjkOptions& options) {
    std::printf("%s%s\n", bullet_note, with_bullet ? note : "");
    if (options.csv != nullptr) std::fputs(csv_header, options.csv);
    for (const Experiment* experiment : options.chosen) {
        std::printf("%s (%d pairs of hulls, %d poses each)\n", experiment->title, options.pairs, options.poses);
        std::printf("%-10s | %8s %8s %7s %7s | %5s %8s %6s %6s | %8s %8s %6s\n", "vertices", "Talus ns", "Bullet",
                    "faster", "bar  ", "iter", "supports", "warm %", "capped", "error", "Bullet", "failed");
        for (const Sizes& sizes : options.sizes) {
            show_progress(*experiment, sizes);
            const Row row = experiment->overlapping() ? measure<true>(*experiment, sizes, options)
                                                      : measure<false>(*experiment, sizes, options);
            print_row(sizes, row, options.bullet);
            if (options.csv != nullptr) write_row(options.csv, *experiment, sizes, row, options.bullet);
        }
        std::printf("\n");
    }
}

}  // namespace talus::profiling
