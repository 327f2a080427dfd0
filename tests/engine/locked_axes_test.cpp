// Locked axes: velocities there are 0 whatever pushes, the others answer as if the body had no others.

#include "mesh_rooms.h"

using namespace talus;
using namespace talus::test;

TEST_CASE("what is locked does not move or turn there, whatever hits it") {
    Random random(61);
    for (int round = 0; round < 60; ++round) {
        World world(sleepless());
        add(world, ground());
        const auto locks = static_cast<std::uint8_t>(random.below(64));
        BodyDef def = body(box({0.5f, 0.3f, 0.4f}), {0, 0.6f, 0});
        def.rotation = random.rotation();
        def.locks = locks;
        def.linear_velocity = {1, 1, 1};
        def.angular_velocity = {1, 1, 1};
        const BodyId id = add(world, def);
        for (int i = 0; i < 6; ++i) {
            BodyDef shot = body(sphere(0.2f), 3.0f * random.direction());
            shot.position.y = std::abs(shot.position.y) + 0.5f;
            shot.linear_velocity = -4.0f * shot.position;
            add(world, shot);
        }
        const vec3 start = world.position(id);
        CAPTURE(int(locks));
        for (int step = 0; step < 60; ++step) {
            run(world, 1);
            const vec3 v = world.linear_velocity(id), w = world.angular_velocity(id),
                       moved = world.position(id) - start;
            for (int k = 0; k < 3; ++k) {
                if (locks & (lock_x << k)) REQUIRE((v[k] == 0.0f && moved[k] == 0.0f));
                if (locks & (lock_turn_x << k)) REQUIRE(w[k] == 0.0f);
            }
        }
        std::string complaint;
        REQUIRE_MESSAGE(is_sound(world, &complaint), complaint);
    }
}

TEST_CASE("a world of two dimensions keeps to its plane and falls over like one") {
    World world(sleepless());
    add(world, ground());
    std::vector<BodyId> ids;
    for (int i = 0; i < 12; ++i) {
        BodyDef def = crate({0.3f * static_cast<float>(i % 3), 0.6f + 1.1f * static_cast<float>(i), 0.0f});
        def.locks = lock_to_plane_xy;
        ids.push_back(add(world, def));
    }
    run(world, 300);
    for (const BodyId id : ids) {
        CHECK(world.position(id).z == 0.0f);
        CHECK(std::abs(world.rotation(id).x) < 1e-6f);
        CHECK(std::abs(world.rotation(id).y) < 1e-6f);
        CHECK(world.position(id).y > 0.4f);
    }
}

TEST_CASE("bodies that locks keep in a plane slide as far as without locks, and stop") {
    // The contact's plane leaves such a body one way to move, so the two rows of friction have no inverse. A ground that
    // is off level by rounding must not make a difference.
    constexpr float speed = 3.0f, friction = 0.5f, way = speed * speed / (2.0f * friction * 9.81f);
    for (const float tilt : {0.0f, 1e-20f, -1e-15f, 1e-10f, 1e-8f, 1e-6f}) {
        for (const bool along_x : {true, false}) {
            World world(sleepless());
            BodyDef floor = ground();
            floor.rotation = quat(1.0f, tilt, 0.0f, tilt);
            floor.material.friction = friction;
            add(world, floor);
            BodyDef def = body(box({0.5f, 0.1f, 0.5f}), {0, 0.1f, 0});
            def.material.friction = friction;
            def.locks = along_x ? static_cast<std::uint8_t>(lock_to_plane_xy)
                                : static_cast<std::uint8_t>(lock_x | lock_turn_y | lock_turn_z);
            def.linear_velocity = along_x ? vec3(speed, 0, 0) : vec3(0, 0, speed);
            const BodyId id = add(world, def);
            run(world, 120);
            CAPTURE(tilt);
            CAPTURE(along_x);
            const vec3 p = world.position(id);
            CHECK((along_x ? p.x : p.z) == doctest::Approx(way).epsilon(0.1));
            CHECK(glm::length(world.linear_velocity(id)) < 1e-3f);
        }
    }
}

