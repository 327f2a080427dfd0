/// What meshes cost: to build, to ask, and to lie on.

#include "profiling/bench/meshes/mesh_bench.h"

#include "profiling/bench/measure.h"
#include "samples/scenes/kit/random.h"
#include "samples/scenes/scene.h"

#include <talus/narrowphase/triangles/height_field.h>
#include <talus/narrowphase/triangles/mesh.h>
#include <talus/narrowphase/triangles/queries.h>

#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>

#include <cmath>
#include <cstdio>
#include <functional>

namespace talus::profiling {

namespace {

using samples::Random;

constexpr const char* help =
    "usage: talus-profile meshes [options]\n"
    "Bumpy ground of triangles: building it, boxes and rays, by Talus and by Bullet's btBvhTriangleMeshShape; and "
    "whole\n"
    "steps of the scene hullpile on a slab, on level and on bumpy ground of 0.5 m cells, by turns. One thread, CPU "
    "time,\n"
    "medians.\n"
    "  --repeats N      timed passes of each (default 5)\n"
    "  --steps N        of hullpile (default 500)\n"
    "  --quick          small meshes, few steps, one repeat: to see that it works\n";

struct Ground {
    std::vector<vec3> vertices;
    std::vector<std::uint32_t> indices;
    std::vector<float> heights;
    std::uint32_t samples;  ///< a side
    float cell;

    std::size_t triangles() const { return indices.size() / 3; }
};

/// Around the origin, `cells` to a side.
Ground make_ground(int cells, float cell, float bumps) {
    Ground ground;
    ground.samples = static_cast<std::uint32_t>(cells + 1);
    ground.cell = cell;
    const float half = 0.5f * cell * static_cast<float>(cells);
    for (int j = 0; j <= cells; ++j) {
        for (int i = 0; i <= cells; ++i) {
            const float x = cell * static_cast<float>(i) - half, z = cell * static_cast<float>(j) - half;
            const float y = bumps * (std::sin(1.3f * x) + std::cos(1.1f * z + 0.3f * x) - 2.0f);
            ground.vertices.push_back({x, y, z});
            ground.heights.push_back(y);
        }
    }
    const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(j * (cells + 1) + i); };
    for (int j = 0; j < cells; ++j) {
        for (int i = 0; i < cells; ++i) {
            for (const std::uint32_t v :
                 {at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i + 1, j)})
                ground.indices.push_back(v);
        }
    }
    return ground;
}

struct CountTriangles final : btTriangleCallback {
    std::size_t count = 0;
    void processTriangle(btVector3*, int, int) override { ++count; }
};

struct NearestHit final : btTriangleRaycastCallback {
    using btTriangleRaycastCallback::btTriangleRaycastCallback;
    btScalar reportHit(const btVector3&, btScalar fraction, int, int) override { return m_hitFraction = fraction; }
};

btVector3 to_bullet(const vec3& v) { return {v.x, v.y, v.z}; }

/// Nanoseconds of `times` things done by `pass`: the median of the repeats.
double median_ns(int repeats, double times, const std::function<void()>& pass) {
    std::vector<double> all;
    for (int i = 0; i < repeats; ++i) all.push_back(time_of(1, pass) / times);
    return median(all);
}

bool print_queries(int cells, int repeats) {
    const float cell = 100.0f / static_cast<float>(cells);
    const Ground ground = make_ground(cells, cell, 0.5f);
    std::shared_ptr<const TriangleSet> mesh, field;
    bool good = true;
    const double build = median_ns(repeats, 1.0, [&] {
        const auto made = make_mesh({.vertices = ground.vertices, .indices = ground.indices});
        good = good && made;
        if (made) mesh = *made;
    });
    const double build_field = median_ns(repeats, 1.0, [&] {
        const auto made = make_height_field({.columns = ground.samples,
                                             .rows = ground.samples,
                                             .heights = ground.heights,
                                             .spacing_x = cell,
                                             .spacing_z = cell});
        good = good && made;
        if (made) field = *made;
    });
    if (!good) return false;
    std::vector<int> indices(ground.indices.begin(), ground.indices.end());
    std::vector<vec3> vertices = ground.vertices;
    btTriangleIndexVertexArray array(static_cast<int>(ground.triangles()), indices.data(), 3 * sizeof(int),
                                     static_cast<int>(vertices.size()), &vertices[0].x, sizeof(vec3));
    std::unique_ptr<btBvhTriangleMeshShape> bullet;
    const double build_bullet =
        median_ns(repeats, 1.0, [&] { bullet = std::make_unique<btBvhTriangleMeshShape>(&array, true); });

    // Boxes as wide as bodies, and rays that come down at a slant.
    constexpr int count = 2000;
    Random random(1);
    std::vector<Aabb> boxes;
    std::vector<vec3> from, way;
    for (int i = 0; i < count; ++i) {
        vec3 at = random.in_box(vec3(45.0f));
        at.y = -1.0f;
        boxes.push_back({at - vec3(0.6f), at + vec3(0.6f)});
        vec3 start = random.in_box(vec3(40.0f));
        start.y = 5.0f;
        from.push_back(start);
        vec3 slant = random.in_box(vec3(20.0f));
        slant.y = -10.0f;
        way.push_back(slant);
    }
    volatile std::size_t sink = 0;
    const vec3 corner(50.0f, 0.0f, 50.0f);  // of a height field's frame
    std::vector<std::uint32_t> found;
    const auto boxes_of = [&](const TriangleSet& set, const vec3& shift) {
        return median_ns(repeats, count, [&] {
            for (const Aabb& box : boxes) {
                found.clear();
                set.find({box.lower + shift, box.upper + shift}, found);
                sink = sink + found.size();
            }
        });
    };
    const auto rays_of = [&](const TriangleSet& set, const vec3& shift) {
        return median_ns(repeats, count, [&] {
            for (std::size_t i = 0; i < count; ++i) sink = sink + ray_cast(set, from[i] + shift, way[i]).triangle;
        });
    };
    const double box = boxes_of(*mesh, vec3(0.0f)), box_field = boxes_of(*field, corner);
    const double ray = rays_of(*mesh, vec3(0.0f)), ray_field = rays_of(*field, corner);
    const double box_bullet = median_ns(repeats, count, [&] {
        for (const Aabb& b : boxes) {
            CountTriangles counter;
            bullet->processAllTriangles(&counter, to_bullet(b.lower), to_bullet(b.upper));
            sink = sink + counter.count;
        }
    });
    const double ray_bullet = median_ns(repeats, count, [&] {
        for (std::size_t i = 0; i < count; ++i) {
            const btVector3 start = to_bullet(from[i]), end = to_bullet(from[i] + way[i]);
            NearestHit hit(start, end);
            bullet->performRaycast(&hit, start, end);
            sink = sink + (hit.m_hitFraction < 1.0f ? 1u : 0u);
        }
    });
    std::printf("%9zu | %8.2f %8.2f %5.2f %8.2f | %6.0f %6.0f %5.2f %6.0f | %6.0f %6.0f %5.2f %6.0f | %6.2f %6.2f\n",
                ground.triangles(), build * 1e-6, build_bullet * 1e-6, build / build_bullet, build_field * 1e-6, box,
                box_bullet, box / box_bullet, box_field, ray, ray_bullet, ray / ray_bullet, ray_field,
                static_cast<double>(mesh->bytes()) * 1e-6, static_cast<double>(field->bytes()) * 1e-6);
    return true;
}

