/// What docs/joints.md says. Its code is in this file and in samples/joints; the test docs/snippets compares them.

#include <talus/talus.h>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

using namespace talus;

namespace {

BodyId fixed(World& world, const Shape& shape, const dvec3& at) {
    return world.add_body({.type = BodyType::fixed, .shape = shape, .position = at});
}

/// A body of this mass that collides with nothing.
BodyId loose(World& world, const Shape& shape, const dvec3& at, float mass = 10.0f) {
    const BodyId body = world.add_body({.shape = shape, .position = at, .filter = {.mask = 0}});
    REQUIRE(world.set_mass(body, mass));
    return body;
}

void run(World& world, double seconds) {
    for (int i = 0; i < static_cast<int>(std::lround(60.0 * seconds)); ++i) REQUIRE(world.step(1.0f / 60.0f));
}

float angle_between(const vec3& a, const vec3& b) { return std::acos(glm::clamp(glm::dot(a, b), -1.0f, 1.0f)); }

}  // namespace

TEST_CASE("joint guide: a lamp swings no farther than its cone") {
    World world;
    const BodyId ceiling = fixed(world, box({2, 0.1f, 2}), {0, 3.1f, 0});
    const BodyId lamp = loose(world, box({0.1f, 0.5f, 0.1f}), {0, 2.5f, 0});
    const JointFrames hook = world.joint_frames(ceiling, lamp, {0, 3, 0}, {0, -1, 0});  // x points down
    const JointId joint = world.add_joint(BallDef{.frames = hook, .cone = 1.0f, .twist = {-1.5f, 1.5f}});
    REQUIRE(joint);
    REQUIRE(world.set_linear_velocity(lamp, {6, 0, 0}));
    REQUIRE(world.set_angular_velocity(lamp, {0, 0, 12}));
    float widest = 0.0f;
    for (int i = 0; i < 60; ++i) {
        run(world, 1.0 / 60.0);
        const vec3 down = glm::mat3_cast(world.rotation(lamp)) * vec3(0, -1, 0);
        widest = std::max(widest, angle_between(down, {0, -1, 0}));
    }
    CHECK(widest == doctest::Approx(1.0).epsilon(0.002));
}

TEST_CASE("joint guide: a door closes by its spring and can be held open by a motor") {
    World world;
    const BodyId wall = fixed(world, box({0.1f, 1, 0.1f}), {-0.1f, 1, 0});
    const BodyId door = loose(world, box({0.5f, 1, 0.03f}), {0.5f, 1, 0}, 20.0f);
    const JointFrames edge = world.joint_frames(wall, door, {0, 1, 0}, {0, 1, 0});
    const JointId joint =
        world.add_joint(HingeDef{.frames = edge, .limit = {0.0f, 1.5f}, .spring = {.hertz = 0.5f, .target = 0.0f}});
    REQUIRE(joint);
    // Pushes the door open with at most 500 N m, and stops it at its limit.
    world.set_joint_motor(joint, {.speed = 1.0f, .max_force = 500.0f});
    run(world, 3);
    CHECK(world.joint_coordinate(joint) == doctest::Approx(1.5).epsilon(0.002));
    world.set_joint_motor(joint, {});  // no motor: the spring closes the door
    run(world, 3);
    CHECK(std::abs(world.joint_coordinate(joint)) < 0.01f);
}

TEST_CASE("joint guide: a lift goes up at the speed of its motor and stops at its limit") {
    World world;
    const BodyId shaft = fixed(world, box({0.1f, 6, 0.1f}), {0, 6, -1});
    const BodyId lift = loose(world, box({1, 0.1f, 1}), {0, 0.2f, 0}, 500.0f);
    const JointId joint = world.add_joint(SliderDef{.frames = world.joint_frames(shaft, lift, {0, 0, 0}, {0, 1, 0}),
                                                    .limit = {0.0f, 10.0f},
                                                    .motor = {.speed = 2.0f, .max_force = 10000.0f}});
    REQUIRE(joint);
    run(world, 2);
    CHECK(world.joint_speed(joint) == doctest::Approx(2.0).epsilon(1e-3));
    CHECK(world.joint_motor_force(joint) == doctest::Approx(500 * 9.81).epsilon(1e-3));
    run(world, 8);
    CHECK(world.joint_coordinate(joint) == doctest::Approx(10.0).epsilon(1e-4));
}

