#pragma once
/// Runs a scene for its whole length as it is, sleeping off, and hands out its figures by their names.

#include "samples/scenes/scene.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace talus::test {

struct Run {
    std::map<std::string, double> figures;
    std::string text;  ///< all of them, for messages

    double operator[](const char* name) const {
        const auto found = figures.find(name);
        REQUIRE_MESSAGE(found != figures.end(), name);
        return found->second;
    }
};

/// `steps` 0: as many as the scene takes.
inline Run run(const char* name, std::uint64_t seed = 1, float jitter = 0.01f, int steps = 0) {
    const samples::Scene* scene = samples::find_scene(name);
    REQUIRE_MESSAGE(scene != nullptr, name);
    samples::SceneOptions options;
    options.seed = seed;
    options.jitter = jitter;
    const Result<samples::SceneData> data = scene->make(options);
    REQUIRE_MESSAGE(static_cast<bool>(data), data.error().message);
    WorldDef def;
    def.allow_sleep = false;
    World world = samples::make_world(*data, nullptr, def);
    REQUIRE_MESSAGE(world.body_count() == data->bodies.size(), world.last_error().message);
    samples::Figures figures(*data);
    for (int i = 0; i < (steps > 0 ? steps : scene->steps); ++i) {
        REQUIRE(samples::step_scene(world, *data, i));
        figures.observe(world);
    }
    Run result;
    result.text = std::string(name) + ", seed " + std::to_string(seed);
    const std::vector<double> values = figures.values();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const samples::Figure& figure = data->figures[i];
        result.figures[figure.name] = values[i];
        char number[32];
        std::snprintf(number, sizeof number, "%.3g", values[i]);
        result.text += std::string("; ") + figure.name + " " + number + " " + figure.unit;
    }
    return result;
}

}  // namespace talus::test
