// Ragdolls: thrown about, at walls and down stairs, and copied.

#include "tests/engine/joints/joints.h"

using namespace talus;
using namespace talus::test;

namespace {

/// A ragdoll of eleven capsules: balls with cones and twists, hinges at elbows and knees.
struct Ragdoll {
    std::vector<BodyId> bodies;
    std::vector<JointFrames> frames;

    Ragdoll(World& world, const dvec3& at, const quat& turned = quat(1, 0, 0, 0)) {
        const vec3 pelvis_at(0, 1, 0);  // centre of the rotation
        const dvec3 origin = displaced(at, pelvis_at - rotate(turned, pelvis_at));
        const auto place = [&](const vec3& p) { return displaced(origin, rotate(turned, p)); };
        const auto limb = [&](const vec3& from, const vec3& to, float radius) {
            const vec3 way = to - from;
            const float length = size(way);
            BodyDef def = body(capsule(std::max(0.5f * length - radius, 0.01f), radius), place(0.5f * (from + to)));
            const vec3 y = way / length;
            def.rotation = y.y > -0.99f ? normalized(quat(1.0f + y.y, y.z, 0, -y.x)) : quat(0, 1, 0, 0);
            def.rotation = multiply(turned, def.rotation);
            bodies.push_back(add(world, def));
            return bodies.back();
        };
        const auto ball = [&](BodyId a, BodyId b, const vec3& anchor, const vec3& axis, float cone, float twist) {
            frames.push_back(world.joint_frames(a, b, place(anchor), rotate(turned, axis)));
            add(world, BallDef{.frames = frames.back(), .cone = cone, .twist = {-twist, twist}});
        };
        const auto hinge = [&](BodyId a, BodyId b, const vec3& anchor, float lower, float upper) {
            frames.push_back(world.joint_frames(a, b, place(anchor), rotate(turned, vec3(0, 0, 1))));
            add(world,
                HingeDef{
                    .frames = frames.back(), .limit = {lower, upper}, .motor = {.speed = 0.0f, .max_force = 1.0f}});
        };
        const BodyId pelvis = limb({0, 0.9f, 0}, {0, 1.1f, 0}, 0.12f), chest = limb({0, 1.15f, 0}, {0, 1.5f, 0}, 0.15f),
                     head = limb({0, 1.6f, 0}, {0, 1.8f, 0}, 0.1f);
        ball(pelvis, chest, {0, 1.12f, 0}, {0, 1, 0}, 0.4f, 0.3f);
        ball(chest, head, {0, 1.55f, 0}, {0, 1, 0}, 0.5f, 0.6f);
        for (const float side : {-1.0f, 1.0f}) {
            const BodyId upper_arm = limb({0.2f * side, 1.45f, 0}, {0.5f * side, 1.45f, 0}, 0.05f),
                         lower_arm = limb({0.5f * side, 1.45f, 0}, {0.8f * side, 1.45f, 0}, 0.04f);
            ball(chest, upper_arm, {0.2f * side, 1.45f, 0}, {side, 0, 0}, 1.2f, 0.8f);
            hinge(upper_arm, lower_arm, {0.5f * side, 1.45f, 0}, side > 0 ? 0.0f : -2.2f, side > 0 ? 2.2f : 0.0f);
            const BodyId thigh = limb({0.1f * side, 0.85f, 0}, {0.1f * side, 0.45f, 0}, 0.07f),
                         shin = limb({0.1f * side, 0.45f, 0}, {0.1f * side, 0.05f, 0}, 0.05f);
            ball(pelvis, thigh, {0.1f * side, 0.88f, 0}, {0, -1, 0}, 1.0f, 0.4f);
            hinge(thigh, shin, {0.1f * side, 0.45f, 0}, -2.2f, 0.0f);
        }
    }

    double widest_gap(const World& world) const {
        double widest = 0.0;
        for (const JointFrames& e : frames) widest = std::max(widest, gap(world, e));
        return widest;
    }
};

}  // namespace

