// Thin bodies: sticks, needles and discs, whose inertia about one axis is a hundredth or less of that about another. No
// impact may give them energy, and flight may not take any.

#include "tests/engine/worlds.h"
#include "tests/support/threads.h"

#include <algorithm>

using namespace talus;
using namespace talus::test;

namespace {

double energy(const World& world, BodyId id) {
    const dvec3 g = world.gravity();
    return kinetic_energy(world, id) - static_cast<double>(world.mass(id)) * glm::dot(g, world.center_of_mass(id));
}

struct Drop {
    double most_energy = 0.0;  ///< largest energy, over that at the start
    double rise = 0.0;         ///< largest height above the start, m
    std::uint32_t renewed = 0;
};

/// Drops a body for `seconds` on the plane y = 0.
Drop drop(const Shape& shape, const quat& rotation, const vec3& spin, float restitution, float height, float seconds,
          float dt = frame, int substeps = 4) {
    WorldDef settings;
    settings.substeps = substeps;
    World world(settings);
    BodyDef floor = ground();
    floor.material.restitution = restitution;
    add(world, floor);
    BodyDef def = body(shape, {0.0f, height, 0.0f});
    def.rotation = rotation;
    def.angular_velocity = spin;
    def.material.restitution = restitution;
    const BodyId id = add(world, def);
    Drop result;
    const double start = energy(world, id);
    for (int i = 0; i < static_cast<int>(seconds / dt); ++i) {
        run(world, 1, dt);
        result.most_energy = std::max(result.most_energy, energy(world, id) / start);
        result.rise = std::max(result.rise, world.center_of_mass(id).y - height);
        result.renewed += world.profile().renewed_contacts;
    }
    return result;
}

/// A closed room of 2 m with smooth walls.
void add_room(World& world, const Material& material) {
    for (int axis = 0; axis < 3; ++axis) {
        for (const float side : {-2.0f, 2.0f}) {
            vec3 place(0.0f), half(3.0f);
            place[axis] = side;
            half[axis] = 1.0f;
            BodyDef wall = fixed_body(box(half), place);
            wall.material = material;
            add(world, wall);
        }
    }
}

}  // namespace

TEST_CASE("a broomstick that is dropped in any pose does not end above its start") {
    Random random(2001);
    std::uint32_t renewed = 0;
    for (const float radius : {0.005f, 0.01f, 0.02f, 0.03f}) {
        for (const float spin : {0.0f, 3.0f}) {
            for (int i = 0; i < 12; ++i) {
                const quat rotation = random.rotation();
                const Drop result = drop(cylinder(0.5f, radius), rotation, spin * random.direction(), 0.0f, 2.0f, 3.0f);
                CAPTURE(radius);
                CAPTURE(spin);
                CAPTURE(i);
                CHECK(result.most_energy < 1.001);
                CHECK(result.rise < 0.001);
                renewed += result.renewed;
            }
        }
    }
    CHECK(renewed > 1000);  // their contacts were tested again within steps
}

TEST_CASE("a broomstick does not take off at other steps and sub-steps, either") {
    Random random(2002);
    struct Steps {
        float dt;
        int substeps;
    };
    for (const Steps& s : {Steps{1.0f / 60.0f, 16}, {1.0f / 240.0f, 4}, {1.0f / 30.0f, 4}, {1.0f / 60.0f, 1}}) {
        for (int i = 0; i < 6; ++i) {
            const quat rotation = random.rotation();
            const Drop result =
                drop(cylinder(0.5f, 0.01f), rotation, 3.0f * random.direction(), 0.0f, 2.0f, 3.0f, s.dt, s.substeps);
            CAPTURE(s.dt);
            CAPTURE(s.substeps);
            CAPTURE(i);
            CHECK(result.most_energy < 1.001);
        }
    }
}

TEST_CASE("thin things of all shapes gain no energy when they are dropped") {
    Random random(2003);
    const Shape shapes[] = {box({0.2f, 0.01f, 0.01f}), box({0.5f, 0.01f, 0.01f}), box({0.3f, 0.005f, 0.02f}),
                            capsule(0.5f, 0.01f),      cone(0.5f, 0.01f),         cylinder(0.005f, 0.5f),
                            box({0.5f, 0.005f, 0.3f}), cylinder(0.25f, 0.001f),   capsule(0.02f, 0.001f)};
    for (const Shape& shape : shapes) {
        for (int i = 0; i < 6; ++i) {
            const quat rotation = random.rotation();
            const Drop result = drop(shape, rotation, 3.0f * random.direction(), 0.0f, 2.0f, 3.0f);
            CAPTURE(static_cast<int>(shape.type));
            CAPTURE(bounding_radius(shape));
            CAPTURE(i);
            CHECK(result.most_energy < 1.001);
        }
    }
}

TEST_CASE("a stick that bounces gains no energy") {
    Random random(2004);
    for (const float restitution : {0.3f, 0.6f, 0.9f}) {
        for (int i = 0; i < 12; ++i) {
            const quat rotation = random.rotation();
            const Drop result =
                drop(box({0.2f, 0.01f, 0.01f}), rotation, 3.0f * random.direction(), restitution, 1.7f, 4.0f);
            CAPTURE(restitution);
            CAPTURE(i);
            CHECK(result.most_energy < 1.01);
            CHECK(result.rise < 0.01);
        }
    }
}

