#include "profiling/bench/papers/papers_distance.h"

#include "profiling/bench/gjk/gjk_experiment.h"

#include <cstdio>
#include <iterator>

namespace talus::profiling {

int print_distance(const PapersOptions& options) {
    std::fputs(R"(Distance (Liu, Chien, Shiang and Lee, Tables 2 and 3)
Theirs: one pair of hulls of random points on a unit ball, MATLAB 5.2 on a 266 MHz Pentium II; Table 2 for one query,
Table 3 for a path of ten steps. Ours: a query in C++, the mean over all poses. Compare 'of the first', the share of the
original's time. Failures: of discard-and-add, which may go astray (narrowphase/gjk_variants.h).

)",
               stdout);
    for (const char* name : {"static", "steps"}) {
        GjkOptions gjk;
        gjk.pairs = options.quick ? 2 : 8;
        gjk.poses = options.quick ? 20 : 100;
        gjk.repeats = options.repeats;
        gjk.seed = options.seed;
        gjk.chosen = {find_experiment(name)};
        if (options.quick)
            gjk.sizes.assign(std::begin(quick_sizes), std::end(quick_sizes));
        else
            gjk.sizes.assign(std::begin(all_sizes), std::begin(all_sizes) + 10);
        print_paper_tables(gjk);
    }
    return 0;
}

}  // namespace talus::profiling
