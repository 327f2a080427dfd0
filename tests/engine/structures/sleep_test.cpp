// Falling asleep and waking up.

#include "tests/engine/worlds.h"

#include <limits>

using namespace talus;
using namespace talus::test;

namespace {

/// A heap of boxes on the ground, settled and asleep.
struct Heap {
    World world;
    BodyId floor;
    std::vector<BodyId> stack, heap;

    Heap() {
        floor = add(world, ground());
        for (int i = 0; i < 5; ++i) stack.push_back(add(world, crate({-20, 0.5f + static_cast<float>(i), 0})));
        Random random(6);
        for (int i = 0; i < 30; ++i)
            heap.push_back(add(world, crate({1.2f * random.unit() * static_cast<float>(i % 3),
                                             1.0f + 1.1f * static_cast<float>(i), 1.2f * random.unit()})));
        int steps = 0;
        while (world.awake_body_count() > 0 && steps < 1200) {
            run(world, 1);
            ++steps;
        }
        REQUIRE_MESSAGE(world.awake_body_count() == 0, "not asleep after 20 s");
    }
};

}  // namespace

TEST_CASE("a heap falls asleep as a whole and stays exactly where it is") {
    Heap h;
    World& world = h.world;
    CHECK(world.profile().awake_bodies == 0);
    run(world, 1);
    CHECK(world.profile().kinetic_energy == 0.0);
    const std::uint64_t hash = world.hash();
    for (const BodyId id : world.bodies()) {
        CHECK(world.linear_velocity(id) == vec3(0.0f));
        CHECK(world.angular_velocity(id) == vec3(0.0f));
        CHECK(!world.is_awake(id));
    }
    run(world, 300);
    CHECK(world.hash() == hash);
    std::uint64_t tested = 0;
    for (const std::uint64_t n : world.profile().narrowphase.pairs) tested += n;
    CHECK(tested == 0);  // a sleeping world costs nothing
}

TEST_CASE("an island falls asleep in one step, not body by body") {
    World world;
    add(world, ground());
    std::vector<BodyId> stack;
    for (int i = 0; i < 6; ++i) stack.push_back(add(world, crate({0, 0.5f + 1.02f * static_cast<float>(i), 0})));
    for (int i = 0; i < 600; ++i) {
        run(world, 1);
        std::size_t awake = 0;
        for (const BodyId id : stack) awake += world.is_awake(id) ? 1 : 0;
        REQUIRE((awake == 0 || awake == stack.size()));
        if (awake == 0) return;
    }
    FAIL("never asleep");
}

TEST_CASE("one restless body keeps those it touches awake, and no others") {
    World world;
    add(world, ground());
    const BodyId near_id = add(world, crate({0, 0.5f, 0}));
    BodyDef busy = crate({0, 1.5f, 0});
    busy.allow_sleep = false;
    const BodyId restless = add(world, busy);
    const BodyId far_id = add(world, crate({10, 0.5f, 0}));
    run(world, 300);
    CHECK(world.is_awake(restless));
    CHECK(world.is_awake(near_id));
    CHECK(!world.is_awake(far_id));
}

TEST_CASE("a sleeping heap wakes by touch") {
    Heap h;
    const BodyId missile = add(h.world, crate({-20, 9, 0}));
    std::vector<bool> woken(h.stack.size());
    for (int i = 0; i < 120; ++i) {
        run(h.world, 1);
        for (std::size_t k = 0; k < h.stack.size(); ++k) woken[k] = woken[k] || h.world.is_awake(h.stack[k]);
        for (const BodyId id : h.heap) CHECK(!h.world.is_awake(id));  // 20 m away
    }
    for (const bool once : woken) CHECK(once);
    CHECK(h.world.position(missile).y > 4.0f);
}

TEST_CASE("calls that change a sleeping body wake its island") {
    const auto wakes = [](const char* what, auto&& call) {
        CAPTURE(std::string(what));
        Heap h;
        CHECK(call(h.world, h.stack[2]));
        run(h.world, 2);
        for (const BodyId id : h.stack) CHECK(h.world.is_awake(id));
        for (const BodyId id : h.heap) CHECK(!h.world.is_awake(id));
        std::string complaint;
        CHECK_MESSAGE(is_sound(h.world, &complaint), complaint);
    };
    wakes("impulse", [](World& w, BodyId b) { return w.apply_impulse(b, {10, 0, 0}); });
    wakes("angular impulse", [](World& w, BodyId b) { return w.apply_angular_impulse(b, {10, 0, 0}); });
    wakes("force", [](World& w, BodyId b) { return w.apply_force(b, {10, 0, 0}); });
    wakes("torque", [](World& w, BodyId b) { return w.apply_torque(b, {10, 0, 0}); });
    wakes("velocity", [](World& w, BodyId b) { return w.set_linear_velocity(b, {0.1f, 0, 0}); });
    wakes("spin", [](World& w, BodyId b) { return w.set_angular_velocity(b, {0.1f, 0, 0}); });
    wakes("gravity scale", [](World& w, BodyId b) { return w.set_gravity_scale(b, 2.0f); });
    wakes("awake", [](World& w, BodyId b) { return w.set_awake(b, true); });
}

