/// Bodies that come to rest fall asleep: cars at the end of their suspension travel, thrown ragdolls, heaps of rods.

#include "tests/engine/limits.h"

#include "samples/scenes/kit/parts.h"
#include "samples/scenes/scene.h"
#include "tests/engine/worlds.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace talus;
using namespace talus::test;
using samples::SceneData;

namespace {

SceneData on_ground() {
    SceneData scene;
    scene.bodies.push_back(ground());
    return scene;
}

/// Returns the number of steps until all bodies sleep, up to a limit.
int steps_until_asleep(World& world, int most) {
    int steps = 0;
    while (steps < most && world.awake_body_count() != 0) {
        run(world, 1);
        ++steps;
    }
    return steps;
}

/// Two tons on four wheels of 40 kg, whose springs are too weak for it: it lands at the end of its suspension travel.
SceneData overloaded_car(std::uint64_t seed) {
    constexpr float radius = 0.4f, drop = 0.3f;
    Random random(seed);
    SceneData scene = on_ground();
    BodyDef chassis;
    chassis.shapes = {part(box({0.65f, 0.2f, 2.1f})), part(box({0.6f, 0.28f, 0.9f}))};
    chassis.shapes[0].density = random.between(600.0f, 1500.0f);
    chassis.shapes[1].density = 80.0f;
    chassis.shapes[1].pose.position = {0.0f, 0.48f, random.between(-0.5f, 0.5f)};
    chassis.position = {0.0f, 0.75f + drop, 0.0f};
    chassis.linear_velocity.z = random.between(-3.0f, 3.0f);
    scene.bodies.push_back(chassis);
    const float hertz = random.between(0.5f, 1.1f), travel = random.between(0.05f, 0.15f);
    const quat lying = turn({0, 0, 1}, -0.5 * pi);
    for (int i = 0; i < 4; ++i) {
        const dvec3 place(i % 2 != 0 ? 0.85f : -0.85f, radius + drop, i < 2 ? 1.4f : -1.4f);
        BodyDef wheel = body(cylinder(0.14f, radius), place);
        wheel.rotation = lying;
        wheel.density = 300.0f;
        wheel.linear_velocity = chassis.linear_velocity;
        scene.bodies.push_back(wheel);
        WheelDef def;
        def.frames.frame_a.position = vec3(place - chassis.position);
        def.frames.frame_b.rotation = conjugate(lying);
        def.travel = {-travel, travel};
        def.suspension = {.hertz = hertz, .damping_ratio = 0.3f, .target = 0.0f};
        def.motor = {0.0f, 200.0f};  // the brake
        scene.joints.push_back({1, static_cast<std::uint32_t>(scene.bodies.size() - 1), def});
    }
    return scene;
}

/// A ragdoll in a random pose, thrown at up to 6 m/s.
SceneData thrown_ragdoll(std::uint64_t seed) {
    Random random(seed);
    SceneData scene = on_ground();
    const quat facing = random.rotation();
    samples::add_ragdoll(scene, vec3(0.0f), facing, random.in_box({6.0f, 3.0f, 6.0f}));
    const vec3 up(0.0f, random.between(1.5f, 3.0f), 0.0f), middle = rotate(facing, {0.0f, 0.9f, 0.0f});
    for (std::size_t i = 1; i < scene.bodies.size(); ++i) scene.bodies[i].position += up - middle;
    return scene;
}

/// 40 rods of 1 m and 4 cm, some or all of them round, dropped into a bin.
void add_rods(World& world, std::uint64_t seed) {
    Random random(seed);
    add(world, ground());
    for (const float side : {-1.0f, 1.0f}) {
        add(world, fixed_body(box({0.1f, 1.0f, 1.2f}), {side, 1.0f, 0.0f}));
        add(world, fixed_body(box({1.2f, 1.0f, 0.1f}), {0.0f, 1.0f, side}));
    }
    for (int i = 0; i < 40; ++i) {
        const float half = random.between(0.4f, 0.6f), thick = 0.02f;
        const std::uint32_t kind = seed % 3 == 0 ? random.below(3) : static_cast<std::uint32_t>(seed % 3) - 1;
        const Shape rod = kind == 0   ? capsule(half, thick)
                          : kind == 1 ? cylinder(half, thick)
                                      : box({thick, half, thick});
        const float x = random.between(-0.4f, 0.4f);
        BodyDef def = body(rod, {x, 0.5f + 0.12f * static_cast<float>(i), random.between(-0.4f, 0.4f)});
        def.rotation = random.rotation();
        add(world, def);
    }
}

/// Returns how many steps each of the worlds of the first seeds takes to fall asleep, in ascending order; `steps` if it
/// takes more.
template <class Make>
std::vector<int> steps_to_sleep(std::uint64_t seeds, int steps, Make&& make) {
    std::vector<int> taken;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        World world = make(seed);
        taken.push_back(steps_until_asleep(world, steps));
    }
    std::sort(taken.begin(), taken.end());
    return taken;
}

/// Checks that the worlds of the first seeds are asleep within this many steps. The last time, s, is a row of
/// docs/limits.md.
template <class Make>
void check_sleep(const char* row, std::uint64_t seeds, int steps, Make&& make) {
    const int most = steps_to_sleep(seeds, steps, make).back();
    CHECK(most < steps);
    hold(row, most / 60.0);
}

}  // namespace

