#pragma once
/// Runs a scene, and what is worth knowing afterwards.

#include "samples/runner/options.h"
#include "samples/scenes/scene.h"

#include <array>
#include <functional>

namespace talus::samples {

struct Summary {
    std::string scene;
    int steps = 0;
    double dt = 0;  ///< s
    int substeps = 0;
    std::uint64_t hash = 0;  ///< of all poses and velocities after the last step

    // After the last step.
    std::size_t bodies = 0;
    std::size_t asleep = 0;   ///< dynamic and kinematic bodies that sleep
    std::uint32_t pairs = 0;  ///< convex pairs
    std::size_t contact_points = 0;
    double mean_penetration = 0;  ///< over all contact points, separated ones counted as 0, m
    double max_penetration = 0;   ///< m
    double kinetic_energy = 0;    ///< J

    /// The scene's own figures, over the run.
    struct Measured {
        std::string name, unit;
        double value;
    };
    std::vector<Measured> figures;

    // Over the run.
    double median_ms = 0, p99_ms = 0;        ///< wall time of a step
    double collide_us = 0;                   ///< mean of the stage collide, a frame
    double collide_share = 0;                ///< of the time of all steps, 0 to 1
    std::array<double, rung_count> rungs{};  ///< mean number of pairs, a frame
    double gjk_iterations = 0;               ///< a query
    double epa_calls = 0;                    ///< a frame
    JointProfile joints;                     ///< the sum over all frames

    /// What is worth saying of the files that were written: what it is about, and a few words.
    std::vector<std::pair<std::string, std::string>> notes;
};

/// Runs the scene as the options say, writes the files that they name, and tells `progress` how many steps of how many
/// are done. An Error when the scene cannot be made, the world refuses it, or a file cannot be written.
Result<Summary> run_scene(const Scene& scene, const Options& options,
                          const std::function<void(int done, int steps)>& progress = {});

}  // namespace talus::samples