TEST_CASE("questions and user data let sleepers sleep") {
    Heap h;
    const BodyId b = h.stack[0];
    h.world.position(b);
    h.world.contacts(b);
    h.world.set_user_data(b, 3);
    h.world.set_damping(b, 0.1f, 0.1f);
    h.world.ray_cast({0, 50, 0}, {0, -100, 0});
    h.world.overlap(sphere(100.0f), WorldTransform{});
    h.world.set_gravity(h.world.gravity());
    run(h.world, 1);
    CHECK(h.world.awake_body_count() == 0);
}

TEST_CASE("what loses its support wakes and falls") {
    {
        Heap h;
        REQUIRE(h.world.remove_body(h.stack[1]));
        run(h.world, 120);
        CHECK(h.world.position(h.stack[4]).y == doctest::Approx(3.5).epsilon(0.02));
    }
    {
        Heap h;
        REQUIRE(h.world.remove_body(h.floor));
        run(h.world, 60);
        for (const BodyId id : h.stack) CHECK(h.world.position(id).y < -2.0f + 5.0f - 4.0f + 1.0f);
        for (const BodyId id : h.heap) CHECK(h.world.linear_velocity(id).y < -5.0f);
    }
    {
        Heap h;
        REQUIRE(h.world.set_transform(h.floor, {0, -50, 0}, quat(1, 0, 0, 0)));
        run(h.world, 60);
        for (const BodyId id : h.stack) CHECK(h.world.linear_velocity(id).y < -5.0f);
    }
    {
        Heap h;
        REQUIRE(h.world.set_transform(h.stack[1], {-40, 0.5f, 0}, quat(1, 0, 0, 0)));
        run(h.world, 120);
        CHECK(h.world.position(h.stack[4]).y == doctest::Approx(3.5).epsilon(0.02));
    }
}

TEST_CASE("a fixed body that is moved into sleepers pushes them out") {
    Heap h;
    const BodyId wedge = add(h.world, fixed_body(box(vec3(0.5f)), {40, 0, 0}));
    run(h.world, 60);
    REQUIRE(h.world.awake_body_count() == 0);
    REQUIRE(h.world.set_transform(wedge, {-20.7f, 0.5f, 0}, quat(1, 0, 0, 0)));
    run(h.world, 90);
    CHECK(h.world.is_awake(h.stack[0]));
    CHECK(h.world.position(h.stack[0]).x > -19.75f);  // 5 cm of 30 are left at most
}

TEST_CASE("a fixed body that is added into sleepers pushes them out") {
    Heap h;
    add(h.world, fixed_body(box(vec3(0.5f)), {-20.7f, 0.5f, 0}));
    run(h.world, 90);
    CHECK(h.world.is_awake(h.stack[0]));
    CHECK(h.world.position(h.stack[0]).x > -19.75f);
}

TEST_CASE("a kinematic body that passes by wakes what it touches") {
    Heap h;
    add(h.world, kinematic_body(box({0.5f, 0.5f, 0.5f}), {-25, 0.6f, 0}, {2, 0, 0}));
    run(h.world, 60);
    CHECK(!h.world.is_awake(h.stack[0]));
    run(h.world, 120);
    CHECK(h.world.position(h.stack[0]).x > -19.9f);
}

TEST_CASE("a body put to sleep by hand hangs in the air until it is woken") {
    World world;
    const BodyId id = add(world, crate({0, 10, 0}));
    REQUIRE(world.set_awake(id, false));
    run(world, 60);
    CHECK(world.position(id) == dvec3(0, 10, 0));
    CHECK(!world.is_awake(id));
    REQUIRE(world.set_awake(id, true));
    run(world, 60);
    CHECK(world.position(id).y == doctest::Approx(10.0 - 4.905 - 9.81 / 480.0).epsilon(1e-3));
}

