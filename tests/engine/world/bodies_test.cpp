// Handles, adding, removing, moving and reading bodies.

#include "tests/engine/worlds.h"

#include <set>

using namespace talus;
using namespace talus::test;

TEST_CASE("a handle is valid until its body is removed, and never again") {
    World world;
    const BodyId first = add(world, crate({0, 0, 0}));
    CHECK(world.is_valid(first));
    CHECK(!world.is_valid(BodyId{}));
    CHECK(world.remove_body(first));
    CHECK(!world.is_valid(first));
    std::set<std::uint32_t> generations;
    for (int i = 0; i < 100; ++i) {
        const BodyId next = add(world, crate({0, 0, 0}));
        CHECK(world.is_valid(next));
        CHECK(!(next == first));
        CHECK(!world.is_valid(first));
        if (next.slot == first.slot) CHECK(generations.insert(next.generation).second);
        CHECK(world.remove_body(next));
    }
    CHECK(generations.size() == 100);  // the slot is reused, so the handles differ by generation alone
    CHECK(world.body_count() == 0);
}

TEST_CASE("removing a body twice is refused and harms nobody in its slot") {
    World world;
    const BodyId old = add(world, crate({0, 5, 0}));
    REQUIRE(world.remove_body(old));
    const BodyId heir = add(world, crate({0, 9, 0}));
    CHECK(!world.remove_body(old));
    CHECK(world.last_error().code == ErrorCode::stale_handle);
    CHECK(!world.last_error().message.empty());
    CHECK(world.is_valid(heir));
    CHECK(world.body_count() == 1);
    CHECK(world.position(heir).y == 9.0);
}

TEST_CASE("every getter and setter refuses a stale and a null handle, and the world stays as it was") {
    World world;
    add(world, ground());
    add(world, crate({0, 0.5f, 0}));
    const BodyId gone = add(world, crate({3, 0.5f, 0}));
    REQUIRE(world.remove_body(gone));
    run(world, 3);
    const Footprint before(world);
    const BodyId forged{1000000, 0};
    for (const BodyId id : {gone, BodyId{}, forged}) {
        CAPTURE(id.slot);
        World w = world;  // so that no error of an earlier call can pass for a new one
        const auto refused = [&](const char* what, bool empty_handed) {
            CAPTURE(std::string(what));
            CHECK(empty_handed);
            CHECK(w.last_error().code == ErrorCode::stale_handle);
            CHECK(w.last_error().message.size() > 10);
            CHECK(Footprint(w) == before);
            w = world;
        };
        refused("position", w.position(id) == dvec3(0.0));
        refused("rotation", w.rotation(id) == quat(1, 0, 0, 0));
        refused("transform", w.transform(id).position == dvec3(0.0));
        refused("center_of_mass", w.center_of_mass(id) == dvec3(0.0));
        refused("linear_velocity", w.linear_velocity(id) == vec3(0.0f));
        refused("angular_velocity", w.angular_velocity(id) == vec3(0.0f));
        refused("mass", w.mass(id) == 0.0f);
        refused("inertia", w.inertia(id) == mat3(0.0f));
        refused("type", w.type(id) == BodyType::fixed);
        refused("is_awake", !w.is_awake(id));
        refused("user_data", w.user_data(id) == 0);
        refused("bounds", w.bounds(id).upper == dvec3(0.0));
        refused("shapes", w.shapes(id).empty());
        refused("contacts", w.contacts(id).empty());
        refused("remove_body", !w.remove_body(id));
        refused("set_transform", !w.set_transform(id, {1, 2, 3}, quat(1, 0, 0, 0)));
        refused("set_linear_velocity", !w.set_linear_velocity(id, {1, 2, 3}));
        refused("set_angular_velocity", !w.set_angular_velocity(id, {1, 2, 3}));
        refused("set_gravity_scale", !w.set_gravity_scale(id, 2.0f));
        refused("set_damping", !w.set_damping(id, 1.0f, 1.0f));
        refused("set_user_data", !w.set_user_data(id, 7));
        refused("set_awake", !w.set_awake(id, true));
        refused("apply_force", !w.apply_force(id, {1, 2, 3}));
        refused("apply_force_at", !w.apply_force_at(id, {1, 2, 3}, {}));
        refused("apply_torque", !w.apply_torque(id, {1, 2, 3}));
        refused("apply_impulse", !w.apply_impulse(id, {1, 2, 3}));
        refused("apply_impulse_at", !w.apply_impulse_at(id, {1, 2, 3}, {}));
        refused("apply_angular_impulse", !w.apply_angular_impulse(id, {1, 2, 3}));
    }
}

