/// Whole steps of the scenes, Talus and Bullet by turns: each repeat runs a scene once in each engine and gives one
/// ratio, so that a machine that is slow for a while slows both. Medians over the repeats are what counts.

#include "profiling/bench/scenes/scenes.h"

#include "profiling/bench/bullet.h"
#include "profiling/bench/measure.h"
#include "profiling/bench/scenes/bullet_run.h"
#include "profiling/bench/scenes/rungs.h"
#include "profiling/bench/scenes/scene_run.h"
#include "profiling/bench/scenes/timing_cost.h"

#include <talus/thread_pool.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

namespace talus::profiling {

namespace {

/// The scenes of the comparison when none is named, and how many steps each is run for.
struct Entry {
    const char* name;
    int steps;
};
constexpr Entry default_scenes[] = {
    {"pyramid40", 400},  {"wall", 300},         {"hullpile", 500},    {"mixed", 400},   {"bighulls", 400},
    {"bighulls44", 400}, {"sparse10k", 200},    {"tumble", 600},      {"tumble8", 600}, {"stack20", 1200},
    {"drum", 600},       {"ragdolls", 600},     {"ragdoll_bin", 600}, {"chains", 600},  {"bridge", 600},
    {"pyramid100", 200}, {"rough_ground", 500},
};

struct Options {
    std::vector<std::string> scenes;
    std::optional<int> steps;
    int repeats = 3;
    int threads = 1;
    float jitter = 0.0f;
    bool rungs = false, timing = false;
    std::string csv;
};

/// A scene's runs in both engines, pair by pair; without Bullet `bullet` is empty.
struct Comparison {
    std::string scene;
    std::size_t bodies = 0;
    int steps = 0;
    std::vector<samples::Figure> figures;
    std::vector<SceneRun> talus, bullet;

