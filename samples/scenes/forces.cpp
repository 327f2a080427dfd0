/// Scenes that push their bodies themselves, as a user's code would.

#include "samples/scenes/kit/parts.h"
#include "samples/scenes/scene_list.h"

#include <algorithm>

namespace talus::samples {

namespace {

/// An impulse away from `center` on each dynamic body within `radius`, falling off linearly to nothing; `strength` in N
/// s a square metre of the body's mean side, at the centre.
void explode(SceneBodies& bodies, const SceneData& scene, const dvec3& center, float radius, float strength) {
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        if (scene.bodies[i].type != BodyType::dynamic) continue;
        const dvec3 at = bodies.center_of_mass(i);
        const vec3 away(at - center);
        const float distance = glm::length(away);
        if (distance >= radius || distance < 1e-3f) continue;
        const vec3 size = 2.0f * bounds(scene.bodies[i].shape).upper;
        const float area = (size.x * size.y + size.y * size.z + size.z * size.x) / 3.0f;
        bodies.apply_impulse(i, (strength * area * (1.0f - distance / radius) / distance) * away, at);
    }
}

/// A round tower of bricks, blown up from within after a second.
Result<SceneData> explosion(const SceneOptions& options) {
    constexpr int courses = 8, bricks = 24;
    constexpr float radius = 4.0f, two_pi = 6.2831853f;
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    for (int course = 0; course < courses; ++course) {
        for (int i = 0; i < bricks; ++i) {
            float angle = two_pi * (static_cast<float>(i) + (course % 2 ? 0.5f : 0.0f)) / static_cast<float>(bricks);
            if (angle > 0.5f * two_pi) angle -= two_pi;
            BodyDef brick;
            brick.shape = box({0.45f, 0.25f, 0.2f});
            brick.rotation = turn({0, 1, 0}, angle);
            brick.position = rotate(brick.rotation, {0.0f, 0.25f + 0.5f * static_cast<float>(course), radius});
            brick.position += jitter(random, options.jitter);
            scene.bodies.push_back(brick);
        }
    }
    scene.act = [copy = scene](SceneBodies& bodies, int step) {
        if (step == 60) explode(bodies, copy, {0.0f, 0.5f, 0.0f}, 8.0f, 8000.0f);
    };
    scene.figures.push_back(
        {"bricks thrown 5 m and more", "", Over::last, [copy = scene](const SceneBodies& bodies, double) {
             double count = 0.0;
             for (std::size_t i = 1; i < copy.bodies.size(); ++i) {
                 const dvec3 way = bodies.transform(i).position - copy.bodies[i].position;
                 count += way.x * way.x + way.z * way.z > 25.0 ? 1.0 : 0.0;
             }
             return count;
         }});
    scene.camera = orbit({0, 1.2f, 0}, 26, 20, 24);
    return scene;
}

/// Water up to y = 0. A body is cut into cells; each cell displaces water by the part of it that is under, and is
/// dragged by it.
class Water {
public:
    static constexpr float density = 1000.0f, drag = 1.5f;  // kg/m^3; 1/s: of the displaced mass times speed
    static constexpr double surface = 0.0;                  // height, m

    void add(std::size_t body, const Shape& shape) {
        constexpr int n = 6;
        const Aabb box = bounds(shape);
        const vec3 cell = (box.upper - box.lower) / static_cast<float>(n);
        Floating floating{body, 0.0f, 0.5f * std::max({cell.x, cell.y, cell.z}), {}};
        for (int i = 0; i < n * n * n; ++i) {
            const vec3 p = box.lower + cell * (vec3(i % n, i / n % n, i / (n * n)) + vec3(0.5f));
            const float across = p.x * p.x + p.z * p.z;
            const bool inside = shape.type == ShapeType::sphere ? glm::dot(p, p) < shape.radius * shape.radius
                                : shape.type == ShapeType::cylinder
                                    ? across < shape.half_extents.x * shape.half_extents.x
                                    : true;
            if (inside) floating.cells.push_back(p);
        }
        floating.cell_volume = mass_properties(shape, 1.0f).mass / static_cast<float>(floating.cells.size());
        bodies_.push_back(std::move(floating));
    }

