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

constexpr const char* help =
    "usage: talus-profile gjk [options]\n"
    "Distance and depth queries between hulls of random points on a unit ball, by Talus and by Bullet's\n"
    "btGjkPairDetector on the same poses by turns; one thread, CPU time, medians.\n"
    "  --papers         instead: the papers' methods in every combination (simplex, support, start, stop) beside "
    "Talus's\n"
    "                   production query and Bullet, with the figures of Liu et al., Tables 2 and 3 (defaults: 8 "
    "pairs, 60\n"
    "                   poses, 5 repeats; the whole takes minutes)\n"
    "  --table NAME     only this table (may be given several times): tracked, coarse, steps, static,\n"
    "                   penetrating, penetrating-tracked\n"
    "  --vertices A/B   only this size (may be given several times; any from 4/4)\n"
    "  --pairs N        hull pairs per row (default 16)\n"
    "  --poses N        poses a pair (default 250)\n"
    "  --repeats N      timed passes of each (default 7)\n"
    "  --checks N       overlapping poses a row that are checked against the exact depth, which is slow (default 64);\n"
    "                   0: no errors at all\n"
    "  --seed N         of hulls and poses (default 1)\n"
    "  --by-step        all pairs' first poses, then all second ones, as in a frame (default: pair after pair)\n"
    "  --no-bullet      Talus alone\n"
    "  --quick          a few sizes and poses, one repeat: to see that it works\n"
    "  --csv FILE       the tables as CSV\n"
    "Columns with --papers: ns per query by size (* the fastest combination that never failed); means over the sizes "
    "of\n"
    "iterations, support evaluations (of either hull) and dot products a query; failures; largest error. A failure is "
    "no\n"
    "answer: a cap, a cycle, a wrong side (narrowphase/gjk_variants.h), overlap called separation or the reverse.\n"
    "Columns else: ns per query; how many times faster Talus is (median over the repeats) and the bar it wants to "
    "clear "
    "(< "
    "marks\n"
    "a row below it); means per query of iterations and support evaluations (of either hull), share of warm starts, "
    "queries\n"
    "that ran into a cap; largest errors of both, in unit radii (a distance against bounds proved in double, a depth\n"
    "against all faces of the Minkowski difference); checked poses that Bullet gave no answer to.\n";

bool parse_sizes(std::string_view text, Sizes& out) {
    const std::size_t slash = text.find('/');
    return slash != std::string_view::npos && parse_number(text.substr(0, slash), out.a) &&
           parse_number(text.substr(slash + 1), out.b) && std::min(out.a, out.b) >= 4 && std::max(out.a, out.b) <= 5000;
}

/// False, and a sentence on stderr, for arguments that make no sense.
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
        if (!good) return refuse(name, value);
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