    static double median_of(const std::vector<SceneRun>& runs, double SceneRun::*value) {
        std::vector<double> values;
        for (const SceneRun& run : runs) values.push_back(run.*value);
        return median(std::move(values));
    }
    double ours(double SceneRun::*value) const { return median_of(talus, value); }
    double theirs(double SceneRun::*value) const { return median_of(bullet, value); }
    /// The median over the pairs of runs: a machine that is slow for a while slows both.
    double ratio(double SceneRun::*value) const {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < bullet.size(); ++i) ratios.push_back(talus[i].*value / bullet[i].*value);
        return median(std::move(ratios));
    }
};

/// A figure of Bullet's as text of this width; "-" without Bullet.
std::string theirs_text(const Comparison& c, const char* format, int width, double value) {
    char text[32];
    c.bullet.empty() ? std::snprintf(text, sizeof text, "%*s", width, "-")
                     : std::snprintf(text, sizeof text, format, width, value);
    return text;
}

// ---- Tables -------------------------------------------------------------------------------------------------------------

/// A stage that both engines have, and the width of its columns.
struct Column {
    const char* name;
    double SceneRun::*value;
    int ours, theirs;
};
constexpr Column columns[] = {{"Talus ms", &SceneRun::ms, 8, 8},
                              {"broad", &SceneRun::broad, 6, 7},
                              {"collide", &SceneRun::collide, 7, 7},
                              {"solve", &SceneRun::solve, 7, 7}};

void print_times_header(int threads) {
    if (threads > 1) std::printf("Talus on %d threads, wall time\n", threads);
    std::printf("%-12s %6s %5s |", "scene", "bodies", "steps");
    for (const Column& column : columns)
        std::printf(" %*s %*s %5s |", column.ours, column.name, column.theirs, "Bullet", "ratio");
    std::printf(" %6s %6s | %6s %6s\n", "pairs", "rest", "MB", "Bullet");
}

void print_times(const Comparison& c) {
    std::printf("%-12s %6zu %5d |", c.scene.c_str(), c.bodies, c.steps);
    for (const Column& column : columns) {
        std::printf(" %*.3f %s %s |", column.ours, c.ours(column.value),
                    theirs_text(c, "%*.3f", column.theirs, c.theirs(column.value)).c_str(),
                    theirs_text(c, "%*.2f", 5, c.ratio(column.value)).c_str());
    }
    std::printf(" %6.3f %6.3f | %6.1f %s\n", c.ours(&SceneRun::pairs), c.ours(&SceneRun::rest),
                1e-6 * c.ours(&SceneRun::bytes), theirs_text(c, "%*.1f", 6, 1e-6 * c.theirs(&SceneRun::bytes)).c_str());
    std::fflush(stdout);
}

void print_outcomes(const std::vector<Comparison>& all) {
    std::printf("\n%-12s | %8s %8s | %8s %8s | %5s %6s | %-32s %10s %10s\n", "", "deepest", "Bullet", "mean, mm",
                "Bullet", "lost", "Bullet", "measured on the bodies", "Talus", "Bullet");
    for (const Comparison& c : all) {
        const SceneRun& ours = c.talus[0];
        const SceneRun theirs = c.bullet.empty() ? SceneRun{} : c.bullet[0];
        std::printf("%-12s | %8.1f %s | %8.2f %s | %5d %s |", c.scene.c_str(), 1e3 * ours.deepest,
                    theirs_text(c, "%*.1f", 8, 1e3 * theirs.deepest).c_str(), 1e3 * ours.mean,
                    theirs_text(c, "%*.2f", 8, 1e3 * theirs.mean).c_str(), ours.lost,
                    theirs_text(c, "%*.0f", 6, theirs.lost).c_str());
        for (std::size_t i = 0; i < c.figures.size(); ++i) {
            if (i > 0) std::printf("%-12s | %8s %8s | %8s %8s | %5s %6s |", "", "", "", "", "", "", "");
            const std::string what =
                c.figures[i].name + std::string(*c.figures[i].unit ? ", " : "") + c.figures[i].unit;
            std::printf(" %-32s %10.3g %s\n", what.c_str(), ours.figures[i],
                        theirs_text(c, "%*.3g", 10, c.bullet.empty() ? 0.0 : theirs.figures[i]).c_str());
        }
        if (c.figures.empty()) std::printf(" %-32s %10s %10s\n", "-", "-", "-");
    }
}

/// What the ratios and overlaps hold besides the quality of the two engines.
constexpr const char* note =
    "Bullet has its own defaults, margins included: its hulls and cones are 4 cm larger than ours on all sides (its "
    "boxes and\n"
    "cylinders are not). Its overlaps, deepest and mean, are those of the larger shapes, so that two hulls that rest "
    "on each\n"
    "other in Bullet are up to 8 cm apart.\n";

constexpr const char* csv_header =
    "scene,bodies,steps,threads,talus_ms,bullet_ms,ratio,talus_broad_ms,bullet_broad_ms,broad_ratio,talus_collide_ms,"
    "bullet_narrow_ms,"
    "narrow_ratio,talus_solve_ms,bullet_solve_ms,solve_ratio,talus_pairs_ms,talus_rest_ms,talus_bytes,bullet_bytes,"
    "talus_max_penetration_m,bullet_max_penetration_m,talus_mean_penetration_m,bullet_mean_penetration_m,talus_lost,"
    "bullet_lost,"
    "figure,talus_figure,bullet_figure\n";

/// A row; of the scene's figures the first. Bullet's fields are empty without it.
void write_csv(std::FILE* file, const Comparison& c, int threads) {
    const auto theirs_field = [&](const char* format, double value) {
        std::fputc(',', file);
        if (!c.bullet.empty()) std::fprintf(file, format, value);
    };
    std::fprintf(file, "%s,%zu,%d,%d", c.scene.c_str(), c.bodies, c.steps, threads);
    for (const Column& column : columns) {
        std::fprintf(file, ",%.5f", c.ours(column.value));
        theirs_field("%.5f", c.theirs(column.value));
        theirs_field("%.4f", c.ratio(column.value));
    }
    const SceneRun& ours = c.talus[0];
    const SceneRun theirs = c.bullet.empty() ? SceneRun{} : c.bullet[0];
    std::fprintf(file, ",%.5f,%.5f,%.0f", c.ours(&SceneRun::pairs), c.ours(&SceneRun::rest), ours.bytes);
    theirs_field("%.0f", theirs.bytes);
    std::fprintf(file, ",%.6f", ours.deepest);
    theirs_field("%.6f", theirs.deepest);
    std::fprintf(file, ",%.6f", ours.mean);
    theirs_field("%.6f", theirs.mean);
    std::fprintf(file, ",%d", ours.lost);
    theirs_field("%.0f", theirs.lost);
    if (c.figures.empty()) {
        std::fprintf(file, ",,,\n");
        return;
    }
    std::string name = c.figures[0].name;
    std::replace(name.begin(), name.end(), ',', ' ');
    std::fprintf(file, ",%s,%.6g", name.c_str(), ours.figures[0]);
    theirs_field("%.6g", c.bullet.empty() ? 0.0 : theirs.figures[0]);
    std::fputc('\n', file);
}

constexpr const char* help = R"(usage: talus-profile scenes [options]
Runs scenes in Talus and in Bullet by turns, without sleeping, and prints medians in ms per step: CPU time, or wall time with
several threads.
  --scene NAME    run only this scene (may be given several times; talus-samples --list names them)
  --steps N       steps per run, for all scenes (default: chosen for each scene)
  --repeats N     runs in each engine (default 3)
  --threads N     threads of Talus, 1 to 64 (default 1); Bullet always has one
  --jitter M      seeded horizontal jitter of stacks, 0 to 0.5 m (default 0)
  --csv FILE      write the tables as CSV
  --rungs         instead: run Talus alone and switch the rungs of its coherence ladder off, one by one (default scene:
                  tumble; writes no CSV)
  --timing        instead: measure what timing costs in Talus: steps with Timing::stages and Timing::pairs over the same
                  steps with Timing::off, and the cost that the profile reports
First table: ms of Talus, ms of Bullet and their ratio (Talus / Bullet, the median over the repeats): of the whole step; of
the broadphase (moving boxes, searching pairs); of the narrowphase (Talus's stage `collide`, Bullet's
dispatchAllCollisionPairs); of the solver (Talus's stage `solve`, Bullet's solveConstraints). Then Talus's stage `pairs` and
the sum of its other stages, which contain the broadphase; and the memory that each engine holds at the end (Talus:
World::memory(); Bullet: what its allocator has handed out).
Second table: deepest and mean overlap in the last tenth of the steps; number of bodies that fell out of the scene; the
scene's own figures, computed by the same formula from the bodies of each engine.
)";