TEST_CASE("joint guide: a weld breaks and says so") {
    World world;
    const BodyId wall = fixed(world, box({0.1f, 1, 1}), {-0.1f, 1, 0});
    const BodyId shelf = loose(world, box({0.5f, 0.03f, 0.3f}), {0.5f, 1, 0}, 10.0f);
    FixedDef weld{.frames = world.joint_frames(wall, shelf, {0, 1, 0})};
    weld.options = {.break_torque = 60.0f, .user_data = 7};
    const JointId joint = world.add_joint(weld);
    REQUIRE(joint);
    run(world, 0.5);
    CHECK(world.joint_force(joint).y == doctest::Approx(10 * 9.81).epsilon(1e-3));
    CHECK(world.joint_torque(joint).z == doctest::Approx(10 * 9.81 * 0.5).epsilon(1e-3));
    REQUIRE(world.apply_force_at(shelf, {0, -20, 0}, {1, 1, 0}));
    std::vector<JointEvent> broken;
    world.step(1.0f / 60.0f);
    for (const JointEvent& event : world.joints_broken()) {
        if (event.overloaded) broken.push_back(event);  // event.user_data says which joint it was
    }
    REQUIRE(broken.size() == 1);
    CHECK(broken[0].user_data == 7);
    CHECK(!world.is_valid(joint));
}

TEST_CASE("joint guide: a rod and a rope and a coil spring") {
    World world;
    const BodyId beam = fixed(world, box({2, 0.1f, 0.1f}), {0, 5, 0});
    const BodyId bob = loose(world, sphere(0.1f), {-1, 3, 0}), bucket = loose(world, sphere(0.1f), {0, 4, 0}),
                 weight = loose(world, sphere(0.1f), {1, 4, 0});
    // The joint is between two points, one in each body's frame. It needs no axis.
    JointFrames rod{.body_a = beam, .body_b = bob}, rope{.body_a = beam, .body_b = bucket},
        coil{.body_a = beam, .body_b = weight};
    rod.frame_a.position.x = -1.0f;
    coil.frame_a.position.x = 1.0f;
    world.add_joint(DistanceDef{.frames = rod});                           // as long as now: 2 m
    world.add_joint(DistanceDef{.frames = rope, .length = {0.0f, 1.5f}});  // at most 1.5 m
    world.add_joint(DistanceDef{.frames = coil, .length = {0.0f, unlimited}, .spring = {.hertz = 1.0f}});  // about 1 m
    run(world, 5);
    CHECK(world.position(bob).y == doctest::Approx(3.0).epsilon(1e-4));
    CHECK(world.position(bucket).y == doctest::Approx(3.5).epsilon(1e-4));
    CHECK(world.position(weight).y == doctest::Approx(4.0 - 9.81 / (4 * 9.8696)).epsilon(1e-3));
}

TEST_CASE("joint guide: a plate moves in a plane within limits and turns") {
    World world;
    const BodyId base = fixed(world, box({1, 0.1f, 1}), {0, -0.1f, 0});
    const BodyId plate = loose(world, box({0.2f, 0.05f, 0.2f}), {0, 1, 0});
    // All six axes are locked unless they are set. The main axis, x, points up.
    SixDofDef table{.frames = world.joint_frames(base, plate, {0, 1, 0}, {0, 1, 0})};
    table.move_y.limit = table.move_z.limit = {-0.5f, 0.5f};
    table.turn_x.limit = {};  // no limit: free
    const JointId joint = world.add_joint(table);
    REQUIRE(joint);
    REQUIRE(world.set_linear_velocity(plate, {2, 2, 1}));
    REQUIRE(world.set_angular_velocity(plate, {1, 3, 1}));
    run(world, 3);
    CHECK(world.position(plate).y == doctest::Approx(1.0).epsilon(1e-4));
    CHECK(std::abs(world.position(plate).x) == doctest::Approx(0.5).epsilon(1e-3));
    CHECK(std::abs(world.position(plate).z) == doctest::Approx(0.5).epsilon(1e-3));
    CHECK(world.angular_velocity(plate).y == doctest::Approx(3.0).epsilon(1e-3));
    CHECK(std::abs(world.angular_velocity(plate).x) < 1e-4f);
}

