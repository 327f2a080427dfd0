#pragma once
/// One run of a scene in one engine, for `talus-profile scenes`.

#include "samples/scenes/scene.h"

#include <functional>
#include <vector>

namespace talus::profiling {

/// What a run gave. Times are means per step, ms.
struct SceneRun {
    double ms = 0.0;
    double broad = 0.0, collide = 0.0, solve = 0.0;
    double pairs = 0.0, rest = 0.0;    ///< Talus's other stages, which contain its broadphase
    double deepest = 0.0, mean = 0.0;  ///< overlap in the last tenth of the steps, m
    int lost = 0;                      ///< dynamic bodies that fell out of the scene, or whose position is not a number
    double bytes = 0.0;                ///< that the engine holds in the end
    std::vector<double> figures;       ///< parallel to the scene's

    /// Makes means of the sums over `steps` steps.
    void divide_times(int steps);
};

/// CPU time of the process for one thread, wall time for several: what a user waits for. ms
double now_ms(int threads);

/// Whether step `i` of `steps` is one of those whose overlaps count: the last tenth.
inline bool counts_overlap(int i, int steps) { return i >= steps - steps / 10 - 1; }

/// Dynamic bodies of a scene with gravity that are far below it. `position` gives a body's, by its place in the scene.
int count_lost(const samples::SceneData& scene, const std::function<dvec3(std::size_t)>& position);

/// Runs the scene in Talus, without sleeping.
SceneRun run_talus(const samples::SceneData& scene, int steps, const Jobs& jobs);

}  // namespace talus::profiling
