/// Continuous collision: fast bodies get through nothing, lose no time, and bounce as they should.
///
/// The oracle does not use times of impact: it samples the motion of a step densely, and computes the distance at each
/// sample.

#include "tests/engine/worlds.h"

#include <talus/narrowphase/separation.h>
#include <talus/narrowphase/support.h>

#include <algorithm>
#include <array>

using namespace talus;
using namespace talus::test;

namespace {

constexpr float wall = 0.01f;  ///< thickness, m

/// A box of 8 points as a hull.
Shape box_hull(const vec3& half) {
    std::vector<vec3> corners;
    for (int i = 0; i < 8; ++i)
        corners.push_back(
            {(i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y, (i & 4) != 0 ? half.z : -half.z});
    return hull(*make_hull(corners));
}

/// A wall from the plane x = 0 to x = 0.01. Kind 0 is a box, 1 a hull, 2 two triangles without thickness, 3 many boxes
/// of one body, 4 a grid of separate bodies.
void add_wall(World& world, int kind, const Material& material, float half = 40.0f) {
    BodyDef def = fixed_body(box(vec3(1.0f)));
    def.material = material;
    def.position.x = 0.5f * wall;
    const vec3 h(0.5f * wall, half, half);
    if (kind == 0) def.shape = box(h);
    if (kind == 1) def.shape = box_hull(h);
    if (kind == 2 || kind == 3) {
        def.shape = Shape{};
        def.shapes.clear();
    }
    if (kind == 2) {
        const float x = -0.5f * wall;
        def.shapes.push_back(part(triangle({x, -half, -half}, {x, half, -half}, {x, half, half})));
        def.shapes.push_back(part(triangle({x, -half, -half}, {x, half, half}, {x, -half, half})));
    }
    if (kind == 3 || kind == 4) {
        const int count = 8;
        const float tile = half / count;
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < count; ++j) {
                const vec3 at(0.0f, -half + (2.0f * static_cast<float>(i) + 1.0f) * tile,
                              -half + (2.0f * static_cast<float>(j) + 1.0f) * tile);
                if (kind == 3) {
                    def.shapes.push_back(part(box({h.x, tile, tile}), at));
                } else {
                    def.shape = box({h.x, tile, tile});
                    def.position = at + vec3(0.5f * wall, 0.0f, 0.0f);
                    add(world, def);
                }
            }
        }
        if (kind == 4) return;
    }
    for (ShapeDef& s : def.shapes) s.material = material;
    add(world, def);
}

/// Bullets of a few centimetres, and rods of up to 40.
Shape bullet_shape(Random& random, int kind) {
    const float size = random.between(0.005f, 0.05f);
    switch (kind % 6) {
        case 0:
            return sphere(size);
        case 1:
            return capsule(random.between(1.0f, 6.0f) * size, 0.5f * size);
        case 2:
            return box({size, random.between(0.3f, 1.0f) * size, random.between(0.5f, 2.0f) * size});
        case 3:
            return box_hull({size, 0.7f * size, 0.5f * size});
        case 4:
            return cylinder(random.between(0.2f, 1.0f) * size, size);
        default:
            return box({0.2f, 0.01f, 0.01f});
    }
}

float between_log(Random& random, float low, float high) {
    return low *
           static_cast<float>(std::exp(std::log(static_cast<double>(high / low)) * static_cast<double>(random.unit())));
}

/// The extent of the body's only shape along a unit direction, world, m.
double reach_along(const World& world, BodyId id, const vec3& n) {
    const WorldTransform pose = world.transform(id);
    const Shape& shape = world.shapes(id)[0].shape;
    const vec3 d = inverse_rotate(pose.rotation, n);
    return glm::dot(pose.position, dvec3(n)) + glm::dot(support(shape, d, 0).point, d) + shape.radius;
}

}  // namespace