TEST_CASE("joint guide: gears keep their ratio and a rack follows") {
    World world;
    const BodyId box_id = fixed(world, box({2, 2, 0.1f}), {0, 0, -0.2f});
    const BodyId small = loose(world, sphere(0.3f), {0, 0, 0}), large = loose(world, sphere(0.6f), {0.9f, 0, 0}),
                 rack = loose(world, box({1, 0.1f, 0.1f}), {0, 0.4f, 0});
    const JointId a = world.add_joint(HingeDef{.frames = world.joint_frames(box_id, small, {0, 0, 0}, {0, 0, 1})});
    const JointId b = world.add_joint(HingeDef{.frames = world.joint_frames(box_id, large, {0.9f, 0, 0}, {0, 0, 1})});
    const JointId c = world.add_joint(SliderDef{.frames = world.joint_frames(box_id, rack, {0, 0.3f, 0}, {1, 0, 0})});
    world.add_joint(GearDef{.joint_a = a, .joint_b = b, .ratio = -10.0f / 20.0f});  // 10 and 20 teeth
    world.add_joint(GearDef{.joint_a = a, .joint_b = c, .ratio = -0.3f});  // the rack lies on a pinion of 0.3 m
    REQUIRE(world.joint_count() == 5);
    REQUIRE(world.set_joint_motor(a, {.speed = 1.0f, .max_force = 100.0f}));
    run(world, 2);
    CHECK(world.joint_coordinate(a) == doctest::Approx(2.0).epsilon(0.02));
    CHECK(world.joint_coordinate(b) == doctest::Approx(-0.5f * world.joint_coordinate(a)).epsilon(1e-4));
    CHECK(world.joint_coordinate(c) == doctest::Approx(-0.3f * world.joint_coordinate(a)).epsilon(1e-4));
}

TEST_CASE("joint guide: a motor joint pulls a body to a pose with a bounded force") {
    World world;
    const BodyId hand = fixed(world, sphere(0.1f), {0, 0, 0});
    const BodyId crate = loose(world, box(vec3(0.2f)), {0, 1, 0}, 20.0f);
    MotorDef grab{.frames = {.body_a = hand, .body_b = crate}};
    grab.drive.target.position = {0, 1.5f, 0};  // of the crate, in the hand's frame
    grab.drive.linear_hertz = grab.drive.angular_hertz = 4.0f;
    grab.drive.max_force = 400.0f;
    grab.drive.max_torque = 50.0f;
    const JointId joint = world.add_joint(grab);
    REQUIRE(joint);
    run(world, 3);
    const double sag = 9.81 / std::pow(6.2831853 * 4.0, 2.0);
    CHECK(world.position(crate).y == doctest::Approx(1.5 - sag).epsilon(1e-3));
    REQUIRE(world.apply_force(crate, {0, -300, 0}));
    run(world, 1.0 / 60.0);
    CHECK(glm::length(world.joint_force(joint)) <= 400.1f);
    CHECK(world.joint_stiffness(joint, JointAxis::move_y) ==
          doctest::Approx(20.0 * std::pow(6.2831853 * 4.0, 2.0)).epsilon(1e-3));
}

