// The coherence ladder from outside: each of its methods runs where it should, none changes the result, and none uses
// its cache after a jump.

#include "tests/engine/worlds.h"

using namespace talus;
using namespace talus::test;

namespace {

std::uint64_t settled(const World& world, Rung rung) {
    return world.profile().narrowphase.pairs[static_cast<std::size_t>(rung)];
}

std::string rungs(const World& world) {
    std::string text;
    for (int i = 0; i < rung_count; ++i)
        text += std::string(name_of(static_cast<Rung>(i))) + " " +
                std::to_string(settled(world, static_cast<Rung>(i))) + "  ";
    return text;
}

/// A hull of random points on a ball of radius 0.5.
Shape stone(Random& random) {
    std::vector<vec3> points;
    for (int i = 0; i < 20; ++i) points.push_back(0.5f * random.direction());
    const auto made = make_hull(points);
    REQUIRE(made);
    return hull(*made);
}

}  // namespace

TEST_CASE("cold GJK settles a new pair") {
    WorldDef def = weightless();
    def.enable_closed_form = false;  // for two boxes the closed form can suffice
    World world(def);
    add(world, crate({0, 0, 0}));
    add(world, crate({1.01f, 0.3f, 0.2f}));
    run(world, 1);
    CHECK_MESSAGE(settled(world, Rung::cold_gjk) == 1, rungs(world));
}

TEST_CASE("skip settles a pair that is apart and moves less than its gap") {
    World world(weightless());
    add(world, ground());
    add(world, crate({0, 0.53f, 0}));
    run(world, 2);
    CHECK_MESSAGE(settled(world, Rung::skip) == 1, rungs(world));
    CHECK(world.profile().narrowphase.gjk_queries == 0);
    CHECK(world.contacts().empty());
}

TEST_CASE("the cached axis settles a pair that slides past at a distance") {
    World world(weightless());
    add(world, ground());
    BodyDef def = crate({0, 0.528f, 0});
    def.linear_velocity = {0.5f, 0, 0};
    add(world, def);
    run(world, 1);
    std::uint64_t by_axis = 0;
    for (int i = 0; i < 20; ++i) {
        run(world, 1);
        by_axis += settled(world, Rung::axis_separated);
    }
    CHECK_MESSAGE(by_axis >= 5, rungs(world));
}

TEST_CASE("reuse settles what rests") {
    World world(sleepless());
    add(world, ground());
    for (int i = 0; i < 5; ++i) add(world, crate({0, 0.5f + static_cast<float>(i), 0}));
    run(world, 120);
    CHECK_MESSAGE(settled(world, Rung::reuse) == 5, rungs(world));
}

TEST_CASE("the cached axis settles a box that slides on the floor") {
    World world(sleepless());
    BodyDef floor = ground();
    floor.material.friction = 0.0f;
    add(world, floor);
    BodyDef def = body(box({0.3f, 0.1f, 0.3f}), {-20, 0.1f, 0});
    def.linear_velocity = {5, 0, 0};
    add(world, def);
    run(world, 30);
    std::uint64_t by_axis = 0;
    for (int i = 0; i < 30; ++i) {
        run(world, 1);
        by_axis += settled(world, Rung::axis_touching);
        CHECK(world.profile().narrowphase.gjk_queries <= 1);
    }
    CHECK_MESSAGE(by_axis >= 25, rungs(world));
}

TEST_CASE("warm GJK settles hulls that tumble about each other, in fewer iterations than cold GJK") {
    Random random(9);
    const auto iterations_a_query = [&](bool warm) {
        Random same(9);
        WorldDef def;
        def.allow_sleep = false;
        def.enable_warm_gjk = warm;
        World world(def);
        add(world, ground());
        for (int i = 0; i < 60; ++i) {
            BodyDef rock = body(stone(same), vec3(0, 6, 0) + same.in_box(vec3(1.5f, 5.0f, 1.5f)));
            rock.rotation = same.rotation();
            add(world, rock);
        }
        std::uint64_t queries = 0, iterations = 0, warm_pairs = 0;
        for (int i = 0; i < 120; ++i) {
            run(world, 1);
            queries += world.profile().narrowphase.gjk_queries;
            iterations += world.profile().narrowphase.gjk_iterations;
            warm_pairs += settled(world, Rung::warm_gjk);
        }
        CHECK(queries > 500);
        CHECK((warm_pairs > 0) == warm);
        return static_cast<double>(iterations) / static_cast<double>(queries);
    };
    const double warm = iterations_a_query(true), cold = iterations_a_query(false);
    MESSAGE("GJK iterations a query: warm ", warm, ", cold ", cold);
    CHECK(warm < 0.75 * cold);
}