TEST_CASE("a stick alone in a smooth room gains no energy, and at most a tenth if its impacts lose none") {
    Random random(2005);
    for (const float restitution : {0.0f, 0.5f, 1.0f}) {
        for (int i = 0; i < 6; ++i) {
            World world(weightless());
            Material smooth;
            smooth.friction = 0.0f;
            smooth.restitution = restitution;
            add_room(world, smooth);
            BodyDef def = body(box({0.2f, 0.01f, 0.01f}));
            def.rotation = random.rotation();
            def.linear_velocity = 5.0f * random.direction();
            def.angular_velocity = 10.0f * random.direction();
            def.material = smooth;
            const BodyId id = add(world, def);
            const double start = kinetic_energy(world, id);
            double most = 0.0;
            for (int k = 0; k < 600; ++k) {
                run(world, 1);
                most = std::max(most, kinetic_energy(world, id) / start);
            }
            CAPTURE(restitution);
            CAPTURE(i);
            // Without losses, several points that bounce at once, and impacts within the step, add some per cent.
            CHECK(most < (restitution < 1.0f ? 1.001 : 1.1));
        }
    }
}

TEST_CASE("needles in a bin come to rest inside it" * doctest::test_suite("slow")) {
    Random random(2006);
    World world;
    add(world, ground());
    for (const int axis : {0, 2}) {
        for (const float side : {-1.5f, 1.5f}) {
            vec3 place(0.0f, 1.0f, 0.0f), half(1.0f);
            place[axis] = side;
            add(world, fixed_body(box(half), place));
        }
    }
    std::vector<BodyId> needles;
    double start = 0.0, most = 0.0;
    for (int i = 0; i < 60; ++i) {
        BodyDef def = body(cylinder(0.25f, 0.001f));
        def.position = random.in_box({0.2f, 0.0f, 0.2f}) + vec3(0.0f, 0.3f + 0.02f * static_cast<float>(i), 0.0f);
        def.rotation = random.rotation();
        needles.push_back(add(world, def));
        start += energy(world, needles.back());
    }
    World together = world;  // stepped by two threads
    TestPool pool(2);
    for (int k = 0; k < 600; ++k) {
        run(world, 1);
        double now = 0.0;
        for (const BodyId id : needles) now += energy(world, id);
        most = std::max(most, now);
        if (k < 120) REQUIRE(together.step(frame, pool.jobs()));
        if (k == 119) CHECK(Footprint(world) == Footprint(together));
    }
    CHECK(most < 1.01 * start);
    double moving = 0.0;
    for (const BodyId id : needles) {
        moving += kinetic_energy(world, id);
        const dvec3 p = world.center_of_mass(id);
        CAPTURE(id.slot);
        CHECK(std::max(std::abs(p.x), std::abs(p.z)) < 0.5);
        CHECK(p.y > -0.001);  // its radius
    }
    CHECK(moving < 1e-5);
}

TEST_CASE("a stick in free flight keeps its angular momentum and its energy to 0.1% however fast it spins") {
    Random random(2007);
    for (const float spin : {20.0f, 60.0f, 200.0f}) {
        for (const vec3& half : {vec3(0.2f, 0.01f, 0.01f), vec3(1.0f, 0.01f, 0.02f), vec3(0.3f, 0.01f, 0.2f)}) {
            World world(weightless());
            BodyDef def = body(box(half));
            def.rotation = random.rotation();
            def.angular_velocity = spin * random.direction();
            const BodyId id = add(world, def);
            const double energy_then = kinetic_energy(world, id);
            const glm::dvec3 momentum_then = spin_momentum(world, id);
            for (int k = 0; k < 600; ++k) {
                run(world, 1);
                if (k % 50 != 0) continue;
                CAPTURE(spin);
                CAPTURE(half.x);
                CAPTURE(k);
                CHECK(kinetic_energy(world, id) == doctest::Approx(energy_then).epsilon(1e-3));
                CHECK(glm::length(spin_momentum(world, id) - momentum_then) < 1e-3 * glm::length(momentum_then));
            }
        }
    }
}

TEST_CASE("a stick that a smooth table holds down spins on without gaining or losing") {
    // It has contacts, so its rotation is computed in the solver's lanes, not alone in double.
    WorldDef settings = sleepless();
    World world(settings);
    BodyDef floor = ground();
    floor.material.friction = 0.0f;
    add(world, floor);
    BodyDef def = body(cylinder(0.5f, 0.02f), {0.0f, 0.02f, 0.0f});
    def.rotation = turn({0, 0, 1}, 0.5 * pi);
    def.angular_velocity = {0.0f, 20.0f, 0.0f};
    def.material.friction = 0.0f;
    const BodyId id = add(world, def);
    run(world, 600);
    CHECK(world.angular_velocity(id).y == doctest::Approx(20.0).epsilon(1e-3));
    CHECK(world.center_of_mass(id).y == doctest::Approx(0.02).epsilon(0.05));
}

TEST_CASE("what is chunky and slow has its contacts found once a step") {
    World world(sleepless());
    add(world, ground());
    for (int i = 0; i < 5; ++i) add(world, crate({0.0f, 0.5f + static_cast<float>(i), 0.0f}));
    for (int k = 0; k < 60; ++k) {
        run(world, 1);
        CHECK(world.profile().renewed_contacts == 0);
    }
}
