// Articulations that are solved side by side move like the same articulations that are solved one after the other. The
// solver for one articulation is the oracle.

#include "tests/engine/joints/joints.h"

#include <functional>

using namespace talus;
using namespace talus::test;

namespace {

WorldDef with_batches(bool enabled) {
    WorldDef def = sleepless();
    def.enable_joint_batches = enabled;
    return def;
}

/// Joins two bodies at `at` by a joint of one of the kinds that batches know, with limits and motors.
void join(World& world, Random& random, std::uint32_t kind, BodyId a, BodyId b, const dvec3& at) {
    const vec3 axis = random.direction();
    const JointFrames frames = world.joint_frames(a, b, at, axis);
    const float range = random.between(0.02f, 1.0f);
    JointMotor motor;
    motor.speed = random.between(-3.0f, 3.0f);
    motor.max_force = random.between(0.0f, 20.0f);
    switch (kind) {
        case 0:
            return void(add(world, BallDef{.frames = frames}));
        case 1:
            return void(add(world, BallDef{.frames = frames, .cone = range, .twist = {-range, 0.5f * range}}));
        case 2:
            return void(add(world, HingeDef{.frames = frames, .limit = {-range, range}}));
        case 3:
            return void(add(world, HingeDef{.frames = frames, .motor = motor}));
        case 4:
            return void(
                add(world, SliderDef{.frames = frames, .limit = {-0.1f * range, 0.1f * range}, .motor = motor}));
        case 5:
            return void(add(world, FixedDef{.frames = frames}));
        case 6:
            return void(add(world, DistanceDef{.frames = frames, .length = {0.0f, 0.0f}}));
        case 7: {
            const JointSpring spring{.hertz = random.between(0.5f, 20.0f), .damping_ratio = random.between(0.0f, 1.0f)};
            return void(add(world, SliderDef{.frames = frames, .limit = {-range, range}, .spring = spring}));
        }
        case 8: {
            WheelDef def{.frames = frames, .travel = {-0.1f * range, 0.1f * range}, .motor = motor};
            def.steering = {-range, range};
            def.steering_servo = {.hertz = 8.0f, .target = 0.5f * range, .max_force = 20.0f};
            return void(add(world, def));
        }
        default: {
            SixDofDef def{.frames = frames};
            def.turn_x.limit = def.turn_y.limit = {-range, range};
            def.move_z.limit = {-0.1f * range, 0.1f * range};
            return void(add(world, def));
        }
    }
}
constexpr std::uint32_t kinds = 10;

/// A vector of a random direction and length. Statements, because the order of a call's arguments is the compiler's
/// choice.
vec3 some_vector(Random& random, float shortest, float longest) {
    const vec3 direction = random.direction();
    return random.between(shortest, longest) * direction;
}

/// Adds a tree of bodies, with joints whose kinds follow from `shape` alone, so that trees with the same `shape` have the
/// same layout. All else follows from `state`.
std::vector<BodyId> add_tree(World& world, std::uint64_t shape, std::uint64_t state, const dvec3& origin,
                             bool collides = false) {
    Random form(shape), random(state);
    const std::uint32_t count = 2 + form.below(7);
    std::vector<BodyId> bodies;
    const bool anchored = form.below(2) == 0;
    bodies.push_back(anchored ? anchor_body(world, origin) : add(world, ghost(body(box({0.2f, 0.1f, 0.15f}), origin))));
    for (std::uint32_t i = 1; i < count; ++i) {
        const std::size_t parent = form.below(i);
        const dvec3 at = displaced(world.center_of_mass(bodies[parent]), some_vector(random, 0.2f, 0.4f));
        const dvec3 center = displaced(at, some_vector(random, 0.1f, 0.3f));
        const float width = random.between(0.05f, 0.2f), depth = random.between(0.05f, 0.2f);
        BodyDef def = body(box({width, 0.1f, depth}), center);
        if (!collides) def = ghost(def);
        def.rotation = turn(random.direction(), 2.0);
        def.linear_velocity = some_vector(random, 0.0f, 3.0f);
        def.angular_velocity = some_vector(random, 0.0f, 6.0f);
        bodies.push_back(add(world, def));
        join(world, random, form.below(kinds), bodies[parent], bodies.back(), at);
    }
    return bodies;
}

}  // namespace