TEST_CASE("a fresh world has no error") {
    World world;
    CHECK(world.last_error().code == ErrorCode::none);
    CHECK(!world.last_error());
    add(world, crate({}));
    CHECK(world.step(frame));
    CHECK(!world.last_error());
}

TEST_CASE("what a body was given can be read back") {
    World world;
    BodyDef def = body(box({0.5f, 1.0f, 1.5f}), {1, 2, 3});
    def.rotation = quat(0.0f, 0.0f, 10.0f, 0.0f);  // not a unit quaternion
    def.linear_velocity = {4, 5, 6};
    def.angular_velocity = {7, 8, 9};
    def.user_data = 0xfedcba9876543210ull;
    def.material = {0.25f, 0.75f};
    def.density = 500.0f;
    const BodyId id = add(world, def);
    CHECK(world.position(id) == dvec3(1, 2, 3));
    CHECK(world.rotation(id) == quat(0, 0, 1, 0));
    CHECK(world.linear_velocity(id) == vec3(4, 5, 6));
    CHECK(world.angular_velocity(id) == vec3(7, 8, 9));
    CHECK(world.user_data(id) == 0xfedcba9876543210ull);
    CHECK(world.type(id) == BodyType::dynamic);
    CHECK(world.is_awake(id));
    CHECK(world.mass(id) == doctest::Approx(500.0 * 6.0));
    REQUIRE(world.shapes(id).size() == 1);
    CHECK(world.shapes(id)[0].material.friction == 0.25f);
    CHECK(world.shapes(id)[0].material.restitution == 0.75f);
    CHECK(world.shapes(id)[0].shape.half_extents == vec3(0.5f, 1.0f, 1.5f));
    REQUIRE(world.set_user_data(id, 5));
    CHECK(world.user_data(id) == 5);
    const WorldAabb bounds = world.bounds(id);
    CHECK(glm::distance(bounds.lower, dvec3(0.5, 1.0, 1.5)) < 1e-5);
    CHECK(glm::distance(bounds.upper, dvec3(1.5, 3.0, 4.5)) < 1e-5);
}

TEST_CASE("bodies are listed in order of their slots") {
    World world;
    std::vector<BodyId> ids;
    for (int i = 0; i < 10; ++i) ids.push_back(add(world, crate({3.0f * static_cast<float>(i), 0, 0})));
    CHECK(world.bodies() == ids);
    world.remove_body(ids[3]);
    world.remove_body(ids[7]);
    CHECK(world.body_count() == 8);
    add(world, crate({0, 100, 0}));
    const std::vector<BodyId> now = world.bodies();
    CHECK(now.size() == 9);
    for (std::size_t i = 1; i < now.size(); ++i) CHECK(now[i - 1].slot < now[i].slot);
    for (const BodyId id : now) CHECK(world.is_valid(id));
}

TEST_CASE("bodies added in bulk behave as those added one by one") {
    std::vector<BodyDef> defs = {ground()};
    for (int i = 0; i < 50; ++i)
        defs.push_back(crate({1.2f * static_cast<float>(i % 5), 1.0f + 1.1f * static_cast<float>(i / 5), 0}));
    World bulk({.handle_tag = 1}), single({.handle_tag = 1});  // with the same handles
    std::vector<BodyId> ids(defs.size());
    REQUIRE(bulk.add_bodies(defs, ids));
    std::vector<BodyId> one_by_one;
    for (const BodyDef& def : defs) one_by_one.push_back(add(single, def));
    CHECK(ids == one_by_one);
    CHECK(bulk.hash() == single.hash());
    run(bulk, 120);
    run(single, 120);
    CHECK(bulk.hash() == single.hash());
}