TEST_CASE("a force given before sleep does not act after it") {
    World world(WorldDef{vec3(0.0f)});
    const BodyId id = add(world, crate({0, 10, 0}));
    REQUIRE(world.apply_force(id, {1000, 0, 0}));
    REQUIRE(world.set_awake(id, false));
    run(world, 10);
    REQUIRE(world.set_awake(id, true));
    run(world, 1);
    CHECK(world.linear_velocity(id) == vec3(0.0f));  // forces last for the next step
}

TEST_CASE("gravity that changes wakes everybody") {
    Heap h;
    REQUIRE(h.world.set_gravity({5, -9.81f, 0}));
    run(h.world, 1);
    CHECK(h.world.awake_body_count() == h.stack.size() + h.heap.size());
}

TEST_CASE("sleep can be switched off, for good") {
    Heap h;
    REQUIRE(h.world.set_allow_sleep(false));
    run(h.world, 1);
    CHECK(h.world.awake_body_count() == h.stack.size() + h.heap.size());
    run(h.world, 300);
    CHECK(h.world.awake_body_count() == h.stack.size() + h.heap.size());
    REQUIRE(h.world.set_allow_sleep(true));
    run(h.world, 600);
    CHECK(h.world.awake_body_count() == 0);
}

TEST_CASE("what is thrown up does not fall asleep at the top of its flight") {
    World world;
    BodyDef def = crate({0, 0, 0});
    def.linear_velocity = {0, 5, 0};
    const BodyId id = add(world, def);
    for (int i = 0; i < 120; ++i) {
        run(world, 1);
        REQUIRE(world.is_awake(id));
    }
}

TEST_CASE("a sleeper that is removed leaves its neighbours sound") {
    Heap h;
    for (std::size_t i = 0; i < h.heap.size(); i += 2) REQUIRE(h.world.remove_body(h.heap[i]));
    run(h.world, 600);
    CHECK(h.world.body_count() == 1 + h.stack.size() + h.heap.size() / 2);
    for (std::size_t i = 1; i < h.heap.size(); i += 2) {
        CHECK(h.world.position(h.heap[i]).y > 0.3f);
        CHECK(!h.world.is_awake(h.heap[i]));
    }
}

TEST_CASE("a ball that rolls across the floor rolls on, sleep allowed or not") {
    for (const float speed : {0.3f, 2.0f}) {
        CAPTURE(speed);
        World world;
        add(world, ground());
        BodyDef def = body(sphere(0.5f), {-10, 0.5f, 0});
        def.linear_velocity = {speed, 0, 0};
        def.angular_velocity = {0, 0, -2.0f * speed};
        const BodyId id = add(world, def);
        run(world, 600);
        CHECK(world.linear_velocity(id).x == doctest::Approx(speed).epsilon(0.01));
    }
    World world(sleepless());
    add(world, ground());
    BodyDef def = body(sphere(0.5f), {-10, 0.5f, 0});
    def.linear_velocity = {0.05f, 0, 0};
    def.angular_velocity = {0, 0, -0.1f};
    const BodyId id = add(world, def);
    run(world, 600);
    CHECK(world.linear_velocity(id).x == doctest::Approx(0.05).epsilon(0.01));
}

TEST_CASE("what moves moves to the bit as it would without the thousands that sleep beside it") {
    // If few bodies are awake, contacts are found by the bodies' lists of pairs; if many are, by a pass over all
    // contacts.
    World alone({.handle_tag = 1}), crowded({.handle_tag = 1});  // with the same handles
    for (World* world : {&alone, &crowded}) {
        add(*world, ground());
        Random random(6);
        for (int i = 0; i < 6; ++i)
            add(*world,
                body(box(vec3(0.3f)), vec3(0, 1.0f + 0.8f * static_cast<float>(i), 0) + random.in_box(vec3(0.1f))));
    }
    std::vector<BodyId> crowd;
    for (int i = 0; i < 400; ++i) {
        const auto row = static_cast<float>(i / 20), column = static_cast<float>(i % 20);
        crowd.push_back(add(crowded, crate({5.0f + 2.0f * row, 0.5f, 2.0f * column - 20.0f})));
    }
    for (const BodyId id : crowd) REQUIRE(crowded.set_awake(id, false));
    for (int step = 0; step < 200; ++step) {
        run(alone, 1);
        run(crowded, 1);
        for (const BodyId id : alone.bodies()) {
            INFO("body ", id.slot, " step ", step);
            REQUIRE(alone.position(id) == crowded.position(id));
            REQUIRE(alone.angular_velocity(id) == crowded.angular_velocity(id));
        }
        REQUIRE(alone.contacts_begun().size() == crowded.contacts_begun().size());
    }
    CHECK(crowded.awake_body_count() == alone.awake_body_count());
}

