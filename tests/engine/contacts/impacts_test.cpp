/// Blows: bodies that land on several points at once.

#include "tests/engine/worlds.h"

#include <algorithm>

using namespace talus;
using namespace talus::test;

TEST_CASE("a box that lands flat is not turned nor thrown aside") {
    // The points of its manifold were solved one after the other, and the next sub-step was warm started with the
    // resulting impulses. Bodies left with 1 to 15 rad/s, and posts fell over.
    const auto land = [](const vec3& half, float height, float yaw) {
        CAPTURE(half.x);
        CAPTURE(half.y);
        CAPTURE(half.z);
        CAPTURE(height);
        World world(sleepless());
        add(world, ground());
        BodyDef def = body(box(half), {0.0f, height + half.y, 0.0f});
        def.rotation = turn({0, 1, 0}, static_cast<double>(yaw));
        const BodyId id = add(world, def);
        float spin = 0.0f;
        for (int i = 0; i < 180; ++i) {
            run(world, 1);
            spin = std::max(spin, glm::length(world.angular_velocity(id)));
        }
        CHECK(spin < 0.2f);
        CHECK(distance_xz(world.position(id), dvec3(0.0)) < 0.002);
    };
    for (const vec3& half : {vec3(0.5f, 0.1f, 0.5f), vec3(0.5f), vec3(0.3f, 0.1f, 0.2f), vec3(1.0f, 0.05f, 0.4f),
                             vec3(0.1f), vec3(0.15f, 0.4f, 0.15f)}) {
        for (const float height : {1.0f, 1.7f, 2.6f, 5.0f}) {
            for (const float yaw : {0.0f, 0.37f, 1.0f}) land(half, height, yaw);
        }
    }
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        Random random(seed);
        const vec3 half(random.between(0.2f, 1.0f), random.between(0.1f, 0.5f), random.between(0.2f, 1.0f));
        land(half, random.between(0.3f, 4.0f), random.between(0.0f, 3.0f));
    }
}
