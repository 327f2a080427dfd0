/// Bodies of the open set: ellipsoids, sums, mappings of the user's own, and rounded boxes and hulls.

#include "tests/engine/worlds.h"

#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/triangles/height_field.h>
#include <talus/narrowphase/triangles/mesh.h>
#include <talus/thread_pool.h>

#include <algorithm>

using namespace talus;
using namespace talus::test;

namespace {

/// Two spherical caps on one rim: a ball of radius `ball`, cut by its mirror image. The rim has the radius `rim` in the
/// plane y = 0.
class Lens final : public SupportMapping {
public:
    Lens(double ball, double rim) : ball_(ball), rim_(rim), drop_(std::sqrt(ball * ball - rim * rim)) {}
    dvec3 support(const dvec3& d) const override {
        const dvec3 n = d / std::sqrt(glm::dot(d, d));
        const double across = std::sqrt(n.x * n.x + n.z * n.z);
        if (across * ball_ < rim_) return ball_ * n - dvec3(0.0, n.y < 0.0 ? -drop_ : drop_, 0.0);
        return dvec3(n.x * rim_ / across, 0.0, n.z * rim_ / across);
    }

private:
    double ball_, rim_, drop_;
};

Shape lens(double ball, double rim) {
    const auto made = make_mapping_solid(std::make_shared<Lens>(ball, rim));
    REQUIRE_MESSAGE(made, made.error().message);
    return mapping_shape(*made);
}

Shape some_ellipsoid(Random& random, float size = 0.5f) {
    const float x = random.between(0.4f, 1.0f) * size, y = random.between(0.4f, 1.0f) * size;
    return *ellipsoid({x, y, random.between(0.4f, 1.0f) * size});
}

Shape stone_hull(Random& random, float size) {
    for (;;) {
        std::vector<vec3> points;
        for (int i = 0; i < 12; ++i) points.push_back(size * random.direction());
        if (const auto made = make_hull(points)) return hull(*made);
    }
}

/// One of the shapes that this test is about.
Shape some_shape(Random& random) {
    switch (random.below(7)) {
        case 0:
        case 1:
            return some_ellipsoid(random);
        case 2:
            return *superellipsoid({0.4f, 0.3f, 0.35f}, 3.0f, 4.0f);
        case 3:
            return rounded(box({random.between(0.1f, 0.3f), random.between(0.1f, 0.3f), 0.2f}),
                           random.between(0.05f, 0.2f));
        case 4:
            return rounded(stone_hull(random, 0.3f), random.between(0.05f, 0.2f));
        case 5:
            return *convex_sum(box({0.2f, 0.1f, 0.2f}), cylinder(0.15f, 0.15f));
        default:
            return lens(0.8, 0.45);
    }
}

void add_bin(World& world, float half, float height) {
    add(world, ground());
    for (const float side : {-1.0f, 1.0f}) {
        add(world, fixed_body(box({0.5f, height, half + 1.0f}), {side * (half + 0.5f), height, 0.0f}));
        add(world, fixed_body(box({half + 1.0f, height, 0.5f}), {0.0f, height, side * (half + 0.5f)}));
    }
}

/// Of a body of one shape.
MassProperties mass_of(const World& world, BodyId id) {
    return mass_properties(world.shapes(id)[0].shape, world.shapes(id)[0].density);
}

double motion_energy(const World& world, BodyId id) {
    const vec3 v = world.linear_velocity(id), w = world.angular_velocity(id);
    const MassProperties m = mass_of(world, id);
    const mat3 r = to_matrix(world.transform(id).rotation);
    const vec3 own = glm::transpose(r) * w;
    return 0.5 * double(m.mass * length_squared(v)) + 0.5 * double(glm::dot(own, m.inertia * own));
}

}  // namespace

