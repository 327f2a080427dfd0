// The trees over the shapes of compounds.

#include "engine/bodies/shape_tree.h"

#include "tests/engine/worlds.h"

#include <talus/narrowphase/triangles/mesh.h>

#include <algorithm>

using namespace talus;
using namespace talus::test;

namespace {

struct PlacedShapes {
    std::vector<Aabb> boxes;
    std::vector<WorldTransform> poses;
    std::vector<PredictedMotion> motions;
};

PlacedShapes random_shapes(Random& random, std::size_t count, const dvec3& center) {
    PlacedShapes shapes;
    for (std::size_t i = 0; i < count; ++i) {
        const vec3 half = random.in_box(vec3(0.2f));
        shapes.boxes.push_back({-glm::abs(half), glm::abs(half)});
        shapes.poses.push_back({on_grid(center + dvec3(random.in_box(vec3(2.0f)))), quat(1, 0, 0, 0)});
        shapes.motions.push_back({.max_displacement = random.between(0.0f, 0.1f)});
    }
    return shapes;
}

/// Vertical bars and a floor. If `in_tree`, there are more shapes that touch nothing, so that the body gets a tree.
BodyDef rake(bool in_tree) {
    BodyDef def;
    def.shapes.push_back(part(box({0.4f, 0.03f, 0.2f})));
    for (int i = 0; i < 3; ++i)
        def.shapes.push_back(part(box({0.03f, 0.3f, 0.2f}), {0.3f * static_cast<float>(i - 1), 0.3f, 0.0f}));
    if (!in_tree) return def;
    for (int i = 0; i < 20; ++i) {
        ShapeDef ghost = def.shapes[static_cast<std::size_t>(i % 4)];
        ghost.density = 0.0f;
        ghost.filter = {.category = 0, .mask = 0};
        def.shapes.push_back(ghost);
    }
    return def;
}

}  // namespace

TEST_CASE("a shape tree finds every box that overlaps, and no others") {
    Random random(5);
    for (const std::size_t count : {1u, 4u, 5u, 16u, 17u, 49u, 64u, 65u, 300u}) {
        CAPTURE(count);
        const dvec3 center(1000.0, -20.0, 3.0);
        PlacedShapes shapes = random_shapes(random, count, center);
        std::vector<Aabb> in_body;
        for (std::size_t i = 0; i < count; ++i)
            in_body.push_back(displaced(shapes.boxes[i], vec3(shapes.poses[i].position - center)));
        ShapeTree tree;
        tree.build(in_body);
        REQUIRE(tree.size() == count);
        for (int round = 0; round < 20; ++round) {
            if (round % 5 == 4) shapes = random_shapes(random, count, center);  // other places than it was built for
            tree.place(center, shapes.boxes, shapes.poses, shapes.motions);
            const vec3 middle = random.in_box(vec3(2.0f));
            const Aabb box = expand(Aabb{middle, middle}, random.between(0.0f, 0.5f));
            std::vector<std::uint32_t> found, wanted;
            tree.find(box, [&](std::uint32_t k) { found.push_back(k); });
            std::sort(found.begin(), found.end());
            float displacement = 0.0f;
            for (std::uint32_t k = 0; k < count; ++k) {
                const Aabb own = displaced(shapes.boxes[k], vec3(shapes.poses[k].position - center));
                if (overlaps(own, box)) wanted.push_back(k);
                CHECK(contains(tree.bounds(), own));
                displacement = std::max(displacement, shapes.motions[k].max_displacement);
            }
            CHECK(found == wanted);
            CHECK(tree.max_displacement() == displacement);
        }
        tree.stop();
        CHECK(tree.max_displacement() == 0.0f);
    }
}

// The oracle of everything that uses the trees: bodies of four shapes have none.
TEST_CASE("shapes that touch nothing change no bit, though a body with them has a shape tree" *
          doctest::test_suite("slow")) {
    REQUIRE(rake(false).shapes.size() < ShapeTree::least_shapes);
    REQUIRE(rake(true).shapes.size() >= ShapeTree::least_shapes);
    const auto play = [](bool in_tree, std::uint32_t seed, bool on_mesh) {
        Random random(seed);
        World world;
        if (on_mesh) {
            const std::vector<vec3> corners = {{-9, 0, -9}, {9, 0, -9}, {9, 0, 9}, {-9, 0, 9}, {0, -0.5f, 0}};
            const std::vector<std::uint32_t> indices = {0, 4, 1, 1, 4, 2, 2, 4, 3, 3, 4, 0};
            const auto mesh = make_mesh({.vertices = corners, .indices = indices});
            REQUIRE_MESSAGE(bool(mesh), mesh.error().message);
            BodyDef def;
            def.type = BodyType::fixed;
            def.mesh = *mesh;
            add(world, def);
        } else {
            add(world, ground());
        }
        BodyDef def = rake(in_tree);
        def.type = BodyType::kinematic;
        def.position = {0.0, 0.6, 0.0};
        def.angular_velocity = {0.0f, 25.0f, 0.0f};
        add(world, def);
        def.type = BodyType::fixed;
        def.position = {1.0, 0.4, 0.0};
        add(world, def);
        def = rake(in_tree);
        for (int i = 0; i < 14; ++i) {
            def.position = dvec3(random.in_box(vec3(0.8f))) + dvec3(0.0, 1.5 + 0.5 * i, 0.0);
            def.rotation = turn(glm::normalize(random.in_box(vec3(1.0f))), random.between(0.0f, 3.0f));
            def.linear_velocity = {0.0f, i % 3 == 0 ? -60.0f : 0.0f, 0.0f};
            def.continuous = i % 6 == 0 ? Continuous::all : Continuous::fixed;
            add(world, def);
        }
        std::vector<WorldTransform> poses;
        std::uint32_t swept = 0;
        for (int step = 0; step < 150; ++step) {
            run(world, 1);
            swept += world.profile().swept_bodies;
            for (const BodyId id : world.bodies()) poses.push_back(world.transform(id));
        }
        CHECK(swept > 20);
        return poses;
    };
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
        CAPTURE(seed);
        const auto plain = play(false, seed, seed % 2 == 0), with_tree = play(true, seed, seed % 2 == 0);
        REQUIRE(plain.size() == with_tree.size());
        std::size_t different = 0;
        for (std::size_t k = 0; k < plain.size(); ++k)
            different += plain[k].position != with_tree[k].position || plain[k].rotation != with_tree[k].rotation;
        CHECK(different == 0);
    }
}