TEST_CASE("EPA settles what overlaps deeply, and gives its depth and normal") {
    WorldDef def = weightless();
    def.enable_closed_form = false;
    World world(def);
    add(world, fixed_body(box({1, 1, 1})));
    const BodyId id = add(world, body(box({0.5f, 0.5f, 0.5f}), {0.1f, 1.3f, 0.05f}));
    run(world, 1);
    CHECK_MESSAGE(settled(world, Rung::cold_epa) == 1, rungs(world));
    CHECK(world.profile().narrowphase.epa_queries == 1);
    REQUIRE(world.contacts(id).size() == 1);
    const Contact c = world.contacts(id)[0];
    CHECK(std::abs(c.normal.y) > 0.9999f);
    // 20 cm deep before the step, which pushes it out gently.
    for (int i = 0; i < c.point_count; ++i) {
        CHECK(c.points[i].separation < -0.12f);
        CHECK(c.points[i].separation > -0.2001f);
    }
}

TEST_CASE("in a tumbling pile every rung runs, and all pairs are accounted for") {
    World world(sleepless());
    add(world, ground());
    Random random(10);
    for (int i = 0; i < 120; ++i) {
        BodyDef def = body(i % 3 == 0 ? stone(random) : box({0.4f, 0.3f, 0.5f}),
                           vec3(0, 8, 0) + random.in_box(vec3(2.0f, 7.5f, 2.0f)));
        def.rotation = random.rotation();
        add(world, def);
    }
    std::uint64_t total[rung_count] = {};
    for (int i = 0; i < 240; ++i) {
        run(world, 1);
        std::uint64_t sum = 0;
        for (int r = 0; r < rung_count; ++r) {
            total[r] += settled(world, static_cast<Rung>(r));
            sum += settled(world, static_cast<Rung>(r));
        }
        CHECK(sum == world.profile().convex_pairs);  // no body sleeps
    }
    for (int r = 0; r < rung_count; ++r) {  // convex bodies have no features
        CAPTURE(std::string(name_of(static_cast<Rung>(r))));
        CHECK((total[r] > 0) == (static_cast<Rung>(r) != Rung::features));
    }
}

TEST_CASE("without a rung things come to rest at the same heights") {
    const auto heights = [](const WorldDef& def) {
        World world(def);
        add(world, ground());
        std::vector<BodyId> ids;
        for (int i = 0; i < 6; ++i) ids.push_back(add(world, crate({0, 0.52f + 1.02f * static_cast<float>(i), 0})));
        ids.push_back(add(world, body(sphere(0.5f), {5, 1, 0})));
        ids.push_back(add(world, body(cylinder(0.5f, 0.4f), {10, 1, 0})));
        ids.push_back(add(world, body(cone(0.5f, 0.4f), {15, 1, 0})));
        ids.push_back(add(world, body(capsule(0.5f, 0.2f), {20, 1, 0})));
        run(world, 300);
        std::vector<double> ys;
        for (const BodyId id : ids) ys.push_back(world.position(id).y);
        // A method that is switched off does not run.
        const auto& pairs = world.profile().narrowphase.pairs;
        if (!def.enable_skip) CHECK(pairs[static_cast<std::size_t>(Rung::skip)] == 0);
        if (!def.enable_reuse) CHECK(pairs[static_cast<std::size_t>(Rung::reuse)] == 0);
        if (!def.enable_axis) {
            CHECK(pairs[static_cast<std::size_t>(Rung::axis_separated)] == 0);
            CHECK(pairs[static_cast<std::size_t>(Rung::axis_touching)] == 0);
        }
        if (!def.enable_warm_gjk) CHECK(pairs[static_cast<std::size_t>(Rung::warm_gjk)] == 0);
        return ys;
    };
    const std::vector<double> expected = heights(sleepless());
    for (unsigned mask = 1; mask < 16; ++mask) {
        WorldDef def = sleepless();
        def.enable_skip = !(mask & 1u);
        def.enable_reuse = !(mask & 2u);
        def.enable_axis = !(mask & 4u);
        def.enable_warm_gjk = !(mask & 8u);
        CAPTURE(mask);
        const std::vector<double> ys = heights(def);
        for (std::size_t i = 0; i < ys.size(); ++i) {
            CAPTURE(i);
            CHECK(std::abs(ys[i] - expected[i]) < 1e-3);
        }
    }
}