// Joints and contacts were solved separately up to 1 m/s. A chassis at the end of its suspension travel and the wheels
// under it passed its weight back and forth at 20 Hz for ever.
TEST_CASE("a car that rests on the ends of its travel falls asleep") {
    check_sleep("overloaded car falls asleep", 12, 900,
                [](std::uint64_t seed) { return samples::make_world(overloaded_car(seed)); });
}

// A ragdoll's head went on swinging in its neck joint, which has no friction. A wide swing still goes on until something
// damps it. That happens to a few of the ragdolls, and to which of them is a matter of rounding.
TEST_CASE("a thrown ragdoll falls asleep" * doctest::test_suite("slow")) {
    const std::vector<int> taken =
        steps_to_sleep(160, 1800, [](std::uint64_t seed) { return samples::make_world(thrown_ragdoll(seed)); });
    CHECK(taken.back() < 1800);
    hold("thrown ragdoll falls asleep, 95 of 100", taken[151] / 60.0);
    hold("thrown ragdoll falls asleep, the last of 160", taken.back() / 60.0);
}

// The speed of a rod that rolled on others was overestimated: as if it rotated end over end. It kept its heap awake,
// and was braked too weakly for its thickness.
TEST_CASE("heaps of rods fall asleep" * doctest::test_suite("slow")) {
    check_sleep("heap of rods falls asleep", 15, 1200, [](std::uint64_t seed) {
        World world;
        add_rods(world, seed);
        return world;
    });
}

TEST_CASE("a pendulum that is tied to the world goes on while nothing else moves") {
    World world;
    const BodyId wall = add(world, fixed_body(box(vec3(0.1f)), {0.0f, 2.0f, 0.0f}));
    BodyDef bob = body(sphere(0.2f), {0.12f, 1.0f, 0.0f});
    const BodyId id = add(world, bob);
    BallDef string;
    string.frames = {.body_a = wall, .body_b = id};
    string.frames.frame_b.position = {-0.12f, 1.0f, 0.0f};
    REQUIRE(bool(world.add_joint(string)));
    run(world, 1200);
    double farthest = 0.0;
    for (int i = 0; i < 240; ++i) {
        run(world, 1);
        farthest = std::max(farthest, world.position(id).x);
    }
    CHECK(farthest > 0.115);
}
TEST_CASE("convex bodies come to rest on balls and cylinders of 100 m and more") {
    const auto frustum = make_hull(std::vector<vec3>{{0.3f, -0.2f, 0.3f},
                                                     {-0.3f, -0.2f, 0.3f},
                                                     {0.3f, -0.2f, -0.3f},
                                                     {-0.3f, -0.2f, -0.3f},
                                                     {0.1f, 0.3f, 0.1f},
                                                     {-0.1f, 0.3f, 0}});
    REQUIRE(frustum);
    for (const float radius : {100.0f, 640.0f, 5000.0f}) {
        for (const bool is_ball : {true, false}) {
            for (const Shape& shape :
                 {box(vec3(0.25f)), box({0.5f, 0.1f, 0.3f}), cylinder(0.2f, 0.3f), hull(*frustum)}) {
                CAPTURE(radius);
                CAPTURE(is_ball);
                CAPTURE(name_of(shape.type));
                World world;
                BodyDef below = fixed_body(is_ball ? sphere(radius) : cylinder(radius, radius));
                if (!is_ball) below.rotation = turn({1, 0, 0}, pi / 2);
                add(world, below);
                BodyDef def = body(shape, {0.1, double{radius} + 0.6, 0.2});
                def.rotation = turn(glm::normalize(dvec3(1.0, 0.5, -0.3)), 0.4);
                const BodyId id = add(world, def);
                for (int step = 0; step < 900 && world.is_awake(id); ++step) world.step(frame);
                CHECK_FALSE(world.is_awake(id));
            }
        }
    }
}

TEST_CASE("small rounded boxes and hulls come to rest on the ground, not in it") {
    for (const float size : {0.005f, 0.015f, 0.03f}) {
        for (const vec3& form : {vec3(1.0f), vec3(1.0f, 0.4f, 0.7f), vec3(1.0f, 0.2f, 0.2f), vec3(1.0f, 0.3f, 1.0f)}) {
            for (const float part : {0.05f, 0.1f, 0.2f, 0.4f}) {
                const float radius = part * size * std::min(form.x, form.y);
                const vec3 half = size * form - vec3(radius);
                std::vector<vec3> corners;
                for (int k = 0; k < 8; ++k)
                    corners.push_back(half *
                                      vec3((k & 1) ? 1.0f : -1.0f, (k & 2) ? 1.0f : -1.0f, (k & 4) ? 1.0f : -1.0f));
                for (const Shape& shape : {rounded(box(half), radius), rounded(hull(*make_hull(corners)), radius)}) {
                    CAPTURE(size);
                    CAPTURE(form.y);
                    CAPTURE(part);
                    Random random(5);
                    for (int k = 0; k < 6; ++k) {
                        World world;
                        add(world, ground());
                        BodyDef def = body(shape, {0.0, 0.2, 0.0});
                        def.rotation = random.rotation();
                        def.angular_velocity = random.in_box(vec3(5.0f));
                        add(world, def);
                        run(world, 100);
                        CHECK(steps_until_asleep(world, 500) < 500);
                        for (const Contact& contact : world.contacts())
                            for (int i = 0; i < contact.point_count; ++i)
                                CHECK(contact.points[i].separation > -0.02f * size);
                    }
                }
            }
        }
    }
}
