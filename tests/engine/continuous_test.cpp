/// Continuous collision: what is fast gets through nothing, loses no time, and bounces as it should.
///
/// The oracle knows nothing of times of impact: it samples the motion of a step densely and asks for the distance at each sample.

#include "tests/engine/worlds.h"

#include <talus/narrowphase/epa.h>
#include <talus/narrowphase/support.h>

#include <algorithm>
#include <array>

using namespace talus;
using namespace talus::test;

namespace {

constexpr float wall = 0.01f;  ///< thickness, m

/// A box of 8 points as a hull.
Shape box_hull(const vec3& half) {
    std::vector<vec3> corners;
    for (int i = 0; i < 8; ++i)
        corners.push_back({(i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y, (i & 4) != 0 ? half.z : -half.z});
    return hull(*make_hull(corners));
}

/// A wall whose near side is the plane x = 0 and that reaches to x = 0.01: kind 0 is a box, 1 a hull, 2 two triangles without any
/// thickness, 3 many boxes of one body, 4 a grid of separate bodies.
void add_wall(World& world, int kind, const Material& material, float half = 40.0f) {
    BodyDef def = fixed_body(box(vec3(1.0f)));
    def.material = material;
    def.position.x = 0.5f * wall;
    const vec3 h(0.5f * wall, half, half);
    if (kind == 0) def.shape = box(h);
    if (kind == 1) def.shape = box_hull(h);
    if (kind == 2 || kind == 3) {
        def.shape = Shape{};
        def.shapes.clear();
    }
    if (kind == 2) {
        const float x = -0.5f * wall;
        def.shapes.push_back(part(triangle({x, -half, -half}, {x, half, -half}, {x, half, half})));
        def.shapes.push_back(part(triangle({x, -half, -half}, {x, half, half}, {x, -half, half})));
    }
    if (kind == 3 || kind == 4) {
        const int count = 8;
        const float tile = half / count;
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < count; ++j) {
                const vec3 at(0.0f, -half + (2.0f * static_cast<float>(i) + 1.0f) * tile, -half + (2.0f * static_cast<float>(j) + 1.0f) * tile);
                if (kind == 3) {
                    def.shapes.push_back(part(box({h.x, tile, tile}), at));
                } else {
                    def.shape = box({h.x, tile, tile});
                    def.position = at + vec3(0.5f * wall, 0.0f, 0.0f);
                    add(world, def);
                }
            }
        }
        if (kind == 4) return;
    }
    for (ShapeDef& s : def.shapes) s.material = material;
    add(world, def);
}

/// Bullets of a few centimetres and rods of up to 40.
Shape bullet_shape(Random& random, int kind) {
    const float size = random.between(0.005f, 0.05f);
    switch (kind % 6) {
        case 0:
            return sphere(size);
        case 1:
            return capsule(random.between(1.0f, 6.0f) * size, 0.5f * size);
        case 2:
            return box({size, random.between(0.3f, 1.0f) * size, random.between(0.5f, 2.0f) * size});
        case 3:
            return box_hull({size, 0.7f * size, 0.5f * size});
        case 4:
            return cylinder(random.between(0.2f, 1.0f) * size, size);
        default:
            return box({0.2f, 0.01f, 0.01f});
    }
}

float between_log(Random& random, float low, float high) {
    return low * static_cast<float>(std::exp(std::log(static_cast<double>(high / low)) * static_cast<double>(random.unit())));
}

/// How far the body's only shape reaches along a unit direction, world, m.
float reach_along(const World& world, BodyId id, const vec3& n) {
    const Transform pose = world.transform(id);
    const Shape& shape = world.shapes(id)[0].shape;
    const vec3 d = inverse_rotate(pose.rotation, n);
    return glm::dot(pose.position, n) + glm::dot(support(shape, d, 0).point, d) + shape.radius;
}

}  // namespace

TEST_CASE("none of 10000 bullets and spinning rods gets through a wall of 1 cm") {
    Random random(7);
    int hits = 0;
    float deepest = 0.0f;
    for (int kind = 0; kind < 5; ++kind) {
        for (int batch = 0; batch < 20; ++batch) {
            World world(weightless());
            add_wall(world, kind, {.friction = random.between(0.0f, 1.0f), .restitution = random.between(0.0f, 1.0f)});
            std::vector<BodyId> bullets;
            for (int i = 0; i < 100; ++i) {
                BodyDef def = body(bullet_shape(random, i));
                def.filter = {2, 1, 0};  // not with each other
                def.rotation = normalized(quat(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1), random.between(0.1f, 1)));
                const float speed = between_log(random, 5.0f, 1000.0f);
                // Half of them come in straight, the others at any angle down to a degree.
                const float across = i % 2 == 0 ? 0.2f * random.unit() : between_log(random, 0.02f, 1.0f);
                const float angle = 6.2831853f * random.unit();
                const float lean = i % 2 == 0 ? std::sqrt(1.0f - across * across) : across;
                const float along = std::sqrt(std::max(0.0f, 1.0f - lean * lean));
                def.linear_velocity = speed * vec3(lean, along * std::cos(angle), along * std::sin(angle));
                // It gets to the wall, in the middle of it, within the first steps.
                const vec3 aim(0.0f, random.between(-5.0f, 5.0f), random.between(-5.0f, 5.0f));
                def.position = aim - random.between(0.2f, 1.5f) * frame * def.linear_velocity;
                def.position.x = std::min(def.position.x, -0.3f);
                if (i % 3 != 0) {
                    // Rods end over end, the others about any axis.
                    vec3 axis(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1));
                    if (i % 6 == 5) axis = rotate(def.rotation, vec3(0.0f, axis.y, axis.z));
                    def.angular_velocity = 6.2831853f * between_log(random, 0.5f, 50.0f) / glm::length(axis) * axis;
                }
                bullets.push_back(add(world, def));
            }
            for (int step = 0; step < 4; ++step) {
                run(world, 1);
                hits += static_cast<int>(world.profile().impacts);
                for (std::size_t i = 0; i < bullets.size(); ++i) {
                    const vec3 at = world.position(bullets[i]);
                    if (std::max(std::abs(at.y), std::abs(at.z)) > 39.0f) continue;  // beside the wall
                    const float depth = reach_along(world, bullets[i], {1, 0, 0});
                    INFO("wall ", kind, " batch ", batch, " bullet ", i, " step ", step, " is in by ", depth, " impacts ", world.profile().impacts, " speed ", glm::length(world.linear_velocity(bullets[i])), " spin ", glm::length(world.angular_velocity(bullets[i])));
                    deepest = std::max(deepest, depth);
                    CHECK(depth < 0.5f * wall);
                }
            }
        }
    }
    MESSAGE("impacts ", hits, ", deepest ", deepest, " m");
    CHECK(hits > 9000);
}
