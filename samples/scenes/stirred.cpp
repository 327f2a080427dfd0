/// Many bodies that never come to rest: here an engine pays for motion.

#include "samples/scenes/kit/parts.h"
#include "samples/scenes/scene_list.h"

namespace talus::samples {

namespace {

constexpr float two_pi = 6.2831853f;

/// Hulls in a drum that turns about the z axis: a kinematic ring of planks with four lifters, closed by two fixed
/// walls.
Result<SceneData> drum(const SceneOptions& options) {
    constexpr std::size_t hulls = 400;
    constexpr int planks = 24, lifters = 4;
    constexpr float radius = 6.5f, half_length = 5.5f, rate = 0.6f;
    constexpr float half_lifter = 0.4f, gap = 0.02f;
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab(60.0f, -radius - 2.0f));
    const float t = 0.5f * wall_thickness;
    const vec3 end(radius + 1.0f, radius + 1.0f, t);
    scene.bodies.push_back(block({0.0f, 0.0f, -half_length - t}, end));
    scene.bodies.push_back(block({0.0f, 0.0f, half_length + t}, end));
    scene.glass.push_back(2);

    BodyDef ring;
    ring.type = BodyType::kinematic;
    ring.angular_velocity = {0.0f, 0.0f, rate};
    const auto add_plank = [&](int i, int of, float inner_radius, const vec3& half) {
        float angle = two_pi * static_cast<float>(i) / static_cast<float>(of);
        if (angle > 0.5f * two_pi) angle -= two_pi;
        ShapeDef plank;
        plank.shape = box(half);
        plank.pose.rotation = turn({0, 0, 1}, angle);
        plank.pose.position = rotate(plank.pose.rotation, {0.0f, -inner_radius - half.y, 0.0f});
        ring.shapes.push_back(plank);
    };
    // So wide that neighbours meet at their outer edges: tan(pi / 24) of the outer radius, 7 m, is 0.92 m.
    for (int i = 0; i < planks; ++i) add_plank(i, planks, radius, {0.93f, 0.25f, half_length - gap});
    for (int i = 0; i < lifters; ++i) {
        add_plank(i, lifters, radius - 2.0f * half_lifter, {0.15f, half_lifter, half_length - gap});
    }
    scene.bodies.push_back(ring);

    // The points of a lattice that lie clear of the lifters.
    constexpr float pitch = 1.22f, largest = 0.6f;
    constexpr float reach = radius - 2.0f * half_lifter - largest - gap;
    std::vector<vec3> places;
    for (int layer = -4; layer <= 4; ++layer) {
        for (int column = -4; column <= 4; ++column) {
            for (int row = -4; row <= 4; ++row) {
                const vec3 place = pitch * vec3(column, layer, row);
                if (place.x * place.x + place.y * place.y < reach * reach) places.push_back(place);
            }
        }
    }
    places.resize(hulls);
    for (const vec3& place : places) {
        const Result<Shape> shape = random_hull(random, 24, 0.4f, largest);
        if (!shape) return shape.error();
        BodyDef def;
        def.shape = *shape;
        def.position = place + random.in_box(vec3(0.5f * gap));
        def.rotation = random.rotation();
        scene.bodies.push_back(def);
    }
    scene.camera = orbit({0, -0.5f, 0}, 26.5f, 16, 10);
    return scene;
}

/// Hulls in a closed box whose gravity turns 1 rad/s about z.
Result<SceneData> tumble(const SceneOptions& options, int points) {
    const vec3 half(4.5f, 5.5f, 4.5f);
    const float t = 0.5f * wall_thickness;
    Random random(options.seed);
    SceneData scene;
    scene.gravity_at = [](int step) {
        // remainder() is exact, so this is the same anywhere.
        const auto angle = static_cast<float>(std::remainder(static_cast<double>(step) / 60.0, 6.283185307179586));
        return rotate(turn({0, 0, 1}, angle), {0.0f, -10.0f, 0.0f});
    };
    for (int axis = 0; axis < 3; ++axis) {
        for (const float side : {-1.0f, 1.0f}) {
            vec3 center(0.0f), wall = half + vec3(wall_thickness);
            center[axis] = side * (half[axis] + t);
            wall[axis] = t;
            scene.glass.push_back(static_cast<std::uint32_t>(scene.bodies.size()));
            scene.bodies.push_back(block(center, wall));
        }
    }
    for (const vec3& place : lattice(400, 7, 1.22f, -4.88f)) {
        const Result<Shape> shape = random_hull(random, points, 0.4f, 0.6f);
        if (!shape) return shape.error();
        BodyDef def;
        def.shape = *shape;
        def.position = place + random.in_box(vec3(0.01f));
        def.rotation = random.rotation();
        scene.bodies.push_back(def);
    }
    scene.camera = orbit({0, -0.3f, 0}, 27, 28, 14);
    return scene;
}

/// 10,000 boxes fly through empty space, each in a cell of its own at first.
Result<SceneData> sparse10k(const SceneOptions& options) {
    constexpr int count = 10000, columns = 22;
    constexpr float cell = 9.0f;
    Random random(options.seed);
    SceneData scene;
    scene.gravity = vec3(0.0f);
    for (const vec3& place : lattice(count, columns, cell, -0.5f * cell * static_cast<float>(columns - 2))) {
        BodyDef def;
        def.shape = box(vec3(0.5f));
        def.position = place;
        def.rotation = random.rotation();
        const float speed = random.between(2.0f, 10.0f);
        def.linear_velocity = speed * random.direction();
        const float rate = random.between(0.0f, 3.0f);
        def.angular_velocity = rate * random.direction();
        scene.bodies.push_back(def);
    }
    scene.camera = orbit({0, 0, 0}, 285, 30, 20);
    return scene;
}

constexpr Scene scenes[] = {
    {"drum", "400 hulls in a turning drum: they never come to rest.", 600, drum},
    {"tumble", "400 hulls of 24 points in a closed box whose gravity turns.", 600,
     [](const SceneOptions& options) { return tumble(options, 24); }},
    {"tumble8", "The same with hulls of 8 points.", 600,
     [](const SceneOptions& options) { return tumble(options, 8); }},
    {"sparse10k", "10,000 boxes fly through empty space: the broadphase's work.", 200, sparse10k},
};

}  // namespace

std::span<const Scene> stirred_scenes() { return scenes; }

}  // namespace talus::samples