TEST_CASE("none of 10000 bullets and spinning rods gets through a wall of 1 cm" * doctest::test_suite("slow")) {
    Random random(7);
    int hits = 0;
    double deepest = 0.0;
    for (int kind = 0; kind < 5; ++kind) {
        for (int batch = 0; batch < 20; ++batch) {
            World world(weightless());
            add_wall(world, kind, {.friction = random.between(0.0f, 1.0f), .restitution = random.between(0.0f, 1.0f)});
            std::vector<BodyId> bullets;
            for (int i = 0; i < 100; ++i) {
                BodyDef def = body(bullet_shape(random, i));
                def.filter = {2, 1, 0};  // not with each other
                def.rotation = normalized(
                    quat(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1), random.between(0.1f, 1)));
                const float speed = between_log(random, 5.0f, 1000.0f);
                // Half of them come in straight, the others at any angle down to a degree.
                const float across = i % 2 == 0 ? 0.2f * random.unit() : between_log(random, 0.02f, 1.0f);
                const float angle = 6.2831853f * random.unit();
                const float lean = i % 2 == 0 ? std::sqrt(1.0f - across * across) : across;
                const float along = std::sqrt(std::max(0.0f, 1.0f - lean * lean));
                def.linear_velocity = speed * vec3(lean, along * std::cos(angle), along * std::sin(angle));
                // It reaches the middle of the wall within the first steps.
                const vec3 aim(0.0f, random.between(-5.0f, 5.0f), random.between(-5.0f, 5.0f));
                def.position = aim - random.between(0.2f, 1.5f) * frame * def.linear_velocity;
                def.position.x = std::min(def.position.x, -0.3);
                if (i % 3 != 0) {
                    // Every second rod rotates end over end, the others about any axis.
                    vec3 axis(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1));
                    if (i % 12 == 5) axis = rotate(def.rotation, vec3(0.0f, axis.y, axis.z));
                    def.angular_velocity = 6.2831853f * between_log(random, 0.5f, 50.0f) / glm::length(axis) * axis;
                }
                bullets.push_back(add(world, def));
            }
            for (int step = 0; step < 4; ++step) {
                run(world, 1);
                hits += static_cast<int>(world.profile().impacts);
                for (std::size_t i = 0; i < bullets.size(); ++i) {
                    const dvec3 at = world.position(bullets[i]);
                    if (std::max(std::abs(at.y), std::abs(at.z)) > 39.0) continue;  // beside the wall
                    const double depth = reach_along(world, bullets[i], {1, 0, 0});
                    INFO("wall ", kind, " batch ", batch, " bullet ", i, " step ", step, " is in by ", depth,
                         " impacts ", world.profile().impacts, " speed ",
                         glm::length(world.linear_velocity(bullets[i])), " spin ",
                         glm::length(world.angular_velocity(bullets[i])));
                    deepest = std::max(deepest, depth);
                    CHECK(depth < 0.8f * wall);  // eight impacts, each of which may let it in by 1 mm
                }
            }
        }
    }
    MESSAGE("impacts ", hits, ", deepest ", deepest, " m");
    CHECK(hits > 9000);
}

TEST_CASE("nothing leaves a closed room with walls of 1 cm however long it bounces" * doctest::test_suite("slow")) {
    // Without losses, so that corners and edges are hit again and again.
    for (int seed = 0; seed < 4; ++seed) {
        Random random(100 + seed);
        World world(weightless());
        const Material lossless{.friction = 0.0f, .restitution = 1.0f};
        for (int axis = 0; axis < 3; ++axis) {
            for (const float side : {-1.0f, 1.0f}) {
                BodyDef def = fixed_body(box(vec3(1.0f)));
                vec3 half(1.1f);
                half[axis] = 0.5f * wall;
                def.shape = seed % 2 == 0 ? box(half) : box_hull(half);
                def.position[axis] = side * (1.0f + 0.5f * wall);
                def.material = lossless;
                add(world, def);
            }
        }
        std::vector<BodyId> inside;
        for (int i = 0; i < 60; ++i) {
            BodyDef def = body(bullet_shape(random, i), random.in_box(vec3(0.7f)));
            def.filter = {2, 1, 0};
            def.material = lossless;
            def.linear_velocity =
                between_log(random, 5.0f, 1000.0f) * glm::normalize(random.in_box(vec3(1.0f)) + vec3(0.01f));
            if (i % 2 == 0)
                def.angular_velocity = rotate(def.rotation, vec3(0.0f, random.between(-100.0f, 100.0f), 0.0f));
            inside.push_back(add(world, def));
        }
        for (int step = 0; step < 120; ++step) {
            run(world, 1);
            for (std::size_t i = 0; i < inside.size(); ++i) {
                const dvec3 at = world.position(inside[i]);
                INFO("seed ", seed, " body ", i, " step ", step, " is at ", at.x, " ", at.y, " ", at.z);
                REQUIRE(std::max({std::abs(at.x), std::abs(at.y), std::abs(at.z)}) < 1.0);
            }
        }
    }
}

