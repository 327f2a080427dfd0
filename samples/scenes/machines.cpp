/// What drives and is driven.

#include "samples/scenes/kit/parts.h"
#include "samples/scenes/kit/toothed.h"
#include "samples/scenes/scene_list.h"

#include <algorithm>

namespace talus::samples {

namespace {

constexpr float pi = 3.14159265f;

/// Three belts one after the other, each twice as fast as the one before, and crates that fall on the first.
Result<SceneData> conveyor(const SceneOptions& options) {
    constexpr int belts = 3, crates = 8;
    constexpr float half_length = 6.0f, half_width = 0.9f, height = 1.5f;
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    for (int i = 0; i < belts; ++i) {
        const float x = 2.0f * half_length * (static_cast<float>(i) - 0.5f * static_cast<float>(belts - 1));
        BodyDef belt = block({x, 0.5f * height, 0.0f}, {half_length - 0.02f, 0.5f * height, half_width});
        belt.material.surface_velocity = {static_cast<float>(1 << i), 0.0f, 0.0f};
        scene.bodies.push_back(belt);
    }
    const std::size_t first = scene.bodies.size();
    for (int i = 0; i < crates; ++i) {
        BodyDef crate;
        const float half = random.between(0.25f, 0.4f);
        crate.shape = box({half, random.between(0.2f, 0.35f), half});
        crate.position = {-belts * half_length + 0.8f + 1.3f * static_cast<float>(i),
                          height + 0.4f + 0.15f * static_cast<float>(i), 0.0f};
        crate.rotation = turn({0, 1, 0}, random.between(-0.6f, 0.6f));
        scene.bodies.push_back(crate);
    }
    // After a first second of friction, a crate on the middle of a belt moves at the belt's speed, unless another crate is
    // so near that it may push it.
    scene.figures.push_back(
        {"off the belt's speed", "m/s", Over::largest, [=](const SceneBodies& bodies, double time) {
             double worst = 0.0;
             for (std::size_t i = first; i < first + crates && time > 1.5; ++i) {
                 const dvec3 at = bodies.transform(i).position;
                 double nearest = 2.0 * double{half_length};
                 for (std::size_t other = first; other < first + crates; ++other) {
                     if (other != i) nearest = std::min(nearest, std::abs(bodies.transform(other).position.x - at.x));
                 }
                 for (int k = 0; k < belts && nearest > 1.15; ++k) {
                     const float x =
                         2.0f * half_length * (static_cast<float>(k) - 0.5f * static_cast<float>(belts - 1));
                     if (at.x < x - 0.5f * half_length || at.x > x + 0.8f * half_length || at.y < height) continue;
                     const float off = std::abs(bodies.linear_velocity(i).x - static_cast<float>(1 << k));
                     worst = std::max(worst, static_cast<double>(off));
                 }
             }
             return worst;
         }});
    scene.camera = orbit({0, 0.5f, 0}, 26, 18, 22);
    return scene;
}

/// A car with four wheels on springs, driven at the rear and steered at the front, over bumps and round a bend.
Result<SceneData> car(const SceneOptions& options) {
    constexpr float wheel_radius = 0.4f, half_track = 0.85f, half_base = 1.4f, ride = 0.75f;
    constexpr int bumps = 16;
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab(150.0f));
    for (int i = 0; i < bumps; ++i) {
        const float side = i % 2 ? 1.0f : -1.0f, z = 6.0f + 2.2f * static_cast<float>(i);
        const float radius = random.between(0.6f, 1.0f), height = random.between(0.08f, 0.16f);
        BodyDef bump;
        bump.type = BodyType::fixed;
        bump.shape = cylinder(0.9f, radius);
        bump.rotation = turn({0, 0, 1}, 0.5f * pi);
        bump.position = {side * half_track, height - radius, z};
        scene.bodies.push_back(bump);
    }
    BodyDef chassis;
    chassis.shapes.resize(2);
    chassis.shapes[0].shape = box({0.65f, 0.2f, 2.1f});
    chassis.shapes[0].density = 900.0f;
    chassis.shapes[1].shape = box({0.6f, 0.28f, 0.9f});
    chassis.shapes[1].pose.position = {0.0f, 0.48f, -0.3f};
    chassis.shapes[1].density = 80.0f;
    chassis.position = {0.0f, ride, 0.0f};
    const std::size_t body = scene.bodies.size();
    scene.bodies.push_back(chassis);
    std::size_t wheels[4];
    for (int i = 0; i < 4; ++i) {
        const bool front = i < 2;
        const vec3 place(i % 2 ? half_track : -half_track, wheel_radius, front ? half_base : -half_base);
        const quat lying = turn({0, 0, 1}, -0.5f * pi);  // its own y, the axle, along x
        BodyDef wheel;
        wheel.shape = cylinder(0.14f, wheel_radius);
        wheel.position = place;
        wheel.rotation = lying;
        wheel.material.friction = 1.5f;
        wheel.density = 300.0f;
        scene.bodies.push_back(wheel);
        WheelDef def;
        def.frames.frame_a.position = place - vec3(0.0f, ride, 0.0f);
        def.frames.frame_b.rotation = conjugate(lying);
        def.travel = {-0.2f, 0.2f};
        def.suspension = {.hertz = 2.5f, .damping_ratio = 0.5f, .target = -0.08f};
        if (front) {
            def.steering = {-0.5f, 0.5f};
            def.steering_servo = {.hertz = 8.0f, .damping_ratio = 1.0f, .target = 0.0f};
        } else {
            def.motor = {12.0f / wheel_radius, 700.0f};
        }
        wheels[i] = scene.joints.size();
        scene.joints.push_back(
            {static_cast<std::uint32_t>(body), static_cast<std::uint32_t>(scene.bodies.size() - 1), def});
    }
    scene.act = [left = wheels[0], right = wheels[1]](SceneBodies& bodies, int step) {
        if (step != 260 && step != 420) return;
        const JointSpring servo{.hertz = 8.0f, .damping_ratio = 1.0f, .target = step == 260 ? 0.3f : 0.0f};
        for (const std::size_t wheel : {left, right}) bodies.set_joint_spring(wheel, servo, JointAxis::turn_y);
    };
    scene.figures.push_back({"driven, in the end", "m", Over::last, [=](const SceneBodies& bodies, double) {
                                 const dvec3 at = bodies.transform(body).position;
                                 return std::sqrt(at.x * at.x + at.z * at.z);
                             }});
    scene.figures.push_back({"most tilted, cosine", "", Over::smallest, [=](const SceneBodies& bodies, double) {
                                 return static_cast<double>(rotate(bodies.transform(body).rotation, {0, 1, 0}).y);
                             }});
    scene.camera = orbit({0, 0.5f, 18}, 26, -62, 20);
    return scene;
}

/// A motor drives a train of three gear wheels, and the last of them a rack.
Result<SceneData> gears(const SceneOptions&) {
    constexpr int count = 3;
    constexpr int teeth[count] = {12, 16, 24};
    constexpr double pitch = tooth_pitch;
    constexpr float height = 2.5f;  // of the axles, m
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    scene.bodies.push_back(block({1.2f, height, -0.8f}, {4.0f, 1.6f, 0.1f}));
    std::size_t hinges[count];
    std::size_t wheels[count];
    float x = -1.2f, last_radius = 0.0f;
    for (int i = 0; i < count; ++i) {
        const float radius = pitch_radius(teeth[i]);
        if (i > 0) x += last_radius + radius;
        last_radius = radius;
        // The train meshes: where one wheel has a tooth towards the next, that has a gap.
        BodyDef wheel = toothed_wheel(teeth[i], i % 2 != 0);
        wheel.position = {x, height, 0.0f};
        wheels[i] = scene.bodies.size();
        scene.bodies.push_back(wheel);
        HingeDef hinge;
        if (i == 0) hinge.motor = {2.0f, 2000.0f};
        hinges[i] = tie(scene, 1, wheels[i], wheel.position, {0, 0, 1}, hinge);
        if (i > 0) {
            GearDef gear;
            gear.ratio = -static_cast<float>(teeth[i - 1]) / static_cast<float>(teeth[i]);
            scene.joints.push_back(
                {static_cast<std::uint32_t>(hinges[i - 1]), static_cast<std::uint32_t>(hinges[i]), gear});
        }
    }
    // The rack lies on top of the last wheel and moves against the sense of its turn.
    BodyDef rack = toothed_rack(24);
    rack.position = {x + 1.0f, height + last_radius, 0.0f};
    scene.bodies.push_back(rack);
    const std::size_t rack_body = scene.bodies.size() - 1;
    const std::size_t slider = tie(scene, 1, rack_body, rack.position, {1, 0, 0}, SliderDef{.limit = {-2.2f, 2.2f}});
    GearDef pinion;
    pinion.ratio = -last_radius;
    scene.joints.push_back({static_cast<std::uint32_t>(hinges[count - 1]), static_cast<std::uint32_t>(slider), pinion});
    // To and fro.
    scene.act = [first = hinges[0]](SceneBodies& bodies, int step) {
        if (step % 240 == 120) bodies.set_joint_motor(first, {step % 480 == 120 ? -2.0f : 2.0f, 2000.0f});
    };
    const auto speed = [=](const SceneBodies& bodies, int i) {
        return static_cast<double>(bodies.angular_velocity(wheels[i]).z);
    };
    scene.figures.push_back({"slip of the train", "m/s", Over::largest, [=](const SceneBodies& bodies, double) {
                                 double worst = 0.0;
                                 for (int i = 0; i < count; ++i) {
                                     const double rim = pitch / 6.283185307179586 * speed(bodies, i) * teeth[i];
                                     const double other =
                                         i + 1 < count ? pitch / 6.283185307179586 * speed(bodies, i + 1) * teeth[i + 1]
                                                       : static_cast<double>(bodies.linear_velocity(rack_body).x);
                                     worst = std::max(worst, std::abs(rim + other));
                                 }
                                 return worst;
                             }});
    scene.camera = orbit({0.8f, height, 0}, 8.4f, 14, 8);
    return scene;
}

constexpr Scene scenes[] = {
    {"conveyor", "Crates on three running belts, each twice as fast as the one before.", 720, conveyor},
    {"car", "A car with suspension, motor and steering on a bumpy track.", 600, car},
    {"gears", "A motor, three gear wheels and a rack, to and fro.", 600, gears},
};

}  // namespace

std::span<const Scene> machine_scenes() { return scenes; }

}  // namespace talus::samples