TEST_CASE("joint guide: which articulations are solved side by side") {
    struct Kind {
        const char* name;
        bool batched;
        std::function<void(World&, BodyId, BodyId)> join;
    };
    const auto frames = [](const World& world, BodyId a, BodyId b) {
        return world.joint_frames(a, b, world.position(a), {1, 0, 0});
    };
    constexpr JointMotor motor{.speed = 1.0f, .max_force = 5.0f};
    constexpr JointLimit limit{-0.2f, 0.2f};
    constexpr JointSpring spring{.hertz = 1.0f};
    const Kind kinds[] = {
        {"ball with cone and twist", true,
         [&](World& w, BodyId a, BodyId b) {
             w.add_joint(BallDef{.frames = frames(w, a, b), .cone = 0.2f, .twist = limit});
         }},
        {"hinge with limit and motor", true,
         [&](World& w, BodyId a, BodyId b) {
             w.add_joint(HingeDef{.frames = frames(w, a, b), .limit = limit, .motor = motor});
         }},
        {"slider with limit and motor", true,
         [&](World& w, BodyId a, BodyId b) {
             w.add_joint(SliderDef{.frames = frames(w, a, b), .limit = limit, .motor = motor});
         }},
        {"weld", true, [&](World& w, BodyId a, BodyId b) { w.add_joint(FixedDef{.frames = frames(w, a, b)}); }},
        {"rod", true,
         [](World& w, BodyId a, BodyId b) { w.add_joint(DistanceDef{.frames = {.body_a = a, .body_b = b}}); }},
        {"rope with winch", true,
         [&](World& w, BodyId a, BodyId b) {
             w.add_joint(DistanceDef{.frames = {.body_a = a, .body_b = b}, .length = {0.0f, 2.0f}, .motor = motor});
         }},
        {"six-dof with limit and motor", true,
         [&](World& w, BodyId a, BodyId b) {
             SixDofDef def{.frames = frames(w, a, b)};
             def.turn_x = {.limit = limit, .motor = motor};
             w.add_joint(def);
         }},
        {"wheel without suspension spring", true,
         [&](World& w, BodyId a, BodyId b) {
             w.add_joint(WheelDef{.frames = frames(w, a, b), .travel = {0.0f, 0.0f}, .suspension = {}, .motor = motor});
         }},
        {"hinge with spring", true,
         [&](World& w, BodyId a, BodyId b) { w.add_joint(HingeDef{.frames = frames(w, a, b), .spring = spring}); }},
        {"soft weld", true,
         [&](World& w, BodyId a, BodyId b) { w.add_joint(FixedDef{.frames = frames(w, a, b), .linear_hertz = 2.0f}); }},
        {"coil spring", true,
         [&](World& w, BodyId a, BodyId b) {
             w.add_joint(
                 DistanceDef{.frames = {.body_a = a, .body_b = b}, .length = {0.0f, unlimited}, .spring = spring});
         }},
        {"coil spring of length 0", false,
         [&](World& w, BodyId a, BodyId b) {
             DistanceDef def{.frames = {.body_a = a, .body_b = b}, .length = {0.0f, unlimited}, .spring = spring};
             def.rest_length = 0.0f;
             w.add_joint(def);
         }},
        {"wheel as it is by default", true,
         [&](World& w, BodyId a, BodyId b) { w.add_joint(WheelDef{.frames = frames(w, a, b)}); }},
        {"ball with drive", false,
         [&](World& w, BodyId a, BodyId b) {
             w.add_joint(BallDef{.frames = frames(w, a, b), .drive = {.max_torque = 1.0f}});
         }},
        {"motor", false,
         [&](World& w, BodyId a, BodyId b) {
             w.add_joint(MotorDef{.frames = frames(w, a, b), .drive = {.max_force = 1.0f}});
         }},
        {"gear", false,
         [&](World& w, BodyId a, BodyId b) {
             const BodyId c = loose(w, sphere(0.1f), w.position(b));
             const JointId first = w.add_joint(HingeDef{.frames = frames(w, a, b)});
             const JointId second = w.add_joint(HingeDef{.frames = frames(w, a, c)});
             w.add_joint(GearDef{.joint_a = first, .joint_b = second});
         }},
        {"body with a locked axis", false,
         [&](World& w, BodyId a, BodyId b) {
             REQUIRE(w.set_locks(b, lock_z));
             w.add_joint(BallDef{.frames = frames(w, a, b)});
         }},
        {"loop: two joints between the same bodies", false,
         [&](World& w, BodyId a, BodyId b) {
             w.add_joint(BallDef{.frames = frames(w, a, b)});
             w.add_joint(BallDef{.frames = w.joint_frames(a, b, w.position(b))});
         }},
        {"loop: a bridge between two fixed bodies", false,
         [&](World& w, BodyId a, BodyId b) {
             const BodyId other = fixed(w, sphere(0.05f), w.position(b) + dvec3(0, -1, 0));
             w.add_joint(BallDef{.frames = frames(w, a, b)});
             w.add_joint(BallDef{.frames = w.joint_frames(other, b, w.position(b))});
         }},
        {"body with 12 joints", true,
         [&](World& w, BodyId a, BodyId b) {
             w.add_joint(BallDef{.frames = frames(w, a, b)});
             for (int i = 0; i < 11; ++i)
                 w.add_joint(BallDef{.frames = frames(w, b, loose(w, sphere(0.1f), w.position(b)))});
         }},
        {"body with 13 joints", false,
         [&](World& w, BodyId a, BodyId b) {
             w.add_joint(BallDef{.frames = frames(w, a, b)});
             for (int i = 0; i < 12; ++i)
                 w.add_joint(BallDef{.frames = frames(w, b, loose(w, sphere(0.1f), w.position(b)))});
         }},
    };
    for (const Kind& kind : kinds) {
        CAPTURE(std::string(kind.name));
        WorldDef def;
        def.allow_sleep = false;
        World world(def);
        for (int i = 0; i < 4; ++i) {
            const dvec3 at(5.0 * i, 0, 0);
            kind.join(world, fixed(world, sphere(0.05f), at),
                      loose(world, box({0.1f, 0.2f, 0.1f}), at + dvec3(0, -1, 0)));
        }
        REQUIRE_MESSAGE(world.joint_count() >= 4, world.last_error().message);
        run(world, 1.0 / 60.0);
        const FrameProfile& profile = world.profile();
        REQUIRE(profile.joints.articulations == 4);
        CHECK(profile.joints.passes_alone == (kind.batched ? 0u : 2u * 4u * profile.substeps));
    }
}

