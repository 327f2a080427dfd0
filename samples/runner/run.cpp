#include "samples/runner/run.h"

#include "samples/runner/command_line.h"
#include "samples/runner/outputs/pictures.h"
#include "samples/scenes/moved_scene.h"

#include <talus/profiling/statistics.h>
#include <talus/thread_pool.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <span>

namespace talus::samples {

namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void describe_end(const World& world, Summary& summary) {
    summary.hash = world.hash();
    summary.bodies = world.body_count();
    summary.pairs = world.profile().convex_pairs;
    summary.kinetic_energy = world.profile().kinetic_energy;
    for (const BodyId id : world.bodies()) {
        if (world.type(id) != BodyType::fixed && !world.is_awake(id)) ++summary.asleep;
    }
    // Not the profile's penetrations: those leave out what sleeps.
    double sum = 0.0;
    for (const Contact& contact : world.contacts()) {
        for (int i = 0; i < contact.point_count; ++i) {
            const double depth = std::max(0.0, -static_cast<double>(contact.points[i].separation));
            sum += depth;
            summary.max_penetration = std::max(summary.max_penetration, depth);
            ++summary.contact_points;
        }
    }
    if (summary.contact_points > 0) summary.mean_penetration = sum / static_cast<double>(summary.contact_points);
}

Result<World> load_world(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file) return refuse("Cannot read '" + path + "'.");
    Result<World> world = World::load(std::as_bytes(std::span(bytes)));
    if (!world) return refuse("'" + path + "': " + world.error().message);
    return world;
}

Error save_world(const World& world, const std::string& path) {
    const Result<std::vector<std::byte>> bytes = world.save();
    if (!bytes) return bytes.error();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes->data()), static_cast<std::streamsize>(bytes->size()));
    return file.flush() ? Error{} : refuse("Cannot write '" + path + "'.");
}

}  // namespace

Result<Summary> run_scene(const Scene& scene, const Options& options, const std::function<void(int, int)>& progress) {
    Result<SceneData> data = scene.make({options.seed, options.jitter, options.meshes, options.scene_file});
    if (!data) return data.error();
    if (options.origin != dvec3(0.0)) *data = moved(std::move(*data), options.origin);
    if (options.substeps) data->substeps = *options.substeps;
    Summary summary;
    summary.scene = scene.name;
    summary.dt = static_cast<double>(data->dt);
    summary.substeps = data->substeps;
    summary.steps = options.steps.value_or(scene.steps);
    const int at = options.at.value_or(summary.steps);
    if (at > summary.steps) {
        return refuse("--at " + std::to_string(at) + " lies beyond the scene's last step, " +
                      std::to_string(summary.steps) + "; add --steps N.");
    }
    WorldDef def;
    def.allow_sleep = options.sleep;
    def.timing = options.timing;
    def.hash_stages = !options.files.hashes.empty();
    std::vector<BodyId> ids;
    World world = make_world(*data, &ids, def);
    if (world.body_count() != data->bodies.size()) {
        return refuse("The world refused the scene " + summary.scene + ": " + world.last_error().message);
    }

    int first_step = 0;
    if (!options.resume.empty()) {
        Result<World> loaded = load_world(options.resume);
        if (!loaded) return loaded.error();
        world = std::move(*loaded);
        first_step = static_cast<int>(world.profile().frame);
        ids = world.bodies();
        if (ids.size() != data->bodies.size() || world.joints().size() != data->joints.size())
            return refuse("'" + options.resume + "' holds another scene than " + summary.scene + ".");
        if (first_step >= summary.steps) {
            return refuse("'" + options.resume + "' has done " + std::to_string(first_step) +
                          " steps; add --steps N with more than that.");
        }
    }

    // Files are opened before the run: a wrong path should not cost a minute.
    Outputs outputs(options.files);
    const RunFacts facts{.scene = scene,
                         .data = *data,
                         .seed = options.seed,
                         .jitter = options.jitter,
                         .steps = summary.steps,
                         .threads = options.threads,
                         .def = def,
                         .bodies = ids};
    if (Error error = outputs.begin(facts, world)) return error;
    const Pictures pictures(options, *data, summary.steps);
    if (Error error = pictures.begin()) return error;

    ThreadPool pool(options.threads);
    const Jobs jobs = options.threads > 1 ? pool.jobs() : Jobs{};
    Figures figures(*data);
    double all_ms = 0.0, collide_us = 0.0;
    NarrowphaseProfile narrowphase;
    std::vector<double> step_ms;
    step_ms.reserve(static_cast<std::size_t>(summary.steps - first_step));
    if (Error error = pictures.after_step(first_step, world, ids)) return error;
    for (int step = first_step; step < summary.steps; ++step) {
        const auto start = std::chrono::steady_clock::now();
        if (!step_scene(world, *data, step, jobs)) return refuse("A step was refused: " + world.last_error().message);
        step_ms.push_back(milliseconds_since(start));
        all_ms += step_ms.back();
        collide_us += world.profile().collide;
        narrowphase += world.profile().narrowphase;
        summary.joints += world.profile().joints;
        figures.observe(world);
        if (Error error = outputs.after_step(world, step_ms.back())) return error;
        if (Error error = pictures.after_step(step + 1, world, ids)) return error;
        if (progress) progress(step + 1, summary.steps);
    }
    if (Error error = outputs.finish(world)) return error;
    if (!options.save.empty()) {
        if (Error error = save_world(world, options.save)) return error;
    }
    summary.notes = outputs.notes();

    const double steps = summary.steps - first_step;
    summary.median_ms = take_quantile(step_ms, 0.5);
    summary.p99_ms = take_quantile(step_ms, 0.99);
    summary.collide_us = collide_us / steps;
    summary.collide_share = collide_us / std::max(1e-9, 1000.0 * all_ms);
    for (std::size_t i = 0; i < summary.rungs.size(); ++i)
        summary.rungs[i] = static_cast<double>(narrowphase.pairs[i]) / steps;
    summary.gjk_iterations =
        static_cast<double>(narrowphase.gjk_iterations) / std::max(1.0, static_cast<double>(narrowphase.gjk_queries));
    summary.epa_calls = static_cast<double>(narrowphase.epa_queries) / steps;
    const std::vector<double> values = figures.values();
    for (std::size_t i = 0; i < values.size(); ++i)
        summary.figures.push_back({data->figures[i].name, data->figures[i].unit, values[i]});
    describe_end(world, summary);
    return summary;
}

}  // namespace talus::samples
