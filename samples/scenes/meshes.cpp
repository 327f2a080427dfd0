/// Surfaces made of triangles, and what falls, rolls and turns on them.

#include "samples/scenes/kit/parts.h"
#include "samples/scenes/kit/spur_gear.h"
#include "samples/scenes/scene_list.h"

#include <talus/narrowphase/triangles/height_field.h>
#include <talus/narrowphase/triangles/mesh.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::samples {

namespace {

constexpr float pi = 3.14159265f;

// ---- Terrain --------------------------------------------------------------------------------------------------------

/// Smooth noise of a lattice of random heights in -1 to 1, with period 64 cells.
class Noise {
public:
    explicit Noise(Random& random) {
        for (float& height : lattice_) height = random.between(-1.0f, 1.0f);
    }
    float operator()(float x, float z) const {
        const float fx = std::floor(x), fz = std::floor(z);
        const auto i = static_cast<int>(fx), j = static_cast<int>(fz);
        const auto ease = [](float t) { return t * t * (3.0f - 2.0f * t); };
        const float u = ease(x - fx), v = ease(z - fz);
        return glm::mix(glm::mix(at(i, j), at(i + 1, j), u), glm::mix(at(i, j + 1), at(i + 1, j + 1), u), v);
    }

private:
    static constexpr int period = 64;
    float at(int i, int j) const {
        return lattice_[static_cast<std::size_t>((j & (period - 1)) * period + (i & (period - 1)))];
    }
    std::array<float, period * period> lattice_{};
};

/// A mountainside that ends in a valley with a rim: 100,352 triangles.
constexpr int terrain_samples = 225;
constexpr float terrain_cell = 0.5f;

float terrain_height(const Noise& noise, float x, float z) {
    const float half = 0.5f * terrain_cell * (terrain_samples - 1);
    // Down towards +z, level in the valley, up again at the rim all round.
    const float along = z / half;
    const float slope = along < 0.3f ? 24.0f * (0.3f - along) : 0.0f;
    const float side = std::max(std::abs(x), std::max(z, -z)) / half;
    const float rim = side > 0.8f ? 260.0f * (side - 0.8f) * (side - 0.8f) : 0.0f;
    const float gully = 0.12f * std::abs(x) * (along < 0.5f ? 1.0f : 0.4f);
    return slope + rim + gully + 1.1f * noise(0.11f * x, 0.11f * z) + 0.22f * noise(0.5f * x + 7.0f, 0.5f * z + 3.0f);
}

/// Stone number k: a sphere, a box, a capsule, a cylinder or a hull, in turn.
Result<Shape> stone(Random& random, int k, float size) {
    switch (k % 5) {
        case 0:
            return sphere(size);
        case 1:
            return box({size, 0.7f * size, 0.8f * size});
        case 2:
            return capsule(0.6f * size, 0.6f * size);
        case 3:
            return cylinder(0.5f * size, 0.8f * size);
        default:
            return random_hull(random, 16, 0.7f * size, 1.2f * size);
    }
}

Result<SceneData> terrain(const SceneOptions& options) {
    Random random(options.seed);
    const Noise noise(random);
    const float half = 0.5f * terrain_cell * (terrain_samples - 1);
    std::vector<float> heights;
    heights.reserve(terrain_samples * terrain_samples);
    for (int j = 0; j < terrain_samples; ++j) {
        for (int i = 0; i < terrain_samples; ++i) {
            heights.push_back(terrain_height(noise, terrain_cell * static_cast<float>(i) - half,
                                             terrain_cell * static_cast<float>(j) - half));
        }
    }
    auto field = make_height_field({.columns = terrain_samples,
                                    .rows = terrain_samples,
                                    .heights = heights,
                                    .spacing_x = terrain_cell,
                                    .spacing_z = terrain_cell});
    if (!field) return field.error();
    SceneData scene;
    BodyDef ground;
    ground.type = BodyType::fixed;
    ground.mesh = *field;
    ground.position = {-half, 0.0f, -half};
    scene.bodies.push_back(ground);

    constexpr int count = 500, columns = 25;
    for (int k = 0; k < count; ++k) {
        BodyDef body;
        const float size = random.between(0.25f, 0.55f);
        const Result<Shape> shape = stone(random, k, size);
        if (!shape) return shape.error();
        body.shape = *shape;
        const float x = 1.3f * (static_cast<float>(k % columns) - 0.5f * (columns - 1));
        const float z = -0.72f * half + 1.4f * static_cast<float>(k / columns);
        body.position = vec3(x, terrain_height(noise, x, z) + 1.2f, z) + random.in_box(vec3(0.15f));
        body.rotation = random.rotation();
        body.material.rolling_resistance = 0.01f;
        scene.bodies.push_back(body);
    }
    const auto is_over_field = [half](const dvec3& at) {
        return std::max(std::abs(at.x), std::abs(at.z)) <= double{half};
    };
    scene.figures.push_back({"fell through the ground", "bodies", Over::last, [=](const SceneBodies& bodies, double) {
                                 double lost = 0.0;
                                 for (std::size_t i = 1; i <= count; ++i) {
                                     const dvec3 at = bodies.transform(i).position;
                                     if (!is_over_field(at)) continue;
                                     const auto x = static_cast<float>(at.x), z = static_cast<float>(at.z);
                                     lost += at.y < double{terrain_height(noise, x, z)} ? 1.0 : 0.0;
                                 }
                                 return lost;
                             }});
    scene.figures.push_back({"rolled over the rim", "bodies", Over::last, [=](const SceneBodies& bodies, double) {
                                 double over = 0.0;
                                 for (std::size_t i = 1; i <= count; ++i)
                                     over += is_over_field(bodies.transform(i).position) ? 0.0 : 1.0;
                                 return over;
                             }});
    scene.figures.push_back(
        {"rolled down, on average", "m", Over::last, [start = scene.bodies](const SceneBodies& bodies, double) {
             double sum = 0.0;
             for (std::size_t i = 1; i <= count; ++i) sum += start[i].position.y - bodies.transform(i).position.y;
             return sum / count;
         }});
    scene.camera = orbit({0, 8.0f, -6.0f}, 66, 62, 16);
    return scene;
}

// ---- Rough ground ---------------------------------------------------------------------------------------------------

/// Bumps, and beyond 40 m a rim that keeps things in.
float rough_height(const Noise& noise, float x, float z) {
    const float over = std::max(std::max(std::abs(x), std::abs(z)) - 40.0f, 0.0f);
    return 0.9f * noise(0.16f * x, 0.16f * z) + 0.3f * noise(0.45f * x + 7.0f, 0.45f * z + 3.0f) + 0.5f * over * over;
}

Result<SceneData> rough_ground(const SceneOptions& options) {
    Random random(options.seed);
    const Noise noise(random);
    constexpr int cells = 96;  // of 1 m
    const float half = 0.5f * static_cast<float>(cells);
    std::vector<vec3> vertices;
    std::vector<std::uint32_t> indices;
    for (int j = 0; j <= cells; ++j) {
        for (int i = 0; i <= cells; ++i) {
            const float x = static_cast<float>(i) - half, z = static_cast<float>(j) - half;
            vertices.emplace_back(x, rough_height(noise, x, z), z);
        }
    }
    const auto at = [](int i, int j) { return static_cast<std::uint32_t>(j * (cells + 1) + i); };
    for (int j = 0; j < cells; ++j) {
        for (int i = 0; i < cells; ++i) {
            for (const std::uint32_t v : {at(i, j), at(i, j + 1), at(i + 1, j + 1)}) indices.push_back(v);
            for (const std::uint32_t v : {at(i, j), at(i + 1, j + 1), at(i + 1, j)}) indices.push_back(v);
        }
    }
    auto mesh = make_mesh({.vertices = vertices, .indices = indices});
    if (!mesh) return mesh.error();
    SceneData scene;
    BodyDef ground;
    ground.type = BodyType::fixed;
    ground.mesh = *mesh;
    scene.bodies.push_back(ground);

    constexpr int count = 1000, columns = 16;
    const auto half_extent = [&] { return random.between(0.3f, 0.5f); };
    for (int k = 0; k < count; ++k) {
        const int column = k % columns, row = k / columns % columns, layer = k / (columns * columns);
        BodyDef body;
        switch ((column + row) % 4) {
            case 0: {
                const float x = half_extent(), y = half_extent();
                body.shape = box({x, y, half_extent()});
                break;
            }
            case 1:
                body.shape = sphere(half_extent());
                break;
            case 2: {
                const float half_height = random.between(0.2f, 0.3f);
                body.shape = capsule(half_height, random.between(0.2f, 0.3f));
                break;
            }
            default: {
                const Result<Shape> stone = random_hull(random, 16, 0.3f, 0.5f);
                if (!stone) return stone.error();
                body.shape = *stone;
            }
        }
        const float middle = 0.5f * (columns - 1);
        const vec3 place(4.0f * (static_cast<float>(column) - middle), 2.5f + 3.0f * static_cast<float>(layer),
                         4.0f * (static_cast<float>(row) - middle));
        body.position = place + random.in_box(vec3(0.5f));
        body.rotation = random.rotation();
        scene.bodies.push_back(body);
    }
    scene.figures.push_back({"fell through the ground", "bodies", Over::last, [=](const SceneBodies& bodies, double) {
                                 double lost = 0.0;
                                 for (std::size_t i = 1; i <= count; ++i) {
                                     const dvec3 p = bodies.transform(i).position;
                                     const auto x = static_cast<float>(p.x), z = static_cast<float>(p.z);
                                     lost += p.y < double{rough_height(noise, x, z)} ? 1.0 : 0.0;
                                 }
                                 return lost;
                             }});
    scene.camera = orbit({0, 0.0f, 0.0f}, 52, 40, 24);
    return scene;
}

// ---- Marble run -----------------------------------------------------------------------------------------------------

/// A mesh under construction.
struct MeshBuilder {
    std::vector<vec3> vertices;
    std::vector<std::uint32_t> indices;

