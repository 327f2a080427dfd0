/// Nested compounds of many shapes.

#include "tests/engine/limits.h"

#include "tests/engine/worlds.h"

#include <talus/narrowphase/separation.h>

#include <algorithm>

using namespace talus;
using namespace talus::test;

namespace {

/// A soup bowl: a round floor and a wall of this many hulls that lean outward. Radius 0.12 to 0.22 m, height 0.14 m.
BodyDef bowl(int pieces) {
    const float inner = 0.12f, outer = 0.22f, height = 0.14f, thickness = 0.012f;
    const auto along = [&](int i) {
        const double angle = 2.0 * pi * i / pieces;
        return vec3(static_cast<float>(std::cos(angle)), 0.0f, static_cast<float>(std::sin(angle)));
    };
    const auto add_hull = [](BodyDef& def, const std::vector<vec3>& points) {
        const auto made = make_hull(points);
        REQUIRE_MESSAGE(bool(made), made.error().message);
        def.shapes.push_back(part(hull(*made)));
        def.shapes.back().density = 2000.0f;
    };
    BodyDef def;
    std::vector<vec3> points;
    for (int i = 0; i < pieces; ++i) {
        for (const float y : {-0.5f * thickness, 0.5f * thickness}) points.push_back(inner * along(i) + vec3(0, y, 0));
    }
    add_hull(def, points);
    for (int i = 0; i < pieces; ++i) {
        points.clear();
        for (const vec3& u : {along(i), along(i + 1)}) {
            for (const float wall : {0.0f, thickness}) {
                points.push_back((inner + wall) * u + vec3(0, -0.5f * thickness, 0));
                points.push_back((outer + wall) * u + vec3(0, height, 0));
            }
        }
        add_hull(def, points);
    }
    return def;
}

}  // namespace

// Each of a hundred contacts between two bowls was as stiff as a single one, or stiffer against tilting: 15 bowls kept
// 1 to 7 J, and crept. Contacts that slid by 2% of the walls' thickness were tested again, which forgets the load that
// they carry.
TEST_CASE("bowls that lie in each other come to rest and stay in place" * doctest::test_suite("slow")) {
    int slowest = 0;
    for (std::uint32_t seed = 1; seed <= 12; ++seed) {
        const int sizes[] = {12, 16, 24};
        Random random(seed);
        World world;
        add(world, ground());
        std::vector<BodyId> bowls;
        BodyDef def = bowl(sizes[seed % 3]);
        for (int i = 0; i < 15; ++i) {
            def.rotation = turn({0, 1, 0}, random.between(0.0f, 6.0f));
            const float x = random.between(-0.005f, 0.005f);
            def.position = {x, 0.02f + 0.05f * static_cast<float>(i), random.between(-0.005f, 0.005f)};
            bowls.push_back(add(world, def));
        }
        int steps = 0;
        while (steps < 600 && world.awake_body_count() != 0) {
            run(world, 1);
            ++steps;
        }
        double farthest = 0.0;
        for (const BodyId id : bowls) farthest = std::max(farthest, distance_xz(world.position(id), dvec3(0.0)));
        CAPTURE(seed);
        CAPTURE(steps);
        CHECK(world.awake_body_count() == 0);
        CHECK(farthest < 0.04);
        slowest = std::max(slowest, steps);
    }
    hold("15 bowls in each other fall asleep", slowest / 60.0);
}

// The boxes of two compounds at rest are not compared in each step, and shapes that are apart have no contacts
// meanwhile. Shapes that move a little, or suddenly, must not get through.
TEST_CASE("teeth of combs that rested in each other's gaps meet when one of the combs moves" *
          doctest::test_suite("slow")) {
    const auto comb = [](float tooth) {
        BodyDef def;
        def.shapes.push_back(part(box({1.0f, 0.05f, 0.05f}), {0, -0.35f, 0}));
        for (int i = 0; i < 20; ++i)
            def.shapes.push_back(part(box({tooth, 0.3f, 0.05f}), {-0.95f + 0.1f * static_cast<float>(i), 0, 0}));
        return def;
    };
    const auto overlap = [](const World& world, BodyId a, BodyId b) {
        float deepest = 0.0f;
        for (const ShapeDef& shape_a : world.shapes(a)) {
            for (const ShapeDef& shape_b : world.shapes(b)) {
                const WorldTransform pose_a = multiply(world.transform(a), shape_a.pose);
                const WorldTransform pose_b = multiply(world.transform(b), shape_b.pose);
                SeparationCache cache;
                const MatrixTransform b_in_a = to_matrix_transform(relative(pose_a, pose_b));
                deepest = std::max(deepest, -separation(shape_a.shape, shape_b.shape, b_in_a, cache).separation);
            }
        }
        return deepest;
    };
    for (std::uint32_t seed = 1; seed <= 6; ++seed) {
        CAPTURE(seed);
        World world(weightless());
        BodyDef def = comb(0.01f);
        def.type = BodyType::kinematic;
        const quat askew = turn({0, 0, 1}, 0.7);  // so that the boxes of many teeth overlap
        def.rotation = askew;
        const BodyId mover = add(world, def);
        def = comb(0.02f);
        def.position = rotate(askew, {0.05f, 0.1f, 0});
        def.rotation = turn({0, 0, 1}, 0.7 + pi);
        const BodyId moved = add(world, def);
        run(world, 5);
        const std::uint32_t before = world.profile().convex_pairs;
        run(world, 30);
        CHECK(world.profile().convex_pairs < before);  // pairs of teeth that are far apart are gone
        float at = 0.0f, deepest = 0.0f;
        bool met = false;
        for (int step = 0; step < 400; ++step) {
            // Slowly in one direction for a second, then in another; in a third of the seconds not at all.
            static constexpr float speeds[] = {0.0f, 0.02f, 0.3f};
            const int second = step / 60;
            const float speed = speeds[(second + static_cast<int>(seed)) % 3];
            at += (second % 2 == 0 ? 1.0f : -1.0f) * speed / 60.0f;
            const quat rotation = turn({0, 0, 1}, 0.7 + 0.05 * speed * std::sin(0.1 * step));
            REQUIRE(world.set_kinematic_target(mover, rotate(askew, {at, 0, 0}), rotation));
            run(world, 1);
            met = met || !world.contacts(moved).empty();
            deepest = std::max(deepest, overlap(world, mover, moved));
        }
        CHECK(met);
        CHECK(deepest < 0.003f);
    }
}
