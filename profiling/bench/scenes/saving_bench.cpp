#include "profiling/bench/scenes/saving_bench.h"

#include "profiling/bench/measure.h"
#include "profiling/bench/scenes/each_scene.h"
#include "samples/scenes/scene.h"

#include <talus/engine/pose_buffer.h>
#include <talus/engine/world_view.h>

#include <cstdio>
#include <string>

namespace talus::profiling {

namespace {

constexpr const char* help = R"(usage: talus-profile saving [options]
Steps each scene on one thread, and then measures, by turns: a step, assigning the world to another one that had it before,
saving it to bytes, loading it, and updating its WorldViewBuffer and PoseBuffer. Prints medians of CPU time, and their
ratios to a step. No body sleeps.
  --scene NAME     may be given several times (default: pyramid40, wall, mixed, terrain, chains, ragdoll_bin)
  --steps N        steps before the measurement, up to a million (default 100)
  --repeats N      measurements of each, up to 1000 (default 31)
)";

constexpr OptionValues option_values[] = {{"--scene", "a name that talus-samples --list shows"},
                                          {"--steps", "a whole number from 1 to 1000000"},
                                          {"--repeats", "a whole number from 1 to 1000"}};

struct Options {
    std::vector<std::string> scenes;
    int steps = 100, repeats = 31;
};

bool parse(const std::vector<std::string_view>& arguments, Options& out) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view name = arguments[i];
        const std::string_view value = i + 1 < arguments.size() ? arguments[++i] : std::string_view();
        if (name == "--scene" && samples::find_scene(value) != nullptr) {
            out.scenes.emplace_back(value);
            continue;
        }
        int* const number = name == "--steps" ? &out.steps : name == "--repeats" ? &out.repeats : nullptr;
        const int most = number == &out.steps ? 1000000 : 1000;
        if (number == nullptr || !parse_number(value, *number) || *number < 1 || *number > most)
            return refuse(name, value, option_values);
    }
    if (out.scenes.empty()) out.scenes = {"pyramid40", "wall", "mixed", "terrain", "chains", "ragdoll_bin"};
    return true;
}

bool print_scene(const std::string& name, const samples::SceneData& scene, const Options& options) {
    WorldDef def;
    def.allow_sleep = false;
    def.timing = Timing::off;
    World world = samples::make_world(scene, nullptr, def);
    int step = 0;
    while (step < options.steps) samples::step_scene(world, scene, step++);
    World other = world, from_bytes;
    WorldViewBuffer views;
    PoseBuffer poses;
    std::vector<double> steps, assigned, saved, loaded, viewed, posed;
    Result<std::vector<std::byte>> bytes = world.save();
    for (int i = 0; i < options.repeats; ++i) {
        const auto time = [](std::vector<double>& times, auto&& work) { times.push_back(1e-3 * time_of(1, work)); };
        time(steps, [&] { samples::step_scene(world, scene, step++); });
        time(assigned, [&] { other = world; });
        time(saved, [&] { bytes = world.save(); });
        if (!bytes) return false;
        time(loaded, [&] { from_bytes = *World::load(*bytes); });
        time(viewed, [&] { views.update(world); });
        time(posed, [&] { poses.update(world); });
    }
    const double whole = median(steps);
    std::printf("%-12s %6zu | %9zu %6zu | %8.0f", name.c_str(), scene.bodies.size(), bytes->size(),
                bytes->size() / scene.bodies.size(), whole);
    for (std::vector<double>* times : {&assigned, &saved, &loaded, &viewed, &posed}) {
        const double part = median(*times);
        std::printf(" | %8.0f %6.3f", part, part / whole);
    }
    std::printf("\n");
    return true;
}

}  // namespace

int run_saving(const std::vector<std::string_view>& arguments) {
    if (!arguments.empty() && arguments[0] == "--help") {
        std::fputs(help, stdout);
        return 0;
    }
    Options options;
    if (!parse(arguments, options)) return 2;
    std::printf("%-12s %6s | %9s %6s | %8s", "scene", "bodies", "bytes", "/body", "step, us");
    for (const char* const name : {"assign", "save", "load", "view", "poses"}) std::printf(" | %8s %6s", name, "/step");
    std::printf("\n");
    const bool good = for_each_scene(
        "talus-profile saving", options.scenes,
        [&](const std::string& name, const samples::SceneData& scene) { return print_scene(name, scene, options); });
    return good ? 0 : 1;
}

}  // namespace talus::profiling
