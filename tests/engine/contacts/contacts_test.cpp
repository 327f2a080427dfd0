// Contacts as the user sees them: events, impulses, filters, sensors.

#include "tests/engine/worlds.h"

#include <talus/narrowphase/separation.h>

#include <algorithm>
#include <map>

using namespace talus;
using namespace talus::test;

namespace {

/// Counts the events of a pair over several steps, and checks that begin and end alternate.
struct EventLog {
    int begun = 0, ended = 0;

    void read(const World& world, BodyId a, BodyId b) {
        const auto ours = [&](const ContactEvent& e) {
            return (e.body_a == a && e.body_b == b) || (e.body_a == b && e.body_b == a);
        };
        for (const ContactEvent& e : world.contacts_ended()) ended += ours(e) ? 1 : 0;
        for (const ContactEvent& e : world.contacts_begun()) begun += ours(e) ? 1 : 0;
        CHECK(begun - ended >= 0);
        CHECK(begun - ended <= 1);
    }
};

}  // namespace

TEST_CASE("a box that lands touches the floor once and stays in touch while it rests") {
    World world(sleepless());
    const BodyId floor = add(world, ground());
    const BodyId id = add(world, crate({0, 2.5f, 0}));
    EventLog log;
    for (int i = 0; i < 600; ++i) {
        run(world, 1);
        log.read(world, floor, id);
    }
    CHECK(log.begun == 1);
    CHECK(log.ended == 0);
    // When the box is lifted, the contact ends once.
    for (int i = 0; i < 60; ++i) {
        if (i == 0) world.set_linear_velocity(id, {0, 3, 0});
        run(world, 1);
        log.read(world, floor, id);
        if (i == 20) CHECK(world.contacts(id).empty());
    }
    CHECK(log.ended == 1);
}

TEST_CASE("resting bodies of every shape begin to touch once and do not flicker") {
    Random random(2);
    std::vector<vec3> points;
    for (int i = 0; i < 24; ++i) points.push_back(0.5f * random.direction());
    const auto stone = make_hull(points);
    REQUIRE(stone);
    const std::pair<const char*, Shape> shapes[] = {{"sphere", sphere(0.5f)},       {"capsule", capsule(0.5f, 0.3f)},
                                                    {"box", box(vec3(0.5f))},       {"cylinder", cylinder(0.5f, 0.5f)},
                                                    {"cone", cone(0.5f, 0.5f)},     {"hull", hull(*stone)},
                                                    {"small box", box(vec3(0.02f))}};
    for (const auto& entry : shapes) {
        const std::string name = entry.first;
        const Shape& shape = entry.second;
        CAPTURE(name);
        World world(sleepless());
        const BodyId floor = add(world, ground());
        const BodyId id = add(world, body(shape, {0, 0.7f, 0}));
        run(world, 600);
        EventLog log;
        log.begun = 1;
        CHECK(!world.contacts(id).empty());
        for (int i = 0; i < 300; ++i) {
            run(world, 1);
            log.read(world, floor, id);
        }
        CHECK(log.begun == 1);
        CHECK(log.ended == 0);
    }
}

TEST_CASE("a plank that leans against a wall touches floor and wall, and neither contact flickers") {
    for (const double tilt : {0.08, 0.15, 0.25, 0.4}) {  // above 0.05 it leans on the wall
        CAPTURE(tilt);
        World world(sleepless());
        BodyDef floor = ground(), wall = fixed_body(box({1, 5, 5}), {-1, 5, 0}), plank = body(box({0.05f, 1.0f, 0.4f}));
        floor.material.friction = wall.material.friction = plank.material.friction = 0.9f;
        add(world, floor);
        add(world, wall);
        // Its top leans towards -x, on the wall x = 0.
        plank.rotation = turn({0, 0, 1}, tilt);
        const auto c = static_cast<float>(std::cos(tilt)), s = static_cast<float>(std::sin(tilt));
        plank.position = {0.05f * c + 1.0f * s, 0.05f * s + 1.0f * c, 0};
        const BodyId id = add(world, plank);
        run(world, 120);
        CHECK(world.contacts(id).size() == 2);
        int changes = 0;
        for (int i = 0; i < 300; ++i) {
            run(world, 1);
            changes += static_cast<int>(world.contacts_begun().size() + world.contacts_ended().size());
        }
        CHECK(changes == 0);
        CHECK(glm::distance(world.position(id), plank.position) < 0.02f);
        CHECK(glm::length(world.linear_velocity(id)) < 1e-3f);
        CHECK(normal_force(world, id).y + friction_force(world, id).y ==
              doctest::Approx(9.81 * world.mass(id)).epsilon(0.01));
    }
}

