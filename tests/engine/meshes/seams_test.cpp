/// Grounds made of tiles, each a mesh or height field on a body of its own: bodies cross the seams undisturbed.

#include "narrowphase/triangles/seam.h"
#include "tests/engine/worlds.h"
#include "tests/support/grid.h"

#include <talus/narrowphase/triangles/height_field.h>
#include <talus/narrowphase/triangles/mesh.h>

#include <functional>
#include <string>

using namespace talus;
using namespace talus::test;

namespace {

using Height = std::function<float(float x, float z)>;

float level(float, float) { return 0.0f; }
float bumpy(float x, float z) { return 0.15f * std::sin(0.9f * x) * std::cos(0.7f * z); }

/// A square ground of `cells` x `cells` cells of 0.5 m whose corner of least x and z is at (x, z).
BodyDef tile(float x, float z, int cells, const Height& height, bool field, float raised = 0.0f) {
    constexpr float cell = 0.5f;
    std::vector<vec3> vertices;
    std::vector<float> heights;
    const std::vector<std::uint32_t> indices = grid_indices(cells);
    for (int j = 0; j <= cells; ++j) {
        for (int i = 0; i <= cells; ++i) {
            const float a = cell * static_cast<float>(i), b = cell * static_cast<float>(j), h = height(x + a, z + b);
            vertices.push_back({a, h, b});
            heights.push_back(h);
        }
    }
    const auto count = static_cast<std::uint32_t>(cells + 1);
    BodyDef def;
    def.type = BodyType::fixed;
    if (field) {
        const auto made = make_height_field(
            {.columns = count, .rows = count, .heights = heights, .spacing_x = cell, .spacing_z = cell});
        REQUIRE_MESSAGE(bool(made), made.error().message);
        def.mesh = *made;
    } else {
        const auto made = make_mesh({.vertices = vertices, .indices = indices});
        REQUIRE_MESSAGE(bool(made), made.error().message);
        def.mesh = *made;
    }
    def.position = {x, raised, z};
    def.material.friction = 0.3f;
    return def;
}

/// A ground from (-16, -16) to (16, 16) of tiles x tiles tiles.
void add_ground(World& world, int tiles, const Height& height, bool field) {
    const float side = 32.0f / static_cast<float>(tiles);
    for (int a = 0; a < tiles; ++a) {
        for (int b = 0; b < tiles; ++b)
            add(world, tile(-16.0f + side * static_cast<float>(a), -16.0f + side * static_cast<float>(b), 64 / tiles,
                            height, field));
    }
}

struct Slider {
    std::string name;
    Shape shape;
    float rest;  ///< height of its centre at rest, m
    bool rolls;
};

std::vector<Slider> sliders() {
    return {{"box", box({0.4f, 0.2f, 0.4f}), 0.2f, false},
            {"ball", sphere(0.3f), 0.3f, true},
            {"disc", cylinder(0.2f, 0.4f), 0.2f, false},
            {"cone", cone(0.2f, 0.4f), 0.2f, false}};
}

struct Trip {
    dvec3 end{0.0};
    float speed = 0.0f;
    float bump = 0.0f;  ///< the greatest vertical velocity, m/s
};

/// Sends it along x, across the seams.
Trip cross(World& world, const Slider& slider, float speed, double way) {
    BodyDef def = body(slider.shape, {-14.0, double(slider.rest) + 0.3, 0.13});
    def.material.friction = slider.rolls ? 0.3f : 0.0f;
    const BodyId id = add(world, def);
    run(world, 90);
    world.set_linear_velocity(id, {speed, 0.0f, 0.04f * speed});
    if (slider.rolls) world.set_angular_velocity(id, {0.0f, 0.0f, -speed / slider.rest});
    Trip trip;
    while (world.position(id).x < -14.0 + way && world.linear_velocity(id).x > 0.1f) {
        world.step(frame);
        trip.bump = std::max(trip.bump, std::abs(world.linear_velocity(id).y));
    }
    trip.end = world.position(id);
    trip.speed = glm::length(world.linear_velocity(id));
    return trip;
}

}  // namespace

// The next tile's border stopped a box from 5 m/s to 0.4 and threw balls into the air.
TEST_CASE("bodies cross the seams between level tiles as if there were none") {
    for (const Slider& slider : sliders()) {
        for (const bool field : {false, true}) {
            for (const float speed : {0.5f, 5.0f, 40.0f}) {
                CAPTURE(slider.name);
                CAPTURE(field);
                CAPTURE(speed);
                World world(sleepless());
                add_ground(world, 8, level, field);
                const Trip trip = cross(world, slider, speed, speed < 1.0f ? 5.0 : 26.0);
                CHECK(trip.speed == doctest::Approx(double(speed)).epsilon(2e-3));
                CHECK(trip.bump < 0.02f);
                CHECK(std::abs(trip.end.y - double(slider.rest)) < 2e-3);
            }
        }
    }
}