    /// Sweeps a cross-section along frames: `points(k)` gives the cross-section at station k, all of equal size; its front
    /// is to the left of the way from point to point, seen against the sweep.
    template <class Points>
    void sweep(int stations, const Points& points) {
        std::size_t width = 0;
        const std::size_t base = vertices.size();
        for (int k = 0; k < stations; ++k) {
            const std::vector<vec3> section = points(k);
            width = section.size();
            vertices.insert(vertices.end(), section.begin(), section.end());
        }
        for (std::size_t k = 0; k + 1 < static_cast<std::size_t>(stations); ++k) {
            for (std::size_t i = 0; i + 1 < width; ++i) {
                const auto at = [&](std::size_t station, std::size_t point) {
                    return static_cast<std::uint32_t>(base + station * width + point);
                };
                for (const std::uint32_t v : {at(k, i), at(k + 1, i), at(k, i + 1)}) indices.push_back(v);
                for (const std::uint32_t v : {at(k, i + 1), at(k + 1, i), at(k + 1, i + 1)}) indices.push_back(v);
            }
        }
    }
};

// The spiral: its radius, how far a turn leads down, and where its upper end is, m.
constexpr float spiral_radius = 2.2f, spiral_drop = 1.1f;
constexpr int spiral_turns = 4;
constexpr float spiral_top = 1.6f + spiral_drop * spiral_turns;
const vec3 spiral_start{-spiral_radius, spiral_top, 0.0f};

/// The spiral, a funnel above it (its triangles have material 1) and a bowl under it.
Result<std::shared_ptr<const TriangleSet>> marble_run_mesh() {
    constexpr float pipe = 0.32f;  // radius, m
    constexpr int steps_a_turn = 48, across = 10;
    const vec3 up(0, 1, 0);
    MeshBuilder mesh;
    // The spiral: a half pipe, its outer wall higher.
    mesh.sweep(spiral_turns * steps_a_turn + 1, [&](int k) {
        const float turned = static_cast<float>(k) / steps_a_turn;
        const quat q = turn(up, 2.0f * pi * (turned - std::floor(turned)) - pi);
        const vec3 center = rotate(q, {spiral_radius, 0.0f, 0.0f}) + (spiral_top - spiral_drop * turned) * up;
        std::vector<vec3> section;
        for (int i = 0; i <= across; ++i) {
            const float angle = pi * (-1.0f + 1.25f * static_cast<float>(i) / across);
            section.push_back(center + rotate(q, on_circle(pipe, angle)));
        }
        return section;
    });
    const std::size_t spiral_triangles = mesh.indices.size() / 3;
    // The funnel above its upper end, the bowl under its lower one.
    const auto round = [&](const vec3& middle, const std::vector<glm::vec2>& profile) {
        constexpr int slices = 40;
        mesh.sweep(slices + 1, [&](int k) {
            const quat q = turn(up, 2.0f * pi * static_cast<float>(k % slices) / slices - pi);
            std::vector<vec3> section;
            for (const glm::vec2& p : profile) section.push_back(middle + rotate(q, {p.x, p.y, 0.0f}));
            return section;
        });
    };
    round(spiral_start + vec3(0.0f, 0.75f, 0.15f), {{0.3f, -0.2f}, {0.3f, 0.0f}, {0.9f, 0.5f}, {1.3f, 1.2f}});
    const std::size_t funnel_triangles = mesh.indices.size() / 3;
    std::vector<glm::vec2> bowl;
    for (int i = 0; i <= 12; ++i) {
        const float x = 4.2f * static_cast<float>(i) / 12.0f;
        bowl.push_back({x, 0.1f + 0.045f * x * x});
    }
    bowl.push_back({4.3f, 3.0f});
    round(vec3(0.0f), bowl);

    std::vector<std::uint8_t> materials(mesh.indices.size() / 3, 0);
    std::fill(materials.begin() + static_cast<std::ptrdiff_t>(spiral_triangles),
              materials.begin() + static_cast<std::ptrdiff_t>(funnel_triangles), std::uint8_t{1});
    return make_mesh({.vertices = mesh.vertices, .indices = mesh.indices, .materials = materials, .two_sided = true});
}

/// Marbles drop into a funnel, run down a spiral and end in a bowl: all of it one mesh.
Result<SceneData> marble_run(const SceneOptions& options) {
    constexpr float marble = 0.09f;  // radius, m
    constexpr int marbles = 80;
    Random random(options.seed);
    auto made = marble_run_mesh();
    if (!made) return made.error();
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    BodyDef run;
    run.type = BodyType::fixed;
    run.mesh = *made;
    run.material.friction = 0.3f;
    run.mesh_materials = {run.material,
                          Material{.friction = 0.01f}};  // the funnel is slick, or marbles would arch over
    scene.bodies.push_back(run);
    const std::size_t first = scene.bodies.size();
    for (int k = 0; k < marbles; ++k) {
        BodyDef ball;
        ball.shape = sphere(marble);
        ball.density = 2500.0f;
        ball.material.friction = 0.3f;
        ball.material.restitution = 0.3f;
        const vec3 place((static_cast<float>(k % 3) - 1.0f) * 0.3f, 1.9f + 0.3f * static_cast<float>(k / 9),
                         (static_cast<float>(k / 3 % 3) - 1.0f) * 0.3f);
        ball.position = spiral_start + vec3(0.0f, 0.75f, 0.15f) + place + random.in_box(vec3(0.02f));
        scene.bodies.push_back(ball);
    }
    scene.figures.push_back({"marbles in the bowl", "", Over::last, [=](const SceneBodies& bodies, double) {
                                 double in = 0.0;
                                 for (std::size_t i = first; i < first + marbles; ++i) {
                                     const dvec3 at = bodies.transform(i).position;
                                     in += at.x * at.x + at.z * at.z < 4.25 * 4.25 && at.y > 0.1 && at.y < 1.6;
                                 }
                                 return in;
                             }});
    scene.figures.push_back({"fastest marble", "m/s", Over::largest, [=](const SceneBodies& bodies, double) {
                                 double fastest = 0.0;
                                 for (std::size_t i = first; i < first + marbles; ++i)
                                     fastest = std::max(fastest, double{glm::length(bodies.linear_velocity(i))});
                                 return fastest;
                             }});
    scene.camera = orbit({0, 3.3f, 0}, 16.5f, 28, 32);
    return scene;
}

// ---- Gears ----------------------------------------------------------------------------------------------------------

/// A gear of convex parts: a disc and its teeth.
Result<std::vector<ShapeDef>> convex_parts(const SpurGear& gear) {
    std::vector<ShapeDef> shapes(1);
    shapes[0].shape = cylinder(gear.half_width, gear.root_radius());
    shapes[0].pose.rotation = turn({1, 0, 0}, 0.5f * pi);
    std::vector<vec3> corners;
    for (const glm::vec2& p : gear.tooth()) {
        corners.push_back({p.x, p.y, -gear.half_width});
        corners.push_back({p.x, p.y, gear.half_width});
    }
    const auto hulled = make_hull(corners);
    if (!hulled) return hulled.error();
    for (int k = 0; k < gear.teeth; ++k) {
        ShapeDef part;
        part.shape = hull(*hulled);
        part.pose.rotation = gear.tooth_turn(k);
        shapes.push_back(part);
    }
    return shapes;
}

/// A kinematic gear, a mesh, drives two wheels of convex parts by nothing but its teeth.
Result<SceneData> tooth_gears(const SceneOptions&) {
    constexpr float module = 0.12f, half_width = 0.15f, height = 2.2f, speed = 2.0f;
    const SpurGear driver{12, module, half_width}, wheels[] = {{20, module, half_width}, {16, module, half_width}};
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    scene.bodies.push_back(block({1.2f, height, -0.6f}, {3.2f, 1.6f, 0.1f}));
    const MeshFile surface = driver.surface();
    auto mesh = make_mesh({.vertices = surface.vertices, .indices = surface.triangles});
    if (!mesh) return mesh.error();
    float x = -1.5f;
    BodyDef driving;
    driving.type = BodyType::kinematic;
    driving.mesh = *mesh;
    driving.material.friction = 0.1f;
    driving.position = {x, height, 0.0f};
    driving.angular_velocity = {0.0f, 0.0f, -speed};
    scene.bodies.push_back(driving);

    float last_radius = driver.pitch_radius();
    std::size_t bodies[2];
    float ratio = 1.0f;
    int last_teeth = driver.teeth;
    for (int k = 0; k < 2; ++k) {
        const SpurGear& gear = wheels[k];
        x += last_radius + gear.pitch_radius();
        last_radius = gear.pitch_radius();
        ratio *= -static_cast<float>(last_teeth) / static_cast<float>(gear.teeth);
        last_teeth = gear.teeth;
        auto parts = convex_parts(gear);
        if (!parts) return parts.error();
        const MeshFile solid = gear.surface();
        const auto mass = mesh_mass_properties(solid.vertices, solid.triangles, 1000.0f);
        if (!mass) return mass.error();
        BodyDef wheel;
        wheel.shapes = std::move(*parts);
        for (ShapeDef& part : wheel.shapes) part.material.friction = 0.1f;
        wheel.mass_properties = *mass;
        wheel.position = {x, height, 0.0f};
        // All wheels have an even number of teeth: half a tooth on, and a gap meets the last one's tooth.
        wheel.rotation = turn({0, 0, 1}, k == 0 ? pi / static_cast<float>(gear.teeth) : 0.0f);
        wheel.angular_damping = k == 1 ? 0.5f : 0.0f;  // the load
        wheel.allow_sleep = false;
        bodies[k] = scene.bodies.size();
        scene.bodies.push_back(wheel);
        tie(scene, 1, bodies[k], wheel.position, {0, 0, 1}, HingeDef{});
        const double wanted = static_cast<double>(-speed * ratio);
        scene.figures.push_back({k == 0 ? "first wheel, of its proper speed" : "second wheel, of its proper speed", "",
                                 Over::mean, [body = bodies[k], wanted](const SceneBodies& all, double) {
                                     return static_cast<double>(all.angular_velocity(body).z) / wanted;
                                 }});
    }
    scene.camera = orbit({0.3f, height, 0}, 9, 14, 12);
    return scene;
}

constexpr Scene scenes[] = {
    {"terrain", "500 things roll down a mountainside of 100,352 triangles.", 900, terrain},
    {"rough_ground", "1,000 things fall on bumpy ground of 18,432 triangles.", 500, rough_ground},
    {"marble_run", "Marbles run from a funnel down a spiral into a bowl, all of it one mesh.", 1500, marble_run},
    {"tooth_gears", "A kinematic gear, a mesh, drives two wheels of convex parts by nothing but its teeth.", 600,
     tooth_gears},
};

}  // namespace

std::span<const Scene> mesh_scenes() { return scenes; }

}  // namespace talus::samples