TEST_CASE("nothing leaves a kinematic room that turns and flies about" * doctest::test_suite("slow")) {
    // Most of the fast bodies in it are cleared by planes that move with the walls; the others are swept.
    for (int seed = 0; seed < 4; ++seed) {
        Random random(200 + seed);
        World world(sleepless());
        BodyDef room = kinematic_body(box(vec3(1.0f)), vec3(0.0f), vec3(0.0f));
        room.shape = Shape{};
        for (int axis = 0; axis < 3; ++axis) {
            for (const float side : {-1.0f, 1.0f}) {
                vec3 half(1.1f), at(0.0f);
                half[axis] = 0.5f * wall;
                at[axis] = side * (1.0f + 0.5f * wall);
                room.shapes.push_back(part(seed % 2 == 0 ? box(half) : box_hull(half), at));
            }
        }
        const BodyId id = add(world, room);
        std::vector<BodyId> inside;
        for (int i = 0; i < 60; ++i) {
            BodyDef def = body(bullet_shape(random, i), random.in_box(vec3(0.5f)));
            def.linear_velocity = 5.0f * random.in_box(vec3(1.0f));
            inside.push_back(add(world, def));
        }
        unsigned swept = 0, impacts = 0;
        for (int step = 0; step < 300; ++step) {
            if (step % 20 == 0) {
                world.set_linear_velocity(id, 4.0f * random.in_box(vec3(1.0f)));
                world.set_angular_velocity(id, 3.0f * random.in_box(vec3(1.0f)));
            }
            run(world, 1);
            swept += world.profile().swept_bodies;
            impacts += world.profile().impacts;
            for (std::size_t i = 0; i < inside.size(); ++i) {
                const vec3 at = inverse_transform_point(world.transform(id), world.position(inside[i]));
                INFO("seed ", seed, " body ", i, " step ", step, " is at ", at.x, " ", at.y, " ", at.z);
                REQUIRE(std::max({std::abs(at.x), std::abs(at.y), std::abs(at.z)}) < 1.0f + 0.5f * wall);
            }
        }
        INFO("swept ", swept, " impacts ", impacts);
        CHECK(swept > 5000);
        CHECK(impacts > 200);
    }
}

TEST_CASE("a bullet bounces with its restitution and keeps the rest of its step") {
    for (const float restitution : {0.0f, 0.3f, 1.0f}) {
        for (const float speed : {20.0f, 100.0f, 1000.0f}) {
            for (const float start : {0.1f, 0.5f, 0.9f}) {  // distance to the wall, in displacements per step
                World world(weightless());
                add_wall(world, 0, {.friction = 0.0f, .restitution = restitution});
                BodyDef def = body(sphere(0.02f));
                def.linear_velocity = {speed, 2.0f * speed, 0.0f};
                def.position.x = -0.02f - start * speed * frame;
                const BodyId bullet = add(world, def);
                run(world, 1);
                const float rest = (1.0f - start) * frame;
                const vec3 v = world.linear_velocity(bullet);
                const dvec3 at = world.position(bullet);
                INFO("restitution ", restitution, " speed ", speed, " start ", start, ": ", at.x, " ", at.y,
                     " velocity ", v.x);
                CHECK(std::abs(v.x + restitution * speed) < 5e-4f * speed);
                CHECK(v.y == doctest::Approx(2.0f * speed).epsilon(0.001));
                // The lever of the blow is rounded relative to the ball, of 2 cm.
                CHECK(glm::length(world.angular_velocity(bullet)) < 0.1f * speed);
                CHECK(std::abs(at.x + 0.02f + restitution * speed * rest) < 0.002f + 5e-4f * speed * rest);
                CHECK(at.y == doctest::Approx(2.0f * speed * frame).epsilon(0.001));
            }
        }
    }
}