// Where four tiles meet, the manifold of an edge had points on other edges of its triangle. They stayed as obstacles
// when the point on the border was left out: one crossing in ten lost a third of its speed.
TEST_CASE("bodies cross tiles of unequal cells in any direction") {
    Random random(8);
    World ground(sleepless());
    for (int a = -5; a < 5; ++a) {
        for (int b = -5; b < 5; ++b) {
            const int cells = 1 + static_cast<int>(random.below(5));
            BodyDef def = tile(0.0f, 0.0f, cells, level, false);
            std::vector<vec3> vertices;
            std::vector<std::uint32_t> indices;
            for (std::uint32_t t = 0; t < def.mesh->size(); ++t) {
                for (const vec3& p : def.mesh->points(t)) {
                    indices.push_back(static_cast<std::uint32_t>(vertices.size()));
                    vertices.push_back(p * (4.0f / static_cast<float>(cells)));
                }
            }
            def.mesh = *make_mesh({.vertices = vertices, .indices = indices});
            def.position = {2.0 * a, 0.0, 2.0 * b};
            def.material.friction = 0.0f;
            add(ground, def);
        }
    }
    const Slider log{"log", capsule(0.4f, 0.3f), 0.3f, false};
    std::vector<Slider> all = sliders();
    all.push_back(log);
    for (const Slider& slider : all) {
        for (const float speed : {3.0f, 12.0f, 30.0f}) {
            for (int trial = 0; trial < 12; ++trial) {
                CAPTURE(slider.name);
                CAPTURE(speed);
                CAPTURE(trial);
                World world = ground;
                const double angle = random.between(0.0f, 2.0f * float(pi));
                const vec3 velocity{speed * std::cos(angle), 0.0f, speed * std::sin(angle)};
                BodyDef def = body(slider.shape, -4.0 * dvec3(velocity) / double(speed));
                def.position += dvec3(random.between(-1.0f, 1.0f), slider.rest, random.between(-1.0f, 1.0f));
                def.rotation = turn({0, 1, 0}, random.between(0.0f, 3.0f));
                if (slider.name == "log") def.rotation = def.rotation * turn({1, 0, 0}, 0.5 * pi);
                def.material.friction = 0.0f;
                def.linear_velocity = velocity;
                const BodyId id = add(world, def);
                run(world, static_cast<int>(8.0f / speed / frame));
                CHECK(glm::length(world.linear_velocity(id) - velocity) < 0.01f * speed);
                CHECK(std::abs(world.position(id).y - double(slider.rest)) < 2e-3);
            }
        }
    }
}

TEST_CASE("bodies cross bumpy tiles about as a bumpy ground of one piece" * doctest::test_suite("slow")) {
    for (const Slider& slider : sliders()) {
        for (const bool field : {false, true}) {
            CAPTURE(slider.name);
            CAPTURE(field);
            World whole(sleepless()), tiled(sleepless());
            add_ground(whole, 1, bumpy, field);
            add_ground(tiled, 8, bumpy, field);
            const Trip a = cross(whole, slider, 5.0f, 20.0), b = cross(tiled, slider, 5.0f, 20.0);
            CHECK(b.speed > 0.9f * a.speed);
            CHECK(b.bump < 1.3f * a.bump);
        }
    }
}

TEST_CASE("bodies rest on seams and where four tiles meet, under a load") {
    const Shape shapes[] = {box({0.4f, 0.2f, 0.3f}), sphere(0.3f), cylinder(0.3f, 0.3f), capsule(0.4f, 0.2f)};
    for (const bool field : {false, true}) {
        World world(sleepless());
        add_ground(world, 8, level, field);
        std::vector<BodyId> ids;
        std::vector<double> heights;
        for (int i = 0; i < 4; ++i) {
            const double x = 4.0 * i - 8.0;  // on seams along z; on both for the second row
            for (const double z : {0.7, 4.0}) {
                BodyDef def = body(shapes[i], {x, 0.7, z});
                if (i == 3) def.rotation = turn({0, 0, 1}, 0.5 * pi);
                def.density = 20000.0f;
                ids.push_back(add(world, def));
                const Aabb bounds = talus::bounds(shapes[i]);
                heights.push_back(i == 3 ? 0.2 : double(bounds.upper.y));
            }
        }
        run(world, 300);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            CAPTURE(i);
            CHECK(std::abs(world.position(ids[i]).y - heights[i]) < 3e-3);
            CHECK(glm::length(world.linear_velocity(ids[i])) < 1e-2f);
        }
    }
}

