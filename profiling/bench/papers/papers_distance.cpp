#include "profiling/bench/papers/papers_distance.h"

#include "profiling/bench/gjk/paper_methods.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <span>
#include <string_view>

namespace talus::profiling {

namespace {

/// A row with the milliseconds that the paper gives (MATLAB 5.2, 266 MHz Pentium II; those of Table 3 for a whole path), 0 where it gives none.
/// The other rows are compared with the first.
struct PaperRow {
    const char* name;
    QueryMethod method;
    int milliseconds[10];  ///< at the first ten of all_sizes
};

constexpr auto papers = QueryMethod::Kind::papers, talus_query = QueryMethod::Kind::talus;

constexpr PaperRow table2[] = {
    {"original GJK", {papers, liu_original}, {16, 30, 80, 105, 210, 95, 445, 440, 380, 480}},
    {"Liu et al.", {papers, liu_ours}, {17, 30, 70, 100, 205, 100, 480, 430, 385, 480}},
    {"Cameron", {papers, liu_cameron}, {30, 55, 80, 110, 175, 85, 250, 145, 250, 220}},
    {"both", {papers, liu_combined}, {31, 60, 75, 105, 150, 90, 220, 130, 255, 220}},
    {"orig., centroids", {papers, original_from_centroids}, {}},
    {"Cameron, Voronoi",  // Ericson's section 3.1 in place of the distance subalgorithm
     {papers, {SimplexMethod::voronoi, SupportMethod::hill_climbing, StartMethod::arbitrary}},
     {}},
    {"Talus", {talus_query, {}}, {}},
};

/// The paper's second half names these rows differently ("ours plus Cameron's" and "enhanced version"), but its text
/// speaks of the original and of the combination with what the last step stored, and the figures go on as in the
/// first half.
constexpr PaperRow table3[] = {
    {"original GJK", {papers, liu_original}, {0, 666, 1726, 946, 2096, 1250, 2650, 6074, 5250, 0}},
    {"both, tracking", {papers, liu_tracking}, {0, 358, 424, 462, 522, 458, 582, 668, 800, 0}},
    {"Cameron", {papers, liu_cameron}, {}},
    {"Cameron, track.", {papers, cameron_tracking}, {}},
    {"orig., tracking", {papers, original_tracking}, {}},
    {"Talus, warm", {talus_query, {}}, {}},
};

/// The table of the paper that an experiment repeats, if any.
std::span<const PaperRow> paper_rows(const Experiment& experiment) {
    if (std::string_view(experiment.name) == "static") return table2;
    if (experiment.motion.tracked() && !experiment.overlapping()) return table3;
    return {};
}

/// What the paper's row says at these sizes; 0: nothing.
int milliseconds(const PaperRow& row, const Sizes& sizes) {
    const auto end = std::begin(all_sizes) + std::size(row.milliseconds);
    const auto known = std::find_if(std::begin(all_sizes), end,
                                    [&](const Sizes& size) { return size.a == sizes.a && size.b == sizes.b; });
    return known == end ? 0 : row.milliseconds[known - std::begin(all_sizes)];
}

template <class PrintValue>
void print_line(const char* name, const char* unit, std::size_t count, PrintValue&& print_value) {
    std::printf("%-16s %-13s |", name, unit);
    for (std::size_t s = 0; s < count; ++s) print_value(s);
    std::printf("\n");
}

/// The paper's milliseconds and their share of the first row's.
void print_theirs(const PaperRow& row, const PaperRow& first, const std::vector<Sizes>& sizes) {
    print_line(row.name, "paper's ms", sizes.size(), [&](std::size_t s) {
        const int ms = milliseconds(row, sizes[s]);
        ms > 0 ? std::printf(" %8d", ms) : std::printf(" %8s", "-");
    });
    print_line("", "of the first", sizes.size(), [&](std::size_t s) {
        const double ms = milliseconds(row, sizes[s]), of = milliseconds(first, sizes[s]);
        ms > 0 && of > 0 ? std::printf(" %8.2f", ms / of) : std::printf(" %8s", "-");
    });
}

void print_ours(const char* name, const PaperRow& row, const std::vector<MethodFigures>& ours,
                const std::vector<MethodFigures>& first) {
    const std::size_t n = ours.size();
    print_line(name, "our ns", n, [&](std::size_t s) { std::printf(" %8.0f", ours[s].ns); });
    print_line("", "of the first", n, [&](std::size_t s) { std::printf(" %8.2f", ours[s].ns / first[s].ns); });
    print_line("", "iterations", n, [&](std::size_t s) { std::printf(" %8.2f", ours[s].iterations); });
    if (row.method.kind == papers)  // the others do not count them
        print_line("", "dot products", n, [&](std::size_t s) { std::printf(" %8.1f", ours[s].dot_products); });
    print_line("", "failures", n, [&](std::size_t s) { std::printf(" %8d", ours[s].failures); });
    if (std::any_of(ours.begin(), ours.end(), [](const MethodFigures& f) { return f.failures > 0; })) {
        print_line("", "failed ns", n, [&](std::size_t s) {
            ours[s].failures > 0 ? std::printf(" %8.0f", ours[s].failed_ns) : std::printf(" %8s", "-");
        });
    }
    print_line("", "largest error", n, [&](std::size_t s) { std::printf(" %8.1e", ours[s].error); });
}

}  // namespace

void print_paper_rows(const Experiment& experiment, const std::vector<QueryMethod>& methods, const MethodTable& table,
                      const std::vector<Sizes>& sizes) {
    const std::span<const PaperRow> rows = paper_rows(experiment);
    if (rows.empty()) return;
    std::printf("%-30s |", rows.data() == table2 ? "Table 2 of Liu et al." : "Table 3 of Liu et al.");
    print_size_columns(sizes, 8);
    std::printf("\n");
    const auto figures_of = [&](const PaperRow& row) -> const std::vector<MethodFigures>& {
        const auto method = std::find(methods.begin(), methods.end(), row.method);
        return table[static_cast<std::size_t>(method - methods.begin())];
    };
    for (const PaperRow& row : rows) {
        const bool has_theirs = *std::max_element(std::begin(row.milliseconds), std::end(row.milliseconds)) > 0;
        if (has_theirs) print_theirs(row, rows[0], sizes);
        print_ours(has_theirs ? "" : row.name, row, figures_of(row), figures_of(rows[0]));
    }
    std::printf("\n");
}

int print_distance(const PapersOptions& options) {
    std::fputs(R"(Distance (Liu, Chien, Shiang and Lee, Tables 2 and 3)
Theirs: one pair of hulls of random points on a unit ball, MATLAB 5.2 on a 266 MHz Pentium II; Table 2 for one query,
Table 3 for a path of ten steps. Ours: a query in C++, the mean over all poses. Compare 'of the first', the share of the
original's time. Failures: discard-and-add may end without an answer (<talus/narrowphase/gjk_variants.h>). Their time
is shown apart: 'our ns' is the mean of the answered queries alone; counts are means of all queries.
Rows without the paper's figures are ours. 'orig., centroids' starts as 'Liu et al.' does. In Table 3, 'Cameron'
remembers its last vertices only. Two rows are the controls of 'both, tracking': 'Cameron, track.' is the original
subalgorithm with hill climbing and the last simplex; 'orig., tracking' has the neighbours' search as well, so that only
discard-and-add is missing.

)",
               stdout);
    for (const char* name : {"static", "steps"}) {
        GjkOptions gjk;
        gjk.pairs = options.quick ? 2 : 8;
        gjk.poses = options.quick ? 20 : options.poses();
        gjk.repeats = options.repeats;
        gjk.seed = options.seed;
        gjk.bullet = false;
        if (options.quick)
            gjk.sizes.assign(std::begin(quick_sizes), std::end(quick_sizes));
        else
            gjk.sizes.assign(std::begin(all_sizes), std::begin(all_sizes) + 10);
        const Experiment& experiment = *find_experiment(name);
        std::vector<QueryMethod> methods;
        for (const PaperRow& row : paper_rows(experiment)) methods.push_back(row.method);
        const MethodTable table = measure_methods(experiment, methods, gjk);
        print_experiment_heading(experiment, gjk);
        print_paper_rows(experiment, methods, table, gjk.sizes);
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace talus::profiling