TEST_CASE("bulk insertion is all or none") {
    World world;
    add(world, ground());
    const Footprint before(world);
    std::vector<BodyDef> defs(5, crate({0, 1, 0}));
    defs[3].shape = sphere(-1.0f);
    std::vector<BodyId> out(5, BodyId{1, 2});
    CHECK(!world.add_bodies(defs, out));
    CHECK(world.last_error());
    for (const BodyId id : out) CHECK(id.is_null());
    CHECK(Footprint(world) == before);

    defs[3].shape = sphere(1.0f);
    std::vector<BodyId> few(4);
    CHECK(!world.add_bodies(defs, few));
    CHECK(world.last_error().code == ErrorCode::bad_argument);
    CHECK(Footprint(world) == before);

    CHECK(world.add_bodies({}, {}));
    CHECK(Footprint(world) == before);
    CHECK(world.add_bodies(defs, out));
    CHECK(world.body_count() == 6);
}

TEST_CASE("a teleported body is there at once, for rays too, and falls on from there") {
    World world(sleepless());
    add(world, ground());
    const BodyId id = add(world, crate({0, 0.5f, 0}));
    run(world, 30);
    REQUIRE(world.set_transform(id, {20, 3, 0}, turn({0, 0, 1}, 0.5 * pi)));
    CHECK(world.position(id) == dvec3(20, 3, 0));
    CHECK(world.ray_cast({20, 10, 0}, {0, -20, 0}).body == id);
    CHECK(world.ray_cast({0, 10, 0}, {0, -9.8f, 0}).body.is_null());
    run(world, 120);
    CHECK(world.position(id).y == doctest::Approx(0.5).epsilon(0.01));
    CHECK(world.position(id).x == doctest::Approx(20.0).epsilon(1e-3));
}

TEST_CASE("the kind of things a game does to a pile between steps") {
    World world;
    add(world, ground());
    std::vector<BodyId> pile;
    for (int i = 0; i < 60; ++i) {
        pile.push_back(add(world, crate({static_cast<float>(i % 4) * 1.01f, 0.5f + static_cast<float>(i / 16),
                                         static_cast<float>(i / 4 % 4) * 1.01f})));
    }
    run(world, 300);
    Random random(3);
    for (int i = 0; i < 200; ++i) {
        const std::size_t k = random.below(static_cast<std::uint32_t>(pile.size()));
        switch (random.below(4)) {
            case 0:
                REQUIRE(world.remove_body(pile[k]));
                pile[k] = pile.back();
                pile.pop_back();
                break;
            case 1:
                pile.push_back(add(world, crate(vec3(1.5f, 1.0f, 1.5f) + random.in_box(vec3(2.0f, 1.0f, 2.0f)))));
                break;
            case 2:
                REQUIRE(world.set_transform(pile[k], vec3(1.5f, 6.0f, 1.5f) + random.in_box(vec3(2.0f)),
                                            random.rotation()));
                break;
            default:
                REQUIRE(world.apply_impulse(pile[k], {0.0f, 3000.0f, 0.0f}));
                break;
        }
        if (pile.size() < 20) pile.push_back(add(world, crate({1.5f, 8.0f, 1.5f})));
        run(world, 3);
        std::string complaint;
        REQUIRE_MESSAGE(is_sound(world, &complaint), complaint);
        REQUIRE(world.body_count() == pile.size() + 1);
        for (const BodyId id : pile) REQUIRE(world.is_valid(id));
    }
    run(world, 600);
    for (const BodyId id : pile) CHECK(world.position(id).y > 0.3);
}