constexpr OptionValues option_values[] = {{"--scene", "a name that talus-samples --list shows"},
                                          {"--steps", "a whole number, 1 or more"},
                                          {"--repeats", "a whole number, 1 or more"},
                                          {"--threads", "a whole number from 1 to 64"},
                                          {"--jitter", "a number of metres, from 0 to 0.5"},
                                          {"--csv", "a file name"}};

/// False, and a sentence on stderr, for invalid arguments.
bool parse(const std::vector<std::string_view>& arguments, Options& options) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view name = arguments[i];
        if (name == "--rungs") {
            options.rungs = true;
            continue;
        }
        if (name == "--timing") {
            options.timing = true;
            continue;
        }
        const std::string_view value = i + 1 < arguments.size() ? arguments[++i] : std::string_view();
        bool good = !value.empty();
        if (name == "--scene") {
            good = samples::find_scene(value) != nullptr;
            options.scenes.emplace_back(value);
        } else if (name == "--steps") {
            int steps = 0;
            good = parse_number(value, steps) && steps > 0;
            options.steps = steps;
        } else if (name == "--repeats") {
            good = parse_number(value, options.repeats) && options.repeats > 0;
        } else if (name == "--threads") {
            good = parse_number(value, options.threads) && options.threads >= 1 && options.threads <= 64;
        } else if (name == "--jitter") {
            good = parse_number(value, options.jitter) && options.jitter >= 0.0f && options.jitter <= 0.5f;
        } else if (name == "--csv") {
            options.csv = value;
        } else {
            good = false;
        }
        if (!good) return refuse(name, value, option_values);
    }
    return true;
}