TEST_CASE("a box dropped on its edge or corner is caught at once, however little it is tilted") {
    for (const double tilt : {0.005, 0.02, 0.1, 0.25, 0.35}) {
        for (const vec3 axis : {vec3(0, 0, 1), glm::normalize(vec3(1, 0, 1))}) {
            CAPTURE(tilt);
            World world(sleepless());
            add(world, ground());
            BodyDef def = crate({0, 1, 0});
            def.rotation = turn(axis, tilt);
            const BodyId id = add(world, def);
            def.position.y += 0.02 - world.bounds(id).lower.y;
            REQUIRE(world.set_transform(id, def.position, def.rotation));
            double lowest = 0.0;
            for (int i = 0; i < 240; ++i) {
                run(world, 1);
                lowest = std::min(lowest, world.bounds(id).lower.y);
            }
            CHECK(lowest > -0.003);
            CHECK(world.position(id).y == doctest::Approx(0.5).epsilon(0.004));
        }
    }
}

TEST_CASE("bouncing begins and ends a contact once a bounce") {
    World world(sleepless());
    const BodyId floor = add(world, ground());
    BodyDef ball = body(sphere(0.3f), {0, 2.3f, 0});
    ball.material.restitution = 1.0f;
    const BodyId id = add(world, ball);
    EventLog log;
    int bounces = 0;
    float before = 0.0f;
    for (int i = 0; i < 600; ++i) {
        run(world, 1);
        log.read(world, floor, id);
        const float v = world.linear_velocity(id).y;
        if (before < -1.0f && v > 1.0f) ++bounces;
        before = v;
    }
    CHECK(bounces >= 6);
    CHECK(log.begun == bounces);
    CHECK(std::abs(log.ended - bounces) <= 1);
}

TEST_CASE("a fast hit that is over within a step is reported with its impulse") {
    // In at 20 m/s and out again: the impulse is m (v + e v).
    World world(weightless());
    const BodyId wall = add(world, fixed_body(box({1, 5, 5})));
    BodyDef ball = body(sphere(0.25f), {5, 0, 0});
    ball.linear_velocity = {-20, 0, 0};
    ball.material.restitution = 1.0f;
    const BodyId id = add(world, ball);
    double impulse = 0.0;
    EventLog log;
    for (int i = 0; i < 60; ++i) {
        run(world, 1);
        log.read(world, wall, id);
        impulse += normal_force(world, id).x / 60.0;
    }
    CHECK(log.begun == 1);
    CHECK(log.ended == 1);
    CHECK(world.linear_velocity(id).x == doctest::Approx(20.0).epsilon(0.01));
    CHECK(impulse == doctest::Approx(40.0 * world.mass(id)).epsilon(0.01));
}

