#include "profiling/bench/gjk/gjk_bench.h"

#include "profiling/bench/bullet.h"
#include "profiling/bench/gjk/gjk_experiment.h"
#include "profiling/bench/gjk/gjk_papers.h"
#include "profiling/bench/gjk/gjk_production.h"
#include "profiling/bench/measure.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>

namespace talus::profiling {

namespace {

constexpr const char* help = R"(usage: talus-profile gjk [options]
Asks for the distance and the depth of hulls of random points on a unit ball, by Talus and by Bullet's btGjkPairDetector, for
the same poses by turns; one thread, CPU time, medians.
  --papers         instead: the papers' methods in every combination (simplex, support, start, stop), beside Talus's
                   production query and Bullet, with the figures of Liu et al., Tables 2 and 3 (defaults: 8 pairs, 60
                   poses, 5 repeats; takes minutes)
  --table NAME     only this table (may be given several times): tracked, coarse, steps, static, penetrating,
                   penetrating-tracked
  --vertices A/B   only this size (may be given several times; 4 to 5000 vertices each)
  --pairs N        hull pairs per row (default 16)
  --poses N        poses per pair (default 250)
  --repeats N      timed passes of each (default 7)
  --checks N       overlapping poses per row to check against the exact depth, which is slow (default 64); 0 checks no
                   answers, of distances neither
  --seed N         seed of hulls and poses (default 1)
  --by-step        ask for the first poses of all pairs, then for all second ones, as a frame does (default: pair by pair)
  --no-bullet      run Talus alone
  --quick          a few sizes and poses and one repeat, to see that it works
  --csv FILE       write the tables as CSV
Columns with --papers: ns per answered query by size (* marks the fastest combination that never failed); means over the
sizes of iterations, support evaluations (on either hull) and dot products per query; failures; largest error. A failed
query gives no answer (iteration cap, cycle: <talus/narrowphase/gjk_variants.h>) or the wrong one of overlap and separation.
Columns without it: ns per query; how many times faster Talus is (median over the repeats) and the bar that it should clear
(< marks a row below it); means per query of iterations and support evaluations (on either hull); share of warm starts;
queries that reached an iteration cap; largest errors of both, in unit radii (of a distance against bounds proved in double,
of a depth against all faces of the Minkowski difference); checked poses without an answer from Bullet.
)";

constexpr OptionValues option_values[] = {
    {"--table", "tracked, coarse, steps, static, penetrating or penetrating-tracked"},
    {"--vertices", "two numbers of vertices from 4 to 5000, such as 8/8"},
    {"--pairs", "a whole number from 1 to 10000"},
    {"--poses", "a whole number from 1 to 100000"},
    {"--repeats", "a whole number, 1 or more"},
    {"--checks", "a whole number, 0 or more"},
    {"--seed", "a whole number, 0 or more"},
    {"--csv", "a file name"}};

bool parse_sizes(std::string_view text, Sizes& out) {
    const std::size_t slash = text.find('/');
    return slash != std::string_view::npos && parse_number(text.substr(0, slash), out.a) &&
           parse_number(text.substr(slash + 1), out.b) && std::min(out.a, out.b) >= 4 && std::max(out.a, out.b) <= 5000;
}

/// False, and a sentence on stderr, for invalid arguments.
bool parse(const std::vector<std::string_view>& arguments, GjkOptions& options, std::string& csv) {
    bool quick = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view name = arguments[i];
        if (name == "--quick") {
            quick = true;
            options.pairs = 4;
            options.poses = 25;
            options.repeats = 1;
            options.checks = 8;
            continue;
        }
        if (name == "--papers") continue;  // known already
        if (name == "--by-step") {
            options.by_step = true;
            continue;
        }
        if (name == "--no-bullet") {
            options.bullet = false;
            continue;
        }
        const std::string_view value = i + 1 < arguments.size() ? arguments[++i] : std::string_view();
        bool good = !value.empty();
        if (name == "--table") {
            const Experiment* const found = find_experiment(value);
            good = found != nullptr;
            if (good) options.chosen.push_back(found);
        } else if (name == "--vertices") {
            Sizes sizes{};
            good = parse_sizes(value, sizes);
            options.sizes.push_back(sizes);
        } else if (name == "--pairs") {
            good = parse_number(value, options.pairs) && options.pairs > 0 && options.pairs <= 10000;
        } else if (name == "--poses") {
            good = parse_number(value, options.poses) && options.poses > 0 && options.poses <= 100000;
        } else if (name == "--repeats") {
            good = parse_number(value, options.repeats) && options.repeats > 0;
        } else if (name == "--checks") {
            good = parse_number(value, options.checks) && options.checks >= 0;
        } else if (name == "--seed") {
            good = parse_number(value, options.seed);
        } else if (name == "--csv") {
            csv = value;
        } else {
            good = false;
        }
        if (!good) return refuse(name, value, option_values);
    }
    if (options.chosen.empty()) {
        for (const Experiment& experiment : experiments) options.chosen.push_back(&experiment);
    }
    if (options.sizes.empty()) {
        const std::span<const Sizes> sizes =
            quick ? std::span<const Sizes>(quick_sizes) : std::span<const Sizes>(all_sizes);
        options.sizes.assign(sizes.begin(), sizes.end());
    }
    return true;
}

}  // namespace

int run_gjk(const std::vector<std::string_view>& arguments) {
    if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
        std::fputs(help, stdout);
        return 0;
    }
    GjkOptions options;
    options.bullet = with_bullet;
    const bool papers = std::find(arguments.begin(), arguments.end(), "--papers") != arguments.end();
    if (papers) {  // so many methods that less has to do
        options.pairs = 8;
        options.poses = 60;
        options.repeats = 5;
    }
    std::string csv;
    if (!parse(arguments, options, csv)) return 2;
    if (!csv.empty()) {
        options.csv = std::fopen(csv.c_str(), "w");
        if (options.csv == nullptr) {
            std::fprintf(stderr, "talus-profile: cannot write %s: %s\n", csv.c_str(), std::strerror(errno));
            return 1;
        }
    }
    papers ? print_papers(options) : print_production(options);
    if (options.csv != nullptr && std::fclose(options.csv) != 0) {
        std::fprintf(stderr, "talus-profile: cannot write %s: %s\n", csv.c_str(), std::strerror(errno));
        return 1;
    }
    return 0;
}

}  // namespace talus::profiling
