/// The contact modifier: what it may change, and that its changes end with the step.

#include "tests/engine/worlds.h"

using namespace talus;
using namespace talus::test;

namespace {

constexpr std::uint64_t platform_tag = 1;

/// Solid from above only. A body that is inside passes until it is out.
void one_way(ContactModification& c, void*) {
    if (c.touching) return;
    const bool platform_is_a = c.user_data_a == platform_tag;
    const float up = platform_is_a ? c.normal.y : -c.normal.y, rising = platform_is_a ? c.velocity.y : -c.velocity.y;
    float deepest = 0.0f;
    for (int i = 0; i < c.point_count; ++i) deepest = std::min(deepest, c.points[i].separation);
    c.enabled = up > 0.7f && rising <= 0.0f && deepest > -0.02f;
}

BodyDef platform(float y) {
    BodyDef def = fixed_body(box({2.0f, 0.1f, 2.0f}), {0, y, 0});
    def.user_data = platform_tag;
    def.modify_contacts = true;
    return def;
}

void ice(ContactModification& c, void* user) {
    ++*static_cast<int*>(user);
    c.friction = 0.0f;
    c.restitution = -3.0f;  // refused
}

void one_corner(ContactModification& c, void*) {
    for (int i = 0; i < c.point_count; ++i) c.points[i].enabled = c.points[i].position.x > 0.0f;
}

}  // namespace

TEST_CASE("a one way platform lets through from below and holds from above") {
    for (const float speed : {9.0f, 200.0f}) {  // at the second speed the body is swept
        World world(sleepless());
        add(world, ground());
        add(world, platform(2.0f));
        world.set_contact_modifier(one_way);
        BodyDef def = body(sphere(0.2f), {0, 0.5f, 0});
        def.linear_velocity.y = speed;
        const BodyId ball = add(world, def);
        double top = 0.0;
        for (int i = 0; i < 200; ++i) {
            run(world, 1);
            top = std::max(top, world.position(ball).y);
            if (speed > 100.0f && i == 2)
                REQUIRE(world.set_linear_velocity(ball, {0, -150.0f, 0}));  // and back, at the same speed
        }
        INFO("speed ", speed, " top ", top, " rests at ", world.position(ball).y);
        CHECK(top > 3.0);
        CHECK(world.position(ball).y == doctest::Approx(2.3f).epsilon(0.01));
    }
}

TEST_CASE("a body that turns back inside a one way platform falls out below") {
    World world(sleepless());
    add(world, ground());
    add(world, platform(2.0f));
    world.set_contact_modifier(one_way);
    BodyDef def = body(sphere(0.2f), {0, 0.5f, 0});
    def.linear_velocity.y = 5.4f;  // up to 1.99
    const BodyId ball = add(world, def);
    for (int i = 0; i < 200; ++i) {
        run(world, 1);
        CHECK(world.position(ball).y < 2.1f);
    }
    CHECK(world.position(ball).y == doctest::Approx(0.2f).epsilon(0.02));
}

TEST_CASE("a modifier is asked about marked contacts only and its word is for one step") {
    int calls = 0;
    World world(sleepless());
    BodyDef slope = ground();
    slope.rotation = turn({0, 0, 1}, -0.2);
    add(world, slope);
    BodyDef def = body(box({0.3f, 0.1f, 0.3f}), {0, 0.2f, 0});
    def.rotation = slope.rotation;
    def.modify_contacts = true;
    const BodyId marked = add(world, def);
    def.position.z = 3.0f;
    def.modify_contacts = false;
    const BodyId plain = add(world, def);
    run(world, 60);
    CHECK(glm::length(world.linear_velocity(marked)) < 0.01f);
    world.set_contact_modifier(ice, &calls);
    run(world, 60);
    CHECK(calls == 60);
    CHECK(world.linear_velocity(marked).x == doctest::Approx(9.81 * std::sin(0.2) * std::cos(0.2)).epsilon(0.02));
    CHECK(glm::length(world.linear_velocity(plain)) < 0.01f);
    // A copy of the world calls the same modifier. Without a modifier, the contact is unchanged.
    World copy = world;
    run(copy, 10);
    CHECK(calls == 70);
    world.set_contact_modifier(nullptr);
    run(world, 240);
    CHECK(calls == 70);
    CHECK(glm::length(world.linear_velocity(marked)) < 0.01f);
}

TEST_CASE("single points can be taken out of a contact") {
    World world(sleepless());
    add(world, ground());
    BodyDef def = crate({0, 0.5f, 0});
    def.modify_contacts = true;
    const BodyId id = add(world, def);
    world.set_contact_modifier(one_corner);
    run(world, 20);
    CHECK(world.rotation(id).z > 0.01f);  // it tips over to the unsupported side
}

TEST_CASE("a disabled contact ends and begins like any other and wakes nobody") {
    World world;
    add(world, ground());
    const BodyId bed = add(world, body(box({1.0f, 0.2f, 1.0f}), {0, 0.2f, 0}));
    run(world, 120);
    REQUIRE(!world.is_awake(bed));
    world.set_contact_modifier([](ContactModification& c, void*) { c.enabled = false; });
    BodyDef ghost = body(sphere(0.2f), {0, 1.5f, 0});
    ghost.modify_contacts = true;
    const BodyId id = add(world, ghost);
    for (int i = 0; i < 60; ++i) {
        run(world, 1);
        CHECK(world.contacts_begun().empty());
    }
    CHECK(!world.is_awake(bed));
    CHECK(world.position(id).y < 0.0f);
}
