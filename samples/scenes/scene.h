#pragma once
/// One library of scenes, used by the samples, the tests and the benchmarks.
///
/// A scene is data: a list of bodies, gravity, and what changes by itself as time goes on. Nothing in it names a world, so
/// the same scene can be built in another engine and the two compared. Data depends on the options alone: the same seed
/// gives the same bits from any compiler (own random numbers, no libm), another seed gives another scene.

#include <talus/talus.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus::samples {

/// Scenes are made for this step, s.
inline constexpr float scene_dt = 1.0f / 60.0f;

struct SceneOptions {
    std::uint64_t seed = 1;
    float jitter = 0.0f;  ///< horizontal, uniform in +-jitter on each body of a stack, pyramid or wall, m
    std::vector<std::string> mesh_files;  ///< for real_things, which has no meshes of its own
};

struct Camera {
    vec3 eye{10, 6, 14};
    vec3 target{0, 1, 0};
    float vertical_fov_degrees = 40.0f;
};

/// A joint of a scene: its definition with the handles left null, which are these bodies (or, for a gear, joints) of the scene.
struct SceneJoint {
    std::uint32_t a = 0, b = 0;
    JointDef def;
};

struct SceneData {
    vec3 gravity{0.0f, -10.0f, 0.0f};
    std::vector<BodyDef> bodies;
    std::vector<SceneJoint> joints;
    /// Gravity at a step (0 is the first), when it changes with time; else empty.
    std::function<vec3(int step)> gravity_at;

    // For pictures only.
    Camera camera;
    std::vector<std::uint32_t> glass;  ///< bodies that are drawn as outlines, so that one sees what is behind them
};

struct Scene {
    const char* name;     ///< snake_case, unique
    const char* summary;  ///< one sentence: what it shows
    int steps;            ///< how long it takes to show it
    Result<SceneData> (*make)(const SceneOptions&);
};

/// In the order in which a reader would want to meet them.
std::span<const Scene> all_scenes();

/// The scene of this name, or nullptr.
const Scene* find_scene(std::string_view name);

/// Frames for a joint of two of the scene's bodies where they stand, from a point (m) and an axis in the world; handles null.
JointEnds scene_ends(const SceneData& scene, std::uint32_t a, std::uint32_t b, const vec3& anchor, const vec3& axis = {1.0f, 0.0f, 0.0f});

/// A world with the scene's bodies and joints in it, in the scene's order; `ids[i]` is the handle of bodies[i], `joints[i]` of joints[i].
/// `def` may choose all but gravity. A scene whose bodies the world refuses gives an empty world, whose last_error() says why; a joint that
/// it refuses is left out, and last_error() says why too.
World make_world(const SceneData& scene, std::vector<BodyId>* ids = nullptr, WorldDef def = {}, std::vector<JointId>* joints = nullptr);

/// Sets the gravity of step number `step` (0 is the first) and steps by scene_dt.
bool step_scene(World& world, const SceneData& scene, int step);

}  // namespace talus::samples
