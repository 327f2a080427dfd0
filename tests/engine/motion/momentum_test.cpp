/// Momentum of floating bodies: each case is a way in which it was lost.

#include <talus/talus.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace talus;

namespace {

/// The angular momentum about the common centre of mass of these bodies, which gravity does not change, N m s.
glm::dvec3 angular_momentum(const World& world, const std::vector<BodyId>& ids) {
    double mass = 0.0;
    glm::dvec3 center(0.0), velocity(0.0), sum(0.0);
    for (const BodyId id : ids) {
        const double m = world.mass(id);
        mass += m;
        center += m * world.center_of_mass(id);
        velocity += m * glm::dvec3(world.linear_velocity(id));
    }
    for (const BodyId id : ids) {
        const glm::dvec3 arm = world.center_of_mass(id) - center / mass;
        const glm::dvec3 own = glm::dvec3(world.linear_velocity(id)) - velocity / mass;
        sum += static_cast<double>(world.mass(id)) * glm::cross(arm, own) +
               glm::dmat3(world.inertia(id)) * glm::dvec3(world.angular_velocity(id));
    }
    return sum;
}

double off_by(const glm::dvec3& now, const glm::dvec3& then) { return glm::length(now - then) / glm::length(then); }

}  // namespace

TEST_CASE("a light link between heavy bodies in flight keeps the spin of all three") {
    World world;
    const BodyId a = world.add_body({.shape = box({0.2f, 0.2f, 0.2f}), .position = {-0.6f, 0, 0}});
    const BodyId link = world.add_body({.shape = box({0.4f, 0.01f, 0.01f})});
    const BodyId b = world.add_body({.shape = box({0.2f, 0.2f, 0.2f}), .position = {0.6f, 0, 0}});
    REQUIRE(world.add_joint(BallDef{.frames = {a, link, {{0.2f, 0, 0}}, {{-0.4f, 0, 0}}}}));
    REQUIRE(world.add_joint(BallDef{.frames = {link, b, {{0.4f, 0, 0}}, {{-0.2f, 0, 0}}}}));
    const std::vector<BodyId> all{a, link, b};
    for (const BodyId id : all) {
        world.set_linear_velocity(id, glm::cross(vec3(0, 0, 12), vec3(world.center_of_mass(id))) + vec3(0, 0, 0.5f));
        world.set_angular_velocity(id, {0, 0, 12});
    }
    world.set_angular_velocity(link, {3, 0, 12});
    const glm::dvec3 before = angular_momentum(world, all);
    double worst = 0.0;
    for (int i = 0; i < 120; ++i) {
        REQUIRE(world.step(1.0f / 60.0f));
        worst = std::max(worst, off_by(angular_momentum(world, all), before));
    }
    MESSAGE("angular momentum off by " << worst);
    CHECK(worst < 0.01);
}

TEST_CASE("what floats with something that touches it is not braked to rest") {
    WorldDef def;
    def.gravity = vec3(0.0f);
    World world(def);
    const BodyId heavy = world.add_body({.shape = box({0.3f, 0.3f, 0.3f}), .angular_velocity = {0, 0.4f, 0}});
    const BodyId light = world.add_body(
        {.shape = box({0.1f, 0.1f, 0.1f}), .position = {0, 0.399f, 0}, .angular_velocity = {0, 0.4f, 0}});
    for (const BodyId id : {heavy, light}) REQUIRE(world.is_valid(id));
    const std::vector<BodyId> both{heavy, light};
    const glm::dvec3 before = angular_momentum(world, both);
    for (int i = 0; i < 360; ++i) REQUIRE(world.step(1.0f / 60.0f));
    REQUIRE(world.is_awake(heavy));
    CHECK(off_by(angular_momentum(world, both), before) < 0.01);
}

TEST_CASE("boxes that are pushed out of each other in flight keep their angular momentum") {
    // The levers of a contact are those from when it was found, but the two bodies pass each other meanwhile.
    for (const float restitution : {0.0f, 0.7f}) {
        World world;
        const Material material{.friction = 0.5f, .restitution = restitution};
        const auto add = [&](const vec3& half, const dvec3& at, const vec3& velocity, const vec3& spin) {
            BodyDef def{.shape = box(half), .position = at};
            def.material = material;
            const BodyId id = world.add_body(def);
            REQUIRE(id);
            world.set_linear_velocity(id, velocity);
            world.set_angular_velocity(id, spin);
            return id;
        };
        const std::vector<BodyId> all{add({0.5f, 0.1f, 0.2f}, {0, 0, 0}, {2, 0.5f, 0}, {0, 0, 3}),
                                      add({0.3f, 0.2f, 0.1f}, {0.3f, 0.25f, 0.05f}, {-3, -1, 1}, {4, 0, -5}),
                                      add({0.1f, 0.1f, 0.1f}, {-0.3f, -0.15f, 0.1f}, {1, 2, 0}, {0, 20, 0})};
        double worst = 0.0;
        bool met = false;
        for (int i = 0; i < 60; ++i) {
            const glm::dvec3 before = angular_momentum(world, all);
            REQUIRE(world.step(1.0f / 60.0f));
            met = met || !world.contacts().empty();
            worst = std::max(worst, off_by(angular_momentum(world, all), before));
        }
        MESSAGE("restitution " << restitution << ": angular momentum off by " << worst << " in a step");
        CHECK(met);
        CHECK(worst < 1e-3);
    }
}
