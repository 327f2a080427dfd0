// Joints with more rows than degrees of freedom: locks beside joints, several joints on one pair of bodies, loops with
// limits. They must not create energy, and forces must stay those of the load.

#include "tests/engine/limits.h"

#include "tests/engine/joints/joints.h"

#include <limits>

using namespace talus;
using namespace talus::test;

namespace {

struct Course {
    double gain = 0.0;   ///< energy above that at the start, over weight times extent
    double force = 0.0;  ///< largest component of a joint's force or torque, N or N m
};

/// Steps the world and keeps a ledger of its energy. The scale is the motion and height that the world had.
Course follow(World& world, int steps, double height) {
    Course course;
    double mass = 0.0, start = energy(world), motion = 0.0;
    for (const BodyId id : world.bodies()) {
        if (world.type(id) != BodyType::dynamic) continue;
        mass += static_cast<double>(world.mass(id));
        motion += kinetic_energy(world, id);
    }
    const double scale = motion + 9.81 * mass * height;
    for (int i = 0; i < steps; ++i) {
        run(world, 1);
        const double gain = (energy(world) - start) / scale;
        course.gain = std::max(course.gain, gain < 1e30 ? gain : std::numeric_limits<double>::infinity());
        for (const JointId id : world.joints()) {
            const vec3 force = glm::abs(world.joint_force(id)), torque = glm::abs(world.joint_torque(id));
            for (int k = 0; k < 3; ++k)
                course.force = std::max({course.force, static_cast<double>(force[k]), static_cast<double>(torque[k])});
        }
    }
    return course;
}

Shape some_shape(Random& random, float size) {
    const auto length = [&](float low, float high) { return size * random.between(low, high); };
    const float a = length(0.2f, 1.0f), b = length(0.2f, 1.0f), c = length(0.2f, 1.0f);
    switch (random.below(3)) {
        case 0:
            return box({a, b, c});
        case 1:
            return capsule(a, 0.4f * b);
        default:
            return sphere(0.3f * size + 0.7f * a);
    }
}

/// A random joint that the present poses of the two bodies satisfy, with random limits around these.
JointDef some_joint(World& world, Random& random, BodyId a, BodyId b, const dvec3& at, const vec3& axis, bool limited) {
    const JointFrames frames = world.joint_frames(a, b, at, axis);
    const auto limit = [&](float size) {
        return limited ? JointLimit{-random.between(0.0f, size), random.between(0.0f, size)} : JointLimit{};
    };
    switch (random.below(6)) {
        case 0: {
            BallDef def{.frames = frames, .twist = limit(1.5f)};
            if (limited) def.cone = random.between(0.05f, 1.5f);
            return def;
        }
        case 1:
            return SliderDef{.frames = frames, .limit = limit(0.3f)};
        case 2: {
            const JointFrames other = world.joint_frames(a, b, displaced(at, 0.5f * random.direction()), axis);
            return DistanceDef{.frames = {a, b, frames.frame_a, other.frame_b}};
        }
        case 3: {
            SixDofDef def{.frames = frames};
            def.move_x.limit = limit(0.2f);
            def.turn_y.limit = limit(1.0f);
            def.turn_z.limit = limit(1.0f);
            return def;
        }
        default:
            return HingeDef{.frames = frames, .limit = limit(1.5f)};
    }
}

BodyDef some_body(Random& random, float size, const dvec3& position, float spread) {
    BodyDef def = body(some_shape(random, size), position);
    def.rotation = random.rotation();
    def.density = 1000.0f * std::exp(random.between(-spread, spread));
    return def;
}

}  // namespace

TEST_CASE("a pendulum on a hinge swings as well when locks keep it in its plane" * doctest::test_suite("slow")) {
    // The hinge's rows and the locks ask for the same. The remaining response of the rows was rounding, and dividing by
    // it froze the pendulum; ten bars lost a million joules.
    for (const int bars : {1, 3, 10}) {
        for (const float tilt : {0.0f, 0.7f}) {
            CAPTURE(bars);
            CAPTURE(tilt);
            const auto hang = [&](World& world, int locks, bool limited) {
                BodyId above = anchor_body(world);
                const vec3 along = {std::cos(tilt), std::sin(tilt), 0.0f};
                for (int i = 0; i < bars; ++i) {
                    BodyDef def =
                        ghost(body(box({0.25f, 0.05f, 0.03f}), (0.25f + 0.5f * static_cast<float>(i)) * along));
                    def.rotation = turn({0, 0, 1}, static_cast<double>(tilt));
                    def.locks = static_cast<std::uint8_t>(locks);
                    const BodyId below = add(world, def);
                    HingeDef hinge{
                        .frames = world.joint_frames(above, below, 0.5f * static_cast<float>(i) * along, {0, 0, 1})};
                    if (limited) hinge.limit = {-1.2f, 1.2f};
                    add(world, hinge);
                    above = below;
                }
                return above;
            };
            for (const bool limited : {false, true}) {
                CAPTURE(limited);
                World free(sleepless());
                const BodyId free_end = hang(free, 0, limited);
                run(free, 30);
                for (const int locks : {int(lock_to_plane_xy), int(lock_turn_x), int(lock_turn_y), int(lock_z),
                                        lock_turn_x | lock_turn_y, lock_z | lock_turn_x}) {
                    CAPTURE(locks);
                    World world(sleepless());
                    const BodyId end = hang(world, locks, limited);
                    run(world, 30);
                    CHECK(size(world.center_of_mass(end) - free.center_of_mass(free_end)) < 2e-3);
                    const Course course = follow(world, 270, 0.5 * bars);
                    CHECK(course.gain < 0.03);
                    CHECK(course.force < 1e5);
                }
            }
        }
    }
}

