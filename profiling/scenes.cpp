/// Whole steps of the scenes, Talus and Bullet by turns: each repeat runs a scene once in each engine and gives one
/// ratio, so that a machine that is slow for a while slows both. Medians over the repeats are what counts.

#include "profiling/scenes.h"

#include "profiling/bullet_scene.h"
#include "profiling/measure.h"
#include "profiling/rungs.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
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
    {"pyramid40", 400}, {"wall", 300},       {"hullpile", 500}, {"mixed", 400},   {"bighulls", 400},
    {"bighulls44", 400}, {"sparse10k", 200}, {"tumble", 600},   {"tumble8", 600}, {"stack20", 1200},
};

struct Options {
    std::vector<std::string> scenes;
    std::optional<int> steps;
    int repeats = 3;
    float jitter = 0.0f;
    bool rungs = false;
    std::string csv;
};

/// What one run of a scene in one engine gave.
struct Run {
    double ms = 0.0;  ///< mean a step, CPU time of the process
    double broad = 0.0;    ///< broadphase, ms a step
    double collide = 0.0;  ///< narrowphase, the same
    double pairs = 0.0, solve = 0.0, rest = 0.0;  ///< the other stages, the same; Talus only
    float max_penetration = 0.0f;  ///< over the last tenth of the steps, m
    float lowest_y = 0.0f;         ///< of any dynamic body at the end, m
};

double cpu_ms() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

Run run_talus(const samples::SceneData& scene, int steps) {
    WorldDef def;
    def.allow_sleep = false;
    std::vector<BodyId> ids;
    World world = samples::make_world(scene, &ids, def);
    Run run;
    double busy = 0.0;
    for (int i = 0; i < steps; ++i) {
        const double start = cpu_ms();
        samples::step_scene(world, scene, i);
        const double cpu = cpu_ms() - start;
        busy += cpu;
        const FrameProfile& p = world.profile();
        // Talus's stages are wall time: what other programs took of this step is shared out among them.
        const double to_ms = 1e-3 * std::min(1.0, 1e3 * cpu / p.total);
        run.pairs += to_ms * p.pairs;
        run.broad += to_ms * p.broadphase;
        run.collide += to_ms * p.collide;
        run.solve += to_ms * p.solve;
        run.rest += to_ms * (p.graph + p.finish + p.publish);
        if (i >= steps - steps / 10 - 1) run.max_penetration = std::max(run.max_penetration, p.max_penetration);
    }
    run.ms = busy / steps;
    run.pairs /= steps;
    run.broad /= steps;
    run.collide /= steps;
    run.solve /= steps;
    run.rest /= steps;
    for (std::size_t k = 0; k < ids.size(); ++k) {
        if (scene.bodies[k].type == BodyType::dynamic) run.lowest_y = std::min(run.lowest_y, world.position(ids[k]).y);
    }
    return run;
}

Run run_bullet(const samples::SceneData& scene, int steps) {
    BulletScene world(scene);
    Run run;
    double busy = 0.0;
    for (int i = 0; i < steps; ++i) {
        const double start = cpu_ms();
        world.step(i);
        busy += cpu_ms() - start;
        run.broad += world.broadphase_ms();
        run.collide += world.narrowphase_ms();
        if (i >= steps - steps / 10 - 1) run.max_penetration = std::max(run.max_penetration, world.max_penetration());
    }
    run.ms = busy / steps;
    run.broad /= steps;
    run.collide /= steps;
    for (std::size_t k = 0; k < world.body_count(); ++k) {
        if (scene.bodies[k].type == BodyType::dynamic) run.lowest_y = std::min(run.lowest_y, world.position(k).y);
    }
    return run;
}

double median_of(const std::vector<Run>& runs, double Run::* value) {
    std::vector<double> values;
    for (const Run& run : runs) values.push_back(run.*value);
    return median(std::move(values));
}

constexpr const char* help =
    "usage: talus-profile scenes [options]\n"
    "Runs scenes in Talus and in Bullet by turns, one thread, sleeping off, and prints medians of CPU ms a step.\n"
    "  --scene NAME    only this scene (may be given several times; talus-samples --list names them)\n"
    "  --steps N       steps a run, for all scenes (default: as many as the scene wants)\n"
    "  --repeats N     runs in each engine (default 3)\n"
    "  --jitter M      seeded horizontal jitter of stacks, m (default 0)\n"
    "  --csv FILE      the table as CSV\n"
    "  --rungs         instead: Talus alone, with the rungs of its coherence ladder switched off one by one (default\n"
    "                  scene tumble; no --csv)\n"
    "Columns: ms Talus, ms Bullet, their ratio (median over the repeats of Talus / Bullet); the same for the\n"
    "broadphase (moves of boxes and search for pairs) and the narrowphase (Talus's stage `collide`, Bullet's\n"
    "dispatchAllCollisionPairs); Talus's other stages, ms (pairs and rest hold the broadphase, too); deepest\n"
    "overlap in the last tenth of the steps, mm, of each; * marks an engine that lost a body through the floor.\n";