TEST_CASE("a ball between two walls keeps its speed and its time") {
    // 60 m/s between walls 0.5 m apart: a bounce or two in every step.
    World world(weightless());
    const Material lossless{.friction = 0.0f, .restitution = 1.0f};
    for (const float x : {-0.25f - 0.1f - 0.5f * wall, 0.25f + 0.1f + 0.5f * wall}) {
        BodyDef def = fixed_body(box({0.5f * wall, 50.0f, 50.0f}), {x, 0.0f, 0.0f});
        def.material = lossless;
        add(world, def);
    }
    BodyDef def = body(sphere(0.1f));
    def.linear_velocity = {60.0f, 1.0f, 0.0f};
    const BodyId ball = add(world, def);
    int impacts = 0;
    for (int step = 0; step < 600; ++step) {
        run(world, 1);
        impacts += static_cast<int>(world.profile().impacts);
    }
    CHECK(std::abs(world.linear_velocity(ball).x) == doctest::Approx(60.0f).epsilon(0.001));
    CHECK(world.position(ball).y == doctest::Approx(10.0f).epsilon(0.001));
    INFO("impacts ", impacts, " of 1200");
    CHECK(impacts > 1150);  // contacts of the solver stop the few balls that are near at the start of a step
}

TEST_CASE("a fast elastic ball keeps its height for a minute") {
    World world(sleepless());
    BodyDef floor = ground();
    floor.material.restitution = 1.0f;
    add(world, floor);
    BodyDef def = body(sphere(0.1f), {0.0f, 60.0f, 0.0f});
    def.material = {.friction = 0.0f, .restitution = 1.0f};
    const BodyId ball = add(world, def);
    int impacts = 0;
    double top = 0.0;
    for (int step = 0; step < 3600; ++step) {
        run(world, 1);
        impacts += static_cast<int>(world.profile().impacts);
        if (step > 3000) top = std::max(top, world.position(ball).y);
    }
    INFO("top ", top, " after ", impacts, " impacts");
    CHECK(impacts > 3);
    CHECK(top == doctest::Approx(60.0f).epsilon(0.01));
}

TEST_CASE("what slides rolls or spins fast is not held up") {
    struct Case {
        const char* what;
        Shape shape;
        quat rotation;
        vec3 velocity, spin;
        float rest;  ///< height of the centre
    };
    const quat upright(1, 0, 0, 0), lying = turn({1, 0, 0}, 0.5 * pi);
    const Case cases[] = {
        {"a box on tiles", box(vec3(0.25f)), upright, {150, 0, 0}, vec3(0.0f), 0.25f},
        {"a small box on tiles", box({0.05f, 0.02f, 0.05f}), upright, {60, 0, 10}, vec3(0.0f), 0.02f},
        {"a ball", sphere(0.1f), upright, {30, 0, 0}, {0, 0, -300}, 0.1f},
        {"a wheel", cylinder(0.1f, 0.3f), lying, {90, 0, 0}, {0, 0, -300}, 0.3f},
        {"a coin", cylinder(0.002f, 0.02f), upright, {20, 0, 0}, {0, 300, 0}, 0.002f},
    };
    for (const Case& c : cases) {
        for (const bool against_wall : {false, true}) {
            World world(sleepless());
            // Tiles of 3 m, and a wall of such tiles along the way if asked for.
            for (int i = -1; i < 40; ++i) {
                BodyDef tile = fixed_body(box({1.5f, 0.005f, 40.0f}), {3.0f * static_cast<float>(i), -0.005f, 0.0f});
                tile.material.friction = 0.0f;
                add(world, tile);
                if (!against_wall) continue;
                tile.shape = box({1.5f, 2.0f, 0.005f});
                const float half = half_extents(bounds(c.shape)).z;
                tile.position = {3.0f * static_cast<float>(i), 2.0f, (c.rotation == upright ? half : 0.1f) + 0.005f};
                add(world, tile);
            }
            BodyDef def = body(c.shape, {0.0f, c.rest, 0.0f});
            def.rotation = c.rotation;
            def.linear_velocity = c.velocity;
            if (against_wall) def.linear_velocity.z = std::max(0.0f, c.velocity.z);
            def.angular_velocity = c.spin;
            def.material.friction = 0.0f;
            const BodyId id = add(world, def);
            const int steps = static_cast<int>(100.0f / c.velocity.x / frame);
            run(world, steps);
            const float way = c.velocity.x * frame * static_cast<float>(steps);
            INFO(std::string(c.what), against_wall ? " along a wall" : "", " got to ", world.position(id).x, " of ",
                 way, ", velocity ", world.linear_velocity(id).x, " spin ", glm::length(world.angular_velocity(id)));
            CHECK(world.position(id).x == doctest::Approx(way).epsilon(0.005));
            CHECK(world.position(id).y == doctest::Approx(c.rest).epsilon(0.1));
            CHECK(std::abs(glm::length(world.angular_velocity(id)) - glm::length(c.spin)) <
                  0.35f + 0.02f * glm::length(c.spin));  // 0.31: a small box at 60 m/s
        }
    }
}