TEST_CASE("several joints on one pair of bodies make no energy and no endless forces" * doctest::test_suite("slow")) {
    // Two joints on two otherwise free bodies counted as a tree, and a direct solve without slack divided by rounding:
    // 1e19 N.
    double worst = 0.0, strongest = 0.0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        CAPTURE(seed);
        Random random(7000 + seed);
        World world(sleepless());
        const bool falls = random.below(2) == 0, limited = random.below(4) != 0;
        const float size = random.between(0.1f, 0.5f), y = falls ? 2.0f : 0.0f;
        if (falls) add(world, ground());
        const BodyDef first = some_body(random, size, {0, y, 0}, 0.0f);
        const dvec3 beside = displaced(first.position, 1.5f * size * random.direction());
        const BodyDef second = some_body(random, 0.6f * size, beside, 3.0f);
        const BodyId a = add(world, first), b = add(world, second);
        REQUIRE(world.set_angular_velocity(a, 3.0f * random.direction()));
        if (!falls) add(world, BallDef{.frames = world.joint_frames(anchor_body(world), a, first.position)});
        const dvec3 middle = midway(first.position, second.position);
        const vec3 axis = random.direction();
        for (int i = 2 + static_cast<int>(random.below(2)); i > 0; --i) {
            const std::uint32_t where = random.below(3);
            const vec3 off = where == 0   ? vec3(0.0f)
                             : where == 1 ? size * random.between(-1.0f, 1.0f) * axis
                                          : 0.3f * size * random.direction();
            const dvec3 at = displaced(middle, off);
            add(world, some_joint(world, random, a, b, at, random.below(3) == 0 ? random.direction() : axis, limited));
        }
        const Course course = follow(world, 180, static_cast<double>(y + 2.0f * size));
        CHECK(course.gain < 0.03);
        CHECK(course.force < 1e9);
        worst = std::max(worst, course.gain);
        strongest = std::max(strongest, course.force);
    }
    hold("two or three joints on two bodies, energy gained", worst);
    hold("two or three joints on two bodies, force", strongest);
}

TEST_CASE("loops of any joints make no energy and no endless forces" * doctest::test_suite("slow")) {
    // An opening of a tenth of a millimetre along a nearly redundant combination of rows became a speed of 10 m/s.
    double worst = 0.0, strongest = 0.0;
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        CAPTURE(seed);
        Random random(8000 + seed);
        World world(sleepless());
        const bool falls = random.below(2) == 0, limited = random.below(2) == 0, flat = random.below(3) == 0;
        const auto count = static_cast<int>(3 + random.below(6));
        const float size = random.between(0.1f, 0.4f), radius = 0.5f * size * static_cast<float>(count);
        const float y = falls ? 3.0f : 0.0f;
        if (falls) add(world, ground());
        std::vector<BodyId> ids;
        std::vector<vec3> places;
        for (int i = 0; i < count; ++i) {
            const double angle = 2.0 * pi * i / count;
            const vec3 at(radius * static_cast<float>(std::cos(angle)),
                          y + radius * static_cast<float>(std::sin(angle)), flat ? 0.0f : random.between(-size, size));
            BodyDef def = some_body(random, size, at, 2.0f);
            if (flat) def.rotation = quat(1, 0, 0, 0);
            if (!falls) def.filter.mask = 0;
            places.push_back(at);
            ids.push_back(add(world, def));
        }
        const auto tie = [&](std::size_t a, std::size_t b) {
            const vec3 at = 0.5f * (places[a] + places[b]);
            const vec3 axis = flat ? vec3(0, 0, 1) : random.direction();
            if (flat) {
                add(world, HingeDef{.frames = world.joint_frames(ids[a], ids[b], at, axis),
                                    .limit = limited ? JointLimit{-0.5f, 0.7f} : JointLimit{}});
            } else {
                add(world, some_joint(world, random, ids[a], ids[b], at, axis, limited));
            }
        };
        for (std::size_t i = 0; i < ids.size(); ++i) tie(i, (i + 1) % ids.size());
        for (std::uint32_t i = random.below(3); i > 0; --i) {
            const std::size_t a = random.below(static_cast<std::uint32_t>(count));
            tie(a, (a + 1 + random.below(static_cast<std::uint32_t>(count - 1))) % ids.size());
        }
        if (!falls) add(world, BallDef{.frames = world.joint_frames(anchor_body(world), ids[0], places[0])});
        const Course course = follow(world, 180, static_cast<double>(y + 2.0f * radius));
        CHECK(course.gain < 0.03);
        CHECK(course.force < 1e9);
        worst = std::max(worst, course.gain);
        strongest = std::max(strongest, course.force);
    }
    hold("loops of joints, energy gained", worst);
    hold("loops of joints, force", strongest);
}

