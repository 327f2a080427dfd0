/// talus-profile: the benchmark program. It runs Talus and Bullet in turn, in one process, and prints medians and
/// their ratio: `talus-profile scenes` whole steps of the scenes of the library, `talus-profile gjk` distance and
/// depth queries, `talus-profile broadphase` worlds of moving boxes.

#include "profiling/broadphase_bench.h"
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
    if (!arguments.empty() && arguments[0] == "broadphase") {
        return talus::profiling::run_broadphase({arguments.begin() + 1, arguments.end()});
    }
    const bool help = !arguments.empty() && (arguments[0] == "--help" || arguments[0] == "help");
    std::fprintf(help ? stdout : stderr,
                 "usage: talus-profile scenes|gjk|broadphase [options]\n"
                 "Each runs Talus and Bullet by turns; talus-profile scenes --help says more, and so on.\n"
                 "  scenes      whole steps\n"
                 "  gjk         distance and depth queries\n"
                 "  broadphase  overlapping pairs of moving boxes, and rays among boxes\n");
    return help ? 0 : 2;
}
