/// Things that should stay where they are, or fall in order.

#include "samples/scenes/kit/parts.h"
#include "samples/scenes/scene_list.h"

namespace talus::samples {

namespace {

BodyDef unit_box(const dvec3& position) {
    BodyDef def;
    def.shape = box(vec3(0.5f));
    def.position = position;
    return def;
}

Result<SceneData> tower(const SceneOptions& options, int height) {
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    for (int i = 0; i < height; ++i) {
        const vec3 place(0.0f, 0.5f + static_cast<float>(i), 0.0f);
        scene.bodies.push_back(unit_box(place + jitter(random, options.jitter)));
    }
    scene.figures.push_back(displacement("the top's displacement", scene, scene.bodies.size() - 1));
    scene.figures.push_back(largest_displacement(scene));
    const auto size = static_cast<float>(height);
    scene.camera = orbit({0, 0.46f * size, 0}, 1.6f * size, 28, 7);
    return scene;
}

/// Two heavy boxes on light ones, 1,000 kg on 1 kg each: as large but denser, and as dense but ten times as large.
Result<SceneData> heavy_on_light(const SceneOptions& options) {
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    const auto add = [&](const vec3& place, float half, float density) {
        BodyDef def;
        def.shape = box(vec3(half));
        def.density = density;
        def.position = place + jitter(random, options.jitter);
        scene.bodies.push_back(def);
    };
    add({-2.0f, 0.5f, 0.0f}, 0.5f, 1.0f);
    add({-2.0f, 1.5f, 0.0f}, 0.5f, 1000.0f);
    add({2.0f, 0.1f, 0.0f}, 0.1f, 125.0f);
    add({2.0f, 1.2f, 0.0f}, 1.0f, 125.0f);
    for (const std::size_t heavy : {2u, 4u}) {
        const double place = scene.bodies[heavy].position.y;
        scene.figures.push_back(
            {heavy == 2 ? "the denser box sank by" : "the larger box sank by", "m", Over::largest,
             [=](const SceneBodies& bodies, double) { return place - bodies.transform(heavy).position.y; }});
    }
    scene.figures.push_back(largest_displacement(scene));
    scene.camera = orbit({0, 1, 0}, 10, 20, 12);
    return scene;
}

/// Rows of unit boxes, `base` in the lowest; neighbours 0.1 m apart, rows touching.
Result<SceneData> pyramid(const SceneOptions& options, int base) {
    constexpr float pitch = 1.1f;
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    for (int row = 0; row < base; ++row) {
        const float left = -0.5f * pitch * static_cast<float>(base - 1 - row);
        for (int i = 0; i < base - row; ++i) {
            const vec3 place(left + pitch * static_cast<float>(i), 0.5f + static_cast<float>(row), 0.0f);
            scene.bodies.push_back(unit_box(place + jitter(random, options.jitter)));
        }
    }
    scene.figures.push_back(displacement("the top's displacement", scene, scene.bodies.size() - 1));
    scene.figures.push_back(largest_displacement(scene));
    const float size = static_cast<float>(base);
    scene.camera = orbit({0, 0.44f * size, 0}, 1.9f * size, 24, 12);
    return scene;
}

/// Ten walls in running bond, bricks 2 cm apart in a course, courses touching. Courses are shifted by a little less
/// than half a brick, so that those at the ends stand on more than their edge.
Result<SceneData> wall(const SceneOptions& options) {
    constexpr float pitch = 1.02f;
    constexpr int walls = 10, courses = 10, bricks = 20;
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    for (int w = 0; w < walls; ++w) {
        const float z = 3.0f * (static_cast<float>(w) - 0.5f * static_cast<float>(walls - 1));
        for (int course = 0; course < courses; ++course) {
            const float left = -0.5f * pitch * static_cast<float>(bricks - 1) + (course % 2 ? 0.23f : -0.23f);
            for (int i = 0; i < bricks; ++i) {
                BodyDef brick;
                brick.shape = box({0.5f, 0.25f, 0.25f});
                brick.position =
                    vec3(left + pitch * static_cast<float>(i), 0.25f + 0.5f * static_cast<float>(course), z);
                brick.position += jitter(random, options.jitter);
                scene.bodies.push_back(brick);
            }
        }
    }
    scene.figures.push_back(largest_displacement(scene));
    scene.camera = orbit({0, 1, 0}, 43, 38, 20);
    return scene;
}

/// Dominoes along a spiral, from its outer end inwards; the first one is pushed.
Result<SceneData> dominoes(const SceneOptions&) {
    constexpr int count = 120;
    constexpr float spacing = 0.45f;
    constexpr float outer = 6.5f, inward = 0.33f;  // radius, and how much of it is lost in a radian, m
    constexpr float two_pi = 6.2831853f;
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    float angle = 0.0f;
    for (int i = 0; i < count; ++i) {
        const float r = outer - inward * angle;
        float wrapped = angle;
        while (wrapped > 0.5f * two_pi) wrapped -= two_pi;
        const quat along = turn({0, 1, 0}, wrapped);
        BodyDef domino;
        domino.shape = box({0.3f, 0.6f, 0.06f});  // thin along the path, which runs along its -z
        domino.position = rotate(along, {r, 0.6f, 0.0f});
        domino.rotation = along;
        if (i == 0) {
            // A push at the top: it turns about its lower edge.
            const float rate = 1.5f;
            domino.angular_velocity = rotate(along, {-rate, 0.0f, 0.0f});
            domino.linear_velocity = rotate(along, {0.0f, 0.0f, -0.6f * rate});
        }
        scene.bodies.push_back(domino);
        angle += spacing / r;
    }
    scene.camera = orbit({0, 0, 0.3f}, 17, 20, 38);
    return scene;
}

constexpr Scene scenes[] = {
    {"stack20", "A tower of 20 unit boxes: it stands, with --jitter too.", 1200,
     [](const SceneOptions& options) { return tower(options, 20); }},
    {"tower30", "A tower of 30 unit boxes.", 3600, [](const SceneOptions& options) { return tower(options, 30); }},
    {"tower50", "A tower of 50 unit boxes: solved directly, it stands, with --jitter too.", 3600,
     [](const SceneOptions& options) { return tower(options, 50); }},
    {"heavy_light", "Boxes of 1,000 kg on boxes of 1 kg.", 3600, heavy_on_light},
    {"pyramid10", "A pyramid of 55 boxes, 10 at its base.", 600,
     [](const SceneOptions& options) { return pyramid(options, 10); }},
    {"pyramid40", "A pyramid of 820 boxes, 40 at its base: each box carries those above.", 400,
     [](const SceneOptions& options) { return pyramid(options, 40); }},
    {"pyramid100", "A pyramid of 5,050 boxes, 100 at its base.", 1000,
     [](const SceneOptions& options) { return pyramid(options, 100); }},
    {"wall", "Ten brick walls, 2,000 bricks in running bond.", 300, wall},
    {"dominoes", "120 dominoes on a spiral: one push fells them all.", 1200, dominoes},
};

}  // namespace

std::span<const Scene> stack_scenes() { return scenes; }

}  // namespace talus::samples
