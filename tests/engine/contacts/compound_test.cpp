// Bodies of several shapes.

#include "tests/engine/worlds.h"

using namespace talus;
using namespace talus::test;

namespace {

bool near(const mat3& a, const mat3& b, float tolerance) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (std::abs(a[i][j] - b[i][j]) > tolerance) return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("mass, centre of mass and inertia of two boxes are those of the steps' law") {
    World world;
    BodyDef def;
    def.shapes = {part(box({0.5f, 0.5f, 0.5f}), {-1, 0, 0}), part(box({1.0f, 0.25f, 0.5f}), {1, 2, 0})};
    def.shapes[1].density = 500.0f;  // 1000 kg and 500 kg
    def.position = {10, 20, 30};
    const BodyId id = add(world, def);
    const float m1 = 1000.0f, m2 = 500.0f;
    CHECK(world.mass(id) == doctest::Approx(1500.0));
    const vec3 center(-1.0f / 3.0f, 2.0f / 3.0f, 0.0f);
    CHECK(glm::distance(world.center_of_mass(id), dvec3(10, 20, 30) + dvec3(center)) < 1e-5);
    CHECK(world.position(id) == dvec3(10, 20, 30));
    const vec3 d1 = vec3(-1, 0, 0) - center, d2 = vec3(1, 2, 0) - center;
    const auto box_inertia = [](float m, const vec3& h) {
        return mat3(m / 3.0f * (h.y * h.y + h.z * h.z), 0, 0, 0, m / 3.0f * (h.x * h.x + h.z * h.z), 0, 0, 0,
                    m / 3.0f * (h.x * h.x + h.y * h.y));
    };
    const auto shifted = [](const mat3& i, float m, const vec3& d) {
        return i + m * (mat3(glm::dot(d, d)) - glm::outerProduct(d, d));
    };
    const mat3 expected =
        shifted(box_inertia(m1, vec3(0.5f)), m1, d1) + shifted(box_inertia(m2, {1, 0.25f, 0.5f}), m2, d2);
    CHECK(near(world.inertia(id), expected, 0.01f));
}

TEST_CASE("cutting a box in eight does not change its mass properties, however the pieces and the body are turned") {
    World world;
    BodyDef whole = body(box({1.0f, 0.5f, 0.75f}), {3, 1, 2});
    whole.rotation = turn(glm::normalize(vec3(1, 2, 3)), 1.0);
    BodyDef cut;
    cut.position = whole.position;
    cut.rotation = whole.rotation;
    for (int i = 0; i < 8; ++i) {
        const vec3 at(i & 1 ? 0.5f : -0.5f, i & 2 ? 0.25f : -0.25f, i & 4 ? 0.375f : -0.375f);
        // Each piece has its own frame: y up, or y along x.
        if (i % 2 == 0) {
            cut.shapes.push_back(part(box({0.5f, 0.25f, 0.375f}), at));
        } else {
            cut.shapes.push_back(part(box({0.25f, 0.5f, 0.375f}), at, turn({0, 0, 1}, 0.5 * pi)));
        }
    }
    const BodyId a = add(world, whole), b = add(world, cut);
    CHECK(world.mass(a) == doctest::Approx(world.mass(b)).epsilon(1e-5));
    CHECK(glm::distance(world.center_of_mass(a), world.center_of_mass(b)) < 1e-5f);
    CHECK(near(world.inertia(a), world.inertia(b), 1e-4f * world.mass(a)));
    CHECK(glm::distance(world.bounds(a).lower, world.bounds(b).lower) < 1e-4f);
    CHECK(glm::distance(world.bounds(a).upper, world.bounds(b).upper) < 1e-4f);
}

TEST_CASE("a body turns about its centre of mass, and its frame goes round it") {
    World world(weightless());
    BodyDef def;
    def.shapes = {part(sphere(0.5f), {2, 0, 0})};
    def.position = {5, 0, 0};
    def.angular_velocity = {0, 0, 1};
    const BodyId id = add(world, def);
    CHECK(glm::distance(world.center_of_mass(id), dvec3(7, 0, 0)) < 1e-6);
    run(world, 60);
    CHECK(glm::distance(world.center_of_mass(id), dvec3(7, 0, 0)) < 1e-5);
    const double c = std::cos(1.0), s = std::sin(1.0);
    CHECK(glm::distance(world.position(id), dvec3(7.0 - 2.0 * c, -2.0 * s, 0)) < 1e-4);
    REQUIRE(world.set_transform(id, {1, 2, 3}, quat(1, 0, 0, 0)));
    CHECK(glm::distance(world.position(id), dvec3(1, 2, 3)) < 1e-6);
    CHECK(glm::distance(world.center_of_mass(id), dvec3(3, 2, 3)) < 1e-6);
}

TEST_CASE("a dumb-bell rests on its two ends, each carrying half of it") {
    World world(sleepless());
    const BodyId floor = add(world, ground());
    BodyDef def;
    def.shapes = {part(sphere(0.5f), {-2, 0, 0}), part(sphere(0.5f), {2, 0, 0}),
                  part(cylinder(2.0f, 0.1f), {}, turn({0, 0, 1}, 0.5 * pi))};
    def.position = {0, 1.0f, 0};
    const BodyId id = add(world, def);
    run(world, 300);
    CHECK(world.position(id).y == doctest::Approx(0.5).epsilon(0.005));
    const std::vector<Contact> contacts = world.contacts(id);
    REQUIRE(contacts.size() == 2);
    for (const Contact& c : contacts) {
        CHECK((c.body_a == id ? c.shape_a : c.shape_b) <= 1);
        CHECK(c.point_count == 1);
        CHECK(60.0f * c.points[0].normal_impulse == doctest::Approx(0.5 * world.mass(id) * 9.81).epsilon(0.01));
    }
    CHECK(normal_force(world, floor).y == doctest::Approx(-9.81 * world.mass(id)).epsilon(0.005));
    // ... without a flicker of its contacts.
    for (int i = 0; i < 300; ++i) {
        run(world, 1);
        CHECK(world.contacts_begun().empty());
        CHECK(world.contacts_ended().empty());
    }
}

TEST_CASE("a lopsided dumb-bell shares its weight by the law of the lever") {
    World world(sleepless());
    add(world, ground());
    BodyDef def;
    def.shapes = {part(box(vec3(0.5f)), {-2, 0, 0}), part(box(vec3(0.5f)), {2, 0, 0})};
    def.shapes[1].density = 3000.0f;
    def.position = {0, 0.5f, 0};
    const BodyId id = add(world, def);
    run(world, 400);
    // The centre of mass is at x = 1: forces and their moments about any point balance there.
    double force = 0.0, moment = 0.0, left = 0.0;
    for (const Contact& c : world.contacts(id)) {
        for (int i = 0; i < c.point_count; ++i) {
            const double f = 60.0 * static_cast<double>(c.points[i].normal_impulse), x = c.points[i].position.x;
            force += f;
            moment += f * x;
            if (x < 0.0) left += f;
        }
    }
    CHECK(force == doctest::Approx(4000.0 * 9.81).epsilon(0.005));
    CHECK(moment / force == doctest::Approx(1.0).epsilon(0.005));
    CHECK(left == doctest::Approx(1000.0 * 9.81).epsilon(0.1));  // the load may be spread over a foot in any way
    CHECK(world.position(id).y == doctest::Approx(0.5).epsilon(0.004));
}

TEST_CASE("a cup of five boxes holds a ball") {
    World world;
    add(world, ground());
    BodyDef cup;
    cup.shapes = {part(box({1, 0.1f, 1}), {0, 0.1f, 0})};
    for (int i = 0; i < 4; ++i) {
        const quat q = turn({0, 1, 0}, 0.5 * pi * i);
        cup.shapes.push_back(part(box({0.1f, 0.5f, 1.0f}), rotate(q, {0.9f, 0.7f, 0}), q));
    }
    const BodyId cup_id = add(world, cup);
    const BodyId ball = add(world, body(sphere(0.3f), {0.3f, 3, 0.2f}));
    run(world, 600);
    CHECK(world.position(ball).y == doctest::Approx(0.5).epsilon(0.01));
    const vec3 local = inverse_transform_point(world.transform(cup_id), world.position(ball));
    CHECK(std::abs(local.x) < 0.51f);
    CHECK(std::abs(local.z) < 0.51f);
    CHECK(!world.is_awake(ball));
    CHECK(!world.is_awake(cup_id));
}

TEST_CASE("compounds pile up and come to rest") {
    World world;
    add(world, ground());
    Random random(21);
    std::vector<BodyId> ids;
    for (int i = 0; i < 40; ++i) {
        BodyDef jack;  // three crossed bars
        jack.shapes = {part(box({0.5f, 0.1f, 0.1f})), part(box({0.1f, 0.5f, 0.1f})),
                       part(capsule(0.4f, 0.1f), {}, turn({1, 0, 0}, 0.5 * pi))};
        jack.position = vec3(0, 3.5f, 0) + random.in_box(vec3(1.0f, 3.0f, 1.0f));
        jack.rotation = random.rotation();
        ids.push_back(add(world, jack));
    }
    run(world, 1200);
    for (const BodyId id : ids) {
        CHECK(world.position(id).y > 0.08f);
        CHECK(!world.is_awake(id));
    }
}

TEST_CASE("a fixed body of several shapes is a landscape") {
    World world(sleepless());
    BodyDef land;
    land.type = BodyType::fixed;
    for (int i = 0; i < 20; ++i)
        land.shapes.push_back(
            part(box({1, 1, 1}), {2.0f * static_cast<float>(i), 0.5f * static_cast<float>(i % 3), 0}));
    add(world, land);
    std::vector<BodyId> ids;
    for (int i = 0; i < 20; ++i) ids.push_back(add(world, crate({2.0f * static_cast<float>(i), 4, 0})));
    run(world, 240);
    for (int i = 0; i < 20; ++i) {
        const double top = 1.0 + 0.5 * (i % 3);
        CHECK(world.position(ids[static_cast<std::size_t>(i)]).y == doctest::Approx(top + 0.5).epsilon(0.005));
    }
}

TEST_CASE("a box slides over the seams of a floor of tiles without a bump") {
    World world(sleepless());
    BodyDef land;
    land.type = BodyType::fixed;
    land.material.friction = 0.0f;
    for (int i = -2; i < 20; ++i) {
        land.shapes.push_back(part(box({0.5f, 0.5f, 2}), {static_cast<float>(i), -0.5f, 0}));
        land.shapes.back().material.friction = 0.0f;
    }
    add(world, land);
    BodyDef puck = body(box({0.3f, 0.1f, 0.3f}), {0, 0.1f, 0});
    puck.linear_velocity = {3, 0, 0};
    const BodyId id = add(world, puck);
    double highest = 0.0;
    for (int i = 0; i < 240; ++i) {
        run(world, 1);
        highest = std::max(highest, world.position(id).y);
    }
    CHECK(highest < 0.105);
    CHECK(world.linear_velocity(id).x > 2.9f);
}
