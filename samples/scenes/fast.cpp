/// Small and fast against thin and fixed: what discrete steps alone would let through.

#include "samples/scenes/kit/parts.h"
#include "samples/scenes/scene_list.h"

namespace talus::samples {

namespace {

/// 120 bullets at up to 1,000 m/s and 12 rods spinning at up to 50 turns a second meet a wall 1 cm thick.
Result<SceneData> bullets(const SceneOptions& options) {
    constexpr int columns = 15, rows = 8, rods = 12;
    constexpr float half_width = 9.0f, height = 6.0f, half_wall = 0.005f, fastest = 1000.0f, turns = 50.0f,
                    two_pi = 6.2831853f;
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    scene.bodies.push_back(block({0.0f, 0.5f * height, 0.0f}, {half_width, 0.5f * height, half_wall}));
    const auto first = scene.bodies.size();
    for (int i = 0; i < columns * rows; ++i) {
        const float size = random.between(0.03f, 0.08f);
        BodyDef bullet;
        switch (i % 4) {
            case 0:
                bullet.shape = sphere(size);
                break;
            case 1:
                bullet.shape = capsule(size, 0.5f * size);
                break;
            case 2:
                bullet.shape = box({size, 0.6f * size, 0.4f * size});
                break;
            default:
                bullet.shape = cylinder(size, 0.4f * size);
                break;
        }
        bullet.position = {0.8f * (static_cast<float>(i % columns) - 7.0f),
                           1.0f + 0.6f * static_cast<float>(i / columns), random.between(3.0f, 12.0f)};
        bullet.rotation = random.rotation();
        bullet.linear_velocity = {0.0f, 0.0f,
                                  -fastest * static_cast<float>(i + 1) / static_cast<float>(columns * rows)};
        scene.bodies.push_back(bullet);
    }
    for (int i = 0; i < rods; ++i) {
        BodyDef rod;
        rod.shape = box({0.5f, 0.02f, 0.02f});
        rod.position = {1.3f * (static_cast<float>(i) - 0.5f * static_cast<float>(rods - 1)), 0.5f, 0.7f};
        rod.linear_velocity = {0.0f, 2.0f, -2.0f};
        rod.angular_velocity = {0.0f, turns * two_pi * static_cast<float>(i + 1) / static_cast<float>(rods), 0.0f};
        scene.bodies.push_back(rod);
    }
    // What glances off may fly round the wall or over it, and come down behind it: what crosses the wall's plane within
    // the wall went through.
    std::vector<dvec3> before;
    for (std::size_t i = first; i < scene.bodies.size(); ++i) before.push_back(scene.bodies[i].position);
    scene.figures.push_back({"through the wall", "bodies", Over::last,
                             [first, before, through = 0.0](const SceneBodies& bodies, double) mutable {
                                 for (std::size_t i = 0; i < before.size(); ++i) {
                                     const dvec3 from = before[i], to = bodies.transform(first + i).position;
                                     before[i] = to;
                                     if (from.z < 0.0 || to.z >= 0.0) continue;
                                     const dvec3 at = from + from.z / (from.z - to.z) * (to - from);
                                     if (std::abs(at.x) < half_width && at.y < height) through += 1.0;
                                 }
                                 return through;
                             }});
    scene.camera = orbit({0, 2.2f, 0}, 24, 42, 16);
    return scene;
}

constexpr Scene scenes[] = {
    {"bullets", "Bullets of up to 1,000 m/s and spinning rods against a wall of 1 cm.", 240, bullets},
};

}  // namespace

std::span<const Scene> fast_scenes() { return scenes; }

}  // namespace talus::samples