// Contacts that were tested again within a step, and were apart by then, did not report their impulse.
TEST_CASE("a body of which no contact is reported has been pushed by nothing" * doctest::test_suite("slow")) {
    int free_steps = 0, touched_steps = 0;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        samples::Random random(seed);
        World world(sleepless());
        add(world, ground());
        std::vector<BodyId> ids;
        for (int i = 0; i < 30; ++i) {
            const float r = random.between(0.04f, 0.3f);
            const Shape shapes[] = {sphere(r), cone(r, 0.8f * r), cylinder(r, 0.6f * r), box({r, 0.4f * r, 0.7f * r})};
            BodyDef def = body(shapes[i % 4],
                               {random.between(-1.0f, 1.0f), random.between(0.5f, 6.0f), random.between(-1.0f, 1.0f)});
            def.linear_velocity = {random.between(-2.0f, 2.0f), random.between(-4.0f, 0.0f),
                                   random.between(-2.0f, 2.0f)};
            def.angular_velocity = {random.between(-9.0f, 9.0f), random.between(-9.0f, 9.0f),
                                    random.between(-9.0f, 9.0f)};
            ids.push_back(add(world, def));
        }
        for (int i = 0; i < 150; ++i) {
            std::vector<vec3> before;
            for (const BodyId id : ids) before.push_back(world.linear_velocity(id));
            REQUIRE(world.step(frame));
            // A body that was hit within the step, without a pair at its end, is in the events only.
            const auto met_on_the_way = [&](BodyId id) {
                const std::span<const ContactEvent> begun = world.contacts_begun();
                return std::any_of(begun.begin(), begun.end(),
                                   [&](const ContactEvent& e) { return e.body_a == id || e.body_b == id; });
            };
            for (std::size_t k = 0; k < ids.size(); ++k) {
                if (!world.contacts(ids[k]).empty() || met_on_the_way(ids[k])) {
                    ++touched_steps;
                    continue;
                }
                ++free_steps;
                const vec3 gained = world.linear_velocity(ids[k]) - before[k] - frame * world.gravity();
                CAPTURE(seed);
                CAPTURE(i);
                CAPTURE(k);
                REQUIRE(glm::length(gained) < 1e-4f * (1.0f + glm::length(before[k])));
            }
        }
    }
    CHECK(free_steps > 10000);
    CHECK(touched_steps > 10000);
}

TEST_CASE("the floor carries exactly the weight of what stands on it") {
    for (const int substeps : {1, 2, 4, 8}) {
        CAPTURE(substeps);
        WorldDef def = sleepless();
        def.substeps = substeps;
        World world(def);
        const BodyId floor = add(world, ground());
        std::vector<BodyId> stack;
        for (int i = 0; i < 5; ++i) stack.push_back(add(world, crate({0, 0.5f + static_cast<float>(i), 0})));
        const BodyId ball = add(world, body(sphere(0.4f), {5, 0.4f, 0}));
        run(world, 400);
        const double weight = world.mass(stack[0]) * 9.81;
        CHECK(normal_force(world, floor).y == doctest::Approx(-5.0 * weight - world.mass(ball) * 9.81).epsilon(0.002));
        for (std::size_t i = 0; i < 5; ++i) {
            // The contact below carries the box's own weight and that of the boxes above, the contact above only the
            // latter. The difference is its own weight.
            CHECK(normal_force(world, stack[i]).y == doctest::Approx(weight).epsilon(0.01));
        }
        CHECK(normal_force(world, ball).y == doctest::Approx(world.mass(ball) * 9.81).epsilon(0.002));
        CHECK(world.contacts(stack[0]).size() == 2);
        CHECK(world.contacts(stack[4]).size() == 1);
        CHECK(world.contacts(floor).size() == 2);
        CHECK(world.contacts().size() == 6);
    }
}

TEST_CASE("normal and friction impulses on a slope together hold the weight") {
    World world(sleepless());
    BodyDef slope = fixed_body(box({10, 1, 10}));
    slope.rotation = turn(glm::normalize(vec3(0.3f, 0, 1)), -0.4);
    const BodyId slope_id = add(world, slope);
    BodyDef def = body(box({0.5f, 0.2f, 0.5f}), rotate(slope.rotation, {0, 1.2f, 0}));
    def.rotation = slope.rotation;
    const BodyId id = add(world, def);
    run(world, 300);
    const vec3 force = normal_force(world, id) + friction_force(world, id);
    CHECK(glm::distance(force, vec3(0, 9.81f * world.mass(id), 0)) < 0.005f * 9.81f * world.mass(id));
    const vec3 reaction = normal_force(world, slope_id) + friction_force(world, slope_id);
    CHECK(glm::distance(force, -reaction) < 1e-3f * glm::length(force));
    REQUIRE(world.contacts(id).size() == 1);
    const Contact contact = world.contacts(id)[0];
    const float sign = contact.body_b == id ? 1.0f : -1.0f;
    CHECK(glm::dot(sign * contact.normal, rotate(slope.rotation, {0, 1, 0})) > 0.9999f);
    CHECK(contact.point_count == 4);
    for (int i = 0; i < contact.point_count; ++i) {
        CHECK(std::abs(contact.points[i].separation) < 2e-3f);
        CHECK(std::abs(glm::dot(contact.points[i].position, dvec3(rotate(slope.rotation, {0, 1, 0}))) - 1.0) < 2e-3);
    }
}

