// Ray casts and overlaps against closed forms.

#include <talus/narrowphase/triangles/height_field.h>
#include "tests/engine/worlds.h"

#include <algorithm>

using namespace talus;
using namespace talus::test;

TEST_CASE("rays hit shapes where geometry says, right after the bodies were added") {
    World world;
    const BodyId ball = add(world, body(sphere(1.0f), {0, 0, -10}));
    const BodyId block = add(world, fixed_body(box({1, 2, 3}), {20, 0, 0}));
    BodyDef pill_def = body(capsule(1.0f, 0.5f), {0, 30, 0});
    pill_def.rotation = turn({0, 0, 1}, 0.5 * pi);
    const BodyId pill = add(world, pill_def);

    CastHit hit = world.ray_cast({0, 0, 0}, {0, 0, -20});
    CHECK(hit.body == ball);
    CHECK(hit.fraction == doctest::Approx(0.45).epsilon(1e-5));
    CHECK(glm::distance(hit.position, dvec3(0, 0, -9)) < 1e-4);
    CHECK(glm::distance(hit.normal, vec3(0, 0, 1)) < 1e-4f);

    hit = world.ray_cast({0.6f, 0, 0}, {0, 0, -20});
    CHECK(glm::distance(hit.position, dvec3(0.6, 0, -9.2)) < 1e-4);
    CHECK(glm::distance(hit.normal, vec3(0.6f, 0, 0.8f)) < 1e-4f);

    hit = world.ray_cast({20, 0, 0}, {0, 0, 0});
    CHECK(hit.body == block);  // the start is inside
    CHECK(hit.fraction == 0.0f);
    CHECK(hit.normal == vec3(0.0f));

    hit = world.ray_cast({30, 1, 2}, {-20, 0, 0});
    CHECK(hit.body == block);
    CHECK(glm::distance(hit.position, dvec3(21, 1, 2)) < 1e-4);
    CHECK(glm::distance(hit.normal, vec3(1, 0, 0)) < 1e-5f);

    hit = world.ray_cast({1.5f + 0.3f, 30, 0}, {-3, 0, 0});
    CHECK(hit.body == pill);
    CHECK(glm::distance(hit.position, dvec3(1.5, 30, 0)) < 1e-4);

    CHECK(!world.ray_cast({0, 0, 0}, {0, 0, -8.9f}));    // the ray is too short
    CHECK(!world.ray_cast({0, 0, 0}, {0, 0, 20}));       // the ray points away
    CHECK(!world.ray_cast({1.01f, 0, 0}, {0, 0, -20}));  // the ray passes
    CHECK(world.ray_cast({0, 0, 0}, {0, 0, -9}).fraction == doctest::Approx(1.0).epsilon(1e-5));
    CHECK(world.ray_cast({0, 0, 0}, {0, 0, -9.001f}));
}

TEST_CASE("of many bodies the ray hits the nearest") {
    World world;
    std::vector<BodyId> ids;
    for (int i = 0; i < 50; ++i) ids.push_back(add(world, crate({2.0f * static_cast<float>((i * 37) % 50), 0, 0})));
    for (int i = 0; i < 50; ++i) {
        // From halfway between two neighbours.
        const double x = 2.0 * i - 1.0;
        const CastHit right = world.ray_cast({x, 0, 0}, {1000, 0, 0});
        REQUIRE(right);
        CHECK(world.position(right.body).x == 2.0 * i);
        if (i == 0) continue;
        const CastHit left = world.ray_cast({x, 0, 0}, {-1000, 0, 0});
        CHECK(world.position(left.body).x == 2.0 * (i - 1));
    }
    for (int i = 0; i < 25; ++i) world.remove_body(ids[static_cast<std::size_t>(i)]);
    const CastHit hit = world.ray_cast({-1, 0, 0}, {1000, 0, 0});
    REQUIRE(hit);
    double nearest = 1e9;
    for (const BodyId id : world.bodies()) nearest = std::min(nearest, world.position(id).x);
    CHECK(world.position(hit.body).x == nearest);
}

