/// Steps on one thread and on several, by turns in one process, while other programs keep the processors busy.

#include "profiling/bench/scenes/threads_bench.h"

#include "profiling/bench/measure.h"
#include "profiling/bench/scenes/each_scene.h"
#include "samples/scenes/scene.h"

#include <talus/profiling/statistics.h>
#include <talus/thread_pool.h>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>

namespace talus::profiling {

namespace {

constexpr const char* program = "talus-profile threads";
constexpr const char* help = R"(usage: talus-profile threads [options]
Steps each scene in two worlds, one on one thread and one on several, by turns in laps of some steps, while other programs keep
processors busy. Prints wall time per step: median, mean and 99th percentile, and the ratios of several threads to one (below
1: several are faster). No body sleeps.
  --company N      busy programs, 0 to 1000 (default 0)
  --threads N      threads of the second world, 1 to 1000 (default 2)
  --scene NAME     may be given several times (default: pyramid40, wall, hullpile, mixed, tumble, ragdolls)
  --steps N        timed steps in each world, up to a million (default 600)
  --lap N          steps until the other world's turn, 1 to 1000 (default 25)
  --hz N           start N steps per second, as a game does, up to 1000 (default 0: no waiting)
  --span           count instead how much more threads than this machine has could save: one thread does the work of 2, 4,
                   8, 16 and 32, and each stage counts its longest chain of work (Jobs::simulate). Prints by how much a
                   step would be shorter, and how long each stage is with 1, 2 and 32; of the options, --scene and --steps
)";

constexpr OptionValues option_values[] = {{"--company", "a whole number from 0 to 1000"},
                                          {"--threads", "a whole number from 1 to 1000"},
                                          {"--scene", "a name that talus-samples --list shows"},
                                          {"--steps", "a whole number from 1 to 1000000"},
                                          {"--lap", "a whole number from 1 to 1000"},
                                          {"--hz", "a whole number from 0 to 1000"}};

struct Options {
    std::vector<std::string> scenes;
    int company = 0, threads = 2, steps = 600, lap = 25, hz = 0;
    bool span = false;
};

bool parse(const std::vector<std::string_view>& arguments, Options& out) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view name = arguments[i];
        if (name == "--span") {
            out.span = true;
            continue;
        }
        const std::string_view value = i + 1 < arguments.size() ? arguments[++i] : std::string_view();
        if (name == "--scene" && samples::find_scene(value) != nullptr) {
            out.scenes.emplace_back(value);
            continue;
        }
        int* const number = name == "--company"   ? &out.company
                            : name == "--threads" ? &out.threads
                            : name == "--steps"   ? &out.steps
                            : name == "--lap"     ? &out.lap
                            : name == "--hz"      ? &out.hz
                                                  : nullptr;
        if (number == nullptr || !parse_number(value, *number) || *number < 0)
            return refuse(name, value, option_values);
        const bool may_be_none = number == &out.company || number == &out.hz;
        if ((*number == 0 && !may_be_none) || *number > 1000000 || (number != &out.steps && *number > 1000))
            return refuse(name, value, option_values);
    }
    if (out.scenes.empty()) out.scenes = {"pyramid40", "wall", "hullpile", "mixed", "tumble", "ragdolls"};
    return true;
}

/// Programs that keep processors busy for as long as this lives.
class Company {
public:
    explicit Company(int programs) {
        const pid_t parent = getpid();
        for (int i = 0; i < programs; ++i) {
            const pid_t child = fork();
            if (child == 0) keep_busy(parent);
            if (child > 0) children_.push_back(child);
        }
    }
    ~Company() {
        for (const pid_t child : children_) kill(child, SIGKILL);
        for (const pid_t child : children_) waitpid(child, nullptr, 0);
    }
    Company(const Company&) = delete;
    Company& operator=(const Company&) = delete;

    std::size_t size() const { return children_.size(); }

private:
    /// Until the parent is gone, in whatever way.
    [[noreturn]] static void keep_busy(pid_t parent) {
        volatile std::uint64_t count = 0;
        do {
            for (int i = 0; i < 10000000; ++i) count = count + 1;
        } while (getppid() == parent);
        _exit(0);
    }

    std::vector<pid_t> children_;
};

/// A world and what its steps took, ms.
struct Runner {
    World world;
    Jobs jobs;
    int step = 0;
    std::vector<double> ms;

    void run(const samples::SceneData& scene, int steps, int hz) {
        using Clock = std::chrono::steady_clock;
        for (int i = 0; i < steps; ++i, ++step) {
            const Clock::time_point start = Clock::now();
            ms.push_back(1e-6 * wall_time_of([&] { samples::step_scene(world, scene, step, jobs); }));
            if (hz > 0) std::this_thread::sleep_until(start + std::chrono::microseconds(1000000 / hz));
        }
    }
    double mean() const {
        double sum = 0.0;
        for (const double value : ms) sum += value;
        return sum / static_cast<double>(ms.size());
    }
};

