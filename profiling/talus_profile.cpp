/// talus-profile: the benchmark program. It runs Talus and Bullet in turn, in one process, and prints medians and
/// their ratio: `talus-profile scenes` whole steps of the scenes of the library, `talus-profile gjk` distance and
/// depth queries.

#include "profiling/gjk_bench.h"
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
    if (!arguments.empty() && arguments[0] == "gjk") {
        return talus::profiling::run_gjk({arguments.begin() + 1, arguments.end()});
    }
    const bool help = !arguments.empty() && (arguments[0] == "--help" || arguments[0] == "help");
    std::fprintf(help ? stdout : stderr,
                 "usage: talus-profile scenes|gjk [options]\n"
                 "  scenes   whole steps, Talus and Bullet in one run (talus-profile scenes --help)\n"
                 "  gjk      distance and depth queries, Talus and Bullet in one run (talus-profile gjk --help)\n");
    return help ? 0 : 2;
}
