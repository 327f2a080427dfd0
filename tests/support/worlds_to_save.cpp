#include "tests/support/worlds_to_save.h"

#include <talus/narrowphase/triangles/height_field.h>
#include <talus/narrowphase/triangles/mesh.h>
#include "common/bytes.h"
#include "tests/support/random.h"

#include <cmath>
#include <cstring>

namespace talus::test {

namespace {

constexpr float dt = 1.0f / 60.0f;

void run(World& world, int steps) {
    for (int i = 0; i < steps; ++i) world.step(dt);
}

BodyId add_ground(World& world) {
    return world.add_body({.type = BodyType::fixed, .shape = box({20, 1, 20}), .position = {0, -1, 0}});
}

std::shared_ptr<const Hull> stone(float size) {
    const std::vector<vec3> points{{-1, -1, -1}, {1, -0.8f, -1}, {0.9f, 1, -1}, {-1, 0.7f, -0.9f},
                                   {-1, -1, 1},  {1, -1, 0.8f},  {1, 1, 1.1f},  {-0.6f, 1.3f, 1}};
    std::vector<vec3> scaled;
    for (const vec3& p : points) scaled.push_back(size * p);
    return *make_hull(scaled);
}

/// So that the bytes are the same in each run.
const WorldDef repeatable{.handle_tag = 1};

/// Every convex shape, piled up.
World pile() {
    World world(repeatable);
    add_ground(world);
    const Shape shapes[] = {sphere(0.4f),     capsule(0.3f, 0.2f), box({0.4f, 0.3f, 0.5f}), cylinder(0.3f, 0.4f),
                            cone(0.4f, 0.4f), hull(stone(0.4f)),   hull(stone(0.4f)),       hull(stone(0.3f))};
    int i = 0;
    for (const Shape& shape : shapes) {
        BodyDef def{.shape = shape, .position = {0.2f * static_cast<float>(i % 3), 0.8f * static_cast<float>(i), 0}};
        def.user_data = 0x1234567890abcdefull + static_cast<std::uint64_t>(i++);
        world.add_body(def);
    }
    run(world, 50);
    return world;
}

/// Compounds that lie in each other, a sensor, and hit events.
World compounds() {
    World world(repeatable);
    add_ground(world);
    for (int i = 0; i < 3; ++i) {
        BodyDef bowl;
        for (int k = 0; k < 5; ++k) {
            const float angle = 1.2566371f * static_cast<float>(k);
            bowl.shapes.push_back({.shape = box({0.3f, 0.2f, 0.05f}),
                                   .pose = {{0.5f * std::sin(angle), 0.2f, 0.5f * std::cos(angle)},
                                            quat(std::cos(0.5f * angle), 0, std::sin(0.5f * angle), 0)}});
        }
        bowl.shapes.push_back({.shape = box({0.5f, 0.05f, 0.5f}), .hit_events = true});
        bowl.shapes.push_back({.shape = sphere(1.0f), .sensor = true});
        bowl.position = {0, 0.1f + 0.7f * static_cast<float>(i), 0};
        world.add_body(bowl);
    }
    run(world, 40);
    return world;
}

/// A mesh and a height field with shapes on them, one of them pressed in; materials; removed bodies.
World surfaces() {
    World world(repeatable);
    std::vector<vec3> vertices;
    std::vector<std::uint32_t> indices;
    std::vector<std::uint8_t> materials;
    for (std::uint32_t j = 0; j < 7; ++j) {
        for (std::uint32_t i = 0; i < 7; ++i)
            vertices.push_back(
                {static_cast<float>(i) - 3.0f, 0.2f * static_cast<float>((i * j) % 3), static_cast<float>(j) - 3.0f});
    }
    for (std::uint32_t j = 0; j < 6; ++j) {
        for (std::uint32_t i = 0; i < 6; ++i) {
            const std::uint32_t a = 7 * j + i, b = a + 1, c = a + 7, d = a + 8;
            indices.insert(indices.end(), {a, c, d, a, d, b});
            materials.insert(materials.end(), {static_cast<std::uint8_t>(i % 2), 0});
        }
    }
    const auto mesh = *make_mesh({vertices, indices, materials, true});
    BodyDef ground{.type = BodyType::fixed, .mesh = mesh};
    ground.mesh_materials = {Material{.friction = 0.2f}, Material{.friction = 0.9f, .restitution = 0.3f}};
    world.add_body(ground);
    std::vector<std::uint8_t> holes(16, 0);
    holes[2] = holes[11] = 1;
    std::vector<float> heights;
    for (int k = 0; k < 25; ++k) heights.push_back(0.3f * static_cast<float>(k % 4));
    world.add_body({.type = BodyType::kinematic,
                    .mesh = *make_height_field({.columns = 5, .rows = 5, .heights = heights, .holes = holes}),
                    .position = {5, 0, 0},
                    .angular_velocity = {0, 0.2f, 0}});
    std::vector<BodyId> bodies;
    const Shape shapes[] = {box({0.5f, 0.3f, 0.4f}), sphere(0.4f), cylinder(0.3f, 0.3f), hull(stone(0.3f)),
                            capsule(0.4f, 0.2f)};
    for (int i = 0; i < 10; ++i) {
        bodies.push_back(world.add_body({.shape = shapes[i % 5],
                                         .position = {static_cast<float>(i % 5) - 2.0f + (i > 4 ? 6.0f : 0.0f),
                                                      1.2f + 0.5f * static_cast<float>(i / 5), 0.3f}}));
    }
    world.add_body({.shape = box({0.4f, 0.4f, 0.4f}), .position = {-2.0f, 3.0f, 0.3f}, .density = 50000});
    run(world, 40);
    world.remove_body(bodies[3]);
    world.remove_body(bodies[6]);
    run(world, 2);
    return world;
}

/// All kinds of joints, with limits, motors and springs; a gear; a joint that breaks.
World joints() {
    World world(repeatable);
    const BodyId ground = add_ground(world);
    const auto add = [&](const vec3& at, BodyType type = BodyType::dynamic) {
        return world.add_body({.type = type, .shape = box({0.2f, 0.3f, 0.25f}), .position = at});
    };
    const BodyId post = add({0, 5, 0}, BodyType::fixed);
    BodyId last = post;
    for (int i = 0; i < 4; ++i) {  // a chain
        const BodyId link = add({0.5f * static_cast<float>(i + 1), 5, 0});
        world.add_joint(BallDef{.frames = world.joint_frames(last, link, {0.5f * static_cast<float>(i) + 0.25f, 5, 0}),
                                .cone = 0.8f,
                                .twist = {-0.3f, 0.3f}});
        last = link;
    }
    const auto from_ground = [&](float x, const vec3& axis = {1, 0, 0}) {
        const BodyId body = add({x, 3, 3});
        return world.joint_frames(ground, body, {x, 3.3f, 3}, axis);
    };
    const JointId a =
        world.add_joint(HingeDef{.frames = from_ground(0), .limit = {-1, 1}, .motor = {.speed = 2, .max_force = 5}});
    const JointId b = world.add_joint(HingeDef{.frames = from_ground(1), .spring = {.hertz = 2, .target = 0.4f}});
    world.add_joint(GearDef{.joint_a = a, .joint_b = b, .ratio = -0.5f});
    world.add_joint(SliderDef{.frames = from_ground(2, {0, 1, 0}), .limit = {-0.5f, 0.5f}});
    world.add_joint(FixedDef{.frames = from_ground(3), .angular_hertz = 3});
    world.add_joint(DistanceDef{.frames = from_ground(4), .length = {0.1f, 0.6f}});
    world.add_joint(SixDofDef{.frames = from_ground(5), .move_y = {.limit = {-0.3f, 0.1f}}, .turn_x = {.limit = {}}});
    world.add_joint(WheelDef{.frames = from_ground(6), .motor = {.speed = 3, .max_force = 2}});
    MotorDef motor{.frames = from_ground(7)};
    motor.drive = {.linear_hertz = 2, .angular_hertz = 1, .max_force = 300, .max_torque = 30};
    world.add_joint(motor);
    FixedDef weak{.frames = from_ground(8)};
    weak.options = {.break_force = 1.0f, .user_data = 77};
    world.add_joint(weak);
    run(world, 1);  // the joint has broken
    run(world, 30);
    world.add_joint(BallDef{.frames = world.joint_frames(post, add({-1, 5, 0}), {-0.5f, 5, 0})});
    return world;
}

/// A ragdoll-like tree on the ground, a loop of joints, and a car.
World linkages() {
    World world(repeatable);
    const BodyId ground = add_ground(world);
    for (int copy = 0; copy < 2; ++copy) {
        const float x = 3.0f * static_cast<float>(copy);
        BodyId last = world.add_body({.shape = capsule(0.2f, 0.1f), .position = {x, 1, 0}});
        for (int i = 1; i < 4; ++i) {
            const BodyId limb =
                world.add_body({.shape = capsule(0.2f, 0.1f), .position = {x, 1 + 0.5f * static_cast<float>(i), 0}});
            world.add_joint(HingeDef{
                .frames = world.joint_frames(last, limb, {x, 0.75f + 0.5f * static_cast<float>(i), 0}, {0, 0, 1}),
                .limit = {-0.7f, 0.7f}});
            last = limb;
        }
    }
    BodyId ring[4];
    for (int i = 0; i < 4; ++i)
        ring[i] = world.add_body({.shape = box({0.4f, 0.1f, 0.1f}), .position = {-4.0f + static_cast<float>(i), 2, 2}});
    for (int i = 0; i < 3; ++i) {
        world.add_joint(
            BallDef{.frames = world.joint_frames(ring[i], ring[i + 1], {-3.5f + static_cast<float>(i), 2, 2})});
    }
    world.add_joint(BallDef{.frames = world.joint_frames(ground, ring[0], {-4.5f, 2, 2})});
    world.add_joint(BallDef{.frames = world.joint_frames(ground, ring[3], {-0.5f, 2, 2})});
    const BodyId chassis = world.add_body({.shape = box({0.7f, 0.2f, 1.5f}), .position = {0, 0.8f, -5}});
    for (int i = 0; i < 4; ++i) {
        const vec3 place(i % 2 == 0 ? 0.8f : -0.8f, 0.4f, i < 2 ? -4.0f : -6.0f);
        const BodyId wheel = world.add_body(
            {.shape = cylinder(0.1f, 0.35f), .position = place, .rotation = {0.70710678f, 0, 0, 0.70710678f}});
        world.add_joint(WheelDef{.frames = world.joint_frames(chassis, wheel, place), .travel = {-0.2f, 0.2f}});
    }
    run(world, 45);
    return world;
}

/// Bullets that hit, one just now, and one that is about to.
World bullets() {
    World world(repeatable);
    add_ground(world);
    for (int i = 0; i < 3; ++i)
        world.add_body({.shape = box({0.05f, 1, 1}), .position = {2.0f + static_cast<float>(i), 1, 0}});
    for (int i = 0; i < 3; ++i) {
        BodyDef def{.shape = sphere(0.1f),
                    .position = {-3.0f - 4.0f * static_cast<float>(i), 1, 0.2f * static_cast<float>(i)},
                    .linear_velocity = {240, 2, 0}};
        def.continuous = Continuous::all;
        def.hit_events = true;
        def.density = 8000;
        world.add_body(def);
    }
    run(world, 2);
    return world;
}

/// Two islands that sleep, one of which is about to be hit; slots that are free.
World sleepers() {
    World world(repeatable);
    add_ground(world);
    std::vector<BodyId> bodies;
    for (int i = 0; i < 6; ++i) {
        bodies.push_back(world.add_body(
            {.shape = box({0.3f, 0.3f, 0.3f}),
             .position = {3.0f * static_cast<float>(i / 3), 0.3f + 0.6f * static_cast<float>(i % 3), 0}}));
    }
    bodies.push_back(world.add_body({.shape = sphere(0.3f), .position = {-8, 0.3f, 0}}));
    run(world, 120);
    world.remove_body(bodies[6]);
    world.add_body({.shape = sphere(0.3f), .position = {-2, 0.5f, 0}, .linear_velocity = {8, 0, 0}});
    run(world, 5);
    return world;
}

/// A tower under a heavy weight (a stiff group), a wall of bricks, and a belt.
World stacks() {
    World world(repeatable);
    add_ground(world);
    for (int i = 0; i < 8; ++i)
        world.add_body({.shape = box({0.2f, 0.2f, 0.2f}), .position = {0, 0.2f + 0.4f * static_cast<float>(i), 0}});
    world.add_body({.shape = box({0.3f, 0.3f, 0.3f}), .position = {0, 3.5f, 0}, .density = 60000});
    for (int row = 0; row < 6; ++row) {
        for (int i = 0; i < 5; ++i) {
            world.add_body({.shape = box({0.25f, 0.1f, 0.15f}),
                            .position = {2.0f + 0.5f * static_cast<float>(i) + 0.25f * static_cast<float>(row % 2),
                                         0.1f + 0.2f * static_cast<float>(row), 0}});
        }
    }
    BodyDef belt{.type = BodyType::fixed, .shape = box({2, 0.1f, 0.5f}), .position = {0, 0.1f, 3}};
    belt.material.surface_velocity = {1, 0, 0};
    belt.material.grip_axis = {1, 0, 0};
    belt.material.grip_across = 0.5f;
    world.add_body(belt);
    BodyDef ball{.shape = sphere(0.2f), .position = {-1, 0.4f, 3}};
    ball.material.rolling_resistance = 0.05f;
    world.add_body(ball);
    run(world, 30);
    return world;
}

/// Changes between two steps that the next one has to work off.
World changes() {
    World world(repeatable);
    add_ground(world);
    std::vector<BodyId> b;
    for (int i = 0; i < 8; ++i) {
        BodyDef def{.shape = box({0.3f, 0.3f, 0.3f}), .position = {0.7f * static_cast<float>(i), 0.3f, 0}};
        def.modify_contacts = i % 2 == 0;
        if (i == 7) def.locks = lock_to_plane_xy;
        b.push_back(world.add_body(def));
    }
    const BodyId lift =
        world.add_body({.type = BodyType::kinematic, .shape = box({0.5f, 0.1f, 0.5f}), .position = {-2, 1, 0}});
    world.add_body({.shape = sphere(0.2f), .position = {-2, 1.3f, 0}});
    run(world, 20);
    world.set_kinematic_target(lift, {-2, 1.1f, 0}, {1, 0, 0, 0});
    run(world, 1);
    world.remove_body(b[1]);
    world.set_shape(b[2], 0, sphere(0.3f));
    const ShapeDef sensor{.shape = box({0.3f, 0.3f, 0.3f}), .sensor = true};
    world.set_shapes(b[3], {&sensor, 1});
    world.set_type(b[4], BodyType::kinematic);
    world.set_awake(b[5], false);
    world.apply_force(b[6], {5, 100, 0});
    world.set_kinematic_target(lift, {-2, 1.2f, 0}, {1, 0, 0, 0});
    world.add_body({.shape = capsule(0.2f, 0.2f), .position = {1, 3, 0}});
    return world;
}

}  // namespace

std::vector<WorldToSave> worlds_to_save() {
    std::vector<WorldToSave> all;
    all.push_back({"empty", World{}});
    all.push_back({"pile", pile()});
    all.push_back({"compounds", compounds()});
    all.push_back({"surfaces", surfaces()});
    all.push_back({"joints", joints()});
    all.push_back({"linkages", linkages()});
    all.push_back({"bullets", bullets()});
    all.push_back({"sleepers", sleepers()});
    all.push_back({"stacks", stacks()});
    all.push_back({"changes", changes()});
    return all;
}

void mend_checksum(std::span<std::byte> saved) {
    constexpr std::size_t place = 12, content = 20;
    if (saved.size() < content) return;
    const std::uint64_t sum = detail::little_endian(checksum_of(saved.subspan(content)));
    std::memcpy(saved.data() + place, &sum, sizeof sum);
}

}  // namespace talus::test