TEST_CASE("solids of revolution roll down a slope on their equators as fast as the closed form says") {
    constexpr float sine = 0.28f, cosine = 0.96f;
    const quat tilt = turn({1, 0, 0}, std::atan2(sine, cosine));
    const std::pair<const char*, Shape> round[] = {
        {"ball", *ellipsoid({0.3f, 0.3f, 0.3f})},
        {"long spheroid", *ellipsoid({0.3f, 0.6f, 0.3f})},
        {"spheroid", *ellipsoid({0.4f, 0.5f, 0.4f})},
        {"flat spheroid", *ellipsoid({0.5f, 0.4f, 0.5f})},
        {"superegg", *superellipsoid({0.3f, 0.5f, 0.3f}, 2.0f, 3.0f)},
        {"cylinder as a sum", *convex_sum(cylinder(0.3f, 0.3f), segment({0, -0.1f, 0}, {0, 0.1f, 0}))},
    };
    for (const auto& each : round) {
        const Shape& shape = each.second;
        CAPTURE(each.first);
        World world;
        BodyDef slope = fixed_body(box({5, 1, 50}), {0, 0, 0});
        slope.rotation = tilt;
        add(world, slope);
        const float radius = bounds(shape).upper.x;
        BodyDef def = body(shape, dvec3(rotate(tilt, {0.0f, 1.0f + radius, -20.0f})));
        def.rotation = multiply(tilt, turn({0, 0, 1}, 0.5 * pi));
        const BodyId id = add(world, def);
        const MassProperties m = mass_properties(shape, def.density);
        const double part = double(m.inertia[1][1]) / double(m.mass * radius * radius);
        const double expected = 9.81 * double{sine} / (1.0 + part) * 2.0;
        run(world, 120);
        const double speed = double(glm::length(world.linear_velocity(id))),
                     spin = double(glm::length(world.angular_velocity(id)));
        MESSAGE(std::string(each.first), ": speed ", speed / expected, " of the closed form's, rolls ",
                spin * double{radius} / speed);
        CHECK(speed == doctest::Approx(expected).epsilon(0.01));
        CHECK(spin * double{radius} == doctest::Approx(speed).epsilon(0.01));
        CHECK(std::abs(world.position(id).x) < 0.02);
    }
}

// With the lever arms of the step's start, the energy rose to up to 2.08 of that at the start.
TEST_CASE("an ellipsoid that rolls on a floor gains no energy, and keeps nine tenths of it for 10 s") {
    Random random(7);
    double least = 1e9, most = 0.0;
    for (int i = 0; i < 8; ++i) {
        CAPTURE(i);
        World world(sleepless());
        BodyDef floor = ground();
        floor.material.friction = 2.0f;  // it does not slide
        add(world, floor);
        const float a = random.between(0.35f, 0.5f), b = random.between(0.3f, 0.4f);
        BodyDef def = body(*ellipsoid({a, b, 0.4f}), {0, double{b}, 0});
        def.material.friction = 2.0f;
        const vec3 v(random.between(-1.5f, 1.5f), 0.0f, random.between(-1.5f, 1.5f));
        def.linear_velocity = v;
        def.angular_velocity = glm::cross(vec3(0, 1.0f / b, 0), v);
        const BodyId id = add(world, def);
        const auto energy = [&] {
            return motion_energy(world, id) + 9.81 * double{mass_of(world, id).mass} * (world.position(id).y - 0.3);
        };
        const double before = energy();
        double highest = before;
        for (int step = 0; step < 600; ++step) {
            run(world, 1);
            highest = std::max(highest, energy());
        }
        MESSAGE(a, " ", b, ": ", before, " J at first, ", highest, " J at most, ", energy(), " J after 10 s");
        least = std::min(least, energy() / before);
        most = std::max(most, highest / before);
    }
    MESSAGE("energy after 10 s: at least ", least, " of it, never more than ", most);
    CHECK(most < 1.01);
    CHECK(least > 0.9);
}

TEST_CASE("a lens comes to rest on its dome, and falls asleep") {
    for (const double ball : {0.8, 1.5}) {
        CAPTURE(ball);
        World world;
        add(world, ground());
        BodyDef def = body(lens(ball, 0.5), {0, 1, 0});
        def.material.rolling_resistance = 0.05f;  // without it, it rocks for minutes
        def.rotation = turn({1, 0, 0}, 0.4);
        const BodyId id = add(world, def);
        int steps = 0;
        while (steps < 1800 && world.is_awake(id)) {
            run(world, 1);
            ++steps;
        }
        const vec3 up = rotate(world.transform(id).rotation, {0, 1, 0});
        MESSAGE("asleep after ", steps, " steps, upright to ", std::acos(std::min(1.0, double{std::abs(up.y)})),
                " rad");
        CHECK_FALSE(world.is_awake(id));
        const double height = ball - std::sqrt(ball * ball - 0.25);
        CHECK(world.position(id).y == doctest::Approx(height).epsilon(0.03));
    }
}