TEST_CASE("sticks that locks keep in a plane hit walls of triangles at speed and stay finite") {
    for (int seed = 0; seed < 8; ++seed) {
        Random random(70 + seed);
        World world(sleepless());
        BodyDef room = walls({3.83865976f, 4.19936466f, 3.04047537f}, 8, false);
        room.filter = {1, ~0u, 0};
        add(world, room);
        std::vector<BodyId> sticks;
        for (int i = 0; i < 300; ++i) {
            BodyDef def = body(capsule(0.02f + 0.05f * random.unit(), 0.0012f + 0.002f * random.unit()),
                               random.in_box(vec3(3.5f, 3.5f, 2.5f)));
            def.rotation = random.rotation();
            def.linear_velocity = {3.0f * random.unit(), -10.0f * random.unit(), 0};
            def.locks = lock_to_plane_xy;
            def.filter = {2, 1, 0};
            sticks.push_back(add(world, def));
        }
        CAPTURE(seed);
        for (int step = 0; step < 90; ++step) {
            run(world, 1);
            for (const BodyId id : sticks) {
                REQUIRE(is_finite(world.linear_velocity(id)));
                REQUIRE(is_finite(world.position(id)));
            }
        }
    }
}

TEST_CASE("a body that may turn about one axis only answers a torque by its inertia about that axis") {
    World world(weightless());
    BodyDef def = body(box({0.5f, 0.2f, 0.3f}), {0, 0, 0});
    def.rotation = turn(glm::normalize(vec3(1, 2, 3)), 0.7);
    def.locks = lock_turn_x | lock_turn_z;
    const BodyId id = add(world, def);
    const double inertia = double(world.inertia(id)[1][1]);
    REQUIRE(world.apply_torque(id, {40, 50, 60}));
    run(world, 1);
    CHECK(double(world.angular_velocity(id).y) == doctest::Approx(50.0 / inertia / 60.0).epsilon(1e-4));
    CHECK(world.angular_velocity(id).x == 0.0f);
}

TEST_CASE("a wrong set of locks is refused") {
    World world;
    BodyDef def = crate({0, 1, 0});
    def.locks = 64;
    CHECK(!world.add_body(def));
    def.locks = 0;
    const BodyId id = world.add_body(def);
    REQUIRE(id);
    CHECK(!world.set_locks(id, 200));
    CHECK(world.set_locks(id, lock_x));
}

// The impulse was the approach over a response that was rounding, 1e19 N s.
TEST_CASE("a ball that may only turn is not pushed along its radius, however hard it is pressed") {
    for (int round = 0; round < 20; ++round) {
        World world(sleepless());
        BodyDef pusher = body(box({0.8f, 0.1f, 0.25f}), {0.03f, 0.0f, 0.07f});
        pusher.type = BodyType::kinematic;
        pusher.linear_velocity = {0.0f, 0.2f, 0.0f};
        pusher.angular_velocity = {0.3f, 0.4f, 1.5f + 0.1f * static_cast<float>(round)};
        add(world, pusher);
        BodyDef def = body(sphere(0.15f), {-0.52f, 0.33f, 0.13f});
        def.locks = lock_x | lock_y | lock_z | lock_turn_x | lock_turn_z;
        const BodyId ball = add(world, def);
        float most_impulse = 0.0f, most_spin = 0.0f;
        bool met = false;
        for (int step = 0; step < 120; ++step) {
            run(world, 1);
            for (const Contact& contact : world.contacts()) {
                met = met || contact.points[0].separation < 0.0f;
                for (int i = 0; i < contact.point_count; ++i)
                    most_impulse = std::max(most_impulse, contact.points[i].normal_impulse);
            }
            most_spin = std::max(most_spin, std::abs(world.angular_velocity(ball).y));
        }
        CAPTURE(round);
        CHECK(met);
        CHECK(most_impulse < 1e6f);
        CHECK(most_spin < 1e3f);
    }
}

TEST_CASE("a disc on a locked axle turns when it is pushed beside the axle") {
    World world(sleepless());
    BodyDef pusher = body(box(vec3(0.1f)), {0.3f, -0.5f, 0.0f});
    pusher.type = BodyType::kinematic;
    pusher.linear_velocity = {0.0f, 1.0f, 0.0f};
    add(world, pusher);
    BodyDef def = body(box({0.5f, 0.1f, 0.1f}), {0.0f, 0.0f, 0.0f});
    def.locks = lock_x | lock_y | lock_z | lock_turn_x | lock_turn_y;
    const BodyId disc = add(world, def);
    run(world, 30);
    CHECK(world.angular_velocity(disc).z > 1.0f);
}
