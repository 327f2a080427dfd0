// Search for faults: random calls, extreme sizes and speeds, many bodies in one place. No pose may ever be NaN, and
// nothing may crash.

#include "tests/engine/worlds.h"

#include <algorithm>

using namespace talus;
using namespace talus::test;

namespace {

void require_sound(const World& world) {
    std::string complaint;
    REQUIRE_MESSAGE(is_sound(world, &complaint), complaint);
}

struct FuzzSettings {
    const char* name;
    float smallest = 0.1f, largest = 1.0f;  // sizes, m
    float speed = 10.0f;                    // m/s and rad/s
    float room = 4.0f;                      // bodies appear within this distance of the centre
    dvec3 offset{0.0};
    float density_ratio = 10.0f;
    float dt = frame;
    vec3 gravity{0.0f, -9.81f, 0.0f};
};

/// Makes all calls that a user can make, in random order.
void fuzz(const FuzzSettings& s, std::uint64_t seed, int steps) {
    CAPTURE(std::string(s.name));
    CAPTURE(seed);
    Random random(seed);
    WorldDef world_def;
    world_def.gravity = s.gravity;
    World world(world_def);
    BodyDef floor = ground();
    floor.position += s.offset;
    const BodyId floor_id = add(world, floor);
    std::vector<BodyId> ids;
    const auto place = [&] { return displaced(s.offset + dvec3(0, s.room, 0), random.in_box(vec3(s.room))); };
    const auto sized = [&] { return s.smallest * std::pow(s.largest / s.smallest, random.unit()); };
    for (int step = 0; step < steps; ++step) {
        CAPTURE(step);
        const int calls = static_cast<int>(random.below(4));
        for (int k = 0; k < calls; ++k) {
            const BodyId id = ids.empty() ? BodyId{} : ids[random.below(static_cast<std::uint32_t>(ids.size()))];
            switch (ids.size() < 10 ? 0u : random.below(14)) {
                case 0:
                case 1:
                case 2: {
                    BodyDef def;
                    def.type = random.below(10) == 0 ? BodyType::kinematic : BodyType::dynamic;
                    def.position = place();
                    def.rotation = random.rotation();
                    def.linear_velocity = s.speed * random.unit() * random.direction();
                    def.angular_velocity = s.speed * random.unit() * random.direction();
                    const float density = 1000.0f * std::pow(s.density_ratio, random.between(-0.5f, 0.5f));
                    const float size = sized();
                    if (random.below(5) == 0) {
                        const std::size_t parts = 1 + random.below(5);
                        for (std::size_t p = 0; p < parts; ++p) {
                            def.shapes.push_back(
                                part(random_shape(random, size), random.in_box(vec3(size)), random.rotation()));
                            def.shapes.back().density = density;
                            def.shapes.back().material.restitution = random.unit();
                            def.shapes.back().sensor = p > 0 && random.below(4) == 0;
                        }
                    } else {
                        def.shape = random_shape(random, size);
                        def.density = density;
                        def.material.restitution = random.below(3) == 0 ? random.unit() : 0.0f;
                        def.material.friction = 2.0f * random.unit();
                    }
                    if (random.below(8) == 0) def.filter = {1u << random.below(3), random.below(8), 0};
                    const BodyId added = world.add_body(def);
                    // A triangle or hull of random points may be a sliver; nothing else may be refused.
                    if (added.is_null())
                        CHECK(world.last_error());
                    else
                        ids.push_back(added);
                    break;
                }
                case 3:
                case 4: {
                    REQUIRE(world.remove_body(id));
                    ids.erase(std::find(ids.begin(), ids.end(), id));
                    break;
                }
                case 5:
                    REQUIRE(world.set_transform(id, place(), random.rotation()));
                    break;
                case 6: {  // exactly at the pose of another one
                    const BodyId other = ids[random.below(static_cast<std::uint32_t>(ids.size()))];
                    REQUIRE(world.set_transform(id, world.position(other), world.rotation(other)));
                    break;
                }
                case 7:
                    REQUIRE(world.set_linear_velocity(id, s.speed * random.direction()));
                    break;
                case 8:
                    REQUIRE(world.set_angular_velocity(id, s.speed * random.direction()));
                    break;
                case 9:
                    REQUIRE(world.apply_impulse_at(id, world.mass(id) * s.speed * random.direction(), place()) ==
                            (world.type(id) == BodyType::dynamic));
                    break;
                case 10:
                    REQUIRE(world.apply_force_at(id, 60.0f * world.mass(id) * s.speed * random.direction(), place()) ==
                            (world.type(id) == BodyType::dynamic));
                    break;
                case 11:
                    REQUIRE(world.set_awake(id, random.below(2) == 0) == (world.type(id) == BodyType::dynamic));
                    break;
                case 12: {
                    const dvec3 from = place();
                    const CastHit hit = world.ray_cast(from, s.room * 3.0f * random.direction());
                    REQUIRE(is_finite(hit.position));
                    REQUIRE(is_finite(hit.normal));
                    REQUIRE(hit.fraction >= 0.0f);
                    REQUIRE(hit.fraction <= 1.0f);
                    world.overlap(random_shape(random, sized()), {place(), random.rotation()});
                    break;
                }
                default:
                    if (random.below(4) == 0)
                        REQUIRE(world.set_transform(floor_id, displaced(floor.position, random.in_box(vec3(1.0f))),
                                                    random.rotation()));
                    break;
            }
        }
        while (ids.size() > 60) {
            REQUIRE(world.remove_body(ids.back()));
            ids.pop_back();
        }
        REQUIRE(world.step(s.dt));
        require_sound(world);
        for (const Contact& c : world.contacts()) {
            REQUIRE(is_finite(c.normal));
            REQUIRE(is_finite(c.friction_impulse));
            for (int i = 0; i < c.point_count; ++i) {
                REQUIRE(is_finite(c.points[i].position));
                REQUIRE(is_finite(c.points[i].normal_impulse));
                REQUIRE(c.points[i].normal_impulse >= 0.0f);
            }
        }
        REQUIRE(world.body_count() == ids.size() + 1);
    }
}

}  // namespace