TEST_CASE("worlds can be copied, moved and assigned") {
    World world;
    add(world, ground());
    const BodyId id = add(world, crate({0, 5, 0}));
    run(world, 10);
    World copy = world;
    run(world, 30);
    CHECK(copy.hash() != world.hash());
    run(copy, 30);
    CHECK(copy.hash() == world.hash());
    World moved = std::move(copy);
    CHECK(moved.hash() == world.hash());
    World assigned;
    assigned = moved;
    run(moved, 30);
    CHECK(assigned.hash() == world.hash());
    World& self = assigned;
    assigned = self;
    CHECK(assigned.hash() == world.hash());
    CHECK(assigned.is_valid(id));
    assigned.remove_body(id);
    CHECK(world.is_valid(id));
}

TEST_CASE("memory statistics are there and grow with the world") {
    World world;
    add(world, ground());
    const std::size_t empty = world.memory().total();
    CHECK(empty > 0);
    Random random(1);
    for (int i = 0; i < 500; ++i) {
        BodyDef def = crate(vec3(0, 10, 0) + random.in_box(vec3(5, 9, 5)));
        add(world, def);
    }
    run(world, 10);
    const MemoryStats full = world.memory();
    CHECK(full.bodies >= 500 * sizeof(vec3) * 4);
    CHECK(full.shapes > 0);
    CHECK(full.broadphase > 0);
    CHECK(full.contacts > 0);
    CHECK(full.solver > 0);
    CHECK(full.hulls == 0);
    CHECK(full.total() == full.bodies + full.shapes + full.broadphase + full.contacts + full.solver);
    CHECK(full.total() > empty + 500 * 100);
    std::vector<vec3> points;
    for (int i = 0; i < 50; ++i) points.push_back(random.direction());
    const auto made = make_hull(points);
    REQUIRE(made);
    for (int i = 0; i < 3; ++i) add(world, body(hull(*made), {50, static_cast<float>(3 * i), 0}));
    CHECK(world.memory().hulls == (*made)->bytes());  // shared hulls count once
}

TEST_CASE("a box that falls beside others takes 3.4 kB" * doctest::test_suite("slow")) {
    World world;
    add(world, ground());
    constexpr std::size_t count = 10000;
    for (std::size_t i = 0; i < count; ++i)
        add(world, crate({3.0f * static_cast<float>(i % 100), 10.0f, 3.0f * static_cast<float>(i / 100)}));
    run(world, 60);
    CHECK(world.memory().total() < 3400 * count);
}

TEST_CASE("a world that adds and removes for ever does not grow for ever") {
    World world;
    add(world, ground());
    std::size_t after_warm_up = 0;
    Random random(5);
    for (int round = 0; round < 60; ++round) {
        std::vector<BodyId> ids;
        for (int i = 0; i < 40; ++i) {
            BodyDef def;
            def.position = vec3(0, 4, 0) + random.in_box(vec3(3));
            if (i % 3 == 0) {
                def.shapes.resize(1 + static_cast<std::size_t>(i % 4));
                for (ShapeDef& shape : def.shapes) shape.shape = sphere(0.3f);
            } else {
                def.shape = box(vec3(0.4f));
            }
            ids.push_back(add(world, def));
        }
        run(world, 5);
        for (const BodyId id : ids) REQUIRE(world.remove_body(id));
        run(world, 1);
        if (round == 20) after_warm_up = world.memory().total();
    }
    CHECK(world.body_count() == 1);
    CHECK(world.memory().total() <= after_warm_up + after_warm_up / 2);
}

TEST_CASE("what was said about a body can be read, forces until they have acted") {
    World world;
    const BodyId id = world.add_body({.shape = sphere(0.5f),
                                      .linear_damping = 0.1f,
                                      .angular_damping = 0.2f,
                                      .max_speed = 30.0f,
                                      .max_spin = 40.0f,
                                      .gravity_scale = 0.5f,
                                      .locks = lock_x | lock_turn_y});
    CHECK(world.linear_damping(id) == 0.1f);
    CHECK(world.angular_damping(id) == 0.2f);
    CHECK(world.max_speed(id) == 30.0f);
    CHECK(world.max_spin(id) == 40.0f);
    CHECK(world.gravity_scale(id) == 0.5f);
    CHECK(world.locks(id) == (lock_x | lock_turn_y));
    world.apply_force_at(id, {0, 3, 0}, {2, 0, 0});
    world.apply_torque(id, {1, 0, 0});
    CHECK(world.force(id) == vec3(0, 3, 0));
    CHECK(world.torque(id) == vec3(1, 0, 6));
    world.step(1.0f / 60.0f);
    CHECK(world.force(id) == vec3(0.0f));
    CHECK(world.torque(id) == vec3(0.0f));
    CHECK(world.gravity_scale({}) == 0.0f);
    CHECK(static_cast<bool>(world.last_error()));
}

