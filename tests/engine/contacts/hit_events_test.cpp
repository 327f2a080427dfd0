/// Hits, and impulses of contact events.

#include "tests/engine/worlds.h"

using namespace talus;
using namespace talus::test;

TEST_CASE("a hit says where how fast and how hard") {
    for (const float speed : {3.0f, 20.0f, 400.0f}) {
        for (const bool on_floor : {false, true}) {
            World world(weightless());
            BodyDef floor = ground();
            floor.hit_events = on_floor;
            const BodyId floor_id = add(world, floor);
            BodyDef def = body(sphere(0.2f), {3.0f, 5.0f, 1.0f});
            def.linear_velocity.y = -speed;
            def.hit_events = !on_floor;
            def.material.restitution = 0.5f;
            const BodyId ball = add(world, def);
            int hits = 0;
            for (int i = 0; i < 200; ++i) {
                run(world, 1);
                for (const HitEvent& hit : world.contacts_hit()) {
                    ++hits;
                    const bool up = hit.body_b == ball;
                    CHECK((up ? hit.body_a : hit.body_b) == floor_id);
                    INFO("speed ", speed, " approach ", hit.approach_speed, " impulse ", hit.normal_impulse);
                    CHECK(hit.approach_speed == doctest::Approx(speed).epsilon(0.01));
                    CHECK(hit.normal_impulse == doctest::Approx(1.5f * speed * world.mass(ball)).epsilon(0.01));
                    CHECK((up ? hit.normal.y : -hit.normal.y) == doctest::Approx(1.0f));
                    CHECK(glm::length(hit.point - dvec3(3, 0, 1)) < 0.02);
                }
            }
            CHECK(hits == 1);
        }
    }
}

TEST_CASE("what rests slides or comes in slowly is no hit and nobody gets hits that did not ask") {
    World world(sleepless());
    add(world, ground());
    BodyDef def = crate({0, 0.502f, 0});
    def.hit_events = true;
    def.linear_velocity.x = 5.0f;
    add(world, def);
    BodyDef silent = crate({5, 5, 5});
    add(world, silent);
    for (int i = 0; i < 200; ++i) {
        run(world, 1);
        CHECK(world.contacts_hit().empty());
    }
    REQUIRE(world.set_hit_speed(0.1f));
    def.position = {-5, 0.52f, 0};
    def.linear_velocity = vec3(0.0f);
    add(world, def);
    int hits = 0;
    for (int i = 0; i < 60; ++i) {
        run(world, 1);
        hits += static_cast<int>(world.contacts_hit().size());
    }
    CHECK(hits >= 1);
}

TEST_CASE("contact events carry the impulse of their step") {
    World world;
    add(world, ground());
    BodyDef def = crate({0, 2.0f, 0});
    def.material.restitution = 0.5f;
    const BodyId id = add(world, def);
    float before = 0.0f;
    int begun = 0, ended = 0;
    for (int i = 0; i < 120; ++i) {
        before = world.linear_velocity(id).y;
        run(world, 1);
        const float gained = world.mass(id) * (world.linear_velocity(id).y - before + 9.81f * frame);
        for (const ContactEvent& e : world.contacts_begun()) {
            ++begun;
            CHECK(e.normal_impulse == doctest::Approx(gained).epsilon(0.001));
        }
        for (const ContactEvent& e : world.contacts_ended()) {
            ++ended;
            CHECK(e.normal_impulse > 0.0f);
        }
    }
    CHECK(begun >= 1);
    CHECK(ended >= 1);
}