// The rows that the locks of the bodies make redundant had only rounding left. Along the spring's axis, that made the
// spring 2,800 times too stiff, and mechanisms with springs gained up to 65 times their energy when they landed.
TEST_CASE("a spring has the stiffness of its frequency in a plane that locks keep, too") {
    Random random(61);
    for (int i = 0; i < 50; ++i) {
        const float tilt = random.between(-3.0f, 3.0f), thin = random.between(0.05f, 0.2f);
        const float hertz = random.between(0.5f, 8.0f), mass = std::pow(100.0f, random.between(0.0f, 1.0f));
        const auto stiffness_with = [&](std::uint8_t locks) {
            World world(weightless());
            BodyId bodies[2];
            for (int k = 0; k < 2; ++k) {
                BodyDef def = ghost(body(capsule(0.3f, thin)));
                const float at = 0.6f * static_cast<float>(k);
                def.position = {at * std::cos(tilt), at * std::sin(tilt), 0.0f};
                def.rotation = turn({0, 0, 1}, static_cast<double>(tilt) + 0.3 * k);
                def.locks = locks;
                bodies[k] = add(world, def);
            }
            REQUIRE(world.set_mass(bodies[1], mass));
            const vec3 at{0.3f * std::cos(tilt), 0.3f * std::sin(tilt), 0.0f};
            HingeDef hinge{.frames = world.joint_frames(bodies[0], bodies[1], at, {0.0f, 0.0f, 1.0f})};
            hinge.spring = {.hertz = hertz, .damping_ratio = 0.3f};
            const JointId joint = add(world, hinge);
            run(world, 1);
            return world.joint_stiffness(joint);
        };
        CAPTURE(i);
        CHECK(stiffness_with(lock_to_plane_xy) == doctest::Approx(stiffness_with(0)).epsilon(0.01));
    }
}

// A stiff group solved the rows of joint limits without their bounds, and removed the excess afterwards. For nearly
// redundant rows the excess was thousands of N s: bodies that lay on the ground were up to 33 m away one step later, in
// 4 of these worlds.
TEST_CASE("mechanisms in a plane with unequal masses do not jump when they land" * doctest::test_suite("slow")) {
    int with_limits = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        Random random(seed);
        World world;
        add(world, ground());
        std::vector<BodyId> ids;
        const int count = 2 + static_cast<int>(random.below(5));
        float top = 0.5f;
        for (int i = 0; i < count; ++i) {
            const float size = 0.05f * std::pow(8.0f, random.between(0.0f, 1.0f));
            const float thin = 0.05f * std::pow(20.0f, random.between(0.0f, 1.0f));
            const Shape shapes[] = {box({size, thin * size, thin * size}), box({size, thin * size, size}),
                                    capsule(size, thin * size), cylinder(size, thin * size)};
            BodyDef def = body(shapes[random.below(4)], {random.between(-0.05f, 0.05f), top + 1.3f * size, 0.0f});
            top += 2.6f * size + 0.02f;
            def.locks = lock_to_plane_xy;
            ids.push_back(add(world, def));
            REQUIRE(world.set_mass(ids.back(), std::pow(100.0f, random.between(0.0f, 1.0f))));
            if (i == 0) continue;
            const BodyId one = ids[ids.size() - 2], two = ids.back();
            const dvec3 at = midway(world.center_of_mass(one), world.center_of_mass(two));
            const JointFrames frames = world.joint_frames(one, two, at, {0.0f, 0.0f, 1.0f});
            const bool along_x = random.below(2) == 0;
            HingeDef hinge{.frames = frames};
            if (random.below(2) == 0) hinge.limit = JointLimit{-random.between(0.0f, 2.0f), random.between(0.0f, 2.0f)};
            switch (random.below(5)) {
                case 0:
                    add(world, BallDef{.frames = frames});
                    break;
                case 1:
                    add(world, hinge);
                    break;
                case 2:
                    add(world, FixedDef{.frames = frames});
                    break;
                case 3:
                    add(world, DistanceDef{.frames = {.body_a = one, .body_b = two}});
                    break;
                default:
                    add(world,
                        SliderDef{.frames = world.joint_frames(one, two, at, along_x ? vec3(1, 0, 0) : vec3(0, 1, 0)),
                                  .limit = JointLimit{-0.2f, 0.2f}});
                    ++with_limits;
            }
        }
        const double start = energy(world);
        std::vector<dvec3> before;
        for (int step = 0; step < 240; ++step) {
            before.clear();
            for (const BodyId id : ids) before.push_back(world.center_of_mass(id));
            run(world, 1);
            CAPTURE(seed);
            CAPTURE(step);
            for (std::size_t i = 0; i < ids.size(); ++i)
                REQUIRE(glm::distance(before[i], world.center_of_mass(ids[i])) < 0.3);  // 18 m/s
            REQUIRE(energy(world) < 1.02 * start);
        }
    }
    CHECK(with_limits > 50);
}

