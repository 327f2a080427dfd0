#include "profiling/bench/scenes/bullet_run.h"

#include "profiling/bench/scenes/bullet_scene.h"

#include <algorithm>

namespace talus::profiling {

Error missing_in_bullet(const samples::SceneData& scene) { return BulletScene::missing(scene); }

Result<SceneRun> run_bullet(const samples::SceneData& scene, int steps, int threads) {
    if (Error missing = missing_in_bullet(scene)) return missing;
    BulletScene world(scene);
    samples::Figures figures(scene);
    SceneRun run;
    for (int i = 0; i < steps; ++i) {
        const double start = now_ms(threads);
        world.step(i);
        run.ms += now_ms(threads) - start;
        run.broad += world.broadphase_ms();
        run.collide += world.narrowphase_ms();
        run.solve += world.solve_ms();
        figures.observe(world);
        if (!counts_overlap(i, steps)) continue;
        const BulletScene::Overlap overlap = world.overlap();
        run.deepest = std::max(run.deepest, static_cast<double>(overlap.deepest));
        run.mean = std::max(run.mean, static_cast<double>(overlap.mean));
    }
    run.divide_times(steps);
    run.lost = count_lost(scene, [&](std::size_t k) { return world.transform(k).position; });
    run.bytes = static_cast<double>(world.bytes());
    run.figures = figures.values();
    return run;
}

}  // namespace talus::profiling