TEST_CASE("trees of joints in batches move like the same trees alone") {
    // Rounding decides where a limit or a bound on the energy is just reached, so a few bodies may differ by more.
    std::size_t count = 0, apart = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        World side_by_side(with_batches(true)), alone(with_batches(false));
        std::vector<BodyId> bodies, same;
        // Three layouts: of five trees, of four, and of one.
        for (std::uint64_t i = 0; i < 10; ++i) {
            const std::uint64_t shape = 3 * seed + (i < 5 ? 0u : i < 9 ? 1u : 2u), state = 100 * seed + i;
            const dvec3 origin(10.0 * static_cast<double>(i), 0.0, 0.0);
            for (const BodyId id : add_tree(side_by_side, shape, state, origin)) bodies.push_back(id);
            for (const BodyId id : add_tree(alone, shape, state, origin)) same.push_back(id);
        }
        run(side_by_side, 6);
        run(alone, 6);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            CAPTURE(i);
            const double moved = size(side_by_side.center_of_mass(bodies[i]) - alone.center_of_mass(same[i]));
            ++count;
            if (moved > 2e-6) ++apart;
            CHECK(moved < 5e-3);
            CHECK(size(side_by_side.linear_velocity(bodies[i]) - alone.linear_velocity(same[i])) < 0.2f);
            CHECK(size(side_by_side.angular_velocity(bodies[i]) - alone.angular_velocity(same[i])) < 1.0f);
        }
        const std::vector<JointId> joints = side_by_side.joints(), same_joints = alone.joints();
        for (std::size_t i = 0; i < joints.size(); ++i) {
            CAPTURE(i);
            const vec3 force = side_by_side.joint_force(joints[i]), same_force = alone.joint_force(same_joints[i]);
            CHECK(size(force - same_force) < 0.05f * size(same_force) + 1.0f);
            CHECK(std::abs(side_by_side.joint_coordinate(joints[i]) - alone.joint_coordinate(same_joints[i])) < 0.05f);
        }
    }
    MESSAGE(apart << " of " << count << " bodies differ by more than 2 um");
    CHECK(apart < count / 100);
}

TEST_CASE("trees of joints that fall on each other move in batches as they move alone, step by step" *
          doctest::test_suite("slow")) {
    // Each step starts from the same state, so that small differences cannot grow. Where a limit, a bound or a contact is
    // just reached, rounding decides.
    WorldDef alone = with_batches(false);
    std::size_t count = 0, apart = 0, passes = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        CAPTURE(seed);
        World world(with_batches(true));
        add(world, fixed_body(box({20.0f, 0.5f, 20.0f}), {0, -0.5f, 0}));
        std::vector<BodyId> bodies;
        for (std::uint64_t i = 0; i < 9; ++i) {
            const vec3 origin(0.8f * static_cast<float>(i % 3), 1.5f + 0.5f * static_cast<float>(i),
                              0.8f * static_cast<float>(i / 3));
            for (const BodyId id : add_tree(world, seed + i / 5, 100 * seed + i, origin, true)) bodies.push_back(id);
        }
        for (int step = 0; step < 90; ++step) {
            CAPTURE(step);
            World same = world;
            REQUIRE(same.set_settings(alone));
            run(world, 1);
            run(same, 1);
            REQUIRE(same.profile().joints.passes_alone >= 2 * 9 * same.profile().substeps);
            passes += world.profile().joints.passes_alone;
            for (const BodyId id : bodies) {
                CAPTURE(id.slot);
                const float linear = size(world.linear_velocity(id) - same.linear_velocity(id));
                const float angular = size(world.angular_velocity(id) - same.angular_velocity(id));
                ++count;
                if (linear > 1e-3f || angular > 1e-2f) ++apart;
            }
        }
    }
    MESSAGE(apart << " of " << count << " velocities differ; " << passes << " passes alone");
    CHECK(apart < count / 100);
}

TEST_CASE("equal chains are all solved in batches, and none where batches are switched off") {
    for (const bool enabled : {true, false}) {
        World world(with_batches(enabled));
        for (int i = 0; i < 6; ++i) {
            BodyId above = anchor_body(world, {static_cast<float>(i), 0, 0});
            for (int k = 0; k < 5; ++k) {
                const dvec3 at(i + 0.2 * k, 0, 0);
                const BodyId below = add(world, ghost(body(capsule(0.07f, 0.02f), at + dvec3(0.1, 0, 0))));
                add(world, BallDef{.frames = world.joint_frames(above, below, at)});
                above = below;
            }
        }
        run(world, 30);
        const JointProfile& joints = world.profile().joints;
        CHECK(joints.articulations == 6);
        CHECK(joints.passes_alone == (enabled ? 0u : 2u * 6u * world.profile().substeps));
    }
}

TEST_CASE("a tree of joints moves the same way to the bit whatever it shares its batch with") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        World single(with_batches(true)), several(with_batches(true));
        const std::vector<BodyId> bodies = add_tree(single, seed, 7, dvec3(0.0));
        const std::vector<BodyId> same = add_tree(several, seed, 7, dvec3(0.0));
        for (int i = 1; i < 7; ++i) add_tree(several, seed, 7 + static_cast<std::uint64_t>(i), dvec3(20.0 * i, 0, 0));
        run(single, 60);
        run(several, 60);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            CHECK(single.center_of_mass(bodies[i]) == several.center_of_mass(same[i]));
            CHECK(single.linear_velocity(bodies[i]) == several.linear_velocity(same[i]));
        }
    }
}