// Only in trees of bodies without locks, joints that an impact had opened were closed before the step ended. In 57 of
// these 200 worlds a joint was open by more than 5 mm, by up to 10 cm. One still is (12 mm): closing it would lift the
// links by more than their motion has energy for.
TEST_CASE("joints of loops and of chains in a plane are closed again in the step in which they land" *
          doctest::test_suite("slow")) {
    int wide = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        World world;
        add(world, ground());
        const bool flat = seed % 2 == 0;
        const int count = 3 + static_cast<int>(random.below(6));
        const float radius = flat ? 0.0f : 0.2f * static_cast<float>(count);
        std::vector<BodyId> ids;
        for (int i = 0; i < count; ++i) {
            const double angle = 2.0 * pi * i / count;
            const vec3 place = flat ? vec3(0.4f * static_cast<float>(i), 1.5f, 0.0f)
                                    : vec3(radius * static_cast<float>(std::cos(angle)),
                                           1.5f + radius * (1.0f + static_cast<float>(std::sin(angle))), 0.0f);
            const float thin = random.between(0.03f, 0.1f);
            const Shape shapes[] = {capsule(0.15f, thin), box({0.15f, thin, thin}), sphere(0.15f)};
            BodyDef def = body(shapes[random.below(3)], place);
            if (flat) def.locks = lock_to_plane_xy;
            if (!flat) def.rotation = random.rotation();
            def.linear_velocity = vec3(random.between(-3.0f, 3.0f), random.between(-6.0f, 0.0f), 0.0f);
            ids.push_back(add(world, def));
            REQUIRE(world.set_mass(ids.back(), std::pow(100.0f, random.between(0.0f, 1.0f))));
        }
        std::vector<JointId> joints;
        for (std::size_t i = flat ? 1 : 0; i < ids.size(); ++i) {
            const BodyId one = ids[i == 0 ? ids.size() - 1 : i - 1], two = ids[i];
            const dvec3 at = midway(world.center_of_mass(one), world.center_of_mass(two));
            const JointFrames frames = world.joint_frames(one, two, at, flat ? vec3(0, 0, 1) : random.direction());
            joints.push_back(random.below(2) == 0 ? add(world, HingeDef{.frames = frames, .limit = {-0.8f, 0.8f}})
                                                  : add(world, BallDef{.frames = frames}));
        }
        double open = 0.0;
        for (int step = 0; step < 120; ++step) {
            run(world, 1);
            for (const JointId id : joints) open = std::max(open, gap(world, world.frames(id)));
        }
        CAPTURE(seed);
        CHECK(open < 0.02);
        wide += open > 5e-3;
    }
    CHECK(wide <= 1);
}

TEST_CASE("a spring at a body that may turn and not move turns it, and its force has an end where its lever arm is 0") {
    for (int seed = 0; seed < 8; ++seed) {
        Random random(40 + seed);
        World world(sleepless());
        const BodyId wall = anchor_body(world, {-2, 1, 0.3f});
        BodyDef def = ghost(body(cone(0.3f, 0.35f), vec3(0.3f) * random.direction() + vec3(0, 2, 0)));
        def.locks = lock_x | lock_y | lock_z | (seed % 2 == 0 ? lock_turn_y : 0);
        const BodyId id = add(world, def);
        // Towards its rest position the pull rotates the body until the lever arm is gone. Then the spring moves no
        // mass.
        DistanceDef joint;
        joint.frames.body_a = wall;
        joint.frames.body_b = id;
        joint.frames.frame_b.position = 0.2f * random.direction();
        joint.length = {0.0f, unlimited};
        joint.spring = {.hertz = 1.0f + 4.0f * random.unit(), .damping_ratio = 0.2f + random.unit()};
        joint.rest_length = 1.0f;
        const JointId spring = add(world, JointDef(joint));
        const float mass = world.mass(id);
        float most = 0.0f, fastest = 0.0f;
        for (int step = 0; step < 240; ++step) {
            run(world, 1);
            most = std::max(most, size(world.joint_force(spring)));
            fastest = std::max(fastest, size(world.angular_velocity(id)));
        }
        CAPTURE(seed);
        INFO("per mass at most ", most / mass, " m/s^2");
        CHECK(fastest > 0.5f);  // the spring rotates it
        CHECK(most / mass < 1e8f);
        CHECK(is_finite(world.angular_velocity(id)));
    }
}