TEST_CASE(
    "bodies fall asleep after the time to sleep that the world has, and more slowly moving ones only if it allows") {
    const auto steps_until_asleep = [](const WorldDef& def, float speed) {
        World world(def);
        add(world, ground());
        BodyDef ball = body(sphere(0.5f), {0, 0.5f, 0});
        ball.linear_velocity = {speed, 0, 0};
        ball.angular_velocity = {0, 0, -2.0f * speed};
        ball.material.friction = 0.0f;  // so that nothing brakes it
        add(world, ball);
        int steps = 0;
        while (world.awake_body_count() > 0 && steps < 600) {
            run(world, 1);
            ++steps;
        }
        return steps;
    };
    for (const float time : {0.1f, 0.5f, 2.0f}) {
        CAPTURE(time);
        WorldDef def;
        def.time_to_sleep = time;
        CHECK(steps_until_asleep(def, 0.0f) == doctest::Approx(60.0f * time).epsilon(0.02).scale(100));
    }
    WorldDef def;
    CHECK(steps_until_asleep(def, 0.06f) == 600);
    def.sleep_speed = 0.2f;
    CHECK(steps_until_asleep(def, 0.06f) < 60);
    def.sleep_speed = 0.0f;
    CHECK(steps_until_asleep(def, 0.0f) == 600);
}

TEST_CASE("contacts are as stiff as the world says") {
    const auto height_of = [](float rate) {
        WorldDef def;
        def.allow_sleep = false;
        def.contact_rate = rate;
        World world(def);
        add(world, ground());
        add(world, body(box(vec3(5.0f, 0.5f, 5.0f)), {0, 0.5f, 0}));
        BodyId top;
        for (int i = 0; i < 16; ++i)  // too wide to be a stiff group
            top = add(world,
                      crate({static_cast<float>(i % 4) * 1.5f - 2.0f, 1.5f, static_cast<float>(i / 4) * 1.5f - 2.0f}));
        run(world, 600);
        return world.position(top).y;
    };
    const double soft = height_of(0.02f), usual = height_of(WorldDef{}.contact_rate), hard = height_of(0.5f);
    MESSAGE("heights: ", soft, " ", usual, " ", hard, " m");
    CHECK(soft < usual - 0.005);
    CHECK(hard >= usual - 1e-4);
    CHECK(usual > 1.49);
}

TEST_CASE("sleep and contact settings out of range are refused") {
    World world;
    const auto refuses = [&](auto WorldDef::*field, float value) {
        WorldDef def;
        def.*field = value;
        return !world.set_settings(def) && World(def).last_error();
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const float value : {-1.0f, 1e7f, nan}) {
        CHECK(refuses(&WorldDef::sleep_speed, value));
        CHECK(refuses(&WorldDef::time_to_sleep, value));
        CHECK(refuses(&WorldDef::contact_rate, value));
    }
    CHECK(refuses(&WorldDef::time_to_sleep, 0.0f));
    CHECK(refuses(&WorldDef::contact_rate, 0.0f));
}

TEST_CASE("a tower whose lowest box stands at the world's origin comes to rest as it does elsewhere") {
    const auto make = [](World& world, double x) {
        world.add_body({.type = BodyType::fixed, .shape = box({50, 1, 50}), .position = {x, -1, 0}});
        std::vector<BodyId> boxes;
        for (int i = 0; i < 20; ++i) {
            boxes.push_back(
                world.add_body({.shape = box(vec3(0.5f)), .position = {x + (i % 3) * 0.25, 0.5 + 1.2 * i, 0}}));
        }
        return boxes;
    };
    World at_origin, elsewhere;
    const std::vector<BodyId> a = make(at_origin, 0.0), b = make(elsewhere, 1024.0);
    bool same = true;
    for (int step = 0; step < 300; ++step) {
        at_origin.step(1.0f / 60.0f);
        elsewhere.step(1.0f / 60.0f);
        for (std::size_t i = 0; i < a.size(); ++i) {
            same = same && at_origin.linear_velocity(a[i]) == elsewhere.linear_velocity(b[i]) &&
                   at_origin.angular_velocity(a[i]) == elsewhere.angular_velocity(b[i]) &&
                   at_origin.is_awake(a[i]) == elsewhere.is_awake(b[i]);
        }
    }
    CHECK(same);
}