TEST_CASE("no sequence of calls makes a pose that is no number" * doctest::test_suite("slow")) {
    const FuzzSettings settings[] = {
        {.name = "everyday"},
        {.name = "fast", .speed = 1000.0f},
        {.name = "tiny to large",
         .smallest = 0.001f,
         .largest = 100.0f,
         .speed = 30.0f,
         .room = 50.0f,
         .density_ratio = 1000.0f},
        {.name = "millimetres", .smallest = 0.001f, .largest = 0.01f, .speed = 1.0f, .room = 0.03f},
        {.name = "crowded", .smallest = 0.5f, .largest = 1.0f, .room = 0.7f},
        {.name = "10 km away", .offset = {10000.0, 10000.0, -10000.0}},
        {.name = "weightless", .gravity = {0.0f, 0.0f, 0.0f}},
        {.name = "coarse", .dt = 1.0f / 30.0f},
        {.name = "a second a step", .dt = 1.0f},
        {.name = "fine", .dt = 1.0f / 1000.0f},
        {.name = "heavy and light", .density_ratio = 1e6f, .gravity = {30.0f, -100.0f, 0.0f}},
    };
    for (const FuzzSettings& s : settings) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) fuzz(s, seed, 300);
    }
}

TEST_CASE("fifty boxes in one place come apart and to rest") {
    for (const bool same_pose : {true, false}) {
        World world;
        add(world, ground());
        Random random(30);
        std::vector<BodyId> ids;
        for (int i = 0; i < 50; ++i) {
            BodyDef def = crate({0, 3, 0});
            if (!same_pose) def.rotation = random.rotation();
            ids.push_back(add(world, def));
        }
        float fastest = 0.0f;
        for (int i = 0; i < 1200; ++i) {
            run(world, 1);
            for (const BodyId id : ids) fastest = std::max(fastest, glm::length(world.linear_velocity(id)));
        }
        require_sound(world);
        CHECK(fastest < 60.0f);  // they separate without an explosion
        for (const BodyId id : ids) {
            CHECK(world.position(id).y > 0.3);
            CHECK(glm::length(world.position(id)) < 40.0);
        }
        CHECK(world.awake_body_count() == 0);
    }
}

