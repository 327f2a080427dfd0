#include "samples/runner/ledger_run.h"

#include "samples/runner/command_line.h"
#include "samples/scenes/moved_scene.h"

#include <talus/thread_pool.h>

#include <cstdio>

namespace talus::samples {

Result<LedgerReport> run_ledger(const Scene& scene, const Options& options,
                                const std::function<void(int, int)>& progress) {
    Result<SceneData> data = scene.make({options.seed, options.jitter, options.meshes, options.scene_file});
    if (!data) return data.error();
    if (options.origin != dvec3(0.0)) *data = moved(std::move(*data), options.origin);
    if (options.substeps) data->substeps = *options.substeps;
    WorldDef def;
    def.allow_sleep = options.sleep;
    def.timing = Timing::off;
    World world = make_world(*data, nullptr, def);
    if (world.body_count() != data->bodies.size())
        return refuse("The world refused the scene " + std::string(scene.name) + ": " + world.last_error().message);
    ThreadPool pool(options.threads);
    const Jobs jobs = options.threads > 1 ? pool.jobs() : Jobs{};
    const int steps = options.steps.value_or(scene.steps);
    Ledger ledger;
    for (int i = 0; i < steps; ++i) {
        act_scene(world, *data, i);
        if (!step(world, data->dt, ledger, jobs)) return refuse("A step was refused: " + world.last_error().message);
        if (progress) progress(i + 1, steps);
    }
    return ledger.report();
}

std::string ledger_header() {
    return "scene          steps   kinetic J   put in J   appeared J   worst step: J   share   at  bodies\n";
}

std::string ledger_line(const std::string& scene, const LedgerReport& report) {
    char text[256];
    const int length = std::snprintf(text, sizeof text, "%-12s %7d %11.4g %10.4g %12.4g %15.3g %7.2g %4d  ",
                                     scene.c_str(), report.steps, report.start.kinetic, report.budget, report.gained,
                                     report.worst.joules, report.worst.share, report.worst.step);
    std::string line(text, static_cast<std::size_t>(length));
    for (const BodyId id : report.worst.bodies) line += std::to_string(id.slot) + " ";
    if (report.worst.body_count > report.worst.bodies.size())
        line += "+" + std::to_string(report.worst.body_count - report.worst.bodies.size()) + " ";
    return line + (report.ok() ? "ok" : "FAIL: " + report.complaint()) + "\n";
}

}  // namespace talus::samples
