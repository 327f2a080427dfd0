/// The papers' methods against each other on the same poses: what Tables 2 and 3 of Liu et al. compare, and every other
/// combination. Each repeat goes once through all methods, so that a machine that is slow for a while slows them all.

#include "profiling/bench/gjk/bullet_pair.h"
#include "profiling/bench/gjk/gjk_check.h"
#include "profiling/bench/gjk/gjk_experiment.h"
#include "profiling/bench/measure.h"
#include "profiling/bench/papers/paper_methods.h"

#include <talus/narrowphase/gjk.h>
#include <talus/narrowphase/gjk_variants.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace talus::profiling {

namespace {

/// A row of the tables: a combination of the papers' methods, or one of the two references.
struct Method {
    enum class Kind { papers, talus, bullet } kind = Kind::papers;
    GjkMethods methods;
};

/// The rows of Liu et al. with the milliseconds they give (MATLAB 5.2, 266 MHz Pentium II; those of Table 3 for a whole
/// path), 0 where they give none; and ours beside them. The first is what the others are compared with.
struct PaperRow {
    const char* name;
    Method method;
    int milliseconds[10];  ///< at the first ten of all_sizes
};

constexpr PaperRow table2[] = {
    {"original GJK", {Method::Kind::papers, liu_original}, {16, 30, 80, 105, 210, 95, 445, 440, 380, 480}},
    {"Liu et al.", {Method::Kind::papers, liu_ours}, {17, 30, 70, 100, 205, 100, 480, 430, 385, 480}},
    {"Cameron", {Method::Kind::papers, liu_cameron}, {30, 55, 80, 110, 175, 85, 250, 145, 250, 220}},
    {"both", {Method::Kind::papers, liu_combined}, {31, 60, 75, 105, 150, 90, 220, 130, 255, 220}},
    {"Cameron, Voronoi",  // Ericson's section 3.1 in place of the distance subalgorithm
     {Method::Kind::papers, {SimplexMethod::voronoi, SupportMethod::hill_climbing, StartMethod::arbitrary}},
     {}},
    {"Talus", {Method::Kind::talus, {}}, {}},
};

/// The paper's second half names these rows otherwise ("ours plus Cameron's" and "enhanced version"), but its text
/// speaks of the original and of the combination with what the last step stored, and the figures go on as in the
/// first half.
constexpr PaperRow table3[] = {
    {"original GJK", {Method::Kind::papers, liu_original}, {0, 666, 1726, 946, 2096, 1250, 2650, 6074, 5250, 0}},
    {"both, tracking", {Method::Kind::papers, liu_tracking}, {0, 358, 424, 462, 522, 458, 582, 668, 800, 0}},
    {"Talus, warm", {Method::Kind::talus, {}}, {}},
};

/// The table of the paper that an experiment repeats, if any.
std::span<const PaperRow> paper_rows(const Experiment& experiment) {
    if (std::string_view(experiment.name) == "static") return table2;
    if (experiment.motion.tracked() && !experiment.overlapping()) return table3;
    return {};
}

struct Row {
    double ns = 0.0;                                                         ///< a query
    double iterations = 0.0, support_evaluations = 0.0, dot_products = 0.0;  ///< means a query
    int failures = 0;    ///< by cap or otherwise; of overlapping pairs also those not called so
    double error = 0.0;  ///< largest among the others
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
            bullet_.emplace_back(pair);
            bounds_.emplace_back(pair.poses.size());
            if (experiment.overlapping()) continue;
            const DistanceOracle oracle(pair);
            for (std::size_t k = 1; k < pair.poses.size(); ++k) bounds_.back()[k] = oracle(pair.poses[k]);
        }
    }

    int queries() const { return static_cast<int>(pairs_.size() * (pairs_[0].poses.size() - 1)); }

    /// Counts and errors, untimed.
    Row count(const Method& method) {
        Row row;
        if (method.kind == Method::Kind::papers) {
            run_papers(method.methods, [&](std::size_t i, std::size_t k, const GjkVariantResult& r) {
                row.iterations += r.iterations;
                row.support_evaluations += r.support_evaluations;
                row.dot_products += r.dot_products;
                const bool good = r.status == (experiment_.overlapping() ? GjkVariantStatus::overlapping
                                                                         : GjkVariantStatus::separated);
                judge(row, i, k, good, r.distance);
            });
        } else if (method.kind == Method::Kind::talus) {
            run_talus([&](std::size_t i, std::size_t k, const GjkResult& r) {
                row.iterations += r.iterations;
                row.support_evaluations += r.support_evaluations;
                const bool good =
                    r.status == (experiment_.overlapping() ? GjkStatus::overlapping : GjkStatus::separated);
                judge(row, i, k, good, static_cast<double>(r.distance));
            });
        } else {
            run_bullet([&](std::size_t i, std::size_t k, float separation) {
                const bool good = std::isfinite(separation) && (separation < 0.0f) == experiment_.overlapping();
                judge(row, i, k, good, std::max(0.0, static_cast<double>(separation)));
            });
        }
        row.iterations /= queries();
        row.support_evaluations /= queries();
        row.dot_products /= queries();
        return row;
    }

    /// Nanoseconds a query.
    double time(const Method& method) {
        const auto pass = [&] {
            double sum = 0.0;
            if (method.kind == Method::Kind::papers)
                run_papers(method.methods,
                           [&](std::size_t, std::size_t, const GjkVariantResult& r) { sum += r.distance; });
            else if (method.kind == Method::Kind::talus)
                run_talus(
                    [&](std::size_t, std::size_t, const GjkResult& r) { sum += static_cast<double>(r.distance); });
            else
                run_bullet([&](std::size_t, std::size_t, float separation) { sum += static_cast<double>(separation); });
            sink_ = sum;
        };
        return time_of(1, pass) / queries();
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
    std::vector<BulletPair> bullet_;
    std::vector<std::vector<DistanceBounds>> bounds_;
    volatile double sink_ = 0.0;

    const PolytopeGraph& graph_of(const Shape& shape) {
        const auto [entry, fresh] = graph_by_hull_.try_emplace(shape.hull.get());
        if (fresh) entry->second = *make_polytope_graph(shape);
        return entry->second;
    }

    void judge(Row& row, std::size_t i, std::size_t k, bool good, double distance) const {
        row.failures += !good;
        if (good && !experiment_.overlapping()) row.error = std::max(row.error, bounds_[i][k].error(distance));
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
            [&](std::size_t i, std::size_t k, GjkVariantMemory& memory) {
                return gjk_variant(*graphs_[i].a, *graphs_[i].b, pairs_[i].poses[k], methods, memory);
            },
            visit);
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
        for_each_pose(pairs_, by_step_, [&](std::size_t i, std::size_t k) { visit(i, k, bullet_[i].query(k)); });
    }
};