TEST_CASE("a four-bar linkage that turns keeps its energy") {
    // Redundant rows (the two across the plane of each hinge) in a loop that moves. The measures that keep other loops
    // from creating energy must not remove any here. The crank rotates, the rocker swings.
    for (const float speed : {2.0f, 10.0f, 30.0f}) {
        CAPTURE(speed);
        World world(weightless());
        const BodyId anchor = anchor_body(world);
        const vec3 corners[] = {{0, 0, 0}, {0, 0.3f, 0}, {0.9f, 0.7f, 0}, {1.0f, 0, 0}};
        BodyId before = anchor;
        std::vector<BodyId> bars;
        for (int i = 0; i < 3; ++i) {
            const vec3 way = corners[i + 1] - corners[i];
            BodyDef def = ghost(body(box({0.5f * size(way), 0.03f, 0.03f}), 0.5f * (corners[i] + corners[i + 1])));
            def.rotation = turn({0, 0, 1}, std::atan2(static_cast<double>(way.y), static_cast<double>(way.x)));
            bars.push_back(add(world, def));
            add(world, HingeDef{.frames = world.joint_frames(before, bars.back(), corners[i], {0, 0, 1})});
            before = bars.back();
        }
        add(world, HingeDef{.frames = world.joint_frames(before, anchor, corners[3], {0, 0, 1})});
        REQUIRE(world.set_angular_velocity(bars[0], {0, 0, 20.0f * speed}));
        run(world, 1);
        const double start = energy(world);
        double least = start, most = start;
        for (int i = 0; i < 600; ++i) {
            run(world, 1);
            least = std::min(least, energy(world));
            most = std::max(most, energy(world));
        }
        MESSAGE("turns at " << size(world.angular_velocity(bars[0])) << " rad/s; energy " << start << " J, then from "
                            << least / start << " to " << most / start);
        CHECK(most < 1.03 * start);
        CHECK(energy(world) > 0.9 * start);
    }
}

TEST_CASE("joints that contradict each other come together without a jump" * doctest::test_suite("slow")) {
    double fastest = 0.0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        Random random(9000 + seed);
        World world(weightless());
        std::vector<BodyId> ids;
        for (int i = 0; i < 3; ++i)
            ids.push_back(add(world, ghost(some_body(random, 0.3f, {0.6f * static_cast<float>(i), 0, 0}, 1.0f))));
        const float off = seed % 3 == 0 ? 0.05f : seed % 3 == 1 ? 0.3f : 1.0f;
        for (std::size_t i = 0; i < 2; ++i) {
            for (int k = 0; k < 2; ++k) {
                JointFrames frames =
                    world.joint_frames(ids[i], ids[i + 1], {0.3f + 0.6f * static_cast<float>(i), 0, 0});
                frames.frame_b.position += off * random.direction();
                frames.frame_b.rotation =
                    multiply(frames.frame_b.rotation, turn(random.direction(), static_cast<double>(off)));
                if (random.below(3) != 0) {
                    add(world, FixedDef{.frames = frames});
                } else {
                    add(world, HingeDef{.frames = frames});
                }
            }
        }
        for (int i = 0; i < 300; ++i) {
            run(world, 1);
            for (const BodyId id : ids)
                fastest = std::max(fastest, static_cast<double>(size(world.linear_velocity(id))));
        }
        for (const BodyId id : ids) CHECK(size(world.linear_velocity(id)) < 0.1f);
    }
    MESSAGE("fastest " << fastest << " m/s");
    CHECK(fastest < 1.0);
}

TEST_CASE("no body is faster than the world allows or than itself allows whatever joints and contacts do" *
          doctest::test_suite("slow")) {
    // Contacts are solved last in a sub-step, and the world's limit was applied before them: 6e8 m/s.
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        Random random(9500 + seed);
        World world(sleepless());
        add(world, ground());
        const bool own = seed % 2 == 0;
        const auto count = static_cast<int>(3 + random.below(8));
        std::vector<BodyId> ids;
        for (int i = 0; i < count; ++i) {
            BodyDef def = some_body(random, 0.3f,
                                    {0.3f * static_cast<float>(i), 0.3f + 0.3f * static_cast<float>(i % 2), 0}, 12.0f);
            def.density *= 1e-3f;
            if (own) def.max_speed = 5.0f, def.max_spin = 10.0f;
            ids.push_back(add(world, def));
            if (i == 0) continue;
            const BodyId other = ids[random.below(static_cast<std::uint32_t>(i))];
            JointDef joint = some_joint(world, random, other, ids.back(), {0.3f * static_cast<float>(i), 0.4f, 0},
                                        random.direction(), random.below(2) == 0);
            std::visit([](auto& def_of_kind) { def_of_kind.options.collide_connected = true; }, joint);
            add(world, joint);
        }
        double fastest = 0.0, spin = 0.0;
        for (int i = 0; i < 60; ++i) {
            const auto one = [&] { return ids[random.below(static_cast<std::uint32_t>(count))]; };
            REQUIRE(world.set_linear_velocity(one(), 4000.0f * random.direction()));
            REQUIRE(world.set_angular_velocity(one(), 1e4f * random.direction()));
            run(world, 1);
            for (const BodyId id : ids) {
                fastest = std::max(fastest, static_cast<double>(size(world.linear_velocity(id))));
                spin = std::max(spin, static_cast<double>(size(world.angular_velocity(id))));
            }
        }
        CHECK(fastest <= (own ? 5.0 : 4000.0) * (1.0 + 1e-6));
        if (own) CHECK(spin <= 10.0 * (1.0 + 1e-6));
    }
}

