/// A ragdoll of eleven parts, thrown on a floor. docs/joints.md explains it.
#include <talus/talus.h>

#include <cstdio>
#include <vector>

struct Ragdoll {
    std::vector<talus::BodyId> parts;
    talus::JointId neck;
};

/// Adds a person of 1.75 m that stands at `feet` with its arms spread, facing +z.
Ragdoll add_ragdoll(talus::World& world, const talus::dvec3& feet, const talus::vec3& velocity) {
    Ragdoll ragdoll;
    const auto part = [&](const talus::Shape& shape, const talus::vec3& place, bool lies = false) {
        talus::BodyDef def{.shape = shape, .position = talus::displaced(feet, place), .linear_velocity = velocity};
        if (lies)
            def.rotation = {0.7071068f, 0.0f, 0.0f,
                            0.7071068f};  // a capsule stands along y; turned about z, it lies along x
        def.angular_damping = 0.3f;       // stands for the friction of flesh
        ragdoll.parts.push_back(world.add_body(def));
        return ragdoll.parts.back();
    };
    // The x axis of a ball joint points along the limb, so that `cone` limits its swing and `twist` its rotation.
    const auto ball = [&](talus::BodyId a, talus::BodyId b, const talus::vec3& at, const talus::vec3& along, float cone,
                          float twist) {
        return world.add_joint(talus::BallDef{.frames = world.joint_frames(a, b, talus::displaced(feet, at), along),
                                              .cone = cone,
                                              .twist = {-twist, twist}});
    };
    // A motor of speed 0 is dry friction, here of 2 N m.
    const auto hinge = [&](talus::BodyId a, talus::BodyId b, const talus::vec3& at, const talus::vec3& axis,
                           float bend) {
        return world.add_joint(talus::HingeDef{.frames = world.joint_frames(a, b, talus::displaced(feet, at), axis),
                                               .limit = {0.0f, bend},
                                               .motor = {.speed = 0.0f, .max_force = 2.0f}});
    };

    const talus::BodyId pelvis = part(talus::box({0.16f, 0.09f, 0.10f}), {0, 0.98f, 0});
    const talus::BodyId chest = part(talus::box({0.18f, 0.21f, 0.11f}), {0, 1.30f, 0});
    const talus::BodyId head = part(talus::sphere(0.11f), {0, 1.64f, 0});
    ball(pelvis, chest, {0, 1.08f, 0}, {0, 1, 0}, 0.5f, 0.5f);
    ragdoll.neck = ball(chest, head, {0, 1.52f, 0}, {0, 1, 0}, 0.6f, 0.9f);
    for (const float side : {-1.0f, 1.0f}) {
        const talus::BodyId upper_arm = part(talus::capsule(0.10f, 0.045f), {side * 0.365f, 1.44f, 0}, true);
        const talus::BodyId forearm = part(talus::capsule(0.13f, 0.04f), {side * 0.69f, 1.44f, 0}, true);
        ball(chest, upper_arm, {side * 0.22f, 1.44f, 0}, {side, 0, 0}, 1.5f, 0.8f);
        hinge(upper_arm, forearm, {side * 0.52f, 1.44f, 0}, {0, -side, 0}, 2.4f);
        const talus::BodyId thigh = part(talus::capsule(0.14f, 0.075f), {side * 0.1f, 0.70f, 0});
        const talus::BodyId shin = part(talus::capsule(0.19f, 0.05f), {side * 0.1f, 0.25f, 0});
        ball(pelvis, thigh, {side * 0.1f, 0.90f, 0}, {0, -1, 0}, 1.1f, 0.5f);
        hinge(thigh, shin, {side * 0.1f, 0.48f, 0}, {1, 0, 0}, 2.3f);
    }
    return ragdoll;
}

int main() {
    talus::World world;
    world.add_body({.type = talus::BodyType::fixed, .shape = talus::box({50, 1, 50}), .position = {0, -1, 0}});
    const Ragdoll ragdoll = add_ragdoll(world, {0, 1.5f, 0}, {1, 0, 4});
    if (world.joint_count() != 10) {  // a refused call returns a null handle, and says why
        std::fprintf(stderr, "%s\n", world.last_error().message.c_str());
        return 1;
    }
    float hardest = 0.0f;
    int steps = 0;
    for (; steps < 1800 && world.is_awake(ragdoll.parts[0]); ++steps) {
        world.step(1.0f / 60.0f);
        hardest = glm::max(hardest, glm::length(world.joint_force(ragdoll.neck)));
    }
    std::printf("asleep after %.1f s; the neck bore up to %.0f N\n", steps / 60.0, hardest);
}