/// The steps that this scene is run for.
int steps_of(const samples::Scene& scene, const Options& options) {
    if (options.steps) return *options.steps;
    for (const Entry& entry : default_scenes) {
        if (std::string_view(scene.name) == entry.name) return entry.steps;
    }
    return scene.steps;
}

/// The scene's data, or nothing and a sentence on stderr.
std::optional<samples::SceneData> make_data(const samples::Scene& scene, const Options& options) {
    samples::SceneOptions scene_options;
    scene_options.jitter = options.jitter;
    Result<samples::SceneData> data = scene.make(scene_options);
    if (data) return *std::move(data);
    std::fprintf(stderr, "talus-profile: %s: %s\n", scene.name, data.error().message.c_str());
    return std::nullopt;
}

int run_rungs(Options options) {
    if (options.scenes.empty()) options.scenes.emplace_back("tumble");
    for (const std::string& name : options.scenes) {
        const samples::Scene& scene = *samples::find_scene(name);
        const std::optional<samples::SceneData> data = make_data(scene, options);
        if (data) print_rungs(scene.name, *data, steps_of(scene, options), options.repeats);
    }
    return 0;
}

int run_timing(const Options& options) {
    std::vector<TimingCost> costs;
    for (const std::string& name : options.scenes) {
        const samples::Scene& scene = *samples::find_scene(name);
        const std::optional<samples::SceneData> data = make_data(scene, options);
        if (data) costs.push_back(time_timing(scene.name, *data, steps_of(scene, options)));
    }
    print_timing_costs(costs);
    return 0;
}

/// Runs a scene in both engines as often as the options say. Nothing, and a line that says why, for a scene that one of them cannot make.
std::optional<Comparison> compare(const samples::Scene& scene, const Options& options, const Jobs& jobs) {
    const std::optional<samples::SceneData> data = make_data(scene, options);
    if (!data) return std::nullopt;
    if (const Error missing = missing_in_bullet(*data)) {
        std::printf("%-12s is left out: %s\n", scene.name, missing.message.c_str());
        return std::nullopt;
    }
    Comparison c;
    c.scene = scene.name;
    c.bodies = data->bodies.size();
    c.steps = steps_of(scene, options);
    c.figures = data->figures;
    for (int i = 0; i < options.repeats; ++i) {
        c.talus.push_back(run_talus(*data, c.steps, jobs));
        if (Result<SceneRun> theirs = run_bullet(*data, c.steps, options.threads))
            c.bullet.push_back(*std::move(theirs));
    }
    return c;
}

int run_comparison(const Options& options) {
    std::FILE* csv = nullptr;
    if (!options.csv.empty()) {
        csv = std::fopen(options.csv.c_str(), "w");
        if (csv == nullptr) {
            std::fprintf(stderr, "talus-profile: cannot write %s: %s\n", options.csv.c_str(), std::strerror(errno));
            return 2;
        }
        std::fputs(csv_header, csv);
    }
    ThreadPool pool(options.threads);
    const Jobs jobs = options.threads > 1 ? pool.jobs() : Jobs{};
    std::vector<Comparison> all;
    std::printf("%s%s\n", bullet_note, with_bullet ? note : "");
    print_times_header(options.threads);
    for (const std::string& name : options.scenes) {
        std::optional<Comparison> c = compare(*samples::find_scene(name), options, jobs);
        if (!c) continue;
        print_times(*c);
        if (csv != nullptr) write_csv(csv, *c, options.threads);
        all.push_back(*std::move(c));
    }
    print_outcomes(all);
    if (csv != nullptr) std::fclose(csv);
    return 0;
}

}  // namespace

int run_scenes(const std::vector<std::string_view>& arguments) {
    if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
        std::fputs(help, stdout);
        return 0;
    }
    Options options;
    if (!parse(arguments, options)) return 2;
    if (options.rungs) return run_rungs(options);
    if (options.scenes.empty()) {
        for (const Entry& entry : default_scenes) options.scenes.emplace_back(entry.name);
    }
    return options.timing ? run_timing(options) : run_comparison(options);
}

}  // namespace talus::profiling
