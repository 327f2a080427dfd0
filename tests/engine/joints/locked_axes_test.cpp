// Locked axes: velocities along them are 0 whatever pushes; along the other axes a body responds as if it had no locks.

#include "tests/engine/meshes/mesh_rooms.h"

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
            shot.linear_velocity = -4.0f * vec3(shot.position);
            add(world, shot);
        }
        const dvec3 start = world.position(id);
        CAPTURE(int(locks));
        for (int step = 0; step < 60; ++step) {
            run(world, 1);
            const vec3 v = world.linear_velocity(id), w = world.angular_velocity(id);
            const dvec3 moved = world.position(id) - start;
            for (int k = 0; k < 3; ++k) {
                if (locks & (lock_x << k)) REQUIRE((v[k] == 0.0f && moved[k] == 0.0));
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
        CHECK(world.position(id).z == 0.0);
        CHECK(std::abs(world.rotation(id).x) < 1e-6f);
        CHECK(std::abs(world.rotation(id).y) < 1e-6f);
        CHECK(world.position(id).y > 0.4f);
    }
}

TEST_CASE("bodies that locks keep in a plane slide as far as without locks, and stop") {
    // The contact's plane leaves such a body one direction of motion, so the two rows of friction have no inverse. A
    // ground that is tilted by rounding must not make a difference.
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
            const dvec3 p = world.position(id);
            CHECK((along_x ? p.x : p.z) == doctest::Approx(way).epsilon(0.1));
            CHECK(glm::length(world.linear_velocity(id)) < 1e-3f);
        }
    }
}

TEST_CASE("sticks that locks keep in a plane hit walls of triangles at speed and stay finite" *
          doctest::test_suite("slow")) {
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

// The impulse was the approach divided by a response that was rounding, 1e19 N s.
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

namespace {

/// The overlap of two bodies in the xy plane, m, by the outlines of boxes that overlap along z: by the separating axes
/// of rectangles, independently of the library.
double overlap_in_plane(const World& world, BodyId a, const vec3& half_a, BodyId b, const vec3& half_b) {
    const BodyId ids[2] = {a, b};
    const vec3 half[2] = {half_a, half_b};
    double least = 1e9;
    for (const BodyId owner : ids) {
        for (const vec3& axis : {vec3(1, 0, 0), vec3(0, 1, 0)}) {
            const vec3 n = rotate(world.rotation(owner), axis);
            double reach = -std::abs(glm::dot(world.position(b) - world.position(a), dvec3(n)));
            for (int k = 0; k < 2; ++k) {
                reach += std::abs(static_cast<double>(glm::dot(rotate(world.rotation(ids[k]), {half[k].x, 0, 0}), n))) +
                         std::abs(static_cast<double>(glm::dot(rotate(world.rotation(ids[k]), {0, half[k].y, 0}), n)));
            }
            least = std::min(least, reach);
        }
    }
    return least;
}

}  // namespace

// The shortest way apart was across the plane: dozens of pairs overlapped for ever, by up to 40 cm.
TEST_CASE("thin bodies that locks keep in a plane do not stay in each other" * doctest::test_suite("slow")) {
    for (const float thin : {0.005f, 0.02f, 0.1f}) {
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            Random random(seed);
            World world;
            add(world, ground());
            for (const float x : {-3.5f, 3.5f}) add(world, fixed_body(box({0.5f, 20.0f, 0.5f}), {x, 10.0f, 0.0f}));
            std::vector<BodyId> ids;
            std::vector<vec3> halves;
            for (int i = 0; i < 40; ++i) {
                const bool stick = i % 3 == 1;
                halves.emplace_back(stick ? random.between(0.05f, 0.1f) : random.between(0.1f, 0.4f),
                                    stick ? random.between(0.3f, 0.5f) : random.between(0.1f, 0.4f), thin);
                BodyDef def =
                    body(box(halves.back()), {random.between(-2.5f, 2.5f), 1.0f + 0.35f * static_cast<float>(i),
                                              random.between(-0.3f, 0.3f) * thin});
                def.rotation = turn(vec3(0, 0, 1), random.between(0.0f, 6.2f));
                def.linear_velocity.y = -10.0f;
                def.locks = lock_to_plane_xy;
                ids.push_back(add(world, def));
            }
            CAPTURE(thin);
            CAPTURE(seed);
            double most = 0.0;
            run(world, 900);
            for (std::size_t i = 0; i < ids.size(); ++i) {
                for (std::size_t k = 0; k < i; ++k)
                    most = std::max(most, overlap_in_plane(world, ids[i], halves[i], ids[k], halves[k]));
                CHECK(world.position(ids[i]).y > 0.0f);
            }
            CHECK(most < 0.01);
            for (const Contact& contact : world.contacts()) CHECK(std::abs(contact.normal.z) < 0.5f);
        }
    }
}

TEST_CASE("round things that locks keep in a plane part in it as soon as their outlines there do") {
    // Two balls of 0.5 m, one 0.6 m in front of the other: in the plane they are discs that touch at a distance of 0.8
    // m.
    World world(weightless());
    const auto add_ball = [&](const dvec3& position) {
        BodyDef def = body(sphere(0.5f), position);
        def.locks = lock_to_plane_xy;
        return add(world, def);
    };
    const BodyId a = add_ball({0, 0, 0}), b = add_ball({0.05f, 0.02f, 0.6f});
    run(world, 240);
    const dvec3 apart = world.position(b) - world.position(a);
    CHECK(apart.z == 0.6f);
    CHECK(glm::length(dvec3(apart.x, apart.y, 0.0)) > 0.79);
    CHECK(glm::length(dvec3(apart.x, apart.y, 0.0)) < 1.0);
}