TEST_CASE("a slide, a roll and a bounce are the same without any rung of the ladder") {
    for (const bool on : {true, false}) {
        CAPTURE(on);
        WorldDef def = sleepless();
        def.enable_skip = def.enable_reuse = def.enable_axis = def.enable_warm_gjk = on;
        World world(def);
        add(world, ground());
        BodyDef slider = body(box({0.5f, 0.1f, 0.5f}), {0, 0.1f, 0});
        slider.linear_velocity = {4, 0, 3};
        BodyDef roller = body(sphere(0.5f), {0, 0.5f, 10});
        roller.linear_velocity = {2, 0, 0};
        roller.angular_velocity = {0, 0, -4};
        BodyDef ball = body(sphere(0.3f), {0, 2.3f, -10});
        ball.material.restitution = 1.0f;
        const BodyId a = add(world, slider), b = add(world, roller), c = add(world, ball);
        run(world, 120);
        CHECK(glm::length(world.position(a) - dvec3(0, 0.1, 0)) ==
              doctest::Approx(25.0 / (2.0 * 0.6 * 9.81)).epsilon(0.02));
        CHECK(world.position(b).x == doctest::Approx(4.0).epsilon(0.005));
        const double v = world.linear_velocity(c).y;
        CHECK(world.position(c).y - 0.3 + v * v / (2.0 * 9.81) == doctest::Approx(2.0).epsilon(0.02));
    }
}

TEST_CASE("a teleported body meets what is there, not what it left") {
    World world(weightless());
    const BodyId wall = add(world, fixed_body(box({1, 5, 5})));
    const BodyId id = add(world, crate({1.499f, 0, 0}));
    run(world, 5);
    REQUIRE(world.contacts(id).size() == 1);
    // Rotated by 45 degrees in place: an edge, 20.8 cm deep, where a face was.
    REQUIRE(world.set_transform(id, {1.499f, 0, 0}, turn({0, 0, 1}, 0.25 * pi)));
    run(world, 1);
    CHECK_MESSAGE(settled(world, Rung::reuse) == 0, rungs(world));
    REQUIRE(world.contacts(id).size() == 1);
    float deepest = 0.0f;
    for (int i = 0; i < world.contacts(id)[0].point_count; ++i)
        deepest = std::min(deepest, world.contacts(id)[0].points[i].separation);
    CHECK(deepest < -0.15f);
    // Moved to the other side of the wall within a step: it is pushed out there, not back through the wall.
    REQUIRE(world.set_transform(id, {-1.45f, 0, 0}, quat(1, 0, 0, 0)));
    REQUIRE(world.set_linear_velocity(id, vec3(0.0f)));
    REQUIRE(world.set_angular_velocity(id, vec3(0.0f)));
    run(world, 60);
    CHECK(world.position(id).x < -1.49f);
    // A fixed body that jumps under a body at rest.
    REQUIRE(world.set_transform(wall, {50, 0, 0}, quat(1, 0, 0, 0)));
    run(world, 2);
    CHECK(world.contacts(id).empty());
}

TEST_CASE("a body in the slot of another is not taken for it") {
    World world(weightless());
    add(world, ground());
    const BodyId old = add(world, crate({0, 0.499f, 0}));
    run(world, 10);
    REQUIRE(world.contacts().size() == 1);
    REQUIRE(world.remove_body(old));
    const BodyId heir = add(world, body(sphere(0.3f), {0, 0.499f, 0}));
    REQUIRE(heir.slot == old.slot);
    run(world, 1);
    CHECK(settled(world, Rung::reuse) == 0);
    CHECK(world.contacts().empty());  // 20 cm above the floor
    REQUIRE(world.remove_body(heir));
    const BodyId big = add(world, body(sphere(0.6f), {0, 0.499f, 0}));
    run(world, 1);
    CHECK(world.contacts(big).size() == 1);
}