    void push(SceneBodies& bodies, float gravity) const {
        for (const Floating& f : bodies_) {
            const WorldTransform pose = bodies.transform(f.body);
            const dvec3 center = bodies.center_of_mass(f.body);
            const vec3 velocity = bodies.linear_velocity(f.body), spin = bodies.angular_velocity(f.body);
            for (const vec3& cell : f.cells) {
                const dvec3 p = transform_point(pose, cell);
                const auto height = static_cast<float>(p.y - surface);
                const float under = std::clamp(0.5f - 0.5f * height / f.half_cell, 0.0f, 1.0f);
                if (under == 0.0f) continue;
                const float mass = density * f.cell_volume * under;  // of the displaced water, kg
                const vec3 speed = velocity + glm::cross(spin, vec3(p - center));
                bodies.apply_force(f.body, mass * (vec3(0.0f, gravity, 0.0f) - drag * speed), p);
            }
        }
    }

private:
    struct Floating {
        std::size_t body;
        float cell_volume, half_cell;  ///< m^3, m
        std::vector<vec3> cells;       ///< centres, in the body's frame
    };
    std::vector<Floating> bodies_;
};

/// Planks, balls and barrels of different densities fall into water; a raft carries a crate.
Result<SceneData> buoyancy(const SceneOptions& options) {
    constexpr float depth = 4.0f, half_width = 8.0f, thickness = 0.5f;
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab(half_width + 2.0f * thickness, -depth));
    for (int i = 0; i < 4; ++i) {
        const float side = i % 2 ? 1.0f : -1.0f;
        const vec3 away = i < 2 ? vec3(side, 0, 0) : vec3(0, 0, side);
        const vec3 half = i < 2 ? vec3(thickness, 0.5f * depth, half_width)
                                : vec3(half_width + 2 * thickness, 0.5f * depth, thickness);
        scene.glass.push_back(static_cast<std::uint32_t>(scene.bodies.size()));
        scene.bodies.push_back(block(away * (half_width + thickness) - vec3(0, 0.5f * depth, 0), half));
    }
    const auto water = std::make_shared<Water>();
    const auto add = [&](const Shape& shape, const dvec3& place, float density) {
        BodyDef def;
        def.shape = shape;
        def.position = place;
        def.density = density;
        water->add(scene.bodies.size(), shape);
        scene.bodies.push_back(def);
        return scene.bodies.size() - 1;
    };
    // Flat and level: their draught is their density by the water's, of their thickness.
    for (int i = 0; i < 5; ++i) {
        const float share = 0.15f + 0.175f * static_cast<float>(i), half = 0.3f;
        const std::size_t plank =
            add(box({0.7f, half, 0.7f}), {3.0f * static_cast<float>(i - 2), 0.8f, -5.0f}, share * Water::density);
        const double expected = double{half - 2.0f * half * share};
        if (i % 2 == 0) {
            scene.figures.push_back({i == 0   ? "draught of 15% density, error"
                                     : i == 2 ? "draught of 50% density, error"
                                              : "draught of 85% density, error",
                                     "m", Over::last, [=](const SceneBodies& bodies, double) {
                                         return bodies.transform(plank).position.y - expected;
                                     }});
        }
    }
    for (int i = 0; i < 8; ++i) {
        const float x = 1.7f * (static_cast<float>(i) - 3.5f);
        const float radius = random.between(0.35f, 0.6f), ball_height = random.between(1.0f, 2.0f);
        add(sphere(radius), {x, ball_height, -2.0f}, random.between(200.0f, 1200.0f));
        const float barrel_height = random.between(3.0f, 5.0f);
        add(cylinder(0.6f, 0.4f), {x, barrel_height, 5.5f}, random.between(300.0f, 700.0f));
    }
    add(box({2.2f, 0.3f, 1.4f}), {0.0f, 0.4f, 2.0f}, 300.0f);
    add(box(vec3(0.5f)), {0.3f, 2.0f, 2.0f}, 600.0f);
    scene.act = [water, gravity = -scene.gravity.y](SceneBodies& bodies, int) { water->push(bodies, gravity); };
    scene.camera = orbit({0, -1.0f, 0}, 25, 26, 24);
    return scene;
}

constexpr Scene scenes[] = {
    {"explosion", "A round tower of 192 bricks, blown up from within.", 300, explosion},
    {"buoyancy", "Things lighter and heavier than water fall into it.", 900, buoyancy},
};

}  // namespace

std::span<const Scene> force_scenes() { return scenes; }

}  // namespace talus::samples
