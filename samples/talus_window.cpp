/// talus-window: sample scenes to look at, to touch and to measure.

#include "samples/program.h"
#include "samples/scenes/scene.h"
#include "samples/window/app/app.h"

#include <cstdio>

namespace {

using namespace talus::samples;

int run(const std::vector<std::string_view>& arguments) {
    constexpr int exit_usage = 2;
    const talus::Result<WindowOptions> options = parse_window_options(arguments);
    if (!options) {
        std::fprintf(stderr, "talus-window: %s\n", options.error().message.c_str());
        return exit_usage;
    }
    if (options->help) {
        std::printf("%s", window_help_text().c_str());
        return 0;
    }
    if (options->list) {
        for (const Scene& scene : all_scenes()) std::printf("%-12s %s\n", scene.name, scene.summary);
        return 0;
    }
    return run_window(*options);
}

}  // namespace

int main(int argc, char** argv) { return run_program("talus-window", argc, argv, run); }