TEST_CASE("sums and rounded boxes with flat faces lie still on them, and stand in stacks") {
    const Shape shapes[] = {rounded(box({0.4f, 0.3f, 0.4f}), 0.1f), *convex_sum(box({0.4f, 0.3f, 0.4f}), sphere(0.1f)),
                            *convex_sum(box({0.3f, 0.4f, 0.3f}), cylinder(0.1f, 0.2f))};
    for (const Shape& shape : shapes) {
        CAPTURE(name_of(shape.type));
        World world;
        add(world, ground());
        const float height = 2.0f * bounds(shape).upper.y;
        std::vector<BodyId> stack;
        for (int i = 0; i < 6; ++i)
            stack.push_back(add(world, body(shape, {0, (i + 0.5) * double{height} + 0.01 * i, 0})));
        int steps = 0;
        while (steps < 600 && world.awake_body_count() != 0) {
            run(world, 1);
            ++steps;
        }
        MESSAGE("asleep after ", steps, " steps");
        CHECK(world.awake_body_count() == 0);
        for (std::size_t i = 0; i < stack.size(); ++i) {
            const dvec3 p = world.position(stack[i]);
            CHECK(p.y == doctest::Approx((double(i) + 0.5) * double{height}).epsilon(0.01));
            CHECK(std::abs(p.x) < 0.02);
            CHECK(std::abs(p.z) < 0.02);
        }
    }
}

TEST_CASE("superellipsoids with exponents of 4 to 12 come to rest, and do not sink") {
    for (const vec3& radii : {vec3(0.3f), vec3(0.4f, 0.1f, 0.4f), vec3(0.5f, 0.03f, 0.5f), vec3(0.4f, 0.2f, 0.25f)}) {
        for (const float exponent : {4.0f, 6.0f, 8.0f, 12.0f}) {
            CAPTURE(radii.x);
            CAPTURE(radii.y);
            CAPTURE(exponent);
            const Shape shape = *superellipsoid(radii, exponent, exponent);
            for (std::uint64_t seed = 1; seed <= 2; ++seed) {
                Random random(seed);
                World world;
                add(world, ground());
                BodyDef def = body(shape, {0.0, 0.8, 0.0});
                def.rotation = random.rotation();
                const BodyId id = add(world, def);
                int steps = 0;
                for (; steps < 1500 && world.is_awake(id); ++steps) run(world, 1);
                CHECK_FALSE(world.is_awake(id));
                const quat q = world.rotation(id);
                const vec3 low = rotate(q, vec3(support(shape, inverse_rotate(q, {0, -1, 0})).point));
                CHECK(world.position(id).y + double{low.y} > -1e-3);
            }
        }
    }
}

TEST_CASE("small superellipsoids come to rest on the ground, not in it") {
    for (const float size : {0.005f, 0.015f, 0.06f}) {
        for (const float exponent : {4.0f, 8.0f, 12.0f}) {
            for (const vec3& form : {vec3(1.0f), vec3(1.0f, 0.4f, 0.7f), vec3(1.0f, 0.25f, 1.0f)}) {
                CAPTURE(size);
                CAPTURE(exponent);
                CAPTURE(form.y);
                const Shape shape = *superellipsoid(size * form, exponent, exponent);
                Random random(9);
                int moving = 0;
                for (int k = 0; k < 5; ++k) {
                    World world;
                    add(world, ground());
                    BodyDef def = body(shape, {0.0, 0.2, 0.0});
                    def.rotation = random.rotation();
                    def.angular_velocity = random.in_box(vec3(5.0f));
                    const BodyId id = add(world, def);
                    run(world, 600);
                    moving += world.is_awake(id) ? 1 : 0;
                    CHECK(world.position(id).y > 0.8 * double{size} * std::min(form.x, form.y));
                }
                CHECK(moving <= 1);
            }
        }
    }
}