TEST_CASE("a rod that tips over fast on its sunken end is not held in the air") {
    // Its end rests, so the gap there does not close, while the rotation of the rest takes the end deeper.
    for (const float sunk : {0.0005f, 0.00097f, 0.003f}) {
        World world(sleepless());
        add(world, ground());
        BodyDef def = body(capsule(0.25f, 0.1f));
        def.rotation = turn({0, 0, 1}, -0.9);
        const float height = 0.25f * std::cos(0.9f) + 0.1f - sunk;
        def.position.y = height;
        def.angular_velocity.z = -15.0f;
        def.linear_velocity = glm::cross(def.angular_velocity, vec3(0.25f * std::sin(0.9f), height, 0.0f));
        const BodyId rod = add(world, def);
        run(world, 1);
        INFO("sunk ", sunk, " swept ", world.profile().swept_bodies, " at ", world.position(rod).x, " ",
             world.position(rod).y);
        CHECK(world.profile().swept_bodies == 1);
        CHECK(world.position(rod).x > 0.5f * def.linear_velocity.x * frame);
        run(world, 3);
        CHECK(world.position(rod).y < 0.16f);
        run(world, 60);
        CHECK(world.position(rod).y == doctest::Approx(0.1f).epsilon(0.02));
    }
}

TEST_CASE("a body is swept exactly when the sampled motion meets something") {
    // One step of free flight past, at, and into a box. If dense sampling of the true motion finds more depth than the
    // sweep allows, there must be an impact; if it finds a gap, there must be none.
    Random random(11);
    int met = 0, missed = 0, between = 0;
    for (int i = 0; i < 1500; ++i) {
        World world(weightless());
        const Shape obstacle = random_shape(random, 0.5f);
        const quat turned_by = normalized(quat(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1), 1));
        BodyDef fixed = fixed_body(obstacle);
        fixed.rotation = turned_by;
        const BodyId wall_id = add(world, fixed);
        BodyDef def = body(i % 2 == 0 ? sphere(0.03f) : box({0.15f, 0.03f, 0.03f}));
        const vec3 aim = random.in_box(vec3(0.8f));
        const vec3 way = random.between(1.0f, 6.0f) * glm::normalize(random.in_box(vec3(1.0f)) + vec3(0.001f));
        def.position = aim - way * random.between(0.3f, 0.7f);
        def.rotation = normalized(quat(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1), 1));
        def.linear_velocity = way / frame;
        const vec3 axis = rotate(def.rotation, vec3(0.0f, random.between(-1, 1), random.between(-1, 1)));
        def.angular_velocity = random.between(0.0f, 300.0f) * glm::normalize(axis);
        const BodyId id = add(world, def);
        const double speed = glm::length(def.angular_velocity);
        const glm::dvec3 unit = glm::dvec3(def.angular_velocity) / speed;
        float least = 1e9f, at_start = 0.0f;
        const WorldTransform of_wall = world.transform(wall_id);
        constexpr int samples = 800;
        SimplexCache cache;
        for (int k = 0; k <= samples; ++k) {
            const double t = static_cast<double>(frame) * k / samples;
            const WorldTransform pose{displaced(world.position(id), static_cast<float>(t) * def.linear_velocity),
                                      multiply(turn(vec3(unit), speed * t), world.rotation(id))};
            const float gap =
                separation(obstacle, def.shape, to_matrix_transform(relative(of_wall, pose)), cache).separation;
            if (k == 0) at_start = gap;
            least = std::min(least, gap);
        }
        // If contacts of the solver may act, the test requires nothing.
        if (at_start < 0.7f) continue;
        run(world, 1);
        INFO("case ", i, ": least gap ", least, " impacts ", world.profile().impacts);
        if (least > 0.002f) {
            ++missed;
            CHECK(world.profile().impacts == 0);
        } else if (least < -0.003f) {
            ++met;
            CHECK(world.profile().impacts >= 1);
        } else {
            ++between;
        }
    }
    INFO("met ", met, " missed ", missed, " between ", between);
    CHECK(met > 200);
    CHECK(missed > 200);
}