// The closing of joints that an impact had opened also closed those that the user had opened: the box moved by 3 m in
// the first step.
TEST_CASE("a joint that is made open pulls its body at a bounded speed, and closes") {
    for (const bool locked : {false, true}) {
        World world(sleepless());
        const BodyId hook = add(world, fixed_body(box(vec3(0.1f)), {0.0f, 4.0f, 0.0f}));
        BodyDef def = body(box(vec3(0.3f)), {0.0f, 1.0f, 0.0f});
        if (locked) def.locks = lock_to_plane_xy;
        const BodyId id = add(world, def);
        JointFrames frames{.body_a = hook, .body_b = id};
        frames.frame_b.position = {0.0f, 0.3f, 0.0f};
        REQUIRE(world.add_joint(BallDef{.frames = frames}));
        dvec3 place = world.position(id);
        for (int step = 0; step < 240; ++step) {
            run(world, 1);
            CAPTURE(locked);
            CAPTURE(step);
            REQUIRE(glm::distance(world.position(id), place) < 0.25);
            place = world.position(id);
        }
        CHECK(glm::distance(transform_point(world.transform(id), frames.frame_b.position), dvec3(0, 4, 0)) < 1e-3);
    }
}

// Its rotation was treated as a swing, which is singular at 180 degrees: 46 of 100 jumped by more than 5 cm, and 36
// gained energy.
TEST_CASE("a six-dof joint that turns about one axis alone is as good as a hinge, also through 180 degrees" *
          doctest::test_suite("slow")) {
    for (const JointAxis axis : {JointAxis::turn_x, JointAxis::turn_y, JointAxis::turn_z}) {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            Random random(seed);
            World world(sleepless());
            const BodyId hook = add(world, ghost(fixed_body(box(vec3(0.3f)), {0.0f, 2.0f, 0.0f})));
            BodyDef def = ghost(body(box({0.4f, 0.2f, 0.3f}), {0.8f, 2.0f, 0.0f}));
            def.angular_velocity = 5.0f * random.direction();
            const BodyId id = add(world, def);
            SixDofDef six{.frames = world.joint_frames(hook, id, {0.35f, 2.0f, 0.0f}, random.direction())};
            (axis == JointAxis::turn_x ? six.turn_x : axis == JointAxis::turn_y ? six.turn_y : six.turn_z).limit = {};
            const JointId joint = world.add_joint(six);
            REQUIRE(joint);
            run(world, 1);
            const double start = energy(world), scale = 9.81 * static_cast<double>(world.mass(id));
            dvec3 place = world.center_of_mass(id);
            CAPTURE(seed);
            CAPTURE(static_cast<int>(axis));
            for (int step = 0; step < 600; ++step) {
                const float before = glm::length(world.linear_velocity(id));
                run(world, 1);
                const float speed = std::max(before, glm::length(world.linear_velocity(id)));
                REQUIRE(glm::distance(place, world.center_of_mass(id)) < frame * speed + 0.01f);
                REQUIRE(energy(world) - start < 0.01 * scale);
                place = world.center_of_mass(id);
            }
            // Settings of the axis act about this axis, and its coordinate is reported.
            REQUIRE(world.set_joint_motor(joint, {.speed = 2.0f, .max_force = 1e6f}, axis));
            const float angle = world.joint_coordinate(joint, axis);
            run(world, 6);
            const float turned =
                std::remainder(world.joint_coordinate(joint, axis) - angle, 2.0f * static_cast<float>(pi));
            CHECK(turned == doctest::Approx(0.2f).epsilon(0.02));
            CHECK(std::abs(world.joint_motor_force(joint, axis)) > 1.0f);
        }
    }
}

// Rods and ropes did not count as open: in 34 of these 100 chains one was too long or short by more than 2 cm. Now in
// 2.
TEST_CASE("rods and ropes that an impact has stretched have their length again at the end of the step" *
          doctest::test_suite("slow")) {
    int long_ones = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Random random(seed);
        World world;
        add(world, ground());
        std::vector<JointId> joints;
        BodyId last;
        for (int i = 0; i < 6; ++i) {
            BodyDef def = body(random.below(2) == 0 ? box({0.2f, 0.1f, 0.1f}) : capsule(0.15f, 0.08f),
                               {0.5f * static_cast<float>(i), random.between(1.0f, 1.1f), 0.0f});
            def.linear_velocity = 6.0f * random.direction() - vec3(0.0f, 6.0f, 0.0f);
            def.material.restitution = random.unit();
            const BodyId id = add(world, def);
            REQUIRE(world.set_mass(id, std::pow(100.0f, random.unit())));
            if (i > 0) {
                DistanceDef joint{.frames = {.body_a = last, .body_b = id}};
                joint.frames.frame_a.position = {0.2f, 0.0f, 0.0f};
                joint.frames.frame_b.position = {-random.between(0.0f, 0.25f), 0.0f, 0.0f};
                const auto length = static_cast<float>(gap(world, joint.frames));
                joint.length = {i % 2 == 0 ? length : 0.0f, length};
                joints.push_back(world.add_joint(joint));
                REQUIRE(joints.back());
            }
            last = id;
        }
        double off = 0.0;
        for (int step = 0; step < 120; ++step) {
            run(world, 1);
            for (const JointId id : joints) {
                const double length = gap(world, world.frames(id));
                const JointLimit limit = world.joint_limit(id);
                off = std::max({off, length - limit.upper, limit.lower - length});
            }
        }
        long_ones += off > 0.02;
        CAPTURE(seed);
        CHECK(off < 0.3);
    }
    CHECK(long_ones <= 5);
}

