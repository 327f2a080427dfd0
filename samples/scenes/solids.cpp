/// Solids that are not convex, each one mesh without convex parts.

#include "samples/scenes/kit/solids.h"
#include "samples/scenes/kit/parts.h"
#include "samples/scenes/kit/screw_thread.h"
#include "samples/scenes/kit/spur_gear.h"
#include "samples/scenes/scene_list.h"

#include <talus/narrowphase/triangles/mesh.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string_view>
#include <vector>

namespace talus::samples {

namespace {

constexpr float pi = std::numbers::pi_v<float>;

using Solid = Result<std::shared_ptr<const TriangleSet>>;

Solid make_solid(const MeshFile& mesh) {
    return make_mesh({.vertices = mesh.vertices, .indices = mesh.triangles, .solid = true});
}

/// Rings that hold each other, the first one fixed, the last one twenty times as heavy as the others.
Result<SceneData> ring_chain(const SceneOptions& options) {
    constexpr float radius = 0.5f, tube = 0.12f, pitch = 2.0f * (radius - tube);
    constexpr int rings = 10;
    const Solid made = make_solid(ring(radius, tube, 32, 16));
    if (!made) return made.error();
    SceneData scene;
    const double top = double{pitch} * rings + 0.5;
    for (int k = 0; k < rings; ++k) {
        BodyDef body;
        body.type = k == 0 ? BodyType::fixed : BodyType::dynamic;
        body.mesh = *made;
        body.position = {0.0, top - double{pitch - 0.002f} * k, 0.0};
        body.rotation = k % 2 == 0 ? turn({0, 0, 1}, 0.5f * pi) : turn({1, 0, 0}, 0.5f * pi);
        if (k == rings - 1) {
            body.density = 20000.0f;
            body.linear_velocity = vec3(2.0f, 0.0f, 1.0f) + Random(options.seed).in_box(vec3(0.2f));
        }
        scene.bodies.push_back(body);
    }
    scene.figures.push_back({"longest link, of a taut one", "", Over::largest, [=](const SceneBodies& bodies, double) {
                                 double most = 0.0;
                                 for (std::size_t k = 1; k < rings; ++k) {
                                     const dvec3 between =
                                         bodies.transform(k).position - bodies.transform(k - 1).position;
                                     most = std::max(most, glm::length(between) / double{pitch});
                                 }
                                 return most;
                             }});
    scene.camera = orbit({0, 4.2f, 0}, 13, 30, 10);
    return scene;
}

/// Rings, angles and hooks fall into a bin and catch in each other.
Result<SceneData> solid_heap(const SceneOptions& options) {
    constexpr float width = 6.0f;
    constexpr OutlinePoint angle[] = {{-0.3f, -0.3f}, {0.6f, -0.3f}, {0.6f, 0.0f},
                                      {0.0f, 0.0f},   {0.0f, 0.6f},  {-0.3f, 0.6f}};
    constexpr OutlinePoint hook[] = {{0.0f, -0.5f}, {0.7f, 0.3f},  {0.4f, 0.4f},
                                     {0.0f, -0.1f}, {-0.4f, 0.4f}, {-0.7f, 0.3f}};
    const std::array made = {make_solid(ring(0.45f, 0.13f, 24, 12)), make_solid(prism(angle, 0.5f)),
                             make_solid(prism(hook, 0.4f))};
    for (const Solid& each : made) {
        if (!each) return each.error();
    }
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    add_bin(scene, width, 5.0f);
    const std::vector<vec3> places = lattice(48, 3, 1.6f, 1.2f);
    for (std::size_t i = 0; i < places.size(); ++i) {
        BodyDef body;
        body.mesh = *made[i % made.size()];
        body.position = places[i] + random.in_box(vec3(0.05f));
        body.rotation = random.rotation();
        scene.bodies.push_back(body);
    }
    scene.camera = orbit({0, 1.2f, 0}, 12, 30, 28);
    return scene;
}

/// Three spur gears on hinges: a motor turns the first, a brake holds the last.
Result<SceneData> solid_gears(const SceneOptions&) {
    constexpr int count = 3, teeth[count] = {18, 24, 30};
    constexpr float height = 1.9f, speed = 2.0f;  // m, rad/s
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    scene.bodies.push_back(block({0.0f, height, -0.35f}, {2.4f, 1.2f, 0.1f}));
    std::vector<TurnCounter> turns;
    float x = -1.6f, last_radius = 0.0f;
    for (int k = 0; k < count; ++k) {
        const SpurGear gear{teeth[k], 0.06f, 0.15f, 0.02f, 4};
        const Solid made = make_solid(gear.surface());
        if (!made) return made.error();
        if (k > 0) x += last_radius + gear.pitch_radius();
        last_radius = gear.pitch_radius();
        BodyDef wheel;
        wheel.mesh = *made;
        wheel.material.friction = 0.1f;
        wheel.position = {x, height, 0.0f};
        // All have an even number of teeth: half a tooth on, and a gap meets the last one's tooth.
        wheel.rotation = turn({0, 0, 1}, k == 1 ? pi / static_cast<float>(teeth[k]) : 0.0f);
        const std::size_t body = scene.bodies.size();
        scene.bodies.push_back(wheel);
        HingeDef hinge;
        if (k == 0) hinge.motor = {speed, 2000.0f};
        if (k == count - 1) hinge.motor = {0.0f, 500.0f};
        tie(scene, 1, body, wheel.position, {0, 0, 1}, hinge);
        turns.emplace_back(scene, body, vec3(0, 0, 1));
    }
    scene.figures.push_back({"turns, last over first, of those by teeth", "", Over::last,
                             [=, turns = turns](const SceneBodies& bodies, double) mutable {
                                 return turns[count - 1](bodies) * teeth[count - 1] / (turns[0](bodies) * teeth[0]);
                             }});
    // Wheels in mesh count teeth alike, in opposite senses. If a tooth skips, they differ by 1.
    scene.figures.push_back({"largest slip of two wheels", "teeth", Over::largest,
                             [=, turns = turns](const SceneBodies& bodies, double) mutable {
                                 double passed[count], most = 0.0;
                                 for (std::size_t k = 0; k < count; ++k) {
                                     passed[k] = turns[k](bodies) * teeth[k];
                                     if (k > 0) most = std::max(most, std::abs(passed[k] + passed[k - 1]));
                                 }
                                 return most;
                             }});
    scene.figures.push_back({"turns of the first", "", Over::last,
                             [first = turns[0]](const SceneBodies& bodies, double) mutable { return first(bodies); }});
    scene.camera = orbit({0.0f, height - 0.1f, 0}, 5.6f, 14, 12);
    return scene;
}

/// A nut turns down a fixed bolt by its weight.
Result<SceneData> nut_and_bolt(const SceneOptions& options) {
    constexpr float pitch = 0.016f, base = 0.02f, play = 0.0005f;  // m
    constexpr int around = 24, turns = 8;
    const ScrewThread thread{.root = 0.024f,
                             .crest = 0.032f,
                             .pitch = pitch,
                             .foot = 0.008f,
                             .top = 0.0064f,
                             .around = around,
                             .first = -turns * around / 2,
                             .last = turns * around / 2,
                             .lower = -0.077f,
                             .upper = 0.072f};
    const Solid shaft = make_solid(bolt(thread, 0.05f, base));
    if (!shaft) return shaft.error();
    const Solid ring = make_solid(nut(thread.fitting(2, 0.0006f, play), 0.05f));
    if (!ring) return ring.error();
    const quat upright = turn({1, 0, 0}, -0.5f * pi);
    SceneData scene;
    scene.bodies.push_back(floor_slab(5.0f));
    BodyDef fixed;
    fixed.type = BodyType::fixed;
    fixed.mesh = *shaft;
    fixed.position = {0.0, double{base - thread.lower}, 0.0};
    fixed.rotation = upright;
    fixed.material.friction = 0.02f;
    scene.bodies.push_back(fixed);
    BodyDef turning = fixed;
    turning.type = BodyType::dynamic;
    turning.mesh = *ring;
    const float angle = Random(options.seed).between(-pi, pi);
    turning.position.y += double{pitch} * (2.5 + double{angle} / (2.0 * double{pi})) - 0.9 * double{play};
    turning.rotation = multiply(turn({0, 1, 0}, angle), upright);
    turning.density = 7800.0f;
    turning.allow_sleep = false;
    turning.angular_damping = 1.0f;  // oil
    scene.bodies.push_back(turning);
    const std::size_t body = scene.bodies.size() - 1;
    const TurnCounter counter(scene, body, {0, 1, 0});
    const double start = turning.position.y;
    scene.figures.push_back({"descent per turn, of the pitch", "", Over::last,
                             [=, count = counter](const SceneBodies& bodies, double) mutable {
                                 return (bodies.transform(body).position.y - start) / (double{pitch} * count(bodies));
                             }});
    scene.figures.push_back({"turns down", "", Over::last,
                             [count = counter](const SceneBodies& bodies, double) mutable { return -count(bodies); }});
    scene.camera = orbit({0, 0.085f, 0}, 1.1f, 30, 18);
    scene.camera.vertical_fov_degrees = 14.0f;
    return scene;
}

/// A burr of six pieces of cubes, each one solid, falls on the floor. Nothing holds the pieces together but each other.
Result<SceneData> burr_puzzle(const SceneOptions& options) {
    constexpr int pieces = 6, n = 6;
    constexpr float edge = 0.1f, inset = 0.001f;  // of a cube, m
    // Six layers of six rows: the number of the piece that has the cube.
    constexpr std::string_view layers[n] = {
        "........44....44....55....55........", "........44..00000000.500..55........",
        ".2233..2443.022000022530.2233..2233.", ".2233..2443.11..31125531.2.53..2233.",
        "........44..11.411111111..55........", "........44....44....55....55........",
    };
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    Random random(options.seed);
    const quat rotation = random.rotation();
    const std::size_t first = scene.bodies.size();
    for (int piece = 0; piece < pieces; ++piece) {
        std::array<bool, n * n * n> filled{};
        for (std::size_t k = 0; k < filled.size(); ++k)
            filled[k] = layers[k / (n * n)][k % (n * n)] == static_cast<char>('0' + piece);
        const Solid made = make_solid(cubes(filled, n, edge, inset));
        if (!made) return made.error();
        BodyDef body;
        body.mesh = *made;
        body.position = {0.0, 1.5, 0.0};
        body.rotation = rotation;
        scene.bodies.push_back(body);
    }
    // All frames coincide at the beginning.
    scene.figures.push_back(
        {"largest shift of a piece", "cubes", Over::largest, [=](const SceneBodies& bodies, double) {
             double most = 0.0;
             for (std::size_t a = first; a < first + pieces; ++a) {
                 for (std::size_t b = a + 1; b < first + pieces; ++b) {
                     const dvec3 between = bodies.transform(b).position - bodies.transform(a).position;
                     most = std::max(most, glm::length(between) / double{edge});
                 }
             }
             return most;
         }});
    scene.camera = orbit({0, 0.3f, 0}, 2, 30, 18);
    return scene;
}

constexpr Scene scenes[] = {
    {"ring_chain", "Ten rings hold each other by nothing but their shapes; the last one is heavy.", 900, ring_chain},
    {"solid_heap", "48 rings, angles and hooks, each one solid that is not convex, fall into a bin.", 500, solid_heap},
    {"solid_gears", "Three spur gears, each one solid: a motor drives the first, a brake holds the last.", 600,
     solid_gears},
    {"nut_and_bolt", "A nut turns down the thread of a bolt by its own weight.", 600, nut_and_bolt},
    {"burr_puzzle", "A burr of six pieces, each one solid, falls down and stays in one piece.", 300, burr_puzzle},
};

}  // namespace

std::span<const Scene> solid_scenes() { return scenes; }

}  // namespace talus::samples