TEST_CASE("a handle of another world is refused") {
    World world, other;
    const BodyId mine = add(world, crate({0, 5, 0})), theirs = add(other, crate({0, 9, 0}));
    CHECK(mine.slot == theirs.slot);
    CHECK(!(mine == theirs));
    CHECK(!world.is_valid(theirs));
    CHECK(world.position(theirs) == dvec3(0.0));
    CHECK(world.last_error().message.find("of another world") != std::string::npos);
    CHECK(!world.remove_body(theirs));
    const BodyId floor_of_other = add(other, ground());
    const JointId joint = other.add_joint(BallDef{.frames = other.joint_frames(floor_of_other, theirs, {0, 9, 0})});
    REQUIRE(joint);
    CHECK(!world.is_valid(joint));
    CHECK(!world.remove_joint(joint));
    CHECK(!world.add_joint(BallDef{.frames = {mine, theirs}}));

    // Copies are the same world in this respect; what is left of a moved world is not.
    World copy = world;
    CHECK(copy.is_valid(mine));
    World moved = std::move(copy);
    CHECK(moved.is_valid(mine));
    CHECK(!copy.is_valid(mine));
    CHECK(!copy.is_valid(add(world, crate({2, 5, 0}))));
    copy = other;
    CHECK(copy.is_valid(theirs));
    const Result<World> loaded = World::load(*world.save());
    REQUIRE(loaded);
    CHECK(loaded->is_valid(mine));
    CHECK(!loaded->is_valid(theirs));
}

TEST_CASE("worlds with the same handle_tag accept each other's handles") {
    World world({.handle_tag = 7}), other({.handle_tag = 7});
    const BodyId mine = add(world, crate({0, 5, 0}));
    CHECK(add(other, crate({0, 9, 0})) == mine);
    CHECK(other.position(mine).y == 9.0);
    CHECK(world.settings().handle_tag == 7);
    CHECK(World().settings().handle_tag != 0);
    CHECK(World({.handle_tag = 1024}).last_error().code == ErrorCode::bad_argument);

    // A world keeps its tag.
    WorldDef settings = world.settings();
    settings.substeps = 8;
    CHECK(world.set_settings(settings));
    settings.handle_tag = 0;
    CHECK(world.set_settings(settings));
    CHECK(world.settings().handle_tag == 7);
    settings.handle_tag = 8;
    CHECK(!world.set_settings(settings));
    CHECK(world.is_valid(mine));
}

TEST_CASE("moving worlds uses no handle tags up") {
    std::vector<World> worlds;
    std::set<std::uint32_t> tags;
    for (int i = 0; i < 300; ++i) {
        worlds.emplace_back();  // moves the others now and then
        add(worlds.back(), crate({0, 5, 0}));
        CHECK(tags.insert(worlds.back().settings().handle_tag).second);
    }
    CHECK((*tags.rbegin() - *tags.begin() == 299 || *tags.rbegin() == 1023));
    World rest = std::move(worlds[0]);
    CHECK(add(worlds[0], crate({0, 5, 0})).generation != 0);
    CHECK(tags.insert(worlds[0].settings().handle_tag).second);
}

TEST_CASE("the handles of a slot differ for 2^22 uses") {
    World world({.handle_tag = 1023});
    const BodyId first = add(world, crate({0, 5, 0}));
    REQUIRE(world.remove_body(first));
    const BodyId second = add(world, crate({0, 5, 0}));
    CHECK(second.generation == first.generation + 1);
    CHECK((first.generation >> 22) == 1023);
}
