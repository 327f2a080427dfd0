/// What meshes cost: to build, to ask, and to lie on.

#include "profiling/bench/meshes/mesh_bench.h"

#include "profiling/bench/bullet.h"
#include "profiling/bench/measure.h"
#include "profiling/bench/meshes/bullet_mesh.h"
#include "samples/scenes/kit/random.h"
#include "samples/scenes/scene.h"

#include <talus/narrowphase/triangles/height_field.h>
#include <talus/narrowphase/triangles/mesh.h>
#include <talus/narrowphase/triangles/queries.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>

namespace talus::profiling {

namespace {

using samples::Random;

constexpr const char* help = R"(usage: talus-profile meshes [options]
Bumpy ground of triangles, by Talus and by Bullet's btBvhTriangleMeshShape: building it, finding triangles in boxes, casting
rays. Then whole steps of the scene hullpile in Talus, on a slab, on level ground and on bumpy ground with cells of 0.5 m, by
turns. One thread, CPU time, medians.
  --repeats N      timed passes of each (default 5)
  --steps N        steps of hullpile (default 500)
  --quick          small meshes, few steps and one repeat, to see that it works
)";

constexpr OptionValues option_values[] = {{"--repeats", "a whole number, 1 or more"},
                                          {"--steps", "a whole number, 1 or more"}};

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

/// Nanoseconds per thing, of `times` things that a call of `pass` does: the median of the repeats.
double median_ns(int repeats, double times, const std::function<void()>& pass) {
    std::vector<double> all;
    for (int i = 0; i < repeats; ++i) all.push_back(time_of(1, pass) / times);
    return median(all);
}

/// Boxes as wide as bodies, and rays that come down at a slant over some 15 m.
struct Questions {
    std::vector<Aabb> boxes;
    std::vector<Ray> rays;
};

Questions make_questions() {
    constexpr int count = 2000;
    Questions questions;
    Random random(1);
    for (int i = 0; i < count; ++i) {
        vec3 at = random.in_box(vec3(45.0f));
        at.y = -1.0f;
        questions.boxes.push_back({at - vec3(0.6f), at + vec3(0.6f)});
        Ray ray{random.in_box(vec3(40.0f)), {}};
        ray.origin.y = 5.0f;
        ray.translation = random.in_box(vec3(20.0f));
        ray.translation.y = -10.0f;
        questions.rays.push_back(ray);
    }
    return questions;
}

volatile std::size_t sink;  ///< where answers go, so that they have to be computed

/// What one kind of ground costs, ns: to build, per box and per ray. `bytes` of memory.
struct GroundCost {
    double build = 0.0, box = 0.0, ray = 0.0;
    std::size_t bytes = 0;
};

/// `make()` builds it; questions are shifted by `shift` into its frame. Nothing if it cannot be built.
template <class Make>
std::optional<GroundCost> cost_of(const Questions& questions, const vec3& shift, int repeats, const Make& make) {
    GroundCost cost;
    std::shared_ptr<const TriangleSet> set;
    cost.build = median_ns(repeats, 1.0, [&] {
        const auto made = make();
        set = made ? *made : nullptr;
    });
    if (!set) return std::nullopt;
    std::vector<std::uint32_t> found;
    cost.box = median_ns(repeats, static_cast<double>(questions.boxes.size()), [&] {
        for (const Aabb& box : questions.boxes) {
            found.clear();
            set->find({box.lower + shift, box.upper + shift}, found);
            sink = sink + found.size();
        }
    });
    cost.ray = median_ns(repeats, static_cast<double>(questions.rays.size()), [&] {
        for (const Ray& ray : questions.rays)
            sink = sink + ray_cast(*set, ray.origin + shift, ray.translation).triangle;
    });
    cost.bytes = set->bytes();
    return cost;
}

/// Bullet's; all 0 in a build without it.
GroundCost bullet_cost(const Ground& ground, const Questions& questions, int repeats) {
    GroundCost cost;
    std::unique_ptr<BulletMesh> mesh = make_bullet_mesh(ground.vertices, ground.indices);
    if (!mesh) return cost;
    cost.build = median_ns(repeats, 1.0, [&] { mesh->build(); });
    cost.box = median_ns(repeats, static_cast<double>(questions.boxes.size()), [&] {
        for (const Aabb& box : questions.boxes) sink = sink + mesh->count(box);
    });
    cost.ray = median_ns(repeats, static_cast<double>(questions.rays.size()), [&] {
        for (const Ray& ray : questions.rays) sink = sink + mesh->hits(ray);
    });
    return cost;
}

/// Talus's mesh, Bullet's, their ratio, and the height field, as a group of columns.
void print_costs(int width, int digits, double talus, double bullet, double field) {
    std::printf(" %*.*f", width, digits, talus);
    bullet > 0.0 ? std::printf(" %*.*f %5.2f", width, digits, bullet, talus / bullet)
                 : std::printf(" %*s %5s", width, "-", "-");
    std::printf(" %*.*f |", width, digits, field);
}

bool print_queries(int cells, int repeats) {
    const float cell = 100.0f / static_cast<float>(cells);
    const Ground ground = make_ground(cells, cell, 0.5f);
    const Questions questions = make_questions();
    const auto mesh = cost_of(questions, vec3(0.0f), repeats,
                              [&] { return make_mesh({.vertices = ground.vertices, .indices = ground.indices}); });
    const vec3 corner(50.0f, 0.0f, 50.0f);  // where a height field's frame has its origin
    const auto field = cost_of(questions, corner, repeats, [&] {
        return make_height_field({.columns = ground.samples,
                                  .rows = ground.samples,
                                  .heights = ground.heights,
                                  .spacing_x = cell,
                                  .spacing_z = cell});
    });
    if (!mesh || !field) return false;
    const GroundCost bullet = bullet_cost(ground, questions, repeats);
    std::printf("%9zu |", ground.triangles());
    print_costs(8, 2, 1e-6 * mesh->build, 1e-6 * bullet.build, 1e-6 * field->build);
    print_costs(6, 0, mesh->box, bullet.box, field->box);
    print_costs(6, 0, mesh->ray, bullet.ray, field->ray);
    std::printf(" %6.2f %6.2f\n", static_cast<double>(mesh->bytes) * 1e-6, static_cast<double>(field->bytes) * 1e-6);
    return true;
}

/// CPU ms per step of hullpile on this ground; null: on its own slab.
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
    std::printf("\nhullpile, %d steps, ms per step: slab %.3f, level ground %.3f (%.2f), bumpy ground %.3f (%.2f)\n",
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
        if (number == nullptr || !parse_number(value, *number) || *number < 1)
            return refuse(name, value, option_values), 2;
    }
    if (quick) repeats = 1, steps = 20;
    std::printf("%s\n", bullet_note);
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