bool print_scene(const std::string& name, const samples::SceneData& scene, const Options& options, ThreadPool& pool) {
    WorldDef def;
    def.allow_sleep = false;
    def.timing = Timing::off;
    Runner one{samples::make_world(scene, nullptr, def), {}, 0, {}};
    Runner several{samples::make_world(scene, nullptr, def), pool.jobs(), 0, {}};
    for (int done = 0; done < options.steps;) {
        const int lap = std::min(options.lap, options.steps - done);
        one.run(scene, lap, options.hz);
        several.run(scene, lap, options.hz);
        done += lap;
    }
    const auto p99 = [](const Runner& runner) { return quantile_of(runner.ms, 0.99); };
    const double one_median = median(one.ms), several_median = median(several.ms);
    std::printf("%-12s %6zu | %8.3f %8.3f %5.2f | %8.3f %8.3f %5.2f | %8.3f %8.3f %5.2f | %s\n", name.c_str(),
                scene.bodies.size(), one_median, several_median, several_median / one_median, one.mean(),
                several.mean(), several.mean() / one.mean(), p99(one), p99(several), p99(several) / p99(one),
                one.world.hash() == several.world.hash() ? "same" : "DIFFERENT");
    return true;
}

/// Prints how much several threads could save. Returns whether all numbers of threads gave the same bits.
bool print_span(const std::string& name, const samples::SceneData& scene, const Options& options) {
    WorldDef def;
    def.allow_sleep = false;
    struct Run {
        World world;
        Jobs jobs;
        std::vector<StageSpans> spans;

        double median_of(double StageSpans::*stage) const {
            std::vector<double> values;
            for (const StageSpans& span : spans) values.push_back(span.*stage);
            return median(values);
        }
    };
    std::vector<Run> runs;
    for (const int threads : {1, 2, 4, 8, 16, 32})
        runs.push_back({samples::make_world(scene, nullptr, def), {.threads = threads, .simulate = true}, {}});
    for (int step = 0; step < options.steps; ++step) {
        for (Run& run : runs) {
            samples::step_scene(run.world, scene, step, run.jobs);
            run.spans.push_back(run.world.profile().span);
        }
    }
    const double one = runs[0].median_of(&StageSpans::total);
    bool same = true;
    std::printf("%-12s %6zu %8.3f |", name.c_str(), scene.bodies.size(), 1e-3 * one);
    for (const Run& run : runs) {
        if (&run != &runs[0]) std::printf(" %5.2f", one / run.median_of(&StageSpans::total));
        same = same && run.world.hash() == runs[0].world.hash();
    }
    std::printf(" |");
    for (const auto stage : {&StageSpans::pairs, &StageSpans::collide, &StageSpans::graph, &StageSpans::solve,
                             &StageSpans::continuous, &StageSpans::finish, &StageSpans::publish})
        std::printf(" %5.0f %5.0f %5.0f |", runs[0].median_of(stage), runs[1].median_of(stage),
                    runs.back().median_of(stage));
    std::printf(" %s\n", same ? "same" : "DIFFERENT");
    return same;
}

int print_spans(const Options& options) {
    std::printf("                      1 thread | speed-up that the work allows |");
    for (const char* const stage : {"pairs", "collide", "graph", "solve", "continuous", "finish", "publish"})
        std::printf(" %-17s |", stage);
    std::printf("\nscene        bodies         ms |     2     4     8    16    32 |");
    for (int i = 0; i < 7; ++i) std::printf(" 1, 2, 32, us      |");
    std::printf(" bits\n");
    const bool good = for_each_scene(
        program, options.scenes,
        [&](const std::string& name, const samples::SceneData& scene) { return print_span(name, scene, options); });
    return good ? 0 : 1;
}

}  // namespace

int run_threads(const std::vector<std::string_view>& arguments) {
    if (!arguments.empty() && arguments[0] == "--help") {
        std::fputs(help, stdout);
        return 0;
    }
    Options options;
    if (!parse(arguments, options)) return 2;
    if (options.span) return print_spans(options);
    const Company company(options.company);  // before there are threads: fork() copies but one
    if (company.size() != static_cast<std::size_t>(options.company)) {
        std::fprintf(stderr, "talus-profile threads: the system started %zu of %d programs\n", company.size(),
                     options.company);
        return 1;
    }
    ThreadPool pool(options.threads);
    std::printf("1 thread and %d, beside %d busy programs, on %u processors; ms per step\n", options.threads,
                options.company, std::thread::hardware_concurrency());
    std::printf(
        "                    | median                  | mean                    | 99th percentile         |\n"
        "scene        bodies |        1  several ratio |        1  several ratio |        1  several ratio | bits\n");
    const bool made =
        for_each_scene(program, options.scenes, [&](const std::string& name, const samples::SceneData& scene) {
            return print_scene(name, scene, options, pool);
        });
    return made ? 0 : 1;
}

}  // namespace talus::profiling
