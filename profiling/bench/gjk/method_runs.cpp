#include "profiling/bench/gjk/method_runs.h"

#include "profiling/bench/gjk/bullet_pair.h"
#include "profiling/bench/gjk/gjk_check.h"
#include "profiling/bench/measure.h"

#include <talus/narrowphase/gjk.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace talus::profiling {

namespace {

/// A query that a method failed, with what it remembered before.
struct Failure {
    std::size_t pair, pose;
    GjkVariantMemory before;
};

/// The poses of one experiment and size, with what is known about each.
class Poses {
public:
    Poses(const Experiment& experiment, const Sizes& sizes, const GjkOptions& options)
        : experiment_(experiment),
          by_step_(options.by_step),
          pairs_(make_pairs(sizes.a, sizes.b, experiment.motion, options.pairs, options.poses, options.seed)) {
        for (const PosedPair& pair : pairs_) {
            graphs_.push_back({&graph_of(pair.a), &graph_of(pair.b)});
            if (options.bullet) bullet_.push_back(make_bullet_pair(pair));
            bounds_.emplace_back(pair.poses.size());
            if (experiment.overlapping()) continue;
            const DistanceOracle oracle(pair);
            for (std::size_t k = 1; k < pair.poses.size(); ++k) bounds_.back()[k] = oracle(pair.poses[k]);
        }
    }

    int queries() const { return static_cast<int>(pairs_.size() * (pairs_[0].poses.size() - 1)); }

    /// Counts and errors, untimed. `failures`: those of the papers' methods.
    MethodFigures count(const QueryMethod& method, std::vector<Failure>& failures) {
        MethodFigures figures;
        if (method.kind == QueryMethod::Kind::papers) {
            count_papers(method.methods, figures, failures);
        } else if (method.kind == QueryMethod::Kind::talus) {
            run_talus([&](std::size_t i, std::size_t k, const GjkResult& r) {
                figures.iterations += r.iterations;
                figures.support_evaluations += r.support_evaluations;
                const bool good =
                    r.status == (experiment_.overlapping() ? GjkStatus::overlapping : GjkStatus::separated);
                judge(figures, i, k, good, static_cast<double>(r.distance));
            });
        } else {
            run_bullet([&](std::size_t i, std::size_t k, float separation) {
                const bool good = std::isfinite(separation) && (separation < 0.0f) == experiment_.overlapping();
                judge(figures, i, k, good, std::max(0.0, static_cast<double>(separation)));
            });
        }
        figures.iterations /= queries();
        figures.support_evaluations /= queries();
        figures.dot_products /= queries();
        return figures;
    }

    /// Nanoseconds of all queries together.
    double time(const QueryMethod& method) {
        return time_of(1, [&] {
            double sum = 0.0;
            if (method.kind == QueryMethod::Kind::papers)
                run_papers(method.methods,
                           [&](std::size_t, std::size_t, const GjkVariantResult& r) { sum += r.distance; });
            else if (method.kind == QueryMethod::Kind::talus)
                run_talus(
                    [&](std::size_t, std::size_t, const GjkResult& r) { sum += static_cast<double>(r.distance); });
            else
                run_bullet([&](std::size_t, std::size_t, float separation) { sum += static_cast<double>(separation); });
            sink_ = sum;
        });
    }

    /// Nanoseconds per failed query, of a method that has failures.
    double time(const QueryMethod& method, const std::vector<Failure>& failures) {
        constexpr std::size_t least = 1000;  // queries, so that the clock is nothing against them
        const int times = static_cast<int>(1 + least / failures.size());
        const auto pass = [&] {
            double sum = 0.0;
            for (const Failure& failure : failures) {
                GjkVariantMemory memory = failure.before;
                sum += ask(failure.pair, failure.pose, method.methods, memory).distance;
            }
            sink_ = sum;
        };
        return time_of(times, pass) / static_cast<double>(failures.size());
    }

private:
    struct Graphs {
        const PolytopeGraph *a, *b;
    };

    const Experiment& experiment_;
    bool by_step_;
    std::vector<PosedPair> pairs_;
    std::map<const Hull*, PolytopeGraph> graph_by_hull_;
    std::vector<Graphs> graphs_;
    std::vector<std::unique_ptr<BulletPair>> bullet_;
    std::vector<std::vector<DistanceBounds>> bounds_;
    volatile double sink_ = 0.0;

    const PolytopeGraph& graph_of(const Shape& shape) {
        const auto [entry, fresh] = graph_by_hull_.try_emplace(shape.hull.get());
        if (fresh) entry->second = *make_polytope_graph(shape);
        return entry->second;
    }

    void judge(MethodFigures& figures, std::size_t i, std::size_t k, bool good, double distance) const {
        figures.failures += !good;
        if (good && !experiment_.overlapping()) figures.error = std::max(figures.error, bounds_[i][k].error(distance));
    }

    GjkVariantResult ask(std::size_t i, std::size_t k, const GjkMethods& methods, GjkVariantMemory& memory) const {
        return gjk_variant(*graphs_[i].a, *graphs_[i].b, pairs_[i].poses[k], methods, memory);
    }