/// CPU ms a step of hullpile with this under it; null: its own slab.
double pile_ms(const std::shared_ptr<const TriangleSet>& ground, int steps) {
    const auto scene = samples::find_scene("hullpile")->make({});
    if (!scene) return 0.0;
    samples::SceneData data = *scene;
    if (ground) {
        BodyDef floor;
        floor.type = BodyType::fixed;
        floor.mesh = ground;
        floor.material = data.bodies[0].material;
        data.bodies[0] = floor;
    }
    WorldDef def;
    def.allow_sleep = false;
    def.timing = Timing::off;
    World world = samples::make_world(data, nullptr, def);
    return 1e-6 *
           time_of(1,
                   [&] {
                       for (int i = 0; i < steps; ++i) samples::step_scene(world, data, i);
                   }) /
           steps;
}

bool print_pile(int repeats, int steps) {
    const Ground level = make_ground(60, 0.5f, 0.0f), bumpy = make_ground(60, 0.5f, 0.25f);
    const auto level_mesh = make_mesh({.vertices = level.vertices, .indices = level.indices});
    const auto bumpy_mesh = make_mesh({.vertices = bumpy.vertices, .indices = bumpy.indices});
    if (!level_mesh || !bumpy_mesh) return false;
    std::vector<double> slab, on_level, on_bumpy, level_ratio, bumpy_ratio;
    for (int i = 0; i < repeats; ++i) {
        slab.push_back(pile_ms(nullptr, steps));
        on_level.push_back(pile_ms(*level_mesh, steps));
        on_bumpy.push_back(pile_ms(*bumpy_mesh, steps));
        level_ratio.push_back(on_level.back() / slab.back());
        bumpy_ratio.push_back(on_bumpy.back() / slab.back());
    }
    std::printf("\nhullpile, %d steps, ms a step: slab %.3f, level ground %.3f (%.2f), bumpy ground %.3f (%.2f)\n",
                steps, median(slab), median(on_level), median(level_ratio), median(on_bumpy), median(bumpy_ratio));
    return true;
}

}  // namespace

int run_meshes(const std::vector<std::string_view>& arguments) {
    int repeats = 5, steps = 500;
    bool quick = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view name = arguments[i];
        if (name == "--help") {
            std::fputs(help, stdout);
            return 0;
        }
        if (name == "--quick") {
            quick = true;
            continue;
        }
        const std::string_view value = i + 1 < arguments.size() ? arguments[++i] : std::string_view();
        int* const number = name == "--repeats" ? &repeats : name == "--steps" ? &steps : nullptr;
        if (number == nullptr || !parse_number(value, *number) || *number < 1) return refuse(name, value), 2;
    }
    if (quick) repeats = 1, steps = 20;
    std::printf(
        "          | build, ms                        | box query, ns              | ray, ns                    | MB\n"
        "triangles |    Talus   Bullet ratio    field |  Talus Bullet ratio  field |  Talus Bullet ratio  field |   "
        "mesh  field\n");
    for (const int cells : {22, 71, 224, 708}) {
        if (quick && cells > 100) break;
        if (!print_queries(cells, repeats)) return 1;
        std::fflush(stdout);
    }
    return print_pile(repeats, steps) ? 0 : 1;
}

}  // namespace talus::profiling