TEST_CASE("rays agree with a look at every body, wherever bodies move") {
    World world;
    Random random(4);
    add(world, ground());
    for (int i = 0; i < 150; ++i) {
        BodyDef def = body(sphere(random.between(0.2f, 0.6f)), vec3(0, 6, 0) + random.in_box(vec3(5)));
        def.linear_velocity = random.in_box(vec3(5));
        add(world, def);
    }
    for (int round = 0; round < 20; ++round) {
        run(world, 5);
        for (int k = 0; k < 30; ++k) {
            const dvec3 origin = displaced(dvec3(0, 4, 0), random.in_box(vec3(8, 4, 8)));
            const vec3 along = 15.0f * random.direction();
            const CastHit hit = world.ray_cast(origin, along);
            // Spheres by the quadratic formula, the floor by its plane.
            double best = 2.0;
            BodyId expected;
            for (const BodyId id : world.bodies()) {
                const ShapeDef& shape = world.shapes(id)[0];
                double t = 2.0;
                if (shape.shape.type == ShapeType::sphere) {
                    const dvec3 d(along), s = origin - world.position(id);
                    const double r = shape.shape.radius;
                    const double a = glm::dot(d, d), b = glm::dot(s, d), c = glm::dot(s, s) - r * r;
                    if (c <= 0.0) {
                        t = 0.0;
                    } else if (b * b - a * c >= 0.0) {
                        t = (-b - std::sqrt(b * b - a * c)) / a;
                        if (t < 0.0) t = 2.0;
                    }
                } else if (along.y < 0.0f) {
                    t = -origin.y / static_cast<double>(along.y);
                }
                if (t < best) best = t, expected = id;
            }
            if (best > 1.0) {
                if (best > 1.0001) CHECK(!hit);
                continue;
            }
            REQUIRE(hit);
            CHECK(hit.fraction == doctest::Approx(best).epsilon(1e-4).scale(1.0));
            CHECK(glm::distance(hit.position, displaced(origin, hit.fraction * along)) < 1e-4);
        }
    }
}

TEST_CASE("rays pass through sensors and what their filter does not meet") {
    World world;
    BodyDef ghost = body(sphere(1.0f), {0, 0, -5});
    ghost.sensor = true;
    ghost.type = BodyType::fixed;
    add(world, ghost);
    BodyDef red = fixed_body(sphere(1.0f), {0, 0, -10});
    red.filter = {2, 0xffffffffu, 0};
    const BodyId red_id = add(world, red);
    BodyDef shy = fixed_body(sphere(1.0f), {0, 0, -15});
    shy.filter = {4, 4, 0};  // collides with its own category only
    const BodyId shy_id = add(world, shy);
    const dvec3 from(0.0);
    const vec3 along(0, 0, -100);
    CHECK(world.ray_cast(from, along).body == red_id);
    CHECK(world.ray_cast(from, along, {1, ~2u, 0}).body.is_null());
    CHECK(world.ray_cast(from, along, {4, ~2u, 0}).body == shy_id);
    CHECK(world.ray_cast(from, along, {1, 2, 0}).body == red_id);
}

TEST_CASE("a ray names the shape of a body of several") {
    World world;
    BodyDef def;
    for (int i = 0; i < 4; ++i) def.shapes.push_back(part(sphere(0.4f), {static_cast<float>(i), 0, 0}));
    def.position = {10, 5, 0};
    def.rotation = turn({0, 0, 1}, 0.5 * pi);  // now along y
    const BodyId id = add(world, def);
    for (int i = 0; i < 4; ++i) {
        const CastHit hit = world.ray_cast({0, 5.0f + static_cast<float>(i), 0}, {20, 0, 0});
        CHECK(hit.body == id);
        CHECK(hit.shape == static_cast<std::uint32_t>(i));
        CHECK(glm::distance(hit.position, dvec3(9.6, 5.0 + i, 0)) < 1e-4);
    }
    CHECK(world.ray_cast({20, 9, 0}, {0, -20, 0}).body.is_null());
    CHECK(world.ray_cast({10, 20, 0}, {0, -20, 0}).shape == 3);
}

