/// Boxes at rest on meshes and height fields: they stay where they are.

#include "tests/engine/worlds.h"

#include <talus/narrowphase/triangles/height_field.h>

#include <algorithm>

using namespace talus;
using namespace talus::test;

namespace {

/// 61 x 61 samples around the origin, up to `bump` (m) above and below y = 0.
BodyDef field(Random& random, float cell, float bump, float friction) {
    constexpr std::uint32_t count = 61;
    std::vector<float> heights(count * count, 0.0f);
    for (float& h : heights) h = bump > 0.0f ? random.between(-bump, bump) : 0.0f;
    const auto made =
        make_height_field({.columns = count, .rows = count, .heights = heights, .spacing_x = cell, .spacing_z = cell});
    REQUIRE_MESSAGE(bool(made), made.error().message);
    BodyDef def;
    def.type = BodyType::fixed;
    def.mesh = *made;
    def.material.friction = friction;
    const float half = 0.5f * cell * static_cast<float>(count - 1);
    def.position = {-half, 0.0f, -half};
    return def;
}

/// Gravity as on a slope of this gradient.
WorldDef tilted(float slope) {
    WorldDef def = sleepless();
    const float g = 9.81f / std::sqrt(1.0f + slope * slope);
    def.gravity = {g * slope, -g, 0.0f};
    return def;
}

/// A flat box, rotated about y, of a size that does not tip over on slopes of less than 0.7.
BodyDef flat_box(Random& random, const dvec3& at, float friction) {
    const float x = random.between(0.2f, 0.9f), y = random.between(0.08f, 0.14f), z = random.between(0.2f, 0.9f);
    BodyDef def = body(box({x, y, z}), at + dvec3(0.0, y, 0.0));
    def.material.friction = friction;
    def.rotation = turn({0, 1, 0}, random.between(0.0f, 3.0f));
    return def;
}

/// The longest displacement of any of them in this many steps, m.
double farthest_way(World& world, const std::vector<BodyId>& ids, int steps) {
    std::vector<dvec3> places;
    for (const BodyId id : ids) places.push_back(world.position(id));
    run(world, steps);
    double farthest = 0.0;
    for (std::size_t i = 0; i < ids.size(); ++i)
        farthest = std::max(farthest, glm::length(world.position(ids[i]) - places[i]));
    return farthest;
}

}  // namespace

// The points of a contact with many triangles changed because of micrometres of depth: up to 3 mm per minute.
TEST_CASE("a box on a height field below its friction angle does not creep" * doctest::test_suite("slow")) {
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
        Random random(seed);
        const float cell = seed % 3 == 0 ? 0.1f : seed % 3 == 1 ? 0.25f : 0.5f;
        for (const float part : {0.3f, 0.9f, 0.99f}) {
            const float friction = random.between(0.3f, 0.7f);
            World world(tilted(part * friction));
            add(world, field(random, cell, 0.0f, friction));
            std::vector<BodyId> boxes;
            for (int i = 0; i < 3; ++i) {
                const float x = random.between(-0.3f, 0.3f), z = random.between(-0.1f, 0.1f);
                boxes.push_back(
                    add(world, flat_box(random, {x, 0.0f, 2.2f * static_cast<float>(i - 1) + z}, friction)));
            }
            run(world, 120);
            CAPTURE(seed);
            CAPTURE(part);
            CHECK(farthest_way(world, boxes, 300) < 0.1e-3 / 12.0);  // 0.1 mm per minute
        }
    }
}

// Points that did not touch replaced points that carried a load: up to 270 mm per minute.
TEST_CASE("boxes on bumpy ground come to rest" * doctest::test_suite("slow")) {
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
        Random random(seed);
        const float cells[] = {0.1f, 0.25f, 0.5f, 1.0f};
        const float cell = cells[seed % 4], bump = random.between(0.0f, 0.15f) * cell;
        World world(tilted(random.between(0.0f, 0.3f)));
        add(world, field(random, cell, bump, 0.8f));
        std::vector<BodyId> boxes;
        for (int i = 0; i < 4; ++i) {
            const dvec3 at(i % 2 * 2.4 - 1.2, bump, i / 2 * 2.4 - 1.2);
            boxes.push_back(add(world, flat_box(random, at, 0.8f)));
        }
        run(world, 600);
        CAPTURE(seed);
        CAPTURE(cell);
        CAPTURE(bump);
        CHECK(farthest_way(world, boxes, 300) < 0.1e-3);
    }
}
