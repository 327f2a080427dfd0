#include "profiling/bench/papers/papers.h"

#include "profiling/bench/measure.h"
#include "profiling/bench/papers/papers_depth.h"
#include "profiling/bench/papers/papers_distance.h"
#include "profiling/bench/papers/papers_faces.h"
#include "profiling/bench/papers/papers_growth.h"
#include "profiling/bench/papers/papers_moving.h"
#include "profiling/bench/papers/papers_nonconvex.h"
#include "profiling/bench/papers/papers_planar.h"
#include "profiling/bench/papers/papers_robot.h"
#include "profiling/bench/papers/papers_stop.h"
#include "profiling/bench/papers/papers_support.h"

#include <algorithm>
#include <cstdio>

namespace talus::profiling {

namespace {

/// One experiment, or a group of them.
struct Section {
    std::string_view option;
    const char* help;
    int (*print)(const PapersOptions& options);  ///< gives the exit code
};

constexpr Section sections[] = {
    {"--distance", "Liu et al., Tables 2 and 3: distance queries by the papers' methods", print_distance},
    {"--growth", "Liu et al.: how a query's cost grows with the vertices, 'almost linear'", print_growth},
    {"--planar", "Liu et al., section 3.1: polygons, and discard-and-add in the plane", print_planar},
    {"--support", "support searches: their share of the time, and how they grow with the vertices", print_support},
    {"--stop", "when a search ends: Jovanoski's lower bound, and recurring vertices on pairs of every kind",
     print_stop},
    {"--depth", "Jovanoski's EPA: depths of overlapping hulls, beside Cameron's estimate", print_depth},
    {"--moving", "Ericson's GJK for moving objects: interval halving and Brent's method", print_moving},
    {"--faces", "Liu et al., appendix: faces and edges from a vertex set, beside quickhull", print_faces},
    {"--nonconvex", "Jimenez and Torras, Figures 4 to 6: nonconvex interference, all pairs and pruned",
     print_nonconvex},
    {"--robot", "Liu et al., section 4.4: what planning the redundant robot's motion costs", print_robot},
};

constexpr OptionValues option_values[] = {
    {"--repeats", "a whole number, 1 or more"}, {"--seed", "a whole number, 0 or more"}, {"--mesh", "a file name"}};

void print_help() {
    std::printf(
        "usage: talus-profile papers [experiments] [options]\n"
        "Repeats the experiments of the source papers, their figures beside ours: all of them (less than two minutes), "
        "or those named:\n");
    for (const Section& section : sections)
        std::printf("  %-16.*s %s\n", static_cast<int>(section.option.size()), section.option.data(), section.help);
    std::printf(
        "Options:\n"
        "  --repeats N      timed passes of each (default 3, with --full 5)\n"
        "  --seed N         seed of poses and shapes (default 1)\n"
        "  --mesh FILE      a closed mesh for --nonconvex (may be given several times; default: those in meshes/)\n"
        "  --full           more poses and repeats, and the meshes that --nonconvex alone takes\n"
        "  --quick          few poses and one repeat, to see that it works\n");
}

}  // namespace

int run_papers(const std::vector<std::string_view>& arguments) {
    PapersOptions options;
    options.repeats = 0;  // not given
    std::vector<const Section*> chosen;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view name = arguments[i];
        if (name == "--help") {
            print_help();
            return 0;
        }
        bool known = name == "--quick" || name == "--full";
        options.quick |= name == "--quick";
        options.full |= name == "--full";
        for (const Section& section : sections) {
            if (name != section.option) continue;
            chosen.push_back(&section);
            known = true;
        }
        if (known) continue;
        const std::string_view value = i + 1 < arguments.size() ? arguments[++i] : std::string_view();
        bool good = !value.empty();
        if (name == "--repeats") {
            good = parse_number(value, options.repeats) && options.repeats > 0;
        } else if (name == "--seed") {
            good = parse_number(value, options.seed);
        } else if (name == "--mesh") {
            if (good) options.mesh_files.emplace_back(value);
        } else {
            good = false;
        }
        if (!good) return refuse(name, value, option_values), 2;
    }
    if (options.quick && options.full) {
        std::fprintf(stderr, "talus-profile: --quick and --full were both given; choose one of them.\n");
        return 2;
    }
    if (options.quick) {
        options.repeats = 1;
    } else if (options.repeats == 0) {
        options.repeats = options.full ? 5 : PapersOptions().repeats;
    }
    if (chosen.empty()) {
        options.meshes = options.full || options.quick;  // they take longer than all else together
        for (const Section& section : sections) chosen.push_back(&section);
    }
    const auto is_nonconvex = [](const Section* section) { return section->print == print_nonconvex; };
    if (!options.mesh_files.empty() && std::none_of(chosen.begin(), chosen.end(), is_nonconvex)) {
        std::fprintf(stderr,
                     "talus-profile: --mesh was given '%s', but no chosen experiment takes a mesh; add --nonconvex.\n",
                     options.mesh_files[0].c_str());
        return 2;
    }
    for (const Section* section : chosen) {
        const int code = section->print(options);
        std::fflush(stdout);
        if (code != 0) return code;
    }
    return 0;
}

}  // namespace talus::profiling