TEST_CASE("joint guide: a chain with a load of 1,000 links does not need many sub-steps") {
    for (const int substeps : {1, 4}) {
        CAPTURE(substeps);
        WorldDef def;
        def.substeps = substeps;
        World world(def);
        BodyId above = fixed(world, sphere(0.05f), {0, 0, 0});
        std::vector<JointFrames> joints;
        for (int i = 0; i <= 20; ++i) {
            const float y = -0.2f * static_cast<float>(i);
            const bool load = i == 20;
            const BodyId below =
                loose(world, load ? sphere(0.1f) : capsule(0.07f, 0.02f), {0, y - 0.1f, 0}, load ? 1000.0f : 1.0f);
            joints.push_back(world.joint_frames(above, below, {0, y, 0}));
            REQUIRE(world.add_joint(BallDef{.frames = joints.back()}));
            above = below;
        }
        REQUIRE(world.set_linear_velocity(above, {1, 0, 0}));
        double widest = 0.0;
        for (int i = 0; i < 300; ++i) {
            run(world, 1.0 / 60.0);
            for (const JointFrames& f : joints) {
                widest =
                    std::max(widest, glm::distance(transform_point(world.transform(f.body_a), f.frame_a.position),
                                                   transform_point(world.transform(f.body_b), f.frame_b.position)));
            }
        }
        MESSAGE(substeps << " sub-steps: a joint opens by up to " << 1e6 * widest << " um");
        CHECK(widest < 1e-4);
    }
}