TEST_CASE("overlaps find what overlaps, exactly, and nothing else") {
    World world;
    const BodyId ball = add(world, body(sphere(1.0f), {0, 0, 0}));
    BodyDef turned = fixed_body(box({1, 1, 1}), {5, 0, 0});
    turned.rotation = turn({0, 0, 1}, 0.25 * pi);  // a diamond: reaches to x = 5 - sqrt(2)
    const BodyId diamond = add(world, turned);
    const quat identity(1, 0, 0, 0);
    const auto found = [&](const std::vector<BodyId>& ids, BodyId id) {
        return std::find(ids.begin(), ids.end(), id) != ids.end();
    };
    // Sphere against sphere, 1 cm too far and 1 cm near enough.
    CHECK(found(world.overlap(sphere(0.5f), {{0, 1.49f, 0}, identity}), ball));
    CHECK(!found(world.overlap(sphere(0.5f), {{0, 1.51f, 0}, identity}), ball));
    // The corner of a box's AABB is not in the sphere.
    CHECK(!found(world.overlap(WorldAabb{{0.6f, 0.6f, 0.6f}, {2, 2, 2}}), ball));
    CHECK(found(world.overlap(WorldAabb{{0.55f, 0.55f, 0.55f}, {2, 2, 2}}), ball));
    // Neither is the corner of the diamond's AABB.
    CHECK(!found(world.overlap(WorldAabb{{3.6f, 0.9f, -0.1f}, {4.0f, 1.3f, 0.1f}}), diamond));
    CHECK(found(world.overlap(WorldAabb{{3.6f, -0.1f, -0.1f}, {4.0f, 0.1f, 0.1f}}), diamond));
    CHECK(world.overlap(WorldAabb{{-10, -10, -10}, {10, 10, 10}}) == std::vector<BodyId>{ball, diamond});
    CHECK(world.overlap(WorldAabb{{100, 100, 100}, {101, 101, 101}}).empty());
    // A box that is a point or a plane is a box.
    CHECK(found(world.overlap(WorldAabb{{0.5f, 0, 0}, {0.5f, 0, 0}}), ball));
    CHECK(!found(world.overlap(WorldAabb{{0.9f, 0.9f, 0}, {0.9f, 0.9f, 0}}), ball));
    CHECK(found(world.overlap(WorldAabb{{-3, 0, -3}, {3, 0, 3}}), ball));
    CHECK(!world.last_error());
}

TEST_CASE("overlaps see teleported, removed and moved bodies as they are") {
    World world(weightless());
    BodyDef def = crate({0, 0, 0});
    def.linear_velocity = {60, 0, 0};
    const BodyId id = add(world, def);
    const auto at = [&](double x) {
        return !world.overlap(WorldAabb{{x - 0.1, -0.1, -0.1}, {x + 0.1, 0.1, 0.1}}).empty();
    };
    CHECK(at(0));
    for (int i = 1; i <= 10; ++i) {
        run(world, 1);
        CHECK(at(i));
        CHECK(!at(i - 0.7));
        CHECK(!at(i + 0.7));
    }
    world.set_transform(id, {100, 0, 0}, quat(1, 0, 0, 0));
    CHECK(at(100));
    CHECK(!at(10));
    world.remove_body(id);
    CHECK(!at(100));
}

