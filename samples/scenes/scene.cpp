#include "samples/scenes/scene.h"

#include "samples/scenes/scene_list.h"

#include <algorithm>
#include <array>

namespace talus::samples {

namespace {

std::vector<Scene> gather() {
    std::vector<Scene> all;
    for (const std::span<const Scene> part : std::array{
             motion_scenes(), stack_scenes(), building_scenes(), pile_scenes(), stirred_scenes(), joint_kind_scenes(),
             hanging_scenes(), ragdoll_scenes(), machine_scenes(), robot_scenes(), force_scenes(), fast_scenes(),
             benchmark_scenes(), mesh_scenes(), solid_scenes(), real_thing_scenes()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

/// The bodies of a world that make_world() made: its slots are the scene's places.
class WorldBodies : public SceneBodies {
public:
    explicit WorldBodies(World& world) : world_(world), ids_(world.bodies()), joints_(world.joints()) {}

    WorldTransform transform(std::size_t body) const override { return world_.transform(ids_[body]); }
    dvec3 center_of_mass(std::size_t body) const override { return world_.center_of_mass(ids_[body]); }
    vec3 linear_velocity(std::size_t body) const override { return world_.linear_velocity(ids_[body]); }
    vec3 angular_velocity(std::size_t body) const override { return world_.angular_velocity(ids_[body]); }
    float mass(std::size_t body) const override { return world_.mass(ids_[body]); }
    mat3 inertia(std::size_t body) const override { return world_.inertia(ids_[body]); }
    void apply_force(std::size_t body, const vec3& force, const dvec3& point) override {
        world_.apply_force_at(ids_[body], force, point);
    }
    void apply_impulse(std::size_t body, const vec3& impulse, const dvec3& point) override {
        world_.apply_impulse_at(ids_[body], impulse, point);
    }
    void set_target(std::size_t body, const WorldTransform& target) override {
        world_.set_kinematic_target(ids_[body], target.position, target.rotation);
    }
    void set_joint_motor(std::size_t joint, const JointMotor& motor, JointAxis axis) override {
        world_.set_joint_motor(joints_[joint], motor, axis);
    }
    void set_joint_spring(std::size_t joint, const JointSpring& spring, JointAxis axis) override {
        world_.set_joint_spring(joints_[joint], spring, axis);
    }

private:
    World& world_;
    std::vector<BodyId> ids_;
    std::vector<JointId> joints_;
};

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

JointFrames scene_ends(const SceneData& scene, std::uint32_t a, std::uint32_t b, const dvec3& anchor,
                       const vec3& axis) {
    const BodyDef &body_a = scene.bodies[a], &body_b = scene.bodies[b];
    return joint_frames({body_a.position, normalized(body_a.rotation)}, {body_b.position, normalized(body_b.rotation)},
                        anchor, axis);
}

World make_world(const SceneData& scene, std::vector<BodyId>* ids, WorldDef def, std::vector<JointId>* joints) {
    def.gravity = scene.gravity_at ? scene.gravity_at(0) : scene.gravity;
    def.substeps = scene.substeps;
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
                    if constexpr (requires { d.frames; }) {
                        d.frames.body_a = handles[joint.a];
                        d.frames.body_b = handles[joint.b];
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

void act_scene(World& world, const SceneData& scene, int step) {
    if (scene.gravity_at) world.set_gravity(scene.gravity_at(step));
    if (scene.act) {
        WorldBodies bodies(world);
        scene.act(bodies, step);
    }
}

bool step_scene(World& world, const SceneData& scene, int step, const Jobs& jobs) {
    act_scene(world, scene, step);
    return world.step(scene.dt, jobs);
}

void Figures::observe(const SceneBodies& bodies) {
    ++count_;
    for (std::size_t i = 0; i < figures_.size(); ++i) {
        const double value = figures_[i].value(bodies, dt_ * count_);
        double& kept = values_[i];
        switch (figures_[i].over) {
            case Over::last:
                kept = value;
                break;
            case Over::largest:
                kept = count_ == 1 ? value : std::max(kept, value);
                break;
            case Over::smallest:
                kept = count_ == 1 ? value : std::min(kept, value);
                break;
            case Over::mean:
                kept += value;
                break;
        }
    }
}

void Figures::observe(World& world) {
    if (!figures_.empty()) observe(WorldBodies(world));
}

std::vector<double> Figures::values() const {
    std::vector<double> values = values_;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (figures_[i].over == Over::mean && count_ > 0) values[i] /= count_;
    }
    return values;
}

}  // namespace talus::samples