/// Every combination that differs in this experiment: without a memory, what starts or searches from one is the same as
/// something else.
std::vector<Method> methods_for(const Experiment& experiment, bool bullet) {
    std::vector<Method> result{{Method::Kind::talus, {}}};
    if (bullet) result.push_back({Method::Kind::bullet, {}});
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
                    if (tracked || !remembers) result.push_back({Method::Kind::papers, m});
                }
            }
        }
    }
    return result;
}

/// "simplex support start stop".
std::string name_of(const Method& method) {
    if (method.kind == Method::Kind::talus) return "Talus, the production query";
    if (method.kind == Method::Kind::bullet) return "Bullet, btGjkPairDetector";
    char text[128];
    const GjkMethods& m = method.methods;
    std::snprintf(text, sizeof text, "%-15s %-21s %-17s %s", talus::name_of(m.simplex), talus::name_of(m.support),
                  talus::name_of(m.start), talus::name_of(m.stop));
    return text;
}

void write_row(std::FILE* csv, const Experiment& experiment, const Sizes& sizes, const Method& method, int queries,
               const Row& row) {
    const GjkMethods& m = method.methods;
    const bool papers = method.kind == Method::Kind::papers;
    std::fprintf(csv, "%s,%d,%d,%s,%s,%s,%s,%d,%.2f,%.4f,%.4f,%.3f,%d,%.3e\n", experiment.name, sizes.a, sizes.b,
                 papers                               ? talus::name_of(m.simplex)
                 : method.kind == Method::Kind::talus ? "talus"
                                                      : "bullet",
                 papers ? talus::name_of(m.support) : "", papers ? talus::name_of(m.start) : "",
                 papers ? talus::name_of(m.stop) : "", queries, row.ns, row.iterations, row.support_evaluations,
                 row.dot_products, row.failures, row.error);
}