TEST_CASE("a body buried in the floor comes up gently") {
    for (const float depth : {0.1f, 0.5f, 0.9f}) {
        CAPTURE(depth);
        World world;
        add(world, ground());
        const BodyId cube = add(world, crate({0, 0.5f - depth, 0})),
                     ball = add(world, body(sphere(0.5f), {5, 0.5f - depth, 0}));
        double highest = 0.0;
        float fastest = 0.0f;
        for (int i = 0; i < 300; ++i) {
            run(world, 1);
            for (const BodyId id : {cube, ball}) {
                highest = std::max(highest, world.position(id).y);
                fastest = std::max(fastest, glm::length(world.linear_velocity(id)));
            }
        }
        CHECK(world.position(cube).y == doctest::Approx(0.5).epsilon(0.01));
        CHECK(world.position(ball).y == doctest::Approx(0.5).epsilon(0.01));
        CHECK(highest < 0.7);
        CHECK(fastest < 5.0f);
    }
}

TEST_CASE("a millimetre die and a hundred-metre block both rest on the floor") {
    for (const float half : {0.0005f, 0.005f, 0.05f, 5.0f, 50.0f}) {
        CAPTURE(half);
        World world(sleepless());
        add(world, fixed_body(box({500, 10, 500}), {0, -10, 0}));
        const BodyId cube = add(world, body(box(vec3(half)), {0, half * 1.2f, 0}));
        const BodyId ball = add(world, body(sphere(half), {half * 5.0f, half * 1.2f, 0}));
        run(world, 300);
        // The surfaces are where the user put them, within a tenth of a small body's size and 2 mm of a large one's.
        const float tolerance = std::min(1e-4f + 0.1f * half, 0.002f);
        CHECK(std::abs(world.position(cube).y - half) < tolerance);
        CHECK(std::abs(world.position(ball).y - half) < tolerance);
        CHECK(glm::length(world.linear_velocity(cube)) < 0.01f);
        CHECK(std::abs(world.position(cube).x) < 0.02f * half + 1e-4f);
        const vec3 up = rotate(world.rotation(cube), {0, 1, 0});
        CHECK(up.y > 0.999f);
    }
}

TEST_CASE("a stack of small things is as steady as one of large things") {
    for (const float half : {0.02f, 0.1f, 2.0f}) {
        CAPTURE(half);
        World world;
        add(world, ground());
        std::vector<BodyId> ids;
        for (int i = 0; i < 6; ++i)
            ids.push_back(add(world, body(box(vec3(half)), {0, half * (1.0f + 2.0f * static_cast<float>(i)), 0})));
        run(world, 900);
        for (int i = 0; i < 6; ++i) {
            const dvec3 p = world.position(ids[static_cast<std::size_t>(i)]);
            CHECK(std::abs(p.y - half * (1.0f + 2.0f * static_cast<float>(i))) < 0.15f * half + 0.001f);
            CHECK(std::hypot(p.x, p.z) < 0.1f * half);
        }
    }
}

TEST_CASE("200 km from the middle of a box a stack stands on it") {
    World world;
    add(world, fixed_body(box({1e6f, 1.0f, 1e6f}), {0, -1, 0}));
    BodyId top;
    for (int i = 0; i < 6; ++i) top = add(world, crate({200000.3, 0.5 + i, 0}));
    run(world, 600);
    CHECK(std::abs(world.position(top).y - 5.5) < 0.01);
    CHECK_FALSE(world.is_awake(top));
}

