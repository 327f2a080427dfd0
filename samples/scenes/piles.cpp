/// Many bodies in a bin, at rest in the end.

#include "samples/scenes/kit/parts.h"
#include "samples/scenes/scene_list.h"

#include <algorithm>

namespace talus::samples {

namespace {

/// `count` hulls of `points` points rain into a bin 13 m wide.
Result<SceneData> hulls_in_bin(const SceneOptions& options, std::size_t count, int points) {
    constexpr float pitch = 1.25f;  // above twice the largest semi-axis
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    const std::vector<vec3> places = lattice(count, 10, pitch, 1.0f);
    add_bin(scene, 13.0f, std::min(places.back().y + 2.0f, 10.0f));
    for (const vec3& place : places) {
        const Result<Shape> shape = random_hull(random, points, 0.4f, 0.6f);
        if (!shape) return shape.error();
        BodyDef def;
        def.shape = *shape;
        def.position = place + random.in_box(vec3(0.02f));
        def.rotation = random.rotation();
        scene.bodies.push_back(def);
    }
    scene.camera = orbit({0, count > 500 ? 2.6f : 0.9f, 0}, count > 500 ? 25.5f : 23.0f, 32, 30);
    return scene;
}

Result<SceneData> mixed(const SceneOptions& options) {
    constexpr float pitch = 1.28f;  // above the largest diameter
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    const std::vector<vec3> places = lattice(2000, 12, pitch, 1.0f);
    add_bin(scene, 16.0f, 10.0f);
    for (const vec3& place : places) {
        const float a = random.between(0.25f, 0.4f);
        const float b = random.between(0.25f, 0.4f);
        const float c = random.between(0.25f, 0.35f);
        BodyDef def;
        switch (random.below(4)) {
            case 0:
                def.shape = sphere(a);
                break;
            case 1:
                def.shape = box({a, b, c});
                break;
            case 2:
                def.shape = capsule(0.7f * c, 0.8f * a);
                break;
            default:
                def.shape = cylinder(a, b);
                break;
        }
        def.position = place + random.in_box(vec3(0.02f));
        def.rotation = random.rotation();
        scene.bodies.push_back(def);
    }
    scene.camera = orbit({0, 2.2f, 0}, 30, 32, 30);
    return scene;
}

/// 800 ellipsoids and 200 superellipsoids rain into a bin 13 m wide.
Result<SceneData> ellipsoids(const SceneOptions& options) {
    constexpr float pitch = 1.25f, width = 13.0f;  // above twice the largest radius
    constexpr std::size_t count = 1000;
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    const std::vector<vec3> places = lattice(count, 10, pitch, 1.0f);
    add_bin(scene, width, std::min(places.back().y + 2.0f, 10.0f));
    const std::size_t first = scene.bodies.size();
    // The superellipsoids have five shapes, because their volume must be integrated.
    std::vector<Shape> rounded_boxes;
    constexpr float exponents[][2] = {{2.0f, 4.0f}, {3.0f, 3.0f}, {4.0f, 4.0f}, {4.0f, 2.0f}, {2.5f, 1.5f}};
    for (const auto& [around, along] : exponents) {
        const float x = random.between(0.25f, 0.5f), y = random.between(0.25f, 0.5f), z = random.between(0.25f, 0.5f);
        const Result<Shape> shape = superellipsoid({x, y, z}, around, along);
        if (!shape) return shape.error();
        rounded_boxes.push_back(*shape);
    }
    double volume = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        BodyDef def;
        if (i % 5 == 4) {
            def.shape = rounded_boxes[i / 5 % rounded_boxes.size()];
        } else {
            const float x = random.between(0.25f, 0.6f), y = random.between(0.25f, 0.6f);
            const Result<Shape> shape = ellipsoid({x, y, random.between(0.25f, 0.6f)});
            if (!shape) return shape.error();
            def.shape = *shape;
        }
        volume += static_cast<double>(def.shape.mapping->volume);
        def.position = places[i] + random.in_box(vec3(0.02f));
        def.rotation = random.rotation();
        scene.bodies.push_back(def);
    }
    // They fill the bin up to about twice their mean height. Loose ones fill less of it, overlapping ones more.
    scene.figures.push_back({"part of the heap that is solid", "0.5 to 0.7 for a random heap", Over::last,
                             [first, volume](const SceneBodies& bodies, double) {
                                 double height = 0.0;
                                 for (std::size_t i = first; i < first + count; ++i)
                                     height += bodies.center_of_mass(i).y / static_cast<double>(count);
                                 return volume /
                                        (static_cast<double>(width) * static_cast<double>(width) * 2.0 * height);
                             }});
    scene.figures.push_back(
        {"speed of the fastest body", "m/s", Over::last, [first](const SceneBodies& bodies, double) {
             double most = 0.0;
             for (std::size_t i = first; i < first + count; ++i)
                 most = std::max(most, static_cast<double>(glm::length(bodies.linear_velocity(i))));
             return most;
         }});
    scene.camera = orbit({0, 1.6f, 0}, 24.0f, 32, 30);
    return scene;
}

constexpr Scene scenes[] = {
    {"hullpile", "1,000 hulls of 24 points rain into a bin.", 500,
     [](const SceneOptions& options) { return hulls_in_bin(options, 1000, 24); }},
    {"mixed", "2,000 spheres, boxes, capsules and cylinders rain into a bin.", 400, mixed},
    {"bighulls44", "200 hulls of 44 points in a bin.", 400,
     [](const SceneOptions& options) { return hulls_in_bin(options, 200, 44); }},
    {"bighulls", "200 hulls of 200 points in a bin: the cost of support search.", 400,
     [](const SceneOptions& options) { return hulls_in_bin(options, 200, 200); }},
    {"ellipsoids", "800 ellipsoids and 200 superellipsoids rain into a bin.", 500, ellipsoids},
};

}  // namespace

std::span<const Scene> pile_scenes() { return scenes; }

}  // namespace talus::samples
