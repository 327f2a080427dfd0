/// What drives and is driven.

#include "samples/scenes/parts.h"
#include "samples/scenes/scene_list.h"

#include <algorithm>

namespace talus::samples {

namespace {

/// Three belts one after the other, each twice as fast as the one before, and crates that fall on the first.
Result<SceneData> conveyor(const SceneOptions& options) {
    constexpr int belts = 3, crates = 8;
    constexpr float half_length = 6.0f, half_width = 0.9f, height = 1.5f;
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    for (int i = 0; i < belts; ++i) {
        const float x = 2.0f * half_length * (static_cast<float>(i) - 0.5f * static_cast<float>(belts - 1));
        BodyDef belt = block({x, 0.5f * height, 0.0f}, {half_length - 0.02f, 0.5f * height, half_width});
        belt.material.surface_velocity = {static_cast<float>(1 << i), 0.0f, 0.0f};
        scene.bodies.push_back(belt);
    }
    const std::size_t first = scene.bodies.size();
    for (int i = 0; i < crates; ++i) {
        BodyDef crate;
        const float half = random.between(0.25f, 0.4f);
        crate.shape = box({half, random.between(0.2f, 0.35f), half});
        crate.position = {-belts * half_length + 0.8f + 1.3f * static_cast<float>(i), height + 0.4f + 0.15f * static_cast<float>(i), 0.0f};
        crate.rotation = turn({0, 1, 0}, random.between(-0.6f, 0.6f));
        scene.bodies.push_back(crate);
    }
    // After the friction of a first second, whatever is on the middle of a belt moves as it does.
    scene.figures.push_back({"off the belt's speed", "m/s", Over::largest, [=](const SceneBodies& bodies, double time) {
                                 double worst = 0.0;
                                 for (std::size_t i = first; i < first + crates && time > 1.5; ++i) {
                                     const vec3 at = bodies.transform(i).position;
                                     for (int k = 0; k < belts; ++k) {
                                         const float x = 2.0f * half_length * (static_cast<float>(k) - 0.5f * static_cast<float>(belts - 1));
                                         if (at.x < x - 0.5f * half_length || at.x > x + 0.8f * half_length || at.y < height) continue;
                                         const float off = std::abs(bodies.linear_velocity(i).x - static_cast<float>(1 << k));
                                         worst = std::max(worst, static_cast<double>(off));
                                     }
                                 }
                                 return worst;
                             }});
    scene.camera = orbit({0, 0.8f, 0}, 30, 22, 20);
    return scene;
}

constexpr Scene scenes[] = {
    {"conveyor", "Crates on three running belts, each twice as fast as the one before.", 720, conveyor},
};

}  // namespace

std::span<const Scene> machine_scenes() { return scenes; }

}  // namespace talus::samples
