/// Whole steps of the scenes, Talus and Bullet by turns: each repeat runs a scene once in each engine and gives one
/// ratio, so that a machine that is slow for a while slows both. Medians over the repeats are what counts.

#include "profiling/bench/scenes/scenes.h"

#include "profiling/bench/measure.h"
#include "profiling/bench/scenes/bullet_scene.h"
#include "profiling/bench/scenes/rungs.h"
#include "profiling/bench/scenes/timing_cost.h"

#include <talus/thread_pool.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
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
    {"pyramid40", 400},  {"wall", 300},      {"hullpile", 500}, {"mixed", 400},      {"bighulls", 400},
    {"bighulls44", 400}, {"sparse10k", 200}, {"tumble", 600},   {"tumble8", 600},    {"stack20", 1200},
    {"drum", 600},       {"ragdolls", 600},  {"bridge", 600},   {"pyramid100", 200},
};

/// A body with gravity that is this far down fell out of its scene, m.
constexpr float lost_below = -20.0f;

struct Options {
    std::vector<std::string> scenes;
    std::optional<int> steps;
    int repeats = 3;
    int threads = 1;
    float jitter = 0.0f;
    bool rungs = false, timing = false;
    std::string csv;
};

/// What one run of a scene in one engine gave. Times are means a step, ms.
struct Run {
    double ms = 0.0;
    double broad = 0.0, collide = 0.0, solve = 0.0;
    double pairs = 0.0, rest = 0.0;    ///< Talus's other stages, which hold the broadphase, too
    double deepest = 0.0, mean = 0.0;  ///< overlap in the last tenth of the steps, m
    int lost = 0;                      ///< dynamic bodies that fell out of the scene, or whose place is no number
    double bytes = 0.0;                ///< that the engine holds in the end
    std::vector<double> figures;       ///< parallel to the scene's
};

/// CPU time of the process on one thread, wall time on several: what a user waits for.
double now_ms(int threads) {
    timespec t;
    clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

void divide(Run& run, int steps) {
    for (double* sum : {&run.ms, &run.broad, &run.collide, &run.solve, &run.pairs, &run.rest}) *sum /= steps;
}

int count_lost(const samples::SceneData& scene, const std::function<vec3(std::size_t)>& position) {
    if (scene.gravity == vec3(0.0f)) return 0;
    int lost = 0;
    for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
        if (scene.bodies[k].type == BodyType::dynamic && !(position(k).y > lost_below)) ++lost;
    }
    return lost;
}

Run run_talus(const samples::SceneData& scene, int steps, const Jobs& jobs) {
    WorldDef def;
    def.allow_sleep = false;
    std::vector<BodyId> ids;
    World world = samples::make_world(scene, &ids, def);
    samples::Figures figures(scene);
    Run run;
    for (int i = 0; i < steps; ++i) {
        const double start = now_ms(jobs.threads);
        samples::step_scene(world, scene, i, jobs);
        const double busy = now_ms(jobs.threads) - start;
        run.ms += busy;
        const FrameProfile& p = world.profile();
        // Talus's stages are wall time: what other programs took of this step is shared out among them.
        const double to_ms = 1e-3 * std::min(1.0, 1e3 * busy / p.total);
        run.pairs += to_ms * p.pairs;
        run.broad += to_ms * p.broadphase;
        run.collide += to_ms * p.collide;
        run.solve += to_ms * p.solve;
        run.rest += to_ms * (p.graph + p.continuous + p.finish + p.publish);
        figures.observe(world);
        if (i < steps - steps / 10 - 1) continue;
        run.deepest = std::max(run.deepest, static_cast<double>(p.max_penetration));
        run.mean = std::max(run.mean, static_cast<double>(p.mean_penetration));
    }
    divide(run, steps);
    run.lost = count_lost(scene, [&](std::size_t k) { return world.position(ids[k]); });
    run.bytes = static_cast<double>(world.memory().total());
    run.figures = figures.values();
    return run;
}

Run run_bullet(const samples::SceneData& scene, int steps, int threads) {
    BulletScene world(scene);
    samples::Figures figures(scene);
    Run run;
    for (int i = 0; i < steps; ++i) {
        const double start = now_ms(threads);
        world.step(i);
        run.ms += now_ms(threads) - start;
        run.broad += world.broadphase_ms();
        run.collide += world.narrowphase_ms();
        run.solve += world.solve_ms();
        figures.observe(world);
        if (i < steps - steps / 10 - 1) continue;
        const BulletScene::Overlap overlap = world.overlap();
        run.deepest = std::max(run.deepest, static_cast<double>(overlap.deepest));
        run.mean = std::max(run.mean, static_cast<double>(overlap.mean));
    }
    divide(run, steps);
    run.lost = count_lost(scene, [&](std::size_t k) { return world.transform(k).position; });
    run.bytes = static_cast<double>(world.bytes());
    run.figures = figures.values();
    return run;
}

