/// An arm that goes round obstacles: the motion of robot_arm.h, planned when the scene is made and carried out by
/// kinematic bodies, with a dynamic piece welded into the hand.

#include "samples/scenes/kit/parts.h"
#include "samples/scenes/kit/robot_arm.h"
#include "samples/scenes/scene_list.h"

#include <talus/narrowphase/gjk.h>

#include <glm/gtc/quaternion.hpp>

#include <algorithm>
#include <memory>

namespace talus::samples {

namespace {

/// The paper's coordinates have z up, a scene's y: (x, y, z) is the scene's (y, z, x).
dvec3 to_scene(const dvec3& v) { return {v.y, v.z, v.x}; }

/// A frame of the paper's coordinates as the pose of a body, whose own axes stay those of the frame.
WorldTransform to_scene(const ArmFrame& frame) {
    const glm::dmat3 axes(to_scene(frame.rotation[0]), to_scene(frame.rotation[1]), to_scene(frame.rotation[2]));
    return {to_scene(frame.position), quat(glm::quat_cast(axes))};
}

constexpr quat upright(0.5f, -0.5f, -0.5f, -0.5f);  // turns axes as to_scene() does

/// All links before a step and after it.
struct ArmMotion {
    std::vector<std::array<WorldTransform, arm_joints>> links;

    const std::array<WorldTransform, arm_joints>& at(int step) const {
        return links[std::min(static_cast<std::size_t>(step), links.size() - 1)];
    }
};

Result<SceneData> robot(const SceneOptions&) {
    const Result<ArmTask> task = papers_task();
    if (!task) return task.error();
    const Result<std::vector<ArmPose>> plan = plan_motion(*task, production_distances(*task));
    if (!plan) return plan.error();
    const auto motion = std::make_shared<ArmMotion>();
    for (const ArmPose& pose : *plan) {
        const ArmFrames frames = arm_frames(pose.angles);
        std::array<WorldTransform, arm_joints> links;
        for (std::size_t k = 0; k < arm_joints; ++k) links[k] = to_scene(frames[k + 1]);
        motion->links.push_back(links);
    }

    SceneData scene;
    scene.bodies.push_back(floor_slab());
    for (const ArmObstacle& obstacle : task->obstacles) {
        BodyDef body;
        body.type = BodyType::fixed;
        body.shape = obstacle.shape;
        body.position = to_scene(obstacle.position);
        body.rotation = upright;
        scene.bodies.push_back(body);
    }
    const std::size_t first = scene.bodies.size();
    scene.bodies.resize(first + arm_joints);
    const std::size_t hand = first + arm_joints - 1, piece = first + arm_joints;
    for (std::size_t k = 0; k < arm_joints; ++k) {
        BodyDef& link = scene.bodies[first + k];
        link.type = BodyType::kinematic;
        link.position = motion->at(0)[k].position;
        link.rotation = motion->at(0)[k].rotation;
    }
    for (std::size_t i = 0; i + 1 < task->parts.size(); ++i) {
        ShapeDef shape;
        shape.shape = task->parts[i].shape;
        shape.pose = task->parts[i].pose;
        scene.bodies[first + static_cast<std::size_t>(task->parts[i].link) - 1].shapes.push_back(shape);
    }
    BodyDef held;
    held.shape = task->parts.back().shape;
    held.position = scene.bodies[hand].position;
    held.rotation = scene.bodies[hand].rotation;
    scene.bodies.push_back(held);
    tie(scene, hand, piece, held.position, {1, 0, 0}, FixedDef{});

    scene.act = [motion, first](SceneBodies& bodies, int step) {
        for (std::size_t k = 0; k < arm_joints; ++k) bodies.set_target(first + k, motion->at(step + 1)[k]);
    };
    scene.figures.push_back({"the piece off the hand's path", "m", Over::largest,
                             [=, plan = *task](const SceneBodies& bodies, double time) {
                                 const int step = static_cast<int>(time / plan.dt + 0.5);
                                 return glm::distance(bodies.transform(piece).position, to_scene(plan.on_path(step)));
                             }});
    scene.figures.push_back(
        {"least clearance", "m", Over::smallest, [=, plan = *task](const SceneBodies& bodies, double) {
             double least = 1e300;
             for (std::size_t i = 0; i < plan.pairs(); ++i) {
                 const std::size_t obstacle = i / plan.parts.size(), number = i % plan.parts.size();
                 const ArmPart& part = plan.parts[number];
                 const bool in_hand = number + 1 == plan.parts.size();
                 const std::size_t body = in_hand ? piece : first + static_cast<std::size_t>(part.link) - 1;
                 const WorldTransform pose = multiply(bodies.transform(body), part.pose);
                 SimplexCache cache;
                 const GjkResult r = gjk(plan.obstacles[obstacle].shape, part.shape,
                                         to_matrix_transform(relative(bodies.transform(1 + obstacle), pose)), cache);
                 least = std::min(least, static_cast<double>(r.distance));
             }
             return least;
         }});
    scene.camera = orbit({-0.4f, 1.85f, 0}, 5.4f, 25, 6);
    return scene;
}

constexpr Scene scenes[] = {
    {"robot", "An arm with four joints carries a bar along a path, round two pyramids.", 990, robot},
};

}  // namespace

std::span<const Scene> robot_scenes() { return scenes; }

}  // namespace talus::samples