TEST_CASE("a bullet hits a dynamic body only where it is asked to and hands its momentum on") {
    for (const Continuous mode : {Continuous::fixed, Continuous::all}) {
        for (const bool asleep : {false, true}) {
            WorldDef settings;
            settings.gravity = vec3(0.0f);
            World world(settings);
            const BodyId plate = add(world, body(box({0.01f, 0.5f, 0.5f}), {3.0f, 0.0f, 0.0f}));
            if (asleep) REQUIRE(world.set_awake(plate, false));
            BodyDef def = body(sphere(0.05f));
            def.linear_velocity = {600.0f, 0.0f, 0.0f};
            def.continuous = mode;
            const BodyId bullet = add(world, def);
            const float momentum = world.mass(bullet) * 600.0f;
            run(world, 2);
            INFO("mode ", int(mode), " asleep ", asleep, ": bullet at ", world.position(bullet).x, " plate at ",
                 world.position(plate).x);
            if (mode == Continuous::all) {
                CHECK(world.position(bullet).x < world.position(plate).x);
                const float after = world.mass(bullet) * world.linear_velocity(bullet).x +
                                    world.mass(plate) * world.linear_velocity(plate).x;
                CHECK(after == doctest::Approx(momentum).epsilon(0.001));
                CHECK(world.is_awake(plate));
            } else {
                CHECK(world.position(bullet).x == doctest::Approx(20.0f).epsilon(0.01));
            }
        }
    }
}

TEST_CASE("a locked bullet bounces along the axes it has") {
    World world(weightless());
    add_wall(world, 0, {.friction = 1.0f, .restitution = 1.0f});
    BodyDef def = body(box({0.02f, 0.05f, 0.03f}), {-5.0f, 0.0f, 0.0f});
    def.locks = lock_to_plane_xy;
    def.rotation = turn({0, 0, 1}, 0.4);
    def.linear_velocity = {500.0f, 0.0f, 0.0f};
    const BodyId bullet = add(world, def);
    run(world, 3);
    CHECK(world.position(bullet).x < 0.0f);
    CHECK(world.position(bullet).z == 0.0);
    const vec3 spin = world.angular_velocity(bullet);
    CHECK(spin.x == 0.0f);
    CHECK(spin.y == 0.0f);
    CHECK(std::abs(spin.z) > 1.0f);
}

TEST_CASE("two bullets that meet head on bounce and do not pass") {
    World world(weightless());
    BodyDef def = body(sphere(0.05f));
    def.material = {.friction = 0.0f, .restitution = 1.0f};
    def.continuous = Continuous::all;
    def.position = {-6.0f, 0.0f, 0.0f};
    def.linear_velocity = {800.0f, 0.0f, 0.0f};
    const BodyId a = add(world, def);
    def.position.x = 5.0f;
    def.linear_velocity.x = -700.0f;
    const BodyId b = add(world, def);
    run(world, 3);
    CHECK(world.position(a).x < world.position(b).x);
    CHECK(world.linear_velocity(a).x == doctest::Approx(-700.0f).epsilon(0.001));
    CHECK(world.linear_velocity(b).x == doctest::Approx(800.0f).epsilon(0.001));
}