/// A scene's runs in both engines, pair by pair.
struct Comparison {
    std::string scene;
    std::size_t bodies = 0;
    int steps = 0;
    std::vector<samples::Figure> figures;
    std::vector<Run> talus, bullet;

    static double median_of(const std::vector<Run>& runs, double Run::*value) {
        std::vector<double> values;
        for (const Run& run : runs) values.push_back(run.*value);
        return median(std::move(values));
    }
    double ours(double Run::*value) const { return median_of(talus, value); }
    double theirs(double Run::*value) const { return median_of(bullet, value); }
    /// Of each pair of runs, the median: a machine that is slow for a while slows both.
    double ratio(double Run::*value) const {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < talus.size(); ++i) ratios.push_back(talus[i].*value / bullet[i].*value);
        return median(std::move(ratios));
    }
};

void print_times_header(int threads) {
    if (threads > 1) std::printf("Talus on %d threads, wall time\n", threads);
    std::printf("%-12s %6s %5s | %8s %8s %5s | %6s %7s %5s | %7s %7s %5s | %7s %7s %5s | %6s %6s | %6s %6s\n", "scene",
                "bodies", "steps", "Talus ms", "Bullet", "ratio", "broad", "Bullet", "ratio", "collide", "Bullet",
                "ratio", "solve", "Bullet", "ratio", "pairs", "rest", "MB", "Bullet");
}

void print_times(const Comparison& c) {
    std::printf(
        "%-12s %6zu %5d | %8.3f %8.3f %5.2f | %6.3f %7.3f %5.2f | %7.3f %7.3f %5.2f | %7.3f %7.3f %5.2f | %6.3f %6.3f "
        "| %6.1f %6.1f\n",
        c.scene.c_str(), c.bodies, c.steps, c.ours(&Run::ms), c.theirs(&Run::ms), c.ratio(&Run::ms),
        c.ours(&Run::broad), c.theirs(&Run::broad), c.ratio(&Run::broad), c.ours(&Run::collide),
        c.theirs(&Run::collide), c.ratio(&Run::collide), c.ours(&Run::solve), c.theirs(&Run::solve),
        c.ratio(&Run::solve), c.ours(&Run::pairs), c.ours(&Run::rest), 1e-6 * c.ours(&Run::bytes),
        1e-6 * c.theirs(&Run::bytes));
    std::fflush(stdout);
}

void print_outcomes(const std::vector<Comparison>& all) {
    std::printf("\n%-12s | %8s %8s | %8s %8s | %5s %6s | %-32s %10s %10s\n", "", "deepest", "Bullet", "mean, mm",
                "Bullet", "lost", "Bullet", "measured on the bodies", "Talus", "Bullet");
    for (const Comparison& c : all) {
        const Run &ours = c.talus[0], &theirs = c.bullet[0];
        std::printf("%-12s | %8.1f %8.1f | %8.2f %8.2f | %5d %6d |", c.scene.c_str(), 1e3 * ours.deepest,
                    1e3 * theirs.deepest, 1e3 * ours.mean, 1e3 * theirs.mean, ours.lost, theirs.lost);
        for (std::size_t i = 0; i < c.figures.size(); ++i) {
            if (i > 0) std::printf("%-12s | %8s %8s | %8s %8s | %5s %6s |", "", "", "", "", "", "", "");
            const std::string what =
                c.figures[i].name + std::string(*c.figures[i].unit ? ", " : "") + c.figures[i].unit;
            std::printf(" %-32s %10.3g %10.3g\n", what.c_str(), ours.figures[i], theirs.figures[i]);
        }
        if (c.figures.empty()) std::printf(" %-32s %10s %10s\n", "-", "-", "-");
    }
}

constexpr const char* csv_header =
    "scene,bodies,steps,threads,talus_ms,bullet_ms,ratio,talus_broad_ms,bullet_broad_ms,broad_ratio,talus_collide_ms,"
    "bullet_narrow_ms,"
    "narrow_ratio,talus_solve_ms,bullet_solve_ms,solve_ratio,talus_pairs_ms,talus_rest_ms,talus_bytes,bullet_bytes,"
    "talus_max_penetration_m,bullet_max_penetration_m,talus_mean_penetration_m,bullet_mean_penetration_m,talus_lost,"
    "bullet_lost,"
    "figure,talus_figure,bullet_figure\n";

