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

JointEnds scene_ends(const SceneData& scene, std::uint32_t a, std::uint32_t b, const vec3& anchor, const vec3& axis) {
    const BodyDef &body_a = scene.bodies[a], &body_b = scene.bodies[b];
    return joint_ends({body_a.position, normalized(body_a.rotation)}, {body_b.position, normalized(body_b.rotation)}, anchor, axis);
}

World make_world(const SceneData& scene, std::vector<BodyId>* ids, WorldDef def, std::vector<JointId>* joints) {
    def.gravity = scene.gravity_at ? scene.gravity_at(0) : scene.gravity;
    World world(def);
    std::vector<BodyId> handles(scene.bodies.size());
    const bool added = world.add_bodies(scene.bodies, handles);
    std::vector<JointId> joint_handles(scene.joints.size());
    for (std::size_t i = 0; added && i < scene.joints.size(); ++i) {
        const SceneJoint& joint = scene.joints[i];
        JointDef filled = joint.def;
        if (GearDef* gear = std::get_if<GearDef>(&filled)) {
            gear->joint_a = joint_handles[joint.a];
            gear->joint_b = joint_handles[joint.b];
        } else {
            std::visit(
                [&](auto& d) {
                    if constexpr (requires { d.ends; }) {
                        d.ends.body_a = handles[joint.a];
                        d.ends.body_b = handles[joint.b];
                    }
                },
                filled);
        }
        joint_handles[i] = world.add_joint(filled);
    }
    if (joints) *joints = std::move(joint_handles);
    if (ids) *ids = std::move(handles);
    return world;
}

bool step_scene(World& world, const SceneData& scene, int step) {
    if (scene.gravity_at) world.set_gravity(scene.gravity_at(step));
    return world.step(scene_dt);
}

}  // namespace talus::samples
