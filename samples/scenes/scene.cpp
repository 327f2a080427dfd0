#include "samples/scenes/scene.h"

#include "samples/scenes/scene_list.h"

#include <array>

namespace talus::samples {

namespace {

std::vector<Scene> gather() {
    std::vector<Scene> all;
    for (const std::span<const Scene> part :
         std::array{motion_scenes(), stack_scenes(), pile_scenes(), stirred_scenes(), real_thing_scenes()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

}  // namespace

std::span<const Scene> all_scenes() {
    static const std::vector<Scene> scenes = gather();
    return scenes;
}

const Scene* find_scene(std::string_view name) {
    for (const Scene& scene : all_scenes()) {
        if (name == scene.name) return &scene;
    }
    return nullptr;
}

World make_world(const SceneData& scene, std::vector<BodyId>* ids, WorldDef def) {
    def.gravity = scene.gravity_at ? scene.gravity_at(0) : scene.gravity;
    World world(def);
    std::vector<BodyId> handles(scene.bodies.size());
    world.add_bodies(scene.bodies, handles);
    if (ids) *ids = std::move(handles);
    return world;
}

bool step_scene(World& world, const SceneData& scene, int step) {
    if (scene.gravity_at) world.set_gravity(scene.gravity_at(step));
    return world.step(scene_dt);
}

}  // namespace talus::samples