TEST_CASE("joints in batches follow changes of their definitions and of their bodies from the next step on") {
    // Each change is made in the middle of a run, to one of five equal trees.
    const std::function<void(World&, BodyId, JointId)> changes[] = {
        [](World& world, BodyId, JointId joint) {
            REQUIRE(world.set_joint_motor(joint, {2.0f, 50.0f}));
        },
        [](World& world, BodyId, JointId joint) {
            REQUIRE(world.set_joint_limit(joint, {-0.05f, 0.05f}));
        },
        [](World& world, BodyId body_of_joint, JointId) { REQUIRE(world.set_locks(body_of_joint, lock_z)); },
        [](World& world, BodyId body_of_joint, JointId) {
            REQUIRE(world.set_mass(body_of_joint, 10.0f * world.mass(body_of_joint)));
        },
        [](World& world, BodyId body_of_joint, JointId) { REQUIRE(world.remove_body(body_of_joint)); },
    };
    for (std::size_t c = 0; c < std::size(changes); ++c) {
        CAPTURE(c);
        World side_by_side(with_batches(true)), alone(with_batches(false));
        std::vector<BodyId> bodies[2];
        for (World* const world : {&side_by_side, &alone}) {
            std::vector<BodyId>& own = bodies[world == &alone ? 1 : 0];
            std::vector<JointId> hinges;
            for (int i = 0; i < 5; ++i) {
                BodyId above = anchor_body(*world, {2.0f * static_cast<float>(i), 0, 0});
                for (int k = 0; k < 3; ++k) {
                    const dvec3 at(2.0 * i + 0.4 * k, 0, 0);
                    own.push_back(add(*world, ghost(body(box({0.2f, 0.05f, 0.1f}), at + dvec3(0.2, 0, 0)))));
                    hinges.push_back(
                        add(*world, HingeDef{.frames = world->joint_frames(above, own.back(), at, {0, 0, 1}),
                                             .limit = {-2.0f, 2.0f}}));
                    above = own.back();
                }
            }
            run(*world, 10);
            changes[c](*world, own[7], hinges[7]);
            run(*world, 10);
        }
        for (std::size_t i = 0; i < bodies[0].size(); ++i) {
            CAPTURE(i);
            CHECK(size(side_by_side.center_of_mass(bodies[0][i]) - alone.center_of_mass(bodies[1][i])) < 1e-4);
        }
    }
}

TEST_CASE("joints whose limits are switched on and off in hundreds of ways stay in batches and move like those alone") {
    // More ways than layouts are kept.
    constexpr unsigned count = 8, ways = 200;
    World side_by_side(with_batches(true)), alone(with_batches(false));
    std::vector<JointId> hinges[2];
    std::vector<BodyId> bodies[2];
    for (World* const world : {&side_by_side, &alone}) {
        const std::size_t at = world == &alone ? 1 : 0;
        BodyId above = anchor_body(*world);
        for (unsigned k = 0; k < count; ++k) {
            const dvec3 place(0.4 * k, 0, 0);
            bodies[at].push_back(add(*world, ghost(body(box({0.2f, 0.05f, 0.1f}), place + dvec3(0.2, 0, 0)))));
            REQUIRE(world->set_damping(bodies[at].back(), 0.5f, 0.5f));
            hinges[at].push_back(
                add(*world, HingeDef{.frames = world->joint_frames(above, bodies[at].back(), place, {0, 0, 1})}));
            above = bodies[at].back();
        }
    }
    for (unsigned way = 0; way < ways; ++way) {
        for (World* const world : {&side_by_side, &alone}) {
            for (unsigned k = 0; k < count; ++k) {
                const bool limited = (way >> k & 1u) != 0;
                const JointLimit limit = limited ? JointLimit{-3.0f, 3.0f} : JointLimit{};
                REQUIRE(world->set_joint_limit(hinges[world == &alone ? 1 : 0][k], limit));
            }
            run(*world, 1);
        }
        REQUIRE(side_by_side.profile().joints.passes_alone == 0);
        if (way >= 20) continue;  // later the chain whips about, and rounding grows
        for (unsigned k = 0; k < count; ++k) {
            CAPTURE(way);
            CHECK(size(side_by_side.center_of_mass(bodies[0][k]) - alone.center_of_mass(bodies[1][k])) < 1e-4);
        }
    }
    for (const BodyId id : bodies[0]) CHECK(size(side_by_side.center_of_mass(id)) < 0.4 * count + 0.1);
}