TEST_CASE("ten kilometres from the origin a stack stands") {
    World world(sleepless());
    const dvec3 far(10000.0, 0.0, -10000.0);
    BodyDef floor = ground();
    floor.position += far;
    add(world, floor);
    std::vector<BodyId> ids;
    for (int i = 0; i < 5; ++i) ids.push_back(add(world, crate(far + dvec3(0, 0.5 + i, 0))));
    run(world, 600);
    for (int i = 0; i < 5; ++i) {
        const dvec3 p = world.position(ids[static_cast<std::size_t>(i)]) - far;
        CHECK(std::abs(p.y - 0.5 - i) < 2e-3);
        CHECK(std::hypot(p.x, p.z) < 2e-3);
    }
}

namespace {

/// A box on another that is `ratio` times lighter, for ten seconds.
void check_mass_ratio(float ratio) {
    CAPTURE(ratio);
    World world(sleepless());
    add(world, ground());
    BodyDef light = crate({0, 0.5f, 0}), heavy = crate({0, 1.5f, 0});
    heavy.density = 1000.0f * ratio;
    const BodyId below = add(world, light), above = add(world, heavy);
    run(world, 600);
    require_sound(world);
    MESSAGE("mass ratio ", ratio, ": the light box is at ", world.position(below).y, ", the heavy one at ",
            world.position(above).y);
    CHECK(std::abs(world.position(below).y - 0.5) < 0.05);
    CHECK(std::abs(world.position(above).y - 1.5) < 0.1);
    CHECK(normal_force(world, above).y == doctest::Approx(9.81 * world.mass(above)).epsilon(0.02));
}

}  // namespace

TEST_CASE("a hundred times heavier box rests on a light one") {
    check_mass_ratio(10.0f);
    check_mass_ratio(100.0f);
}

TEST_CASE("a thousand times heavier box rests on a light one") { check_mass_ratio(1000.0f); }

TEST_CASE("the step length does not decide whether a stack stands") {
    for (const float hz : {30.0f, 60.0f, 120.0f, 240.0f, 1000.0f}) {
        CAPTURE(hz);
        World world(sleepless());
        add(world, ground());
        std::vector<BodyId> ids;
        for (int i = 0; i < 5; ++i) ids.push_back(add(world, crate({0, 0.5f + static_cast<float>(i), 0})));
        run(world, static_cast<int>(5.0f * hz), 1.0f / hz);
        for (int i = 0; i < 5; ++i) {
            const dvec3 p = world.position(ids[static_cast<std::size_t>(i)]);
            CHECK(std::abs(p.y - 0.5 - i) < 0.03);
            CHECK(std::hypot(p.x, p.z) < 0.02);
        }
    }
}

TEST_CASE("steps of different lengths in turn do no harm") {
    World world(sleepless());
    add(world, ground());
    std::vector<BodyId> ids;
    for (int i = 0; i < 5; ++i) ids.push_back(add(world, crate({0, 0.5f + static_cast<float>(i), 0})));
    Random random(31);
    for (int i = 0; i < 600; ++i) run(world, 1, random.between(0.002f, 0.033f));
    for (int i = 0; i < 5; ++i) CHECK(std::abs(world.position(ids[static_cast<std::size_t>(i)]).y - 0.5 - i) < 0.03);
}

TEST_CASE("three hundred boxes added at one spot are all there and take no eternity") {
    World world;
    std::vector<BodyDef> defs(300, crate({0, 3, 0}));
    std::vector<BodyId> ids(defs.size());
    REQUIRE(world.add_bodies(defs, ids));
    run(world, 5);
    CHECK(world.body_count() == 300);
    CHECK(world.profile().broadphase_pairs > 20000);
    require_sound(world);
}

TEST_CASE("an empty world and a world of one can be stepped") {
    World world;
    run(world, 3);
    CHECK(world.body_count() == 0);
    CHECK(world.contacts().empty());
    CHECK(world.ray_cast({0, 0, 0}, {0, -1, 0}).body.is_null());
    add(world, ground());
    run(world, 3);
    CHECK(world.awake_body_count() == 0);
}