// The twist has no value where the two x axes are opposite. Of 100 bodies that swung through this pose, 20 jumped by up
// to 86 cm if the twist was locked, and 26 gained up to half of their energy.
TEST_CASE("six-dof and ball joints whose twist is locked or limited swing through 180 degrees without jumps" *
          doctest::test_suite("slow")) {
    enum Range { locked, two_sided, one_sided };
    for (const Range range : {locked, two_sided, one_sided}) {
        for (const bool six : {false, true}) {
            if (six && range == one_sided) continue;  // such a twist may reach many turns
            int through = 0;
            for (std::uint64_t seed = 1; seed <= 40; ++seed) {
                Random random(seed);
                World world(sleepless());
                const BodyId hook = add(world, ghost(fixed_body(box(vec3(0.3f)), {0.0f, 2.0f, 0.0f})));
                BodyDef def = ghost(body(box({0.4f, 0.2f, 0.3f}), {0.8f, 2.0f, 0.0f}));
                def.angular_velocity =
                    vec3(random.between(-5.0f, 5.0f), random.between(-5.0f, 5.0f), random.between(-5.0f, 5.0f));
                const BodyId id = add(world, def);
                const JointFrames frames = world.joint_frames(hook, id, {0.35f, 2.0f, 0.0f}, random.direction());
                JointLimit twist{0.0f, 0.0f};
                if (range == two_sided) twist.lower = -random.between(0.1f, 1.5f);
                if (range == one_sided) twist.lower = -unlimited;
                if (range != locked) twist.upper = random.between(0.1f, 1.5f);
                SixDofDef six_dof{.frames = frames};
                six_dof.turn_x.limit = twist;
                six_dof.turn_y.limit = six_dof.turn_z.limit = {};
                if (six)
                    add(world, six_dof);
                else
                    add(world, BallDef{.frames = frames, .twist = twist});
                run(world, 1);
                const double start = energy(world), scale = 9.81 * static_cast<double>(world.mass(id));
                dvec3 place = world.center_of_mass(id);
                CAPTURE(seed);
                CAPTURE(static_cast<int>(range));
                CAPTURE(six);
                bool opposite = false;
                for (int step = 0; step < 600; ++step) {
                    const float before = glm::length(world.linear_velocity(id));
                    run(world, 1);
                    const float speed = std::max(before, glm::length(world.linear_velocity(id)));
                    REQUIRE(glm::distance(place, world.center_of_mass(id)) < frame * speed + 0.01f);
                    REQUIRE(energy(world) - start < 0.01 * scale);
                    place = world.center_of_mass(id);
                    const vec3 x = rotate(frames.frame_a.rotation, {1, 0, 0}),
                               other = rotate(world.rotation(id), rotate(frames.frame_b.rotation, {1, 0, 0}));
                    opposite = opposite || glm::dot(x, other) < -0.98f;
                }
                through += opposite ? 1 : 0;
                if (range == locked) CHECK(energy(world) - start > -0.02 * scale);
            }
            CHECK(through > 5);
        }
    }
}

// The chain's links trembled at 1 to 4 m/s for ever, jumped by up to 20 cm in a step and never slept.
TEST_CASE("a chain that is too short for its walls hangs still between them and falls asleep") {
    constexpr float length = 0.3f;
    for (const int count : {2, 3, 5, 10, 20}) {
        for (const float longer : {1.0001f, 1.001f, 1.02f, 1.1f, 1.5f}) {
            World world;
            const float apart = longer * length * static_cast<float>(count);
            BodyId last = add(world, ghost(fixed_body(box(vec3(0.1f)), {0.0f, 3.0f, 0.0f})));
            const BodyId wall = add(world, ghost(fixed_body(box(vec3(0.1f)), {apart, 3.0f, 0.0f})));
            vec3 end(0.0f);
            std::vector<BodyId> ids;
            for (int i = 0; i <= count; ++i) {
                const float at = (static_cast<float>(i) + 0.5f) * apart / static_cast<float>(count);
                const BodyId next =
                    i < count ? add(world, ghost(body(box({0.5f * length, 0.03f, 0.03f}), {at, 3.0f, 0.0f}))) : wall;
                JointFrames frames{.body_a = last, .body_b = next};
                frames.frame_a.position = end;
                if (i < count) frames.frame_b.position = {-0.5f * length, 0.0f, 0.0f};
                add(world, BallDef{.frames = frames});
                if (i < count) ids.push_back(next);
                last = next;
                end = {0.5f * length, 0.0f, 0.0f};
            }
            CAPTURE(count);
            CAPTURE(longer);
            std::vector<dvec3> places;
            for (int step = 0; step < 300; ++step) {
                places.clear();
                for (const BodyId id : ids) places.push_back(world.position(id));
                run(world, 1);
                if (step < 1) continue;  // links in the middle start to share the gap
                for (std::size_t i = 0; i < ids.size(); ++i)
                    REQUIRE(glm::distance(places[i], world.position(ids[i])) < 0.02);
            }
            for (const BodyId id : ids) {
                CHECK(size(world.linear_velocity(id)) < 0.05);
                CHECK(world.position(id).y > 2.9);
                CHECK(!world.is_awake(id));
            }
        }
    }
}

