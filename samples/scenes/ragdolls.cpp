/// People of joints.

#include "samples/scenes/kit/parts.h"
#include "samples/scenes/scene_list.h"

#include <algorithm>

namespace talus::samples {

void add_ragdoll(SceneData& scene, const dvec3& origin, const quat& facing, const vec3& velocity) {
    const auto part = [&](const Shape& shape, const vec3& place, const quat& rotation = quat(1.0f, 0.0f, 0.0f, 0.0f)) {
        BodyDef def;
        def.shape = shape;
        def.position = displaced(origin, rotate(facing, place));
        def.rotation = multiply(facing, rotation);
        def.linear_velocity = velocity;
        def.angular_damping = 0.3f;
        scene.bodies.push_back(def);
        return scene.bodies.size() - 1;
    };
    const auto join = [&](std::size_t a, std::size_t b, const vec3& anchor, const vec3& axis, auto def) {
        tie(scene, a, b, displaced(origin, rotate(facing, anchor)), rotate(facing, axis), def);
    };
    const auto ball = [](float cone, float twist) { return BallDef{.cone = cone, .twist = {-twist, twist}}; };
    // Muscle tone: a little dry friction.
    const auto hinge = [](float lower, float upper) {
        return HingeDef{.limit = {lower, upper}, .motor = {0.0f, 2.0f}};
    };

    const std::size_t pelvis = part(box({0.16f, 0.09f, 0.10f}), {0.0f, 0.98f, 0.0f});
    const std::size_t chest = part(box({0.18f, 0.21f, 0.11f}), {0.0f, 1.30f, 0.0f});
    const std::size_t head = part(sphere(0.11f), {0.0f, 1.64f, 0.0f});
    join(pelvis, chest, {0.0f, 1.08f, 0.0f}, {0, 1, 0}, ball(0.5f, 0.5f));
    join(chest, head, {0.0f, 1.52f, 0.0f}, {0, 1, 0}, ball(0.6f, 0.9f));
    const quat sideways = turn({0, 0, 1}, 1.5707964f);
    for (const float side : {-1.0f, 1.0f}) {
        const std::size_t upper_arm = part(capsule(0.10f, 0.045f), {side * 0.365f, 1.44f, 0.0f}, sideways);
        const std::size_t forearm = part(capsule(0.11f, 0.04f), {side * 0.68f, 1.44f, 0.0f}, sideways);
        join(chest, upper_arm, {side * 0.22f, 1.44f, 0.0f}, {side, 0, 0}, ball(1.5f, 0.8f));
        join(upper_arm, forearm, {side * 0.52f, 1.44f, 0.0f}, {0, -side, 0}, hinge(0.0f, 2.4f));
        const float x = side * 0.1f;
        const std::size_t thigh = part(capsule(0.14f, 0.075f), {x, 0.70f, 0.0f});
        const std::size_t shin = part(capsule(0.14f, 0.05f), {x, 0.28f, 0.0f});
        const std::size_t foot = part(box({0.045f, 0.03f, 0.12f}), {x, 0.035f, 0.06f});
        join(pelvis, thigh, {x, 0.90f, 0.0f}, {0, -1, 0}, ball(1.1f, 0.5f));
        join(thigh, shin, {x, 0.48f, 0.0f}, {1, 0, 0}, hinge(0.0f, 2.3f));
        join(shin, foot, {x, 0.08f, 0.0f}, {1, 0, 0}, hinge(-0.5f, 0.7f));
    }
}

namespace {

/// How far hinges with limits are beyond them, at most, rad: from the bodies' rotations.
Figure widest_hinge_angle_beyond(const SceneData& scene) {
    std::vector<SceneJoint> hinges;
    for (const SceneJoint& joint : scene.joints) {
        if (std::holds_alternative<HingeDef>(joint.def)) hinges.push_back(joint);
    }
    return {"furthest beyond a hinge's limit", "rad", Over::largest, [hinges](const SceneBodies& bodies, double) {
                double worst = 0.0;
                for (const SceneJoint& joint : hinges) {
                    const HingeDef& def = std::get<HingeDef>(joint.def);
                    const quat a = multiply(bodies.transform(joint.a).rotation, def.frames.frame_a.rotation);
                    const quat b = multiply(bodies.transform(joint.b).rotation, def.frames.frame_b.rotation);
                    const quat turned = multiply(conjugate(a), b);  // about x
                    double angle = 2.0 * std::atan2(static_cast<double>(turned.x), static_cast<double>(turned.w));
                    if (angle > 3.141592653589793) angle -= 6.283185307179586;
                    if (angle < -3.141592653589793) angle += 6.283185307179586;
                    worst = std::max({worst, angle - static_cast<double>(def.limit.upper),
                                      static_cast<double>(def.limit.lower) - angle});
                }
                return worst;
            }};
}

/// Twelve people fall down a flight of stairs.
Result<SceneData> ragdolls(const SceneOptions& options) {
    constexpr int steps = 14, people = 12, columns = 4;
    constexpr float rise = 0.25f, tread = 0.4f, half_width = 5.0f;
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    const float top = rise * static_cast<float>(steps);
    for (int i = 0; i < steps; ++i) {
        const float height = rise * static_cast<float>(i + 1);
        scene.bodies.push_back(
            block({0.0f, 0.5f * height, -tread * static_cast<float>(i)}, {half_width, 0.5f * height, 0.5f * tread}));
    }
    const float landing = tread * (static_cast<float>(steps) - 0.5f);
    scene.bodies.push_back(block({0.0f, 0.5f * top, -landing - 3.0f}, {half_width, 0.5f * top, 3.0f}));
    for (int i = 0; i < people; ++i) {
        const int row = i / columns;
        const vec3 place(2.3f * (static_cast<float>(i % columns) - 0.5f * static_cast<float>(columns - 1)), top + 0.1f,
                         -landing - 0.2f - 1.2f * static_cast<float>(row));
        const float speed = random.between(2.5f, 3.5f) + 0.8f * static_cast<float>(row);
        const quat facing = turn({0, 1, 0}, random.between(-0.9f, 0.9f));
        add_ragdoll(scene, place, facing, {random.between(-0.3f, 0.3f), 0.5f, speed});
    }
    scene.figures.push_back(widest_joint_gap(scene));
    scene.figures.push_back(widest_hinge_angle_beyond(scene));
    scene.camera = orbit({0.3f, 1.5f, -1.6f}, 13, 38, 22);
    return scene;
}

/// A simpler person of 11 capsules, 1.7 m tall: 6 ball joints with a cone and a limited twist, 4 hinges with limits.
void add_capsule_ragdoll(SceneData& scene, const dvec3& origin, const quat& facing) {
    const auto part = [&](float half_height, float radius, const vec3& place,
                          const quat& rotation = quat(1.0f, 0.0f, 0.0f, 0.0f)) {
        BodyDef def;
        def.shape = capsule(half_height, radius);
        def.position = displaced(origin, rotate(facing, place));
        def.rotation = multiply(facing, rotation);
        scene.bodies.push_back(def);
        return scene.bodies.size() - 1;
    };
    const auto ball = [&](std::size_t a, std::size_t b, const vec3& anchor, const vec3& axis, float cone, float twist) {
        tie(scene, a, b, displaced(origin, rotate(facing, anchor)), rotate(facing, axis),
            BallDef{.cone = cone, .twist = {-twist, twist}});
    };
    const auto hinge = [&](std::size_t a, std::size_t b, const vec3& anchor, const vec3& axis, float upper) {
        tie(scene, a, b, displaced(origin, rotate(facing, anchor)), rotate(facing, axis),
            HingeDef{.limit = {0.0f, upper}});
    };
    const quat sideways = turn({0, 0, 1}, 1.5707964f);
    const std::size_t pelvis = part(0.08f, 0.11f, {0.0f, 0.0f, 0.0f}, sideways);
    const std::size_t chest = part(0.12f, 0.14f, {0.0f, 0.40f, 0.0f});
    const std::size_t head = part(0.04f, 0.10f, {0.0f, 0.83f, 0.0f});
    ball(pelvis, chest, {0.0f, 0.13f, 0.0f}, {0, 1, 0}, 0.5f, 0.5f);
    ball(chest, head, {0.0f, 0.68f, 0.0f}, {0, 1, 0}, 0.6f, 0.8f);
    for (const float side : {-1.0f, 1.0f}) {
        const std::size_t upper_arm = part(0.10f, 0.05f, {side * 0.34f, 0.56f, 0.0f}, sideways);
        const std::size_t forearm = part(0.10f, 0.045f, {side * 0.65f, 0.56f, 0.0f}, sideways);
        ball(chest, upper_arm, {side * 0.19f, 0.56f, 0.0f}, {side, 0, 0}, 1.3f, 0.8f);
        hinge(upper_arm, forearm, {side * 0.50f, 0.56f, 0.0f}, {0, -side, 0}, 2.3f);
        const std::size_t thigh = part(0.15f, 0.075f, {side * 0.1f, -0.32f, 0.0f});
        const std::size_t shin = part(0.16f, 0.06f, {side * 0.1f, -0.77f, 0.0f});
        ball(pelvis, thigh, {side * 0.1f, -0.10f, 0.0f}, {0, -1, 0}, 1.0f, 0.5f);
        hinge(thigh, shin, {side * 0.1f, -0.55f, 0.0f}, {1, 0, 0}, 2.3f);
    }
}

/// 100 people of 11 capsules fall into a bin 8 m wide, in layers of 16.
Result<SceneData> ragdoll_bin(const SceneOptions& options) {
    constexpr float pitch = 2.0f;  // above the height of a person and the span of the arms
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    add_bin(scene, 8.0f, 10.0f);
    for (const vec3& place : lattice(100, 4, pitch, 1.6f))
        add_capsule_ragdoll(scene, place, turn({0, 1, 0}, random.between(-3.1f, 3.1f)));
    scene.figures.push_back(widest_joint_gap(scene));
    scene.figures.push_back(widest_hinge_angle_beyond(scene));
    scene.camera = orbit({0, 1.2f, 0}, 14, 32, 30);
    return scene;
}

constexpr Scene scenes[] = {
    {"ragdolls", "Twelve ragdolls fall down a flight of stairs.", 600, ragdolls},
    {"ragdoll_bin", "100 ragdolls fall into a bin.", 600, ragdoll_bin},
};

}  // namespace

std::span<const Scene> ragdoll_scenes() { return scenes; }

}  // namespace talus::samples