constexpr const char* csv_header =
    "table,vertices_a,vertices_b,simplex,support,start,stop,queries,ns,iterations,support_evaluations,dot_products,"
    "failures,max_error\n";

bool same(const Method& a, const Method& b) {
    const GjkMethods &m = a.methods, &n = b.methods;
    return a.kind == b.kind && (a.kind != Method::Kind::papers || (m.simplex == n.simplex && m.support == n.support &&
                                                                   m.start == n.start && m.stop == n.stop));
}

using Table = std::vector<std::vector<Row>>;  ///< by method, then by size

/// Everything about these methods in one experiment.
Table measure(const Experiment& experiment, const std::vector<Method>& methods, const GjkOptions& options) {
    Table table(methods.size());
    for (const Sizes& sizes : options.sizes) {
        show_progress(experiment, sizes);
        Poses poses(experiment, sizes, options);
        std::vector<std::vector<double>> ns(methods.size());
        for (std::size_t m = 0; m < methods.size(); ++m) table[m].push_back(poses.count(methods[m]));
        for (int i = 0; i < options.repeats; ++i) {
            for (std::size_t m = 0; m < methods.size(); ++m) ns[m].push_back(poses.time(methods[m]));
        }
        for (std::size_t m = 0; m < methods.size(); ++m) {
            Row& row = table[m].back();
            row.ns = median(ns[m]);
            if (options.csv != nullptr) write_row(options.csv, experiment, sizes, methods[m], poses.queries(), row);
        }
    }
    return table;
}

void print_sizes(const std::vector<Sizes>& sizes, int width) {
    for (const Sizes& size : sizes) {
        char text[32];
        std::snprintf(text, sizeof text, "%d/%d", size.a, size.b);
        std::printf(" %*s", width, text);
    }
}

void print_heading(const Experiment& experiment, const GjkOptions& options) {
    std::printf("%s\n(%d pairs of hulls, %d poses each, medians of %d)\n\n", experiment.title, options.pairs,
                options.poses, options.repeats);
}