TEST_CASE("a contact names bodies, shapes, points and separation") {
    World world(sleepless());
    const BodyId floor = add(world, ground());
    BodyDef def;
    def.shapes = {part(box(vec3(0.2f)), {0, 2, 0}), part(sphere(0.5f)), part(box(vec3(0.2f)), {0, 3, 0})};
    def.position = {3, 0.49f, 4};
    const BodyId id = add(world, def);
    run(world, 1);
    const std::vector<Contact> contacts = world.contacts(id);
    REQUIRE(contacts.size() == 1);
    const Contact& c = contacts[0];
    CHECK(((c.body_a == floor && c.body_b == id) || (c.body_a == id && c.body_b == floor)));
    CHECK((c.body_a == id ? c.shape_a : c.shape_b) == 1);
    CHECK((c.body_a == id ? c.shape_b : c.shape_a) == 0);
    REQUIRE(c.point_count == 1);
    CHECK(glm::distance(c.points[0].position, dvec3(3, 0, 4)) < 0.02);
    CHECK(c.points[0].separation > -0.011f);
    CHECK(c.points[0].separation < 0.0f);
    REQUIRE(world.contacts_begun().size() == 1);
    const ContactEvent& e = world.contacts_begun()[0];
    CHECK((e.body_a == id ? e.shape_a : e.shape_b) == 1);
    CHECK(!e.sensor);
}

TEST_CASE("removing a body that touches ends its contacts once, with the stale handle, at the next step") {
    World world(sleepless());
    const BodyId floor = add(world, ground());
    const BodyId below = add(world, crate({0, 0.5f, 0}));
    const BodyId above = add(world, crate({0, 1.5f, 0}));
    run(world, 60);
    REQUIRE(world.contacts(below).size() == 2);
    REQUIRE(world.remove_body(below));
    CHECK(world.contacts().empty());
    run(world, 1);
    std::map<std::uint32_t, int> partners;
    for (const ContactEvent& e : world.contacts_ended()) {
        REQUIRE((e.body_a == below || e.body_b == below));
        ++partners[(e.body_a == below ? e.body_b : e.body_a).slot];
    }
    CHECK(partners.size() == 2);
    CHECK(partners[floor.slot] == 1);
    CHECK(partners[above.slot] == 1);
    run(world, 1);
    CHECK(world.contacts_ended().empty());
}

TEST_CASE("a teleported body ends its contacts and begins new ones") {
    World world(sleepless());
    const BodyId floor = add(world, ground());
    const BodyId table = add(world, fixed_body(box({2, 1, 2}), {0, 9, 0}));
    const BodyId id = add(world, crate({0, 0.5f, 0}));
    EventLog with_floor, with_table;
    for (int i = 0; i < 120; ++i) {
        if (i == 60) world.set_transform(id, {0, 10.5f, 0}, quat(1, 0, 0, 0));
        run(world, 1);
        with_floor.read(world, floor, id);
        with_table.read(world, table, id);
    }
    CHECK(with_floor.begun == 1);
    CHECK(with_floor.ended == 1);
    CHECK(with_table.begun == 1);
    CHECK(with_table.ended == 0);
}