TEST_CASE("a fast kinematic bat does not pass through a ball that sleeps") {
    for (const float spin : {0.0f, 30.0f}) {
        World world;
        add(world, ground());
        const BodyId ball = add(world, body(sphere(0.04f), {0.0f, 0.04f, 0.0f}));
        run(world, 120);
        REQUIRE(!world.is_awake(ball));
        BodyDef bat = kinematic_body(box({0.02f, 0.5f, 0.3f}), {-1.0f, 0.52f, 0.0f}, {60.0f, 0.0f, 0.0f});
        bat.angular_velocity.y = spin;
        add(world, bat);
        run(world, 2);
        INFO("spin ", spin, " ball at ", world.position(ball).x, " velocity ", world.linear_velocity(ball).x);
        CHECK(world.is_awake(ball));
        CHECK(world.linear_velocity(ball).x > 30.0f);
    }
}

TEST_CASE("a bat that starts to move at full speed does not pass through a ball that is awake") {
    World world(weightless());
    const BodyId ball = add(world, body(sphere(0.04f)));
    const BodyId bat = add(world, kinematic_body(box({0.02f, 0.5f, 0.3f}), {-0.5f, 0.0f, 0.0f}));
    run(world, 2);
    world.set_linear_velocity(bat, {60.0f, 0.0f, 0.0f});
    run(world, 1);
    CHECK(world.position(bat).x == doctest::Approx(0.5));
    CHECK(world.position(ball).x > 0.5f);
    CHECK(world.linear_velocity(ball).x > 30.0f);
}

TEST_CASE("a plate that turns inside a body pushes it along its locked axis, and does not throw it") {
    World world;
    BodyDef block{.shape = box({1.111f, 1.11f, 0.662f}), .position = {-0.634, 2.511, -0.309}};
    const BodyId id = add(world, block);
    REQUIRE(world.set_locks(id, lock_to_plane_xy | lock_turn_x | lock_turn_y));
    BodyDef plate{.type = BodyType::kinematic, .shape = box({0.686f, 0.1f, 0.206f}), .position = {0.0, 2.743, 0.0}};
    plate.angular_velocity = {-0.0876f, 0.601f, 1.716f};
    add(world, plate);
    float fastest = 0.0f;
    for (int i = 0; i < 10; ++i) {
        run(world, 1);
        fastest = std::max(fastest, glm::length(world.linear_velocity(id)));
    }
    CHECK(fastest < 2.0f);  // 8 m/s before
}

TEST_CASE("a bullet through a thin sensor is reported as begun and ended") {
    World world(weightless());
    BodyDef gate = fixed_body(box({0.005f, 1.0f, 1.0f}), {5.0f, 0.0f, 0.0f});
    gate.sensor = true;
    const BodyId gate_id = add(world, gate);
    BodyDef def = body(sphere(0.02f));
    def.linear_velocity = {1000.0f, 0.0f, 0.0f};
    const BodyId bullet = add(world, def);
    run(world, 1);
    REQUIRE(world.contacts_begun().size() == 1);
    REQUIRE(world.contacts_ended().size() == 1);
    CHECK(world.contacts_ended()[0] == world.contacts_begun()[0]);
    const ContactEvent event = world.contacts_begun()[0];
    CHECK(event.sensor);
    CHECK((event.body_a == gate_id || event.body_b == gate_id));
    CHECK((event.body_a == bullet || event.body_b == bullet));
    CHECK(world.position(bullet).x == doctest::Approx(1000.0f * frame).epsilon(0.001));
}

TEST_CASE("a world with bullets copies and repeats to the bit") {
    Random random(5);
    World world(sleepless());
    add(world, ground());
    add_wall(world, 1, {});
    for (int i = 0; i < 50; ++i) {
        BodyDef def = body(bullet_shape(random, i), {-3.0f, 0.5f + 0.1f * static_cast<float>(i), 0.0f});
        def.linear_velocity = {random.between(10.0f, 500.0f), random.between(-50.0f, 10.0f), 0.0f};
        def.continuous = i % 2 == 0 ? Continuous::all : Continuous::fixed;
        add(world, def);
    }
    run(world, 2);
    World copy = world;
    run(world, 60);
    run(copy, 60);
    CHECK(world.hash() == copy.hash());
    CHECK(is_sound(world));
}
