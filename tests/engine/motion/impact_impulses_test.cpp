// solve_impact(): the impulses of one impact between two bodies.

#include "engine/continuous/impact_impulses.h"
#include "engine/settings.h"
#include "tests/support/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace talus;
using namespace talus::test;

namespace {

/// A body that can do nothing but turn about z, with the inertia of a cube of `mass` kg and 1 m.
ImpactBody turns_about_z(float mass) {
    ImpactBody body{vec3(0.0f), vec3(0.0f), vec3(0.0f), vec3(0.0f), mat3(0.0f)};
    body.inverse_inertia[2][2] = 6.0f / mass;
    body.least_response = settings::locked_response / mass;
    return body;
}

ImpactBody free_body(float mass, const vec3& center, const vec3& velocity) {
    return {center, velocity, vec3(0.0f), vec3(1.0f / mass), mat3(6.0f / mass)};
}

}  // namespace

TEST_CASE("a heavy body that hits a light one close to its locked axis does not send it off at thousands of m/s") {
    // The light body yields so little that it would not count if it were alone. The heavy body yields less still. What
    // stops the heavy body alone moves the light one up to a million times too fast.
    Random random(71);
    int yields_less_than_least = 0;
    for (int round = 0; round < 1000; ++round) {
        ImpactBody light = turns_about_z(1.0f);
        const float mass = std::pow(10.0f, random.real(0.0f, 8.0f)), speed = 3.0f;
        ImpactBody heavy = free_body(mass, {0, 1, 0}, {0, -speed, 0});
        ImpactPoints contact{.normal = {0, 1, 0}, .count = 1 + random.below(4), .points = {}};
        contact.friction = random.real(0.0f, 1.0f);
        contact.restitution = random.real(0.0f, 1.0f);
        float farthest = 0.0f;
        for (int i = 0; i < contact.count; ++i) {
            const float x = std::pow(10.0f, random.real(-6.0f, -1.0f));
            contact.points[i] = {x, 0.0f, random.real(-0.5f, 0.5f)};
            farthest = std::max(farthest, x);
        }
        yields_less_than_least += 6.0f * farthest * farthest < settings::locked_response ? 1 : 0;
        solve_impact(contact, light, heavy);
        CAPTURE(mass);
        CAPTURE(farthest);
        const float spin = glm::length(light.angular_velocity);
        const double energy =
            0.5 * static_cast<double>(mass) * glm::dot(heavy.linear_velocity, heavy.linear_velocity) +
            static_cast<double>(mass) / 12.0 * glm::dot(heavy.angular_velocity, heavy.angular_velocity) +
            static_cast<double>(spin * spin) / 12.0;
        REQUIRE(energy < 1.001 * 0.5 * static_cast<double>(mass) * speed * speed);
    }
    CHECK(yields_less_than_least > 300);
}