TEST_CASE("joint guide: friction in a joint stops a pendulum and damping slows it") {
    const auto swing_after = [](float friction, float damping, double seconds) {
        World world;
        const BodyId wall = fixed(world, sphere(0.05f), {0, 0, 0}),
                     arm = loose(world, box({0.5f, 0.05f, 0.05f}), {0.5f, 0, 0});
        REQUIRE(world.set_damping(arm, 0.0f, damping));
        const JointId hinge = world.add_joint(HingeDef{.frames = world.joint_frames(wall, arm, {0, 0, 0}, {0, 0, 1}),
                                                       .motor = {.speed = 0.0f, .max_force = friction}});
        REQUIRE(hinge);
        run(world, seconds);
        float fastest = 0.0f;
        for (int i = 0; i < 120; ++i) {
            run(world, 1.0 / 60.0);
            fastest = std::max(fastest, std::abs(world.joint_speed(hinge)));
        }
        return std::pair(fastest, world.is_awake(arm));
    };
    const auto free = swing_after(0.0f, 0.0f, 30.0), damped = swing_after(0.0f, 0.3f, 30.0),
               rubbed = swing_after(2.0f, 0.0f, 30.0);
    CHECK(free.first > 4.0f);
    CHECK(free.second);
    CHECK(damped.first < 0.5f * free.first);
    CHECK(rubbed.first == 0.0f);
    CHECK(!rubbed.second);  // it sleeps
}

TEST_CASE("joint guide: a drive without a target is friction in a ball joint") {
    World world;
    const BodyId wall = fixed(world, sphere(0.05f), {0, 0, 0}),
                 arm = loose(world, box({0.5f, 0.05f, 0.05f}), {0.5f, 0, 0});
    REQUIRE(
        world.add_joint(BallDef{.frames = world.joint_frames(wall, arm, {0, 0, 0}), .drive = {.max_torque = 2.0f}}));
    run(world, 30);
    CHECK(!world.is_awake(arm));
}

TEST_CASE("joint guide: a change of a joint wakes its bodies") {
    World world;
    const BodyId wall = fixed(world, box({0.1f, 1, 0.1f}), {0, 0, 0});
    const BodyId door = loose(world, box({0.5f, 1, 0.03f}), {0.5f, 0, 0});
    const JointId hinge = world.add_joint(HingeDef{.frames = world.joint_frames(wall, door, {0, 0, 0}, {0, 1, 0})});
    run(world, 2);
    REQUIRE(!world.is_awake(door));
    REQUIRE(world.set_joint_motor(hinge, {.speed = 1.0f, .max_force = 10.0f}));
    CHECK(world.is_awake(door));
    run(world, 1);
    CHECK(world.joint_coordinate(hinge) > 0.5f);
}

TEST_CASE("joint guide: the frequency of a spring counts its two bodies alone") {
    // A wheel of 20 kg below a chassis of 1,000 kg, and the same with a chassis that is fixed.
    for (const bool is_fixed : {false, true}) {
        WorldDef def;
        def.gravity = vec3(0.0f);
        World world(def);
        const BodyId chassis = loose(world, box(vec3(0.5f)), {0, 0, 0}, 1000.0f),
                     wheel = loose(world, sphere(0.3f), {0, 0, 0}, 20.0f);
        if (is_fixed) REQUIRE(world.set_type(chassis, BodyType::fixed));
        const JointId joint = world.add_joint(
            WheelDef{.frames = world.joint_frames(chassis, wheel, {0, 0, 0}), .suspension = {.hertz = 2.0f}});
        REQUIRE(joint);
        run(world, 1.0 / 60.0);
        const double effective = is_fixed ? 20.0 : 1000.0 * 20.0 / 1020.0, omega = 2.0 * 6.2831853;
        CHECK(world.joint_stiffness(joint, JointAxis::move_y) ==
              doctest::Approx(effective * omega * omega).epsilon(1e-3));
    }
}