/// A row; of the scene's figures the first.
void write_csv(std::FILE* file, const Comparison& c, int threads) {
    std::fprintf(file, "%s,%zu,%d,%d", c.scene.c_str(), c.bodies, c.steps, threads);
    for (double Run::*value : {&Run::ms, &Run::broad, &Run::collide, &Run::solve})
        std::fprintf(file, ",%.5f,%.5f,%.4f", c.ours(value), c.theirs(value), c.ratio(value));
    const Run &ours = c.talus[0], &theirs = c.bullet[0];
    std::fprintf(file, ",%.5f,%.5f,%.0f,%.0f,%.6f,%.6f,%.6f,%.6f,%d,%d", c.ours(&Run::pairs), c.ours(&Run::rest),
                 ours.bytes, theirs.bytes, ours.deepest, theirs.deepest, ours.mean, theirs.mean, ours.lost,
                 theirs.lost);
    if (c.figures.empty()) {
        std::fprintf(file, ",,,\n");
    } else {
        std::string name = c.figures[0].name;
        std::replace(name.begin(), name.end(), ',', ' ');
        std::fprintf(file, ",%s,%.6g,%.6g\n", name.c_str(), ours.figures[0], theirs.figures[0]);
    }
}

constexpr const char* help =
    "usage: talus-profile scenes [options]\n"
    "Runs scenes in Talus and in Bullet by turns, sleeping off, and prints medians of ms a step: CPU time, or wall "
    "time with\n"
    "several threads.\n"
    "  --scene NAME    only this scene (may be given several times; talus-samples --list names them)\n"
    "  --steps N       steps a run, for all scenes (default: as many as the scene wants)\n"
    "  --repeats N     runs in each engine (default 3)\n"
    "  --threads N     threads of Talus, 1 to 64 (default 1); Bullet always has one\n"
    "  --jitter M      seeded horizontal jitter of stacks, m (default 0)\n"
    "  --csv FILE      the tables as CSV\n"
    "  --rungs         instead: Talus alone, with the rungs of its coherence ladder switched off one by one (default\n"
    "                  scene tumble; no --csv)\n"
    "  --timing        instead: Talus alone, what taking times costs: steps with Timing::stages and Timing::pairs "
    "over\n"
    "                  the same steps with Timing::off, and what the profile says that it costs\n"
    "First table: ms Talus, ms Bullet, their ratio (median over the repeats of Talus / Bullet); the same for the "
    "broadphase\n"
    "(moves of boxes and search for pairs), the narrowphase (Talus's stage `collide`, Bullet's "
    "dispatchAllCollisionPairs) and\n"
    "the solver (Talus's stage `solve`, Bullet's solveConstraints); Talus's other stages (pairs and rest hold the "
    "broadphase,\n"
    "too); what each engine holds in the end (Talus: World::memory(); Bullet: what its allocator has handed out).\n"
    "Second table: deepest and mean overlap in the last tenth of the steps; bodies that fell out of the scene; the "
    "scene's own\n"
    "figures, by the same formula on the bodies of each engine.\n";

/// False, and a sentence on stderr, for arguments that make no sense.
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
        if (i + 1 == arguments.size()) {
            std::fprintf(stderr, "talus-profile: %.*s is unknown or lacks its value; see --help\n",
                         static_cast<int>(name.size()), name.data());
            return false;
        }
        const std::string_view value = arguments[++i];
        bool good = true;
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
            good = parse_number(value, options.jitter) && options.jitter >= 0.0f && options.jitter < 0.5f;
        } else if (name == "--csv") {
            options.csv = value;
        } else {
            good = false;
        }
        if (!good) return refuse(name, value);
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
    if (options.timing) return run_timing(options);
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
    print_times_header(options.threads);
    for (const std::string& name : options.scenes) {
        const samples::Scene& scene = *samples::find_scene(name);
        const std::optional<samples::SceneData> data = make_data(scene, options);
        if (!data) continue;
        if (!BulletScene::can_make(*data)) {
            std::printf("%-12s has joints for which Bullet has no equal\n", name.c_str());
            continue;
        }
        Comparison& c = all.emplace_back();
        c.scene = name;
        c.bodies = data->bodies.size();
        c.steps = steps_of(scene, options);
        c.figures = data->figures;
        for (int i = 0; i < options.repeats; ++i) {
            c.talus.push_back(run_talus(*data, c.steps, jobs));
            c.bullet.push_back(run_bullet(*data, c.steps, options.threads));
        }
        print_times(c);
        if (csv != nullptr) write_csv(csv, c, options.threads);
    }
    print_outcomes(all);
    if (csv != nullptr) std::fclose(csv);
    return 0;
}

}  // namespace talus::profiling