TEST_CASE("layers of a world of two dimensions that just touch do not collide") {
    for (const float overlap : {0.0f, 1e-6f, 1e-3f}) {
        World world(weightless());
        add(world, fixed_body(box({10.0f, 10.0f, 0.1f}), {0, 0, -0.2f + overlap}));  // a wall behind
        BodyDef def = body(box({0.5f, 0.5f, 0.1f}), {0, 0, 0});
        def.locks = lock_to_plane_xy;
        def.linear_velocity = {1, 0, 0};
        const BodyId id = add(world, def);
        run(world, 60);
        CAPTURE(overlap);
        CHECK(world.linear_velocity(id).x == doctest::Approx(1.0).epsilon(1e-5));
        CHECK(world.linear_velocity(id).y == doctest::Approx(0.0));
    }
}

// They pulled with up to 1e18 N because the response of a row was only rounding.
TEST_CASE("six-dof joints whose anchors are apart across the plane of their bodies pull with finite forces" *
          doctest::test_suite("slow")) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        World world;
        add(world, ground());
        std::vector<BodyId> ids;
        std::vector<JointId> joints;
        for (int i = 0; i < 5; ++i) {
            BodyDef def = body(box({random.between(0.05f, 0.3f), random.between(0.05f, 0.3f), 0.02f}),
                               {random.between(-1.2f, 1.2f), random.between(1.0f, 3.5f), random.between(-0.1f, 0.1f)});
            def.density = 1000.0f * std::pow(1000.0f, random.between(0.0f, 1.0f));
            def.locks = lock_to_plane_xy;
            ids.push_back(add(world, def));
            if (i == 0) continue;
            const BodyId other = ids[random.below(static_cast<std::uint32_t>(i))];
            SixDofDef six{.frames = world.joint_frames(other, ids.back(),
                                                       midway(world.position(other), world.position(ids.back())),
                                                       random.below(2) == 0 ? vec3(0, 0, 1) : vec3(0, 1, 0))};
            six.frames.frame_b.position +=
                0.05f * vec3(random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f));
            six.frames.frame_b.rotation *= turn(random.direction(), 0.1f);
            for (AxisDef* axis : {&six.move_x, &six.move_y, &six.move_z, &six.turn_x, &six.turn_y, &six.turn_z}) {
                const float kind = random.between(0.0f, 1.0f);
                if (kind > 0.4f) axis->limit = kind > 0.7f ? JointLimit{} : JointLimit{-0.2f, 0.2f};
            }
            joints.push_back(world.add_joint(six));
            REQUIRE(joints.back());
        }
        CAPTURE(seed);
        for (int step = 0; step < 180; ++step) {
            run(world, 1);
            for (const JointId joint : joints) REQUIRE(glm::length(world.joint_force(joint)) < 1e9f);
        }
    }
}

// The locks of the two bodies left the drive rounding as its response about two axes. A stiff group divided by it, and
// the bodies left at 4,000 m/s.
TEST_CASE(
    "a drive of unlimited torque about axes that its bodies' locks do not allow throws nothing when they are hit") {
    World world(sleepless());
    const auto planar = [&](const Shape& shape, const dvec3& position, float w, float z) {
        BodyDef def = body(shape, position);
        def.rotation = normalized(quat(w, 0, 0, z));
        def.locks = lock_to_plane_xy;
        return add(world, def);
    };
    const BodyId a =
        planar(cylinder(0.0358410813f, 0.0196037106f), {0.0229836f, 1.97001505f, 0}, 0.937761724f, 0.34727937f);
    const BodyId b =
        planar(box({0.0685900226f, 0.0500195883f, 0.0669974536f}), {0, 1.79987514f, 0}, 0.711368978f, -0.702818751f);
    BodyDef thrown = body(box({0.0440634377f, 0.020511901f, 0.0210789051f}), {0.0642024f, 1.98290074f, 0});
    thrown.linear_velocity = {-2.45093274f, -9.039464f, -20.1417274f};
    const BodyId c = add(world, thrown);
    BallDef def{.frames = {.body_a = a, .body_b = b}};
    def.frames.frame_a = {{-0.0773157328f, -0.0309219696f, 0},
                          normalized(quat(0.66309768f, -0.245563596f, -0.66309768f, -0.245563596f))};
    def.frames.frame_b = {{-0.0964992866f, -0.0143766776f, 0},
                          normalized(quat(0.503013849f, 0.496967882f, -0.503013849f, 0.496967882f))};
    def.drive.angular_velocity = {0.987191677f, 2.92571497f, -3.17599821f};
    def.drive.max_torque = unlimited;
    const JointId joint = world.add_joint(def);
    REQUIRE_FALSE(joint.is_null());
    const auto size = [](const vec3& v) { return std::sqrt(length_squared(v)); };
    for (int i = 0; i < 60; ++i) {
        run(world, 1);
        for (const BodyId id : {a, b, c}) CHECK(size(world.linear_velocity(id)) < 60.0f);
        CHECK(size(world.joint_force(joint)) < 1e6f);
    }
}
