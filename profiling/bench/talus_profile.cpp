/// talus-profile: the benchmark program. Each of its commands prints tables; docs/benchmarks.md and docs/papers.md show them.

#include "profiling/bench/broadphase/broadphase_bench.h"
#include "profiling/bench/gjk/gjk_bench.h"
#include "profiling/bench/meshes/mesh_bench.h"
#include "profiling/bench/papers/papers.h"
#include "profiling/bench/scenes/diff_command.h"
#include "profiling/bench/scenes/saving_bench.h"
#include "profiling/bench/scenes/scenes.h"
#include "profiling/bench/scenes/threads_bench.h"
#include "samples/program.h"

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Command {
    std::string_view name;
    int (*run)(const std::vector<std::string_view>& arguments);
    const char* summary;
};

constexpr Command commands[] = {
    {"scenes", talus::profiling::run_scenes, "whole steps of scenes, beside Bullet"},
    {"gjk", talus::profiling::run_gjk, "distance and depth queries, beside Bullet"},
    {"broadphase", talus::profiling::run_broadphase,
     "overlapping pairs of moving boxes, and rays among boxes, beside Bullet"},
    {"meshes", talus::profiling::run_meshes, "building meshes, boxes and rays on them, beside Bullet; a pile on one"},
    {"papers", talus::profiling::run_papers, "the experiments of the source papers, their figures beside ours"},
    {"threads", talus::profiling::run_threads,
     "steps on one thread beside several, while other programs keep the processors busy"},
    {"saving", talus::profiling::run_saving, "assigning, saving and loading worlds, beside a step"},
    {"diff", talus::profiling::run_diff,
     "what got slower or faster between two runs, and where: A.csv B.csv, written by talus-samples --csv"},
};

int run(const std::vector<std::string_view>& arguments) {
    for (const Command& command : commands) {
        if (!arguments.empty() && arguments[0] == command.name)
            return command.run({arguments.begin() + 1, arguments.end()});
    }
    const bool help = !arguments.empty() && (arguments[0] == "--help" || arguments[0] == "help");
    std::string text;
    if (arguments.empty()) {
        text = "talus-profile: no command was given.\n";
    } else if (!help) {
        text = "talus-profile: there is no command '" + std::string(arguments[0]) + "'.\n";
    }
    text += "usage: talus-profile COMMAND [options]\n";
    for (const Command& command : commands)
        text += "  " + std::string(command.name) + std::string(12 - command.name.size(), ' ') + command.summary + "\n";
    text +=
        "talus-profile COMMAND --help describes the options and columns of a command. In a build without Bullet,\n"
        "Bullet's columns are empty.\n";
    std::fputs(text.c_str(), help ? stdout : stderr);
    return help ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) { return talus::samples::run_program("talus-profile", argc, argv, run); }