    void count_papers(const GjkMethods& methods, MethodFigures& figures, std::vector<Failure>& failures) {
        const GjkVariantStatus right =
            experiment_.overlapping() ? GjkVariantStatus::overlapping : GjkVariantStatus::separated;
        GjkVariantMemory before;
        run<GjkVariantMemory>(
            [&](std::size_t i, std::size_t k, GjkVariantMemory& memory) {
                before = memory;
                return ask(i, k, methods, memory);
            },
            [&](std::size_t i, std::size_t k, const GjkVariantResult& r) {
                figures.iterations += r.iterations;
                figures.support_evaluations += r.support_evaluations;
                figures.dot_products += r.dot_products;
                judge(figures, i, k, r.status == right, r.distance);
                if (r.status != right) failures.push_back({i, k, before});
            });
    }

    /// All poses, each with what its pair remembers of the one before; untracked ones remember nothing.
    template <class Memory, class Query, class Visit>
    void run(const Query& query, Visit&& visit) {
        std::vector<Memory> memory(pairs_.size());
        if (experiment_.motion.tracked()) {
            for (std::size_t i = 0; i < pairs_.size(); ++i) query(i, 0, memory[i]);
        }
        for_each_pose(pairs_, by_step_, [&](std::size_t i, std::size_t k) {
            if (!experiment_.motion.tracked()) memory[i] = {};
            visit(i, k, query(i, k, memory[i]));
        });
    }

    template <class Visit>
    void run_papers(const GjkMethods& methods, Visit&& visit) {
        run<GjkVariantMemory>(
            [&](std::size_t i, std::size_t k, GjkVariantMemory& memory) { return ask(i, k, methods, memory); }, visit);
    }

    template <class Visit>
    void run_talus(Visit&& visit) {
        run<SimplexCache>(
            [&](std::size_t i, std::size_t k, SimplexCache& memory) {
                return gjk(pairs_[i].a, pairs_[i].b, pairs_[i].poses[k], memory);
            },
            visit);
    }

    template <class Visit>
    void run_bullet(Visit&& visit) {
        for_each_pose(pairs_, by_step_, [&](std::size_t i, std::size_t k) { visit(i, k, bullet_[i]->query(k)); });
    }
};

void write_row(std::FILE* csv, const Experiment& experiment, const Sizes& sizes, const QueryMethod& method, int queries,
               const MethodFigures& row) {
    const GjkMethods& m = method.methods;
    const bool papers = method.kind == QueryMethod::Kind::papers;
    std::fprintf(csv, "%s,%d,%d,%s,%s,%s,%s,%d,%.2f,%.2f,%.4f,%.4f,%.3f,%d,%.3e\n", experiment.name, sizes.a, sizes.b,
                 papers                                    ? talus::name_of(m.simplex)
                 : method.kind == QueryMethod::Kind::talus ? "talus"
                                                           : "bullet",
                 papers ? talus::name_of(m.support) : "", papers ? talus::name_of(m.start) : "",
                 papers ? talus::name_of(m.stop) : "", queries, row.ns, row.failed_ns, row.iterations,
                 row.support_evaluations, row.dot_products, row.failures, row.error);
}

}  // namespace

bool QueryMethod::operator==(const QueryMethod& other) const {
    const GjkMethods &m = methods, &n = other.methods;
    return kind == other.kind && (kind != Kind::papers || (m.simplex == n.simplex && m.support == n.support &&
                                                           m.start == n.start && m.stop == n.stop));
}

const char* const method_csv_header =
    "table,vertices_a,vertices_b,simplex,support,start,stop,queries,ns,failed_ns,iterations,support_evaluations,"
    "dot_products,failures,max_error\n";

MethodTable measure_methods(const Experiment& experiment, const std::vector<QueryMethod>& methods,
                            const GjkOptions& options) {
    MethodTable table(methods.size());
    for (const Sizes& sizes : options.sizes) {
        show_progress(experiment, sizes);
        Poses poses(experiment, sizes, options);
        std::vector<std::vector<double>> ns(methods.size()), failed_ns(methods.size());
        std::vector<std::vector<Failure>> failures(methods.size());
        for (std::size_t m = 0; m < methods.size(); ++m) table[m].push_back(poses.count(methods[m], failures[m]));
        for (int i = 0; i < options.repeats; ++i) {
            for (std::size_t m = 0; m < methods.size(); ++m) {
                double sum = poses.time(methods[m]), answered = poses.queries();
                if (!failures[m].empty()) {
                    const auto failed = static_cast<double>(failures[m].size());
                    failed_ns[m].push_back(poses.time(methods[m], failures[m]));
                    sum -= failed * failed_ns[m].back();
                    answered -= failed;
                }
                ns[m].push_back(answered > 0.0 ? sum / answered : 0.0);
            }
        }
        for (std::size_t m = 0; m < methods.size(); ++m) {
            MethodFigures& figures = table[m].back();
            figures.ns = median(ns[m]);
            figures.failed_ns = median(failed_ns[m]);
            if (options.csv != nullptr) write_row(options.csv, experiment, sizes, methods[m], poses.queries(), figures);
        }
    }
    return table;
}

void print_size_columns(const std::vector<Sizes>& sizes, int width) {
    for (const Sizes& size : sizes) {
        char text[32];
        std::snprintf(text, sizeof text, "%d/%d", size.a, size.b);
        std::printf(" %*s", width, text);
    }
}

void print_experiment_heading(const Experiment& experiment, const GjkOptions& options) {
    std::printf("%s\n(%d pairs of hulls, %d poses each, medians of %d)\n\n", experiment.title, options.pairs,
                options.poses, options.repeats);
}

}  // namespace talus::profiling
