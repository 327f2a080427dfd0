#pragma once
/// Closed rooms of triangles with many kinds of bodies thrown about in them, and a count of the bodies that get out.

#include "samples/scenes/kit/parts.h"
#include "tests/engine/worlds.h"

#include <talus/narrowphase/triangles/mesh.h>

#include <algorithm>
#include <string>
#include <vector>

namespace talus::test {

struct MeshRoom {
    World world;
    vec3 half{3.0f, 2.0f, 3.0f};  ///< half extents of the room, m
    std::vector<BodyId> things;
};

/// The walls of a box around the origin, each of cells x cells squares of two triangles that face inward.
inline BodyDef walls(const vec3& half, int cells, bool two_sided) {
    std::vector<vec3> vertices;
    std::vector<std::uint32_t> indices;
    const auto add_wall = [&](const vec3& corner, const vec3& along, const vec3& across) {  // front: along x across
        const auto at = [&](int i, int j) {
            return corner + along * (static_cast<float>(i) / static_cast<float>(cells)) +
                   across * (static_cast<float>(j) / static_cast<float>(cells));
        };
        for (int i = 0; i < cells; ++i) {
            for (int j = 0; j < cells; ++j) {
                for (const vec3& p :
                     {at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i, j + 1)}) {
                    indices.push_back(static_cast<std::uint32_t>(vertices.size()));
                    vertices.push_back(p);
                }
            }
        }
    };
    const vec3 x(2.0f * half.x, 0, 0), y(0, 2.0f * half.y, 0), z(0, 0, 2.0f * half.z);
    add_wall(-half, z, x);
    add_wall(-half, x, y);
    add_wall(-half, y, z);
    add_wall(half, -x, -z);
    add_wall(half, -y, -x);
    add_wall(half, -z, -y);
    const auto mesh = make_mesh({.vertices = vertices, .indices = indices, .two_sided = two_sided});
    REQUIRE_MESSAGE(bool(mesh), mesh.error().message);
    BodyDef def;
    def.type = BodyType::fixed;
    def.mesh = *mesh;
    return def;
}

/// A body of a few centimetres to a metre: a chunky one, a plate, a stick or a disc of 16 to 30 mm.
inline Shape thrown_shape(Random& random) {
    const float a = random.between(0.08f, 0.4f), b = random.between(0.08f, 0.4f), c = random.between(0.08f, 0.4f);
    switch (random.below(11)) {
        case 0:
            return sphere(a);
        case 1:
            return box({a, b, c});
        case 2:
            return capsule(0.5f * a, 2.0f * b);
        case 3:
            return cylinder(a, b);
        case 4:
            return cone(a, b);
        case 5:
            return box({a, 0.01f, b});
        case 6:
            return capsule(0.015f, 2.0f * b);
        case 7:
            return box({0.01f, 2.0f * c, 0.01f});
        case 8:
            return cylinder(a, 0.008f);
        case 9:
            return sphere(0.03f);
        default:
            return *samples::random_hull(random, 16, 0.1f, 0.4f);
    }
}

/// One-sided or two-sided walls, and 20 to 60 bodies at up to 8, 30 or 100 m/s. Some are compounds, some are swept
/// against each other. Every other room has a rotating kinematic paddle.
inline MeshRoom mesh_room(std::uint64_t seed) {
    Random random(seed);
    WorldDef settings;
    settings.allow_sleep = random.below(4) == 0;
    if (random.below(3) == 0) settings.gravity = random.below(2) == 0 ? vec3(0.0f) : vec3(3.0f, -9.0f, 2.0f);
    MeshRoom room;
    room.world = World(settings);
    const bool two_sided = random.below(2) == 0;
    const int cells = 1 + static_cast<int>(random.below(6));
    REQUIRE(bool(room.world.add_body(walls(room.half, cells, two_sided))));
    const std::uint32_t count = 20 + random.below(40);
    const float fastest = random.below(3) == 0 ? 100.0f : random.below(2) == 0 ? 30.0f : 8.0f;
    const Material material{.friction = random.below(3) == 0 ? 0.0f : 0.6f,
                            .restitution = random.below(3) == 0 ? 0.9f : 0.0f};
    for (std::uint32_t i = 0; i < count; ++i) {
        BodyDef def;
        const std::uint32_t parts = random.below(5) == 0 ? 2 + random.below(3) : 1;
        for (std::uint32_t k = 0; k < parts; ++k) {
            const vec3 place = parts > 1 ? random.in_box(vec3(0.3f)) : vec3(0.0f);
            const Shape shape = thrown_shape(random);
            def.shapes.push_back(part(shape, place, random.rotation()));
            def.shapes.back().material = material;
        }
        if (parts == 1 && random.below(6) == 0) def.continuous = Continuous::all;
        def.position = random.in_box(room.half - vec3(parts > 1 ? 1.2f : 0.95f));
        def.rotation = random.rotation();
        const float speed = random.between(0.0f, fastest);
        def.linear_velocity = speed * random.direction();
        const float spin = random.between(0.0f, 30.0f);
        def.angular_velocity = spin * random.direction();
        room.things.push_back(room.world.add_body(def));
        REQUIRE(bool(room.things.back()));
    }
    if (random.below(2) == 0) {
        BodyDef paddle = kinematic_body(box({0.9f, 0.1f, 0.6f}), vec3(0.0f));
        paddle.angular_velocity = {0.0f, random.between(-3.0f, 3.0f), random.between(-4.0f, 4.0f)};
        REQUIRE(bool(room.world.add_body(paddle)));
    }
    return room;
}

struct Escapes {
    std::size_t body_steps = 0, count = 0;
    std::string text;  ///< descriptions of the first ones
};

/// Steps the rooms of these seeds. A body has got out when all of it has been behind a wall for 20 steps, because a
/// stick of 100 g that tonnes press on a floor sinks in for a moment and comes back.
inline Escapes escapes(std::uint64_t first_seed, int rooms, int steps, float dt) {
    Escapes result;
    for (int r = 0; r < rooms; ++r) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(r);
        MeshRoom room = mesh_room(seed);
        std::vector<int> behind(room.things.size() + 2);  // number of steps, by slot
        for (int i = 0; i < steps && !room.things.empty(); ++i) {
            REQUIRE(room.world.step(dt));
            result.body_steps += room.things.size();
            std::erase_if(room.things, [&](BodyId thing) {
                const WorldAabb box = room.world.bounds(thing);
                const dvec3 half = room.half;
                const dvec3 beyond = glm::max(box.lower - half, -half - box.upper);
                const double far = std::max({beyond.x, beyond.y, beyond.z});
                int& since = behind[thing.slot];
                since = far <= 0.0 ? 0 : since + 1;  // NaN counts as out
                if (since < 20) return false;
                if (++result.count <= 8)
                    result.text += "seed " + std::to_string(seed) + " step " + std::to_string(i) + " body " +
                                   std::to_string(thing.slot) + " is out by " + std::to_string(far) + " m; ";
                return true;
            });
        }
    }
    return result;
}

}  // namespace talus::test
