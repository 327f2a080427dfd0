/// The materials of triangles in the contacts of solids, and which triangle is reported.

#include "tests/engine/meshes/solids.h"
#include "tests/engine/worlds.h"

#include <talus/narrowphase/triangles/height_field.h>
#include <talus/narrowphase/triangles/mesh.h>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace talus;
using namespace talus::test;

namespace {

/// A box whose triangles that face up have the material 1.
std::shared_ptr<const TriangleSet> slab(const vec3& half, bool solid, std::uint8_t elsewhere = 0) {
    const samples::MeshFile file = samples::box_solid(half);
    std::vector<std::uint8_t> materials;
    for (std::size_t t = 0; t < file.triangles.size(); t += 3) {
        bool up = true;
        for (std::size_t i = 0; i < 3; ++i) up = up && file.vertices[file.triangles[t + i]].y > 0.0f;
        materials.push_back(up ? 1 : elsewhere);
    }
    const auto made =
        make_mesh({.vertices = file.vertices, .indices = file.triangles, .materials = materials, .solid = solid});
    REQUIRE_MESSAGE(bool(made), made.error().message);
    return *made;
}

std::shared_ptr<const TriangleSet> plain_cube() { return solid_of(samples::box_solid(vec3(0.2f))); }

double rebound(World& world, BodyId id) {
    run(world, 50);
    double highest = 0.0;
    for (int step = 0; step < 50; ++step) {
        world.step(frame);
        highest = std::max(highest, world.center_of_mass(id).y);
    }
    return highest;
}

}  // namespace

TEST_CASE("a solid bounces and slides on triangles as their materials say") {
    std::vector<float> heights(11 * 11, 0.0f);
    std::vector<std::uint8_t> of_cells(100, 1);
    const auto field = make_height_field({.columns = 11, .rows = 11, .heights = heights, .materials = of_cells});
    REQUIRE(bool(field));
    struct Ground {
        const char* name;
        std::shared_ptr<const TriangleSet> set;
        dvec3 position;
    };
    const std::vector<Ground> grounds = {{"solid", slab({5.0f, 0.5f, 5.0f}, true), {0.0, -0.5, 0.0}},
                                         {"mesh", slab({5.0f, 0.5f, 5.0f}, false), {0.0, -0.5, 0.0}},
                                         {"height field", *field, {-5.0, 0.0, -5.0}}};
    const auto cube = plain_cube();
    for (const Ground& each : grounds) {
        CAPTURE(each.name);
        for (const bool bounces : {true, false}) {
            World world{WorldDef{}};
            BodyDef below = solid_body(each.set, each.position);
            below.type = BodyType::fixed;
            Material special;
            if (bounces)
                special.restitution = 1.0f;
            else
                special.friction = 0.0f;
            below.mesh_materials = {Material{}, special};
            add(world, below);
            BodyDef def = solid_body(cube, {0.0, bounces ? 2.0 : 0.2, 0.0});
            if (!bounces) def.linear_velocity = {1.5f, 0.0f, 0.0f};
            const BodyId id = add(world, def);
            if (bounces) {
                CHECK(rebound(world, id) == doctest::Approx(2.0).epsilon(0.01));
            } else {
                run(world, 100);
                CHECK(world.center_of_mass(id).x == doctest::Approx(2.5).epsilon(0.01));
            }
            // The same after saving.
            const auto bytes = world.save();
            REQUIRE(bool(bytes));
            auto loaded = World::load(*bytes);
            REQUIRE_MESSAGE(bool(loaded), loaded.error().message);
            run(world, 30);
            run(*loaded, 30);
            CHECK(world.hash() == loaded->hash());
        }
    }
}

TEST_CASE("the materials of a solid's own triangles count, side by side on one face, too") {
    for (const bool on_box : {true, false}) {
        CAPTURE(on_box);
        World world{WorldDef{}};
        BodyDef below = on_box ? ground() : solid_body(slab({5.0f, 0.5f, 5.0f}, true), {0.0, -0.5, 0.0});
        below.type = BodyType::fixed;
        add(world, below);
        Material bouncy;
        bouncy.restitution = 1.0f;
        BodyDef def = solid_body(slab(vec3(0.2f), true, 1), {0.0, 2.0, 0.0});
        def.mesh_materials = {Material{}, bouncy};
        const BodyId id = add(world, def);
        CHECK(rebound(world, id) == doctest::Approx(2.0).epsilon(0.01));
    }
    // The top of a floor is two triangles, one of which is smooth. A box on both slides with the friction of the other.
    const samples::MeshFile file = samples::box_solid({5.0f, 0.5f, 5.0f});
    std::vector<std::uint8_t> materials;
    int up = 0;
    for (std::size_t t = 0; t < file.triangles.size(); t += 3) {
        bool top = true;
        for (std::size_t i = 0; i < 3; ++i) top = top && file.vertices[file.triangles[t + i]].y > 0.0f;
        materials.push_back(top && up++ == 0 ? 1 : 0);
    }
    REQUIRE(up == 2);
    const auto made =
        make_mesh({.vertices = file.vertices, .indices = file.triangles, .materials = materials, .solid = true});
    REQUIRE(bool(made));
    World world{WorldDef{}};
    BodyDef below = solid_body(*made, {0.0, -0.5, 0.0});
    below.type = BodyType::fixed;
    Material smooth;
    smooth.friction = 0.0f;
    below.mesh_materials = {Material{}, smooth};
    add(world, below);
    BodyDef def = solid_body(plain_cube(), {0.0, 0.2, 0.0});
    def.linear_velocity = {1.0f, 0.0f, 1.0f};
    const BodyId id = add(world, def);
    run(world, 5);
    int rough = 0, slippery = 0;
    for (const Contact& contact : world.contacts(id))
        (length_squared(contact.friction_impulse) > 0.0f ? rough : slippery) += 1;
    CHECK(rough == 1);
    CHECK(slippery == 1);
}

TEST_CASE("a contact of two solids names a triangle of the one that is a mesh") {
    World world{WorldDef{}};
    const auto floor = slab({5.0f, 0.5f, 5.0f}, true);
    BodyDef below = solid_body(floor, {0.0, -0.5, 0.0});
    below.type = BodyType::fixed;
    add(world, below);
    add(world, solid_body(plain_cube(), {0.0, 0.2, 0.0}));
    const auto cube = slab(vec3(0.2f), true);
    BodyDef box_below = fixed_body(box(vec3(0.5f)), {3.0, -0.5, 0.0});
    add(world, box_below);
    run(world, 10);
    REQUIRE(!world.contacts().empty());
    for (const Contact& contact : world.contacts()) {
        const auto& mesh = world.shapes(contact.body_a)[contact.shape_a].mesh;
        REQUIRE(mesh);
        REQUIRE(contact.triangle < mesh->size());
        // It is at the contact.
        const WorldTransform at = world.transform(contact.body_a);
        const SetTriangle triangle = mesh->triangle(contact.triangle);
        const vec3 p = inverse_transform_point(at, contact.points[0].position);
        CHECK(std::abs(glm::dot(triangle.normal, p - triangle.points[0])) < 0.01f);
    }
}