/// In some heaps, one flat body rocks on a single point for ever (docs/shapes.md).
TEST_CASE("most heaps of flat superellipsoids come to rest, and none sinks") {
    int at_rest = 0;
    for (const float exponent : {4.0f, 8.0f}) {
        for (std::uint32_t seed = 1; seed <= 3; ++seed) {
            CAPTURE(exponent);
            CAPTURE(seed);
            Random random(seed);
            World world;
            add_bin(world, 2.0f, 4.0f);
            std::vector<Shape> shapes;
            const auto half = [&] { return random.between(0.2f, 0.4f); };
            for (int i = 0; i < 8; ++i) {
                const float x = half(), y = 0.25f * half(), z = half();
                shapes.push_back(*superellipsoid({x, y, z}, exponent, exponent));
            }
            int added = 0, steps = 0;
            for (; steps < 1800 && (added < 32 || world.awake_body_count() != 0); ++steps) {
                for (int k = 0; steps % 35 == 0 && added < 32 && k < 4; ++k) {
                    BodyDef def = body(shapes[static_cast<std::size_t>(added++) % shapes.size()],
                                       {(k % 2) * 1.6 - 0.8, 4.0, (k / 2) * 1.6 - 0.8});
                    def.rotation = random.rotation();
                    add(world, def);
                }
                run(world, 1);
            }
            double deepest = 0.0;
            for (const Contact& contact : world.contacts())
                for (int k = 0; k < contact.point_count; ++k)
                    deepest = std::max(deepest, -double{contact.points[k].separation});
            MESSAGE(world.awake_body_count(), " awake after ", steps, " steps, deepest ", 1e3 * deepest, " mm");
            at_rest += world.awake_body_count() == 0 ? 1 : 0;
            CHECK(deepest < 0.005);
        }
    }
    CHECK(at_rest >= 4);
}

TEST_CASE("three hundred ellipsoids in a bin come to rest" * doctest::test_suite("slow")) {
    Random random(3);
    World world;
    add_bin(world, 3.0f, 6.0f);
    for (int i = 0; i < 300; ++i) {
        BodyDef def =
            body(some_ellipsoid(random), {-2.2 + 1.1 * (i % 5), 0.7 + 1.1 * (i / 25), -2.2 + 1.1 * (i / 5 % 5)});
        def.rotation = random.rotation();
        add(world, def);
    }
    int steps = 0;
    while (steps < 1800 && world.awake_body_count() != 0) {
        run(world, 1);
        ++steps;
    }
    std::string complaint;
    CHECK_MESSAGE(is_sound(world, &complaint), complaint);
    MESSAGE(world.awake_body_count(), " awake after ", steps, " steps");
    CHECK(world.awake_body_count() == 0);
    double deepest = 0.0;
    for (const Contact& contact : world.contacts())
        for (int k = 0; k < contact.point_count; ++k)
            deepest = std::max(deepest, -double{contact.points[k].separation});
    MESSAGE("deepest contact ", deepest);
    CHECK(deepest < 0.01);
    for (const BodyId id : world.bodies()) {
        const dvec3 p = world.position(id);
        CHECK(std::abs(p.x) < 4.0);
        CHECK(p.y > -1.1);
    }
}

