#pragma once
/// One library of scenes, used by the samples, the tests and the benchmarks. A scene is data: a list of bodies, gravity, and
/// what changes by itself as time goes on; so the same scene can be built in another engine for comparison.

#include <talus/talus.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace talus::samples {

struct SceneOptions {
    std::uint64_t seed = 1;
    float jitter = 0.0f;                    ///< horizontal, uniform in +-jitter on each stacked body, m
    std::vector<std::string> mesh_files;    ///< for the scenes that read meshes
};

struct Camera {
    vec3 eye{10, 6, 14};
    vec3 target{0, 1, 0};
    float vertical_fov_degrees = 45.0f;
};

struct SceneData {
    vec3 gravity{0.0f, -10.0f, 0.0f};
    std::vector<BodyDef> bodies;
    Camera camera;
    /// Gravity at this step, when it changes with time.
    std::function<vec3(int step)> gravity_at;
};

struct Scene {
    const char* name;     ///< snake_case, unique
    const char* summary;  ///< one sentence: what it shows
    int steps;            ///< how long it takes to show it, at 60 Hz
    Result<SceneData> (*make)(const SceneOptions&);
};

std::span<const Scene> all_scenes();
const Scene* find_scene(std::string_view name);

/// A world with the scene's bodies in it, in the scene's order; `ids[i]` is the handle of bodies[i].
World make_world(const SceneData& scene, std::vector<BodyId>* ids = nullptr, WorldDef def = {});

}  // namespace talus::samples
