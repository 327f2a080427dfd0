#pragma once
/// Scenes by their names, for benchmarks that run several.

#include "samples/scenes/scene.h"

#include <cstdio>
#include <string>
#include <vector>

namespace talus::profiling {

/// Makes each of these scenes, which must exist, and calls run(name, scene), which returns whether it succeeded. A scene
/// that cannot be made is reported as the program's error. Returns whether all succeeded.
template <class Run>
bool for_each_scene(const char* program, const std::vector<std::string>& names, Run&& run) {
    bool good = true;
    for (const std::string& name : names) {
        const Result<samples::SceneData> scene = samples::find_scene(name)->make({});
        if (!scene) std::fprintf(stderr, "%s: %s\n", program, scene.error().message.c_str());
        good = scene && run(name, *scene) && good;
        std::fflush(stdout);
    }
    return good;
}

}  // namespace talus::profiling