// The border's normal was left out, and nothing took its place: a corner sank 16 cm into a seam.
TEST_CASE("a box that is dropped with a corner onto a seam is held") {
    Random random(12);
    for (int trial = 0; trial < 60; ++trial) {
        CAPTURE(trial);
        World world(sleepless());
        add_ground(world, 8, level, false);
        BodyDef def = body(box(vec3(0.5f)), {random.between(-0.5f, 0.5f), 1.8, random.between(-0.5f, 0.5f)});
        const vec3 axis = random.between(0.0f, 1.0f) * vec3(1, 0, 0) + random.between(0.0f, 1.0f) * vec3(0, 0, 1);
        def.rotation = turn(glm::normalize(axis + vec3(0.1f)), random.between(0.5f, 1.0f));
        def.linear_velocity = {random.between(-2.0f, 2.0f), -2.0f, random.between(-2.0f, 2.0f)};
        const BodyId id = add(world, def);
        double lowest = 0.0;
        for (int step = 0; step < 120; ++step) {
            world.step(frame);
            lowest = std::min(lowest, double(world.bounds(id).lower.y));
        }
        CHECK(lowest > -0.06);
    }
}

TEST_CASE("a real step between tiles, and a fence on a seam, still stop a box") {
    for (const bool fence : {false, true}) {
        World world(sleepless());
        add(world, tile(-16.0f, -8.0f, 32, level, false));
        add(world, tile(0.0f, -8.0f, 32, level, false, fence ? 0.0f : 0.1f));
        if (fence) {
            const std::vector<vec3> vertices{{0, 0, -8}, {0, 0, 8}, {0, 0.3f, 8}, {0, 0.3f, -8}};
            const std::vector<std::uint32_t> indices{0, 1, 2, 0, 2, 3};
            BodyDef def;
            def.type = BodyType::fixed;
            def.mesh = *make_mesh({.vertices = vertices, .indices = indices, .two_sided = true});
            add(world, def);
        }
        BodyDef def = body(box({0.4f, 0.3f, 0.4f}), {-3.0, 0.3, 0.1});
        def.material.friction = 0.0f;
        def.linear_velocity = {3.0f, 0.0f, 0.0f};
        const BodyId id = add(world, def);
        run(world, 120);
        CHECK(world.position(id).x < 0.1);
    }
}

TEST_CASE("a mesh with which a shape does not collide hides no edge from it") {
    // The box slides on a slab, which is no mesh, to the border of a tile.
    const auto way = [](bool with_mesh, bool collides) {
        World world(sleepless());
        add(world, fixed_body(box({8.0f, 1.0f, 8.0f}), {-8.0, -1.0, 0.0}));
        add(world, tile(0.0f, -8.0f, 32, level, false));
        BodyDef other = tile(-16.0f, -8.0f, 32, level, false);
        if (!collides) other.filter.category = 2;
        if (with_mesh) add(world, other);
        BodyDef def = body(box({0.4f, 0.3f, 0.4f}), {-3.0, 0.3, 0.1});
        def.material.friction = 0.0f;
        def.linear_velocity = {3.0f, 0.0f, 0.0f};
        def.filter.mask = ~std::uint32_t{2};
        const BodyId id = add(world, def);
        run(world, 120);
        return world.position(id).x;
    };
    CHECK(way(true, true) > 2.9);
    CHECK(way(true, false) == way(false, false));
    CHECK(way(false, false) < 2.5);
}

TEST_CASE("a surface rises at a point where it goes through it and above the plane") {
    const BodyDef ground = tile(-2.0f, -2.0f, 8, level, false);
    std::vector<std::uint32_t> found;
    const auto rises = [&](const vec3& point, const vec3& normal) {
        return detail::rises_at(*ground.mesh, point, glm::normalize(normal), 1e-3f, found);
    };
    const vec3 border(4.0f, 0.0f, 2.1f), inside(2.2f, 0.0f, 2.1f);  // the tile's own frame
    CHECK(rises(border, {-1, 0, 0}));
    CHECK(rises(border, {-1, 0.2f, 0}));
    CHECK(rises(border + vec3(5e-4f, -5e-4f, 0), {-1, 0, 0}));
    CHECK(rises(inside, {1, 0, 0}));
    CHECK(!rises(border, {0, 1, 0}));
    CHECK(!rises(border, {1, 1, 0}));
    CHECK(!rises(border + vec3(5e-3f, 0, 0), {-1, 0, 0}));
    CHECK(!rises(border - vec3(0, 5e-3f, 0), {-1, 0, 0}));
    CHECK(!rises(inside, {1, -0.5f, 0}));  // from behind
}