// Of 60 such worlds 35 jumped by more than 10 cm in a step, and 29 gained energy.
TEST_CASE("joints that contradict each other move their bodies without jumps and make no energy" *
          doctest::test_suite("slow")) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        World world;
        const BodyId hook = add(world, ghost(fixed_body(box(vec3(0.1f)), {0.0f, 4.0f, 0.0f})));
        std::vector<BodyId> ids;
        const float off = seed % 2 == 0 ? 0.02f : 0.1f;
        const auto join = [&](BodyId a, BodyId b, const dvec3& at) {
            JointFrames frames = world.joint_frames(a, b, at, random.direction());
            frames.frame_b.position +=
                off * vec3(random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f));
            if (random.below(2) == 0) return add(world, BallDef{.frames = frames});
            return add(world, HingeDef{.frames = frames});
        };
        for (int i = 0; i < 6; ++i) {
            const Shape shape =
                box({random.between(0.1f, 0.3f), random.between(0.05f, 0.2f), random.between(0.05f, 0.2f)});
            BodyDef def = ghost(body(shape, {random.between(-1, 1), random.between(2, 4), random.between(-1, 1)}));
            def.rotation = random.rotation();
            ids.push_back(add(world, def));
            const BodyId other = i == 0 ? hook : ids[random.below(static_cast<std::uint32_t>(i))];
            join(other, ids.back(), midway(world.position(other), world.position(ids.back())));
        }
        for (int i = 0; i < 5; ++i) {
            const BodyId a = ids[random.below(6)], b = ids[random.below(6)];
            if (a != b) join(a, b, midway(world.position(a), world.position(b)));
        }
        double mass = 0.0;
        for (const BodyId id : ids) mass += static_cast<double>(world.mass(id));
        run(world, 60);  // until all joints that can be closed are closed
        double last = energy(world);
        CAPTURE(seed);
        for (int step = 0; step < 600; ++step) {
            std::vector<dvec3> places;
            for (const BodyId id : ids) places.push_back(world.position(id));
            run(world, 1);
            for (std::size_t i = 0; i < ids.size(); ++i) {
                const double way = glm::distance(places[i], world.position(ids[i]));
                REQUIRE(way < size(world.linear_velocity(ids[i])) / 60.0 + 0.08);
            }
            const double now = energy(world);
            REQUIRE(now - last < 0.01 * 9.81 * mass);
            last = now;
        }
    }
}

// With slack that grew with the gap, the last joint stayed open by 4.5 m, and the chain fell asleep in this state.
TEST_CASE("a chain that hangs is reeled in when its free end is joined to a hook in its reach") {
    for (const int count : {1, 3, 5, 10}) {
        World world(sleepless());
        constexpr float length = 0.4f;
        const float reach = length * static_cast<float>(count);
        BodyId last = add(world, fixed_body(sphere(0.05f), {0.0f, 10.0f, 0.0f}));
        const BodyId hook = add(world, fixed_body(sphere(0.05f), {0.5f * reach, 10.0f, 0.0f}));
        for (int i = 0; i < count; ++i) {
            BodyDef def =
                ghost(body(box({0.05f, 0.17f, 0.05f}), {0.0f, 10.0f - length * (0.5f + static_cast<float>(i)), 0.0f}));
            def.angular_damping = 0.5f;
            const BodyId next = add(world, def);
            JointFrames frames{.body_a = last, .body_b = next};
            if (i > 0) frames.frame_a.position = {0.0f, -0.5f * length, 0.0f};
            frames.frame_b.position = {0.0f, 0.5f * length, 0.0f};
            add(world, BallDef{.frames = frames});
            last = next;
        }
        JointFrames frames{.body_a = last, .body_b = hook};
        frames.frame_a.position = {0.0f, -0.5f * length, 0.0f};
        if (count == 1) frames.frame_b.position = {0.1f, 0.2f, 0.0f};
        add(world, BallDef{.frames = frames});
        CAPTURE(count);
        dvec3 place = world.position(last);
        for (int step = 0; step < 900; ++step) {
            run(world, 1);
            REQUIRE(glm::distance(place, world.position(last)) < 0.25);
            place = world.position(last);
        }
        const dvec3 end = transform_point(world.transform(last), frames.frame_a.position);
        if (count > 1)
            CHECK(glm::distance(end, transform_point(world.transform(hook), frames.frame_b.position)) < 0.01);
    }
}
