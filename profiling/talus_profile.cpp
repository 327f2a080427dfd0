/// talus-profile: the benchmark program. `talus-profile scenes` runs the scenes of the library in Talus and in Bullet, in turn, in
/// one process, and prints medians and their ratio.

#include "profiling/scenes.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

int main(int argc, char** argv) {
    const std::vector<std::string_view> arguments(argv + 1, argv + argc);
    if (!arguments.empty() && arguments[0] == "scenes") {
        return talus::profiling::run_scenes({arguments.begin() + 1, arguments.end()});
    }
    const bool help = !arguments.empty() && (arguments[0] == "--help" || arguments[0] == "help");
    std::fprintf(help ? stdout : stderr,
                 "usage: talus-profile scenes [options]\n"
                 "  scenes   whole steps, Talus and Bullet in one run (talus-profile scenes --help)\n");
    return help ? 0 : 2;
}