TEST_CASE("a heap of all of them goes on to the same bits from a saved world, and on any number of threads") {
    const auto make = [](WorldDef def = {}) {
        Random random(11);
        World world(def);
        add_bin(world, 2.0f, 4.0f);
        for (int i = 0; i < 60; ++i) {
            BodyDef def_of =
                body(some_shape(random), {-1.2 + 1.2 * (i % 3), 0.8 + 1.2 * (i / 9), -1.2 + 1.2 * (i / 3 % 3)});
            def_of.rotation = random.rotation();
            add(world, def_of);
        }
        return world;
    };
    World world = make();
    Assets assets;
    // The lenses have a mapping of the test's own.
    int lenses = 0;
    for (const BodyId id : world.bodies()) {
        const Shape& shape = world.shapes(id)[0].shape;
        if (shape.mapping && shape.mapping->kind == MappingKind::user)
            REQUIRE(assets.add("lens " + std::to_string(lenses++), shape.mapping));
    }
    REQUIRE(lenses > 2);
    run(world, 90);
    const auto refused = world.save();
    REQUIRE_FALSE(static_cast<bool>(refused));
    CHECK(refused.error().message.find("a support mapping of a class of your own") != std::string::npos);
    const auto saved = world.save(assets);
    REQUIRE_MESSAGE(static_cast<bool>(saved), saved.error().message);
    Result<World> loaded = World::load(*saved, assets);
    REQUIRE_MESSAGE(static_cast<bool>(loaded), loaded.error().message);
    CHECK_FALSE(static_cast<bool>(World::load(*saved)));  // the lens is missing
    run(world, 60);
    run(*loaded, 60);
    CHECK(world.hash() == loaded->hash());

    World many = make();
    ThreadPool pool(3);
    for (int i = 0; i < 150; ++i) REQUIRE(many.step(frame, pool.jobs()));
    CHECK(many.hash() == world.hash());
    std::string complaint;
    CHECK_MESSAGE(is_sound(world, &complaint), complaint);
}

TEST_CASE("they fall on meshes and height fields and stay there") {
    std::vector<float> heights;
    for (int i = 0; i < 21 * 21; ++i) heights.push_back(0.15f * float((i * 7919) % 5) - 0.3f);
    std::vector<vec3> vertices;
    std::vector<std::uint32_t> indices;
    for (std::uint32_t i = 0; i < 11 * 11; ++i)
        vertices.push_back({float(i % 11) - 5.0f, 0.1f * float((i * 31) % 3), float(i / 11) - 5.0f});
    for (std::uint32_t i = 0; i < 10; ++i) {
        for (std::uint32_t j = 0; j < 10; ++j) {
            const std::uint32_t k = 11 * i + j;
            indices.insert(indices.end(), {k, k + 11, k + 1, k + 1, k + 11, k + 12});
        }
    }
    const std::shared_ptr<const TriangleSet> sets[] = {
        *make_mesh({.vertices = vertices, .indices = indices}),
        *make_height_field({.columns = 21, .rows = 21, .heights = heights})};
    for (const auto& set : sets) {
        Random random(5);
        World world;
        BodyDef floor;
        floor.type = BodyType::fixed;
        floor.mesh = set;
        const Aabb box = set->bounds();
        floor.position = -dvec3(center(box));
        floor.position.y = 0.0;
        add(world, floor);
        std::vector<BodyId> bodies;
        for (int i = 0; i < 25; ++i) {
            BodyDef def = body(some_shape(random), {1.2 * (i % 5) - 2.4, 1.5, 1.2 * (i / 5) - 2.4});
            def.rotation = random.rotation();
            def.material.rolling_resistance = 0.05f;
            bodies.push_back(add(world, def));
        }
        run(world, 300);
        std::string complaint;
        CHECK_MESSAGE(is_sound(world, &complaint), complaint);
        int left = 0;
        for (const BodyId id : bodies) left += world.position(id).y > -1.0;
        CHECK(left == 25);
    }
}

TEST_CASE("a fast ellipsoid does not pass a thin wall, nor does a rounded box") {
    Random random(2);
    const Shape shapes[] = {*ellipsoid({0.1f, 0.05f, 0.07f}), rounded(box({0.05f, 0.04f, 0.06f}), 0.02f),
                            *convex_sum(box({0.05f, 0.04f, 0.06f}), sphere(0.02f)), lens(0.2, 0.1)};
    for (const Shape& shape : shapes) {
        for (int i = 0; i < 5; ++i) {
            World world;
            add(world, fixed_body(box({0.02f, 5, 5})));
            BodyDef def = body(shape, {-3.0 - 0.1 * i, 0, 0});
            def.gravity_scale = 0.0f;
            def.rotation = random.rotation();
            def.linear_velocity = {120, 0, 0};
            def.angular_velocity = 20.0f * random.direction();
            const BodyId id = add(world, def);
            run(world, 30);
            CHECK(world.position(id).x < 0.0);
        }
    }
}