TEST_CASE("ragdolls that are thrown about stay together and come to rest" * doctest::test_suite("slow")) {
    constexpr int starts = 20;
    int at_rest = 0;
    for (std::uint64_t start = 11; start < 11 + starts; ++start) {
        CAPTURE(start);
        World world;
        add(world, ground());
        std::vector<Ragdoll> dolls;
        for (int i = 0; i < 4; ++i) dolls.emplace_back(world, dvec3(0.3 * i, 1.0 + 2.2 * i, 0.1 * i));
        Random random(start);
        for (const Ragdoll& doll : dolls) {
            for (const BodyId id : doll.bodies)
                REQUIRE(world.set_angular_velocity(id, 20.0f * random.in_box(vec3(1.0f))));
        }
        double widest = 0.0;
        for (int i = 0; i < 300; ++i) {
            run(world, 1);
            for (const Ragdoll& doll : dolls) widest = std::max(widest, doll.widest_gap(world));
            if (i % 60 == 30) {
                for (const Ragdoll& doll : dolls)
                    REQUIRE(world.apply_impulse(doll.bodies[static_cast<std::size_t>(i / 60) % doll.bodies.size()],
                                                60.0f * random.in_box(vec3(1.0f))));
            }
        }
        MESSAGE("widest gap " << widest);
        CHECK(widest < 0.08);  // as they fall 8 m on each other
        run(world, 1200);
        std::string complaint;
        CHECK_MESSAGE(is_sound(world, &complaint), complaint);
        for (const Ragdoll& doll : dolls) CHECK(doll.widest_gap(world) < 5e-3);  // they lie on each other
        if (world.awake_body_count() == 0) ++at_rest;
    }
    CHECK(at_rest >= starts - 6);
}

TEST_CASE("a light foot that lands hard stays on its leg") {
    // Contacts stop only the foot, and joints pull it on. The one that was solved last dominated, by up to 10 cm.
    double widest = 0.0;
    float beyond = 0.0f;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        World world(sleepless());
        add(world, ground());
        add(world, fixed_body(box({0.2f, 0.125f, 2.0f}), {0.1f, 0.125f, 0}));
        const quat tilt = turn(glm::normalize(random.in_box(vec3(1.0f)) + vec3(0.01f)), 0.6);
        const vec3 ankle = {0.05f * random.unit(), 0.6f, 0};
        const auto part = [&](const Shape& shape, const vec3& from_ankle, float mass) {
            BodyDef def = heavy(shape, ankle + rotate(tilt, from_ankle), mass);
            def.rotation = tilt;
            def.linear_velocity = {2.0f * random.unit(), -8.0f, 0};
            def.angular_velocity = {0, 0, 4.0f};
            return add(world, def);
        };
        const BodyId leg = part(capsule(0.3f, 0.06f), {0, 0.4f, 0}, 60.0f),
                     foot = part(box({0.12f, 0.03f, 0.045f}), {0.06f, -0.045f, 0}, 1.3f);
        const JointFrames frames = world.joint_frames(leg, foot, ankle, rotate(tilt, {0, 0, 1}));
        const JointId hinge =
            add(world, HingeDef{.frames = frames, .limit = {-0.5f, 0.7f}, .motor = {.speed = 0.0f, .max_force = 2.0f}});
        for (int i = 0; i < 90; ++i) {
            run(world, 1);
            const float angle = world.joint_coordinate(hinge);
            widest = std::max(widest, gap(world, frames));
            beyond = std::max({beyond, angle - 0.7f, -0.5f - angle});
        }
    }
    MESSAGE("widest gap " << widest << " m, " << beyond << " rad beyond its limits");
    CHECK(widest < 0.02);
    CHECK(beyond < 0.2f);
}

/// Gives each limb this speed along x (m/s), and some velocity sideways and some spin of its own.
static void throw_along_x(World& world, const Ragdoll& doll, float speed, Random& random) {
    for (const BodyId id : doll.bodies) {
        REQUIRE(world.set_linear_velocity(id, {speed, 0, random.unit()}));
        REQUIRE(world.set_angular_velocity(id, 5.0f * random.in_box(vec3(1.0f))));
    }
}

