#include "profiling/bench/papers.h"

#include "profiling/bench/gjk_bench.h"
#include "profiling/bench/measure.h"
#include "profiling/bench/papers_nonconvex.h"

#include <cstdio>

namespace talus::profiling {

namespace {

constexpr const char* help =
    "usage: talus-profile papers [experiments] [options]\n"
    "The experiments of the source papers, ours beside theirs; all of them, or those named:\n"
    "  --distance       Liu et al., Tables 2 and 3: distance queries by the papers' methods\n"
    "  --nonconvex      Jimenez and Torras, Figures 4 to 6: nonconvex interference, all pairs and pruned\n"
    "Options:\n"
    "  --repeats N      timed passes of each (default 5)\n"
    "  --seed N         of poses and shapes (default 1)\n"
    "  --mesh FILE      a closed mesh for the experiments that use some (may be given several times; default: those "
    "in\n"
    "                   meshes/)\n"
    "  --quick          few poses, one repeat: to see that it works\n";

/// One experiment, or a group of them.
struct Section {
    std::string_view option;
    int (*print)(const PapersOptions& options);  ///< gives the exit code
};

int print_distance(const PapersOptions& options) {
    const std::string repeats = std::to_string(options.repeats), seed = std::to_string(options.seed);
    std::vector<std::string_view> arguments{"--papers", "--table", "static",    "--table", "steps",
                                            "--seed",   seed,      "--repeats", repeats};
    if (options.quick) arguments.push_back("--quick");
    return run_gjk(arguments);
}

constexpr Section sections[] = {
    {"--distance", print_distance},
    {"--nonconvex", print_nonconvex},
};

}  // namespace

int run_papers(const std::vector<std::string_view>& arguments) {
    PapersOptions options;
    std::vector<const Section*> chosen;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view name = arguments[i];
        if (name == "--help") {
            std::fputs(help, stdout);
            return 0;
        }
        bool known = name == "--quick";
        options.quick |= known;
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
        if (!good) return refuse(name, value), 2;
    }
    if (options.quick) options.repeats = 1;
    if (chosen.empty()) {
        for (const Section& section : sections) chosen.push_back(&section);
    }
    for (const Section* section : chosen) {
        const int code = section->print(options);
        if (code != 0) return code;
    }
    return 0;
}

}  // namespace talus::profiling