TEST_CASE("overlaps leave out sensors and what the filter does not meet, and name a body once") {
    World world;
    BodyDef ghost = fixed_body(sphere(1.0f));
    ghost.sensor = true;
    add(world, ghost);
    BodyDef many;
    many.type = BodyType::fixed;
    for (int i = 0; i < 5; ++i) many.shapes.push_back(part(sphere(1.0f), {0.1f * static_cast<float>(i), 0, 0}));
    const BodyId id = add(world, many);
    BodyDef red = fixed_body(sphere(1.0f));
    red.filter = {2, 2, 0};
    const BodyId red_id = add(world, red);
    CHECK(world.overlap(sphere(1.0f), WorldTransform{}) == std::vector<BodyId>{id});
    CHECK(world.overlap(sphere(1.0f), WorldTransform{}, {2, 2, 0}) == std::vector<BodyId>{red_id});
    CHECK(world.overlap(sphere(1.0f), WorldTransform{}, {2, 0, 0}).empty());
}

TEST_CASE("questions change nothing") {
    World world;
    add(world, ground());
    for (int i = 0; i < 30; ++i) add(world, crate({0.3f * static_cast<float>(i % 3), 0.5f + static_cast<float>(i), 0}));
    World asked = world;
    for (int i = 0; i < 60; ++i) {
        run(world, 1);
        run(asked, 1);
        asked.ray_cast({0, 50, 0}, {0, -100, 0});
        asked.overlap(sphere(3.0f), WorldTransform{});
        asked.contacts();
        asked.memory();
    }
    CHECK(asked.hash() == world.hash());
}

TEST_CASE("casts that begin 10,000 km away hit as those that begin near") {
    Random random(71);
    std::vector<vec3> points;
    for (int i = 0; i < 40; ++i) points.push_back(0.5f * random.direction());
    std::vector<float> heights;
    for (int i = 0; i < 21 * 21; ++i) heights.push_back(random.between(-1.0f, 1.0f));
    const auto field = make_height_field(
        {.columns = 21, .rows = 21, .heights = heights, .spacing_x = 2.0f, .spacing_z = 2.0f, .two_sided = true});
    REQUIRE(field);
    std::vector<ShapeDef> targets;
    for (const Shape& shape : {sphere(0.5f), box({0.5f, 0.3f, 0.4f}), capsule(0.4f, 0.2f), cylinder(0.4f, 0.3f),
                               cone(0.4f, 0.3f), hull(*make_hull(points))})
        targets.push_back({.shape = shape});
    targets.push_back({.mesh = *field});
    int misses = 0;
    for (const ShapeDef& target : targets) {
        World world;
        BodyDef def{.type = BodyType::fixed, .rotation = random.rotation()};
        def.shapes = {target};
        add(world, def);
        for (int i = 0; i < 200; ++i) {
            const vec3 to = target.mesh ? center(target.mesh->bounds()) + random.in_box(vec3(15, 0, 15))
                                        : 0.4f * random.direction();
            const dvec3 goal(rotate(def.rotation, to));
            const vec3 way = -random.direction();
            // The way is a sum of powers of two, so that both rays are the same line.
            const vec3 far = glm::round(way * 1e7f / 1024.0f) * 1024.0f, near = far * 0x1p-17f;
            for (const bool is_ray : {true, false}) {
                const auto cast = [&](const vec3& half) {
                    const dvec3 from = on_grid(goal) - dvec3(half);
                    return is_ray ? world.ray_cast(from, 2.0f * half)
                                  : world.shape_cast(sphere(0.01f), {from}, 2.0f * half);
                };
                const CastHit hit = cast(far), expected = cast(near);
                CAPTURE(is_ray);
                CAPTURE(i);
                if (hit.body.is_null() || expected.body.is_null()) {
                    misses += hit.body != expected.body;
                    continue;
                }
                CHECK(glm::distance(hit.position, expected.position) < 1e-4);
                CHECK(glm::distance(hit.normal, expected.normal) < 1e-2f);
            }
        }
    }
    CHECK(misses == 0);
}