TEST_CASE("events of a pile balance: contacts begun less contacts ended are the contacts there are") {
    World world;
    add(world, ground());
    Random random(8);
    std::vector<BodyId> ids;
    for (int i = 0; i < 80; ++i) {
        BodyDef def =
            body(i % 2 ? box(vec3(0.3f)) : sphere(0.3f), vec3(0, 4, 0) + random.in_box(vec3(1.5f, 3.5f, 1.5f)));
        def.rotation = random.rotation();
        ids.push_back(add(world, def));
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> touching;
    for (int i = 0; i < 400; ++i) {
        if (i % 40 == 39) {
            REQUIRE(world.remove_body(ids.back()));
            ids.pop_back();
        }
        run(world, 1);
        const auto key = [](const ContactEvent& e) { return std::minmax(e.body_a.slot, e.body_b.slot); };
        for (const ContactEvent& e : world.contacts_begun()) REQUIRE(++touching[key(e)] == 1);
        for (const ContactEvent& e : world.contacts_ended()) REQUIRE(--touching[key(e)] == 0);
        std::size_t count = 0;
        for (const auto& [pair, n] : touching) count += static_cast<std::size_t>(n);
        REQUIRE(world.contacts().size() == count);
    }
}

TEST_CASE("filters decide who meets whom") {
    const auto meets = [](Filter a, Filter b) {
        World world(weightless());
        BodyDef left = body(sphere(0.5f), {-0.6f, 0, 0}), right = body(sphere(0.5f), {0.6f, 0, 0});
        left.linear_velocity = {2, 0, 0};
        left.filter = a;
        right.filter = b;
        add(world, left);
        const BodyId hit = add(world, right);
        run(world, 30);
        return glm::length(world.linear_velocity(hit)) > 0.1f;
    };
    CHECK(meets({}, {}));
    CHECK(meets({1, 2, 0}, {2, 1, 0}));
    CHECK(!meets({1, 2, 0}, {2, 2, 0}));  // both sides must accept
    CHECK(!meets({1, 0, 0}, {1, 0xffffffffu, 0}));
    CHECK(!meets({1, 0xffffffffu, -3}, {1, 0xffffffffu, -3}));
    CHECK(meets({1, 0, 3}, {1, 0, 3}));
    CHECK(meets({1, 0xffffffffu, -3}, {1, 0xffffffffu, -4}));
    CHECK(!meets({1, 0, 3}, {1, 0, 4}));
    CHECK(meets({0x80000000u, 0x80000000u, 0}, {0x80000000u, 0x80000000u, 0}));
}

TEST_CASE("shapes of one body may have filters of their own") {
    World world(sleepless());
    BodyDef floor = ground();
    floor.filter = {1, 1, 0};
    add(world, floor);
    BodyDef def;
    def.shapes = {part(box({0.3f, 0.3f, 0.3f}), {0, -0.6f, 0}), part(box({0.3f, 0.3f, 0.3f}), {0, 0.6f, 0})};
    def.shapes[0].filter = {2, 2, 0};  // does not collide with the floor
    def.position = {0, 2, 0};
    const BodyId id = add(world, def);
    run(world, 300);
    // It sinks until the upper half stands on the floor. If it falls over, the lower half is in the floor as well.
    CHECK(world.position(id).y < 0.1f);
    CHECK(world.position(id).y > -0.9f);
    for (const Contact& c : world.contacts(id)) CHECK((c.body_a == id ? c.shape_a : c.shape_b) == 1);
}

TEST_CASE("a sensor reports who comes and goes, and pushes nobody") {
    for (const BodyType type : {BodyType::fixed, BodyType::kinematic}) {
        World world(sleepless());
        BodyDef gate;
        gate.type = type;
        gate.shape = box({1, 1, 1});
        gate.position = {0, 5, 0};
        gate.sensor = true;
        const BodyId sensor = add(world, gate);
        const BodyId id = add(world, body(sphere(0.25f), {0, 10, 0}));
        const BodyId twin = add(world, body(sphere(0.25f), {50, 10, 0}));
        EventLog log;
        int first = -1, last = -1;
        for (int i = 0; i < 120; ++i) {
            run(world, 1);
            log.read(world, sensor, id);
            for (const ContactEvent& e : world.contacts_begun()) CHECK(e.sensor);
            if (log.begun == 1 && first < 0) first = i + 1;
            if (log.ended == 1 && last < 0) last = i + 1;
            CHECK(world.contacts(id).empty());
        }
        CHECK(log.begun == 1);
        CHECK(log.ended == 1);
        // It enters after a fall of 3.75 m and leaves after 6.25 m. Events belong to the poses at the beginning of a
        // step.
        CHECK(std::abs(first - 60.0 * std::sqrt(2.0 * 3.75 / 9.81)) < 2.5);
        CHECK(std::abs(last - 60.0 * std::sqrt(2.0 * 6.25 / 9.81)) < 2.5);
        CHECK(world.linear_velocity(id) == world.linear_velocity(twin));
        CHECK(world.position(id).y == world.position(twin).y);
    }
}

TEST_CASE("a sensor on a dynamic body adds no mass and sees fixed bodies") {
    World world(sleepless());
    const BodyId floor = add(world, ground());
    BodyDef def;
    def.shapes = {part(box(vec3(0.5f))), part(box({3, 3, 3}))};
    def.shapes[1].sensor = true;
    def.position = {0, 5, 0};
    const BodyId id = add(world, def);
    CHECK(world.mass(id) == doctest::Approx(1000.0));
    bool sensed = false;
    for (int i = 0; i < 240; ++i) {
        run(world, 1);
        for (const ContactEvent& e : world.contacts_begun()) sensed = sensed || e.sensor;
    }
    CHECK(sensed);
    CHECK(world.position(id).y == doctest::Approx(0.5).epsilon(0.01));  // stands on the box, not on the sensor
    CHECK(normal_force(world, floor).y == doctest::Approx(-9810.0).epsilon(0.01));
}

TEST_CASE("two sensors take no notice of each other") {
    World world(weightless());
    BodyDef a = fixed_body(sphere(1.0f)), b = kinematic_body(sphere(1.0f), {0.5f, 0, 0}, {0.1f, 0, 0});
    a.sensor = b.sensor = true;
    add(world, a);
    add(world, b);
    for (int i = 0; i < 30; ++i) {
        run(world, 1);
        CHECK(world.contacts_begun().empty());
    }
}

TEST_CASE("a sensor notices bodies that are asleep in it, wherever one of them came from") {
    World world;
    add(world, ground());
    const BodyId sleeper = add(world, crate({0, 0.5f, 0}));
    run(world, 120);
    REQUIRE(!world.is_awake(sleeper));
    BodyDef zone = fixed_body(box({2, 2, 2}), {0, 0.5f, 0});
    zone.sensor = true;
    const BodyId id = add(world, zone);
    EventLog log;
    for (int i = 0; i < 3; ++i) {
        run(world, 1);
        log.read(world, sleeper, id);
    }
    CHECK(log.begun == 1);
}

TEST_CASE("the weight of a stack that sleeps is still in its contacts") {
    World world;
    const BodyId floor = add(world, ground());
    for (int i = 0; i < 3; ++i) add(world, crate({0, 0.5f + static_cast<float>(i), 0}));
    run(world, 240);
    REQUIRE(world.awake_body_count() == 0);
    CHECK(world.contacts().size() == 3);
    CHECK(normal_force(world, floor).y == doctest::Approx(-3.0 * 9810.0).epsilon(0.01));
    CHECK(world.contacts_begun().empty());
    CHECK(world.contacts_ended().empty());
}

TEST_CASE("who overlaps when a step begins is in contact after it however far the two were before" *
          doctest::test_suite("slow")) {
    // Bodies of one shape and of two that fly about, jump, sleep and are woken. While the bodies of a pair are far
    // apart, the pair has no contacts.
    for (const bool sleep : {false, true}) {
        World world(sleep ? WorldDef{} : sleepless());
        add(world, ground());
        Random random(sleep ? 31 : 30);
        std::vector<BodyId> ids;
        for (int i = 0; i < 200; ++i) {
            BodyDef def =
                body(random_shape(random, 0.4f), vec3(0.0f, 4.0f, 0.0f) + random.in_box(vec3(9.0f, 3.5f, 9.0f)));
            if (i % 4 == 0) def.shapes = {part(def.shape, {0.3f, 0.0f, 0.0f}), part(sphere(0.2f), {-0.4f, 0.0f, 0.0f})};
            if (i % 4 == 0) def.shape = Shape{};
            def.rotation = random.rotation();
            def.linear_velocity = 4.0f * random.in_box(vec3(1.0f));
            def.angular_damping = 2.0f;  // without it some would roll for ever
            ids.push_back(add(world, def));
        }
        const auto overlap = [&](BodyId a, BodyId b) {
            for (const ShapeDef& i : world.shapes(a)) {
                for (const ShapeDef& j : world.shapes(b)) {
                    SimplexCache cache;
                    const WorldTransform pose_i = multiply(world.transform(a), i.pose);
                    const WorldTransform pose_j = multiply(world.transform(b), j.pose);
                    const MatrixTransform placed = to_matrix_transform(relative(pose_i, pose_j));
                    if (separation(i.shape, j.shape, placed, cache).separation < -0.005f) return true;
                }
            }
            return false;
        };
        int seen = 0, few_awake = 0;
        for (int step = 0; step < 900; ++step) {
            if (step % (step < 150 ? 5 : 60) == 0 && (step < 150 || step >= 600)) {
                const BodyId jumper = ids[random.below(200)];
                const dvec3 to = displaced(world.position(ids[random.below(200)]), random.in_box(vec3(0.5f)));
                REQUIRE(world.set_transform(jumper, to, random.rotation()));
            }
            std::vector<std::pair<BodyId, BodyId>> met;
            for (std::size_t i = 0; i < ids.size(); ++i) {
                for (std::size_t j = 0; j < i; ++j) {
                    const double apart = glm::distance(world.position(ids[i]), world.position(ids[j]));
                    if (!world.is_awake(ids[i]) && !world.is_awake(ids[j])) continue;
                    if (apart < 2.0 && overlap(ids[i], ids[j])) met.emplace_back(ids[j], ids[i]);
                }
            }
            run(world, 1);
            few_awake += 16 * world.profile().awake_bodies < world.profile().bodies ? 1 : 0;
            const std::vector<Contact> contacts = world.contacts();
            for (const auto& pair : met) {
                const BodyId a = pair.first, b = pair.second;
                const bool known = std::any_of(contacts.begin(), contacts.end(), [&](const Contact& c) {
                    return (c.body_a == a && c.body_b == b) || (c.body_a == b && c.body_b == a);
                });
                INFO("sleep ", sleep, " step ", step, " bodies ", a.slot, " ", b.slot);
                REQUIRE(known);
                ++seen;
            }
        }
        CHECK(seen > 300);
        CAPTURE(few_awake);
        CHECK((few_awake > 50) == sleep);
    }
}

TEST_CASE("what a body comes near to on its way through a step is among its pairs before the step") {
    Random random(17);
    int passes = 0;
    for (int flight = 0; flight < 100; ++flight) {
        World world(weightless());
        add(world, fixed_body(box({0.2f, 5.0f, 5.0f})));
        BodyDef def = body(sphere(0.5f), random.in_box(vec3(8.0f)) - vec3(12.0f, 0.0f, 0.0f));
        def.linear_velocity = 90.0f * vec3(random.between(0.2f, 1.0f), 0.0f, 0.0f);
        def.continuous = Continuous::off;
        const BodyId flier = add(world, def);
        run(world, 1);  // new pairs are found at the present poses
        for (int step = 0; step < 60 && world.position(flier).x < 0.7f; ++step) {
            const dvec3 from = world.position(flier);
            const dvec3 to = displaced(from, frame * world.linear_velocity(flier));
            run(world, 1);
            if (to.x < -0.65 || std::max(std::abs(from.y), std::abs(from.z)) > 5.4) continue;
            CHECK(world.profile().broadphase_pairs == 1);
            ++passes;
        }
    }
    CHECK(passes > 50);
}
