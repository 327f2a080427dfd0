#include "samples/runner/run.h"

#include "samples/render/renderer.h"
#include "samples/runner/csv.h"

#include <talus/thread_pool.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>

namespace talus::samples {

namespace {

Error refuse(std::string message) { return {ErrorCode::bad_argument, std::move(message)}; }

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Sums over the frames of a run.
struct Totals {
    double step_ms = 0, collide_us = 0;
    std::array<double, rung_count> rungs{};
    double gjk_queries = 0, gjk_iterations = 0, epa_queries = 0;

    void add(const FrameProfile& profile, double ms) {
        step_ms += ms;
        collide_us += profile.collide;
        for (std::size_t i = 0; i < rungs.size(); ++i) rungs[i] += profile.narrowphase.pairs[i];
        gjk_queries += profile.narrowphase.gjk_queries;
        gjk_iterations += profile.narrowphase.gjk_iterations;
        epa_queries += profile.narrowphase.epa_queries;
    }
};

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

}  // namespace

double quantile(std::vector<double> values, double q) {
    if (values.empty()) return 0.0;
    const double rank = std::ceil(q * static_cast<double>(values.size())) - 1.0;
    const auto index = static_cast<std::size_t>(std::clamp(rank, 0.0, static_cast<double>(values.size() - 1)));
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index), values.end());
    return values[index];
}

Result<Summary> run_scene(const Scene& scene, const Options& options, const std::function<void(int, int)>& progress) {
    Result<SceneData> data = scene.make({options.seed, options.jitter, options.meshes});
    if (!data) return data.error();
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
    std::vector<BodyId> ids;
    World world = make_world(*data, &ids, def);
    if (world.body_count() != data->bodies.size()) {
        return refuse("The world refused the scene " + summary.scene + ": " + world.last_error().message);
    }

    // Files are opened before the run: a wrong path should not cost a minute.
    std::ofstream csv;
    if (!options.csv.empty()) {
        csv.open(options.csv, std::ios::binary);
        csv << csv_header();
        if (!csv.flush())
            return refuse("Cannot write '" + options.csv + "'; check that its folder exists and is writable.");
    }
    const auto take_picture = [&](int step) -> Error {
        if (options.png.empty() || step != at) return {};
        return write_png(Renderer(*data).draw(current_poses(world, ids), {options.width, options.height}), options.png);
    };
    if (!options.png.empty() && !std::ofstream(options.png, std::ios::binary | std::ios::app)) {
        return refuse("Cannot write '" + options.png + "'; check that its folder exists and is writable.");
    }

    ThreadPool pool(options.threads);
    const Jobs jobs = options.threads > 1 ? pool.jobs() : Jobs{};
    Figures figures(*data);
    Totals totals;
    std::vector<double> step_ms;
    step_ms.reserve(static_cast<std::size_t>(summary.steps));
    if (Error error = take_picture(0)) return error;
    for (int step = 0; step < summary.steps; ++step) {
        const auto start = std::chrono::steady_clock::now();
        if (!step_scene(world, *data, step, jobs)) return refuse("A step was refused: " + world.last_error().message);
        step_ms.push_back(milliseconds_since(start));
        totals.add(world.profile(), step_ms.back());
        figures.observe(world);
        if (csv.is_open()) csv << csv_row(world.profile());
        if (Error error = take_picture(step + 1)) return error;
        if (progress) progress(step + 1, summary.steps);
    }
    if (csv.is_open() && !csv.flush()) return refuse("Writing '" + options.csv + "' failed; is the disk full?");

    const double steps = summary.steps;
    summary.median_ms = quantile(step_ms, 0.5);
    summary.p99_ms = quantile(step_ms, 0.99);
    summary.narrowphase_us = totals.collide_us / steps;
    summary.narrowphase_share = totals.collide_us / std::max(1e-9, 1000.0 * totals.step_ms);
    for (std::size_t i = 0; i < totals.rungs.size(); ++i) summary.rungs[i] = totals.rungs[i] / steps;
    summary.gjk_iterations = totals.gjk_iterations / std::max(1.0, totals.gjk_queries);
    summary.epa_calls = totals.epa_queries / steps;
    const std::vector<double> values = figures.values();
    for (std::size_t i = 0; i < values.size(); ++i)
        summary.figures.push_back({data->figures[i].name, data->figures[i].unit, values[i]});
    describe_end(world, summary);
    return summary;
}

}  // namespace talus::samples
