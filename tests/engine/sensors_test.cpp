/// Sensors: who sees whom, and when they say so.

#include "tests/engine/worlds.h"

using namespace talus;
using namespace talus::test;

namespace {

int count(std::span<const ContactEvent> events, BodyId sensor) {
    int n = 0;
    for (const ContactEvent& e : events) n += e.sensor && (e.body_a == sensor || e.body_b == sensor) ? 1 : 0;
    return n;
}

BodyDef as_sensor(BodyDef def) {
    def.sensor = true;
    return def;
}

}  // namespace

TEST_CASE("fixed and kinematic sensors see dynamic bodies and push nobody") {
    for (const BodyType type : {BodyType::fixed, BodyType::kinematic}) {
        World world(sleepless());
        BodyDef gate = as_sensor(fixed_body(box(vec3(1.0f)), {0, 0, 0}));
        gate.type = type;
        const BodyId gate_id = add(world, gate);
        const BodyId ball = add(world, body(sphere(0.2f), {0, 5, 0}));
        int begun = 0, ended = 0;
        for (int i = 0; i < 150; ++i) {
            run(world, 1);
            begun += count(world.contacts_begun(), gate_id);
            ended += count(world.contacts_ended(), gate_id);
        }
        CHECK(begun == 1);
        CHECK(ended == 1);
        CHECK(world.position(ball).y == doctest::Approx(5.0 - 0.5 * 9.81 * 2.5 * 2.5).epsilon(0.02));
    }
}

TEST_CASE("a sensor on a dynamic body sees fixed kinematic and dynamic ones but no sensors") {
    World world(weightless());
    BodyDef probe = body(box(vec3(0.5f)));
    probe.shape = Shape{};
    ShapeDef feeler = part(sphere(1.0f));
    feeler.sensor = true;
    probe.shapes = {part(box(vec3(0.1f))), feeler};
    const BodyId probe_id = add(world, probe);
    const BodyId seen[] = {add(world, fixed_body(box(vec3(0.2f)), {0.8f, 0, 0})),
                           add(world, kinematic_body(box(vec3(0.2f)), {-0.8f, 0, 0})),
                           add(world, body(box(vec3(0.2f)), {0, 0.8f, 0}))};
    add(world, as_sensor(fixed_body(box(vec3(0.2f)), {0, -0.8f, 0})));
    run(world, 1);
    CHECK(count(world.contacts_begun(), probe_id) == 3);
    for (const BodyId id : seen) CHECK(count(world.contacts_begun(), id) == 1);
}

TEST_CASE("what sleeps in a sensor stays in it and a sensor that comes to a sleeper sees it") {
    World world;
    add(world, ground());
    const BodyId zone = add(world, as_sensor(fixed_body(box(vec3(2.0f)), {0, 1, 0})));
    const BodyId sleeper = add(world, crate({0, 0.5f, 0}));
    int ended = 0;
    for (int i = 0; i < 200; ++i) {
        run(world, 1);
        ended += count(world.contacts_ended(), zone);
    }
    REQUIRE(!world.is_awake(sleeper));
    CHECK(ended == 0);
    BodyDef scanner = as_sensor(kinematic_body(box(vec3(0.3f)), {-4, 0.5f, 0}, {2, 0, 0}));
    const BodyId scanner_id = add(world, scanner);
    int begun = 0;
    for (int i = 0; i < 240; ++i) {
        run(world, 1);
        begun += count(world.contacts_begun(), scanner_id);
        ended += count(world.contacts_ended(), scanner_id);
    }
    CHECK(begun == 1);
    CHECK(ended == 1);
    CHECK(!world.is_awake(sleeper));
}

TEST_CASE("what is put in front of its sensor and flies through it has left it once") {
    World world(weightless());
    const BodyId gate = add(world, as_sensor(fixed_body(box(vec3(1.0f)))));
    const BodyId ball = add(world, body(sphere(0.2f)));
    run(world, 1);
    REQUIRE(count(world.contacts_begun(), gate) == 1);
    REQUIRE(world.set_transform(ball, {-5, 0, 0}, quat(1, 0, 0, 0)));
    REQUIRE(world.set_linear_velocity(ball, {600, 0, 0}));
    int begun = 0, ended = 0;
    for (int i = 0; i < 3; ++i) {
        run(world, 1);
        begun += count(world.contacts_begun(), gate);
        ended += count(world.contacts_ended(), gate);
    }
    CHECK(world.position(ball).x > 5.0f);
    CHECK(begun == 0);
    CHECK(ended == 1);
}