TEST_CASE("a ragdoll that is thrown at a thin wall is stopped by it in one piece") {
    // Continuous collision used to stop only the limb that hit, while the others moved on.
    for (const float speed : {10.0f, 20.0f, 40.0f}) {
        double widest = 0.0;
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            CAPTURE(speed);
            CAPTURE(seed);
            Random random(seed);
            World world(sleepless());
            add(world, ground());
            add(world, fixed_body(box({0.005f, 4.0f, 8.0f}), {2.0f, 3.9f, 0}));
            const Ragdoll doll(world, {0, 1, 0});
            throw_along_x(world, doll, speed, random);
            for (int i = 0; i < 60; ++i) {
                run(world, 1);
                widest = std::max(widest, doll.widest_gap(world));
            }
            for (const BodyId id : doll.bodies) CHECK(world.center_of_mass(id).x < 2.0f);
        }
        MESSAGE("at " << speed << " m/s: widest gap " << widest << " m");
        // A limb that is stopped rotates by a radian and more in the rest of the step, which opened joints by 115 mm.
        CHECK(widest < 0.005);
    }
}

TEST_CASE("joints of ragdolls that are thrown at a wall in any pose do not open and nothing gets through" *
          doctest::test_suite("slow")) {
    // An impact within the step used to send each limb straight on for the rest of it: joints opened by up to 0.4 m.
    for (const float speed : {20.0f, 40.0f, 80.0f}) {
        double widest = 0.0;
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            CAPTURE(speed);
            CAPTURE(seed);
            Random random(seed);
            World world(sleepless());
            add(world, ground());
            add(world, fixed_body(box({0.01f, 4.0f, 8.0f}), {2.0f, 3.9f, 0}));
            const vec3 axis = random.direction();
            const Ragdoll doll(world, {0, 1.5f, 0}, turn(axis, 3.0 * static_cast<double>(random.unit())));
            throw_along_x(world, doll, speed, random);
            for (int i = 0; i < 60; ++i) {
                run(world, 1);
                widest = std::max(widest, doll.widest_gap(world));
                for (const BodyId id : doll.bodies) REQUIRE(world.center_of_mass(id).x < 2.0f);
            }
        }
        MESSAGE("at " << speed << " m/s: widest gap " << widest << " m");
        CHECK(widest < 0.005);
    }
}

TEST_CASE("ragdolls that fall down stairs keep their joints together" * doctest::test_suite("slow")) {
    // Contacts were solved last in a step, and continuous collision moved jointed limbs on.
    double widest = 0.0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        World world(sleepless());
        add(world, ground());
        constexpr int steps = 14;
        for (int i = 0; i < steps; ++i) {
            const float top = 0.25f * static_cast<float>(i + 1);
            add(world, fixed_body(box({5.0f, 0.5f * top, 0.2f}), {0, 0.5f * top, -0.4f * static_cast<float>(i)}));
        }
        add(world, fixed_body(box({5.0f, 1.75f, 3.0f}), {0, 1.75f, -8.4f}));
        const vec3 axis = random.direction();
        const Ragdoll doll(world, {0, 3.8f, -5.6f}, turn(axis, 3.0 * static_cast<double>(random.unit())));
        const vec3 velocity(random.unit(), 0.5f, 4.5f + random.unit());
        for (const BodyId id : doll.bodies) REQUIRE(world.set_linear_velocity(id, velocity));
        for (int i = 0; i < 360; ++i) {
            run(world, 1);
            widest = std::max(widest, doll.widest_gap(world));
        }
        for (const BodyId id : doll.bodies) CHECK(world.center_of_mass(id).y > 0.0f);
    }
    MESSAGE("widest gap " << widest << " m");
    CHECK(widest < 0.005);
}

TEST_CASE("a world with joints copies and the copy steps to the same bits") {
    World world;
    add(world, ground());
    Ragdoll doll(world, {0, 1, 0});
    run(world, 37);
    World copy = world;
    for (int i = 0; i < 200; ++i) {
        run(world, 1);
        run(copy, 1);
        REQUIRE(world.hash() == copy.hash());
    }
    // Joints were removed and added before: the bits must depend on the state only, not on its history.
    const JointId extra = add(copy, BallDef{.frames = copy.joint_frames(doll.bodies[0], doll.bodies[1], {0, 1, 0})});
    CHECK(copy.joint_count() == world.joint_count() + 1);
    CHECK(copy.remove_joint(extra));
    for (const JointId id : world.joints()) CHECK(copy.joint_force(id) == world.joint_force(id));
}
