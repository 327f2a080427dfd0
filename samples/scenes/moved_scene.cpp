#include "samples/scenes/moved_scene.h"

#include <utility>

namespace talus::samples {

namespace {

/// Bodies that are displaced by `by_`, as if they were not.
class BodiesMovedBack : public SceneBodies {
public:
    BodiesMovedBack(SceneBodies& bodies, const dvec3& by) : bodies_(bodies), by_(by) {}

    WorldTransform transform(std::size_t body) const override {
        const WorldTransform pose = bodies_.transform(body);
        return {pose.position - by_, pose.rotation};
    }
    dvec3 center_of_mass(std::size_t body) const override { return bodies_.center_of_mass(body) - by_; }
    vec3 linear_velocity(std::size_t body) const override { return bodies_.linear_velocity(body); }
    vec3 angular_velocity(std::size_t body) const override { return bodies_.angular_velocity(body); }
    float mass(std::size_t body) const override { return bodies_.mass(body); }
    mat3 inertia(std::size_t body) const override { return bodies_.inertia(body); }
    void apply_force(std::size_t body, const vec3& force, const dvec3& point) override {
        bodies_.apply_force(body, force, on_grid(point) + by_);
    }
    void apply_impulse(std::size_t body, const vec3& impulse, const dvec3& point) override {
        bodies_.apply_impulse(body, impulse, on_grid(point) + by_);
    }
    void set_target(std::size_t body, const WorldTransform& target) override {
        bodies_.set_target(body, {on_grid(target.position) + by_, target.rotation});
    }
    void set_joint_motor(std::size_t joint, const JointMotor& motor, JointAxis axis) override {
        bodies_.set_joint_motor(joint, motor, axis);
    }
    void set_joint_spring(std::size_t joint, const JointSpring& spring, JointAxis axis) override {
        bodies_.set_joint_spring(joint, spring, axis);
    }

private:
    SceneBodies& bodies_;
    dvec3 by_;
};

}  // namespace

SceneData moved(SceneData scene, const dvec3& asked) {
    const dvec3 by = on_grid(asked);
    for (BodyDef& body : scene.bodies) body.position = on_grid(body.position) + by;
    scene.camera.eye += by;
    scene.camera.target += by;
    if (scene.act) {
        scene.act = [by, act = std::move(scene.act)](SceneBodies& bodies, int step) {
            BodiesMovedBack seen(bodies, by);
            act(seen, step);
        };
    }
    for (Figure& figure : scene.figures) {
        figure.value = [by, value = std::move(figure.value)](const SceneBodies& bodies, double time) {
            // Figures only read.
            const BodiesMovedBack seen(const_cast<SceneBodies&>(bodies), by);
            return value(seen, time);
        };
    }
    return scene;
}

}  // namespace talus::samples