/// The paper's rows, its milliseconds above our figures. 'of the first' divides by the first row's.
void print_paper_rows(std::span<const PaperRow> rows, const std::vector<Method>& methods, const Table& table,
                      const std::vector<Sizes>& sizes) {
    std::printf("%-30s |", rows.data() == table2 ? "Table 2 of Liu et al." : "Table 3 of Liu et al.");
    print_sizes(sizes, 8);
    std::printf("\n");
    const auto line = [&](const char* name, const char* unit, auto&& value) {
        std::printf("%-16s %-13s |", name, unit);
        for (std::size_t s = 0; s < sizes.size(); ++s) value(s);
        std::printf("\n");
    };
    const auto milliseconds = [&](const PaperRow& row, std::size_t s) {
        const auto known = std::find_if(std::begin(all_sizes), std::begin(all_sizes) + 10, [&](const Sizes& size) {
            return size.a == sizes[s].a && size.b == sizes[s].b;
        });
        const auto column = known - std::begin(all_sizes);
        return column < 10 ? row.milliseconds[column] : 0;
    };
    const std::vector<Row>* first = nullptr;
    for (const PaperRow& row : rows) {
        const auto method =
            std::find_if(methods.begin(), methods.end(), [&](const Method& m) { return same(m, row.method); });
        const std::vector<Row>& measured = table[static_cast<std::size_t>(method - methods.begin())];
        if (first == nullptr) first = &measured;
        const char* name = row.name;
        if (*std::max_element(row.milliseconds, row.milliseconds + 10) > 0) {
            line(name, "paper's ms", [&](std::size_t s) {
                const int ms = milliseconds(row, s);
                ms > 0 ? std::printf(" %8d", ms) : std::printf(" %8s", "-");
            });
            name = "";
            line(name, "of the first", [&](std::size_t s) {
                const double ms = milliseconds(row, s), of = milliseconds(rows[0], s);
                ms > 0 && of > 0 ? std::printf(" %8.2f", ms / of) : std::printf(" %8s", "-");
            });
        }
        line(name, "our ns", [&](std::size_t s) { std::printf(" %8.0f", measured[s].ns); });
        line("", "of the first", [&](std::size_t s) { std::printf(" %8.2f", measured[s].ns / (*first)[s].ns); });
        line("", "iterations", [&](std::size_t s) { std::printf(" %8.2f", measured[s].iterations); });
        if (row.method.kind == Method::Kind::papers)  // others do not count them
            line("", "dot products", [&](std::size_t s) { std::printf(" %8.1f", measured[s].dot_products); });
        line("", "failures", [&](std::size_t s) { std::printf(" %8d", measured[s].failures); });
        line("", "largest error", [&](std::size_t s) { std::printf(" %8.1e", measured[s].error); });
    }
}

/// All methods: nanoseconds by size, and sums or means over the sizes. The fastest of the papers' methods has a star,
/// as in the paper.
void print_all_rows(const std::vector<Method>& methods, const std::vector<std::vector<Row>>& table,
                    const std::vector<Sizes>& sizes) {
    std::vector<double> least(sizes.size(), 1e300);
    for (std::size_t m = 0; m < methods.size(); ++m) {
        for (std::size_t s = 0; s < sizes.size(); ++s) {
            const Row& row = table[m][s];
            if (methods[m].kind == Method::Kind::papers && row.failures == 0) least[s] = std::min(least[s], row.ns);
        }
    }
    for (std::size_t m = 0; m < methods.size(); ++m) {
        std::printf("%-71s |", name_of(methods[m]).c_str());
        Row sum;
        for (std::size_t s = 0; s < sizes.size(); ++s) {
            const Row& row = table[m][s];
            std::printf(" %8.0f%s", row.ns, row.ns <= least[s] && methods[m].kind == Method::Kind::papers ? "*" : " ");
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

void print_paper_tables(const GjkOptions& options) {
    for (const Experiment* experiment : options.chosen) {
        const std::span<const PaperRow> rows = paper_rows(*experiment);
        std::vector<Method> methods;
        for (const PaperRow& row : rows) methods.push_back(row.method);
        const Table table = measure(*experiment, methods, options);
        print_heading(*experiment, options);
        print_paper_rows(rows, methods, table, options.sizes);
        std::printf("\n");
        std::fflush(stdout);
    }
}

void print_papers(const GjkOptions& options) {
    if (options.csv != nullptr) std::fputs(csv_header, options.csv);
    for (const Experiment* experiment : options.chosen) {
        const std::vector<Method> methods = methods_for(*experiment, options.bullet);
        const Table table = measure(*experiment, methods, options);
        print_heading(*experiment, options);
        if (const std::span<const PaperRow> rows = paper_rows(*experiment); !rows.empty()) {
            print_paper_rows(rows, methods, table, options.sizes);
            std::printf("\n");
        }
        std::printf("%-15s %-21s %-17s %-15s |", "simplex", "support", "start", "stop");
        print_sizes(options.sizes, 8);
        std::printf(" | %6s %8s %8s %6s %8s\n", "iter", "supports", "dots", "failed", "error");
        print_all_rows(methods, table, options.sizes);
        std::printf("\n");
        std::fflush(stdout);
    }
}

}  // namespace talus::profiling