/// False, and a sentence on stderr, for arguments that make no sense.
bool parse(const std::vector<std::string_view>& arguments, Options& options) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view name = arguments[i];
        if (name == "--rungs") {
            options.rungs = true;
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
    std::FILE* csv = nullptr;
    if (!options.csv.empty()) {
        csv = std::fopen(options.csv.c_str(), "w");
        if (csv == nullptr) {
            std::fprintf(stderr, "talus-profile: cannot write %s: %s\n", options.csv.c_str(), std::strerror(errno));
            return 2;
        }
        std::fputs("scene,bodies,steps,talus_ms,bullet_ms,ratio,talus_pairs_ms,talus_collide_ms,talus_solve_ms,"
                   "talus_rest_ms,talus_max_penetration_m,bullet_max_penetration_m,bullet_narrow_ms,narrow_ratio,talus_broad_ms,bullet_broad_ms,broad_ratio\n",
                   csv);
    }
    std::printf("%-12s %6s %6s | %8s %8s %6s | %6s %7s %6s | %7s %7s %6s | %6s %6s %6s | %7s %7s\n", "scene",
                "bodies", "steps", "Talus ms", "Bullet", "ratio", "broad", "Bullet", "ratio", "collide", "Bullet",
                "narrow", "pairs", "solve", "rest", "deepest", "Bullet");
    for (const std::string& name : options.scenes) {
        const samples::Scene& scene = *samples::find_scene(name);
        const std::optional<samples::SceneData> data = make_data(scene, options);
        if (!data) continue;
        const int steps = steps_of(scene, options);
        std::vector<Run> ours, theirs;
        std::vector<double> ratios, broad_ratios, narrow_ratios;
        for (int i = 0; i < options.repeats; ++i) {
            ours.push_back(run_talus(*data, steps));
            theirs.push_back(run_bullet(*data, steps));
            ratios.push_back(ours.back().ms / theirs.back().ms);
            broad_ratios.push_back(ours.back().broad / theirs.back().broad);
            narrow_ratios.push_back(ours.back().collide / theirs.back().collide);
        }
        const double ratio = median(ratios), broad_ratio = median(broad_ratios), narrow_ratio = median(narrow_ratios);
        const double broad = median_of(ours, &Run::broad), bullet_broad = median_of(theirs, &Run::broad);
        const double talus_ms = median_of(ours, &Run::ms), bullet_ms = median_of(theirs, &Run::ms);
        const double collide = median_of(ours, &Run::collide), bullet_collide = median_of(theirs, &Run::collide);
        const double pairs = median_of(ours, &Run::pairs), solve = median_of(ours, &Run::solve);
        const double rest = median_of(ours, &Run::rest);
        const float deepest = ours[0].max_penetration, bullet_deepest = theirs[0].max_penetration;
        // Scenes with gravity have a floor or a bin around y = 0: whoever is far below it fell through.
        const bool has_floor = data->gravity != vec3(0.0f);
        const char* lost = has_floor && ours[0].lowest_y < -20.0f ? "*" : " ";
        const char* bullet_lost = has_floor && theirs[0].lowest_y < -20.0f ? "*" : " ";
        std::printf("%-12s %6zu %6d | %8.3f %8.3f %6.2f | %6.3f %7.3f %6.2f | %7.3f %7.3f %6.2f | %6.3f %6.3f %6.3f | "
                    "%6.1f%s %6.1f%s\n",
                    name.c_str(), data->bodies.size(), steps, talus_ms, bullet_ms, ratio, broad, bullet_broad,
                    broad_ratio, collide, bullet_collide, narrow_ratio, pairs, solve, rest, 1e3 * static_cast<double>(deepest), lost,
                    1e3 * static_cast<double>(bullet_deepest), bullet_lost);
        std::fflush(stdout);
        if (csv != nullptr) {
            std::fprintf(csv, "%s,%zu,%d,%.5f,%.5f,%.4f,%.5f,%.5f,%.5f,%.5f,%.6f,%.6f,%.5f,%.4f,%.5f,%.5f,%.4f\n", name.c_str(),
                         data->bodies.size(), steps, talus_ms, bullet_ms, ratio, pairs, collide, solve, rest,
                         static_cast<double>(deepest), static_cast<double>(bullet_deepest), bullet_collide,
                         narrow_ratio, broad, bullet_broad, broad_ratio);
        }
    }
    if (csv != nullptr) std::fclose(csv);
    return 0;
}

}  // namespace talus::profiling
