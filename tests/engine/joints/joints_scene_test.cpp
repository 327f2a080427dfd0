// Joints of scenes.

#include "tests/engine/joints/joints.h"

#include "samples/scenes/scene.h"

using namespace talus;
using namespace talus::test;

TEST_CASE("a scene's joints are made with its bodies and gears with its joints") {
    samples::SceneData scene;
    scene.bodies = {fixed_body(box(vec3(0.1f))), ghost(heavy(sphere(0.2f), {0, 0, 0}, 1.0f)),
                    ghost(heavy(sphere(0.2f), {1, 0, 0}, 1.0f))};
    scene.joints = {
        {0, 1,
         HingeDef{.frames = samples::scene_ends(scene, 0, 1, {0, 0, 0}, {0, 1, 0}),
                  .motor = {.speed = 2.0f, .max_force = 100.0f}}},
        {0, 2, HingeDef{.frames = samples::scene_ends(scene, 0, 2, {1, 0, 0}, {0, 1, 0})}},
        {0, 1, GearDef{.ratio = -2.0f}},
    };
    std::vector<BodyId> bodies;
    std::vector<JointId> joints;
    World world = samples::make_world(scene, &bodies, {}, &joints);
    REQUIRE(joints.size() == 3);
    for (const JointId id : joints) REQUIRE_MESSAGE(world.is_valid(id), world.last_error().message);
    run(world, 120);
    CHECK(world.joint_coordinate(joints[0]) == doctest::Approx(4.0).epsilon(1e-3));
    CHECK(world.joint_coordinate(joints[1]) == doctest::Approx(-8.0).epsilon(1e-3));
}
