/// talus-profile: the benchmark program. `talus-profile scenes` runs Talus and Bullet in turn, in one process, and
/// prints medians and their ratio for whole steps of the scenes of the library, `talus-profile gjk` for distance and
/// depth queries, `talus-profile broadphase` for worlds of moving boxes, `talus-profile meshes` for meshes,
/// `talus-profile papers` the experiments of the source papers; these need Bullet. `talus-profile threads` compares one
/// thread with several, `talus-profile diff` two runs of Talus.

#include "profiling/bench/scenes/diff_command.h"
#include "profiling/bench/scenes/threads_bench.h"
#include "samples/program.h"
#ifdef TALUS_WITH_BULLET
#include "profiling/bench/broadphase/broadphase_bench.h"
#include "profiling/bench/gjk/gjk_bench.h"
#include "profiling/bench/meshes/mesh_bench.h"
#include "profiling/bench/papers/papers.h"
#include "profiling/bench/scenes/scenes.h"
#endif

#include <cstdio>
#include <string_view>
#include <vector>

namespace {

struct Command {
    std::string_view name;
    int (*run)(const std::vector<std::string_view>& arguments);
};

#ifdef TALUS_WITH_BULLET
constexpr Command commands[] = {{"scenes", talus::profiling::run_scenes},
                                {"gjk", talus::profiling::run_gjk},
                                {"broadphase", talus::profiling::run_broadphase},
                                {"meshes", talus::profiling::run_meshes},
                                {"papers", talus::profiling::run_papers},
                                {"threads", talus::profiling::run_threads},
                                {"diff", talus::profiling::run_diff}};
#else
int want_bullet(const std::vector<std::string_view>&) {
    std::fprintf(stderr,
                 "talus-profile: this comparison needs Bullet, which was not there when this program was built.\n"
                 "Install it (Debian: libbullet-dev), then configure and build again.\n");
    return 2;
}
constexpr Command commands[] = {{"scenes", want_bullet},
                                {"gjk", want_bullet},
                                {"broadphase", want_bullet},
                                {"meshes", want_bullet},
                                {"papers", want_bullet},
                                {"threads", talus::profiling::run_threads},
                                {"diff", talus::profiling::run_diff}};
#endif

int run(const std::vector<std::string_view>& arguments) {
    for (const Command& command : commands) {
        if (!arguments.empty() && arguments[0] == command.name)
            return command.run({arguments.begin() + 1, arguments.end()});
    }
    const bool help = !arguments.empty() && (arguments[0] == "--help" || arguments[0] == "help");
    std::fprintf(help ? stdout : stderr,
                 "usage: talus-profile scenes|gjk|broadphase|meshes|papers|threads|diff [options]\n"
                 "talus-profile scenes --help says more, and so on.\n"
                 "Talus and Bullet by turns:\n"
                 "  scenes      whole steps\n"
                 "  gjk         distance and depth queries\n"
                 "  broadphase  overlapping pairs of moving boxes, and rays among boxes\n"
                 "  meshes      building and asking meshes, and a pile on one\n"
                 "  papers      the experiments of the source papers, ours beside theirs\n"
                 "Talus alone:\n"
                 "  threads     one thread beside several, while other programs keep the processors busy\n"
                 "  diff        what got slower or faster, where, of two runs: A.csv B.csv of talus-samples --csv\n");
    return help ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) { return talus::samples::run_program("talus-profile", argc, argv, run); }
