#include "profiling/bench/scenes/scene_run.h"

#include <algorithm>
#include <ctime>

namespace talus::profiling {

void SceneRun::divide_times(int steps) {
    for (double* sum : {&ms, &broad, &collide, &solve, &pairs, &rest}) *sum /= steps;
}

double now_ms(int threads) {
    timespec t;
    clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

int count_lost(const samples::SceneData& scene, const std::function<dvec3(std::size_t)>& position) {
    constexpr double lost_below = -20.0;  // m
    if (scene.gravity == vec3(0.0f)) return 0;
    int lost = 0;
    for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
        if (scene.bodies[k].type == BodyType::dynamic && !(position(k).y > lost_below)) ++lost;
    }
    return lost;
}

SceneRun run_talus(const samples::SceneData& scene, int steps, const Jobs& jobs) {
    WorldDef def;
    def.allow_sleep = false;
    std::vector<BodyId> ids;
    World world = samples::make_world(scene, &ids, def);
    samples::Figures figures(scene);
    SceneRun run;
    for (int i = 0; i < steps; ++i) {
        const double start = now_ms(jobs.threads);
        samples::step_scene(world, scene, i, jobs);
        const double busy = now_ms(jobs.threads) - start;
        run.ms += busy;
        const FrameProfile& p = world.profile();
        // Talus's stages are wall time: what other programs took of this step is shared out among them.
        const double to_ms = 1e-3 * std::min(1.0, 1e3 * busy / p.total);
        run.pairs += to_ms * p.pairs;
        run.broad += to_ms * p.broadphase;
        run.collide += to_ms * p.collide;
        run.solve += to_ms * p.solve;
        run.rest += to_ms * (p.graph + p.continuous + p.finish + p.publish);
        figures.observe(world);
        if (!counts_overlap(i, steps)) continue;
        run.deepest = std::max(run.deepest, static_cast<double>(p.max_penetration));
        run.mean = std::max(run.mean, static_cast<double>(p.mean_penetration));
    }
    run.divide_times(steps);
    run.lost = count_lost(scene, [&](std::size_t k) { return world.position(ids[k]); });
    run.bytes = static_cast<double>(world.memory().total());
    run.figures = figures.values();
    return run;
}

}  // namespace talus::profiling