TEST_CASE("rays, casts, overlaps and the nearest point find an ellipsoid where it is") {
    World world;
    BodyDef def = fixed_body(*ellipsoid({0.5f, 1.0f, 2.0f}), {10, 0, 0});
    def.rotation = turn({0, 1, 0}, 0.5 * pi);  // the long axis along x
    const BodyId id = add(world, def);
    const CastHit ray = world.ray_cast({0, 0, 0}, {20, 0, 0});
    CHECK(ray.body == id);
    CHECK(ray.position.x == doctest::Approx(8.0).epsilon(1e-5));
    CHECK(ray.normal.x == doctest::Approx(-1.0).epsilon(1e-4));
    const CastHit cast = world.shape_cast(rounded(box(vec3(0.25f)), 0.25f), {}, {20, 0, 0});
    CHECK(cast.body == id);
    CHECK(cast.fraction == doctest::Approx(7.5 / 20.0).epsilon(1e-4));
    const std::vector<NearHit> near = world.nearest({10, 3, 0}, 1, 5.0f);
    REQUIRE(near.size() == 1);
    CHECK(near[0].body == id);
    CHECK(near[0].distance == doctest::Approx(2.0).epsilon(1e-4));
    CHECK(world.overlap(*ellipsoid({0.3f, 0.3f, 0.6f}), {{10, 1.25, 0}}).size() == 1);
    CHECK(world.overlap(*ellipsoid({0.3f, 0.3f, 0.6f}), {{10, 1.35, 0}}).empty());
    CHECK(world.overlap(dvec3(11.9, 0, 0)).size() == 1);
    CHECK(world.overlap(dvec3(10.0, 0, 0.6)).empty());
}

TEST_CASE("joints, sensors, compounds and set_shape take them") {
    World world;
    add(world, ground());
    const BodyId post = add(world, fixed_body(*ellipsoid({0.2f, 0.3f, 0.2f}), {0, 4, 0}));
    const BodyId bob = add(world, body(rounded(box(vec3(0.2f)), 0.1f), {1, 4, 0}));
    world.add_joint(BallDef{.frames = world.joint_frames(post, bob, {0, 4, 0})});
    BodyDef two;
    two.shapes = {part(*ellipsoid({0.4f, 0.2f, 0.2f}), {-0.4f, 0, 0}),
                  part(*superellipsoid({0.2f, 0.3f, 0.2f}, 3, 3), {0.4f, 0, 0})};
    two.position = {5, 1, 0};
    const BodyId compound = add(world, two);
    BodyDef zone = fixed_body(*ellipsoid({1, 1, 1}), {8, 0.5, 0});
    zone.sensor = true;
    add(world, zone);
    const BodyId visitor = add(world, body(sphere(0.2f), {8, 0.4, 0}));
    int begun = 0;
    for (int i = 0; i < 120; ++i) {
        run(world, 1);
        for (const ContactEvent& e : world.contacts_begun()) begun += e.sensor;
    }
    CHECK(begun == 1);
    CHECK(glm::length(world.position(bob) - dvec3(0, 4, 0)) == doctest::Approx(1.0).epsilon(1e-3));
    CHECK(world.position(compound).y == doctest::Approx(0.2).epsilon(0.2));
    CHECK(world.set_shape(visitor, 0, *ellipsoid({0.2f, 0.4f, 0.2f})));
    CHECK(mass_of(world, visitor).mass == doctest::Approx(1000.0 * 4.0 / 3.0 * pi * 0.2 * 0.2 * 0.4).epsilon(1e-5));
    run(world, 30);
    CHECK(world.add_body({.shape = mapping_shape(nullptr)}).is_null());
    CHECK(world.last_error().message.find("make one with ellipsoid()") != std::string::npos);
    CHECK_FALSE(world.set_shape(visitor, 0, mapping_shape(nullptr)));
    std::string complaint;
    CHECK_MESSAGE(is_sound(world, &complaint), complaint);
}
